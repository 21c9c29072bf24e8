"""The transport over HTTP: aiohttp, one pool of connections per cluster.

It is imported only where a connection is made. Every limit of what a server can do to us is set here: how long it may
take, how much it may send, and that it cannot send us elsewhere.
"""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from plumbline.base.errors import GarbledReply, LimitExceeded, PlumblineError, TimedOut, Unreachable
from plumbline.kube.client import tls
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Credentials, Identity
from plumbline.kube.client.gzipped import unpacked
from plumbline.kube.client.sockets import patient_socket
from plumbline.kube.client.transport import Headers, Request, Response
from plumbline.kube.client.turns import Turns

if TYPE_CHECKING:
    import ssl

IN_FLIGHT = 64
_KEEP_ALIVE_S = 30.0  # well below the 90 s after which API servers hang up: who closes first must be us
_CONNECT_S = 10.0
_LARGE_BODY_BYTES = 1 << 20  # aiohttp wants larger ones as files
_BUFFER_BYTES = 1 << 18
_UNAUTHORIZED = 401
_SUCCESS = range(200, 300)
_NO_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S)
# What a guard allowed must leave soon: leaders stop acting five seconds before others may begin.
_PROMPT = aiohttp.ClientTimeout(total=None, connect=3.0, sock_connect=3.0)
_AGENT = "plumbline"


class HttpTransport:
    def __init__(self, connection: Connection, credentials: Credentials, *, in_flight: int = IN_FLIGHT) -> None:
        self._connection = connection
        self._credentials = credentials
        self._turns = Turns(in_flight)
        self._session: aiohttp.ClientSession | None = None
        self._identity: Identity | None = None
        self._headers: Headers = ()
        self._context: ssl.SSLContext | bool = True
        proxy = connection.proxy
        secret = proxy.authorization if proxy else None
        to_proxy = (("Proxy-Authorization", secret.reveal().decode()),) if secret else ()
        # Through a tunnel the proxy sees only what opens it; without TLS it sees every request.
        tunnelled = connection.server.startswith("https://")
        self._proxy_headers = dict(to_proxy) if tunnelled else None
        self._every_request: Headers = () if tunnelled else to_proxy

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
        if self._session is not None:
            await self._session.close()
            self._session = None

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
        session = self._session or self._open()
        if identity is not self._identity:
            self._become(identity)
        url = f"{self._connection.server}{request.path}"
        if request.guard is not None:
            request.guard()
        try:
            async with asyncio.timeout(request.deadline_s):
                reply = await session.request(
                    request.method,
                    URL(f"{url}?{request.query}" if request.query else url, encoded=True),
                    data=_payload(request.body),
                    headers=CIMultiDict(self._headers + request.headers),
                    allow_redirects=False,
                    ssl=self._context,
                    server_hostname=self._connection.trust.server_name or None,
                    proxy_headers=self._proxy_headers,
                    middlewares=() if request.method == "PATCH" else (_once,),
                    timeout=_PROMPT if request.guard else _NO_TIMEOUT,
                )
                if request.stream_s and reply.status in _SUCCESS:
                    return _response(reply, stream=_Stream(reply, request))
                return _response(reply, body=await _body(reply, request))
        except aiohttp.ClientError as broken:
            raise _failure(broken, request, self._connection) from None
        except TimeoutError:
            why = f"there was no whole answer within {request.deadline_s:g} s"
            raise TimedOut(f"{request.method} {request.path} was given up", why=why) from None

    def _become(self, identity: Identity | None) -> None:
        """Connections made with another certificate stay apart: aiohttp pools them by context."""
        secure = self._connection.server.startswith("https://")
        certificate = identity.certificate if identity else None
        held = self._identity.certificate if self._identity else None
        if secure and (self._context is True or certificate is not held):
            self._context = tls.context(self._connection.trust, certificate, self._connection.source)
        self._headers = self._every_request + (identity.headers if identity else ())
        self._identity = identity

    def _open(self) -> aiohttp.ClientSession:
        proxy = self._connection.proxy
        if self._connection.server.startswith("https://") and self._context is True:
            self._context = tls.context(self._connection.trust, None, self._connection.source)
        connector = aiohttp.TCPConnector(
            limit=0,  # `Turns` counts, and streams do not
            keepalive_timeout=_KEEP_ALIVE_S,
            socket_factory=patient_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            timeout=_NO_TIMEOUT,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            read_bufsize=_BUFFER_BYTES,
            headers={"User-Agent": _AGENT, **({"Accept-Encoding": "gzip"} if self._connection.compress else {})},
            skip_auto_headers=("Accept-Encoding", "Content-Type"),
            proxy=proxy.url if proxy else None,
        )
        return self._session


class _Stream:
    """The pieces of an answer as they arrive."""

    def __init__(self, reply: aiohttp.ClientResponse, request: Request) -> None:
        self._reply = reply
        self._request = request
        self._until_s = asyncio.get_running_loop().time() + request.stream_s

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            async with asyncio.timeout_at(self._until_s):
                piece = await self._reply.content.readany()
        except aiohttp.ClientError as broken:
            raise Unreachable(f"{self._what} broke off", why=_words(broken)) from None
        except TimeoutError:
            self._abandon()
            why = f"it has gone on for {self._request.stream_s:g} s, and the server should have ended it before"
            raise TimedOut(f"{self._what} was given up", why=why) from None
        if not piece:
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        self._abandon()

    def _abandon(self) -> None:
        """Drop the connection. A farewell by TLS would wait for a server that may have nothing to say for hours."""
        connection = self._reply.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()
        self._reply.close()

    @property
    def _what(self) -> str:
        return f"The stream of {self._request.method} {self._request.path}"


async def _once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keep aiohttp from repeating PUT and DELETE by itself: what may be repeated is decided in `retries`."""
    try:
        return await handler(request)
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as broken:
        raise Unreachable(f"{request.method} {request.url.raw_path} broke off", why=_words(broken)) from None


def _payload(body: bytes) -> bytes | io.BytesIO | None:
    if len(body) > _LARGE_BODY_BYTES:
        return io.BytesIO(body)
    return body or None


def _response(reply: aiohttp.ClientResponse, *, body: bytes = b"", stream: _Stream | None = None) -> Response:
    headers = reply.headers
    warnings = tuple(headers.getall("Warning")) if "Warning" in headers else ()
    return Response(reply.status, headers, body, warnings, stream)


async def _body(reply: aiohttp.ClientResponse, request: Request) -> bytes:
    limit = request.reply_limit_bytes
    encoding = reply.headers.get("Content-Encoding", "identity")
    length = reply.content_length
    try:
        body = await (reply.read() if length is not None and length <= limit else _bounded(reply, request, limit))
    except BaseException:
        reply.close()
        raise
    if encoding == "identity":
        return body
    if encoding != "gzip":
        raise GarbledReply(f"{request.method} {request.path} failed", why=f"it is encoded as {encoding[:40]!r}")
    return await unpacked(body, limit, f"{request.method} {request.path}")


async def _bounded(reply: aiohttp.ClientResponse, request: Request, limit: int) -> bytes:
    """What comes in chunks, or is announced to be too much: nothing beyond the limit is kept."""
    pieces: list[bytes] = []
    size = reply.content_length or 0
    if size <= limit:
        size = 0
        async for piece in reply.content.iter_any():
            size += len(piece)
            if size > limit:
                break
            pieces.append(piece)
    if size > limit:
        why = f"the limit is {limit} bytes"
        raise LimitExceeded(f"The answer to {request.method} {request.path} is too large", why=why)
    reply.release()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _failure(broken: aiohttp.ClientError, request: Request, connection: Connection) -> PlumblineError:
    """What went wrong below HTTP, or in it, as one of ours."""
    what = f"{request.method} {request.path} failed"
    where = connection.server
    match broken:
        case aiohttp.ClientHttpProxyError(status=status):
            return Unreachable(what, sent=False, why=f"the proxy refused to connect to {where} (HTTP {status})")
        case aiohttp.ClientConnectorCertificateError():
            why = f"the certificate of {where} is not to be trusted: {_words(broken.certificate_error)}"
            hint = "Check certificate-authority-data and tls-server-name in the kubeconfig."
            return Unreachable(what, sent=False, why=why, hint=hint)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return Unreachable(what, sent=False, why=f"no connection to {where}: {_words(broken)}")
        case aiohttp.ClientResponseError():
            return GarbledReply(what, why="the answer is not HTTP")
        case aiohttp.ClientPayloadError():
            return Unreachable(what, why="the answer broke off in the middle")
    return Unreachable(what, why=_words(broken))


def _words(broken: BaseException) -> str:
    cause = getattr(broken, "os_error", None) or broken
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
