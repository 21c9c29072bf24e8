"""From one type to another, and the parts of times."""

import math
import re
from contextlib import suppress
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from plumbline.apiserver.cel.floats import number_text
from plumbline.apiserver.cel.functions import Declared, of_text
from plumbline.apiserver.cel.library.arithmetic import duration, timestamp
from plumbline.apiserver.cel.times import (
    SECOND,
    Duration,
    Timestamp,
    duration_text,
    parse_duration,
    parse_timestamp,
    timestamp_text,
)
from plumbline.apiserver.cel.values import Uint, Value, type_of_value
from plumbline.base.errors import EvaluationFailed

_INT: Final = 2**63
_UINT: Final = 2**64
_TRUE: Final = frozenset(("1", "t", "true", "TRUE", "True"))
_FALSE: Final = frozenset(("0", "f", "false", "FALSE", "False"))
_integer: Final = re.compile(r"[+-]?[0-9]+").fullmatch
_natural: Final = re.compile(r"[0-9]+").fullmatch
_offset: Final = re.compile(r"([+-])?([0-9]{1,2}):([0-9]{2})").fullmatch


def _bool(text: str) -> bool:
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise EvaluationFailed("type conversion error from 'string' to 'bool'")


def _int_of_double(value: float) -> int:
    if math.isnan(value) or math.isinf(value) or not -_INT < value < _INT:
        raise EvaluationFailed("integer overflow")
    return int(value)


def _int_of_text(text: str) -> int:
    if not _integer(text) or not -_INT <= int(text[:30]) < _INT:
        raise EvaluationFailed("type conversion error from 'string' to 'int'")
    return int(text)


def _int_of_uint(value: int) -> int:
    if value >= _INT:
        raise EvaluationFailed("integer overflow")
    return int(value)


def _uint_of(value: float) -> Uint:
    if value != value or not 0 <= value < _UINT:  # noqa: PLR0124 - not a number
        raise EvaluationFailed("unsigned integer overflow")
    return Uint(int(value))


def _uint_of_text(text: str) -> Uint:
    if not _natural(text) or int(text[:30]) >= _UINT:
        raise EvaluationFailed("type conversion error from 'string' to 'uint'")
    return Uint(int(text))


def _double_of_text(text: str) -> float:
    if text.strip() == text:
        with suppress(ValueError):
            return float(text)
    raise EvaluationFailed("type conversion error from 'string' to 'double'")


def _text_of_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvaluationFailed("invalid UTF-8 in bytes, cannot convert to string") from None


def _duration_of(text: str) -> Duration:
    try:
        return parse_duration(text)
    except EvaluationFailed:
        raise EvaluationFailed("type conversion error from 'string' to 'google.protobuf.Duration'") from None


def _timestamp_of(text: str) -> Timestamp:
    try:
        read = parse_timestamp(text)
    except EvaluationFailed:
        raise EvaluationFailed("type conversion error from 'string' to 'google.protobuf.Timestamp'") from None
    return timestamp(read)


def _same(value: Value) -> Value:
    return value


CONVERSIONS: Final[tuple[Declared, ...]] = (
    ("bool", "(bool) -> bool", _same, None),
    ("bool", "(string) -> bool", _bool, None),
    ("bytes", "(bytes) -> bytes", _same, None),
    ("bytes", "(string) -> bytes", lambda text: text.encode(), of_text),
    ("double", "(double) -> double", _same, None),
    ("double", "(int) -> double", float, None),
    ("double", "(string) -> double", _double_of_text, None),
    ("double", "(uint) -> double", float, None),
    ("duration", "(duration) -> duration", _same, None),
    ("duration", "(int) -> duration", duration, None),
    ("duration", "(string) -> duration", _duration_of, None),
    ("dyn", "(A) -> dyn", _same, None),
    ("int", "(int) -> int", _same, None),
    ("int", "(double) -> int", _int_of_double, None),
    ("int", "(duration) -> int", int, None),
    ("int", "(string) -> int", _int_of_text, None),
    ("int", "(timestamp) -> int", lambda value: value // SECOND, None),
    ("int", "(uint) -> int", _int_of_uint, None),
    ("string", "(string) -> string", _same, None),
    ("string", "(bool) -> string", lambda value: "true" if value else "false", None),
    ("string", "(bytes) -> string", _text_of_bytes, of_text),
    ("string", "(double) -> string", number_text, None),
    ("string", "(duration) -> string", duration_text, None),
    ("string", "(int) -> string", str, None),
    ("string", "(timestamp) -> string", timestamp_text, None),
    ("string", "(uint) -> string", lambda value: str(int(value)), None),
    ("timestamp", "(timestamp) -> timestamp", _same, None),
    ("timestamp", "(int) -> timestamp", lambda value: timestamp(value * SECOND), None),
    ("timestamp", "(string) -> timestamp", _timestamp_of, None),
    ("type", "(A) -> type(A)", type_of_value, None),
    ("uint", "(uint) -> uint", _same, None),
    ("uint", "(double) -> uint", _uint_of, None),
    ("uint", "(int) -> uint", _uint_of, None),
    ("uint", "(string) -> uint", _uint_of_text, None),
)


def _offset_s(value: Timestamp, zone: str) -> int:
    """How far *zone* is from UTC at that time: `+02:00`, or a name such as `Europe/Berlin`."""
    if zone in {"", "UTC"}:
        return 0
    written = _offset(zone)
    if written:
        seconds = int(written[2]) * 3600 + int(written[3]) * 60
        return -seconds if written[1] == "-" else seconds
    try:
        offset = value.when().astimezone(ZoneInfo(zone)).utcoffset()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise EvaluationFailed(f"unknown time zone {zone}") from None
    return int(offset.total_seconds()) if offset else 0


def _calendar(part: str, value: Timestamp, zone: str = "") -> int:
    offset_s = _offset_s(value, zone)
    moment = value.when(offset_s)
    if part == "getDayOfWeek":
        return moment.isoweekday() % 7
    if part == "getDayOfYear":
        return moment.timetuple().tm_yday - 1
    if part == "getMilliseconds":
        return value % SECOND // 1_000_000
    attribute, less = _PARTS[part]
    return int(getattr(moment, attribute)) - less


_PARTS: Final = {
    "getFullYear": ("year", 0), "getMonth": ("month", 1), "getDate": ("day", 0), "getDayOfMonth": ("day", 1),
    "getHours": ("hour", 0), "getMinutes": ("minute", 0), "getSeconds": ("second", 0),
}  # fmt: skip


def _part(name: str) -> tuple[Declared, Declared]:
    return (
        (name, "timestamp.() -> int", lambda value: _calendar(name, value), None),
        (name, "timestamp.(string) -> int", lambda value, zone: _calendar(name, value, zone), None),
    )


def _toward_zero(value: int, unit: int) -> int:
    return -(-value // unit) if value < 0 else value // unit


TIMES: Final[tuple[Declared, ...]] = (
    *(each for name in (*_PARTS, "getDayOfWeek", "getDayOfYear", "getMilliseconds") for each in _part(name)),
    ("getHours", "duration.() -> int", lambda value: _toward_zero(value, 3600 * SECOND), None),
    ("getMinutes", "duration.() -> int", lambda value: _toward_zero(value, 60 * SECOND), None),
    ("getSeconds", "duration.() -> int", lambda value: _toward_zero(value, SECOND), None),
    ("getMilliseconds", "duration.() -> int", lambda value: _toward_zero(value, 1_000_000), None),
)
