"""What proxies say: believed of those that are listed, and of nobody else."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request
from plumbline.web.session.peers import Peers

PROXY = "10.1.2.3"


def request(peer, **headers):
    named = [
        (name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "cd.example", **headers}.items()
    ]
    return Request({"method": "POST", "path": "/", "headers": named, "query_string": b"", "client": (peer, 1)}, None)


@pytest.mark.parametrize(
    ("peer", "forwarded", "address", "why"),
    [
        ("8.8.8.8", "1.1.1.1", "8.8.8.8", "a stranger says something"),
        (PROXY, "1.1.1.1", "1.1.1.1", "our proxy does"),
        (PROXY, "6.6.6.6, 1.1.1.1", "1.1.1.1", "what a stranger said to our proxy"),
        (PROXY, "1.1.1.1, 10.9.9.9", "1.1.1.1", "two proxies of ours"),
        (PROXY, "nonsense", "unknown", "nonsense"),
        (PROXY, "", PROXY, "nothing said"),
        ("", "1.1.1.1", "unknown", "nobody"),
    ],
)
def test_where_a_request_comes_from(peer, forwarded, address, why):
    assert Peers(["10.0.0.0/8"]).address(request(peer, x_forwarded_for=forwarded)) == address, why


def test_whether_it_came_over_tls():
    peers = Peers([PROXY])
    assert peers.secure(request(PROXY, x_forwarded_proto="https"), ())
    assert not peers.secure(request("8.8.8.8", x_forwarded_proto="https"), ())
    assert peers.secure(request(PROXY, x_forwarded_proto="http, HTTPS"), ())
    assert not peers.secure(request(PROXY, x_forwarded_proto="https, http"), ()), "what a stranger said to our proxy"
    assert not peers.secure(request(PROXY, x_forwarded_proto="http"), ("https://cd.example",))
    assert peers.secure(request("8.8.8.8"), ("https://cd.example",)), "people use an address that says so"
    assert peers.secure(request("8.8.8.8"), ("https://cd.example:443/x",))
    assert not peers.secure(request("8.8.8.8"), ("https://other.example",))


@pytest.mark.parametrize(
    ("headers", "same", "why"),
    [
        ({"origin": "http://cd.example"}, True, "its own page"),
        ({"origin": "https://cd.example:443"}, True, "behind something that speaks TLS"),
        ({"origin": "http://CD.example:80"}, True, "the same in other letters"),
        ({"origin": "https://public.example"}, True, "the address that is configured"),
        ({"origin": "http://public.example"}, False, "but not without TLS"),
        ({"origin": "http://cd.example:8080"}, False, "another port is another origin"),
        ({"origin": "https://evil.example"}, False, "somebody else"),
        ({"origin": "null"}, False, "a page that hides"),
        ({}, False, "nothing said"),
        ({"origin": "ftp://cd.example"}, False, "no page"),
        ({"origin": "http://evil.example", "x_forwarded_host": "evil.example"}, False, "said by a stranger"),
    ],
)
def test_whose_page_has_sent_it(headers, same, why):
    assert Peers().same_origin(request("8.8.8.8", **headers), ("https://public.example",)) is same, why


def test_a_listed_proxy_says_how_it_was_addressed():
    told = request(PROXY, origin="https://shown.example", x_forwarded_host="shown.example")
    assert Peers([PROXY]).same_origin(told, ())


def test_a_list_that_cannot_be_read_is_refused():
    with pytest.raises(InvalidInput):
        Peers(["10.0.0.0/99"])
