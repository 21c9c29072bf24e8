import base64

import pytest

from plumbline.base.errors import BadKubeconfig
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection, Trust
from plumbline.kube.client.parts import Proxy
from plumbline.kube.client.proxies import environment_proxy

SERVER = "https://api.example:6443"


def connection(proxy):
    config = {
        "current-context": "c",
        "clusters": [{"name": "k", "cluster": {"server": SERVER, "proxy-url": proxy}}],
        "contexts": [{"name": "c", "context": {"cluster": "k"}}],
    }
    return Connection.parse(encode(config), "x", trust=Trust())


def test_a_proxy_is_carried_apart_from_its_password():
    proxy = connection("https://u%40x:p%3Aq@proxy.example:8443/ignored").proxy
    assert proxy == Proxy("https://proxy.example:8443", Plaintext(b"Basic " + base64.b64encode(b"u@x:p:q")))
    assert connection("http://proxy.example").proxy == Proxy("http://proxy.example")


@pytest.mark.parametrize(
    ("url", "why"), [("socks5://u:hunter2@p", "socks5"), ("p:80", "not supported"), ("http://", "no host")]
)
def test_other_proxies_are_refused_clearly(url, why):
    with pytest.raises(BadKubeconfig) as caught:
        connection(url)
    assert why in caught.value.why
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"https_proxy": "p:1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "other, api.example"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "API.example:6443"}, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.example:443"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": "example"}, None),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": ".example"}, None),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": "*.example"}, None),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": ".api.example"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": "ample"}, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": " , "}, "http://p:1"),
    ],
)
def test_the_environment_names_proxies_and_exceptions(variables, expected):
    proxy = environment_proxy(SERVER, variables)
    assert (proxy.url if proxy else None) == expected


@pytest.mark.parametrize(
    ("server", "exceptions", "proxied"),
    [
        ("https://10.1.2.3:6443", "10.0.0.0/8", False),
        ("https://10.1.2.3:6443", "10.1.2.3", False),
        ("https://10.1.2.3:6443", "192.168.0.0/16", True),
        ("https://[fd00::1]:6443", "fd00::/8", False),
        ("https://127.0.0.1:6443", "", False),
        ("https://localhost:6443", "", False),
        ("https://[::1]:6443", "", False),
    ],
)
def test_addresses_are_matched_as_addresses(server, exceptions, proxied):
    found = environment_proxy(server, {"HTTPS_PROXY": "http://p:1", "NO_PROXY": exceptions})
    assert (found is not None) is proxied


def test_a_proxy_of_the_environment_that_cannot_be_used_is_refused():
    with pytest.raises(BadKubeconfig, match="HTTPS_PROXY"):
        environment_proxy(SERVER, {"HTTPS_PROXY": "socks5://p:1"})
