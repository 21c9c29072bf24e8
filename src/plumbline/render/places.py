"""Places for tools that take a core each. Who takes long makes room for others, and starts apart from them the next time."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")
Lane: TypeAlias = asyncio.Queue[None]

_REMEMBERED: Final = 4096


def _unheard(_: float) -> None:
    """Nobody wants to know."""


class Places:
    """*brisk* at a time, and beside them *slow* of those that take longer than *patience_s*.

    Whoever takes long goes on in the slow lane. Where that is full it is stopped, and begun again there in its turn: however
    many never end, the others wait for the patience with those that are new, and never for a deadline.
    """

    def __init__(self, brisk: int, slow: int, patience_s: float, waited: Callable[[float], None] = _unheard) -> None:
        """*waited* is told how long each wait for a place was, also where nothing came of it."""
        self._brisk = _lane(brisk)
        self._slow = _lane(slow)
        self._patience_s = patience_s
        self._waited = waited
        self._lengthy: dict[Hashable, None] = {}

    async def run(self, who: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """What *work* gives, in its turn; *who* is known by how long it took before."""
        if who not in self._lengthy:
            try:
                return await self._briskly(who, work)
            except _TooLongError:
                pass
        await self._seated(self._slow)
        began_s = _now_s()
        try:
            return await work()
        finally:
            self._slow.put_nowait(None)
            if _now_s() - began_s < self._patience_s:
                self._lengthy.pop(who, None)

    async def _briskly(self, who: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        lane = self._brisk
        await self._seated(lane)

        def step_aside() -> None:
            nonlocal lane
            self._remember(who)
            if self._slow.empty():
                limit.reschedule(_now_s())
            else:
                self._slow.get_nowait()
                lane.put_nowait(None)
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
            lane.put_nowait(None)

    async def _seated(self, lane: Lane) -> None:
        began_s = _now_s()
        try:
            await lane.get()
        finally:
            self._waited(_now_s() - began_s)

    def _remember(self, who: Hashable) -> None:
        if len(self._lengthy) >= _REMEMBERED:
            del self._lengthy[next(iter(self._lengthy))]
        self._lengthy[who] = None


class _TooLongError(Exception):
    """It was stopped, to be begun again in the slow lane."""


def _lane(places: int) -> Lane:
    """Whoever takes something out of it has a place until it is put back."""
    lane: Lane = asyncio.Queue()
    for _ in range(places):
        lane.put_nowait(None)
    return lane


def _now_s() -> float:
    return asyncio.get_running_loop().time()
