"""The port itself: what it answers to nobody's business, and what it refuses whoever asks."""

import asyncio
import contextlib
from importlib.metadata import version

import pytest
from prometheus_client import CollectorRegistry, Counter
from tests.base.http.talking import request
from tests.web.ports import opened

from plumbline.base.errors import AlreadyExists, NotFound, Throttled, ToolFailed, Unreachable
from plumbline.base.http import protocol
from plumbline.base.log import recorded
from plumbline.web import Health, Metrics, Response, Route, Settings, Web, application, exposed, requests
from plumbline.web.requests import text
from plumbline.web.routes import Routes
from plumbline.web.web import _Protocol

ANYWHERE = "0.0.0.0"  # noqa: S104 - what people do on a cluster


class Part:
    """Answers at `/it` whatever a test wants it to."""

    def __init__(self, serve, methods=("GET", "POST"), path="/it"):
        self.routes = (Route(path, frozenset(methods), serve),)
        self.ended = False

    async def run(self):
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


async def ok(_):
    return text(200, "ok")


def raising(error):
    async def serve(_):
        raise error

    return serve


async def test_what_nobody_answers_is_not_found_in_argos_words():
    async with opened() as port:
        reply = await port.ask("GET", "/api/v1/nothing")
        assert (reply.status, reply.json) == (404, {"error": "Not Found", "code": 5, "message": "Not Found"})


async def test_another_method_is_told_which_there_are():
    async with opened(Part(ok)) as port:
        reply = await port.ask("DELETE", "/it")
        assert (reply.status, reply.json["code"], reply.headers["allow"]) == (405, 12, "GET, POST")


async def test_every_answer_tells_browsers_to_be_careful():
    async with opened(Part(ok)) as port:
        for path in ("/it", "/nothing"):
            headers = (await port.ask("GET", path)).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert headers["cache-control"] == "no-store"
            assert "server" not in headers


async def test_a_part_may_say_otherwise():
    async def serve(_):
        return Response(200, b"x", headers=(("Cache-Control", "max-age=1"),))

    async with opened(Part(serve)) as port:
        assert (await port.ask("GET", "/it")).headers["cache-control"] == "max-age=1"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFound("no"), 404, 5),
        (AlreadyExists("yes"), 409, 6),
        (Throttled("slow", after_s=0.2), 429, 8),
        (Unreachable("gone"), 503, 14),
        (ToolFailed("broken"), 500, 13),
        (ValueError("a bug with /a/path in it"), 500, 13),
        (TimeoutError(), 408, 4),
    ],
)
async def test_what_goes_wrong_is_answered_and_the_port_goes_on(error, status, code):
    with recorded():
        async with opened(Part(raising(error)), Health({})) as port:
            reply = await port.ask("GET", "/it")
            assert (reply.status, reply.json["code"]) == (status, code)
            assert "/a/path" not in reply.json["message"]
            assert reply.headers.get("retry-after") == ("1" if status == 429 else None)
            assert (await port.ask("GET", "/healthz")).status == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:1", 200),
        ("localhost", 200),
        ("LocalHost.:80", 200),
        ("[::1]:8080", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("[::1", 403),
        ("", 403),
        ("extra.example:8080", 200),
    ],
)
async def test_on_loopback_it_answers_to_names_of_loopback_only(host, status):
    async with opened(Part(ok), hosts=("Extra.example",)) as port:
        assert (await port.ask("GET", "/it", Host=host)).status == status


async def test_elsewhere_it_answers_to_every_name_unless_some_are_given():
    async with opened(Part(ok), host=ANYWHERE) as port:
        assert (await port.ask("GET", "/it", Host="any.example")).status == 200
    async with opened(Part(ok), host=ANYWHERE, hosts=("one.example",)) as port:
        assert (await port.ask("GET", "/it", Host="any.example")).status == 403


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        ({}, 200, "no browser at all"),
        ({"Origin": "http://localhost"}, 200, "its own page"),
        ({"Origin": "https://evil.example"}, 403, "a page of somebody else"),
        ({"Origin": "null"}, 403, "a page that hides where it is from"),
        ({"Sec_Fetch_Site": "cross-site"}, 403, "a browser that says so"),
        ({"Sec_Fetch_Site": "same-origin"}, 200, "a browser that says otherwise"),
    ],
)
async def test_pages_of_others_cannot_make_a_browser_write(headers, status, why):
    async with opened(Part(ok)) as port:
        assert (await port.ask("POST", "/it", **headers)).status == status, why
        assert (await port.ask("GET", "/it", **headers)).status == 200


async def test_the_longest_route_answers():
    async def other(_):
        return text(200, "other")

    async with opened(Part(ok, path="/a/"), Part(other, path="/a/b/"), Part(other, path="/a/exact")) as port:
        told = {path: (await port.ask("GET", path)).body for path in ("/a/", "/a/x", "/a/b/c", "/a/exact", "/a/exact/")}
    assert told == {"/a/": b"ok", "/a/x": b"ok", "/a/b/c": b"other", "/a/exact": b"other", "/a/exact/": b"ok"}


def test_two_parts_cannot_answer_the_same():
    with pytest.raises(ValueError, match="two parts"):
        Routes([Route("/a", frozenset(), ok), Route("/a", frozenset(), ok)])


async def test_a_port_that_is_taken_is_said_so():
    async with opened() as port:
        with pytest.raises(AlreadyExists):
            async with Web(Settings(port=port.web.port), []).running():
                pass


async def test_parts_end_with_the_port():
    part = Part(ok)
    async with opened(part) as port:
        assert port.web.url == f"http://127.0.0.1:{port.web.port}"
        assert (await port.ask("GET", "/it")).status == 200
        assert not part.ended
    assert part.ended


@pytest.mark.parametrize(("host", "shown"), [("::1", "[::1]"), ("localhost", "localhost")])
async def test_it_listens_on_loopback_by_its_other_names_as_well(host, shown):
    web = Web(Settings(host=host, port=0), [Part(ok)])
    assert web._application._hosts == {"localhost", "127.0.0.1", "::1"}
    async with web.running():
        assert web.url == f"http://{shown}:{web.port}"


async def test_a_head_that_is_too_large_ends_the_connection():
    async with opened(Part(ok)) as port:
        talk = await port.connect()
        with contextlib.suppress(ConnectionError):
            await talk.send(b"GET /it HTTP/1.1\r\nX: " + b"y" * 100_000)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            assert (await talk.head()).status == 431
        assert (await port.ask("GET", "/it")).status == 200


async def test_heads_that_trickle_in_come_to_nothing(monkeypatch):
    monkeypatch.setattr(protocol, "HEAD_S", 0.05)
    async with opened(Part(ok)) as port:
        talk = await port.connect()
        await talk.send(b"GET ")
        assert await talk.ended()


async def test_there_are_only_so_many_connections(monkeypatch):
    monkeypatch.setattr(_Protocol, "most_connections", 2)
    async with opened(Part(ok)) as port:
        first, second = await port.connect(), await port.connect()
        assert (await first.ask("GET", "/it")).status == 200
        assert (await second.ask("GET", "/it")).status == 200
        assert await (await port.connect()).ended()
        first.close()
        await asyncio.sleep(0.05)
        assert (await port.ask("GET", "/it")).status == 200


async def test_a_body_that_nobody_read_ends_the_connection():
    async with opened(Part(ok)) as port:
        talk = await port.connect()
        reply = await talk.ask("POST", "/it", b"x" * 10)
        assert reply.headers["connection"] == "close"
        assert await talk.ended()


async def test_bodies_are_read_within_bounds(monkeypatch):
    async def serve(asked):
        return text(200, str(len(await asked.body(100))))

    monkeypatch.setattr(requests, "BODY_S", 0.1)
    async with opened(Part(serve)) as port:
        assert (await port.ask("POST", "/it", b"x" * 100)).body == b"100"
        assert (await port.ask("POST", "/it", b"x" * 101)).status == 413
        talk = await port.connect()
        await talk.send(request("POST", "/it", b"x", Content_Length="50"))
        assert (await talk.reply()).status == 408
        talk = await port.connect()
        await talk.send(request("POST", "/it", b"x", Content_Length="50"))
        talk.vanish()
        assert (await port.ask("POST", "/it", b"x")).status == 200


def streaming(pieces, left):
    async def stream():
        try:
            for piece in pieces:
                yield piece
            await asyncio.Event().wait()
        finally:
            left.set()

    async def serve(_):
        return Response(200, stream=stream())

    return serve


async def test_a_stream_ends_with_whoever_listens():
    left = asyncio.Event()
    async with opened(Part(streaming([b"one"], left))) as port:
        talk = await port.connect()
        await talk.send(request("GET", "/it"))
        assert (await talk.head()).headers["transfer-encoding"] == "chunked"
        talk.vanish()
        await left.wait()


async def test_a_stream_ends_whole_with_the_port():
    left = asyncio.Event()
    async with opened(Part(streaming([b"one"], left))) as port:
        talk = await port.connect()
        await talk.send(request("GET", "/it"))
        await talk.head()
        pieces = talk.pieces()
        assert await anext(pieces) == b"one"
        port.talks.clear()
    assert left.is_set()
    assert [piece async for piece in pieces] == []
    talk.vanish()


async def test_a_stream_that_fails_does_not_look_complete():
    async def stream():
        yield b"one"
        raise ToolFailed("broken")

    async def serve(_):
        return Response(200, stream=stream())

    with recorded() as lines:
        async with opened(Part(serve)) as port:
            talk = await port.connect()
            await talk.send(request("GET", "/it"))
            await talk.head()
            with pytest.raises((asyncio.IncompleteReadError, ValueError)):
                [piece async for piece in talk.pieces()]
    assert any(line["event"] == "answer broken off" for line in lines)


async def test_whoever_does_not_take_what_is_sent_is_given_up(monkeypatch):
    monkeypatch.setattr(application, "STALLED_S", 0.05)
    left = asyncio.Event()
    with recorded():
        async with opened(Part(streaming([b"x" * (1 << 20)] * 64, left))) as port:
            talk = await port.connect()
            await talk.send(request("GET", "/it"))
            await left.wait()


async def test_health_is_ok_as_long_as_somebody_answers():
    async def ill():
        raise RuntimeError("the reason is not for everybody")

    async def well():
        pass

    async def stuck():
        await asyncio.Event().wait()

    with recorded() as lines:
        async with opened(Health({"storage": ill, "git": well})) as port:
            reply = await port.ask("GET", "/healthz")
            assert (reply.status, reply.body) == (200, b"ok")
            assert (await port.ask("HEAD", "/healthz")).status == 200
            reply = await port.ask("GET", "/healthz?full=true")
            assert (reply.status, reply.body) == (503, b"not ok: storage")
    assert [line["check"] for line in lines if line["event"] == "check failed"] == ["storage"]
    async with opened(Health({"git": well})) as port:
        assert (await port.ask("GET", "/healthz?full=true")).body == b"ok"


async def test_metrics_are_what_is_counted():
    registry = CollectorRegistry()
    Counter("pushes", "Pushes", registry=registry).inc(3)
    async with opened(Metrics(exposed(registry))) as port:
        reply = await port.ask("GET", "/metrics")
        assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert b"pushes_total 3.0" in reply.body
        assert f'argocd_info{{version="v{version("plumbline")}"}} 1.0'.encode() in reply.body


def scope(**changes):
    return {"method": "GET", "path": "/", "headers": [], "query_string": b"", "client": ("127.0.0.1", 1), **changes}


@pytest.mark.parametrize(
    ("changes", "local"),
    [
        ({}, True),
        ({"client": ("::1", 1)}, True),
        ({"client": ("::ffff:127.0.0.1", 1)}, True),
        ({"client": ("10.0.0.1", 1)}, False),
        ({"client": None}, False),
        ({"client": ("a socket", 0)}, False),
        ({"headers": [(b"x-forwarded-for", b"10.0.0.1")]}, False),
        ({"headers": [(b"via", b"1.1 proxy")]}, False),
    ],
)
def test_a_request_is_local_only_if_nobody_passed_it_on(changes, local):
    assert requests.Request(scope(**changes), None).local is local


def test_a_query_with_too_many_parameters_has_none():
    assert requests.Request(scope(query_string=b"a=1&" * 1000), None).query == {}
    assert requests.Request(scope(query_string=b"a=1&a=2&b"), None).query == {"a": "2", "b": ""}


async def test_only_http_is_spoken():
    await application.Application(Routes([]), None)({"type": "lifespan"}, None, None)
