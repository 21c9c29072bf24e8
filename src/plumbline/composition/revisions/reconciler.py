"""A look at a Composition: a revision of its present state exists, and is the newest."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.writing import Hands
from plumbline.composition.revisions.revision import COMPOSITION_NAME, Plan, belongs, labelled, plan_revisions
from plumbline.gate.gate import Gate
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.outcomes import Done, Stuck
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kinds.crossplane.composition import COMPOSITION, COMPOSITION_REVISION, CompositionSpec
from plumbline.kinds.kind import NoStatus
from plumbline.kube.client import Client, Target

Look = Run[CompositionSpec, NoStatus]

_COLLECTION: Final = Target(COMPOSITION_REVISION.resource)


class RevisionReconciler(Reconciler[CompositionSpec, NoStatus]):
    name = "revision"
    kind = COMPOSITION

    def __init__(self, client: Client, gate: Gate) -> None:
        self._hands = Hands(gate, client)
        self.steps = (self.planned, self.written)

    async def planned(self, run: Look, at: None) -> Plan | Stuck:
        del at
        live = await self._hands.list(_COLLECTION, f"{COMPOSITION_NAME}={run.read.ref.name}")
        plan = plan_revisions(run.object, live)
        lost = await self._hands.find(_target(plan.new)) if plan.new is not None else None
        if lost is None or plan.new is None:
            return plan
        if not belongs(lost, run.object):
            return Stuck(
                "CreateRevision", f"CompositionRevision {plan.current} is there already and belongs to another"
            )
        found = labelled(lost, plan.new)
        return Plan((found,) if found != lost else (), None, plan.current)

    async def written(self, run: Look, at: Plan) -> Plan | Stuck:
        for revision in at.changed:
            target = _target(revision)
            if await self._hands.replace(target, _unread(revision), run.object, "Put the revision in order") is None:
                return _observed(run)
            run.tell(
                "UpdateRevision", f"Revision {revision['metadata']['name']} is number {revision['spec']['revision']}"
            )
        if at.new is not None:
            if await self._hands.create(_target(at.new), at.new, run.object, "Keep this state") is None:
                return _observed(run)
            run.tell("CreateRevision", f"Created revision {at.new['spec']['revision']}, {at.new['metadata']['name']}")
        return at

    def change(self, seen: Seen[CompositionSpec, NoStatus], executed: Executed, now: str) -> Change:
        """A Composition has no status; what went wrong is an event."""
        del seen, now
        outcome = executed.reported.outcome
        if isinstance(outcome, Done) or executed.failed:
            return Change({})
        return Change({}, (Event("CreateRevision", outcome.message, warning=True),))


def composition_of(revision: Cached) -> Key | None:
    """The composition that a revision is of: it wants a look when the revision changes."""
    name = revision.meta.labels.get(COMPOSITION_NAME)
    return ("", name) if name else None


def _target(revision: JsonObject) -> Target:
    return _COLLECTION._replace(name=revision["metadata"]["name"])


def _unread(revision: JsonObject) -> JsonObject:
    metadata = {key: value for key, value in revision["metadata"].items() if key != "managedFields"}
    return {**revision, "metadata": metadata}


def _observed(run: Look) -> Stuck:
    return Stuck("Observed", f"This installation only observes {run.read.ref.name}")
