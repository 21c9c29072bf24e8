"""Points in time as seconds since the epoch, and their two spellings in objects."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION: Final = re.compile(r"(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+(?:\.[0-9]+)?)s)?(?:([0-9]+)ms)?")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LONGEST: Final = 20
_MINUTE_S: Final = 60
_HOUR_S: Final = 3600


def seconds_of(moment: datetime) -> float:
    return (moment - _EPOCH).total_seconds()


def moment_of(at_s: float) -> datetime:
    return _EPOCH + timedelta(seconds=at_s)


def stamp(at_s: float | None) -> str | None:
    """As metav1.Time is written; null where there is no moment."""
    return None if at_s is None else rfc3339(moment_of(at_s))


def precise_stamp(moment: datetime) -> str:
    """As metav1.MicroTime is written."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def instant(text: Json) -> float | None:
    """The moment that *text* names; None where it names none."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return seconds_of(moment) if moment.tzinfo else None


def duration_s(text: str) -> float | None:
    """Seconds of `90s`, `1m30s`, `250ms`, or of a plain number; None where it is no duration."""
    if len(text) > _LONGEST:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    parts = _DURATION.fullmatch(text)
    if not text or parts is None:
        return None
    hours, minutes, seconds, millis = (float(part or 0) for part in parts.groups())
    return hours * _HOUR_S + minutes * _MINUTE_S + seconds + millis / 1000


def printed_duration(whole_s: int) -> str:
    """As Go prints a duration of whole seconds: `10s`, `1m20s`, `5m0s`, `1h0m0s`."""
    minutes, seconds = divmod(whole_s, _MINUTE_S)
    hours, minutes = divmod(minutes, _MINUTE_S)
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
