"""A look at a Terraform object, from top to bottom."""

from plumbline.base.json import JsonObject
from plumbline.gate.gate import Gate
from plumbline.kernel.outcomes import Done, Stop
from plumbline.kernel.reconciler import Change, Executed, Reconciler, Seen
from plumbline.kinds.flux.terraform import TERRAFORM, TerraformSpec, TerraformStatus
from plumbline.kube.patch.merge_patch import create_merge_patch
from plumbline.terraform import status
from plumbline.terraform.acting import Acting
from plumbline.terraform.around import Around
from plumbline.terraform.ending import Ending
from plumbline.terraform.looking import At, Look
from plumbline.terraform.planstore import PlanStore
from plumbline.terraform.preparing import Preparing
from plumbline.terraform.publishing import Publishing
from plumbline.terraform.taking import TakingIn


class TerraformReconciler(Reconciler[TerraformSpec, TerraformStatus]):
    name = "terraform"
    kind = TERRAFORM
    finalizer = "finalizers.tf.contrib.fluxcd.io"

    def __init__(self, around: Around, gate: Gate) -> None:
        plans = PlanStore(around)
        preparing = Preparing(around)
        taking = TakingIn(around, plans, Publishing(around))
        acting = Acting(around, gate, plans)
        ending = Ending(around, plans, preparing)
        ran = (taking.taken_in, told)
        ready = (preparing.sourced, preparing.depended, preparing.gathered, ending.recovered)
        decided = (acting.decided, acting.acted)
        self.steps = (unless_suspended, *ran, *ready, *decided)
        destroyed = (preparing.sourced, preparing.gathered, ending.recovered, acting.decided, ending.destroying(acting))
        self.teardown = (ending.unneeded, *ran, ending.unless_kept, *destroyed, ending.cleaned_up)

    def change(self, seen: Seen[TerraformSpec, TerraformStatus], executed: Executed, now: str) -> Change:
        found = seen.object.get("status")
        before: JsonObject = found if isinstance(found, dict) else {}
        at = executed.state if isinstance(executed.state, At) else At()
        generation = seen.object["metadata"].get("generation") or 0
        after = status.told(before, at, executed.reported.outcome, generation, now)
        patch = create_merge_patch({"status": before}, {"status": after})
        return Change(patch, status.transitions(before, after))


async def unless_suspended(run: Look, _: object) -> At | Stop:
    return Done() if run.spec.suspend else At()


async def told(run: Look, at: At) -> At | Stop:
    """Nothing else is begun while a run is under way, nor before the time has come to try again."""
    if run.deleting and at.report is not None and not run.spec.destroy_resources_on_deletion:
        # Whatever came of its last run, nothing will be tried again.
        return at
    return at.trouble or at
