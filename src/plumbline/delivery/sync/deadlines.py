"""How long a sync, and one resource in it, may take."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.delivery.operations.retries import seconds, since_s
from plumbline.delivery.sync.tasks import Task
from plumbline.kube.names import Ref

TIMEOUT: Final = "plumbline.dev/sync-timeout"
"""On an Application: how long a sync of it may take. On a resource: how long it may take to become healthy."""
TIMED_OUT: Final = "controller sync timeout"
"""What an end by termination is said to be triggered by when the time of the sync was over."""


def timeout_s(annotations: Mapping[str, str]) -> float | None:
    """What an object says about itself; None if nothing. Raises InvalidInput for what is no length of time."""
    text = annotations.get(TIMEOUT)
    if text is None:
        return None
    value_s = seconds(text.strip())
    if value_s <= 0:
        raise InvalidInput(
            f"Not a time that anything could take: {text!r}",
            why=f"annotation {TIMEOUT} has to be more than nothing",
            hint="Write a length of time such as 90s or 10m, or take the annotation away.",
        )
    return value_s


def left_s(started_at: str, limit_s: float | None, now: datetime) -> float | None:
    """Seconds that a sync has left, none or fewer when its time is over; None where nothing limits it."""
    return limit_s - since_s(started_at, now) if limit_s else None


def overdue(tasks: Iterable[Task], since: Mapping[Ref, datetime], now: datetime) -> frozenset[Ref]:
    """Which of *tasks*, waited for *since* then, have had their time."""
    return frozenset(
        task.ref
        for task in tasks
        if task.timeout_s is not None
        and task.ref in since
        and (now - since[task.ref]).total_seconds() >= task.timeout_s
    )
