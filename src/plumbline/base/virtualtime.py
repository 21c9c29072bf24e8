"""An event loop in which waiting costs nothing: when everybody waits, time jumps to whoever is due next.

A day of timers runs in the time of its callbacks, and the same program with the same seed takes the same steps. There
is no outside world in it: a program that waits for a socket or a thread waits for ever, and is told so.
"""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


class Deadlock(Exception):
    """Everybody waits, and nobody is due: what they wait for can never come."""


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.elapsed_s = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.elapsed_s


class _Jumping(selectors.BaseSelector):
    """A selector that moves the clock instead of waiting."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._real = selectors.SelectSelector()

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        # Sockets and threads are not asked: there are none in here, and asking would cost more than all the rest.
        if timeout is None:
            raise Deadlock("Every task waits for something that no timer and no other task will bring")
        self._loop.elapsed_s += timeout
        return []


class LoopClock:
    """The clock of whatever loop runs; on a virtual loop its time is the only time there is."""

    def __init__(self, start: datetime = _EPOCH) -> None:
        self._start = start
        self._offset = timedelta()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.monotonic()) + self._offset

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, delay_s: float) -> None:
        await asyncio.sleep(delay_s)

    def jump(self, by_s: float) -> None:
        """Move the wall clock alone, as a clock correction does."""
        self._offset += timedelta(seconds=by_s)


def run_virtually(main: Callable[[], Awaitable[T]]) -> T:
    """Run *main* to its end on a virtual loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_awaited(main()))


def _awaited(awaitable: Awaitable[T]) -> Coroutine[Any, Any, T]:
    async def wait() -> T:
        return await awaitable

    return wait()
