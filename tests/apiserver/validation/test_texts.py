"""The forms of short texts, and how complaints are worded."""

import pytest

from plumbline.apiserver import fielderrors
from plumbline.apiserver.fielderrors import OMITTED, Word
from plumbline.apiserver.validation import names

FORMS = [
    (names.c_identifier, "_a1", 0),
    (names.c_identifier, "1a", 1),
    (names.config_key, "a.b_c-D", 0),
    (names.config_key, "a/b", 1),
    (names.config_key, "..", 1),
    (names.config_key, "a" * 254, 1),
    (names.env_name, "A.b-c", 0),
    (names.env_name, "1a", 1),
    (names.env_name, "..a", 1),
    (names.relaxed_env_name, "a b%", 0),
    (names.relaxed_env_name, "", 1),
    (names.relaxed_env_name, "a=b", 1),
    (names.http_header_name, "X-Y", 0),
    (names.http_header_name, "X:", 1),
    (names.http_path, "/a%20", 0),
    (names.http_path, "a b", 1),
    (names.percent, "5%", 0),
    (names.percent, "5", 1),
    (names.percent, "5%\n", 1),
    (names.port_name, "http", 0),
    (names.port_name, "-", 2),
    (names.port_name, "", 2),
    (names.wildcard_subdomain, "*.a.b", 0),
    (names.wildcard_subdomain, "a.b", 1),
    (names.wildcard_subdomain, f"*.{'a' * 252}", 1),
    (names.dns_subdomain_with_underscore, "_a._b", 0),
    (names.dns_subdomain_with_underscore, "a__", 1),
]


@pytest.mark.parametrize(("faults", "text", "count"), FORMS)
def test_a_text_has_as_many_faults_as_the_server_finds(faults, text, count):
    assert len(faults(text)) == count


def test_a_form_without_examples_is_told_by_its_pattern_alone():
    assert names.http_path(" ")[0].startswith("Invalid path (regex used for validation is '")


WORDS = [
    (fielderrors.too_long("a", 1), "Too long: may not be more than 1 byte"),
    (fielderrors.too_long("a", 2), "Too long: may not be more than 2 bytes"),
    (fielderrors.too_long("a", -1), "Too long: value is too long"),
    (fielderrors.too_long_characters("a", 1), "Too long: may not be more than 1 character"),
    (fielderrors.too_short("a", 2), "Too short: must be at least 2 characters"),
    (fielderrors.too_short("a", -1), "Too short: value is too short"),
    (fielderrors.too_many("a", 3, 1), "Too many: 3: must have at most 1 item"),
    (fielderrors.too_many("a", -1, -1), "Too many: has too many items"),
    (fielderrors.too_few("a", 0, 2), "Too few: 0: must have at least 2 items"),
    (fielderrors.too_few("a", 0, -1), "Too few: 0: has too few items"),
    (fielderrors.type_invalid("a", 1, "no"), "Invalid value: 1: no"),
    (fielderrors.internal("a", "no"), "Internal error: no"),
    (fielderrors.not_supported("a", Word("<b>"), ()), 'Unsupported value: "\\u003cb\\u003e"'),
    (fielderrors.not_supported("a", "<b>", ("c",)), 'Unsupported value: "<b>": supported values: "c"'),
    (fielderrors.invalid("a", OMITTED, "no"), "Invalid value: no"),
    (fielderrors.invalid("a", None, ""), "Invalid value: null"),
    (fielderrors.duplicate("a", {"b": True}), 'Duplicate value: {"b":true}'),
    (fielderrors.not_found("a", "b", "no"), 'Not found: "b": no'),
]


@pytest.mark.parametrize(("error", "message"), WORDS)
def test_complaints_are_worded_like_those_of_the_server(error, message):
    assert error.message == message
    assert str(error) == f"a: {message}"
