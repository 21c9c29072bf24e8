"""What a connection takes from the other side, and what it does not: it is used again only where that is safe."""

import asyncio
import contextlib
import ssl
import tracemalloc
from pathlib import Path

import pytest
import uvloop
from tests.kube.client.conftest import LoopbackServer

from plumbline.base.errors import GarbledReply, InvalidInput, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Connection, Request, Target
from plumbline.kube.client.parts import Proxy, ServerTrust
from plumbline.kube.client.pool import _KEEP_ALIVE_S, Pool
from plumbline.kube.client.wire import Wire
from plumbline.kube.names import GroupVersionResource

PEM = Path(__file__).parent / "pem"
POD = Target(GroupVersionResource("", "v1", "pods"), "a", "web")
BODY = b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web"}}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


async def test_word_that_an_answer_will_come_is_no_answer(server, reach):
    server.raw(b"HTTP/1.1 100 Continue\r\nX: early\r\n\r\n", 0.01, server.reply(BODY, headers=[("X", "late")])).says(
        BODY
    )
    client = await reach(server.url)
    response = await client.send(Request("GET", "/x"))
    assert (response.status, response.headers["x"], response.body) == (200, "late", BODY)
    assert await client.get(POD) == BODY
    assert server.connections == 1


async def test_an_answer_of_unknown_length_ends_with_its_connection(server, reach):
    server.raw(HEAD + b"Connection: close\r\n\r\n" + BODY, then="close").says(BODY)
    client = await reach(server.url)
    assert await client.get(POD) == BODY
    assert await client.get(POD) == BODY
    assert server.connections == 2


async def test_a_server_that_wants_to_close_is_not_asked_again(server, reach):
    server.says(BODY, headers=[("Connection", "close")]).says(BODY)
    client = await reach(server.url)
    for _ in range(2):
        assert await client.get(POD) == BODY
    assert server.connections == 2


@pytest.mark.parametrize("pause", [(), (0.05,)], ids=["at once", "later"])
async def test_an_answer_that_nobody_asked_for_is_nobodys(server, reach, pause):
    forged = server.reply(b'{"kind":"Pod","apiVersion":"v1","metadata":{"name":"forged"}}')
    server.raw(server.reply(BODY), *pause, forged).says(BODY)
    client = await reach(server.url)
    assert await client.get(POD) == BODY
    await asyncio.sleep(0.1)
    assert await client.get(POD) == BODY
    assert server.connections == 2


async def test_endless_talk_around_an_answer_is_cut_off_while_memory_stays_flat(server, reach):
    server.raw(CHUNKED, b"2\r\n{}\r\n0\r\nX: ", *[b"x" * 65536] * 400, then="close")
    client = await reach(server.url)
    tracemalloc.start()
    with pytest.raises((GarbledReply, Unreachable)):
        await client.get(POD)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


async def test_trailers_do_not_change_the_head(server, reach):
    server.raw(CHUNKED, b"2\r\n{}\r\n0\r\nContent-Type: text/html\r\n\r\n")
    response = await (await reach(server.url)).send(Request("GET", "/x"))
    assert (response.headers["content-type"], response.body) == ("application/json", b"{}")


async def test_a_header_that_came_twice_has_its_first_value(server, reach):
    server.says(BODY, headers=[("X", "one"), ("x", "two")])
    assert (await (await reach(server.url)).send(Request("GET", "/x"))).headers["x"] == "one"


@pytest.mark.parametrize("value", ["a\r\nImpersonate-Group: system:masters", "a\nb", "a\0b"])
async def test_nobody_gets_a_second_header_in(server, reach, value):
    server.says(BODY)
    client = await reach(server.url)
    with pytest.raises(InvalidInput, match="more than one line"):
        await client.send(Request("GET", "/x", headers=(("X", value),)))
    assert server.asked == []


@pytest.mark.parametrize(
    ("path", "arrives"),
    [
        ("/a b", "/a%20b"),
        ("/a\r\nHost: elsewhere\r\n\r\n", "/a%0D%0AHost:%20elsewhere%0D%0A%0D%0A"),
        ("/ä", "/%C3%A4"),
        ("/a%2Fb?c", "/a%2Fb?c"),
    ],
)
async def test_a_path_stays_a_path(server, reach, path, arrives):
    server.says(BODY)
    await (await reach(server.url)).send(Request("GET", path))
    assert server.asked[0].target == arrives
    assert server.asked[0].headers["host"] == f"127.0.0.1:{server.port}"


async def test_what_has_no_body_says_so(server, reach):
    server.says(BODY).says(BODY).says(BODY)
    client = await reach(server.url)
    for method in ("GET", "DELETE", "POST"):
        await client.send(Request(method, "/x"))
    assert [asked.headers.get("content-length") for asked in server.asked] == [None, None, "0"]


async def test_a_stream_that_nobody_reads_makes_the_server_wait(server, reach):
    sent = []

    async def pour(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CHUNKED)
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                await writer.drain()
                sent.append(65536)

    listening = await asyncio.start_server(pour, "127.0.0.1", 0)
    client = await reach(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    response = await client.send(Request("GET", "/x", stream_s=30.0))
    stream = response.stream
    await anext(stream)
    before = -1
    while len(sent) != before:  # until no more is taken
        before = len(sent)
        await asyncio.sleep(0.2)
    assert sum(sent) < 32 << 20
    read = 0
    while read < 4 << 20:  # and goes on when it is read
        read += len(await anext(stream))
    assert len(sent) > before
    await stream.close()
    listening.close()


async def test_a_stream_that_ended_leaves_its_connection_to_others(server, reach):
    server.raw(CHUNKED, b"0\r\n\r\n").says(BODY)
    client = await reach(server.url)
    assert [event async for event in client.watch(POD.collection)] == []
    assert await client.get(POD) == BODY
    assert server.connections == 1


async def test_whoever_gives_up_leaves_no_half_answer_to_the_next(server, reach):
    server.raw(HEAD + b"Content-Length: 500\r\n\r\n{", then="hang").says(BODY)
    client = await reach(server.url)
    waiting = asyncio.ensure_future(client.get(POD))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await client.get(POD) == BODY
    assert server.connections == 2


class _Idle:
    """A connection as the pool sees it."""

    def __init__(self):
        self.usable = True
        self.free_since_s = 0.0

    def abort(self):
        self.usable = False


async def test_connections_that_nobody_needs_are_closed(monkeypatch):
    loop = asyncio.get_running_loop()
    later = []

    def call_later(delay_s, call, *args):
        later.append((delay_s, call, args))
        return asyncio.Handle(call, args, loop)

    monkeypatch.setattr(loop, "call_later", call_later, raising=False)
    pool, old, young = Pool(), _Idle(), _Idle()
    pool.give_back(old)
    pool.give_back(young)
    old.free_since_s -= _KEEP_ALIVE_S
    ((delay_s, sweep, args),) = later
    assert delay_s == _KEEP_ALIVE_S
    sweep(*args)
    assert (old.usable, young.usable) == (False, True)
    assert pool.take() is young
    pool.clear()


class Tunnel:
    """A proxy that connects whom it is asked to, with or without TLS of its own."""

    def __init__(self):
        self.asked = []

    async def start(self, context=None):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.asked.append(head)
        host, _, port = head[0].split(" ")[1].rpartition(":")
        inner, outer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_pumped(reader, outer), _pumped(inner, writer), return_exceptions=True)

    async def stop(self):
        self._server.close()


def _context():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM / "server.crt", PEM / "server.key")
    return context


async def _pumped(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
async def test_through_a_tunnel_the_proxy_reads_nothing_but_where_to(secure_server, reach, pem, secure):
    secure_server.says(BODY).says(BODY)
    tunnel = Tunnel()
    await tunnel.start(_context() if secure else None)
    proxy = Proxy(tunnel.url, Plaintext("Basic hunter2"))
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"]), proxy=proxy))
    for _ in range(2):
        assert await client.get(POD) == BODY
    (head,) = tunnel.asked
    assert head[0] == f"CONNECT 127.0.0.1:{secure_server.port} HTTP/1.1"
    assert "Proxy-Authorization: Basic hunter2" in head
    assert all("proxy-authorization" not in asked.headers for asked in secure_server.asked)
    await tunnel.stop()


def test_tls_within_tls_works_on_the_loop_that_controllers_run_on(pem):
    async def through_both():
        server, tunnel = LoopbackServer(), Tunnel()
        await server.start(_context())
        await tunnel.start(_context())
        server.says(BODY)
        connection = Connection(server.url, trust=ServerTrust(pem["ca.crt"]), proxy=Proxy(tunnel.url))
        async with Client.connect(connection, ids=Ids(1)) as client:
            got = await client.get(POD)
        await tunnel.stop()
        await server.stop()
        return got, len(tunnel.asked)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(through_both()) == (BODY, 1)


def test_no_room_is_made_for_each_piece_that_comes():
    """Loops ask who is an `asyncio.Protocol` for no buffer: with TLS they make one of a quarter of a megabyte for each piece."""
    inbox = memoryview(bytearray(16))
    wire = Wire(inbox)
    assert wire.get_buffer(1 << 18) is inbox
    assert not isinstance(wire, asyncio.Protocol)


async def test_a_certificate_behind_a_tunnel_is_checked(secure_server, reach, pem):
    tunnel = Tunnel()
    await tunnel.start()
    trust = ServerTrust(pem["client.crt"])
    client = await reach(Connection(secure_server.url, trust=trust, proxy=Proxy(tunnel.url)))
    with pytest.raises(Unreachable) as caught:
        await client.within(1).get(POD)
    assert "certificate" in caught.value.why
    assert secure_server.asked == []
    await tunnel.stop()
