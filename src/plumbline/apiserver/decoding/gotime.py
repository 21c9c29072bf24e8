"""Times as Go parses them, which takes a little more than RFC 3339, and what it says of others."""

import re
from calendar import monthrange
from typing import Final

RFC3339: Final = "2006-01-02T15:04:05Z07:00"
RFC3339_MICRO: Final = "2006-01-02T15:04:05.000000Z07:00"

_MONTHS: Final = 12
_HOURS: Final = 24
_SIXTY: Final = 60
_MICROS: Final = 7
"""The point and six digits."""
_fraction: Final = re.compile(rb"[.,][0-9]+").match
_micros: Final = re.compile(rb"[.,]([0-9]{6}|[+-][0-9]{5})").match
_zone: Final = re.compile(rb"(.)(..):(..)", re.DOTALL).match


def time_fault(text: str, layout: str = RFC3339) -> str:
    """Why *text* is no time in that layout; nothing if it is one."""
    return _Parsing(text.encode(errors="surrogatepass"), layout).fault()


class _Bad(Exception):
    """The text is the reason."""


class _Parsing:
    def __init__(self, text: bytes, layout: str) -> None:
        self._text = self._rest = text
        self._layout = layout

    def fault(self) -> str:
        try:
            self._parse()
        except _Bad as bad:
            return str(bad)
        return ""

    def _parse(self) -> None:
        year = self._year()
        self._literal(b"-")
        month = self._number("01", range(1, _MONTHS + 1), "month")
        self._literal(b"-")
        day = self._number("02")
        self._literal(b"T")
        self._number("15", range(_HOURS), "hour", one_digit=True)
        self._literal(b":")
        self._number("04", range(_SIXTY), "minute")
        self._literal(b":")
        self._number("05", range(_SIXTY), "second")
        self._seconds_fraction()
        self._time_zone()
        if self._rest:
            raise self._out(f": extra text: {_quote(self._rest)}")
        if not 1 <= day <= monthrange(year or 4, month)[1]:
            raise self._out(": day out of range")

    def _year(self) -> int:
        written = self._rest[:4]
        if len(written) < 4 or not written.isdigit():  # noqa: PLR2004 - the digits of a year
            raise self._cannot("2006", self._rest)
        self._rest = self._rest[4:]
        return int(written)

    def _number(self, element: str, allowed: range | None = None, name: str = "", *, one_digit: bool = False) -> int:
        rest = self._rest
        if rest[:2].isdigit() and len(rest) > 1:
            taken = 2
        elif one_digit and rest[:1].isdigit():
            taken = 1
        else:
            raise self._cannot(element, rest)
        self._rest = rest[taken:]
        number = int(rest[:taken])
        if allowed is not None and number not in allowed:
            raise self._out(f": {name} out of range")
        return number

    def _literal(self, char: bytes) -> None:
        if not self._rest.startswith(char):
            raise self._cannot(char.decode(), self._rest)
        self._rest = self._rest[1:]

    def _seconds_fraction(self) -> None:
        if self._layout == RFC3339_MICRO:
            micros = _micros(self._rest)
            if micros is None:
                raise self._cannot(".000000", self._rest)
            self._rest = self._rest[_MICROS:]
            if int(micros[1]) < 0:
                raise self._out(": fractional second out of range")
        elif found := _fraction(self._rest):
            self._rest = self._rest[found.end() :]

    def _time_zone(self) -> None:
        rest = self._rest
        if rest.startswith(b"Z"):
            self._rest = rest[1:]
            return
        found = _zone(rest)
        if found is None:
            raise self._cannot("Z07:00", rest)
        # Ranges are looked at before signs and before what is no number.
        sign, hours, minutes = found.groups()
        if hours.isdigit() and minutes.isdigit() and int(minutes) > _SIXTY:
            raise self._out(": time zone offset minute out of range")
        if hours.isdigit() and int(hours) > _HOURS:
            raise self._out(": time zone offset hour out of range")
        if sign not in b"+-" or not hours.isdigit() or not minutes.isdigit():
            raise self._cannot("Z07:00", rest)
        self._rest = rest[found.end() :]

    def _cannot(self, element: str, rest: bytes) -> _Bad:
        layout = f'"{self._layout}"'
        return _Bad(f'parsing time {_quote(self._text)} as {layout}: cannot parse {_quote(rest)} as "{element}"')

    def _out(self, why: str) -> _Bad:
        return _Bad(f"parsing time {_quote(self._text)}{why}")


def _quote(text: bytes) -> str:
    return '"' + "".join(_SHOWN.get(byte) or chr(byte) for byte in text) + '"'


_SHOWN: Final = {
    **{byte: f"\\x{byte:02x}" for byte in (*range(0x20), *range(0x80, 0x100))},
    ord('"'): '\\"',
    ord("\\"): "\\\\",
}
