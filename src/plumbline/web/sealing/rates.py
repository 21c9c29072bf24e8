"""How often each caller may ask: GCRA, with the arithmetic of the limiter that Sealed Secrets has.

For each key it is noted when its next request would be due if all came evenly; a request may be early by so much as the
burst allows. What is due in the past says nothing and is forgotten, so that only callers of the last moments are kept.
"""

from typing import Final, NamedTuple

from plumbline.base.clock import Clock

_NS: Final = 1_000_000_000
MOST_KEYS: Final = 65_536
_OTHERS: Final = ""
"""Shared by all who come while there are too many to tell apart."""


class Verdict(NamedTuple):
    limit: int
    remaining: int
    reset_s: float
    """Until everything is as if nobody had asked."""
    retry_s: float | None
    """Until another request is taken; None where this one was."""

    @property
    def taken(self) -> bool:
        return self.retry_s is None


class Rates:
    """*per_s* for every key, and *burst* more at once after a pause."""

    def __init__(self, clock: Clock, per_s: int, burst: int, *, most_keys: int = MOST_KEYS) -> None:
        self._clock = clock
        self._interval_ns = _NS // per_s
        self._limit = burst + 1
        self._tolerance_ns = self._interval_ns * self._limit
        self._most_keys = most_keys
        self._due_ns: dict[str, int] = {}
        """The longest unused first."""

    def __len__(self) -> int:
        return len(self._due_ns)

    def take(self, key: str) -> Verdict:
        now_ns = round(self._clock.monotonic() * _NS)
        self._forget(now_ns)
        if key not in self._due_ns and len(self._due_ns) >= self._most_keys:
            key = _OTHERS
        due_ns = max(self._due_ns.get(key, now_ns), now_ns)
        early_ns = due_ns + self._interval_ns - self._tolerance_ns - now_ns
        if early_ns > 0:
            return self._verdict(due_ns - now_ns, early_ns / _NS)
        self._due_ns.pop(key, None)
        self._due_ns[key] = due_ns + self._interval_ns
        return self._verdict(due_ns + self._interval_ns - now_ns, None)

    def _verdict(self, ahead_ns: int, retry_s: float | None) -> Verdict:
        remaining = max(0, (self._tolerance_ns - ahead_ns) // self._interval_ns)
        return Verdict(self._limit, remaining, ahead_ns / _NS, retry_s)

    def _forget(self, now_ns: int) -> None:
        while self._due_ns:
            oldest = next(iter(self._due_ns))
            if self._due_ns[oldest] > now_ns:
                return
            del self._due_ns[oldest]
