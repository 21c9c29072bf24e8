"""Moments as text in Go's layouts, both ways."""

import re
from datetime import date
from typing import Final

from plumbline.gotemplate.faces import DAYS, MONTHS, PART, shown
from plumbline.gotemplate.moments import SECOND, Time, Zone
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import Failed

_CENTURY: Final = 69
"""Two-digit years before this one are of the twenty-first century."""


def written(moment: Time, layout: str) -> str:
    """*moment* as *layout* shows."""
    return shown(moment.face(), layout)


_number: Final = re.compile(r"[0-9]+").match
_zone_name: Final = re.compile(r"[A-Z]{3,4}T?|[A-Z]{3,4}|[+-][0-9]{2}").match
_zone_offset: Final = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})?:?([0-9]{2})?").match
_WIDTHS: Final = {"2006": 4, "_2006": 4, "002": 3, "__2": 3}
_FIELDS: Final = {
    "2006": "year", "_2006": "year", "06": "short year", "01": "month", "1": "month", "02": "day", "_2": "day", "2": "day",
    "002": "day of year", "__2": "day of year", "15": "hour", "03": "hour12", "3": "hour12", "04": "minute", "4": "minute",
    "05": "second", "5": "second",
}  # fmt: skip
_RANGES: Final = {"month": (1, 12), "hour": (0, 23), "hour12": (0, 12), "minute": (0, 59), "second": (0, 59)}


def read(layout: str, text: str) -> Time:
    """The moment that *text* tells in *layout*. Raises Failed with Go's words."""
    return _Reading(layout, text).moment()


class _Reading:
    def __init__(self, layout: str, text: str) -> None:
        self._layout, self._text, self._rest = layout, text, text
        self._found: dict[str, int] = {}
        self._ns = 0
        self._zone = Zone()
        self._afternoon: bool | None = None

    def moment(self) -> Time:
        done = 0
        for found in PART.finditer(self._layout):
            self._literal(self._layout[done : found.start()])
            self._take(found[0])
            done = found.end()
        self._literal(self._layout[done:])
        if self._rest:
            raise self._fail(f": extra text: {quoted(self._rest)}")
        return self._told()

    def _fail(self, message: str) -> Failed:
        return Failed(f"parsing time {quoted(self._text)}{message}")

    def _cannot(self, part: str) -> Failed:
        return Failed(
            f"parsing time {quoted(self._text)} as {quoted(self._layout)}: "
            f"cannot parse {quoted(self._rest)} as {quoted(part)}"
        )

    def _literal(self, text: str) -> None:
        if not self._rest.startswith(text):
            raise self._cannot(text)
        self._rest = self._rest[len(text) :]

    def _take(self, part: str) -> None:
        if part in _FIELDS:
            self._numeral(part)
        elif part in {"January", "Jan", "Monday", "Mon"}:
            self._name(part)
        elif part in {"PM", "pm"}:
            self._half(part)
        elif part[0] in ".,":
            self._split_second(part)
        else:
            self._place(part)

    def _numeral(self, part: str) -> None:
        if part[0] == "_":
            self._rest = self._rest.lstrip("_ " if part == "_2006" else " ")
        widest = _WIDTHS.get(part, 2)
        exact = part[0] == "0" or part in _WIDTHS
        digits = _number(self._rest[:widest])
        if digits is None or (exact and part != "__2" and len(digits[0]) < widest):
            raise self._cannot(part)
        self._rest = self._rest[len(digits[0]) :]
        field, value = _FIELDS[part], int(digits[0])
        least, most = _RANGES.get(field, (0, 9999))
        if not least <= value <= most:
            raise self._fail(f": {field.removesuffix('12')} out of range")
        self._found[field] = value
        following = re.match(r"[.,][0-9]+", self._rest)
        if (
            field == "second"
            and following
            and not re.match(r"[.,]", self._layout[self._layout.find(part) + len(part) :])
        ):
            self._split_second(following[0])

    def _name(self, part: str) -> None:
        names = MONTHS if part.startswith("J") else DAYS
        for at, name in enumerate(names, start=1):
            wanted = name if part in {"January", "Monday"} else name[:3]
            if self._rest[: len(wanted)].lower() == wanted.lower():
                self._rest = self._rest[len(wanted) :]
                if names is MONTHS:
                    self._found["month"] = at
                return
        raise self._cannot(part)

    def _half(self, part: str) -> None:
        half, self._rest = self._rest[:2], self._rest[2:]
        if half not in ({"AM", "PM"} if part == "PM" else {"am", "pm"}):
            self._rest = half + self._rest
            raise self._cannot(part)
        self._afternoon = half.lower() == "pm"

    def _split_second(self, part: str) -> None:
        found = re.match(r"[.,]([0-9]+)", self._rest)
        if found is None:
            if part[1] == "9":
                return
            raise self._cannot(part)
        digits = found[1]
        if part[1] == "0" and set(part[1:]) == {"0"}:
            digits = digits[: len(part) - 1]
        self._ns = int(digits[:9].ljust(9, "0"))
        self._rest = self._rest[1 + len(digits) :]

    def _place(self, part: str) -> None:
        if part[0] == "Z" and self._rest.startswith("Z"):
            self._rest = self._rest[1:]
            return
        found = _zone_name(self._rest) if part == "MST" else _zone_offset(self._rest)
        if found is None:
            raise self._cannot(part)
        self._rest = self._rest[found.end() :]
        if part == "MST":
            self._zone = Zone(found[0]) if found[0] != "UTC" else Zone()
            return
        sign, hours, minutes, seconds = found.groups()
        offset = int(hours) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
        if offset:
            self._zone = Zone("", -offset if sign == "-" else offset)

    def _told(self) -> Time:
        found = self._found
        year = found.get("year", 0)
        if "short year" in found:
            year = found["short year"] + (1900 if found["short year"] >= _CENTURY else 2000)
        hour = found.get("hour", found.get("hour12", 0))
        if self._afternoon is not None and "hour" not in found:
            hour = hour % 12 + (12 if self._afternoon else 0)
        # Python's calendar begins with the year 1 and Go's with the year 0, which is as long as the year 4.
        shift = 1461 if year == 0 else 0
        try:
            day = date(year or 4, found.get("month", 1), found.get("day", 1))
            if "day of year" in found:
                day = date.fromordinal(date(year or 4, 1, 1).toordinal() + found["day of year"] - 1)
        except (OverflowError, ValueError):
            raise self._fail(": day out of range") from None
        days = day.toordinal() - date(1970, 1, 1).toordinal() - shift
        seconds = days * 86_400 + hour * 3600 + found.get("minute", 0) * 60 + found.get("second", 0)
        return Time((seconds - self._zone.offset_s) * SECOND + self._ns, self._zone)
