"""Times and durations as Go writes and reads them, in nanoseconds."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from plumbline.base.errors import EvaluationFailed
from plumbline.kube.gotext import quoted

SECOND: Final = 1_000_000_000
_UNITS: Final = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND,
}  # fmt: skip
MOST_NANOSECONDS: Final = 2**63 - 1

_part: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([^0-9.]+)").match
_timestamp: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})", re.ASCII
).fullmatch
_date: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII).fullmatch
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Duration(int):
    """Nanoseconds."""

    __slots__ = ()


class Timestamp(int):
    """Nanoseconds since 1970 in UTC."""

    __slots__ = ()

    def when(self, offset_s: int = 0) -> datetime:
        """To the microsecond, in a zone that is *offset_s* off UTC."""
        return _EPOCH + timedelta(seconds=self // SECOND + offset_s, microseconds=self % SECOND // 1_000)


def parse_duration(text: str) -> Duration:
    """As Go's time.ParseDuration does."""
    rest = text[1:] if text[:1] in {"+", "-"} else text
    sign = -1 if text.startswith("-") else 1
    if rest == "0":
        return Duration(0)
    if not rest:
        raise _bad_duration(text)
    total = 0
    at = 0
    while at < len(rest):
        part = _part(rest, at)
        if part is None:
            raise _missing_unit(text, rest[at:])
        unit = _UNITS.get(part[2])
        if unit is None:
            raise EvaluationFailed(f"time: unknown unit {quoted(part[2])} in duration {quoted(text)}")
        total += int(Decimal(part[1]) * unit)
        at = part.end()
    if total > MOST_NANOSECONDS + (sign < 0):
        raise _bad_duration(text)
    return Duration(sign * total)


def _bad_duration(text: str) -> EvaluationFailed:
    return EvaluationFailed(f"time: invalid duration {quoted(text)}")


def _missing_unit(text: str, rest: str) -> EvaluationFailed:
    if rest[:1].isdigit():
        return EvaluationFailed(f"time: missing unit in duration {quoted(text)}")
    return _bad_duration(text)


def duration_text(value: int) -> str:
    """As CEL's string() does: seconds."""
    whole, fraction = divmod(abs(value), SECOND)
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{'-' if value < 0 else ''}{whole}{digits}s"


def parse_timestamp(text: str) -> Timestamp:
    """RFC 3339, with the words of Go where it is not."""
    read = _timestamp(text)
    if read is None:
        raise EvaluationFailed(f'parsing time {quoted(text)} as "2006-01-02T15:04:05Z07:00": cannot parse')
    try:
        moment = datetime(*(int(each) for each in read.groups()[:6]), tzinfo=UTC)  # type: ignore[misc,arg-type] # six of them
    except ValueError:
        raise EvaluationFailed(f"parsing time {quoted(text)}: day out of range") from None
    nanoseconds = int(read[7][1:10].ljust(9, "0")) if read[7] else 0
    return Timestamp((_seconds(moment) - _offset_s(read[8])) * SECOND + nanoseconds)


def parse_date(text: str) -> Timestamp:
    read = _date(text)
    if read is not None:
        with suppress(ValueError):
            return Timestamp(_seconds(datetime(int(read[1]), int(read[2]), int(read[3]), tzinfo=UTC)) * SECOND)
    raise EvaluationFailed(f'parsing time {quoted(text)} as "2006-01-02": cannot parse')


def timestamp_text(value: Timestamp) -> str:
    """RFC 3339 with as many digits after the second as are needed."""
    moment = value.when()
    fraction = f".{value % SECOND:09d}".rstrip("0") if value % SECOND else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + fraction + "Z"


def _seconds(moment: datetime) -> int:
    elapsed = moment - _EPOCH
    return elapsed.days * 86_400 + elapsed.seconds


def _offset_s(zone: str) -> int:
    if zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
    return -seconds if zone[0] == "-" else seconds
