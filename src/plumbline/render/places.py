"""Places for tools that take a core each. Who takes long makes room for others, and starts apart from them the next time."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, TypeVar

T = TypeVar("T")

_REMEMBERED: Final = 4096


def _unheard(_: float) -> None:
    """Nobody wants to know."""


class Lane:
    """Places, and who waits for one. Several parties get them by turns, however many of each wait."""

    def __init__(self, places: int) -> None:
        self.free = places
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, party: str) -> None:
        if self.free:
            self.free -= 1
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(party, deque()).append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled():
                self.give()  # it was given just before
            raise

    def give(self) -> None:
        """Back, or on to the next one who waits."""
        while self._waiting:
            party = next(iter(self._waiting))
            waiters = self._waiting.pop(party)
            waiter = waiters.popleft()
            if waiters:
                self._waiting[party] = waiters
            if not waiter.done():
                waiter.set_result(None)
                return
        self.free += 1


class Places:
    """*brisk* at a time, and beside them *slow* of those that take longer than *patience_s*.

    Whoever takes long goes on in the slow lane. Where that is full it is stopped, and begun again there in its turn: however
    many never end, the others wait for the patience with those that are new, and never for a deadline.
    """

    def __init__(self, brisk: int, slow: int, patience_s: float, waited: Callable[[float], None] = _unheard) -> None:
        """*waited* is told how long each wait for a place was, also where nothing came of it."""
        self._brisk = Lane(brisk)
        self._slow = Lane(slow)
        self._patience_s = patience_s
        self._waited = waited
        self._lengthy: dict[Hashable, None] = {}

    async def run(self, who: Hashable, work: Callable[[], Awaitable[T]], *, party: str = "") -> T:
        """What *work* gives, in its turn and that of its *party*; *who* is known by how long it took before."""
        if who not in self._lengthy:
            try:
                return await self._briskly(who, work, party)
            except _TooLongError:
                pass
        await self._seated(self._slow, party)
        began_s = _now_s()
        try:
            return await work()
        finally:
            self._slow.give()
            if _now_s() - began_s < self._patience_s:
                self._lengthy.pop(who, None)

    async def _briskly(self, who: Hashable, work: Callable[[], Awaitable[T]], party: str) -> T:
        lane = self._brisk
        await self._seated(lane, party)

        def step_aside() -> None:
            nonlocal lane
            self._remember(who)
            if not self._slow.free:
                limit.reschedule(_now_s())
            else:
                self._slow.free -= 1
                lane.give()
                lane = self._slow

        timer = asyncio.get_running_loop().call_later(self._patience_s, step_aside)
        try:
            async with asyncio.timeout(None) as limit:
                return await work()
        except TimeoutError:
            if limit.expired():
                raise _TooLongError from None
            raise
        finally:
            timer.cancel()
            lane.give()

    async def _seated(self, lane: Lane, party: str) -> None:
        began_s = _now_s()
        try:
            await lane.take(party)
        finally:
            self._waited(_now_s() - began_s)

    def _remember(self, who: Hashable) -> None:
        if len(self._lengthy) >= _REMEMBERED:
            del self._lengthy[next(iter(self._lengthy))]
        self._lengthy[who] = None


class _TooLongError(Exception):
    """It was stopped, to be begun again in the slow lane."""


def _now_s() -> float:
    return asyncio.get_running_loop().time()
