"""One request passed on to an address on this machine, and its answer passed back as it comes."""

import posixpath
from collections.abc import AsyncGenerator, Iterator
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.webhooks.connections import connection_error

_HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OURS_ALONE: Final = frozenset({"authorization", "content-length", "host"})
_IMPERSONATION: Final = "impersonate-"
_CROSS_ORIGIN: Final = frozenset(
    f"access-control-allow-{name}" for name in ("credentials", "headers", "methods", "origin")
)
_CLIENT: Final = "127.0.0.1"
"""The control plane listens on loopback alone: whoever asks is on this machine."""
_CONNECT_S: Final = 10.0
_SILENT_S: Final = 600.0
_PIECE_BYTES: Final = 1 << 16


class Forwarding(NamedTuple):
    """`path` is what the other side is asked for, at `origin`."""

    call: Call
    origin: str
    path: str

    @property
    def prefix(self) -> str:
        """What the path of the request has before that: the way back to the other side's root."""
        return self.call.path.removesuffix(self.path)


class Forwarder:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def forward(self, forwarding: Forwarding) -> Answer:
        """Raises RequestRefused where nobody answers."""
        call = forwarding.call
        target = f"{forwarding.origin}{quote(forwarding.path, safe=_KEPT) or '/'}"
        session = self._session or self._open()
        try:
            reply = await session.request(
                call.method,
                URL(f"{target}?{call.query}" if call.query else target, encoded=True),
                data=call.body or None,
                headers=CIMultiDict(_sent(forwarding)),
                allow_redirects=False,
                ssl=False,
            )
        except aiohttp.ClientError as broken:
            where = urlsplit(forwarding.origin).netloc
            why = connection_error(broken, where, where)
            raise statuses.failure(503, "ServiceUnavailable", f"error trying to reach service: {why}") from None
        except TimeoutError:
            why = "error trying to reach service: context deadline exceeded"
            raise statuses.failure(503, "ServiceUnavailable", why) from None
        return await _answer(reply, forwarding)

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_SILENT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        )
        return self._session


_KEPT: Final = "/:@!$&'()*+,;=~"


def _sent(forwarding: Forwarding) -> Iterator[tuple[str, str]]:
    headers = forwarding.call.headers
    named = {each.strip().lower() for each in headers.get("connection", "").split(",")}
    for name, value in headers.items():
        if name in _HOP_BY_HOP or name in _OURS_ALONE or name in named or name.startswith(_IMPERSONATION):
            continue
        if name not in ("x-forwarded-for", "x-forwarded-uri"):
            yield name, value
    if "host" in headers:
        yield "Host", headers["host"]
    if "trailers" in headers.get("te", ""):
        yield "Te", "trailers"
    before = headers.get("x-forwarded-for")
    yield "X-Forwarded-For", f"{before}, {_CLIENT}" if before else _CLIENT
    yield "X-Forwarded-Uri", _below(forwarding.prefix, quote(forwarding.path, safe=_KEPT) or "/")


def _below(prefix: str, path: str) -> str:
    joined = posixpath.normpath(f"{prefix}/{path}")
    return f"{joined}/" if path.endswith("/") and not joined.endswith("/") else joined


async def _answer(reply: aiohttp.ClientResponse, forwarding: Forwarding) -> Answer:
    stream = _pieces(reply)
    await anext(stream)  # so that closing it releases the connection, even if nobody ever reads
    headers = tuple(_received(reply, forwarding))
    content_type = reply.headers.get("Content-Type", "")
    return Answer(reply.status, content_type=content_type, headers=headers, stream=stream)


async def _pieces(reply: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
    try:
        yield b""
        async for piece in reply.content.iter_chunked(_PIECE_BYTES):
            yield piece
    finally:
        reply.close()


def _received(reply: aiohttp.ClientResponse, forwarding: Forwarding) -> Iterator[tuple[str, str]]:
    named = {each.strip().lower() for each in reply.headers.get("Connection", "").split(",")}
    for name, value in reply.headers.items():
        low = name.lower()
        if low in _HOP_BY_HOP or low in named or low in _CROSS_ORIGIN or low in ("content-type", "date"):
            continue
        yield name, _rewritten(value, forwarding) if low == "location" else value


def _rewritten(location: str, forwarding: Forwarding) -> str:
    """A redirect within the other side leads through the proxy again; any other stays what it is."""
    try:
        parts = urlsplit(location)
    except ValueError:
        return location
    asked = forwarding.call.headers.get("host", "")
    if parts.netloc not in ("", urlsplit(forwarding.origin).netloc, asked) or not parts.path.startswith("/"):
        return location
    if parts.netloc != asked:
        parts = parts._replace(scheme="", netloc="")
    if not parts.path.startswith(forwarding.prefix):
        parts = parts._replace(path=_below(forwarding.prefix, parts.path))
    return urlunsplit(parts)
