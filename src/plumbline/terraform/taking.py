"""Taking in what a run has brought: a plan is kept, outputs are published, state is copied, and all of it is noted."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.base.clock import rfc3339
from plumbline.base.errors import ApplyFailed, PlumblineError, Refused, StateLocked, Transient
from plumbline.base.json import JsonObject
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Wait
from plumbline.terraform.around import Around
from plumbline.terraform.checks import objection
from plumbline.terraform.guarding import guards_in
from plumbline.terraform.inventory import inventory
from plumbline.terraform.looking import PROGRESSING, At, Look, failed, key_of, retry_s
from plumbline.terraform.memory import GUARDED, SUSPECTS, guards_before, remember, suspected
from plumbline.terraform.pending import Pending, shortened
from plumbline.terraform.plans import Danger, Summary, dangers, digest, headline, plan_id, readable, summarised
from plumbline.terraform.planstore import PlanStore
from plumbline.terraform.publishing import Publishing
from plumbline.terraform.runs import Going, Report, Stage

_LOOK_S: Final = 60.0
_AT_ONCE_S: Final = 1.0
_DOING: Final[Mapping[str, str]] = {"plan": "Terraform Planning", "apply": "Applying", "drift": "Looking for drift"}
_REASONS: Final[Mapping[Stage, str]] = {
    "init": "TFExecInitFailed",
    "lock": "LockHeld",
    "plan": "TFExecPlanFailed",
    "apply": "TFExecApplyFailed",
    "output": "TFExecOutputFailed",
}


class TakingIn:
    def __init__(self, around: Around, plans: PlanStore, publishing: Publishing) -> None:
        self._around, self._plans, self._publishing = around, plans, publishing

    async def taken_in(self, run: Look, at: At) -> At:
        """What is known of the object's run, and where it is over, what came of it."""
        found = await self._around.runs.of(key_of(run))
        if found is None:
            return at
        if isinstance(found, Going):
            return at._replace(going=found, quiet=found.operation == "drift", trouble=_going(found))
        if _of_another(run, found):
            await self._around.runs.settled(key_of(run))
            return at
        at = at._replace(report=found)
        try:
            at = await self._read(run, at, found)
        except Transient as error:
            # Nothing of it is lost, and nothing is done a second time for want of it: it is taken in again.
            return at._replace(trouble=failed(run, "ReconciliationFailed", error))
        await self._around.runs.settled(key_of(run))
        return at

    async def _read(self, run: Look, at: At, report: Report) -> At:
        now = rfc3339(self._around.world.clock.now())
        at = at.noted(lastAttemptedRevision=report.order.revision, **_handled(report))
        if report.failure is not None:
            return await self._soon(run, self._failed(run, at, report), report)
        try:
            if report.order.operation == "apply":
                return await self._applied(run, _freed(at, run), report, now)
            return await self._planned(run, _freed(at, run), report, now)
        except Refused as error:
            return at._replace(trouble=failed(run, "ReconciliationFailed", error))

    def _failed(self, run: Look, at: At, report: Report) -> At:
        assert report.failure is not None  # noqa: S101 - it has failed
        stage, error = report.failure
        if isinstance(error, StateLocked):
            at = at.noted(lock={**_lock(run), "pending": error.lock_id}).said(
                Condition("StateLocked", "True", "LockHeld", str(error))
            )
            return at._replace(trouble=failed(run, "LockHeld", error))
        reason = "TFExecDestroyFailed" if stage == "apply" and report.order.planning.destroy else _REASONS[stage]
        trouble = failed(run, reason, error)
        unfinished = {
            each.address for each in report.steps if each.stage == "started" and not _ended(each.address, report)
        }
        if isinstance(error, ApplyFailed):
            # What it was at when it was interrupted: the tool calls that failed, and it may exist all the same.
            unfinished |= {each.rpartition(" ")[2] for each in error.unfinished}
        if unfinished:
            lost = f" Begun, and not known to be finished: {', '.join(sorted(unfinished)[:20])}."
            trouble = Wait(trouble.reason, trouble.message + lost, trouble.after_s)
        kind = "Apply" if stage == "apply" else "Plan"
        return at.said(Condition(kind, "False", reason, trouble.message))._replace(trouble=trouble)

    async def _soon(self, run: Look, at: At, report: Report) -> At:
        """*at* without its pause, where something has moved while the run was under way that failed."""
        ref, moved = run.spec.source_ref, report.order.generation != run.generation
        try:
            with run.waiting():
                found = await self._around.sources.tree(ref, ref.namespace or key_of(run)[0])
            moved = moved or found.revision != report.order.revision
        except PlumblineError:
            return at
        if not moved or not isinstance(at.trouble, Wait):
            return at
        return at._replace(trouble=Wait(at.trouble.reason, at.trouble.message, _AT_ONCE_S))

    async def _planned(self, run: Look, at: At, report: Report, now: str) -> At:
        planned = report.planned
        assert planned is not None  # noqa: S101 - it has not failed
        order = report.order
        at = at.noted(lastPlannedRevision=order.revision, lastPlannedGeneration=order.generation, lastPlanAt=now)
        if not planned.changes:
            if order.operation == "plan" or run.read.status.plan.pending:
                # Also one that no status speaks of: the note of it, or of its end, may have been lost.
                await self._plans.drop(run)
            return await self._unchanged(run, at, report, now)
        summary = summarised(planned.json)
        with run.waiting():
            refusal = await objection(run.spec.webhooks, run.object, planned.json, self._around.poster)
        if refusal is not None:
            return at._replace(trouble=Wait(refusal.reason, refusal.message, retry_s(run)))
        found = await self._around.aside(lambda: _dangers(run, report, summary))
        pending, file = _pending(report, summary, found, now)
        before = await self._plans.pending(run)
        if before is not None and before.same_as(pending):
            # People may be about to approve it: what they have looked at stays, to the byte.
            return _waiting(run, at, before, summary)
        await self._plans.save(run, planned, pending, file, summary)
        if pending.drift:
            at = at.noted(lastDriftDetectedAt=now)
            run.tell("DriftDetected", f"Drift detected: {pending.headline}", warning=True)
        return _waiting(run, at, pending, summary)

    async def _unchanged(self, run: Look, at: At, report: Report, now: str) -> At:
        message = "No drift" if report.order.operation == "drift" else "Plan no changes"
        reason = "NoDrift" if report.order.operation == "drift" else "TerraformPlannedNoChanges"
        at = at.noted(plan={**_plan(run), "pending": ""}, lastSuccessfulReconcileAt=now)
        if not report.order.planning.destroy:
            # Nothing is missing of this revision, whoever has applied it: perhaps a run of ours whose end nobody noted.
            at = at.noted(lastAppliedRevision=report.order.revision)
        at = at.said(Condition("Plan", "False", "TerraformPlannedNoChanges", "Plan no changes"))
        at = at._replace(reason=reason, message=f"{message}: {report.order.revision}")
        return await self._publishing.published(run, at, report)

    async def _applied(self, run: Look, at: At, report: Report, now: str) -> At:
        order = report.order
        if report.state is not None and order.place is not None and report.mark is not None:
            await self._around.copies.keep(order.place, report.state, revision=order.revision, plan=order.digest)
        destroyed = order.planning.destroy or run.spec.destroy
        reason = "TerraformDestroySucceed" if destroyed else "TerraformAppliedSucceed"
        message = f"{'Destroyed' if destroyed else 'Applied'} successfully: {order.revision}"
        drift = {"lastAppliedByDriftDetectionAt": now} if run.read.status.plan.is_drift_detection_plan else {}
        await self._plans.drop(run)
        guards = await self._around.aside(lambda: _guards(report))
        await remember(run, self._around, {GUARDED: guards, SUSPECTS: ()})
        at = at.noted(
            lastAppliedRevision=order.revision,
            lastPlannedGeneration=order.generation,
            lastSuccessfulReconcileAt=now,
            plan={**_plan(run), "lastApplied": run.read.status.plan.pending or plan_id(order.revision), "pending": ""},
            inventory=inventory(report.state) if run.spec.enable_inventory and report.state is not None else None,
            **drift,
        )
        run.tell(reason, message)
        at = at.said(Condition("Apply", "True", reason, message))._replace(reason=reason, message=message)
        return await self._publishing.published(run, at, report)


def _of_another(run: Look, report: Report) -> bool:
    """Whether it is that of an object of the same name that was there before."""
    of = report.order.object
    return of is not None and of["metadata"]["uid"] != run.object["metadata"]["uid"]


def _waiting(run: Look, at: At, pending: Pending, summary: Summary) -> At:
    said = Condition("Plan", "True", "TerraformPlannedWithChanges", readable(summary, pending.dangers))
    return at.noted(plan={**_plan(run), **pending.noted}).said(said)._replace(pending=pending)


def _dangers(run: Look, report: Report, summary: Summary) -> tuple[Danger, ...]:
    """Blocks. Guards are those of what was applied last, and those of now."""
    before = guards_before(run)
    now = _guards(report) if before else frozenset[str]()
    return (*suspected(run), *dangers(summary, guarded_before=before, guarded_now=now))


def _guards(report: Report) -> frozenset[str]:
    """Blocks."""
    order = report.order
    return report.guards if report.guards is not None else guards_in(order.tree, order.workplace.path)


def _pending(report: Report, summary: Summary, found: tuple[Danger, ...], now: str) -> tuple[Pending, str]:
    """The plan as something that can be approved, and the digest of its bytes."""
    order, planned = report.order, report.planned
    assert planned is not None  # noqa: S101 - it has not failed
    serial, lineage = (report.mark.serial, report.mark.lineage) if report.mark is not None else (0, "")
    made = digest(planned.plan, serial=serial, lineage=lineage, revision=order.revision, json=planned.json)
    kept, more = shortened(found)
    pending = Pending(
        id=plan_id(order.revision),
        digest=made.content,
        revision=order.revision,
        inputs=order.inputs,
        serial=serial,
        lineage=lineage,
        destroy=order.planning.destroy,
        drift=order.operation == "drift",
        headline=headline(summary),
        dangers=kept,
        more=more,
        made_at=now,
    )
    return pending, made.file


def _going(going: Going) -> Wait:
    return Wait(PROGRESSING, f"{_DOING[going.operation]} in {going.where}", _LOOK_S)


def _ended(address: str, report: Report) -> bool:
    return any(each.address == address and each.stage != "started" for each in report.steps)


def _handled(report: Report) -> dict[str, Any]:
    """Whoever asked while it was under way has not been answered by it."""
    return {"lastHandledReconcileAt": report.order.asked} if report.order.asked else {}


def _freed(at: At, run: Look) -> At:
    """The lock that was in the way is not any more."""
    if not run.read.status.lock.pending:
        return at
    lock = {"lastApplied": run.read.status.lock.pending, "pending": ""}
    return at.noted(lock=lock).said(Condition("StateLocked", "False", "ForceUnlock", "The state is not locked"))


def _plan(run: Look) -> JsonObject:
    return dict((run.object.get("status") or {}).get("plan") or {})


def _lock(run: Look) -> JsonObject:
    return dict((run.object.get("status") or {}).get("lock") or {})
