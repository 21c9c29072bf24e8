"""Crossplane's two conditions, `Synced` and `Ready`, and those that functions add. Pure."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kernel.outcomes import Done, Stop

SYSTEM: Final = frozenset({"Ready", "Synced", "Healthy", "UpToDate", "Responsive"})
"""Types that no function may set."""
PAUSED: Final = "ReconcilePaused"
PAUSED_MESSAGE: Final = "Reconciliation (including deletion) is paused via the pause annotation"
TROUBLE: Final = " — "
"""Between the list of what is not ready and what one of them says about itself."""
_LONGEST: Final = 4096
_FIRST: Final = 3


class Condition(NamedTuple):
    type: str
    status: str
    reason: str
    message: str = ""


AVAILABLE: Final = Condition("Ready", "True", "Available")
DELETING: Final = Condition("Ready", "False", "Deleting")
SUCCESS: Final = Condition("Synced", "True", "ReconcileSuccess")


def creating(message: str = "") -> Condition:
    return Condition("Ready", "False", "Creating", message)


def synced(outcome: Stop) -> Condition:
    """How a look ended, as `Synced` says it."""
    if isinstance(outcome, Done):
        return SUCCESS
    if outcome.reason == PAUSED:
        return Condition("Synced", "False", PAUSED, outcome.message)
    return Condition("Synced", "False", "ReconcileError", outcome.message)


def first_of(names: Iterable[str]) -> str:
    """Some of *names* and how many more, the same for the same names; just as many as are shown end in "and"."""
    ordered = sorted(names)
    if len(ordered) == _FIRST:
        return f"{', '.join(ordered[:-1])}, and {ordered[-1]}"
    more = len(ordered) - _FIRST
    return ", ".join(ordered[:_FIRST]) + (f", and {more} more" if more > 0 else "")


def with_conditions(live: Json, ours: Iterable[Condition], now: str) -> list[JsonObject]:
    """The list where *ours* are as they should be. A condition's time changes with its status, reason or message."""
    listed = [dict(each) for each in live if isinstance(each, dict)] if isinstance(live, list) else []
    at = {str(each.get("type")): index for index, each in enumerate(listed)}
    for condition in ours:
        made = _written(condition)
        index = at.get(condition.type)
        if index is None:
            at[condition.type] = len(listed)
            listed.append({**made, "lastTransitionTime": now})
        elif any(listed[index].get(field, "") != made.get(field, "") for field in ("status", "reason", "message")):
            listed[index] = {**made, "lastTransitionTime": now}
    return listed


def _written(condition: Condition) -> JsonObject:
    message = condition.message
    shown = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
    made: JsonObject = {"type": condition.type, "status": condition.status, "reason": condition.reason}
    return made | {"message": shown} if shown else made


def is_true(obj: JsonObject, type_: str) -> bool:
    condition = found(obj, type_)
    return condition is not None and condition.get("status") == "True"


def found(obj: JsonObject, type_: str) -> JsonObject | None:
    conditions = (obj.get("status") or {}).get("conditions")
    if not isinstance(conditions, list):
        return None
    return next((each for each in conditions if isinstance(each, dict) and each.get("type") == type_), None)
