"""Pages of other origins: none may use the API, unless it is listed, and none of them with a cookie."""

import pytest
from tests.base.http.talking import request
from tests.web.inside import Inside
from tests.web.ports import opened
from tests.web.test_port import Part, ok

from plumbline.base.errors import InvalidInput
from plumbline.web import Response
from plumbline.web.cors import Cors

PORTAL = "https://portal.example.org"
EVIL = "https://evil.example"
API = "/api/v1/it"


def part(path=API):
    return Part(ok, path=path)


def allowed(reply):
    return {name: value for name, value in reply.headers.items() if name.startswith("access-control-")}


@pytest.mark.parametrize("origin", [EVIL, PORTAL, "null", "*", ""])
async def test_by_default_no_page_of_anybody_else_reads_an_answer(origin):
    port = Inside(part())
    for method in ("GET", "OPTIONS"):
        reply = await port.ask(method, API, Origin=origin, Access_Control_Request_Method="POST")
        assert allowed(reply) == {}


async def test_a_listed_page_reads_the_api_with_its_own_token():
    async with opened(part(), origins=(PORTAL,)) as port:
        reply = await port.ask("GET", API, Origin=PORTAL)
        assert reply.headers["access-control-allow-origin"] == PORTAL
        assert "access-control-allow-credentials" not in reply.headers
        assert reply.headers["vary"] == "Origin"
        talk = await port.connect()
        await talk.send(request("OPTIONS", API, Origin=PORTAL, Access_Control_Request_Method="PUT"))
        asked = await talk.head()
        assert asked.status == 204
        assert "PUT" in asked.headers["access-control-allow-methods"]
        assert "Authorization" in asked.headers["access-control-allow-headers"]
        wrote = await port.ask("POST", API, b"{}", Origin=PORTAL, Sec_Fetch_Site="cross-site")
        assert wrote.status == 200


async def test_others_do_not_even_where_some_are_listed():
    port = Inside(part(), origins=(PORTAL,))
    for origin in (EVIL, "null", PORTAL + ".evil.example", "http://portal.example.org", PORTAL + ":8443"):
        reply = await port.ask("GET", API, Origin=origin)
        assert allowed(reply) == {}
        assert reply.headers["vary"] == "Origin"
        assert (await port.ask("OPTIONS", API, Origin=origin, Access_Control_Request_Method="PUT")).status == 405
        assert (await port.ask("POST", API, b"{}", Origin=origin)).status == 403


async def test_only_the_api_is_for_other_pages():
    port = Inside(part("/git/it"), origins=(PORTAL,))
    assert allowed(await port.ask("GET", "/git/it", Origin=PORTAL)) == {}
    asked = await port.ask("OPTIONS", "/git/it", Origin=PORTAL, Access_Control_Request_Method="PUT")
    assert asked.status == 405


@pytest.mark.parametrize(
    ("origin", "status", "why"),
    [
        ("http://localhost:8080", 200, "the page itself"),
        ("https://localhost:8080", 200, "the page, behind something that does TLS"),
        ("http://localhost:3000", 403, "another server on this machine"),
        ("http://localhost", 403, "another server on this machine"),
        ("http://127.0.0.1:8080", 403, "another name is another origin"),
        ("http://localhost:8080:1", 403, "nonsense"),
        ("http://localhost:99999", 403, "nonsense"),
        ("localhost:8080", 403, "nonsense"),
    ],
)
async def test_what_listens_on_another_port_is_somebody_else(origin, status, why):
    port = Inside(part())
    reply = await port.ask("POST", API, b"{}", Origin=origin, Host="localhost:8080")
    assert reply.status == status, why


@pytest.mark.parametrize(
    ("origin", "host"), [("https://a.example", "a.example:443"), ("http://a.example:80", "a.example")]
)
async def test_a_port_that_need_not_be_said_may_be_said(origin, host):
    port = Inside(part(), hosts=("a.example",))
    assert (await port.ask("POST", API, b"{}", Origin=origin, Host=host)).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "https://*.example.org",
        "null",
        "portal.example.org",
        "https://portal.example.org/",
        "https://Portal.example.org",
        "javascript://portal",
        "https://user@portal.example.org",
        "https://portal.example.org:x",
        "https://[::1",
        "",
    ],
)
def test_what_is_no_origin_cannot_be_listed(origin):
    with pytest.raises(InvalidInput):
        Cors([origin])


async def test_an_answer_may_set_several_cookies():
    async def serve(_):
        return Response(200, b"", headers=(("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")))

    async with opened(Part(serve)) as port:
        talk = await port.connect()
        await talk.send(b"GET /it HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await talk.reader.readuntil(b"\r\n\r\n")
        assert head.lower().count(b"set-cookie:") == 2
