"""The status of a Terraform object, from what a look has found. Pure."""

from typing import Any, Final

from plumbline.base.json import JsonObject
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.reconciler import Event
from plumbline.terraform.looking import PROGRESSING, At

LONGEST_MESSAGE: Final = 20_000
"""Runes, as upstream has it."""
WAITING: Final = frozenset({"TerraformPlannedWithChanges", "DependencyNotReady", PROGRESSING})
"""Reasons to wait that are no failure."""
FAILED_RUNS: Final = frozenset({
    "TFExecNewFailed", "TFExecInitFailed", "TFExecPlanFailed", "TFExecApplyFailed", "TFExecDestroyFailed",
    "TFExecOutputFailed", "DriftDetectionFailed", "OutputsWritingFailed", "PostPlanningWebhookFailed",
    "VarsGenerationFailed", "TemplateGenerationFailed", "SelectWorkspaceFailed",
})  # fmt: skip
_LOSES_PLAN: Final = frozenset({"TFExecApplyFailed", "TFExecDestroyFailed"})


def told(before: JsonObject, at: At, outcome: Stop, generation: int, now: str) -> JsonObject:
    """The whole status after a look."""
    notes = {**at.notes}
    reason = outcome.reason if isinstance(outcome, Wait | Stuck) else ""
    if reason in FAILED_RUNS:
        notes["reconciliationFailures"] = _failures(before, notes, generation) + 1
    elif at.report is not None and at.report.failure is None:
        notes["reconciliationFailures"] = 0
    if reason in _LOSES_PLAN:
        # The state has moved, or may have: what was approved is no longer what would happen.
        notes["plan"] = {**_plan(before), **(notes.get("plan") or {}), "pending": ""}
    ready = _ready(before, at, outcome)
    after = {**before, **notes}
    if ready is not None and not at.quiet:
        after["observedGeneration"] = generation
    after["conditions"] = _conditions(before, (*at.conditions, *_summing_up(at, outcome, ready)), generation, now)
    return {name: value for name, value in after.items() if value not in ("", None)}


def _failures(before: JsonObject, notes: JsonObject, generation: int) -> int:
    """How often this very thing has failed already: another revision or another object begins anew."""
    attempted = notes.get("lastAttemptedRevision", before.get("lastAttemptedRevision"))
    same = attempted == before.get("lastAttemptedRevision") and before.get("observedGeneration") == generation
    return int(before.get("reconciliationFailures") or 0) if same else 0


def transitions(before: JsonObject, after: JsonObject) -> tuple[Event, ...]:
    """An event where Ready became something else than it was."""
    was, now = _found(before, "Ready"), _found(after, "Ready")
    if now is None or now["reason"] == PROGRESSING:
        return ()
    if was is not None and all(was.get(name) == now.get(name) for name in ("status", "reason", "message")):
        return ()
    return (Event(now["reason"], now["message"], warning=now["status"] == "False"),)


def _ready(before: JsonObject, at: At, outcome: Stop) -> Condition | None:
    if isinstance(outcome, Done):
        if at.reason:
            return Condition("Ready", "True", at.reason, at.message)
        was = _found(before, "Ready")
        return (
            None
            if was is not None and was.get("status") == "True"
            else Condition("Ready", "True", "NoDrift", "No drift")
        )
    if at.quiet:
        return None
    waiting = isinstance(outcome, Wait) and outcome.reason in WAITING
    return Condition("Ready", "Unknown" if waiting else "False", outcome.reason, outcome.message)


def _summing_up(at: At, outcome: Stop, ready: Condition | None) -> tuple[Condition, ...]:
    found = [] if ready is None else [ready]
    if isinstance(outcome, Wait) and outcome.reason == PROGRESSING and not at.quiet:
        found.append(Condition("Reconciling", "True", PROGRESSING, outcome.message))
    if isinstance(outcome, Stuck):
        found.append(Condition("Stalled", "True", outcome.reason, outcome.message))
    return tuple(found)


_PASSING: Final = frozenset({"Reconciling", "Stalled"})


def _conditions(before: JsonObject, fresh: tuple[Condition, ...], generation: int, now: str) -> list[JsonObject]:
    """What is said now in place of what was; what is under way or stuck is said only while it is."""
    listed = [each for each in before.get("conditions") or [] if isinstance(each, dict)]
    new = {each.type: each for each in fresh}
    quiet = not {"Ready"} & new.keys()
    kept = [
        _written(new.pop(each["type"]), each, generation, now) if each.get("type") in new else each
        for each in listed
        if each.get("type") in new or quiet or each.get("type") not in _PASSING
    ]
    return [*kept, *(_written(each, {}, generation, now) for each in new.values())]


def _written(condition: Condition, was: JsonObject, generation: int, now: str) -> JsonObject:
    since = was.get("lastTransitionTime") if was.get("status") == condition.status else now
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": _cut(condition.message),
        "lastTransitionTime": since or now,
        "observedGeneration": generation,
    }


def _plan(status: JsonObject) -> JsonObject:
    plan = status.get("plan")
    return plan if isinstance(plan, dict) else {}


def _found(status: JsonObject, type_: str) -> Any:
    listed = status.get("conditions")
    conditions = listed if isinstance(listed, list) else []
    return next((each for each in conditions if isinstance(each, dict) and each.get("type") == type_), None)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "..."
