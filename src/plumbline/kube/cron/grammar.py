"""What may be written as a schedule: the grammar of robfig/cron, and its complaints word for word."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from plumbline.kube.gotext import quoted

_INT64: Final = range(-(2**63), 2**63)
_integer: Final = re.compile("[+-]?[0-9]+").fullmatch
_DESCRIPTORS: Final = {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
_EVERY: Final = "@every "
_FIELDS: Final = 5
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_amount: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)").match
_zone_part: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


class _Fault(Exception):
    pass


class _Bounds(NamedTuple):
    low: int
    high: int
    names: tuple[str, ...] = ()
    first: int = 0


_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_BOUNDS: Final = (_Bounds(0, 59), _Bounds(0, 23), _Bounds(1, 31), _Bounds(1, 12, _MONTHS, 1), _Bounds(0, 6, _DAYS))


@lru_cache(maxsize=256)
def schedule_fault(schedule: str, *, descriptors: bool = True) -> str:
    """Why *schedule* is none, or nothing. Some readers take no *descriptors*, such as `@daily`."""
    try:
        _check(schedule, descriptors=descriptors)
    except _Fault as fault:
        return str(fault)
    return ""


def known_zone(name: str) -> bool:
    """Whether *name* is a time zone that a person may ask for; `Local` is none, for it differs from place to place."""
    parts = name.split("/")
    if any(part in {".", ".."} or part.startswith("-") or not _zone_part(part) for part in parts):
        return False
    return name.lower() != "local" and _loadable(name)


def _check(schedule: str, *, descriptors: bool) -> None:
    if not schedule:
        raise _Fault("empty spec string")
    rest = schedule
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        name, space, rest = schedule.partition("=")[2].partition(" ")
        if not space:
            raise _Fault("invalid schedule format: runtime error: slice bounds out of range [:-1]")
        if not _loadable(name):
            raise _Fault(f"provided bad location {name}: unknown time zone {name}")
        rest = rest.strip()
    if rest.startswith("@"):
        if not descriptors:
            raise _Fault(f"parser does not accept descriptors: {rest}")
        _check_descriptor(rest)
        return
    fields = rest.split()
    if len(fields) != _FIELDS:
        raise _Fault(f"expected exactly {_FIELDS} fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, bounds in zip(fields, _BOUNDS, strict=True):
        for expression in filter(None, field.split(",")):
            _check_range(expression, bounds)


def _check_range(expression: str, bounds: _Bounds) -> None:
    span, *steps = expression.split("/")
    low, *others = span.split("-")
    if low in {"*", "?"}:
        start, end = bounds.low, bounds.high
    else:
        start = _number_or_name(low, bounds)
        if len(others) > 1:
            raise _Fault(f"too many hyphens: {expression}")
        end = _number_or_name(others[0], bounds) if others else start
    if len(steps) > 1:
        raise _Fault(f"too many slashes: {expression}")
    step = _number(steps[0]) if steps else 1
    if steps and not others:
        end = bounds.high
    _check_bounds(start, end, bounds, expression)
    if step == 0:
        raise _Fault(f"step of range should be a positive number: {expression}")


def _check_bounds(start: int, end: int, bounds: _Bounds, expression: str) -> None:
    if start < bounds.low:
        raise _Fault(f"beginning of range ({start}) below minimum ({bounds.low}): {expression}")
    if end > bounds.high:
        raise _Fault(f"end of range ({end}) above maximum ({bounds.high}): {expression}")
    if start > end:
        raise _Fault(f"beginning of range ({start}) beyond end of range ({end}): {expression}")


def _number_or_name(expression: str, bounds: _Bounds) -> int:
    name = expression.lower()
    return bounds.names.index(name) + bounds.first if name in bounds.names else _number(expression)


def _number(expression: str) -> int:
    digits = _integer(expression)
    value = int(expression) if digits and len(expression) <= 20 else None  # noqa: PLR2004 - digits of 64 bits and a sign
    if value is None or value not in _INT64:
        why = "value out of range" if digits else "invalid syntax"
        raise _Fault(f"failed to parse int from {expression}: strconv.Atoi: parsing {quoted(expression)}: {why}")
    if value < 0:
        raise _Fault(f"negative number ({value}) not allowed: {expression}")
    return value


def _check_descriptor(descriptor: str) -> None:
    if descriptor in _DESCRIPTORS:
        return
    if not descriptor.startswith(_EVERY):
        raise _Fault(f"unrecognized descriptor: {descriptor}")
    if fault := duration_fault(descriptor.removeprefix(_EVERY)):
        raise _Fault(f"failed to parse duration {descriptor}: time: {fault}")


def duration_fault(text: str) -> str:
    rest = text[1:] if text[:1] in {"-", "+"} else text
    if rest == "0":
        return ""
    bad = f"invalid duration {quoted(text)}"
    total = 0
    while rest:
        parts = _amount(rest)
        if parts is None or not (parts[1] or parts[2]):
            return bad
        if not parts[3]:
            return f"missing unit in duration {quoted(text)}"
        unit = _UNITS.get(parts[3])
        if unit is None:
            return f"unknown unit {quoted(parts[3])} in duration {quoted(text)}"
        total += int(parts[1] or "0") * unit
        rest = rest[parts.end() :]
        if total >= 2**63:
            return bad
    return "" if text.lstrip("+-") else bad


@lru_cache(maxsize=256)
def _loadable(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - few objects need it, and it reads files

    if name in {"", "UTC", "Local"}:
        return True
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
