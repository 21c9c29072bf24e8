"""Sync windows: when a project lets its applications be synced.

A window opens at each time of its schedule and stays open for its duration; a schedule without any time is always open,
as upstream has it. Time zones count by the offset that they have now, also for times when it was another.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from plumbline.base.errors import InvalidInput
from plumbline.base.glob import glob_matches
from plumbline.kinds.appproject import ApplicationDestination, SyncWindow
from plumbline.kinds.duration import Duration
from plumbline.kube.cron import Schedule, duration_fault, known_zone, parse

_INSTANT: Final = timedelta(microseconds=1)
_SECOND: Final = timedelta(seconds=1)
_MOST_TIMES: Final = 64
"""Times of a schedule that one look ahead follows: windows that touch each other are one long window."""


class _Timing(NamedTuple):
    schedule: Schedule
    length: timedelta


def matching(windows: Iterable[SyncWindow], name: str, destination: ApplicationDestination) -> tuple[SyncWindow, ...]:
    """Those that are about the application of that *name*, whose *destination* counts as it is written."""
    return tuple(window for window in windows if _concerns(window, name, destination))


def allowed(
    windows: Sequence[SyncWindow], *, manual: bool, now: datetime, operation_started: datetime | None = None
) -> bool:
    """Whether *windows*, all of which are about one application, let it be synced *now*.

    An open window that denies beats all that allow. Where windows allow, one of them has to be open. *manual* is
    whether a person asked for the sync, *operation_started* when the operation began that may go on.

    Raises InvalidInput where a window cannot be read: then there is no sync.
    """
    open_ = [window for window in windows if is_open(window, now, now)]
    denying = [window for window in open_ if window.kind == "deny"]
    if denying:
        blocking = denying
    elif any(window.kind == "allow" for window in open_):
        return True
    else:
        blocking = [window for window in windows if window.kind == "allow"]
    if not blocking or (manual and all(window.manual_sync for window in blocking)):
        return True
    if operation_started is None or not all(window.sync_overrun for window in blocking):
        return False
    return was_allowed(windows, operation_started, now, manual=manual)


def was_allowed(windows: Sequence[SyncWindow], then: datetime, now: datetime, *, manual: bool) -> bool:
    """As `allowed`, at another time and without anything that may go on."""
    open_ = [window for window in windows if is_open(window, then, now)]
    blocking = [window for window in open_ if window.kind == "deny"]
    if not blocking:
        if any(window.kind == "allow" for window in open_):
            return True
        blocking = [window for window in windows if window.kind == "allow"]
    return not blocking or (manual and all(window.manual_sync for window in blocking))


def is_open(window: SyncWindow, at: datetime, now: datetime) -> bool:
    """Whether *window* is open at some time, by the offset of its zone *now*. Raises InvalidInput."""
    timing = _timing(window.schedule, window.duration)
    local = at.astimezone(UTC) + _offset(window.time_zone, now)
    began = timing.schedule.after(local - timing.length)
    return began is None or began < local


def next_change(windows: Sequence[SyncWindow], now: datetime) -> datetime | None:
    """When to look again: no window opens or closes before; perhaps none does then. None if none ever will.

    Raises InvalidInput where a window cannot be read.
    """
    return min(filter(None, (_next_flip(window, now) for window in windows)), default=None)


def window_fault(window: SyncWindow) -> str:
    """Why a window cannot be used; empty if it can."""
    if window.kind not in {"allow", "deny"}:
        return f"kind '{window.kind}' mismatch: can only be allow or deny"
    try:
        _timing(window.schedule, window.duration)
    except InvalidInput as fault:
        return fault.what.removeprefix(_INVALID)
    if not (window.applications or window.namespaces or window.clusters):
        said = f"window '{window.kind}':'{window.schedule}':'{window.duration}'"
        return f"{said} requires one of application, cluster or namespace"
    return ""


def _concerns(window: SyncWindow, name: str, destination: ApplicationDestination) -> bool:
    asked = (
        (window.applications, (name,)),
        (window.clusters, tuple(filter(None, (destination.name, destination.server)))),
        (window.namespaces, (destination.namespace,)),
    )
    answers = [_one_fits(patterns, texts) for patterns, texts in asked if patterns]
    return bool(answers) and (all(answers) if window.and_operator else any(answers))


def _one_fits(patterns: Iterable[str], texts: Sequence[str]) -> bool:
    return any(pattern == "*" or glob_matches(pattern, text) for pattern in patterns for text in texts)


def _next_flip(window: SyncWindow, now: datetime) -> datetime | None:
    timing = _timing(window.schedule, window.duration)
    offset = _offset(window.time_zone, now)
    local = now.astimezone(UTC) + offset
    began = timing.schedule.after(local - timing.length)
    if began is None or timing.length <= timedelta():
        return None
    if began < local:
        flip = _last_of(timing, began) + timing.length
    else:
        # Its next time, which is the present one if it is just now: it is open from the instant after that on.
        starts = timing.schedule.after(local if local.microsecond else local - _SECOND)
        flip = (starts or began) + _INSTANT
    return _before_clocks_change(window.time_zone, now.astimezone(UTC), flip - offset)


def _last_of(timing: _Timing, began: datetime) -> datetime:
    """Of times so close that the window stays open between them, the last, as far as one looks."""
    for _ in range(_MOST_TIMES):
        following = timing.schedule.after(began)
        if following is None or following > began + timing.length:
            break
        began = following
    return began


def _before_clocks_change(zone: str, now: datetime, flip: datetime) -> datetime:
    """*flip*, or earlier the time at which the offset of *zone* changes, with which all its windows move."""
    before = _offset(zone, now)
    if _offset(zone, flip) == before:
        return flip
    low, high = now, flip
    while high - low > _SECOND:
        middle = low + (high - low) / 2
        low, high = (middle, high) if _offset(zone, middle) == before else (low, middle)
    return high


_INVALID: Final = "invalid sync windows: "


@lru_cache(maxsize=1024)
def _timing(schedule: str, duration: str) -> _Timing:
    try:
        parsed = parse(schedule, descriptors=False)
    except InvalidInput as fault:
        raise InvalidInput(f"{_INVALID}cannot parse schedule '{schedule}': {fault.what}") from fault
    if fault_ := duration_fault(duration):
        raise InvalidInput(f"{_INVALID}cannot parse duration '{duration}': time: {fault_}")
    return _Timing(parsed, timedelta(microseconds=Duration.parse(duration).ns // 1000))


def _offset(zone: str, at: datetime) -> timedelta:
    """A zone that nobody knows is UTC, as upstream has it."""
    found = _zone(zone)
    return (at.astimezone(found).utcoffset() if found else None) or timedelta()


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo | None:
    return ZoneInfo(name) if name and name != "UTC" and known_zone(name) else None
