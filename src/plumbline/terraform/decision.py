"""What is to be done about a Terraform object, from everything that is known of it. Pure."""

from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from plumbline.kinds.flux.terraform import TerraformSpec, TerraformStatus
from plumbline.kinds.timestamp import Time
from plumbline.terraform.pending import Pending
from plumbline.terraform.plans import Approval, approval_of
from plumbline.terraform.policies import Given, Policy, Standing, standing
from plumbline.terraform.state import Mark


class Facts(NamedTuple):
    spec: TerraformSpec
    status: TerraformStatus
    generation: int
    revision: str
    inputs: str
    """Digest of everything that goes into a run besides the source."""
    now: datetime
    pending: Pending | None = None
    """The plan that was made and not applied."""
    state: Mark | None = None
    """The state as it is now; None where there is none, or where it cannot be known."""
    given: Given = Given()
    policy: Policy = Policy()
    asked: str = ""
    """When somebody asked for a look, as they wrote it."""
    planned_inputs: str = ""
    """Inputs of the last plan that came to nothing; empty where that is not known."""
    deleting: bool = False
    settled: bool = False
    """A run has just ended well, and what came of it is not in the status yet."""
    outrun: str = ""
    """What has moved while that run was under way."""


class MakePlan(NamedTuple):
    why: str
    drift: bool = False
    """Nothing has moved: it is a look at whether reality still is as the state says."""
    supersedes: str = ""
    """The id of the plan that is void because of *why*."""


class ApplyPlan(NamedTuple):
    pending: Pending
    by: tuple[str, ...]
    """Who approved it; empty where nobody needed to."""
    allowed: bool = False
    """Policies let everything in it pass unasked."""


class AwaitApproval(NamedTuple):
    pending: Pending
    why: str
    after_s: float


class Idle(NamedTuple):
    after_s: float | None


class GiveUp(NamedTuple):
    failures: int


Decision: TypeAlias = MakePlan | ApplyPlan | AwaitApproval | Idle | GiveUp

_AUTO: Final = Approval.AUTO


def decided(facts: Facts) -> Decision:
    if _exhausted(facts):
        return GiveUp(facts.status.reconciliation_failures)
    decision = _decided(facts)
    if isinstance(decision, MakePlan) and approval_of(facts.spec.approve_plan) is Approval.DISABLED:
        return decision._replace(drift=True)
    return decision


def _exhausted(facts: Facts) -> bool:
    """Whether it failed as often as the object allows, and nothing has moved since."""
    allowed, status = facts.spec.remediation, facts.status
    if facts.settled or allowed is None or allowed.retries < 0 or status.reconciliation_failures <= allowed.retries:
        return False
    asked = facts.asked and facts.asked != status.last_handled_reconcile_at
    same = facts.revision == status.last_attempted_revision and facts.generation == status.observed_generation
    return same and not asked


def _decided(facts: Facts) -> Decision:
    pending = facts.pending
    if pending is None:
        return _without_plan(facts)
    moved = _moved(facts, pending)
    if moved:
        return MakePlan(moved, supersedes=pending.id)
    if facts.spec.force and not facts.spec.plan_only:
        return ApplyPlan(pending, ("spec.force",))
    return _with_plan(facts, pending)


def _without_plan(facts: Facts) -> Decision:
    spec = facts.spec
    if facts.outrun and not facts.deleting:
        return MakePlan(facts.outrun)
    if facts.settled:
        return Idle(None if spec.disable_drift_detection else spec.interval.seconds)
    why = _due(facts)
    if why:
        return MakePlan(why)
    if spec.disable_drift_detection and not spec.force:
        return Idle(None)
    left_s = _left_s(facts)
    return Idle(left_s) if left_s > 0 else MakePlan("the interval has passed", drift=True)


def _due(facts: Facts) -> str:
    """Why a plan has to be made, whatever the time is; empty where nothing has moved."""
    status = facts.status
    if facts.deleting:
        return "it is deleted, and so is what it made"
    if status.last_planned_revision != facts.revision:
        return f"the source is at {facts.revision}"
    if facts.generation != status.last_planned_generation:
        return "the object has changed"
    if status.plan.pending:
        return f"the plan {status.plan.pending} is gone"
    if facts.asked and facts.asked != status.last_handled_reconcile_at:
        return "somebody asked for it"
    if facts.planned_inputs and facts.planned_inputs != facts.inputs:
        return "what it reads from Secrets and ConfigMaps has changed"
    ready = any(each.type == "Ready" and each.status == "True" for each in status.conditions)
    return "" if ready else "the last look did not end well"


def _with_plan(facts: Facts, pending: Pending) -> Decision:
    said = standing(facts.policy, pending.digest, _given(facts, pending))
    if not said.rejected_by and not facts.spec.plan_only:
        if facts.deleting:
            return ApplyPlan(pending, ("whoever deleted the object",))
        if said.approved:
            return ApplyPlan(pending, said.by)
        if approval_of(facts.spec.approve_plan) is _AUTO and not _unasked(facts, pending):
            return ApplyPlan(pending, (), allowed=True)
    left_s = _left_s(facts)
    if left_s <= 0:
        return MakePlan("the interval has passed", drift=pending.drift)
    return AwaitApproval(pending, _why_it_waits(facts, pending, said), left_s)


def _why_it_waits(facts: Facts, pending: Pending, said: Standing) -> str:
    if said.rejected_by:
        return f"rejected by {', '.join(said.rejected_by)}"
    if facts.spec.plan_only:
        return "only plans are wanted (spec.planOnly)"
    if approval_of(facts.spec.approve_plan) is _AUTO:
        return _unasked(facts, pending)
    return _missing(said)


def _unasked(facts: Facts, pending: Pending) -> str:
    """Why it cannot be applied without being asked for; empty where it can."""
    if pending.drift and not facts.policy.corrects_drift:
        return "a TerraformPolicy says that drift is reported, not corrected"
    waits = [each.sentence for each in pending.dangers if not facts.policy.passes(each.consent, each.type)]
    if pending.more:
        waits.append(f"{pending.more} more")
    return "; ".join(waits)


def _given(facts: Facts, pending: Pending) -> Given:
    named = approval_of(facts.spec.approve_plan, pending.id, pending.digest) is Approval.THIS
    return facts.given._replace(written=named)


def _missing(said: Standing) -> str:
    more = f"{said.missing} approval{'s' if said.missing > 1 else ''} missing"
    by = f", approved by {', '.join(said.by)}" if said.by else ""
    uncounted = f"; {', '.join(said.uncounted)} may not approve" if said.uncounted else ""
    doubt = f"; nobody has checked who approved, and so it counts as one person at most: {said.doubt}"
    return f"{more}{by}{uncounted}{doubt if said.doubt else ''}"


def _moved(facts: Facts, pending: Pending) -> str:
    """What makes the plan void; empty where it still says what would happen."""
    if pending.destroy != (facts.deleting or facts.spec.destroy):
        return "it was made to destroy" if pending.destroy else "everything is to be destroyed"
    if pending.revision != facts.revision:
        return f"the source is at {facts.revision}"
    if pending.inputs != facts.inputs:
        return "what goes into it has changed"
    if facts.state is not None and (facts.state.serial, facts.state.lineage) != (pending.serial, pending.lineage):
        return f"the state is at serial {facts.state.serial} and was at {pending.serial}"
    if facts.asked and facts.asked != facts.status.last_handled_reconcile_at and not facts.settled:
        return "somebody asked for it"
    return ""


def _left_s(facts: Facts) -> float:
    """Until the next look at what nobody announces."""
    if facts.settled:
        return facts.spec.interval.seconds
    made = Time.read(facts.pending.made_at) if facts.pending is not None and facts.pending.made_at else None
    status = facts.status
    said = (status.last_plan_at, status.last_successful_reconcile_at, made)
    # What is still to come was written by a clock that was wrong: it would keep everybody from looking until then.
    known = [each.moment for each in said if each is not None and each.moment <= facts.now]
    if not known:
        return 0.0
    return facts.spec.interval.seconds - (facts.now - max(known)).total_seconds()
