"""Moments. The server reads them with any offset and writes them in UTC: in whole seconds, or in microseconds."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json

_WRITTEN: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?Z")
_READ: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_SECONDS_LENGTH: Final = len("2026-01-01T00:00:00Z")
_MICRO_DIGITS: Final = 6


def in_seconds(text: Json) -> Json:
    """*text* as the server writes the moment, cut to seconds; what is none stays for decoding to refuse."""
    if type(text) is not str or (len(text) == _SECONDS_LENGTH and _WRITTEN.fullmatch(text)):
        return text
    moment = _moment(text)
    return text if moment is None else rfc3339(moment)


def in_microseconds(text: Json) -> Json:
    """The same for moments that are read and written with six digits after the point, neither more nor less."""
    if type(text) is not str or _WRITTEN.fullmatch(text):
        return text
    read = _READ.fullmatch(text)
    moment = _moment(text) if read and len(read[7] or "") == _MICRO_DIGITS else None
    return text if moment is None else f"{rfc3339(moment)[:-1]}.{moment.microsecond:06}Z"


def _moment(text: str) -> datetime | None:
    read = _READ.fullmatch(text)
    if read is None:
        return None
    *parts, fraction, zone = read.groups()
    year, month, day, hour, minute, second = map(int, parts)
    micro = int((fraction or "")[:_MICRO_DIGITS].ljust(_MICRO_DIGITS, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, micro, UTC) - _offset(zone)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str) -> timedelta:
    if zone == "Z":
        return timedelta()
    ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return -ahead if zone[0] == "-" else ahead
