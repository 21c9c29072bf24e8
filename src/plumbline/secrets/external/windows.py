"""When periodic refreshes may happen, as a spec's sync windows have it. Pure; all times are UTC."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.kinds.externalsecrets.externalsecret import SyncWindows
from plumbline.kube.cron import Schedule, parse

_SECOND: Final = timedelta(seconds=1)
_ZONE: Final = "UTC"


class _Window(NamedTuple):
    schedule: Schedule
    length: timedelta

    def opened(self, now: datetime) -> datetime | None:
        """When it opened, if it is open *now*: the earliest opening that has not ended. Its last second belongs to it."""
        start = self.schedule.after(now - self.length - _SECOND)
        return start if start is not None and start <= now else None


def blocked_s(windows: SyncWindows | None, now: datetime) -> float:
    """How long until it is worth looking again whether a refresh may happen; zero where it may happen now."""
    if windows is None or not windows.windows:
        return 0.0
    now = now.replace(microsecond=0)
    usable = list(_readable(windows))
    active = [(start, each) for each in usable if (start := each.opened(now)) is not None]
    if windows.kind == "allow":
        return 0.0 if active else _until(now, (each.schedule.after(now) for each in usable))
    ends = (start + each.length + _SECOND for start, each in active)
    return _until(now, ends) if active else 0.0


_NEVER_S: Final = 86_400.0
"""Where no window ever opens; somebody may correct it, which is told anyway."""


def _until(now: datetime, moments: Iterator[datetime | None]) -> float:
    coming = [each for each in moments if each is not None]
    return max((min(coming) - now).total_seconds(), 1.0) if coming else _NEVER_S


def _readable(windows: SyncWindows) -> Iterator[_Window]:
    """A window whose schedule cannot be read is never open."""
    for each in windows.windows:
        try:
            yield _Window(parse(each.schedule, _ZONE), timedelta(seconds=each.duration.seconds))
        except InvalidInput:
            continue
