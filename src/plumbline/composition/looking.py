"""What looks at claims and at composites have in common."""

from typing import Any

from plumbline.base.errors import Refused, Transient
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.conditions import PAUSED, PAUSED_MESSAGE, Condition, found
from plumbline.composition.served import Open
from plumbline.kernel.outcomes import Stuck
from plumbline.kernel.reconciler import Event, Run, Step

Look = Run[Open, Open]


def patient(*steps: Step) -> tuple[Step, ...]:
    """*steps*, where what is refused is tried again with growing patience.

    A namespace, a quota, a policy or somebody else's Secret is what they may be refused for, and nobody tells us when that is over.
    """
    return tuple(map(_patient, steps))


def _patient(step: Step) -> Step:
    async def tried(run: Look, at: Any) -> Any:
        try:
            return await step(run, at)
        except Refused as refused:
            raise Transient(str(refused)) from refused

    return tried


async def unless_paused(run: Look, _: object) -> Stuck | None:
    annotations = run.object["metadata"].get("annotations") or {}
    return Stuck(PAUSED, PAUSED_MESSAGE) if annotations.get(marks.PAUSED) == "true" else None


def status_of(obj: JsonObject) -> JsonObject:
    status = obj.get("status")
    return status if isinstance(status, dict) else {}


def warnings(obj: JsonObject, synced: Condition, reason: str) -> tuple[Event, ...]:
    """An event where something else than before went wrong."""
    if synced.status == "True" or synced.reason == PAUSED:
        return ()
    was = found(obj, "Synced") or {}
    same = was.get("status") == synced.status and was.get("message", "") == synced.message
    return () if same else (Event(reason, synced.message, warning=True),)
