"""How often somebody may be wrong about a password: counted for each account, and kept where all replicas see it.

Where that place cannot be written just now, this process counts by itself: a full disk gives nobody more tries.

An account that is locked answers as one that does not exist, and as late. So nothing has to be kept for names that nobody
has: a hundred thousand of them cost nothing, and push nobody's count out.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from plumbline.access.notes import EMPTY, Notes, with_failure, without_failures
from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, Throttled
from plumbline.base.log import logger

Note: TypeAlias = Callable[[Callable[[Notes], Notes]], Awaitable[None]]
"""Change what is noted, everywhere; done when it is."""

_log = logger("access")


class Terms(NamedTuple):
    most_failures: int = 5
    window_s: int = 300
    """Within which that many are too many, and after which all is forgotten."""
    most_waiting: int = 50
    """Logins at the same time; more are told to come back."""
    at_once: int = 2
    """Hashes that are computed at the same time: each takes memory and a processor."""


class Limiter:
    def __init__(self, notes: Callable[[], Notes], note: Note, clock: Clock, terms: Terms | None = None) -> None:
        self._notes = notes
        self._note = note
        self._clock = clock
        self._terms = terms or _TERMS
        self._waiting = 0
        self._hashing = asyncio.Semaphore(self._terms.at_once)
        self._unwritten = EMPTY
        """What could not be noted."""
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """One after the other for each name, so that many at once cannot be counted as one. Raises Throttled."""
        if self._waiting >= self._terms.most_waiting:
            raise Throttled("The login is not looked at", after_s=1.0, why="too many others log in")
        lock = self._turns.setdefault(name, asyncio.Lock())
        self._waiting += 1
        try:
            async with lock, self._hashing:
                yield
        finally:
            self._waiting -= 1

    def locked(self, name: str) -> bool:
        now_s = self._now_s()
        kept = (each.failures.get(name) for each in (self._notes(), self._unwritten))
        recent = [each for each in kept if each is not None and now_s - each.last_s <= self._terms.window_s]
        return sum(each.count for each in recent) >= self._terms.most_failures

    async def failed(self, name: str) -> None:
        """Returns when it is written down: who is told that it was wrong has been counted."""
        now_s, window_s = self._now_s(), self._terms.window_s
        try:
            await self._note(lambda notes: with_failure(notes, name, now_s, window_s))
        except PlumblineError as error:
            self._unwritten = with_failure(self._unwritten, name, now_s, window_s)
            _log.warning("failed login counted here alone", error=str(error))

    async def succeeded(self, name: str) -> None:
        self._unwritten = without_failures(self._unwritten, name)
        if name not in self._notes().failures:
            return
        try:
            await self._note(lambda notes: without_failures(notes, name))
        except PlumblineError as error:
            _log.warning("failed logins not forgotten", error=str(error))

    def _now_s(self) -> int:
        return int(self._clock.now().timestamp())


_TERMS: Final = Terms()
