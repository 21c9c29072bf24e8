"""How much is taken from everybody together: bytes that are held, and requests in a second."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import Throttled

_RETRY_S: Final = 5.0


class Share:
    """What one request holds."""

    def __init__(self, held: "Held") -> None:
        self._held = held
        self.bytes = 0

    def add(self, count: int) -> None:
        self.bytes += count
        self._held.total_bytes += count
        self._held.check(self)


class Held:
    """Bodies that are read at the same time have a limit together.

    Where it is met, those give way that hold more than an even share, so that a few large bodies that come slowly do
    not keep the many small ones out. In sum never more than twice the limit is held.
    """

    def __init__(self, limit_bytes: int, most: int) -> None:
        self.total_bytes = 0
        self._limit_bytes = limit_bytes
        self._most = most
        self._shares = 0

    @contextmanager
    def share(self) -> Iterator[Share]:
        if self._shares >= self._most:
            raise Throttled("The request is not read", after_s=_RETRY_S, why=f"{self._most} others are being read")
        self._shares += 1
        share = Share(self)
        try:
            yield share
        finally:
            self._shares -= 1
            self.total_bytes -= share.bytes

    def check(self, share: Share) -> None:
        if self.total_bytes > self._limit_bytes and share.bytes > self._limit_bytes // self._shares:
            raise Throttled("The request is not read", after_s=_RETRY_S, why="too much is being read already")


class Rate:
    """So many in a second, and so many at once after a pause."""

    def __init__(self, clock: Clock, per_s: float, burst: int) -> None:
        self._clock = clock
        self._per_s = per_s
        self._burst = burst
        self._left = float(burst)
        self._at_s = clock.monotonic()

    def take(self) -> None:
        now_s = self._clock.monotonic()
        self._left = min(self._burst, self._left + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s
        if self._left < 1:
            raise Throttled("The request is not read", after_s=1 / self._per_s, why="there are too many in a second")
        self._left -= 1
