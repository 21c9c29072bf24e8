"""What a SealedSecret says of itself: upstream's one condition, never older than what it speaks of. Pure."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.kernel.outcomes import Done, Stop
from plumbline.kernel.reconciler import Event

SYNCED: Final = "Synced"
UNSEALED: Final = "Unsealed"
UNSEAL_FAILED: Final = "ErrUnsealFailed"
UPDATE_FAILED: Final = "ErrUpdateFailed"
SUCCESS: Final = "SealedSecret unsealed successfully"
_UNSEALING: Final = frozenset({
    "BadDocument", "EvaluationFailed", "InvalidInput", "InvalidSpec", "LimitExceeded", "NoSealingKey", "Undecryptable",
})  # fmt: skip


def told(before: JsonObject, outcome: Stop, generation: int, now: str) -> JsonObject:
    """The whole status after a look; equal to *before* where there is nothing new to say."""
    was = condition(before)
    holds, reason, message = "True", "", ""
    if not isinstance(outcome, Done):
        holds, reason, message = "False", outcome.reason, outcome.message
    said = {"type": SYNCED, "status": holds, "reason": reason, "message": message}
    same = all((was.get(name) or "") == value for name, value in said.items())
    if same and before.get("observedGeneration") == generation:
        return before
    changed = was.get("lastTransitionTime") if was.get("status") == holds else None
    synced = {**said, "lastUpdateTime": now, "lastTransitionTime": changed or now}
    others = [each for each in _conditions(before) if each.get("type") != SYNCED]
    shown = {name: value for name, value in synced.items() if value}
    return {**before, "observedGeneration": generation, "conditions": [shown, *others]}


def transitions(before: JsonObject, after: JsonObject) -> tuple[Event, ...]:
    """A warning where something else than before went wrong. That it went well is told when a Secret is written."""
    was, now = condition(before), condition(after)
    if now.get("status") != "False" or (was.get("status"), was.get("message")) == ("False", now.get("message")):
        return ()
    if now.get("reason") in _UNSEALING:
        return (Event(UNSEAL_FAILED, f"Failed to unseal: {now['message']}", warning=True),)
    return (Event(UPDATE_FAILED, now["message"], warning=True),)


def condition(status: JsonObject) -> Mapping[str, str]:
    return next((each for each in _conditions(status) if each.get("type") == SYNCED), {})


def wording(error: PlumblineError) -> str:
    """What is wrong, and what to do about it."""
    return f"{error}. {error.hint}" if error.hint else str(error)


def _conditions(status: JsonObject) -> list[JsonObject]:
    listed = status.get("conditions")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
