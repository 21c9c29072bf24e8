"""A request and its answer, as the parts of the web port see them."""

import asyncio
import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from plumbline.base.http.asgi import Message, Receive, body_pieces
from plumbline.base.json import Json, encode

_FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-real-ip")
_MOST_PARAMETERS: Final = 100
BODY_S: Final = 30.0


class Request:
    """Names of headers are in lower case; of headers and parameters that come twice, the last counts."""

    def __init__(self, scope: Message, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        """Decoded: what was written as %2e is a dot."""
        self.raw_path: str = scope.get("raw_path", b"").decode("latin-1") or scope["path"]
        """As it was written: a slash inside of a name, as addresses of repositories have it, is still %2F here."""
        self.headers: Mapping[str, str] = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        client = scope.get("client")
        self.peer: str = client[0] if client else ""
        self._query: bytes = scope["query_string"]
        self._receive = receive
        self.read_whole = False
        """Whether there is nothing left of the body."""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Of the query, in their order; one may come more than once."""
        try:
            pairs = parse_qsl(self._query.decode("latin-1"), keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
        except ValueError:
            return ()
        return tuple(pairs)

    @property
    def query(self) -> Mapping[str, str]:
        return dict(self.parameters)

    def header(self, name: str) -> str:
        return self.headers.get(name, "")

    @property
    def local(self) -> bool:
        """Whether it comes from this machine, and from nobody who passes on what others say."""
        if any(name in self.headers for name in _FORWARDED):
            return False
        try:
            address = ipaddress.ip_address(self.peer)
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback

    async def pieces(self, limit_bytes: int) -> AsyncIterator[bytes]:
        """The body as it comes; raises TooLarge and Left as `body_pieces` does."""
        async for piece in body_pieces(self._receive, self.headers, limit_bytes):
            yield piece
        self.read_whole = True

    async def body(self, limit_bytes: int) -> bytes:
        """All of it; TimeoutError if that takes too long."""
        async with asyncio.timeout(BODY_S):
            return b"".join([piece async for piece in self.pieces(limit_bytes)])


@dataclass(slots=True)
class Response:
    status: int = 200
    body: bytes = b""
    content_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    stream: AsyncGenerator[bytes] | None = field(default=None)
    """Instead of a body: what is sent as it comes."""


def text(status: int, words: str) -> Response:
    return Response(status, words.encode(), "text/plain; charset=utf-8")


def json(status: int, value: Json) -> Response:
    return Response(status, encode(value), "application/json")
