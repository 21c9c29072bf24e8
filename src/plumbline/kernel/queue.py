"""The queue of keys that want a look: fair, without duplicates, patient with keys that fail.

A key is in it at most once, and with at most one worker. What people wait for goes first, but nobody starves: after a few
keys of higher priority the longest-waiting of the others gets its turn. A key that fails comes back later and later, on
its own clock, and delays nobody else.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Hashable
from enum import IntEnum
from typing import Final, Generic, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.ids import Ids

K = TypeVar("K", bound=Hashable)

FIRST_BACKOFF_S: Final = 1.0
LONGEST_BACKOFF_S: Final = 60.0
_TURNS_BEFORE_OTHERS: Final = 8
_OUTDATED: Final = 64
"""So many appointments that count no more may lie about, and as many again as there are that do."""


class Priority(IntEnum):
    USER = 0
    DRIFT = 1
    POLL = 2


class Queue(Generic[K]):
    def __init__(self, clock: Clock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self._lanes: tuple[deque[K], ...] = tuple(deque() for _ in Priority)
        self._waiting: dict[K, Priority] = {}
        self._added_s: dict[K, float] = {}
        self._working: set[K] = set()
        self._again: dict[K, Priority] = {}
        self._failures: dict[K, int] = {}
        self._later: list[tuple[float, int, K, Priority]] = []
        self._due_s: dict[K, float] = {}
        self._order = 0
        self._turns = 0
        self._idle: deque[asyncio.Future[None]] = deque()
        """Workers without a key. For each key that comes one of them is roused, not all: there are many of them."""
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def working(self) -> frozenset[K]:
        """Keys that somebody looks at just now."""
        return frozenset(self._working)

    @property
    def crowded(self) -> bool:
        """Whether more than one key wants a look, or has it."""
        return len(self._waiting) + len(self._working) > 1

    def add(self, key: K, priority: Priority = Priority.DRIFT) -> None:
        """Ask for a look at *key*. Asked again while it waits, it is looked at once, at the higher priority."""
        if key in self._working:
            self._again[key] = min(priority, self._again.get(key, priority))
            return
        self._due_s.pop(key, None)
        waiting = self._waiting.get(key)
        if waiting is not None and waiting <= priority:
            return
        self._waiting[key] = priority
        if waiting is None:
            self._added_s[key] = self._clock.monotonic()
        self._lanes[priority].append(key)
        self._rouse()

    def add_after(self, key: K, delay_s: float, priority: Priority = Priority.POLL) -> None:
        """Ask for a look at *key* later, unless something asks sooner."""
        due_s = self._clock.monotonic() + max(delay_s, 0.0)
        if self._due_s.get(key, float("inf")) <= due_s:
            return
        self._due_s[key] = due_s
        self._order += 1
        heapq.heappush(self._later, (due_s, self._order, key, priority))
        if len(self._later) > 2 * len(self._due_s) + _OUTDATED:
            self._tidy()
        self._rouse()

    def retry(self, key: K) -> float:
        """Ask for *key* again after a wait that doubles with each failure; returns the wait in seconds."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        wait_s = self._ids.jitter(min(FIRST_BACKOFF_S * 2 ** min(failures, 10), LONGEST_BACKOFF_S))
        self.add_after(key, wait_s, Priority.DRIFT)
        return wait_s

    def forgive(self, key: K) -> None:
        """It went well: the next failure starts from the shortest wait again."""
        self._failures.pop(key, None)

    def forget(self, key: K) -> None:
        """The object is gone: nothing about it is kept."""
        self._failures.pop(key, None)
        self._due_s.pop(key, None)

    async def take(self) -> tuple[K, float] | None:
        """The next key and how long it waited, or None once the queue is closed. Give it back with `done`."""
        while not self._closed:
            self._promote()
            key = self._next()
            if key is not None:
                del self._waiting[key]
                self._working.add(key)
                if self._later:
                    self._rouse()  # somebody has to wait for the next appointment
                return key, self._clock.monotonic() - self._added_s.pop(key)
            await self._wait()
        return None

    def done(self, key: K) -> None:
        """The look at *key* is over; if it was asked for meanwhile, it is queued again."""
        self._working.discard(key)
        again = self._again.pop(key, None)
        if again is not None:
            self.add(key, again)

    def close(self) -> None:
        """Nobody gets another key; whoever has one may finish."""
        self._closed = True
        while self._idle:
            self._rouse()

    def _tidy(self) -> None:
        """A key that is looked at all day and has an appointment for tomorrow would leave one behind with each look."""
        self._later = [each for each in self._later if self._due_s.get(each[2]) == each[0]]
        heapq.heapify(self._later)

    def _promote(self) -> None:
        now_s = self._clock.monotonic()
        while self._later and self._later[0][0] <= now_s:
            due_s, _, key, priority = heapq.heappop(self._later)
            # A key that was asked for sooner, or put off again, left an old entry behind.
            if self._due_s.get(key) == due_s:
                del self._due_s[key]
                self.add(key, priority)

    def _next(self) -> K | None:
        self._turns += 1
        lanes = reversed(list(Priority)) if self._turns % _TURNS_BEFORE_OTHERS == 0 else Priority
        for priority in lanes:
            lane = self._lanes[priority]
            while lane:
                key = lane.popleft()
                if self._waiting.get(key) is priority:
                    return key
        return None

    def _rouse(self) -> None:
        while self._idle:
            waiter = self._idle.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    async def _wait(self) -> None:
        """Until somebody is needed, or the next appointment is due."""
        delay_s = max(self._later[0][0] - self._clock.monotonic(), 0.0) if self._later else None
        waiter = asyncio.get_running_loop().create_future()
        self._idle.append(waiter)
        try:
            async with asyncio.timeout(delay_s):
                await waiter
        except TimeoutError:
            return
        except asyncio.CancelledError:
            if not waiter.cancelled():
                self._rouse()  # it was meant for whoever works
            raise
        finally:
            if waiter in self._idle:  # whoever was roused is not; to be told so by an error costs more than the wait
                self._idle.remove(waiter)
