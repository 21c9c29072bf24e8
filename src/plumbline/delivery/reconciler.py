"""A look at an Application, from top to bottom."""

from typing import Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery import status
from plumbline.delivery.fitting import LEAST_BYTES, ROOM_BYTES
from plumbline.delivery.status import REFRESH, Asked, Condition, Picture, skipped
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.departing import Departing, Parted
from plumbline.delivery.steps.operating import Operating
from plumbline.delivery.steps.progressing import ENDED
from plumbline.delivery.steps.recording import Recording
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.state import At
from plumbline.delivery.steps.targeting import Targeting
from plumbline.delivery.sync.teardown import finalizers
from plumbline.delivery.valuesfrom.discretion import discreet_conditions
from plumbline.kernel.outcomes import Done, Stuck, Wait
from plumbline.kernel.reconciler import Change, Executed, Reconciler, Run, Seen
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus, Operation, OperationState
from plumbline.kinds.read import read_part
from plumbline.kube.health import Status
from plumbline.kube.object import Object

Look = Run[ApplicationSpec, ApplicationStatus]


_DELETION_ERROR: Final = "DeletionError"


class Steps(NamedTuple):
    ruling: Ruling
    targeting: Targeting
    comparing: Comparing
    operating: Operating
    departing: Departing
    recording: Recording


class ApplicationReconciler(Reconciler[ApplicationSpec, ApplicationStatus]):
    name = "application"
    kind = APPLICATION

    def __init__(self, control_namespace: str, steps: Steps) -> None:
        self._control_namespace = control_namespace
        self._ruling = steps.ruling
        self.steps = (
            self._unless_skipped,
            steps.ruling.ruled,
            steps.targeting.sought,
            steps.comparing.fared,
            steps.comparing.compared,
            steps.targeting.proven,
            steps.recording.noticed,
            steps.operating.operated,
            steps.recording.recorded,
            _rested,
        )
        self.teardown = (self._unless_skipped, steps.departing.parted, _rested)

    def change(self, seen: Seen[ApplicationSpec, ApplicationStatus], executed: Executed, now: str) -> Change:
        """Upstream's status, which has conditions of its own kind and no subresource."""
        return self._change(seen, executed, now, ROOM_BYTES)

    def smaller(self, seen: Seen[ApplicationSpec, ApplicationStatus], executed: Executed, now: str) -> Change | None:
        return self._change(seen, executed, now, LEAST_BYTES)

    def _change(
        self, seen: Seen[ApplicationSpec, ApplicationStatus], executed: Executed, now: str, room_bytes: int
    ) -> Change:
        obj = seen.object
        if self._left_alone(obj, seen.run):
            return Change({})
        state = executed.state
        if isinstance(state, Parted):
            return Change(_parting(obj, state, executed, self._control_namespace, now))
        at = state if isinstance(state, At) else None
        picture = _picture(at, executed)
        asked = Asked(_is_dealt_with(obj, at), REFRESH in Object(obj).annotations)
        refused = _refused_operation(seen, executed, now)
        if refused is not None:
            picture, asked = picture._replace(operation=refused), asked._replace(operation=True)
        patch = status.change(obj, picture, asked, self._control_namespace, now, room_bytes=room_bytes)
        return Change(_with_finalizers(patch, obj, at), status.transitions(obj, patch))

    async def _unless_skipped(self, run: Look, at: None) -> Any:
        """Somebody wants it left alone."""
        del at
        return Done() if self._left_alone(run.object, run) else None

    def _left_alone(self, obj: JsonObject, run: Look | None) -> bool:
        return skipped(Object(obj).annotations) or (run is not None and self._ruling.left_alone(run.spec.destination))


async def _rested(run: Look, at: At | Parted) -> Done | Wait:
    """When to look again, and at what."""
    del run
    told = at.waiting_for if isinstance(at, At) else at.message
    if told:
        return Wait("Operation", told, at.again_in_s if at.again_in_s is not None else 30.0)
    unjudged_s = at.comparison.again_in_s if isinstance(at, At) and at.comparison is not None else None
    return Done(min((each for each in (at.again_in_s, unjudged_s) if each is not None), default=None))


def _picture(at: At | None, executed: Executed) -> Picture:
    """What the steps found; what they did not come to stays as it was, but for being in doubt."""
    conditions = _conditions(at, executed)
    blind = executed.reported.stopped_at in {"InvalidSpecError", "ComparisonError"}
    if at is None or at.target is None or at.comparison is None:
        health = Status.UNKNOWN if executed.reported.stopped_at == "InvalidSpecError" else None
        message = ""
        if at is not None and at.faring is not None:
            health, message = at.faring
        return Picture(sync="Unknown" if blind else None, health=health, health_message=message, conditions=conditions)
    target, comparison, operated = at.target, at.comparison, at.operated
    return Picture(
        sync=comparison.status,
        revisions=target.revisions,
        health=comparison.health,
        health_message=comparison.health_message,
        resources=comparison.resources,
        source_types=target.source_types,
        summary=target.summary,
        operation=operated.state if operated is not None else None,
        history=operated.history if operated is not None else None,
        conditions=conditions,
    )


def _conditions(at: At | None, executed: Executed) -> tuple[Condition, ...]:
    found = at.conditions if at is not None else ()
    if at is not None and at.comparison is not None:
        found = (*found, *at.comparison.conditions)
    reported = executed.reported
    if isinstance(reported.outcome, Stuck | Wait) and (reported.stopped_at or isinstance(reported.outcome, Stuck)):
        kind = reported.stopped_at or "InvalidSpecError"
        found = (*found, Condition(kind, reported.outcome.message))
    return discreet_conditions(found, at.target.values if at is not None and at.target is not None else None)


def _is_dealt_with(obj: JsonObject, at: At | None) -> bool:
    return obj.get("operation") is not None and at is not None and at.operated is not None and at.operated.taken


def _refused_operation(
    seen: Seen[ApplicationSpec, ApplicationStatus], executed: Executed, now: str
) -> OperationState | None:
    """An operation that was asked for and cannot even be looked at ends at once, with the reason; so does one that is ended."""
    if seen.run is None or not isinstance(executed.reported.outcome, Stuck):
        return None
    last = seen.run.read.status.operation_state
    message = f"{executed.reported.stopped_at}: {executed.reported.outcome.message}"
    if last is not None and last.phase == "Terminating":
        return msgspec.structs.replace(last, phase="Error", message=message, finished_at=now)
    if seen.object.get("operation") is None or (last is not None and last.phase not in ENDED):
        return None
    try:
        asked = read_part(seen.object, "operation", Operation) or Operation()
    except InvalidInput:  # what is wrong with it is what the look stopped at
        asked = Operation()
    return OperationState(operation=asked, phase="Error", message=message, started_at=now, finished_at=now)


def _with_finalizers(patch: JsonObject, obj: JsonObject, at: At | None) -> JsonObject:
    """Hooks of deletion are run only if the Application waits for them."""
    target = at.target if at is not None else None
    needed = finalizers(target.desired) if target is not None and not target.objection else ()
    present = list(Object(obj).finalizers)
    missing = [each for each in needed if each not in present]
    if not missing:
        return patch
    metadata = {**patch.get("metadata", {}), "finalizers": [*present, *missing]}
    return {**patch, "metadata": metadata}


def _parting(obj: JsonObject, parted: Parted, executed: Executed, namespace: str, now: str) -> JsonObject:
    told = parted.failure or (_failure_so_far(obj) if parted.trying else "")
    if isinstance(executed.reported.outcome, Stuck):
        told = executed.reported.outcome.message
    conditions = (*parted.conditions, *((Condition(_DELETION_ERROR, told),) if told else ()))
    if parted.released:
        kept = [each for each in Object(obj).finalizers if each not in parted.released]
        return {"metadata": {"finalizers": kept or None}}
    asked = Asked(refresh=REFRESH in Object(obj).annotations)
    return status.change(obj, Picture(conditions=conditions), asked, namespace, now)


def _failure_so_far(obj: JsonObject) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((str(each.get("message") or "") for each in conditions if each.get("type") == _DELETION_ERROR), "")
