"""A plan as a page shows it: what is not done unasked first, then what changes by action and module. Pure.

A summary holds no secret value: it is masked where it is made.
"""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.terraform import PlanApprovalSpec
from plumbline.terraform.objects.plans import Shown
from plumbline.terraform.pending import Pending
from plumbline.terraform.plans import Danger, Summary, readable
from plumbline.terraform.plans.digest import Approval, approval_of
from plumbline.terraform.plans.values import Change, Field
from plumbline.terraform.policies import Given, Policy, standing

_ORDER: Final = ("delete", "replace", "forget", "unknown", "update", "create", "import", "move", "read")
_MOST: Final = 2000
"""Changes of one answer."""
_MOST_FIELDS: Final = 200
_MOST_TEXT: Final = 500_000


def needed(found: Shown, policy: Policy) -> JsonObject:
    """How many approvals the plan that waits needs, how many are missing, and whose word counts.

    Whether those who approve are who they say is found out by whoever applies it: that may count fewer.
    """
    said = decode(encode([each.get("spec") or {} for each in found.approvals]), type=list[PlanApprovalSpec])
    spec = found.obj.get("spec") or {}
    named = approval_of(str(spec.get("approvePlan") or ""), found.standing.pending, found.digest) is Approval.THIS
    at = standing(policy, found.digest, Given(tuple(said), written=named))
    return {
        "needed": policy.approvals,
        "missing": at.missing if found.digest else 0,
        "approvedBy": list(at.by),
        "rejectedBy": list(at.rejected_by),
        "uncounted": list(at.uncounted),
        "approvers": [{"users": list(each.users), "groups": list(each.groups)} for each in policy.approvers],
    }


def shaped(found: Shown, text: str = "") -> JsonObject:
    """*text* is what the tool printed, masked, where that is kept."""
    place = found.obj["metadata"]
    known: JsonObject = {
        "namespace": place["namespace"],
        "name": place["name"],
        "state": found.standing.phase,
        "message": found.standing.message,
        "plan": found.standing.pending,
        "digest": found.digest,
        "approvals": [_approval(each) for each in found.approvals if _about(each, found.digest)],
    }
    if found.digest:
        command = f"plumb tf approve {place['name']} -n {place['namespace']} --plan {found.digest}"
        known["commands"] = {
            "approve": command,
            "show": f"plumb tf show {place['name']} -n {place['namespace']} --full",
        }
    if found.pending is not None:
        known |= _pending(found.pending)
    if found.summary is not None:
        dangers = found.pending.dangers if found.pending is not None else ()
        known |= _changes(found.summary, dangers)
        text = text or readable(found.summary, dangers)
    return {**known, "text": text[:_MOST_TEXT]}


def _pending(pending: Pending) -> JsonObject:
    return {
        "revision": pending.revision,
        "madeAt": pending.made_at,
        "headline": pending.headline,
        "destroys": pending.destroy,
        "drift": pending.drift,
        "serial": pending.serial,
        "dangers": [_danger(each) for each in pending.dangers],
        "moreDangers": pending.more,
    }


def _changes(summary: Summary, dangers: Iterable[Danger]) -> JsonObject:
    by_address: dict[str, list[JsonObject]] = {}
    for danger in dangers:
        by_address.setdefault(danger.address, []).append(_danger(danger))
    acting = sorted(summary.acting, key=lambda each: (_ORDER.index(each.action), each.module, each.address))
    shown = acting[:_MOST]
    actions: list[JsonObject] = []
    for action in dict.fromkeys(each.action for each in shown):
        of_action = [each for each in shown if each.action == action]
        modules = [
            {"module": module, "changes": [_change(each, by_address) for each in of_action if each.module == module]}
            for module in dict.fromkeys(each.module for each in of_action)
        ]
        actions.append(
            {"action": action, "count": sum(1 for each in acting if each.action == action), "modules": modules}
        )
    return {
        "tool": summary.terraform_version,
        "changes": actions,
        "moreChanges": len(acting) - len(shown),
        "outputs": [
            {"name": each.name, "action": each.action, "before": each.before, "after": each.after, "sensitive": each.sensitive}
            for each in summary.outputs[:_MOST]
        ],
        "driftedOutside": [_change(each, {}) for each in summary.drift[:_MOST]],
        "checks": [{"address": each.address, "status": each.status, "messages": list(each.messages)} for each in summary.checks],
        "deferred": [{"address": each.address, "action": each.action, "reason": each.reason} for each in summary.deferred],
        "complete": summary.complete,
        "failed": summary.errored,
    }  # fmt: skip


def _change(change: Change, dangers: dict[str, list[JsonObject]]) -> JsonObject:
    known: JsonObject = {
        "address": change.address,
        "action": change.action,
        "type": change.type,
        "name": change.name,
        "order": change.order,
        "because": change.action_reason.replace("_", " "),
        "replacedBecauseOf": list(change.replace_paths),
        "movedFrom": change.previous_address,
        "importedAs": change.importing,
        "deposed": change.deposed,
        "fields": [_field(each) for each in change.fields[:_MOST_FIELDS]],
        "moreFields": len(change.fields[_MOST_FIELDS:]) + change.fields_left_out,
        "dangers": dangers.get(change.address, []),
    }
    return {name: value for name, value in known.items() if value not in ("", 0) and value != []}


def _field(each: Field) -> JsonObject:
    return {"path": each.path, "before": each.before, "after": each.after, "replaces": each.replaces}


def _danger(danger: Danger) -> JsonObject:
    return {
        "kind": danger.kind,
        "severity": danger.severity,
        "address": danger.address,
        "lost": danger.lost,
        "sentence": danger.sentence,
    }


def _about(approval: JsonObject, digest: str) -> bool:
    return bool(digest) and (approval.get("spec") or {}).get("plan") == digest


def _approval(approval: JsonObject) -> JsonObject:
    spec = approval.get("spec") or {}
    return {
        "by": spec.get("by") or "",
        "decision": spec.get("decision") or "Approve",
        "comment": spec.get("comment") or "",
        "at": approval["metadata"].get("creationTimestamp") or "",
    }
