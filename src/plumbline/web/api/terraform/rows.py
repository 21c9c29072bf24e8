"""Terraform objects as rows of a list. Pure."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.parts import below
from plumbline.kernel.cache import Cached
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kube.names import Ref
from plumbline.terraform.objects.phases import plan_of, standing
from plumbline.terraform.objects.store import condition
from plumbline.web.api.ours.marks import Marked, tracked

_CHARS: Final = 300
_WORDS: Final = {"busy": "working", "failed": "failed", "ready": "applied", "waiting": "waiting"}


class Row(Marked, frozen=True, kw_only=True):
    created: str = ""
    state: str = "working"
    """working, planned, waiting, drifted, applied, failed, suspended or deleting."""
    reason: str = ""
    message: str = ""
    since: str = ""
    pending: str = ""
    """The id of the plan that waits."""
    headline: str = ""
    """What it would do: `2 to add, 1 to change`."""
    destroys: bool = False
    revision: str = ""
    planned_at: str = ""
    approval: str = ""
    source: str = ""
    path: str = ""
    workspace: str = ""
    resources: int = 0


def row(entry: Cached) -> Row:
    obj = entry.object()
    spec, status, found = below(obj, "spec"), below(obj, "status"), standing(obj)
    source = below(spec, "sourceRef")
    listed = below(status, "inventory").get("entries")
    return Row(
        ref=Ref(TERRAFORM.group, TERRAFORM.kind, entry.meta.namespace, entry.meta.name),
        created=str(below(obj, "metadata").get("creationTimestamp") or ""),
        state=state_of(obj),
        reason=found.reason,
        message=found.message[:_CHARS],
        since=str(condition(obj, "Ready").get("lastTransitionTime") or ""),
        pending=found.pending,
        headline=str(condition(obj, "Plan").get("message") or "").partition("\n")[0][:_CHARS] if found.pending else "",
        destroys=bool(plan_of(obj).get("isDestroyPlan")) and bool(found.pending),
        revision=str(status.get("lastAppliedRevision") or status.get("lastAttemptedRevision") or ""),
        planned_at=str(status.get("lastPlanAt") or ""),
        approval=str(spec.get("approvePlan") or "manual"),
        source=f"{source.get('kind', '')}/{source.get('name', '')}",
        path=str(spec.get("path") or "."),
        workspace=str(spec.get("workspace") or "default"),
        resources=len(listed) if isinstance(listed, list) else 0,
        marks=tracked(entry.meta),
    )


def state_of(obj: JsonObject) -> str:
    """One word for how it is."""
    spec, found = below(obj, "spec"), standing(obj)
    if below(obj, "metadata").get("deletionTimestamp"):
        return "deleting"
    if spec.get("suspend"):
        return "suspended"
    if found.phase == "waiting":
        if plan_of(obj).get("isDriftDetectionPlan") or found.reason == "DriftDetected":
            return "drifted"
        return "planned" if spec.get("planOnly") else "waiting"
    return _WORDS[found.phase]


def shaped(each: Row) -> JsonObject:
    said: JsonObject = {
        "namespace": each.ref.namespace,
        "name": each.ref.name,
        "state": each.state,
        "reason": each.reason,
        "message": each.message,
        "since": each.since,
        "plan": each.pending,
        "headline": each.headline,
        "destroys": each.destroys,
        "revision": each.revision,
        "plannedAt": each.planned_at,
        "createdAt": each.created,
        "approval": each.approval,
        "source": each.source,
        "path": each.path,
        "workspace": each.workspace,
        "resources": each.resources,
    }
    return {name: value for name, value in said.items() if value not in ("", False)}
