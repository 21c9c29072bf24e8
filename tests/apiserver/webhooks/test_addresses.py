"""Addresses that rooms announce: loopback, or nothing."""

import pytest

from plumbline.apiserver.webhooks import LocalAddresses, Place
from plumbline.base.errors import InvalidInput

PLACE = Place("services", "default", "web", 80)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://10.0.0.1:80", "another machine"),
        ("http://169.254.169.254:80", "the metadata service of a cloud"),
        ("http://localhost:80", "a name can be made to mean something else"),
        ("http://0.0.0.0:80", "every address is not loopback"),
        ("http://[::]:80", "same in IPv6"),
        ("ftp://127.0.0.1:80", "not HTTP"),
        ("unix:///run/x.sock", "not a network address"),
        ("http://127.0.0.1", "no port"),
        ("127.0.0.1:80", "no scheme"),
        ("", "nothing"),
        ("http://user@evil.example:80", "another host behind a name"),
    ],
)
def test_refuses_what_is_not_a_loopback_address(url, why):
    addresses = LocalAddresses()
    with pytest.raises(InvalidInput):
        addresses.announce(PLACE, url)
    assert addresses.url_of(PLACE) is None, why


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "https://127.1.2.3:1", "http://[::1]:8080"])
def test_keeps_loopback_addresses_until_they_are_withdrawn(url):
    addresses = LocalAddresses()
    addresses.announce(PLACE, url)
    assert addresses.url_of(PLACE) == url
    assert addresses.ports_of("services", "default", "web") == [80]
    assert addresses.ports_of("pods", "default", "web") == []
    addresses.withdraw(PLACE)
    addresses.withdraw(PLACE)
    assert addresses.url_of(PLACE) is None


def test_drops_what_follows_the_port():
    addresses = LocalAddresses()
    addresses.announce(PLACE, "http://127.0.0.1:8080/admin?x=y")
    assert addresses.url_of(PLACE) == "http://127.0.0.1:8080"


def test_an_address_lasts_as_long_as_its_context():
    addresses = LocalAddresses()
    with addresses.announced(PLACE, "http://127.0.0.1:8080"):
        assert addresses.url_of(PLACE) == "http://127.0.0.1:8080"
    assert addresses.url_of(PLACE) is None
