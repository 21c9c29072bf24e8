"""Whether an application has to be hydrated now. Pure."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.kinds.application.sources import SourceHydrator
from plumbline.kinds.application.status import SourceHydratorStatus
from plumbline.kinds.timestamp import Time

COOLING_S: Final = 120.0
"""How long after a failure nothing is tried again, unless somebody asks or something changes."""


class Asked(NamedTuple):
    """What the annotation says."""

    normal: bool = False
    hard: bool = False

    def __bool__(self) -> bool:
        return self.normal or self.hard


def asked(text: str | None) -> Asked:
    """Whatever it says that is not `hard` is an ordinary request, as upstream reads it."""
    return Asked() if text is None else Asked(hard=True) if text == "hard" else Asked(normal=True)


class Need(NamedTuple):
    reason: str = ""
    """Empty for: not now."""
    depends: bool = False
    """It takes the revision of the dry source to tell."""
    again_in_s: float | None = None


def need(hydrator: SourceHydrator, status: SourceHydratorStatus, request: Asked, now: datetime) -> Need:
    """Why *hydrator* has to be carried out, as far as can be told without a look at the dry source."""
    last = status.current_operation
    if last is None:
        return Need("no previous hydrate operation")
    if last.phase == "Hydrating":
        # Whoever began it is gone: there is nobody else who could be at it.
        return Need("hydration was interrupted")
    if request.hard:
        return Need("hard hydrate requested")
    if last.source_hydrator != hydrator:
        return Need("spec.sourceHydrator differs")
    if last.phase != "Failed":
        return Need(depends=True)
    if request:
        return Need("retrying previous failed hydration")
    left_s = _left_s(last.finished_at, now)
    if left_s <= 0:
        return Need("previous hydrate operation failed more than 2 minutes ago")
    # Without a revision to compare with, any would be new, and it would be tried again at once.
    return Need(depends=bool(status.last_compared_dry_revision), again_in_s=left_s)


def moved(status: SourceHydratorStatus, revision: str) -> Need:
    """The same, once it is known where the dry source is."""
    return Need("new revision may have changes") if revision != status.last_compared_dry_revision else Need()


def _left_s(finished_at: str, now: datetime) -> float:
    """Of the time after a failure in which nothing is tried."""
    try:
        ended = Time.read(finished_at).moment
    except ValueError:
        return 0.0
    return (ended + timedelta(seconds=COOLING_S) - now).total_seconds()
