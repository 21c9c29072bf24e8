from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.cel.addresses import address_text, parse_address, parse_network
from plumbline.apiserver.cel.escaping import escaped_name
from plumbline.apiserver.cel.floats import as_float, number_text
from plumbline.apiserver.cel.semver import compared_versions, normalized_semver, parse_semver
from plumbline.apiserver.cel.times import (
    Duration,
    Timestamp,
    duration_text,
    parse_date,
    parse_duration,
    parse_timestamp,
    timestamp_text,
)
from plumbline.apiserver.cel.urls import parse_request_uri, parse_url
from plumbline.base.errors import EvaluationFailed, InvalidInput


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("0", 0), ("1h2m3.5s", 3_723_500_000_000), ("-1ms", -1_000_000), ("+1us", 1000), (".5ns", 0), ("1µs", 1000)],
)
def test_durations_are_read_as_go_reads_them(text, nanoseconds):
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", 'time: invalid duration ""'),
        ("x", 'time: invalid duration "x"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1x", 'time: unknown unit "x" in duration "1x"'),
        ("9999999h", 'time: invalid duration "9999999h"'),
    ],
)
def test_durations_that_are_none_are_refused_as_go_does(text, why):
    with pytest.raises(EvaluationFailed) as refusal:
        parse_duration(text)
    assert refusal.value.what == why


def test_durations_are_written_in_seconds():
    assert [duration_text(Duration(each)) for each in (0, 1_500_000_000, -1_000_000)] == ["0s", "1.5s", "-0.001s"]


@pytest.mark.parametrize("text", ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05.000000001Z", "0001-01-01T00:00:00Z"])
def test_times_come_back_as_they_were_written(text):
    assert timestamp_text(parse_timestamp(text)) == text


@pytest.mark.parametrize("text", ["x", "2020-02-30T00:00:00Z", "2020-01-01 00:00:00Z", "2020-01-01T00:00:00"])
def test_times_that_are_none_are_refused(text):
    with pytest.raises(EvaluationFailed):
        parse_timestamp(text)


def test_offsets_are_taken_into_account():
    assert timestamp_text(parse_timestamp("2020-01-01T00:00:00-01:30")) == "2020-01-01T01:30:00Z"
    assert parse_date("1970-01-02") == Timestamp(86_400_000_000_000)
    with pytest.raises(EvaluationFailed):
        parse_date("1970-13-01")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_printed_so_that_they_can_be_read_again(value):
    assert float(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (1e6, "1e+06"), (123456.75, "123456.75"), (1e-5, "1e-05"), (-2.5e-7, "-2.5e-07"), (7, "7"),
     (float("nan"), "NaN"), (float("inf"), "+Inf"), (float("-inf"), "-Inf"), (10**400, str(10**400))],
)  # fmt: skip
def test_numbers_are_printed_as_go_prints_them(value, text):
    assert number_text(value) == text


def test_integers_that_no_float_can_hold_are_without_end():
    assert (as_float(10**400), as_float(-(10**400)), as_float(2**70)) == (float("inf"), float("-inf"), 2.0**70)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", 'parse "": empty url'),
        ("x", 'parse "x": invalid URI for request'),
        (":x", 'parse ":x": missing protocol scheme'),
        ("http://a b/", 'parse "http://a b/": invalid character " " in host name'),
        ("http://[::1/", "parse \"http://[::1/\": missing ']' in host"),
        ("http://[::1]x/", 'parse "http://[::1]x/": invalid port "x" after host'),
        ("http://a:x/", 'parse "http://a:x/": invalid port ":x" after host'),
        ("http://a/%zz", 'parse "http://a/%zz": invalid URL escape "%zz"'),
        ("http://a%41/", 'parse "http://a%41/": invalid URL escape "%41"'),
        ("http://u[@a/", 'parse "http://u[@a/": net/url: invalid userinfo'),
        ("http://a/\x01", 'parse "http://a/\\x01": net/url: invalid control character in URL'),
        ("../x", 'parse "../x": invalid URI for request'),
    ],
)
def test_addresses_that_are_none_are_refused_as_go_does(text, why):
    with pytest.raises(InvalidInput) as refusal:
        parse_request_uri(text)
    assert refusal.value.what == why


def test_the_parts_of_an_address_are_found():
    url = parse_url("https://u:p@example.com:80/a%20b?x=1&x=2&y#frag")
    assert (url.scheme, url.userinfo, url.host, url.hostname, url.port) == (
        "https",
        "u:p",
        "example.com:80",
        "example.com",
        "80",
    )
    assert (url.escaped_path, url.fragment, url.parameters()) == ("/a%20b", "frag", {"x": ["1", "2"], "y": [""]})
    six = parse_url("http://[::1]/")
    assert (six.hostname, six.port) == ("::1", "")
    assert parse_url("mailto:a@b").opaque == "a@b"
    assert parse_url("x/y").path == "x/y"


def test_a_first_segment_with_a_colon_is_no_path():
    with pytest.raises(InvalidInput, match="first path segment"):
        parse_url("1x:y")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "unable to parse IP"),
        ("1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'),
        ("1.2.3.x", 'unexpected character (at "x")'),
        ("1.2.3.04", "IPv4 field has octet with leading zero"),
        ("1.2.3.256", "IPv4 field has value >255"),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("::g", 'unexpected character, want colon (at "g")'),
        ("12345::", "each group must have 4 or fewer hex digits"),
        ("1::2::3", "multiple :: in address"),
        ("1:2:3", "address string too short"),
        ("1:2:3:4:5:6:7:8:9", "trailing garbage after address"),
    ],
)
def test_ip_addresses_that_are_none_are_refused(text, why):
    with pytest.raises(InvalidInput) as refusal:
        parse_address(text)
    assert refusal.value.what.endswith(why)


def test_networks_keep_the_address_that_was_written():
    network = parse_network("10.1.2.3/8")
    assert (str(network), str(network.masked)) == ("10.1.2.3/8", "10.0.0.0/8")
    assert network.holds(parse_address("10.9.9.9"))
    assert not network.holds(parse_address("::1"))
    assert address_text(parse_address("::ffff:1.2.3.4")) == "::ffff:1.2.3.4"


@pytest.mark.parametrize("text", ["10.0.0.0", "x/8", "10.0.0.0/x", "10.0.0.0/08", "10.0.0.0/33", "fe80::1%eth0/64"])
def test_networks_that_are_none_are_refused(text):
    with pytest.raises(InvalidInput):
        parse_network(text)


def test_versions_are_ordered():
    ordered = ["1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1.0.0-b", "1.0.0", "1.0.1", "1.10.0", "2.0.0"]
    read = [parse_semver(text) for text in ordered]
    for left, right in pairwise(read):
        assert (compared_versions(left, right), compared_versions(right, left)) == (-1, 1)
    assert parse_semver("1.0.0+a") == parse_semver("1.0.0+b")
    assert len({parse_semver("1.0.0+a"), parse_semver("1.0.0")}) == 1
    assert parse_semver("1.0.0") != "1.0.0"


@pytest.mark.parametrize(
    "text", ["", "1", "1.2", "a.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a_b", "1.2.3+", "1.2.3+a_b"]
)
def test_versions_that_are_none_are_refused(text):
    with pytest.raises(EvaluationFailed):
        parse_semver(text)


def test_versions_are_completed_where_that_is_asked():
    assert normalized_semver("v1.02") == parse_semver("1.2.0")
    assert normalized_semver("00.1.2") == parse_semver("0.1.2")
    with pytest.raises(EvaluationFailed):
        normalized_semver("1.2-a")


@pytest.mark.parametrize(
    ("name", "escaped"),
    [("plain", "plain"), ("a-b", "a__dash__b"), ("a.b/c", "a__dot__b__slash__c"), ("a__b", "a__underscores__b"),
     ("namespace", "__namespace__"), ("in", "__in__"), ("1a", None), ("ü", None), ("", None), ("a b", None)],
)  # fmt: skip
def test_names_are_escaped_or_cannot_be_reached(name, escaped):
    assert escaped_name(name) == escaped
