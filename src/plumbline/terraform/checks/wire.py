"""Connections that checks and webhooks make: bounded in time and size, and never to an address that is refused.

An address is looked at when it is connected to, after names have been resolved, so that a name that means something else a
moment later gains nothing. No proxy is used: one would resolve names itself.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urljoin

from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, Refused, TimedOut, Unreachable
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.checks.addresses import HostPort, Policy, web_address

if TYPE_CHECKING:
    import aiohttp

_REDIRECTS: Final = 10
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_REPLY_BYTES: Final = 1 * MIB
_DEFAULT_POLICY: Final = Policy()


class Reply(NamedTuple):
    status: int
    body: bytes


class RefusedHereError(OSError):
    """Told to the machinery that connects, which tries the next address of a name."""


class Wire:
    def __init__(self, policy: Policy = _DEFAULT_POLICY) -> None:
        self._policy = policy

    async def connect(self, place: HostPort, timeout_s: float) -> None:
        """Open a connection and close it. Raises Refused, Unreachable and TimedOut."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._opened(place)
        except TimeoutError:
            raise TimedOut("dial tcp", why="i/o timeout") from None

    async def _opened(self, place: HostPort) -> None:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
        except OSError:
            raise Unreachable("dial tcp", why="no such host", sent=False) from None
        broken: Refused | Unreachable = Unreachable("dial tcp", why="no such host", sent=False)
        for *_, address in found:
            try:
                self._policy.check(str(address[0]))
                _, writer = await asyncio.open_connection(str(address[0]), place.port)
            except Refused as refused:
                broken = refused
            except OSError as failed:
                broken = Unreachable("dial tcp", why=_words(failed), sent=False)
            else:
                writer.close()
                return
        raise broken

    async def get(self, url: str, timeout_s: float) -> int:
        """The status at the end of all redirects. Raises InvalidInput, Refused, Unreachable, TimedOut and GarbledReply."""
        async with self._session(timeout_s) as session:
            for _ in range(_REDIRECTS + 1):
                web_address(url)
                async with session.get(url, allow_redirects=False) as answer:
                    if answer.status not in _MOVED or "location" not in answer.headers:
                        await answer.content.read(_REPLY_BYTES)
                        return answer.status
                    url = urljoin(url, answer.headers["location"])
        raise GarbledReply("Get", why=f"stopped after {_REDIRECTS} redirects", hint="Name where it ends.")

    async def post(self, url: str, body: Plaintext, timeout_s: float, tls: ssl.SSLContext | None = None) -> Reply:
        """JSON, to exactly that address: redirects are an answer like any other. Raises what `get` does."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        async with (
            self._session(timeout_s) as session,
            session.post(url, data=body.reveal(), headers=headers, allow_redirects=False, ssl=tls or True) as answer,
        ):
            content = bytearray()
            async for piece in answer.content.iter_chunked(1 << 16):
                content += piece
                if len(content) > _REPLY_BYTES:
                    raise LimitExceeded("The answer is not read", why=f"it has more than {_REPLY_BYTES:,} bytes")
            return Reply(answer.status, bytes(content))

    @asynccontextmanager
    async def _session(self, timeout_s: float) -> "AsyncIterator[aiohttp.ClientSession]":
        import aiohttp  # noqa: PLC0415 - whoever checks nothing need not load it

        connector = aiohttp.TCPConnector(socket_factory=self._socket, limit=1, force_close=True)
        try:
            async with (
                asyncio.timeout(timeout_s),
                aiohttp.ClientSession(
                    connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers={"User-Agent": "plumbline"}
                ) as session,
            ):
                yield session
        except TimeoutError:
            raise TimedOut("No answer", why="context deadline exceeded") from None
        except aiohttp.ClientError as broken:
            raise _broken(broken) from None
        except ValueError:
            raise InvalidInput("The address cannot be used", why="it is no http or https address") from None

    def _socket(
        self, info: tuple[socket.AddressFamily | int, socket.SocketKind | int, int, str, tuple[object, ...]]
    ) -> socket.socket:
        family, kind, protocol, _, address = info
        try:
            self._policy.check(str(address[0]))
        except Refused as refused:
            raise RefusedHereError(str(refused)) from refused
        return socket.socket(family, kind, protocol)


def _broken(broken: Exception) -> Refused | Unreachable:
    """Without the address, which may hold a secret."""
    inner = getattr(broken, "os_error", None) or getattr(broken, "certificate_error", None) or broken
    if isinstance(inner, RefusedHereError) and isinstance(inner.__cause__, Refused):
        return inner.__cause__
    if isinstance(inner, ssl.SSLError):
        return Unreachable("No answer", why="its certificate is not trusted, or it has none", sent=False)
    return Unreachable("No answer", why=_words(inner))


def _words(broken: Exception) -> str:
    if isinstance(broken, ConnectionRefusedError):
        return "connect: connection refused"
    if isinstance(broken, socket.gaierror):
        return "no such host"
    return f"the connection failed ({type(broken).__name__})"
