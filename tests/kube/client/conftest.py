"""Two stand-ins for a server, both scripted and without any meaning of their own.

`scripted` is a transport: it answers requests from a list. `server` is a real socket on loopback that says exactly the
bytes it is told to, for everything that can go wrong below the client.
"""

import asyncio
import ssl
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.kube.client import Client, Connection, Response
from plumbline.kube.client.calls import Caller

PEM = Path(__file__).parent / "pem"


class Pieces:
    """A stream of given pieces; an exception among them is raised, None hangs for ever."""

    def __init__(self, pieces):
        self._pieces = deque(pieces)
        self.closed = False

    @property
    def left(self):
        """How many pieces nobody has asked for."""
        return len(self._pieces)

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self._pieces:
            raise StopAsyncIteration
        piece = self._pieces.popleft()
        if piece is None:
            await asyncio.Event().wait()
        if isinstance(piece, Exception):
            raise piece
        return piece

    async def close(self):
        self.closed = True


class ScriptedTransport:
    """Answers one request after the other from its script, and keeps what it was asked."""

    def __init__(self):
        self.script = deque()
        self.requests = []
        self.streams = []

    def says(self, body=b"{}", status=200, *, warnings=(), **headers):
        body = body if isinstance(body, bytes) else encode(body)
        named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
        self.script.append(Response(status, named, body, tuple(warnings)))
        return self

    def fails(self, error):
        self.script.append(error)
        return self

    def streams_out(self, *pieces):
        stream = Pieces(
            [piece if isinstance(piece, bytes | Exception | None) else encode(piece) + b"\n" for piece in pieces]
        )
        self.streams.append(stream)
        self.script.append(Response(200, {}, stream=stream))
        return self

    async def send(self, request):
        self.requests.append(request)
        assert self.script, f"nothing was scripted for {request.method} {request.path}?{request.query}"
        answer = self.script.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self):
        pass


@pytest.fixture
def scripted():
    return ScriptedTransport()


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def caller(scripted, clock):
    return Caller(scripted, clock, Ids(1))


@pytest.fixture
def client(scripted, clock):
    return Client(scripted, clock=clock, ids=Ids(1))


class Asked(NamedTuple):
    method: str
    target: str
    headers: dict
    body: bytes
    connection: int


@dataclass
class Act:
    """What the server does on one request: bytes and pauses to send, then whether to hang up."""

    pieces: tuple
    then: str = "keep"


class LoopbackServer:
    def __init__(self):
        self.script = deque()
        self.always = None
        self.asked = []
        self.connections = 0
        self.port = 0
        self.scheme = "http"
        self._server = None
        self._writers = []

    async def start(self, context=None):
        self.scheme = "https" if context else "http"
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self):
        if self._server is None:
            return
        self._server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.sleep(0)

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def says(self, body=b"{}", status=200, *, headers=(), then="keep"):
        body = body if isinstance(body, bytes) else encode(body)
        return self.raw(self.reply(body, status, headers=headers), then=then)

    @staticmethod
    def reply(body, status=200, *, headers=()):
        fields = {"Content-Length": len(body), "Content-Type": "application/json"}.items()
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in (*fields, *headers)), "", ""]
        return "\r\n".join(lines).encode() + body

    def raw(self, *pieces, then="keep"):
        """Bytes as they are; a number is a pause in seconds; *then* is keep, close or hang."""
        self.script.append(Act(pieces, then))
        return self

    async def _serve(self, reader, writer):
        self.connections += 1
        number = self.connections
        self._writers.append(writer)
        try:
            while await self._answer(reader, writer, number):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader, writer, number):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ")
        pairs = [line.split(": ", 1) for line in head[1:] if line]
        headers = {}
        for name, value in pairs:
            headers[name.lower()] = f"{headers[name.lower()]}, {value}" if name.lower() in headers else value
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.asked.append(Asked(method, target, headers, body, number))
        act = self.script.popleft() if self.script else self.always
        if act is None:
            return False
        for piece in act.pieces:
            if isinstance(piece, bytes):
                writer.write(piece)
                await writer.drain()
            else:
                await asyncio.sleep(piece)
        if act.then == "hang":
            await asyncio.Event().wait()
        return act.then == "keep"


@pytest.fixture
async def server():
    made = LoopbackServer()
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def secure_server():
    """The same over TLS, with a certificate of our own authority; it wants one from the client too, if it has one."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM / "server.crt", PEM / "server.key")
    context.load_verify_locations(PEM / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    made = LoopbackServer()
    await made.start(context)
    yield made
    await made.stop()


@pytest.fixture
def pem():
    return {path.stem + path.suffix: path.read_bytes() for path in PEM.iterdir()}


@pytest.fixture
async def reach():
    """Clients for given connections or addresses, closed at the end."""
    opened = []

    async def reach(where, **options):
        connection = where if isinstance(where, Connection) else Connection(where, source="a test")
        manager = Client.connect(connection, ids=Ids(1), **options)
        opened.append(manager)
        return await manager.__aenter__()

    yield reach
    for manager in opened:
        await manager.__aexit__(None, None, None)
