"""Patience that grows with each try and is forgotten after a long calm."""

from datetime import datetime
from typing import NamedTuple


class _Wait(NamedTuple):
    wait_s: float
    since: datetime


class Backoff:
    def __init__(self, first_s: float, longest_s: float) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._waits: dict[str, _Wait] = {}

    def remaining_s(self, key: str, now: datetime) -> float:
        """How long to wait before the next try; 0 where it may be now."""
        wait = self._waits.get(key)
        if wait is None or self._calmed(wait, now):
            return 0.0
        return max(wait.wait_s - (now - wait.since).total_seconds(), 0.0)

    def note(self, key: str, now: datetime) -> None:
        """A try was made."""
        self._waits = {each: wait for each, wait in self._waits.items() if not self._calmed(wait, now)}
        before = self._waits.get(key)
        wait_s = min(before.wait_s * 2, self._longest_s) if before else self._first_s
        self._waits[key] = _Wait(wait_s, now)

    def _calmed(self, wait: _Wait, now: datetime) -> bool:
        return (now - wait.since).total_seconds() > 2 * self._longest_s
