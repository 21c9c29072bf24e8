"""An answer as it arrives: first its head, then its body, whole or in pieces. No more of it is kept than was asked for."""

import asyncio
from collections.abc import Callable, Mapping

from plumbline.base.errors import GarbledReply, LimitExceeded, PlumblineError, Unreachable
from plumbline.kube.client.transport import Request

_SUCCESS = range(200, 300)
_HEAD_BYTES = 16 << 10
_HELD_BYTES = 1 << 18
"""What of a stream may wait for whoever reads it, before the server is made to wait too."""


class Reply:
    """The answer to one request."""

    __slots__ = (
        "_arrived",
        "_head_bytes",
        "_held",
        "_hold",
        "_limit",
        "_pieces",
        "_raw",
        "_request",
        "_size",
        "_sized",
        "_waiting",
        "failure",
        "headers",
        "over",
        "status",
        "streams",
        "warnings",
    )

    def __init__(self, request: Request, hold: Callable[[bool], None]) -> None:
        """*hold* is told when nothing more is to be read for a while, and when it is again."""
        self._request = request
        self._hold = hold
        self._limit = request.reply_limit_bytes
        self._raw: list[tuple[bytes, bytes]] = []
        self._head_bytes = 0
        self._pieces: list[bytes] = []
        self._size = 0
        self._held = False
        self._sized = False
        self._waiting: asyncio.Future[None] | None = None
        self._arrived: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.warnings: tuple[str, ...] = ()
        self.streams = False
        self.over = False
        self.failure: PlumblineError | None = None

    async def arrival(self) -> None:
        """Until it is whole or, where it is a stream, until it begins. Raises what went wrong."""
        await self._arrived
        if self.failure is not None:
            raise self.failure

    def add_header(self, name: bytes, value: bytes) -> None:
        if self.status:
            return  # a trailer: nobody has asked for one
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > _HEAD_BYTES:
            self.fail(self.garbled("its head is too large"))
        else:
            self._raw.append((name, value))

    def begin(self, status: int) -> None:
        """The head is complete."""
        if status < _SUCCESS.start:
            self._raw.clear()  # only word that an answer will come
            return
        self.status = status
        headers: dict[str, str] = {}
        for name, value in self._raw:
            headers.setdefault(name.decode("latin-1").lower(), value.decode("utf-8", "replace"))
        self.headers = headers
        if "warning" in headers:
            self.warnings = tuple(
                text.decode("utf-8", "replace") for name, text in self._raw if name.lower() == b"warning"
            )
        self._raw.clear()
        self._sized = "content-length" in headers or "transfer-encoding" in headers
        self.streams = bool(self._request.stream_s) and status in _SUCCESS
        if self.streams:
            self._arrive()
        elif int(headers.get("content-length", 0)) > self._limit:
            self.fail(self._too_large())

    def add(self, piece: bytes) -> None:
        if self.failure is not None:
            return
        self._size += len(piece)
        if self.streams:
            self._pieces.append(piece)
            self._wake()
            if self._size > _HELD_BYTES and not self._held:
                self._held = True
                self._hold(True)
        elif self._size > self._limit:
            self.fail(self._too_large())
        else:
            self._pieces.append(piece)

    def end(self) -> None:
        """The answer is whole."""
        self.over = True
        self._wake()
        self._arrive()

    def break_off(self, why: str) -> None:
        """The connection is gone. Where nothing was said of its length, that is how an answer ends."""
        if self.status and not self._sized and not why:
            self.end()
        elif self.streams:
            self.fail(Unreachable(f"The stream of {self._what} broke off", why=why or "the server hung up"))
        elif self.status:
            self.fail(Unreachable(f"{self._what} failed", why="the answer broke off in the middle"))
        else:
            self.fail(Unreachable(f"{self._what} broke off", why=why or "the server hung up"))

    def fail(self, failure: PlumblineError) -> None:
        if self.failure is None and not self.over:
            self.failure = failure
            self._pieces.clear()
            self._wake()
            self._arrive()

    def garbled(self, why: str) -> PlumblineError:
        return GarbledReply(f"{self._what} failed", why=why)

    def body(self) -> bytes:
        pieces = self._pieces
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def next(self) -> bytes:
        """All that has come of a stream since it was last asked; empty at its end."""
        while not self._pieces:
            if self.failure is not None:
                raise self.failure
            if self.over:
                return b""
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        came = self.body()
        self._pieces.clear()
        self._size = 0
        if self._held:
            self._held = False
            self._hold(False)
        return came

    @property
    def _what(self) -> str:
        return f"{self._request.method} {self._request.path}"

    def _too_large(self) -> PlumblineError:
        return LimitExceeded(f"The answer to {self._what} is too large", why=f"the limit is {self._limit} bytes")

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _arrive(self) -> None:
        if not self._arrived.done():
            self._arrived.set_result(None)
