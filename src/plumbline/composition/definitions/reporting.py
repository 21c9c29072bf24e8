"""Conditions as Crossplane writes them, kept in place and in order; a status that did not change is not written."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.kernel.conditions import Condition, merged
from plumbline.kernel.outcomes import Done, Stop

_LONGEST_MESSAGE: Final = 1024

Status: TypeAlias = Literal["True", "False", "Unknown"]


def condition(type_: str, status: Status, reason: str, message: str = "", generation: int = 0) -> Condition:
    cut = message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"
    return Condition(type_, status, reason, cut, generation)


def synced(outcome: Stop, generation: int) -> Condition:
    """Whether the last look came to its end, and why not."""
    if isinstance(outcome, Done):
        return condition("Synced", "True", "ReconcileSuccess", generation=generation)
    return condition("Synced", "False", outcome.reason, outcome.message, generation)


def status_patch(
    obj: JsonObject, conditions: Iterable[Condition], now: str, *, fields: JsonObject | None = None
) -> JsonObject:
    """The merge patch that brings *conditions* and *fields* into the status; empty where they are there already."""
    live = obj.get("status")
    before: JsonObject = live if isinstance(live, dict) else {}
    listed = before.get("conditions")
    ours = tuple(conditions)
    owned = frozenset(each.type for each in ours)
    found, changed = merged(listed if isinstance(listed, list) else [], ours, owned, now)
    new = {key: value for key, value in (fields or {}).items() if before.get(key) != value}
    if not changed and not new:
        return {}
    return {"status": {**new, **({"conditions": found} if changed else {})}}


def condition_of(obj: JsonObject, type_: str) -> JsonObject:
    """The condition as it was last written; empty where it never was."""
    live = obj.get("status")
    listed = live.get("conditions") if isinstance(live, dict) else None
    found = (each for each in listed or () if isinstance(each, dict) and each.get("type") == type_)
    return next(found, {})
