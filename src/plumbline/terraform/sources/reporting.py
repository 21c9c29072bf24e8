"""How a GitRepository is, in upstream's conditions: one list for each way a look can end. Pure."""

from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.kernel.conditions import Condition, merged
from plumbline.kernel.outcomes import Done, Stop, Stuck
from plumbline.kernel.reconciler import Change, Event
from plumbline.terraform.sources.trouble import condition_of

OWNED: Final = frozenset({
    "Ready", "Reconciling", "Stalled", "ArtifactInStorage", "ArtifactOutdated", "FetchFailed", "IncludeUnavailable",
    "StorageOperationFailed", "SourceVerified",
})  # fmt: skip
_LONGEST: Final = 20_000
_SUCCEEDED: Final = "Succeeded"
_RETRYING: Final = "ProgressingWithRetry"


class Found(NamedTuple):
    """What a look that went well has found."""

    fields: JsonObject
    """Of the status, besides conditions. One that is None is taken out."""
    revision: str
    verified: str = ""


class Looked(NamedTuple):
    object: JsonObject
    outcome: Stop
    found: Found | None
    requested: str
    """Value of the annotation that asked for this look; empty if nobody did."""


def change(looked: Looked, now: str) -> Change:
    before = _mapping(looked.object.get("status"))
    generation = looked.object["metadata"].get("generation") or 0
    listed = before.get("conditions")
    had: list[JsonObject] = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    ours = _conditions(looked, before, had, generation)
    types = {each.type for each in ours}
    kept = [each for each in had if each.get("type") in types or each.get("type") not in OWNED]
    conditions, _ = merged(kept, ours, OWNED, now)
    settled = looked.found is not None or isinstance(looked.outcome, Stuck)
    fields: JsonObject = {
        **(looked.found.fields if looked.found else {}),
        "conditions": conditions,
        **({"observedGeneration": generation} if settled else {}),
        **({"lastHandledReconcileAt": looked.requested} if looked.requested else {}),
    }
    patch = {name: _instead(value, before.get(name)) for name, value in fields.items() if value != before.get(name)}
    return Change({"status": patch} if patch else {}, _events(had, ours, looked))


def _conditions(looked: Looked, before: JsonObject, had: list[JsonObject], generation: int) -> tuple[Condition, ...]:
    if looked.found is not None:
        stored = f"stored artifact for revision '{looked.found.revision}'"
        verified = looked.found.verified
        return (
            Condition("Ready", "True", _SUCCEEDED, stored, generation),
            Condition("ArtifactInStorage", "True", _SUCCEEDED, stored, generation),
            *((Condition("SourceVerified", "True", _SUCCEEDED, verified, generation),) if verified else ()),
        )
    return (*_failed(looked.outcome, generation), *_staying(looked.outcome, before, had))


def _failed(outcome: Stop, generation: int) -> tuple[Condition, ...]:
    if isinstance(outcome, Done):
        return ()
    reason, message = outcome.reason, outcome.message[:_LONGEST]
    kind = condition_of(reason)
    state = "False" if kind == "SourceVerified" else "True"
    course = (
        Condition("Stalled", "True", reason, message, generation)
        if isinstance(outcome, Stuck)
        else Condition("Reconciling", "True", _RETRYING, "reconciliation in progress", generation)
    )
    return (
        course,
        Condition("Ready", "False", reason, message, generation),
        Condition(kind, state, reason, message, generation),
    )


def _staying(outcome: Stop, before: JsonObject, had: list[JsonObject]) -> tuple[Condition, ...]:
    """What is said of the artifact that is still there stays said."""
    failed = "" if isinstance(outcome, Done) else condition_of(outcome.reason)
    lasting = {"ArtifactInStorage", "SourceVerified"} - {failed} if before.get("artifact") else set[str]()
    return tuple(
        Condition(
            each["type"],
            "True",
            str(each.get("reason", "")),
            str(each.get("message", "")),
            each.get("observedGeneration") or 0,
        )
        for each in had
        if each.get("type") in lasting and each.get("status") == "True"
    )


def _events(had: list[JsonObject], ours: tuple[Condition, ...], looked: Looked) -> tuple[Event, ...]:
    """Of a failure that is new, and of its end; that there is a new artifact is told by whoever makes it."""
    was = next((each for each in had if each.get("type") == "Ready"), {})
    ready = next((each for each in ours if each.type == "Ready"), None)
    if ready is None:
        return ()
    if looked.found is None and (was.get("reason"), was.get("message")) != (ready.reason, ready.message):
        return (Event(ready.reason, ready.message, warning=True),)
    if looked.found is not None and was.get("status") == "False":
        return (Event(_SUCCEEDED, ready.message),)
    return ()


def _instead(value: Json, before: Json) -> Json:
    """A merge patch that leaves nothing of what was there before."""
    if not isinstance(value, dict) or not isinstance(before, dict):
        return value
    return {**dict.fromkeys(before.keys() - value.keys()), **value}


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
