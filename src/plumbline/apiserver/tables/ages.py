"""How long ago something was, in the few characters that a column has for it."""

import re
from datetime import date
from functools import lru_cache
from typing import Final

from plumbline.base.json import Json

UNKNOWN: Final = "<unknown>"
INVALID: Final = "<invalid>"

_LONGEST_S: Final = (2**63 - 1) // 10**9
"""Go counts nanoseconds in 64 bits and stops there, after 292 years."""
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_H: Final = 24
_YEAR_D: Final = 365

_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_CALENDAR_YEARS: Final = 400
_CALENDAR_DAYS: Final = 146_097
_HIGHEST: Final = (23, 59, 59)
_HIGHEST_OFFSET: Final = (24, 60)
_FRACTION_DIGITS: Final = 9


def human_duration(seconds: float) -> str:
    """Two or three figures of a duration: `42s`, `3m5s`, `47h`, `2y30d`. A clock may be one second behind."""
    whole = int(min(max(seconds, -_LONGEST_S), _LONGEST_S))
    if whole < 0:
        return INVALID if whole < -1 else "0s"
    if whole < 2 * _MINUTE_S:
        return f"{whole}s"
    minutes = whole // _MINUTE_S
    if minutes < 10:  # noqa: PLR2004 - up to here seconds still matter
        return _two(minutes, "m", whole % _MINUTE_S, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    return _in_hours(minutes)


def _in_hours(minutes: int) -> str:
    hours = minutes // 60
    if hours < 8:  # noqa: PLR2004 - up to here minutes still matter
        return _two(hours, "h", minutes % 60, "m")
    days = hours // _DAY_H
    if days < 2:  # noqa: PLR2004 - below, days are told in hours
        return f"{hours}h"
    if days < 8:  # noqa: PLR2004 - up to here hours still matter
        return _two(days, "d", hours % _DAY_H, "h")
    years = days // _YEAR_D
    if years < 2:  # noqa: PLR2004 - below, years are told in days
        return f"{days}d"
    return _two(years, "y", days % _YEAR_D, "d") if years < 8 else f"{years}y"  # noqa: PLR2004 - days matter until then


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def since(timestamp: Json, now_s: float) -> str:
    """The age of *timestamp* at *now_s*, or `<unknown>` where there is none."""
    at_s = moment_s(timestamp) if isinstance(timestamp, str) else None
    return UNKNOWN if at_s is None else human_duration(now_s - at_s)


@lru_cache(maxsize=8192)
def moment_s(text: str) -> float | None:
    """Seconds since 1970; None for what is no time, and for the year 1, which stands for none."""
    parts = _RFC3339.fullmatch(text)
    if parts is None or text == "0001-01-01T00:00:00Z":
        return None
    clock = int(parts[4]), int(parts[5]), int(parts[6])
    offset = (int(parts[9]), int(parts[10])) if parts[8] else (0, 0)
    if any(part > highest for part, highest in zip(clock + offset, _HIGHEST + _HIGHEST_OFFSET, strict=True)):
        return None
    # Python's calendar begins with the year 1, Go's with 0; both repeat after 400 years.
    year = int(parts[1])
    try:
        day = date(year or _CALENDAR_YEARS, int(parts[2]), int(parts[3])).toordinal()
    except ValueError:
        return None
    days = day - _EPOCH_DAY - (0 if year else _CALENDAR_DAYS)
    east_s = offset[0] * _HOUR_S + offset[1] * _MINUTE_S
    whole = days * 86_400 + clock[0] * _HOUR_S + clock[1] * _MINUTE_S + clock[2]
    fraction = float(f"0.{parts[7][:_FRACTION_DIGITS]}") if parts[7] else 0.0
    return whole + fraction + (east_s if parts[8] == "-" else -east_s)
