"""What looks at claims and at composites have in common."""

from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.conditions import PAUSED, PAUSED_MESSAGE, Condition, found
from plumbline.composition.served import Open
from plumbline.kernel.outcomes import Stuck
from plumbline.kernel.reconciler import Event, Run

Look = Run[Open, Open]


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
