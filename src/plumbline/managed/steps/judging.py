"""Whether it may be looked at, and what may be done to what it stands for."""

from typing import Final

from plumbline.kernel.outcomes import Done
from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Halted, Rest, had
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.pacing import poll_s, spread, until_slot_s
from plumbline.managed.policies import Policies, policies
from plumbline.managed.spec import EXTERNAL_NAME, FINALIZER, PAUSED, REQUESTED
from plumbline.managed.state import At, Look
from plumbline.managed.steps.kit import Kit, place_of

_PAUSED: Final = "Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation"


class Judging:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    async def rested(self, run: Look, at: None) -> Rest | None:
        """What was well when another process left it is looked at in its turn, not all at once because we have started."""
        del at
        place, uid = place_of(self._kind, run), run.object["metadata"]["uid"]
        first = self._kit.memory.first_look(place, uid)
        self._kit.memory.looked(place, uid)
        if not first or not _steady(run):
            return None
        every_s = poll_s(Object(run.object).annotations, self._kind.poll_s)
        return Rest(
            until_slot_s(self._kit.world.clock.monotonic(), every_s, spread(str(self._kind.group_kind), *_key(run)))
        )

    @reports("CannotUseInvalidManagementPolicy")
    async def judged(self, run: Look, at: None) -> At | Halted:
        del at
        found = self._policies(run)
        if found.paused or Object(run.object).annotations.get(PAUSED) == "true":
            return Halted("ReconcilePaused", _PAUSED, (told.PAUSED,), "ReconciliationPaused")
        if found.refusal:
            return Halted(
                "ReconcileError", found.refusal, (told.error(found.refusal),), "CannotUseInvalidManagementPolicy"
            )
        return At(policies=found, wanted=run.spec.for_provider, initial=run.spec.init_provider)

    async def released(self, run: Look, at: At) -> At | Done | Halted:
        """Gone, with what it stands for left as it is, where its policies say so, or where it never had anything."""
        if FINALIZER not in Object(run.object).finalizers:
            return Halted("Released", "Nothing of it is ours")
        return at if at.policies.deletes else Done()

    def _policies(self, run: Look) -> Policies:
        spec = run.spec
        return policies(spec.management_policies, spec.deletion_policy, namespaced=self._kind.namespaced)


def _key(run: Look) -> tuple[str, str]:
    return run.read.ref.namespace, run.read.ref.name


def _steady(run: Look) -> bool:
    obj, status = run.object, run.read.status
    annotations = Object(obj).annotations
    conditions = (obj.get("status") or {}).get("conditions")
    well = all(had(conditions, each).get("status") == "True" for each in (told.READY, told.SYNCED, told.UP_TO_DATE))
    known = status.observed_generation == run.generation and bool(annotations.get(EXTERNAL_NAME))
    return well and known and annotations.get(REQUESTED, "") == status.last_handled_reconcile_at
