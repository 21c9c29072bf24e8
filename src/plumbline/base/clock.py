"""Time as something handed in: the real clock, and one that a test moves by hand."""

import asyncio
import heapq
import itertools
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall-clock time in UTC. It may jump; never measure with it."""

    def monotonic(self) -> float:
        """Seconds that only grow. Their origin means nothing."""

    async def sleep(self, delay_s: float) -> None:
        """Let others run, for at least that long. A delay of zero or less is already over."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this is the one place

    def monotonic(self) -> float:
        return time.monotonic()  # noqa: TID251 - this is the one place

    async def sleep(self, delay_s: float) -> None:
        await asyncio.sleep(delay_s)


class VirtualClock:
    """A clock that stands still until `advance` moves it, waking sleepers in order of their deadlines."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._wall = start
        self._elapsed_s = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._wall

    def monotonic(self) -> float:
        return self._elapsed_s

    async def sleep(self, delay_s: float) -> None:
        if delay_s <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed_s + delay_s, next(self._order), woken))
        await woken

    def jump(self, by_s: float) -> None:
        """Move the wall clock alone, as a clock correction does."""
        self._wall += timedelta(seconds=by_s)

    async def advance(self, by_s: float) -> None:
        """Move time forward, running whoever is due at the moment that they are due."""
        if by_s < 0:
            raise ValueError("time only moves forward; to correct the wall clock, jump")
        until_s = self._elapsed_s + by_s
        await self._settle()
        while self._sleepers and self._sleepers[0][0] <= until_s:
            due_s, _, woken = heapq.heappop(self._sleepers)
            self._move_to(due_s)
            if not woken.done():
                woken.set_result(None)
            await self._settle()
        self._move_to(until_s)

    def _move_to(self, elapsed_s: float) -> None:
        self._wall += timedelta(seconds=elapsed_s - self._elapsed_s)
        self._elapsed_s = elapsed_s

    @staticmethod
    async def _settle() -> None:
        # Callbacks of callbacks: a few turns of the loop let woken tasks run up to their next wait.
        for _ in range(10):
            await asyncio.sleep(0)


def rfc3339(moment: datetime) -> str:
    """Whole seconds and a Z, as Kubernetes writes metav1.Time. The moment must know its time zone."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone is no moment")
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
