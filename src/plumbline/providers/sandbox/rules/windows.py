"""Windows of time in which AWS backs up and maintains: their spelling, and whether two of them meet."""

import re
from typing import Final

import msgspec

DAY_MINUTES: Final = 24 * 60
WEEK_MINUTES: Final = 7 * DAY_MINUTES
_LEAST_MINUTES: Final = 30
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIME: Final = r"([01]\d|2[0-3]):([0-5]\d)"
_DAILY: Final = re.compile(f"{_TIME}-{_TIME}")
_WEEKLY: Final = re.compile(f"({'|'.join(_DAYS)}):{_TIME}-({'|'.join(_DAYS)}):{_TIME}", re.IGNORECASE)


class Window(msgspec.Struct, frozen=True):
    start: int
    """Minutes from the beginning of the day or of the week."""
    length: int
    every: int
    """A day or a week."""

    @property
    def long_enough(self) -> bool:
        return self.length >= _LEAST_MINUTES


def daily(text: str) -> Window | None:
    match = _DAILY.fullmatch(text)
    if match is None:
        return None
    start, end = int(match[1]) * 60 + int(match[2]), int(match[3]) * 60 + int(match[4])
    return Window(start, (end - start) % DAY_MINUTES, DAY_MINUTES)


def weekly(text: str) -> Window | None:
    match = _WEEKLY.fullmatch(text)
    if match is None:
        return None
    start = _DAYS.index(match[1].lower()) * DAY_MINUTES + int(match[2]) * 60 + int(match[3])
    end = _DAYS.index(match[4].lower()) * DAY_MINUTES + int(match[5]) * 60 + int(match[6])
    return Window(start, (end - start) % WEEK_MINUTES, WEEK_MINUTES)


def overlap(backup: Window, maintenance: Window) -> bool:
    """Whether a daily window meets a weekly one on any day."""
    return any(_meet(backup.start + day * DAY_MINUTES, backup.length, maintenance) for day in range(7))


def _meet(start: int, length: int, other: Window) -> bool:
    """On the circle of a week: one begins within the other."""
    return (other.start - start) % WEEK_MINUTES < length or (start - other.start) % WEEK_MINUTES < other.length
