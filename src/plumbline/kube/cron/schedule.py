"""When a cron schedule is due next, in the zone that it is meant for.

Around changes of the clock the answers are those of robfig/cron, which looks for the next match hour by hour.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from plumbline.base.errors import InvalidInput
from plumbline.kube.cron.grammar import known_zone, schedule_fault

_YEARS: Final = 5
_NOON: Final = 12
_NAMES: Final = {
    name: str(number)
    for names, first in (
        (("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1),
        (("sun", "mon", "tue", "wed", "thu", "fri", "sat"), 0),
    )
    for number, name in enumerate(names, first)
}
_BOUNDS: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_DESCRIPTORS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY: Final = "@every "
_UNIT_S: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_amounts: Final = re.compile(r"([0-9]*\.?[0-9]*)(ns|us|µs|μs|ms|s|m|h)").findall


class Schedule(Protocol):
    def after(self, when: datetime) -> datetime | None:
        """The first time that it is due after *when*; None where there is none within five years."""


@lru_cache(maxsize=256)
def parse(text: str, zone: str = "", *, descriptors: bool = True) -> Schedule:
    """Raises InvalidInput with the reason that upstream gives. A zone within *text* beats *zone*."""
    if fault := schedule_fault(text, descriptors=descriptors):
        raise InvalidInput(fault)
    if zone and not known_zone(zone):
        raise InvalidInput(f"unknown time zone {zone}")
    if text.startswith(("TZ=", "CRON_TZ=")):
        zone, _, text = text.partition("=")[2].partition(" ")
    text = text.strip()
    if text.startswith(_EVERY):
        return Interval(_duration_s(text.removeprefix(_EVERY)))
    minute, hour, day, month, weekday = map(_field, _DESCRIPTORS.get(text, text).split(), _BOUNDS)
    return Calendar(minute, hour, day, month, weekday, None if zone in {"", "UTC", "Local"} else ZoneInfo(zone))


class Interval(NamedTuple):
    """Every so often, counted from the last time."""

    every_s: int

    def after(self, when: datetime) -> datetime:
        return when.replace(microsecond=0) + timedelta(seconds=self.every_s)


class Field(NamedTuple):
    values: frozenset[int]
    star: bool
    """Whether it was left open: then the other of the two fields for days decides alone."""


class Calendar(NamedTuple):
    """At certain minutes of certain hours of certain days."""

    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    zone: ZoneInfo | None

    def after(self, when: datetime) -> datetime | None:
        at = when.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=1)
        limit = self._wall(at).year + _YEARS
        fresh = False
        while self._wall(at).year <= limit:
            found, at, fresh = self._closer(at, fresh=fresh)
            if found:
                return at
        return None

    def _closer(self, at: datetime, *, fresh: bool) -> tuple[bool, datetime, bool]:
        """Moves *at* towards the next match; over, unless a larger field wrapped around and all must be checked anew.

        *fresh* says that the smaller fields have been set to their beginning already.
        """
        for step in (self._to_month, self._to_day, self._to_hour, self._to_minute):
            moved = step(at, fresh=fresh)
            if moved is None:
                continue
            at, fresh = moved.at, True
            if moved.wrapped:
                return False, at, fresh
        wall = self._wall(at)
        # Only a time that was not moved at all can still have seconds.
        if wall.second:
            at += timedelta(seconds=60 - wall.second)
            return False, at, True
        return True, at, fresh

    def _to_month(self, at: datetime, *, fresh: bool) -> "_Moved | None":
        wall = self._wall(at)
        if wall.month in self.month.values:
            return None
        at = at if fresh else self._moment(wall.replace(day=1, hour=0, minute=0, second=0))
        while True:
            at = self._moment(_next_month(self._wall(at)))
            month = self._wall(at).month
            if month == 1 or month in self.month.values:
                return _Moved(at, wrapped=month == 1)

    def _to_day(self, at: datetime, *, fresh: bool) -> "_Moved | None":
        wall = self._wall(at)
        if self._is_day(wall):
            return None
        at = at if fresh else self._moment(wall.replace(hour=0, minute=0, second=0))
        while True:
            at = self._moment(self._wall(at) + timedelta(days=1))
            hour = self._wall(at).hour
            if hour:  # there was no midnight that day
                at += timedelta(hours=24 - hour if hour > _NOON else -hour)
            first = self._wall(at).day == 1
            if first or self._is_day(self._wall(at)):
                return _Moved(at, wrapped=first)

    def _to_hour(self, at: datetime, *, fresh: bool) -> "_Moved | None":
        wall = self._wall(at)
        if wall.hour in self.hour.values:
            return None
        at = at if fresh else self._moment(wall.replace(minute=0, second=0))
        while True:
            at += timedelta(hours=1)
            hour = self._wall(at).hour
            if hour == 0 or hour in self.hour.values:
                return _Moved(at, wrapped=hour == 0)

    def _to_minute(self, at: datetime, *, fresh: bool) -> "_Moved | None":
        if self._wall(at).minute in self.minute.values:
            return None
        at = at if fresh else at.replace(second=0)
        while True:
            at += timedelta(minutes=1)
            minute = self._wall(at).minute
            if minute == 0 or minute in self.minute.values:
                return _Moved(at, wrapped=minute == 0)

    def _is_day(self, wall: datetime) -> bool:
        by_day = wall.day in self.day.values
        by_weekday = wall.isoweekday() % 7 in self.weekday.values
        if self.day.star or self.weekday.star:
            return by_day and by_weekday
        return by_day or by_weekday

    def _wall(self, at: datetime) -> datetime:
        """What a clock on the wall shows, without a zone."""
        return (at.astimezone(self.zone) if self.zone else at).replace(tzinfo=None)

    def _moment(self, wall: datetime) -> datetime:
        """When a clock shows *wall*: at a gap or an overlap, by the offset that Go takes."""
        naive = wall.replace(tzinfo=UTC)
        guess = naive - self._offset(naive)
        return naive - self._offset(guess)

    def _offset(self, at: datetime) -> timedelta:
        return (at.astimezone(self.zone).utcoffset() if self.zone else None) or timedelta()


class _Moved(NamedTuple):
    at: datetime
    wrapped: bool


def _next_month(wall: datetime) -> datetime:
    """As Go adds a month: what is beyond its end runs into the one after."""
    first = wall.replace(day=1)
    following = first.replace(year=wall.year + wall.month // 12, month=wall.month % 12 + 1)
    return following + timedelta(days=wall.day - 1)


def _field(text: str, bounds: tuple[int, int]) -> Field:
    values: set[int] = set()
    star = False
    for part in filter(None, text.lower().split(",")):
        found, open_ = _range(part, bounds)
        values.update(found)
        star = star or open_
    return Field(frozenset(values), star)


def _range(part: str, bounds: tuple[int, int]) -> tuple[range, bool]:
    span, _, step = part.partition("/")
    low, _, high = span.partition("-")
    width = int(step or "1")
    if low in {"*", "?"}:
        return range(bounds[0], bounds[1] + 1, width), width == 1
    first = int(_NAMES.get(low, low))
    last = int(_NAMES.get(high, high)) if high else bounds[1] if step else first
    return range(first, last + 1, width), False


def _duration_s(text: str) -> int:
    """At least one second, in whole ones."""
    total_s = sum(float(amount) * _UNIT_S[unit] for amount, unit in _amounts(text))
    return max(int(-total_s if text.startswith("-") else total_s), 1)
