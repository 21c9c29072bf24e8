"""How long a Job waits after failures before it tries again."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.jobs.reading import all_failures_of_index, finished_at
from plumbline.apiserver.controllers.workloads.podviews import Pod

FIRST_WAIT_S: Final = 10.0
LONGEST_WAIT_S: Final = 600.0


class Failures(NamedTuple):
    """Since the last success."""

    times: int = 0
    last: datetime | None = None

    def and_then(self, succeeded: Iterable[Pod], failed: Iterable[Pod]) -> "Failures":
        """After these pods ended."""
        failures = sorted(map(finished_at, failed))
        successes = sorted(map(finished_at, succeeded))
        if successes:
            later = [each for each in failures if each > successes[-1]]
            return Failures(len(later), later[-1] if later else None)
        return Failures(self.times + len(failures), failures[-1]) if failures else self

    def remaining_s(self, now: datetime) -> float:
        return _remaining_s(self.times, self.last, now)


def remaining_of_index_s(failed: Pod | None, now: datetime) -> float:
    if failed is None:
        return 0.0
    return _remaining_s(all_failures_of_index(failed) + 1, finished_at(failed), now)


def _remaining_s(count: int, last: datetime | None, now: datetime) -> float:
    if not count or last is None:
        return 0.0
    wait_s = min(FIRST_WAIT_S * 2 ** min(count - 1, 16), LONGEST_WAIT_S)
    return max(wait_s - (now - last).total_seconds(), 0.0)
