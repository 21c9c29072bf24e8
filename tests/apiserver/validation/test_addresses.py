"""Addresses are read as old clusters wrote them, and complained about as new ones are strict."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.validation.addresses import (
    canonical_cidr_errors,
    canonical_ip_errors,
    cidr_errors,
    endpoint_ip_errors,
    ip_errors,
    parse_cidr,
    parse_ip,
)

ADDRESSES = [
    ("10.0.0.1", "10.0.0.1", "an address"),
    ("010.000.00.001", "10.0.0.1", "leading zeros are no octal"),
    ("2001:DB8::1", "2001:db8::1", "capitals"),
    ("2001:000db8::1", "2001:db8::1", "a group with zeros before it"),
    ("::ffff:10.0.0.1", "10.0.0.1", "the disguise falls"),
    ("::10.0.0.01", "::a00:1", "an address within, with leading zeros"),
    ("256.0.0.1", None, "more than a byte"),
    ("1.2.3", None, "too few"),
    ("1.2.3.4.5", None, "too many"),
    ("0000000001.2.3.9999", None, "too long and too large"),
    ("fe80::1%eth0", None, "no zones"),
    ("1::2::3", None, "two gaps"),
    (":::", None, "nothing but colons"),
    ("", None, "nothing"),
    ("::1.2.3.400", None, "a bad address within"),
    (":" * 400, None, "endless"),
    ("١.2.3.4", None, "digits of another script"),  # noqa: RUF001 - that is the point
]


@pytest.mark.parametrize(("text", "expected", "why"), ADDRESSES, ids=[row[-1] for row in ADDRESSES])
def test_reads_addresses(text, expected, why):
    address = parse_ip(text)
    assert (str(address.ip) if address else None) == expected, why


RANGES = [
    ("10.0.0.0/8", "10.0.0.0/8", "a range"),
    ("10.0.0.1/8", "10.0.0.0/8", "bits beyond the prefix"),
    ("10.0.0.0/08", "10.0.0.0/8", "a prefix with a zero"),
    ("2001:db8::/64", "2001:db8::/64", "IPv6"),
    ("::ffff:10.0.0.0/104", "10.0.0.0/8", "in disguise"),
    ("10.0.0.0/33", None, "too long a prefix"),
    ("10.0.0.0/", None, "no prefix"),
    ("10.0.0.0", None, "no slash"),
    ("10.0.0.0/-1", None, "less than nothing"),
    ("10.0.0.0/8/8", None, "two prefixes"),
    ("/8", None, "no address"),
]


@pytest.mark.parametrize(("text", "expected", "why"), RANGES, ids=[row[-1] for row in RANGES])
def test_reads_ranges(text, expected, why):
    read = parse_cidr(text)
    assert (str(read.network) if read else None) == expected, why


def test_what_was_kept_before_may_stay():
    assert not list(ip_errors("ip", "010.0.0.1", ["010.0.0.1"]))
    assert not list(cidr_errors("cidr", "nonsense", ["nonsense"]))


def test_where_nothing_leads_is_no_endpoint():
    assert [error.message for error in endpoint_ip_errors("ip", "nope")] == [
        'Invalid value: "nope": must be a valid IP address'
    ]


@given(st.ip_addresses())
def test_every_address_in_its_own_words_is_fine(ip):
    mapped = ip.version == 6 and ip.ipv4_mapped is not None
    assert bool(list(canonical_ip_errors("ip", str(ip)))) == mapped


@given(st.ip_addresses(), st.integers(0, 32))
def test_every_network_in_its_own_words_is_fine(ip, prefix):
    network = ipaddress.ip_network((ip, prefix), strict=False)
    mapped = ip.version == 6 and network.network_address.ipv4_mapped is not None
    assert bool(list(canonical_cidr_errors("cidr", str(network)))) == mapped


@given(st.text())
def test_any_text_has_an_answer(text):
    for errors in (ip_errors, cidr_errors, canonical_ip_errors, canonical_cidr_errors, endpoint_ip_errors):
        assert all(error.field == "f" for error in errors("f", text))
