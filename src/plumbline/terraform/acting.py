"""Deciding what is next, and beginning it."""

from typing import Final, NamedTuple

from plumbline.base.errors import Corrupted, Forbidden, InvalidInput, NeedsConsent, PlumblineError, Unresolved
from plumbline.base.json import decode, encode
from plumbline.gate.gate import Gate, Withheld
from plumbline.gate.intents import Destruction, Intent, Loss
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kinds.flux.common import RECONCILE_REQUEST
from plumbline.kube.names import Ref
from plumbline.terraform.around import Around
from plumbline.terraform.deadlines import deadline_s
from plumbline.terraform.decision import ApplyPlan, AwaitApproval, Facts, GiveUp, Idle, MakePlan, decided
from plumbline.terraform.looking import PROGRESSING, At, Look, failed, key_of
from plumbline.terraform.outputs import outputs_missing
from plumbline.terraform.pending import Pending
from plumbline.terraform.planstore import PlanStore
from plumbline.terraform.policies import Given
from plumbline.terraform.runs import Order
from plumbline.terraform.state import read
from plumbline.terraform.work import Planning

_US: Final = Actor("controller", "terraform")
_PLANNING: Final = "Terraform Planning"
_APPLYING: Final = "Applying"
_LOOK_S: Final = 60.0
"""A run wakes its object when it is over; this is for the one whose end nobody heard."""


class _Beginning(NamedTuple):
    """The act of the gate: an order that is handed to whoever carries it out."""

    around: Around
    order: Order

    async def perform(self) -> bytes:
        going = await self.around.runs.begin(self.order)
        return encode({"run": going.id, "where": going.where})

    async def rehearse(self) -> bytes:
        return b"{}"


class Acting:
    def __init__(self, around: Around, gate: Gate, plans: PlanStore) -> None:
        self._around, self._gate, self._plans = around, gate, plans
        self._inputs: dict[str, str] = {}
        """Digests of what went into the last plan of each object, by uid."""

    async def decided(self, run: Look, at: At) -> At | Stop:
        assert at.sourced is not None and at.gathered is not None  # noqa: S101, PT018 - steps before this one
        try:
            pending = at.pending or await self._plans.pending(run)
            state = (
                await read(self._around.client, at.place, self._around.copies.offer) if pending and at.place else None
            )
            given = await self._around.approvals(key_of(run)) if pending else Given()
        except PlumblineError as error:
            return failed(run, "ReconciliationFailed", error)
        key = key_of(run)
        facts = Facts(
            spec=run.spec,
            status=run.read.status,
            generation=run.generation,
            revision=at.sourced.revision,
            inputs=at.gathered.digest,
            now=self._around.world.clock.now(),
            pending=pending,
            state=state.mark if state is not None else None,
            given=given,
            policy=self._around.policy(key),
            asked=_asked(run),
            planned_inputs=self._inputs.get(run.object["metadata"]["uid"], ""),
            deleting=run.deleting,
            settled=at.report is not None,
            outrun=_outrun(run, at),
        )
        decision = decided(facts)
        quiet = isinstance(decision, MakePlan) and decision.drift
        at = at._replace(pending=pending, decision=decision, quiet=quiet)
        if pending is not None and run.read.status.plan.pending != pending.id and "plan" not in at.notes:
            # The note of it was lost, and people look for its name there.
            said = (run.object.get("status") or {}).get("plan") or {}
            at = at.noted(plan={**said, **pending.noted}, lastPlannedRevision=pending.revision)
        return at

    async def acted(self, run: Look, at: At) -> Stop:
        decision = at.decision
        if isinstance(decision, MakePlan):
            return await self._plan(run, at, decision)
        if isinstance(decision, ApplyPlan):
            return await self._apply(run, at, decision)
        if isinstance(decision, AwaitApproval):
            return _awaiting(run, decision)
        if isinstance(decision, GiveUp):
            message = (
                f"Resource reached maximum number of retries ({decision.failures} failures); it waits for a change"
            )
            return Stuck("RetryLimitReached", message)
        assert isinstance(decision, Idle)  # noqa: S101 - there are no others
        return Done(decision.after_s)

    async def _plan(self, run: Look, at: At, decision: MakePlan) -> Stop:
        if decision.supersedes:
            run.tell("PlanSuperseded", f"Plan {decision.supersedes} is void: {decision.why}")
        spec = run.spec
        planning = Planning(destroy=spec.destroy or run.deleting, targets=spec.targets)
        order = self._order(run, at)._replace(
            operation="drift" if decision.drift else "plan",
            planning=planning,
            outputs=not decision.drift or await self._lacks_outputs(run),
        )
        self._inputs[run.object["metadata"]["uid"]] = order.inputs
        return await self._begun(run, order, f"{_PLANNING}: {decision.why}")

    async def _lacks_outputs(self, run: Look) -> bool:
        wanted = run.spec.write_outputs_to_secret
        if wanted is None:
            return False
        live = await self._around.reader.secret(run.object["metadata"]["namespace"], wanted.name)
        return outputs_missing(run.read, live)

    async def _apply(self, run: Look, at: At, decision: ApplyPlan) -> Stop:
        pending = decision.pending
        try:
            plan = await self._plans.plan(run, pending)
        except PlumblineError as error:
            await self._plans.drop(run)
            return failed(run, "TFExecApplyFailed", error)
        order = self._order(run, at)._replace(
            operation="apply",
            plan=plan,
            digest=pending.digest,
            expected=pending.mark,
            parallelism=run.spec.parallelism,
            refresh=run.spec.refresh_before_apply,
        )
        agreed = f"approved by {', '.join(decision.by)}" if decision.by else "nothing in it needs approval"
        return await self._begun(run, order, f"{_APPLYING} {pending.id}: {agreed}", _destruction(pending, decision))

    def _order(self, run: Look, at: At) -> Order:
        assert at.sourced is not None and at.gathered is not None  # noqa: S101, PT018 - steps before this one
        return Order(
            id=self._around.world.ids.uid(),
            key=key_of(run),
            operation="plan",
            tree=at.sourced.tree,
            revision=at.sourced.revision,
            inputs=at.gathered.digest,
            workplace=at.gathered.workplace,
            policy=self._around.policy(key_of(run)),
            generation=run.generation,
            asked=_asked(run),
            place=at.place,
            unlock=_unlock(run),
            account=run.spec.service_account_name if self._around.own_kubeconfig else "",
            deadline_s=deadline_s(run.object),
            artifact=at.sourced.artifact,
            object=run.object,
        )

    async def _begun(self, run: Look, order: Order, why: str, destroys: Destruction | None = None) -> Stop:
        intent = Intent(
            actor=_US,
            subject=LiveObject.at("in-cluster", Ref.of(run.object)),
            verb="run",
            why=why,
            behalf=LiveObject.at("in-cluster", Ref.of(run.object)),
            destroys=destroys,
            minor=order.operation == "drift",
            details={"operation": order.operation, "revision": order.revision, "plan": order.digest},
        )
        try:
            if order.place is not None:
                await read(self._around.client, order.place, self._around.copies.offer)
            outcome = await self._gate.perform(intent, _Beginning(self._around, order))
        except NeedsConsent as needed:
            return Wait("TerraformPlannedWithChanges", str(needed), _LOOK_S)
        except Corrupted as damaged:
            return failed(run, "TFExecInitFailed", damaged)
        except (Unresolved, InvalidInput, Forbidden) as error:
            return failed(run, "TFExecNewFailed", error)
        if isinstance(outcome, Withheld):
            return Stuck("Observed", outcome.reason)
        return Wait(PROGRESSING, f"{why}; in {decode(outcome.reply)['where']}", _LOOK_S)


def _destruction(pending: Pending, decision: ApplyPlan) -> Destruction | None:
    """What is lost with the plan. Whoever approved the plan by its digest asked for exactly that."""
    losses = tuple(Loss(each.address or each.kind, each.lost, each.stateful) for each in pending.dangers)
    return Destruction("plan", losses, requested=True) if losses and (decision.by or decision.allowed) else None


def _awaiting(run: Look, decision: AwaitApproval) -> Wait:
    pending = decision.pending
    namespace, name = key_of(run)
    how = f'Set approvePlan: "{pending.id}", or run `plumb tf approve {name} -n {namespace} --plan {pending.digest}`'
    reason = "DriftDetected" if pending.drift else "TerraformPlannedWithChanges"
    return Wait(reason, f"Plan generated: {pending.headline}. It waits: {decision.why}. {how}.", decision.after_s)


def _outrun(run: Look, at: At) -> str:
    """What has moved while the run was under way that has just ended; empty where nothing has."""
    if at.report is None or at.sourced is None or at.gathered is None:
        return ""
    order = at.report.order
    if order.revision != at.sourced.revision:
        return f"the source is at {at.sourced.revision}"
    if order.generation != run.generation:
        return "the object has changed"
    return "what goes into it has changed" if order.inputs != at.gathered.digest else ""


def _asked(run: Look) -> str:
    return str((run.object["metadata"].get("annotations") or {}).get(RECONCILE_REQUEST, ""))


def _unlock(run: Look) -> str:
    """The lock that may be opened by force: the one that is named, or the one that was found in the way."""
    tfstate, found = run.spec.tfstate, run.read.status.lock.pending
    if tfstate is None or tfstate.force_unlock == "no" or not found:
        return ""
    return found if tfstate.force_unlock == "auto" or tfstate.lock_identifier == found else ""
