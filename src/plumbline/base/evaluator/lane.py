"""So many at a time, and so many who wait for that."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from plumbline.base.errors import Throttled

_BUSY_S = 1.0


class Lane:
    def __init__(self, places: int, waiting: int) -> None:
        self.places = asyncio.Semaphore(places)
        self._most_waiting = waiting
        self._waiting = 0

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for one. Raises Throttled where too many do already."""
        if self._waiting >= self._most_waiting:
            raise Throttled(
                "nothing was evaluated", after_s=_BUSY_S, why=f"{self._waiting} evaluations wait for a worker already"
            )
        self._waiting += 1
        try:
            await self.places.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self.places.release()
