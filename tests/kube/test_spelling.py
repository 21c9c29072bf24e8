import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.kube.spelling import (
    dns_1035_label_faults,
    dns_label_faults,
    dns_subdomain_faults,
    label_key_faults,
    label_value_faults,
    path_segment_faults,
)

FINE = [
    (dns_label_faults, ["a", "0", "a-b", "a" * 63]),
    (dns_1035_label_faults, ["a", "a-0", "a" * 63]),
    (dns_subdomain_faults, ["a", "a.b-c.0", ".".join(["a" * 62] * 4)]),
    (label_key_faults, ["a", "A_b.c-d", "example.org/a", "a" * 63, f"{'a' * 63}.org/x"]),
    (label_value_faults, ["", "a", "A_b.c-d", "1" * 63]),
    (path_segment_faults, ["system:node", "Ä", ""]),
]
FAULTY = [
    (dns_label_faults, "", "a lowercase RFC 1123 label must consist of"),
    (dns_label_faults, "a.b", "must not contain dots"),
    (dns_label_faults, "A", "a lowercase RFC 1123 label must consist of"),
    (dns_label_faults, "a\n", "a lowercase RFC 1123 label must consist of"),
    (dns_label_faults, "a" * 64, "must be no more than 63 characters"),
    (dns_1035_label_faults, "0a", "a DNS-1035 label must consist of"),
    (dns_1035_label_faults, "a" * 64, "must be no more than 63 characters"),
    (dns_subdomain_faults, "a..b", "a lowercase RFC 1123 subdomain must consist of"),
    (dns_subdomain_faults, "a" * 254, "must be no more than 253 characters"),
    (label_key_faults, "", "name part must be non-empty"),
    (label_key_faults, "/a", "prefix part must be non-empty"),
    (label_key_faults, "a/", "name part must be non-empty"),
    (label_key_faults, "A/a", "prefix part a lowercase RFC 1123 subdomain"),
    (label_key_faults, f"{'a' * 254}/a", "prefix part must be no more than 253 bytes"),
    (label_key_faults, "-a", "name part must consist of"),
    (label_key_faults, "a" * 64, "name part must be no more than 63 bytes"),
    (label_key_faults, "a/b/c", "a valid label key must consist of"),
    (label_value_faults, "-", "a valid label must be an empty string or consist of"),
    (label_value_faults, "a" * 64, "must be no more than 63 bytes"),
    (label_value_faults, "é" * 32, "must be no more than 63 bytes"),
    (path_segment_faults, ".", "may not be '.'"),
    (path_segment_faults, "a/b", "may not contain '/'"),
    (path_segment_faults, "a%b", "may not contain '%'"),
]


@pytest.mark.parametrize(("faults", "names"), FINE, ids=[case[0].__name__ for case in FINE])
def test_good_names_have_no_faults(faults, names):
    assert [faults(name) for name in names] == [[]] * len(names)


@pytest.mark.parametrize(
    ("faults", "name", "message"), FAULTY, ids=[f"{case[0].__name__}-{case[2]}" for case in FAULTY]
)
def test_faults_are_worded_as_people_know_them(faults, name, message):
    assert faults(name)[0].startswith(message)


def test_all_faults_are_told():
    assert len(label_key_faults("/")) == 3
    assert dns_label_faults("A" * 64)[0] == "must be no more than 63 characters"
    assert len(dns_label_faults("A" * 64)) == 2


@given(st.text(max_size=80))
def test_a_label_is_a_subdomain(name):
    assert dns_label_faults(name) or not dns_subdomain_faults(name)
    assert dns_1035_label_faults(name) or not dns_label_faults(name)
