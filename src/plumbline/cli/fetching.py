"""What an address leads to, that somebody names instead of a file: bounded, and through as few others as can be."""

from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput, Unreachable
from plumbline.kube.client import Connection, Request, Response
from plumbline.kube.client.http import HttpTransport
from plumbline.kube.client.proxies import environment_proxy
from plumbline.kube.client.sources import credentials_of

_DEADLINE_S: Final = 30.0
_HOPS: Final = 5
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_SUCCESS: Final = 200


def _anything(url: str) -> None:
    del url


class Wanted(NamedTuple):
    flag: str
    """By which it was named."""
    limit_bytes: int
    media: str = "*/*"
    check: Callable[[str], None] = _anything
    """Raises for an address that may not be asked; asked for each that the first one leads to."""


def is_address(text: str) -> bool:
    return urlsplit(text).scheme in {"http", "https"}


async def fetched(url: str, wanted: Wanted) -> bytes:
    """Raises Unreachable for what does not answer with it, InvalidInput for what is no address of it."""
    for _ in range(_HOPS):
        reply = await _got(url, wanted)
        if reply.status in _MOVED and (elsewhere := reply.headers.get("location", "")):
            url = urljoin(url, elsewhere)
            continue
        if reply.status == _SUCCESS:
            return reply.body
        raise Unreachable(f"cannot fetch {shown(url)}", why=f"HTTP {reply.status}", hint="Check the address.")
    raise Unreachable(f"cannot fetch {shown(url)}", why=f"it leads elsewhere more than {_HOPS} times")


async def _got(url: str, wanted: Wanted) -> Response:
    server, request = _asked(url, wanted)
    connection = Connection(server=server, source=wanted.flag, proxy=environment_proxy(server, environment()))
    transport = HttpTransport(connection, credentials_of(connection, SystemClock()))
    try:
        return await transport.send(request)
    finally:
        await transport.close()


def _asked(url: str, wanted: Wanted) -> tuple[str, Request]:
    parts = urlsplit(url)
    if parts.username is not None or not parts.hostname or not is_address(url):
        hint = "Write https://HOST/PATH, or name a file."
        raise InvalidInput(f"cannot fetch {shown(url)}", why="it is no address that can be fetched from", hint=hint)
    wanted.check(url)
    request = Request(
        "GET", parts.path or "/", parts.query, (("Accept", wanted.media),),
        deadline_s=_DEADLINE_S, reply_limit_bytes=wanted.limit_bytes,
    )  # fmt: skip
    return f"{parts.scheme}://{parts.netloc}", request


def shown(url: str) -> str:
    """Without a password that may be in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
