"""Connections: where they end, how much is read, and what is refused on the way. Against real sockets of this machine."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, Refused, TimedOut, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.checks import LOOPBACK, Policy, Wire
from plumbline.terraform.checks.addresses import HostPort


class Site:
    def __init__(self):
        self.requests = []
        self.answers = {}
        self.port = 0

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    async def serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")), 0
            )
            body = await reader.readexactly(length)
            path = head.split(" ")[1]
            self.requests.append((path, head, body))
            answer = self.answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            if answer is None:
                await reader.read()
            else:
                writer.write(answer)
                await writer.drain()
        finally:
            writer.close()

    def moved(self, path, location, status=302):
        self.answers[path] = f"HTTP/1.1 {status} Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()

    def says(self, path, body=b"", status=200):
        self.answers[path] = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@asynccontextmanager
async def site():
    found = Site()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    async with server:
        yield found


async def unused_port():
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


async def test_a_port_that_is_open_is_healthy():
    async with site() as there:
        await Wire().connect(HostPort("127.0.0.1", there.port), 5)
        await Wire().connect(HostPort("localhost", there.port), 5)


async def test_a_port_that_is_closed_is_not():
    with pytest.raises(Unreachable) as refused:
        await Wire().connect(HostPort("127.0.0.1", await unused_port()), 5)
    assert str(refused.value) == "dial tcp: connect: connection refused"


@pytest.mark.parametrize("host", ["169.254.169.254", "::ffff:169.254.169.254"])
async def test_metadata_is_never_connected_to(host):
    with pytest.raises(Refused):
        await Wire().connect(HostPort(host, 80), 5)
    url = f"http://[{host}]/" if ":" in host else f"http://{host}/"
    with pytest.raises(Refused):
        await Wire().get(url, 5)
    with pytest.raises(Refused):
        await Wire().post(url, Plaintext("{}"), 5)


async def test_a_name_is_refused_for_what_it_means():
    async with site() as there:
        with pytest.raises(Refused):
            await Wire(Policy(LOOPBACK)).get(f"http://localhost:{there.port}/", 5)
        with pytest.raises(Refused):
            await Wire(Policy(LOOPBACK)).connect(HostPort("localhost", there.port), 5)
        assert there.requests == []


async def test_a_name_that_means_nothing_is_said_so(monkeypatch):
    async def nowhere(*_, **__):
        raise OSError("no")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nowhere, raising=False)
    with pytest.raises(Unreachable) as refused:
        await Wire().connect(HostPort("nowhere.invalid", 80), 5)
    assert refused.value.why == "no such host"


async def test_redirects_are_followed_to_their_end():
    async with site() as there:
        there.moved("/", "/a")
        there.moved("/a", there.url("/b"), 307)
        there.says("/b", b"ok", 202)
        assert await Wire().get(there.url(), 5) == 202
        assert [path for path, *_ in there.requests] == ["/", "/a", "/b"]


async def test_a_redirect_without_a_place_is_an_answer():
    async with site() as there:
        there.says("/", status=304)
        assert await Wire().get(there.url(), 5) == 304


async def test_redirects_that_do_not_end_are_given_up():
    async with site() as there:
        there.moved("/", "/")
        with pytest.raises(GarbledReply) as refused:
            await Wire().get(there.url(), 5)
        assert refused.value.why == "stopped after 10 redirects"
        assert len(there.requests) == 11


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[::ffff:a9fe:a9fe]/"]
)
async def test_a_redirect_to_metadata_is_refused(location):
    async with site() as there:
        there.moved("/", location)
        with pytest.raises(Refused):
            await Wire().get(there.url(), 5)


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1/", "http://["])
async def test_a_redirect_out_of_the_web_is_refused(location):
    async with site() as there:
        there.moved("/", location)
        with pytest.raises(InvalidInput):
            await Wire().get(there.url(), 5)


async def test_an_answer_that_does_not_come_is_waited_for_as_long_as_is_said():
    async with site() as there:
        there.answers["/"] = None
        with pytest.raises(TimedOut):
            await Wire().get(there.url(), 0.05)


async def test_a_connection_that_is_not_taken_is_waited_for_as_long_as_is_said(monkeypatch):
    async def never(*_, **__):
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", never)
    with pytest.raises(TimedOut):
        await Wire().connect(HostPort("127.0.0.1", 1), 0.05)


async def test_what_breaks_is_said_without_the_address():
    with pytest.raises(Unreachable) as refused:
        await Wire().get(f"http://user:canary@127.0.0.1:{await unused_port()}/canary", 5)
    assert str(refused.value) == "No answer: connect: connection refused"
    async with site() as there:
        there.answers["/"] = b"garbage\r\n\r\n"
        with pytest.raises(Unreachable) as garbled:
            await Wire().get(there.url(), 5)
    assert "127.0.0.1" not in str(garbled.value)


async def test_a_post_sends_json_to_exactly_that_address():
    async with site() as there:
        there.says("/hook", b'{"ok":true}')
        reply = await Wire().post(there.url("/hook"), Plaintext('{"a":1}'), 5)
        assert reply == (200, b'{"ok":true}')
        [(_, head, body)] = there.requests
        assert "content-type: application/json" in head.lower()
        assert body == b'{"a":1}'


async def test_a_post_follows_no_redirect():
    async with site() as there:
        there.moved("/", "/elsewhere", 307)
        assert (await Wire().post(there.url(), Plaintext("{}"), 5)).status == 307
        assert len(there.requests) == 1


async def test_a_reply_is_read_up_to_a_limit():
    async with site() as there:
        there.says("/", b"x" * ((1 << 20) + 1))
        with pytest.raises(LimitExceeded):
            await Wire().post(there.url(), Plaintext("{}"), 5)


async def test_a_server_that_speaks_no_tls_is_said_so():
    async def plain(reader, writer):
        await reader.read(5)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        with pytest.raises(Unreachable) as refused:
            await Wire().get(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", 5)
    assert refused.value.why == "its certificate is not trusted, or it has none"


async def test_a_name_that_no_server_has_is_said_so():
    with pytest.raises(Unreachable) as refused:
        await Wire().get("http://nowhere.invalid/", 5)
    assert "nowhere" not in str(refused.value)
