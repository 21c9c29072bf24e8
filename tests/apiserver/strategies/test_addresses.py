"""Addresses and ranges that are taken, with a warning how they should be written."""

import pytest

from plumbline.apiserver.strategies.warnings.addresses import cidr_warnings, ip_warnings

ADDRESSES = [
    ("1.2.3.4", [], "as it should be"),
    ("fd00::1", [], "as it should be"),
    ("bogus", [], "validation has said enough about it"),
    (None, [], "nobody wrote one"),
    ("001.2.3.4", ['f: non-standard IP address "001.2.3.4" is invalid: use "1.2.3.4"'], "leading zeros"),
    ("::ffff:1.2.3.4", ['f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'], "disguised"),
    ("FD00::1", ['f: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'], "capitals"),
]
RANGES = [
    ("10.0.0.0/8", [], "as it should be"),
    ("bogus/8", [], "validation has said enough about it"),
    (
        "10.0.0.1/8",
        ['f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
        "an address, or a range?",
    ),
    (
        "fd00::1/64",
        ['f: CIDR value "fd00::1/64" is ambiguous in this context (should be "fd00::/64" or "fd00::1/128"?)'],
        "the same of the other family",
    ),
    ("010.0.0.0/8", ['f: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"'], "leading zeros"),
    ("FD00::/8", ['f: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")'], "capitals"),
]


@pytest.mark.parametrize(("value", "expect", "why"), ADDRESSES)
def test_addresses_have_one_spelling(value: str, expect: list[str], why: str) -> None:
    assert list(ip_warnings("f", value)) == expect, why


@pytest.mark.parametrize(("value", "expect", "why"), RANGES)
def test_ranges_have_one_spelling(value: str, expect: list[str], why: str) -> None:
    assert list(cidr_warnings("f", value)) == expect, why
