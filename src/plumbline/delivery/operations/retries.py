"""How long to wait before a sync is tried again, and before drift is corrected once more. Pure."""

import re
from datetime import datetime, timedelta
from typing import Final

import msgspec

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.kinds.application import OperationState, RetryStrategy
from plumbline.kinds.duration import Duration
from plumbline.kinds.timestamp import Time

FIRST_WAIT_S: Final = 5.0
LONGEST_WAIT_S: Final = 180.0
FACTOR: Final = 2
_SECONDS: Final = re.compile(r"[+-]?\d{1,12}", re.ASCII)
_FOREVER_S: Final = 100 * 365 * 86400.0


class Healing(msgspec.Struct, frozen=True):
    """How patient self-healing is; the first correction comes at once."""

    first_s: float = 2.0
    factor: int = 3
    longest_s: float = 300.0


def seconds(text: str) -> float:
    """A duration as sync policies write it: a number alone means seconds."""
    return float(text) if _SECONDS.fullmatch(text) else Duration.parse(text).ns / 1e9


def wait_s(retry: RetryStrategy, attempts: int) -> float:
    """Seconds between the end of attempt number *attempts* (from zero) and the next one."""
    backoff = retry.backoff
    first_s = seconds(backoff.duration) if backoff is not None and backoff.duration else FIRST_WAIT_S
    longest_s = seconds(backoff.max_duration) if backoff is not None and backoff.max_duration else LONGEST_WAIT_S
    factor = backoff.factor if backoff is not None and backoff.factor is not None else FACTOR
    try:
        wanted_s = first_s * float(factor) ** attempts
    except OverflowError:
        wanted_s = _FOREVER_S
    return max(min(wanted_s, longest_s if longest_s > 0 else _FOREVER_S, _FOREVER_S), 0.0)


def retried(state: OperationState, now: datetime) -> OperationState:
    """*state*, which has failed, as it goes on: waiting for its next attempt, or over."""
    limit = state.operation.retry.limit
    if 0 <= limit <= state.retry_count:
        told = f"{state.message} (retried {state.retry_count} times)." if state.retry_count else state.message
        return msgspec.structs.replace(state, message=told, finished_at=rfc3339(now))
    try:
        again = now + timedelta(seconds=wait_s(state.operation.retry, state.retry_count))
    except InvalidInput as broken:
        told = f"{state.message} (failed to retry: {broken})"
        return msgspec.structs.replace(state, phase="Error", message=told, finished_at=rfc3339(now))
    count = state.retry_count + 1
    told = f"{state.message}. Retrying attempt #{count} at {_kitchen(again)}."
    return msgspec.structs.replace(state, phase="Running", message=told, retry_count=count, finished_at=rfc3339(now))


def awaits_retry(state: OperationState) -> bool:
    """An operation that runs and has ended is one that waits to be tried again."""
    return state.phase == "Running" and bool(state.finished_at)


def due_in_s(state: OperationState, now: datetime) -> float:
    """Seconds until an operation that awaits its retry is due; zero or less: it is."""
    return _left_s(wait_s(state.operation.retry, state.retry_count - 1), state.finished_at, now)


def begun_again(state: OperationState) -> OperationState:
    """The next attempt of an operation that was waiting for it."""
    operation, told = state.operation, ""
    if operation.retry.refresh and operation.sync is not None:
        told = " with latest revisions"
        sync = msgspec.structs.replace(operation.sync, revision="", revisions=())
        operation = msgspec.structs.replace(operation, sync=sync)
    message = f"Retrying operation{told}. Attempt #{state.retry_count}"
    return msgspec.structs.replace(state, operation=operation, message=message, finished_at="", sync_result=None)


def healing_in_s(state: OperationState | None, attempts: int, healing: Healing, now: datetime) -> float:
    """Seconds until drift may be corrected again, after *attempts* in a row; zero or less: now."""
    if state is None or attempts == 0:
        return 0.0
    delay_s = min(healing.first_s * float(healing.factor) ** min(attempts - 1, 60), healing.longest_s)
    return _left_s(delay_s, state.finished_at, now)


def _left_s(delay_s: float, since: str, now: datetime) -> float:
    """What is left of a wait. Much more than the wait itself means that the clock was set back: then it is over."""
    left_s = delay_s - since_s(since, now)
    return left_s if left_s <= 2 * delay_s else 0.0


def since_s(moment: str, now: datetime) -> float:
    """Seconds since *moment*, as it was written down; none where it cannot be read."""
    try:
        return (now - Time.read(moment).moment).total_seconds()
    except ValueError:
        return 0.0


def _kitchen(moment: datetime) -> str:
    """As Go prints the time of day."""
    return moment.strftime("%I:%M%p").lstrip("0")
