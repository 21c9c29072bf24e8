"""Go's time: moments, durations, and the layouts that they are written in."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from plumbline.gotemplate.faces import DAYS, MONTHS, Clockface, shown
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import INVALID, Failed, Function, Int, Typed, Value, function

NANOSECOND: Final = 1
MICROSECOND: Final = 1000
MILLISECOND: Final = 1000 * MICROSECOND
SECOND: Final = 1000 * MILLISECOND
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
RFC3339: Final = "2006-01-02T15:04:05Z07:00"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS: Final = {
    "ns": 1, "us": MICROSECOND, "µs": MICROSECOND, "μs": MICROSECOND, "ms": MILLISECOND, "s": SECOND, "m": MINUTE, "h": HOUR,
}  # fmt: skip
_duration: Final = re.compile(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)").fullmatch
_amount: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_ZERO: Final = int((datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()) * SECOND
_MOST: Final = 2**63 - 1
_CYCLE_DAYS: Final = 146_097
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()


class Zone(NamedTuple):
    """A place's clock. Without rules it always has the same offset."""

    name: str = "UTC"
    offset_s: int = 0
    rules: ZoneInfo | None = None

    def at(self, ns: int) -> tuple[str, int]:
        """What its clock is called at that moment, and by how many seconds it is ahead."""
        if self.rules is None:
            return self.name, self.offset_s
        try:
            moment = (_EPOCH + timedelta(seconds=ns // SECOND)).astimezone(self.rules)
        except OverflowError:
            return self.name, self.offset_s
        offset = moment.utcoffset() or timedelta()
        return moment.tzname() or self.name, int(offset.total_seconds())


UTC_ZONE: Final = Zone()


def zone(name: str) -> Zone:
    """The zone of that name; Local is UTC, as it is wherever servers run. Raises Failed."""
    if name in {"", "UTC", "Local"}:
        return UTC_ZONE
    try:
        return Zone(name, rules=ZoneInfo(name))
    except (KeyError, OSError, ValueError):
        raise Failed(f"unknown time zone {name}") from None


class _Named(int, Typed):
    """A number with a name, such as a month."""

    kind = "int"
    names: tuple[str, ...] = ()

    def member(self, name: str) -> Value:
        return function("", self.text) if name == "String" else INVALID

    def text(self) -> str:
        return self.names[self]


class Month(_Named):
    type_name = "time.Month"
    names = ("", *MONTHS)


class Weekday(_Named):
    type_name = "time.Weekday"
    names = DAYS


class Duration(int, Typed):
    """Nanoseconds."""

    type_name = "time.Duration"
    kind = "int64"

    def text(self) -> str:
        """As `1h2m3.5s`."""
        if self == 0:
            return "0s"
        size = abs(int(self))
        sign = "-" if self < 0 else ""
        if size < SECOND:
            unit, scale = next(each for each in (("ms", MILLISECOND), ("µs", 1000), ("ns", 1)) if size >= each[1])
            return f"{sign}{_decimal(size, scale)}{unit}"
        minutes, rest = divmod(size, MINUTE)
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}h" if hours else ""
        if minutes or hours:
            text += f"{minutes}m"
        return f"{sign}{text}{_decimal(rest, SECOND)}s"

    def rounded(self, to: int) -> "Duration":
        """To the nearest multiple, halves away from zero."""
        if to <= 0:
            return self
        size = abs(int(self))
        size += to - size % to if size % to * 2 >= to else -(size % to)
        return Duration(-size if self < 0 else size)

    def truncated(self, to: int) -> "Duration":
        if to <= 0:
            return self
        size = abs(int(self))
        return Duration(-(size - size % to) if self < 0 else size - size % to)

    def member(self, name: str) -> Value:
        made = _DURATION.get(name)
        return INVALID if made is None else made(self)


def _decimal(size: int, scale: int) -> str:
    whole, rest = divmod(size, scale)
    digits = str(scale + rest)[1:].rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)


_DURATION: Final = {
    "Hours": lambda each: function("", lambda: int(each) / HOUR),
    "Minutes": lambda each: function("", lambda: int(each) / MINUTE),
    "Seconds": lambda each: function("", lambda: int(each) / SECOND),
    "Milliseconds": lambda each: function("", lambda: int(int(each) / MILLISECOND)),
    "Microseconds": lambda each: function("", lambda: int(int(each) / MICROSECOND)),
    "Nanoseconds": lambda each: function("", lambda: int(each)),
    "Abs": lambda each: function("", lambda: Duration(abs(int(each)))),
    "Round": lambda each: function("time.Duration", each.rounded),
    "Truncate": lambda each: function("time.Duration", each.truncated),
    "String": lambda each: function("", each.text),
}


def duration(text: str) -> Duration:
    """What `1h30m` means. Raises Failed with Go's words."""
    if not _duration(text):
        raise Failed(f"time: invalid duration {quoted(text)}")
    total = 0
    for whole, fraction, unit in _amount.findall(text):
        scale = _UNITS[unit]
        total += int(whole or 0) * scale + (int(fraction) * scale // 10 ** len(fraction) if fraction else 0)
    if total > _MOST:
        raise Failed(f"time: invalid duration {quoted(text)}")
    return Duration(-total if text.startswith("-") else total)


def _faced(seconds: int, ns: int, zone_name: str, offset_s: int) -> Clockface:
    days, seconds = divmod(seconds, 86_400)
    # Python's calendar ends where Go's goes on; it repeats itself every 400 years.
    cycles = (days + _FIRST_DAY) // _CYCLE_DAYS
    day = date.fromordinal(days + _FIRST_DAY - cycles * _CYCLE_DAYS + _CYCLE_DAYS)
    return Clockface(
        day.year + (cycles - 1) * 400, day.month, day.day, day.isoweekday() % 7, day.timetuple().tm_yday,
        seconds // 3600, seconds // 60 % 60, seconds % 60, ns, zone_name, offset_s,
    )  # fmt: skip


class Time(Typed):
    """A moment, and the zone that it is told in."""

    type_name = "time.Time"
    __slots__ = ("ns", "zone")

    def __init__(self, ns: int = _ZERO, zone: Zone = UTC_ZONE) -> None:
        self.ns, self.zone = ns, zone

    @classmethod
    def of(cls, moment: datetime) -> "Time":
        past = moment - _EPOCH
        return cls((past.days * 86_400 + past.seconds) * SECOND + past.microseconds * MICROSECOND)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self.ns == other.ns and self.zone == other.zone

    def __hash__(self) -> int:
        return hash(self.ns)

    def face(self) -> Clockface:
        name, offset = self.zone.at(self.ns)
        seconds, ns = divmod(self.ns + offset * SECOND, SECOND)
        return _faced(seconds, ns, name, offset)

    def text(self) -> str:
        return shown(self.face(), "2006-01-02 15:04:05.999999999 -0700 MST")

    def add(self, ns: int) -> "Time":
        return Time(self.ns + ns, self.zone)

    def since(self, earlier: "Time") -> Duration:
        return Duration(max(-_MOST - 1, min(self.ns - earlier.ns, _MOST)))

    def member(self, name: str) -> Value:
        if name == "Format":
            return function("string", lambda layout: shown(self.face(), layout))
        made = _TIME.get(name)
        return INVALID if made is None else made(self)


def _added(moment: Time, years: int, months: int, days: int) -> Time:
    face = moment.face()
    months += face.year * 12 + face.month - 1 + years * 12
    year, month = months // 12, months % 12 + 1
    moved = _days(year, month) - _days(face.year, face.month) + days
    return moment.add(moved * 24 * HOUR)


def _days(year: int, month: int) -> int:
    cycles, year = divmod(year, 400)
    return date(year + 400, month, 1).toordinal() + cycles * _CYCLE_DAYS


Bound: TypeAlias = Callable[[Any], Function]
"""A method, given whose it is."""


def _face(of: str) -> Bound:
    return lambda each: function("", lambda: Int(getattr(each.face(), of)))


def _method(signature: str, call: Callable[..., Value]) -> Bound:
    return lambda each: function(signature, lambda *args: call(each, *args))


_TIME: Final[Mapping[str, Bound]] = {
    "Add": _method("time.Duration", lambda each, by: each.add(by)),
    "AddDate": _method("int int int", _added),
    "After": _method("time", lambda each, other: each.ns > other.ns),
    "Before": _method("time", lambda each, other: each.ns < other.ns),
    "Compare": _method("time", lambda each, other: Int((each.ns > other.ns) - (each.ns < other.ns))),
    "Day": _method("", lambda each: Int(each.face().day)),
    "Equal": _method("time", lambda each, other: each.ns == other.ns),
    "Hour": _face("hour"),
    "IsZero": _method("", lambda each: each.ns == _ZERO),
    "Local": _method("", lambda each: Time(each.ns)),
    "Minute": _face("minute"),
    "Month": _method("", lambda each: Month(each.face().month)),
    "Nanosecond": _face("ns"),
    "Round": _method("time.Duration", lambda each, to: Time(_ZERO + Duration(each.ns - _ZERO).rounded(to), each.zone)),
    "Second": _face("second"),
    "String": _method("", lambda each: each.text()),
    "Sub": _method("time", lambda each, other: each.since(other)),
    "Truncate": _method(
        "time.Duration", lambda each, to: Time(_ZERO + Duration(each.ns - _ZERO).truncated(to), each.zone)
    ),
    "UTC": _method("", lambda each: Time(each.ns)),
    "Unix": _method("", lambda each: each.ns // SECOND),
    "UnixMilli": _method("", lambda each: each.ns // MILLISECOND),
    "UnixMicro": _method("", lambda each: each.ns // MICROSECOND),
    "UnixNano": _method("", lambda each: each.ns),
    "Weekday": _method("", lambda each: Weekday(each.face().weekday)),
    "Year": _method("", lambda each: Int(each.face().year)),
    "YearDay": _method("", lambda each: Int(each.face().yearday)),
}
