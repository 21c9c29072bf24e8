"""Asking a repository's server over HTTP: who is told who we are, how far we follow, and how much we read.

Credentials go to the host that they are for. A redirect elsewhere is followed without them, never from https to http, and
never into a network that only we can reach. Answers are cut at a limit, and what goes wrong is said without addresses
that may carry a signature.
"""

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import urljoin, urlsplit

import msgspec

from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, TimedOut, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.source import https
from plumbline.source.charts.answers import refused
from plumbline.source.reach import OutOfReachError, Reach
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import checked

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

_REDIRECTS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_PIECE_BYTES: Final = 1 << 16
_CONNECT_S: Final = 15.0
_CONTEXTS: Final = 64
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class Origin(NamedTuple):
    scheme: str
    host: str
    port: int

    def vouches_for(self, other: "Origin") -> bool:
        """Whether what may be told to this one may be told to the other: the same, or itself with TLS."""
        upgraded = (self.scheme, self.port, other.scheme, other.port) == ("http", 80, "https", 443)
        return self == other or (upgraded and self.host == other.host)


def origin(url: str) -> Origin:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return Origin(scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(scheme, 0))


class Ask(NamedTuple):
    url: str
    limit_bytes: int
    method: str = "GET"
    headers: Mapping[str, str] = _NO_HEADERS
    authorization: Plaintext | None = None
    """Sent to the host of the address, and to no other."""
    fine: frozenset[int] = frozenset({200})
    """Statuses that are an answer; all others raise."""
    compressed: bool = False
    """Whether it may come compressed. An archive never does: its bytes are what is hashed."""


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class Wire:
    """Lines to servers. TLS settings are made once for each set of them, as reading the system's takes long."""

    def __init__(self, deadline_s: float, quiet_s: float) -> None:
        self._deadline_s = deadline_s
        self._quiet_s = quiet_s
        self._contexts: list[tuple[Repository, ssl.SSLContext]] = []
        self.sent = 0
        """How many requests there were, redirects counted."""

    @asynccontextmanager
    async def line(self, repository: Repository, own_url: str, what: str) -> AsyncIterator["Line"]:
        """For one conversation with the repository whose server is that of *own_url*; *what* fails if it fails."""
        import aiohttp  # noqa: PLC0415 - whoever has no charts need not load it

        own = origin(own_url)
        reach = Reach(own.host)
        limits = aiohttp.ClientTimeout(total=self._deadline_s, sock_connect=_CONNECT_S, sock_read=self._quiet_s)
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=cast("AbstractResolver", reach), limit=8),
            timeout=limits,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"User-Agent": "plumbline"},
        ) as session:
            yield Line(self, _Place(repository, own, what), session, reach)

    async def context(self, repository: Repository) -> ssl.SSLContext:
        trust = Repository(
            url=repository.url,
            insecure=repository.insecure,
            ca_pem=repository.ca_pem,
            credentials=Credentials(
                tls_certificate=repository.credentials.tls_certificate, tls_key=repository.credentials.tls_key
            ),
        )
        wanted = msgspec.structs.replace(trust, url="")
        for known, made in self._contexts:
            if known == wanted:
                return made
        context = await asyncio.to_thread(https.context, trust)
        self._contexts = [*self._contexts, (wanted, context)][-_CONTEXTS:]
        return context


class _Place(NamedTuple):
    repository: Repository
    own: Origin
    what: str


class Line:
    def __init__(self, wire: Wire, place: _Place, session: "aiohttp.ClientSession", reach: Reach) -> None:
        self.repository = place.repository
        self.own = place.own
        self.what = place.what
        self._wire = wire
        self._session = session
        self._reach = reach

    async def ask(self, ask: Ask) -> Reply:
        """The answer, or an error that says whose fault it is."""
        meant, url = origin(checked(ask.url)), ask.url
        for _ in range(_REDIRECTS + 1):
            known = ask.authorization if meant.vouches_for(origin(url)) else None
            reply = await self._sent(ask._replace(url=url, authorization=known))
            if reply.status not in _MOVED or "location" not in reply.headers:
                if reply.status not in ask.fine:
                    raise refused(self.what, reply.status, reply.headers)
                return reply
            url = self._next(url, reply.headers["location"])
        raise GarbledReply(self.what, why=f"it redirects more than {_REDIRECTS} times", hint="Check its address.")

    def _next(self, url: str, location: str) -> str:
        try:
            there = checked(urljoin(url, location))
            towards = origin(there)
        except ValueError as wrong:
            raise GarbledReply(
                self.what, why="it redirects to what is no address", hint="Check its address."
            ) from wrong
        if towards.scheme not in _DEFAULT_PORTS or (origin(url).scheme == "https" and towards.scheme != "https"):
            raise InvalidInput(
                self.what,
                why=f"it redirects from https to {towards.scheme} at {towards.host}",
                hint="Let it redirect to an address with https.",
            )
        return there

    async def _sent(self, ask: Ask) -> Reply:
        import aiohttp  # noqa: PLC0415 - there is a session of its by now
        from yarl import URL  # noqa: PLC0415 - same

        repository, towards = self.repository, origin(ask.url)
        proxy = https.proxy(repository, ask.url)
        headers = {"Accept-Encoding": "gzip" if ask.compressed else "identity", **ask.headers}
        if ask.authorization:
            headers["Authorization"] = ask.authorization.reveal().decode()
        to_proxy = {}
        if proxy and proxy.authorization:
            to_proxy["Proxy-Authorization"] = proxy.authorization.reveal().decode()
        if towards.scheme == "http":
            # Without a tunnel there is one request only, and the proxy reads it.
            headers |= to_proxy
        self._wire.sent += 1
        try:
            if proxy is None:
                await self._reach.check(towards.host)
            async with self._session.request(
                ask.method,
                URL(ask.url, encoded=True),
                headers=headers,
                allow_redirects=False,
                ssl=await self._context(towards) if towards.scheme == "https" else False,
                proxy=proxy.url if proxy else None,
                proxy_headers=to_proxy or None,
            ) as answer:
                return await self._read(ask, answer)
        except TimeoutError:
            raise TimedOut(self.what, why=f"{towards.host} did not answer in time") from None
        except (aiohttp.ClientError, OSError, ValueError) as broken:
            raise self._broken(towards, broken) from None

    async def _context(self, towards: Origin) -> ssl.SSLContext:
        """Our certificate is shown to the repository's own host."""
        shown = self.own.vouches_for(towards) or self.repository.credentials.pass_to_others
        if shown:
            return await self._wire.context(self.repository)
        return await self._wire.context(msgspec.structs.replace(self.repository, credentials=Credentials()))

    async def _read(self, ask: Ask, answer: "aiohttp.ClientResponse") -> Reply:
        headers = {name.lower(): value for name, value in answer.headers.items()}
        wanted = answer.status in ask.fine and ask.method != "HEAD"
        body = await self._body(ask, answer) if wanted else b""
        if wanted and ask.compressed and headers.get("content-encoding", "").lower() == "gzip":
            body = await asyncio.to_thread(self._inflated, body, ask.limit_bytes)
        return Reply(answer.status, headers, body)

    async def _body(self, ask: Ask, answer: "aiohttp.ClientResponse") -> bytes:
        if (answer.content_length or 0) > ask.limit_bytes:
            raise self._too_large(ask.limit_bytes)
        body = bytearray()
        async for piece in answer.content.iter_chunked(_PIECE_BYTES):
            body += piece
            if len(body) > ask.limit_bytes:
                raise self._too_large(ask.limit_bytes)
        return bytes(body)

    def _inflated(self, body: bytes, limit_bytes: int) -> bytes:
        engine = zlib.decompressobj(wbits=31)
        try:
            content = engine.decompress(body, limit_bytes + 1)
        except zlib.error:
            raise GarbledReply(self.what, why="the answer's compression is damaged") from None
        if len(content) > limit_bytes:
            raise self._too_large(limit_bytes)
        if not engine.eof:
            raise GarbledReply(self.what, why="the answer ends in the middle")
        return content

    def _too_large(self, limit_bytes: int) -> LimitExceeded:
        return LimitExceeded(self.what, why=f"the answer has more than {limit_bytes:,} bytes")

    def _broken(self, towards: Origin, broken: Exception) -> Exception:
        import aiohttp  # noqa: PLC0415 - there is a session of its by now

        if isinstance(broken, aiohttp.ClientSSLError | ssl.SSLError):
            hint = "Add its issuer to argocd-tls-certs-cm."
            return Unreachable(self.what, why=f"the certificate of {towards.host} is not trusted", hint=hint)
        if isinstance(broken, OutOfReachError) or isinstance(broken.__cause__, OutOfReachError):
            return InvalidInput(
                self.what,
                why=f"it sends us to {towards.host}, which is in a network that it is not in itself",
                hint="Let it name an address that is reachable from where it stands.",
            )
        if isinstance(broken, aiohttp.ClientPayloadError):
            return GarbledReply(self.what, why="the answer ends in the middle", hint="It is tried again by itself.")
        return Unreachable(self.what, why=f"there is no connection to {towards.host} ({type(broken).__name__})")
