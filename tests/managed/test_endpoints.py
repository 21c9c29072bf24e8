"""Where a ProviderConfig may send credentials: to the cloud's own servers, and to those that were named, to the letter."""

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from plumbline.base.errors import InvalidInput, Refused
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import NO_OTHERS, Endpoints, Origin, named, parsed

REF = Ref("gcp.upbound.io", "ProviderConfig", "", "default")
FIELD = "the annotation plumbline.dev/endpoint"
NAMED = Endpoints(
    named(
        [
            "https://vendor.example",
            "http://vendor.example:8080",
            "https://192.0.2.7:8443",
            "https://[2001:db8::7]:8443",
        ]
    )
)
LAPTOP = Endpoints(loopback=True)


def admitted(endpoints, address):
    return endpoints.admitted(address, REF, FIELD)


ALLOWED = [
    ("https://vendor.example", "https://vendor.example", "as it was named"),
    ("https://vendor.example/", "https://vendor.example", "a slash is no path"),
    ("https://vendor.example:443", "https://vendor.example", "the port that goes without saying"),
    ("HTTPS://Vendor.EXAMPLE", "https://vendor.example", "hosts and schemes have no case"),
    ("https://vendor.example/Base/v1/", "https://vendor.example/Base/v1", "a path is no other server"),
    ("http://vendor.example:8080", "http://vendor.example:8080", "another port, named with its own scheme"),
    ("https://192.0.2.7:8443", "https://192.0.2.7:8443", "an IPv4 address"),
    ("https://[2001:db8::7]:8443", "https://[2001:db8::7]:8443", "an IPv6 address"),
    ("https://[2001:0DB8:0:0::7]:8443", "https://[2001:db8::7]:8443", "the same one, written otherwise"),
]


@pytest.mark.parametrize(("address", "used", "why"), ALLOWED, ids=[why for *_, why in ALLOWED])
def test_what_was_named_is_used_as_it_was_understood(address, used, why):
    assert admitted(NAMED, address) == used


ELSEWHERE = [
    ("https://other.example", "another host"),
    ("https://sub.vendor.example", "a host below it"),
    ("https://example", "a host above it"),
    ("https://vendor.example.attacker.test", "its name at the start of another"),
    ("https://attackervendor.example", "its name at the end of another"),
    ("https://vendor.example:8443", "another port"),
    ("http://vendor.example", "without TLS"),
    ("https://vendor.example:8080", "the port of the other scheme"),
    ("https://192.0.2.8:8443", "the next address"),
    ("https://[2001:db8::8]:8443", "the next address"),
    ("https://[::ffff:192.0.2.7]:8443", "an IPv4 address inside of another"),
    ("http://127.0.0.1:8080", "this machine, which nobody has named"),
    ("http://169.254.169.254", "the metadata of the machine"),
]


@pytest.mark.parametrize(("address", "why"), ELSEWHERE, ids=[why for _, why in ELSEWHERE])
def test_any_other_server_is_refused_with_its_name_and_the_way_out(address, why):
    with pytest.raises(Refused) as refused:
        admitted(NAMED, address)
    origin = str(parsed(address).origin)
    assert refused.value.why == f"{FIELD} would send its credentials to {origin}, which is not allowed"
    assert refused.value.hint == f"Remove it, or start with --allow-endpoint {origin}."


TRICKS = [
    ("https://vendor.example@attacker.test", "a user that looks like the host"),
    ("https://user:hunter2@vendor.example", "a user, whom nobody needs"),
    ("https://attacker.test\\@vendor.example", "a backslash, which some readers take for a slash"),
    ("https://attacker.test#@vendor.example", "a fragment"),
    ("https://vendor.example?x=https://attacker.test", "a query"),
    ("https://vendor.example.", "a trailing dot: another name to TLS, the same to a resolver"),
    ("https://.vendor.example", "a leading dot"),
    ("https://vendor..example", "an empty label"),
    ("https://-vendor.example", "a label that starts with a hyphen"),
    ("https://vendor.example:", "a port that is not there"),
    ("https://vendor.example:0", "no port"),
    ("https://vendor.example:65536", "no port either"),
    ("https://vendor.example:4_43", "what Python would take for a number"),
    ("https://vendor.example:\u0664\u0664\u0663", "digits of other scripts"),
    ("https://vendor.example:443:443", "two ports"),
    ("https://vendor%2eexample", "a host that is hidden"),
    ("https://vendor\u3002example", "a dot of another script"),
    ("https://\u017fendor.example", "a letter whose capital is an S"),
    ("https://vendor.example\n", "a line too many"),
    ("https://ven\tdor.example", "a tab, which some readers leave out"),
    (" https://vendor.example", "a blank"),
    ("https:///vendor.example", "no host"),
    ("https:vendor.example", "no slashes"),
    ("//vendor.example", "no scheme"),
    ("vendor.example", "neither"),
    ("ftp://vendor.example", "another scheme"),
    ("file://localhost/etc/passwd", "no server at all"),
    ("https://[2001:db8::7%25eth0]:8443", "a zone"),
    ("https://[2001:db8::7:8443", "half of the brackets"),
    ("https://2001:db8::7", "none of them"),
    ("https://[192.0.2.7]:8443", "an IPv4 address in brackets"),
    ("https://3221225991:8443", "an IPv4 address in one number"),
    ("https://0xc0.0.2.7:8443", "in other digits"),
    ("https://192.0.2.07:8443", "with a zero that some take for octal"),
    ("https://192.0.519:8443", "in three parts"),
    (f"https://{'a' * 64}.example", "a label that is too long"),
    (f"https://{'.'.join(['a' * 63] * 4)}.example", "a name that is too long"),
    ("/", "nothing"),
]


@pytest.mark.parametrize(("address", "why"), TRICKS, ids=[why for _, why in TRICKS])
def test_what_two_readers_could_read_in_two_ways_is_no_address(address, why):
    with pytest.raises(Refused) as refused:
        admitted(NAMED, address)
    assert "is no address of a server" in refused.value.why
    assert "hunter2" not in f"{refused.value} {refused.value.hint}"
    with pytest.raises(Refused):
        admitted(LAPTOP, address)


HERE = ["http://127.0.0.1:9", "https://localhost", "http://LOCALHOST:9", "http://127.1.2.3:9", "http://[::1]:9"]
NOT_HERE = [
    "http://192.0.2.7",
    "http://localhost.example",
    "http://[::2]",
    "http://0.0.0.0:9",
    "http://[::ffff:7f00:1]",
]


@pytest.mark.parametrize("address", HERE)
def test_on_a_laptop_servers_of_the_machine_are_allowed(address):
    assert admitted(LAPTOP, address) == address.lower()
    with pytest.raises(Refused):
        admitted(NO_OTHERS, address)


@pytest.mark.parametrize("address", NOT_HERE)
def test_on_a_laptop_others_are_not(address):
    with pytest.raises(Refused, match="not allowed"):
        admitted(LAPTOP, address)


def test_the_clouds_own_servers_need_no_permission_over_tls():
    own = frozenset({"rds.eu-west-1.amazonaws.com"})
    assert NO_OTHERS.admitted("https://rds.eu-west-1.amazonaws.com", REF, FIELD, own)
    for other in ("http://rds.eu-west-1.amazonaws.com", "https://rds.eu-west-1.amazonaws.com:8443"):
        with pytest.raises(Refused):
            NO_OTHERS.admitted(other, REF, FIELD, own)


@pytest.mark.parametrize("said", ["vendor.example", "https://vendor.example/path", "*", "https://*.example", ""])
def test_what_is_no_origin_cannot_be_named(said):
    with pytest.raises(InvalidInput) as refused:
        named([said])
    assert refused.value.hint


def test_an_origin_is_written_as_browsers_write_it():
    assert str(Origin("https", "2001:db8::7", 443)) == "https://[2001:db8::7]"
    assert str(Origin("http", "vendor.example", 443)) == "http://vendor.example:443"


PIECES = ["vendor.example", "attacker.test", "[2001:db8::7]", "192.0.2.7", "@", ":", "443", "8080", "8443", "/", "\\", "#", "?", ".", "%2e", "\t"]  # fmt: skip


@given(st.sampled_from(["http", "HTTPS"]), st.lists(st.sampled_from(PIECES), min_size=1, max_size=5))
@example("https", ["vendor.example", ":", "443", "/"])
def test_whatever_is_admitted_leads_every_reader_to_a_server_that_was_named(scheme, pieces):
    try:
        used = admitted(NAMED, f"{scheme}://{''.join(pieces)}")
    except Refused:
        return
    read, other = urlsplit(used), URL(used)
    assert Origin(read.scheme, read.hostname, other.port) in NAMED.named
    assert (other.scheme, other.host) == (read.scheme, read.hostname)
    assert read.username is other.user is None
    assert admitted(NAMED, used) == used
