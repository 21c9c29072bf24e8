"""A look at a managed resource, from top to bottom."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kernel.conditions import Condition, merged
from plumbline.kernel.outcomes import Stop, Stuck, Wait
from plumbline.kernel.patience import patient
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Seen
from plumbline.kube.object import Object
from plumbline.kube.patch import create_merge_patch
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Halted, Held, Rest, cut, differing, differs, had
from plumbline.managed.drift import described
from plumbline.managed.kinds import ManagedKind, Reference
from plumbline.managed.spec import FINALIZER, REQUESTED, ManagedSpec, ManagedStatus, typed_kind
from plumbline.managed.state import Looked
from plumbline.managed.steps.connecting import Connecting
from plumbline.managed.steps.creating import Creating
from plumbline.managed.steps.deleting import Deleting
from plumbline.managed.steps.judging import Judging
from plumbline.managed.steps.kit import Kit
from plumbline.managed.steps.naming import Naming
from plumbline.managed.steps.observing import Observing
from plumbline.managed.steps.publishing import Publishing
from plumbline.managed.steps.resolving import Resolving
from plumbline.managed.steps.updating import Updating

_FAILED: Final[Mapping[str, str]] = {
    "CannotConnectToProvider": "connect failed",
    "CannotObserveExternalResource": "observe failed",
    "CannotCreateExternalResource": "create failed",
    "CannotUpdateExternalResource": "update failed",
    "CannotDeleteExternalResource": "delete failed",
}
"""How upstream begins the message, by the reason of its event."""
_ALSO: Final[Mapping[str, Condition]] = {
    "CannotCreateExternalResource": told.CREATING,
    "CannotDeleteExternalResource": told.DELETING,
}
_TRANSIENT: Final = "Throttled"


class ManagedReconciler(Reconciler[ManagedSpec, ManagedStatus]):
    finalizer = FINALIZER
    holds_itself = True

    def __init__(self, kind: ManagedKind, references: tuple[Reference, ...], kit: Kit) -> None:
        self.name = f"managed/{kind.group_kind}"
        self.kind = typed_kind(kind)
        judging, naming, observing = Judging(kind, kit), Naming(kind), Observing(kind, kit)
        resolving, connecting = Resolving(kind, references, kit), Connecting(kind, kit)
        publishing, updating = Publishing(kind, kit), Updating(kind, kit)
        self.steps = patient(
            judging.rested,
            judging.judged,
            naming.named,
            resolving.resolved,
            resolving.generated,
            connecting.configured,
            connecting.owned,
            connecting.connected,
            observing.observed,
            observing.kept,
            Creating(kind, kit).created,
            observing.confirmed,
            publishing.published,
            publishing.late_initialised,
            updating.updated,
            updating.rested,
        )
        self.teardown = patient(
            judging.judged,
            judging.released,
            naming.named,
            connecting.configured,
            connecting.relinquished,
            connecting.connected,
            observing.observed,
            observing.kept,
            Deleting(kind, kit).deleted,
        )

    def change(self, seen: Seen[ManagedSpec, ManagedStatus], executed: Executed, now: str) -> Change:
        """Upstream's conditions and atProvider; only what differs from what is there."""
        live = seen.object.get("status")
        before: JsonObject = live if isinstance(live, dict) else {}
        outcome, state = executed.reported.outcome, executed.state
        conditions = _conditions(before, outcome, executed)
        generation = seen.object["metadata"].get("generation") or 0
        if not conditions:
            return Change({})
        said = tuple(
            Condition(each.type, each.status, each.reason, cut(each.message), generation) for each in conditions
        )
        listed, _ = merged(before.get("conditions") or [], said, told.OWNED, now)
        after = {**before, **_observed(before, state), "observedGeneration": generation, "conditions": listed}
        events = list(_events(before, said, outcome, executed))
        token = Object(seen.object).annotations.get(REQUESTED, "")
        if token and before.get("lastHandledReconcileAt") != token:
            after["lastHandledReconcileAt"] = token
            events.append(Event("ReconcileRequestHandled", "Handling reconcile request"))
        patch = create_merge_patch(before, after)
        return Change({"status": patch} if patch else {}, tuple(events))


def _conditions(before: JsonObject, outcome: Stop, executed: Executed) -> tuple[Condition, ...]:
    if isinstance(outcome, Rest | Held | Halted):
        return outcome.conditions
    if not isinstance(outcome, Wait | Stuck):
        return ()
    known = had(before.get("conditions"), told.SYNCED)
    if outcome.reason == _TRANSIENT and known:
        return ()  # told to slow down, everything is as it was
    stopped = executed.reported.stopped_at
    prefix = _FAILED.get(stopped, "")
    error = told.error(f"{prefix}: {outcome.message}" if prefix else outcome.message)
    also = (_ALSO[stopped],) if stopped in _ALSO else ()
    if stopped == "CannotUpdateExternalResource" and isinstance(executed.state, Looked):
        also = (differing("UpdateFailed", described(executed.state.observed.differences)),)
    return (error, *also)


def _observed(before: JsonObject, state: object) -> JsonObject:
    """What the provider shows. Top fields that it does not mention stay: some are only told once."""
    if not isinstance(state, Looked) or not state.observed.exists:
        return {}
    known = before.get("atProvider")
    kept = known if isinstance(known, dict) else {}
    found = {**kept, **state.kept, **state.observed.at_provider}
    return {**state.observed.status, **({"atProvider": found} if found else {})}


def _events(before: JsonObject, said: tuple[Condition, ...], outcome: Stop, executed: Executed) -> tuple[Event, ...]:
    """Something is wrong, or was not before: said once, not at every look."""
    listed = before.get("conditions")
    reason = outcome.event if isinstance(outcome, Held | Halted) else executed.reported.stopped_at
    found = []
    for condition in said:
        if not differs(had(listed, condition.type), condition):
            continue
        if condition == told.PAUSED or condition.reason == "ReconcilePaused":
            found.append(Event(reason, outcome.message if isinstance(outcome, Stuck) else condition.reason))
        elif condition.type == told.SYNCED and condition.status == "False" and reason:
            found.append(Event(reason, condition.message, warning=True))
        elif condition.type == told.READY and reason == "PendingExternalResource":
            found.append(Event(reason, condition.message))
        elif condition.type == told.UP_TO_DATE and condition.reason == "UpdateRestricted":
            found.append(Event("DriftDetected", condition.message, warning=True))
    return tuple(found)
