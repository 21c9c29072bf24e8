"""Reading what a process writes, as it comes, into no more memory than was allowed."""

import asyncio
import os
from collections.abc import Callable
from typing import Literal

_PIECE_BYTES = 1 << 16


class Capture:
    """Reads a pipe to its end, and calls `overflowed` once when there is more than the limit.

    Keeps the first or the last bytes: as many as the limit and the margin allow together.
    """

    def __init__(
        self, limit_bytes: int, margin_bytes: int, keep: Literal["head", "tail"], overflowed: Callable[[], None]
    ) -> None:
        self.total_bytes = 0
        self._limit_bytes = limit_bytes
        self._capacity_bytes = limit_bytes + margin_bytes
        self._keep = keep
        self._overflowed = overflowed
        self._kept = bytearray()
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._loop.add_reader(self._reading, self._read)

    async def ended(self) -> None:
        await self._ended

    @property
    def kept(self) -> bytes:
        capacity = self._capacity_bytes
        return bytes(self._kept[:capacity] if self._keep == "head" else self._kept[-capacity:])

    @property
    def over(self) -> bool:
        return self.total_bytes > self._limit_bytes

    def release(self) -> None:
        """Close our copy of the writing end: from now on only the process holds it."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def close(self) -> None:
        self.release()
        if not self._ended.done():
            self._finish()

    def _read(self) -> None:
        try:
            piece = os.read(self._reading, _PIECE_BYTES)
        except BlockingIOError:
            return
        if not piece:
            self._finish()
            return
        was_over = self.over
        self.total_bytes += len(piece)
        if self._keep == "tail" or len(self._kept) < self._capacity_bytes:
            self._kept += piece
        if self._keep == "tail" and len(self._kept) > 2 * self._capacity_bytes + _PIECE_BYTES:
            del self._kept[: -self._capacity_bytes]
        if self.over and not was_over:
            self._overflowed()

    def _finish(self) -> None:
        self._loop.remove_reader(self._reading)
        os.close(self._reading)
        if not self._ended.done():
            self._ended.set_result(None)
