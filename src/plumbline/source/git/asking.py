"""Asking the server of a repository over HTTP beside git: who is told who we are, and how far we follow."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from urllib.parse import urljoin, urlsplit

from plumbline.base.errors import GarbledReply, InvalidInput, TimedOut, Unreachable
from plumbline.source.reach import OutOfReachError, Reach
from plumbline.source.repository import Repository
from plumbline.source.urls import checked, host_of

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

_REDIRECTS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


class Client(NamedTuple):
    session: "aiohttp.ClientSession"
    options: dict[str, Any]
    what: str
    reach: Reach

    @asynccontextmanager
    async def asked(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> "AsyncIterator[aiohttp.ClientResponse]":
        """The answer, after redirects. Who we are is said to nobody else, and none leads to where only we get."""
        said = dict(headers)
        for _ in range(_REDIRECTS + 1):
            towards = urlsplit(checked(url))
            if "proxy" not in self.options:
                await self.reach.check(towards.hostname or "")
            request = self.session.request(method, url, data=body, headers=said, allow_redirects=False, **self.options)
            async with request as response:
                if response.status not in _MOVED or "Location" not in response.headers:
                    yield response
                    return
                url = urljoin(url, response.headers["Location"])
            if urlsplit(url)[:2] != towards[:2]:
                said.pop("Authorization", None)
        raise GarbledReply(self.what, why=f"it redirects more than {_REDIRECTS} times")


@asynccontextmanager
async def opened(
    repository: Repository, base: str, what: str, *, total_s: float, quiet_s: float
) -> AsyncIterator[Client]:
    """For one conversation with the server of *base*; *what* fails if it fails."""
    import aiohttp  # noqa: PLC0415 - few repositories need it

    limits = aiohttp.ClientTimeout(total=total_s, sock_connect=quiet_s, sock_read=quiet_s)
    try:
        options, reach = await asyncio.to_thread(_options, repository, base), Reach(host_of(base))
        # A proxy gets where we do not, and is asked for by a name that is nobody's business but ours.
        resolver = None if "proxy" in options else cast("AbstractResolver", reach)
        connector = aiohttp.TCPConnector(resolver=resolver)
        async with aiohttp.ClientSession(timeout=limits, connector=connector) as session:
            yield Client(session, options, what, reach)
    except TimeoutError as late:
        raise TimedOut(what, why="it did not come in time") from late
    except (aiohttp.ClientError, OutOfReachError) as broken:
        away = broken if isinstance(broken, OutOfReachError) else broken.__cause__
        if isinstance(away, OutOfReachError):
            raise InvalidInput(what, why=f"its server sends us away: {away}") from broken
        raise Unreachable(what, why=str(broken)) from broken


def _options(repository: Repository, base: str) -> dict[str, Any]:
    """How its server is reached; for where it sends us that is the same. Blocks while certificates are read."""
    from plumbline.source import https  # noqa: PLC0415 - it brings the HTTP client along

    proxy = https.proxy(repository, base)
    options: dict[str, Any] = {"ssl": https.context(repository)}
    if proxy is not None:
        options["proxy"] = proxy.url
        if proxy.authorization:
            options["proxy_headers"] = {"Proxy-Authorization": proxy.authorization.reveal().decode()}
    return options
