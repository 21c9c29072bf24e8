"""The transport over HTTP, one pool of connections per cluster.

It is imported only where a connection is made. Every limit of what a server can do to us is set here or below: how long it
may take, how much it may send, and that it cannot send us elsewhere.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from plumbline.base.errors import BadKubeconfig, GarbledReply, InvalidInput, TimedOut, Unreachable
from plumbline.kube.client import tls
from plumbline.kube.client.authorities import Authorities
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Credentials, Identity
from plumbline.kube.client.dialling import Dialler
from plumbline.kube.client.gzipped import unpacked
from plumbline.kube.client.parts import ServerTrust
from plumbline.kube.client.pool import Pool
from plumbline.kube.client.replies import Reply
from plumbline.kube.client.transport import Headers, Request, Response
from plumbline.kube.client.turns import Turns
from plumbline.kube.client.wire import Wire

if TYPE_CHECKING:
    import ssl

IN_FLIGHT: Final = 64
_UNAUTHORIZED: Final = 401
_BODILESS: Final = frozenset({"GET", "DELETE"})
_AGENT: Final = ("User-Agent", "plumbline")
_COMPRESSED: Final = ("Accept-Encoding", "gzip")
_IDENTITY: Final = "identity"
_AS_IT_IS: Final = ("Accept-Encoding", _IDENTITY)
"""For streams: a proxy that compresses them gives them away late."""


class HttpTransport:
    def __init__(self, connection: Connection, credentials: Credentials, *, in_flight: int = IN_FLIGHT) -> None:
        self._connection = connection
        self._credentials = credentials
        self._turns = Turns(in_flight)
        self._dialler = Dialler(connection)
        self._pool = Pool()
        self._wires: dict[Wire, ssl.SSLContext | None] = {}
        """Those that somebody uses, and what they were made with: they show that certificate for as long as they last."""
        self._authorities = Authorities(connection.trust, connection.source)
        self._trust = connection.trust
        self._identity: Identity | None = None
        self._context: ssl.SSLContext | None = None
        self._every_request: Headers = (*self._dialler.headers, _AGENT)
        self._headers = self._every_request
        self._closed = False

    async def send(self, request: Request) -> Response:
        if request.stream_s:
            # Streams last: they take no turn, or a hundred watches would stop everything else.
            return await self._send(request)
        if not self._turns.take():
            await self._wait(request)
        try:
            return await self._send(request)
        finally:
            self._turns.give_back()

    async def close(self) -> None:
        """What is asked after this is asked over a connection of its own."""
        self._closed = True
        self._pool.clear()
        for wire in self._wires:
            wire.abort()
        self._wires.clear()
        await asyncio.sleep(0)  # they close once the loop has come round

    async def _wait(self, request: Request) -> None:
        try:
            async with asyncio.timeout(request.deadline_s):
                await self._turns.wait()
        except TimeoutError:
            why = "too many other requests are under way"
            raise TimedOut(f"{request.method} {request.path} was not sent", why=why) from None

    async def _send(self, request: Request) -> Response:
        identity = self._credentials.ready() or await self._credentials.renew(None)
        response = await self._attempt(request, identity)
        if response.status == _UNAUTHORIZED:
            # Turned away before anything was done, so that sending again is safe whatever it was.
            fresh = await self._credentials.renew(identity)
            if fresh is not None:
                response = await self._attempt(request, fresh)
        return response

    async def _attempt(self, request: Request, identity: Identity | None) -> Response:
        trust = self._authorities.now()
        if identity is not self._identity or trust is not self._trust or (self._context is None and self._secure):
            self._become(identity, trust)
        message, context = self._message(request), self._context
        try:
            async with asyncio.timeout(request.deadline_s):
                wire = self._pool.take() or await self._dialled(context, f"{request.method} {request.path} failed")
                self._wires[wire] = context
                reply = await self._exchanged(wire, message, request)
        except TimeoutError:
            why = f"there was no whole answer within {request.deadline_s:g} s"
            raise TimedOut(f"{request.method} {request.path} was given up", why=why) from None
        if reply.streams:
            stream = _Stream(self, wire, reply, request)
            await _check_as_it_is(stream, reply, request)
            return Response(reply.status, reply.headers, b"", reply.warnings, stream)
        return Response(reply.status, reply.headers, await _body(reply, request), reply.warnings)

    async def _dialled(self, context: "ssl.SSLContext | None", what: str) -> Wire:
        try:
            return await self._dialler.dial(context, what)
        except Unreachable:
            self._authorities.doubt()
            raise

    async def _exchanged(self, wire: Wire, message: bytes, request: Request) -> Reply:
        """The answer, whole or begun. What is left behind half done is never used again."""
        try:
            if request.guard is not None:
                request.guard()
            reply = wire.ask(message, request)
            await reply.arrival()
        except BaseException:
            self.release(wire, reusable=wire.usable)
            raise
        if not reply.streams:
            self.release(wire)
        return reply

    def release(self, wire: Wire, *, reusable: bool = True) -> None:
        """Nobody uses it any more."""
        context = self._wires.pop(wire, None)
        if reusable and context is self._context and not self._closed:
            self._pool.give_back(wire)
        else:
            wire.abort()

    @property
    def _secure(self) -> bool:
        return self._connection.server.startswith("https://")

    def _become(self, identity: Identity | None, trust: ServerTrust) -> None:
        """Connections made with another certificate, or another trust, are used no more."""
        certificate = identity.certificate if identity else None
        held = self._identity.certificate if self._identity else None
        if self._secure and (self._context is None or certificate is not held or trust is not self._trust):
            try:
                context = tls.context(trust, certificate, self._connection.source)
            except BadKubeconfig:
                if self._context is None:
                    raise
                return  # one of two files that belong together, or half of one: the rest comes in a moment
            self._context = context
            self._pool.clear()
        self._trust = trust
        self._headers = self._every_request + (identity.headers if identity else ())
        self._identity = identity

    def _encoding(self, request: Request) -> Headers:
        if not self._connection.compress:
            return ()
        return (_AS_IT_IS,) if request.stream_s else (_COMPRESSED,)

    def _message(self, request: Request) -> bytes:
        target = f"{self._dialler.prefix}{request.path}"
        if request.query:
            target = f"{target}?{request.query}"
        if not (target.isascii() and target.isprintable() and " " not in target):
            target = quote(target, safe="%/?&=:@!$'()*+,;~[]#")
        lines = [f"{request.method} {target or '/'} HTTP/1.1"]
        for name, value in (*self._headers, *self._encoding(request), *request.headers):
            line = f"{name}: {value}"
            if any(each in line for each in "\r\n\0"):
                why = f"the header {name[:40]!r} would be more than one line"
                raise InvalidInput(f"{request.method} {request.path} was not sent", why=why)
            lines.append(line)
        if request.body or request.method not in _BODILESS:
            lines.append(f"Content-Length: {len(request.body)}")
        lines.append("\r\n")
        return "\r\n".join(lines).encode() + request.body


class _Stream:
    """The pieces of an answer as they arrive."""

    def __init__(self, transport: HttpTransport, wire: Wire, reply: Reply, request: Request) -> None:
        self._transport = transport
        self._wire: Wire | None = wire
        self._reply = reply
        self._request = request
        self._expiry = asyncio.get_running_loop().call_later(request.stream_s, self._expire)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = await self._reply.next()
        if not piece:
            self._release(reusable=True)
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        self._release(reusable=False)

    def _expire(self) -> None:
        why = f"it has gone on for {self._request.stream_s:g} s, and the server should have ended it before"
        self._reply.fail(TimedOut(f"The stream of {self._request.method} {self._request.path} was given up", why=why))
        self._release(reusable=False)

    def _release(self, *, reusable: bool) -> None:
        self._expiry.cancel()
        wire, self._wire = self._wire, None
        if wire is not None:
            self._transport.release(wire, reusable=reusable)


async def _check_as_it_is(stream: _Stream, reply: Reply, request: Request) -> None:
    encoding = reply.headers.get("content-encoding", _IDENTITY)
    if encoding != _IDENTITY:
        await stream.close()
        raise _encoded(encoding, request)


async def _body(reply: Reply, request: Request) -> bytes:
    body = reply.body()
    encoding = reply.headers.get("content-encoding", _IDENTITY)
    if encoding == _IDENTITY:
        return body
    if encoding != "gzip":
        raise _encoded(encoding, request)
    return await unpacked(body, request.reply_limit_bytes, f"{request.method} {request.path}")


def _encoded(encoding: str, request: Request) -> GarbledReply:
    return GarbledReply(f"{request.method} {request.path} failed", why=f"it is encoded as {encoding[:40]!r}")
