"""The one seam of the client: a request goes in, a response comes out.

A real cluster, the embedded API server in the same process and the fault simulator are three transports; nothing above
this line can tell them apart. A transport sends exactly once. It neither repeats, nor follows redirects, nor judges the
answer: all of that is decided above it, in one place, for every transport alike.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

import msgspec

DEADLINE_S = 30.0
OBJECT_BYTES = 16 << 20
"""What one object may weigh on the wire. The API server takes 3 MiB; its own additions fit in the rest."""

Headers = tuple[tuple[str, str], ...]
Guard = Callable[[], None]


class Request(msgspec.Struct, frozen=True):
    method: str
    path: str
    query: str = ""
    """Already percent-encoded, without the question mark."""
    headers: Headers = ()
    body: bytes = b""
    deadline_s: float = DEADLINE_S
    """Until the whole answer is here or, for a stream, until it begins."""
    reply_limit_bytes: int = OBJECT_BYTES
    stream_s: float = 0.0
    """How long a streamed answer may go on; zero asks for a whole one."""
    guard: Guard | None = None
    """Called last thing before the request leaves. What it raises keeps the request from being sent."""

    def __repr__(self) -> str:
        """Without headers and body: both may carry secrets."""
        return f"Request({self.method} {self.path})"


class ByteStream(Protocol):
    def __aiter__(self) -> AsyncIterator[bytes]:
        """Pieces of any size, as they arrive; raises Unreachable where it breaks off and TimedOut past its time."""

    async def close(self) -> None:
        """End it at once. Closing twice is fine."""


class Response(msgspec.Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    """Looked up in lower case; where a header came more than once, its first value."""
    body: bytes = b""
    warnings: tuple[str, ...] = ()
    """Every `Warning` header, as it came."""
    stream: ByteStream | None = None
    """Only where the request asked for one and the status is a success: then `body` is empty."""

    def __repr__(self) -> str:
        return f"Response({self.status}, {len(self.body)} bytes)"


class Transport(Protocol):
    async def send(self, request: Request) -> Response:
        """Send once. Raises Unreachable, TimedOut, GarbledReply, LimitExceeded, or what getting credentials raised."""

    async def close(self) -> None: ...
