"""What a composite reports. Pure."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.composition import marks
from plumbline.composition.composites.state import At
from plumbline.composition.conditions import (
    AVAILABLE,
    SYSTEM,
    TROUBLE,
    Condition,
    creating,
    first_of,
    found,
    synced,
    with_conditions,
)
from plumbline.composition.looking import status_of
from plumbline.composition.machinery import OF_STATUS
from plumbline.kernel.outcomes import Done, Stop

FATAL: Final = "A fatal error occurred before the status of this condition could be determined."
_LONGEST_WHY: Final = 4000


def ended(at: At | None, outcome: Stop) -> Condition:
    """`Synced`: how the look ended, and which resources are not as they should be."""
    if not isinstance(outcome, Done) or at is None or not at.unsynced:
        return synced(outcome)
    message = f"Unsynced resources: {first_of(each.name for each in at.unsynced)}. {at.unsynced[0].why}"
    return Condition("Synced", "False", "ReconcileError", message[:_LONGEST_WHY])


def ready(at: At) -> Condition:
    said = at.composed.desired.composite.ready
    if said == "True":
        return AVAILABLE
    unready = [each.name for each in at.plan.wanted if not each.ready]
    unready += [name for name in at.composed.left_alone if name not in unready]
    trouble = _trouble(at)
    if said == "False" and not trouble:
        return creating()
    return creating(f"Unready resources: {first_of(unready)}{trouble}") if unready else AVAILABLE


def _trouble(at: At) -> str:
    """What the first of those that are not ready says about itself: whoever looks here should not have to look further."""
    for each in sorted(at.plan.wanted, key=lambda each: each.name):
        for type_ in ("Synced", "Ready"):
            condition = found(each.live.object, type_) if each.live is not None and not each.ready else None
            if condition is not None and condition.get("status") == "False" and condition.get("message"):
                return f"{TROUBLE}{each.name}: {condition['message']}"
    return ""


def news(composite: JsonObject, at: At) -> bool:
    """Whether functions report something that they have not been shown yet: they may make something of it."""
    before = status_of(composite)
    return _merged(before, _wanted(at)) != before


def reported(composite: JsonObject, at: At | None, conditions: Iterable[Condition], now: str) -> JsonObject:
    """The status as it should be."""
    before = status_of(composite)
    after = dict(before)
    if at is not None and at.complete:
        wanted = _wanted(at)
        after = _merged(_given_up(before, wanted, _ours(composite)), wanted)
    if at is not None:
        conditions = (*conditions, *_custom(before, at))
        claimed = {each.type for each in at.composed.conditions if each.recipient == "CompositeAndClaim"} - SYSTEM
        known = before.get("claimConditionTypes") or []
        if claimed - set(known):
            after["claimConditionTypes"] = [*known, *sorted(claimed - set(known))]
        if at.published:
            after["connectionDetails"] = {"lastPublishedTime": now}
    after["conditions"] = with_conditions(before.get("conditions"), conditions, now)
    return after


def _wanted(at: At) -> JsonObject:
    said = status_of(at.composed.desired.composite.resource)
    return {key: value for key, value in said.items() if key not in OF_STATUS}


def _custom(before: JsonObject, at: At) -> list[Condition]:
    """Conditions of functions; after a fatal error nobody knows about those that were not reached."""
    said = [
        Condition(each.type, each.status, each.reason, each.message)
        for each in at.composed.conditions
        if each.type not in SYSTEM
    ]
    if not at.composed.fatal:
        return said
    reached = {each.type for each in said} | SYSTEM
    known = [str(each.get("type")) for each in before.get("conditions") or [] if isinstance(each, dict)]
    return said + [Condition(type_, "Unknown", "FatalError", FATAL) for type_ in known if type_ not in reached]


def _ours(composite: JsonObject) -> JsonObject:
    """The fields of the status that composing has set before, as managedFields has them."""
    entries = composite["metadata"].get("managedFields") or []
    held = [each for each in entries if each.get("manager") == marks.COMPOSITE_MANAGER and each.get("subresource")]
    fields = held[0].get("fieldsV1") if held else None
    return (fields.get("f:status") or {}) if isinstance(fields, dict) else {}


def _given_up(before: JsonObject, wanted: JsonObject, ours: JsonObject) -> JsonObject:
    """*before* without what we once set and nobody wants any more."""
    kept: JsonObject = {}
    for key, value in before.items():
        held = ours.get(f"f:{key}")
        if held is None or key in OF_STATUS:
            kept[key] = value
        elif key in wanted:
            below: Json = wanted[key]
            both = isinstance(value, dict) and isinstance(below, dict)
            kept[key] = _given_up(value, below, held) if both else value
        elif isinstance(value, dict) and any(each.startswith("f:") for each in held):
            rest = _given_up(value, {}, held)
            if rest:
                kept[key] = rest
    return kept


def _merged(under: JsonObject, over: JsonObject) -> JsonObject:
    result = dict(under)
    for key, value in over.items():
        below = under.get(key)
        result[key] = _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result
