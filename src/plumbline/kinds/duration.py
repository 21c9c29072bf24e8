"""Durations as Go writes and reads them: `3m`, `1h30m`, `-1.5h`; whole nanoseconds within 64 bits."""

import re
from functools import total_ordering
from typing import ClassVar, Final, Self

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

_UNITS_NS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # U+00B5, the micro sign
    "μs": 1_000,  # U+03BC, the Greek letter: Go reads both
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_LOWEST_NS: Final = -(2**63)
_HIGHEST_NS: Final = 2**63 - 1
_LONGEST_TEXT: Final = 200
_TERM: Final = re.compile(r"(?P<whole>[0-9]*)(?P<point>\.?)(?P<part>[0-9]*)(?P<unit>[^.0-9]*)")
_HINT: Final = "Write numbers with units, such as 30s, 5m or 1h30m; units are ns, us, ms, s, m and h."


class BadDuration(ValueError):
    """Why a text is not a duration; callers who know the path turn it into InvalidInput."""


@total_ordering
class Duration:
    """A length of time. Subclasses narrow it with `lowest` and `highest`; what is outside cannot be made."""

    __slots__ = ("ns",)

    openapi: ClassVar[JsonObject] = {"type": "string"}
    lowest: ClassVar["Duration | None"] = None
    highest: ClassVar["Duration | None"] = None

    def __init__(self, ns: int) -> None:
        if not _LOWEST_NS <= ns <= _HIGHEST_NS:
            raise BadDuration("a duration of less than 292 years")
        self.ns = ns
        if self.lowest is not None and ns < self.lowest.ns:
            raise BadDuration(f"a duration of at least {self.lowest}")
        if self.highest is not None and ns > self.highest.ns:
            raise BadDuration(f"a duration of at most {self.highest}")

    @classmethod
    def of_seconds(cls, seconds: float) -> Self:
        return cls(round(seconds * 1_000_000_000))

    @classmethod
    def parse(cls, text: str) -> Self:
        """As Go's time.ParseDuration: the same texts are refused, the same fractions are rounded down."""
        try:
            return cls(_nanoseconds(text))
        except BadDuration as reason:
            raise InvalidInput(f"Not a duration: {_quoted(text)}", why=f"expected {reason}", hint=_HINT) from reason

    @classmethod
    def read(cls, raw: Json) -> Self:
        if not isinstance(raw, str):
            raise BadDuration("a duration such as 30s or 1h30m, as a string")
        return cls(_nanoseconds(raw))

    def write(self) -> str:
        return str(self)

    @property
    def seconds(self) -> float:
        return self.ns / 1_000_000_000

    def __str__(self) -> str:
        """As Go prints it: `1h30m0s`, `1.5s`, `250ms`."""
        sign, ns = ("-", -self.ns) if self.ns < 0 else ("", self.ns)
        if ns < _UNITS_NS["s"]:
            return sign + _small(ns)
        minutes, rest = divmod(ns, _UNITS_NS["m"])
        hours, minutes_left = divmod(minutes, 60)
        seconds = _decimal(rest, _UNITS_NS["s"]) + "s"
        if hours:
            return f"{sign}{hours}h{minutes_left}m{seconds}"
        return f"{sign}{minutes}m{seconds}" if minutes else sign + seconds

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self.ns == other.ns

    def __lt__(self, other: "Duration") -> bool:
        return self.ns < other.ns

    def __hash__(self) -> int:
        return hash(self.ns)


def _nanoseconds(text: str) -> int:
    if len(text) > _LONGEST_TEXT:
        raise BadDuration(f"a duration of at most {_LONGEST_TEXT} characters")
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in {"-", "+"} else text
    if rest == "0":
        return 0
    if not rest:
        raise BadDuration("a number with a unit, such as 30s")
    total, at = 0, 0
    while at < len(rest):
        term = _TERM.match(rest, at)
        if term is None:  # pragma: no cover - every part of the pattern may be empty, so it matches anywhere
            raise BadDuration("a number with a unit, such as 30s")
        total += _term(term)
        at = term.end()
    return -total if negative else total


def _term(term: re.Match[str]) -> int:
    whole, part, unit = term["whole"], term["part"], term["unit"]
    if not whole and not part:
        raise BadDuration("a number before each unit")
    if not unit:
        raise BadDuration("a unit after each number")
    unit_ns = _UNITS_NS.get(unit)
    if unit_ns is None:
        raise BadDuration(f"a unit among ns, us, ms, s, m and h, not {_quoted(unit)}")
    return int(whole or "0") * unit_ns + _fraction(part, unit_ns)


def _fraction(digits: str, unit_ns: int) -> int:
    """Go's arithmetic to the last nanosecond: digits beyond 64 bits are dropped, the product is a float cut off."""
    value, scale = 0, 1.0
    for digit in digits:
        longer = value * 10 + int(digit)
        if value > _HIGHEST_NS // 10 or longer > 2**63:
            break
        value, scale = longer, scale * 10
    return int(float(value) * (float(unit_ns) / scale))


def _small(ns: int) -> str:
    if ns == 0:
        return "0s"
    for unit in ("ms", "µs"):
        if ns >= _UNITS_NS[unit]:
            return _decimal(ns, _UNITS_NS[unit]) + unit
    return f"{ns}ns"


def _decimal(ns: int, unit_ns: int) -> str:
    whole, part = divmod(ns, unit_ns)
    digits = str(part).rjust(len(str(unit_ns)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…")
