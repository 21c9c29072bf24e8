"""Where checks and webhooks may go."""

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, Refused
from plumbline.terraform.checks import LOOPBACK, Policy
from plumbline.terraform.checks.addresses import HostPort, private_enough, tcp_address, web_address


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "100.100.100.200",
        "192.0.0.192",
    ],
)
def test_metadata_of_clouds_is_refused_however_it_is_written(address):
    with pytest.raises(Refused):
        Policy().check(address)


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "::1", "8.8.8.8", "2001:db8::1", "fd00::1"])
def test_other_addresses_are_fine(address):
    Policy().check(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", str(IPv4Address(0)), "::", "::ffff:127.0.0.1"])
def test_loopback_can_be_refused_too(address):
    with pytest.raises(Refused):
        Policy(LOOPBACK).check(address)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:80", HostPort("127.0.0.1", 80)),
        ("example.com:65535", HostPort("example.com", 65535)),
        ("[::1]:8080", HostPort("::1", 8080)),
        ("b\u00fccher:1", HostPort("b\u00fccher", 1)),
        ("a-b.c1:080", HostPort("a-b.c1", 80)),
    ],
)
def test_a_host_and_a_port(text, expected):
    assert tcp_address(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tcp://a:80", "URL schemas are not allowed"),
        ("a", "missing port in address"),
        ("[::1]", "missing port in address"),
        ("[::1", "missing ']' in address"),
        ("::1:80", "too many colons in address"),
        ("a_b:80", "invalid host format"),
        ("-a:80", "invalid host format"),
        ("a..b:80", "invalid host format"),
        (":80", "invalid host format"),
        (f"{'a' * 64}:80", "invalid host format"),
        ("a b:80", "invalid host format"),
        ("a:0", "invalid port number"),
        ("a:65536", "invalid port number"),
        ("a:x", "invalid port number"),
        ("a:", "invalid port number"),
        ("a:" + "9" * 5000, "invalid port number"),
    ],
)
def test_what_is_neither_is_refused_in_upstreams_words(text, why):
    with pytest.raises(InvalidInput) as refused:
        tcp_address(text)
    assert refused.value.why == why


@given(st.text())
def test_any_text_is_an_address_or_refused(text):
    for read in (tcp_address, web_address):
        try:
            read(text)
        except InvalidInput:
            continue


@pytest.mark.parametrize(
    "url",
    ["", "/path", "ftp://a/", "http://", "http:///x", "http://[::1", "http://a:99999/", "http://a b/", "http://a/\n", "file:///etc/passwd", "http://a/" + "x" * 3000],
)  # fmt: skip
def test_what_is_no_address_of_the_web_is_refused(url):
    with pytest.raises(InvalidInput):
        web_address(url)


@pytest.mark.parametrize(
    ("url", "expected", "why"),
    [
        ("https://example.com/", True, "TLS"),
        ("http://example.com/", False, "anybody on the way reads it"),
        ("http://localhost:8080/", True, "this machine"),
        ("http://127.0.0.1/", True, "this machine"),
        ("http://[::1]/", True, "this machine"),
        ("http://10.0.0.1/", False, "a private network has others in it"),
        ("http://hook.policy.svc/", True, "a service of the cluster"),
        ("http://hook.policy.svc.cluster.local:80/", True, "a service of the cluster"),
        ("http://hook.policy.svc.evil.com/", False, "only looks like one"),
        ("http://127.0.0.1.evil.com/", False, "only looks like this machine"),
    ],
)
def test_plans_go_only_where_nobody_on_the_way_reads_them(url, expected, why):
    assert private_enough(web_address(url)) is expected, why
