"""Terraform objects and their plans as people read them. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.applications.trees import age
from plumbline.cli.terminal import Styled, plain, table
from plumbline.terraform.objects.phases import plan_of, standing
from plumbline.terraform.objects.plans import Shown
from plumbline.terraform.objects.store import condition
from plumbline.terraform.plans import Summary, tabled
from plumbline.terraform.plans.digest import SHORTEST_PREFIX
from plumbline.terraform.plans.texts import HEADER
from plumbline.terraform.plans.values import Change, Field

_COLUMNS: Final = ("NAME", "READY", "PLAN", "REVISION", "DRIFT", "AGE")
_WIDE: Final = ("APPROVAL", "SOURCE", "PATH", "MESSAGE")
_COLOURS: Final = {"True": "green", "False": "red", "Unknown": "yellow"}
_LABEL: Final = 12
_SHA: Final = 12
_MOST_FIELDS: Final = 200


def listed(objs: Sequence[JsonObject], now: datetime, *, everywhere: bool = False, wide: bool = False) -> str:
    header = (*(("NAMESPACE",) if everywhere else ()), *_COLUMNS, *(_WIDE if wide else ()))
    return table(header, [_row(obj, now, everywhere=everywhere, wide=wide) for obj in objs])


def _row(obj: JsonObject, now: datetime, *, everywhere: bool, wide: bool) -> list[str | Styled]:
    metadata, status = obj["metadata"], obj.get("status") or {}
    ready = str(condition(obj, "Ready").get("status") or "Unknown")
    cells: list[str | Styled] = [
        *([str(metadata.get("namespace") or "")] if everywhere else []),
        str(metadata["name"]),
        Styled(ready, _COLOURS.get(ready, "")),
        _plan(obj),
        short(str(status.get("lastAppliedRevision") or status.get("lastAttemptedRevision") or "")),
        _drift(obj),
        age(obj, now),
    ]
    return [*cells, *_more(obj)] if wide else cells


def _more(obj: JsonObject) -> list[str]:
    spec = obj.get("spec") or {}
    source = spec.get("sourceRef") or {}
    return [
        str(spec.get("approvePlan") or "manual"),
        f"{source.get('kind', '')}/{source.get('name', '')}",
        str(spec.get("path") or "."),
        standing(obj).message,
    ]


def _plan(obj: JsonObject) -> str:
    """Which plan waits, or what else there is to say of plans."""
    found = standing(obj)
    if (obj.get("spec") or {}).get("suspend"):
        return "suspended"
    if found.phase == "busy":
        return "working"
    return found.pending or "none"


def _drift(obj: JsonObject) -> str:
    if (obj.get("spec") or {}).get("disableDriftDetection"):
        return "ignored"
    if plan_of(obj).get("pending") and plan_of(obj).get("isDriftDetectionPlan"):
        return "yes"
    return "no" if (obj.get("status") or {}).get("lastPlanAt") else "unknown"


def short(revision: str) -> str:
    """`main@sha1:0123456789ab` of a whole one."""
    head, colon, sha = revision.rpartition(":")
    return f"{head}{colon}{sha[:_SHA]}" if colon else revision


def described(found: Shown, *, fields: bool = False) -> str:
    """Everything that somebody needs who is to agree."""
    lines = [*_head(found)]
    if found.summary is not None:
        lines += _changes(found, found.summary, fields=fields)
    elif found.standing.pending or condition(found.obj, "Plan"):
        lines += ["", *_printable(str(condition(found.obj, "Plan").get("message") or "").splitlines())]
    if found.standing.phase in {"waiting", "failed"}:
        lines += ["", field("Status:", found.standing.message)]
    lines += _approved(found)
    return "\n".join(lines)


def _head(found: Shown) -> Iterator[str]:
    metadata, status, pending = found.obj["metadata"], found.obj.get("status") or {}, found.pending
    yield field("Name:", f"{metadata['namespace']}/{metadata['name']}")
    if not found.standing.pending:
        yield field("Plan:", "none waits")
        yield field("Applied:", f"{plan_of(found.obj).get('lastApplied') or 'nothing yet'}")
        yield field("Revision:", status.get("lastAppliedRevision") or "none")
        return
    yield field("Plan:", found.standing.pending)
    yield field("Digest:", found.digest or "not for you to read")
    if pending is None:
        return
    yield field("Revision:", pending.revision)
    yield field("Made:", pending.made_at)
    yield field("Does:", pending.headline)
    if pending.destroy:
        yield field("", "It destroys everything.")
    if pending.drift:
        yield field("", "It sets back what was changed outside.")


def _changes(found: Shown, summary: Summary, *, fields: bool) -> Iterator[str]:
    dangers = found.pending.dangers if found.pending is not None else ()
    if fields:
        yield ""
        yield from _printable(_whole(summary))
    elif rows := tabled(summary, dangers):
        yield ""
        yield table(HEADER, rows)
    if dangers:
        yield ""
        yield "Not done unasked:"
        yield from _printable(f"  {each.severity}: {each.sentence}" for each in dangers)
        if found.pending is not None and found.pending.more:
            yield f"  and {found.pending.more} more"


def _whole(summary: Summary) -> Iterator[str]:
    """Every change with its attributes; secret values are not among what a summary holds."""
    for change in summary.acting:
        yield _titled(change)
        yield from map(_field, change.fields[:_MOST_FIELDS])
        more = len(change.fields[_MOST_FIELDS:]) + change.fields_left_out
        if more:
            yield f"      … and {more} more"
    for output in summary.outputs:
        yield f"  {output.action} output {output.name}: {output.before or 'none'} → {output.after or 'none'}"
    for change in summary.drift:
        yield f"  changed outside: {change.address}"
        yield from map(_field, change.fields[:_MOST_FIELDS])


def _titled(change: Change) -> str:
    notes = [note for note in (change.order, change.action_reason.replace("_", " ")) if note]
    told = f" ({', '.join(notes)})" if notes else ""
    return f"  {change.action} {change.address}{told}"


def _field(each: Field) -> str:
    because = "  (the reason for the replacement)" if each.replaces else ""
    if each.before is None:
        return f"      {each.path} = {each.after}{because}"
    return f"      {each.path}: {each.before} → {each.after if each.after is not None else 'none'}{because}"


def _approved(found: Shown) -> Iterator[str]:
    """Who has said what about the plan that waits."""
    about = [each for each in found.approvals if (each.get("spec") or {}).get("plan") == found.digest]
    if not about or not found.digest:
        return
    yield ""
    rows = [
        (
            str(each["spec"].get("by") or "nobody"),
            str(each["spec"].get("decision") or "Approve"),
            str(each["metadata"].get("creationTimestamp") or ""),
            str(each["spec"].get("comment") or ""),
        )
        for each in about
    ]
    yield table(("BY", "DECISION", "AT", "COMMENT"), rows)


def as_value(found: Shown) -> JsonObject:
    """For programs: no text of ours that they would have to read."""
    pending = found.pending
    return {
        "namespace": found.obj["metadata"]["namespace"],
        "name": found.name,
        "phase": found.standing.phase,
        "reason": found.standing.reason,
        "message": found.standing.message,
        "plan": found.standing.pending,
        "digest": found.digest,
        "revision": pending.revision if pending is not None else "",
        "headline": pending.headline if pending is not None else "",
        "destroy": pending.destroy if pending is not None else False,
        "drift": pending.drift if pending is not None else False,
        "dangers": [
            {"kind": each.kind, "severity": each.severity, "address": each.address, "sentence": each.sentence}
            for each in (pending.dangers if pending is not None else ())
        ],
        "changes": [
            {"address": each.address, "action": each.action}
            for each in (found.summary.acting if found.summary is not None else ())
        ],
        "approvals": [
            each.get("spec") for each in found.approvals if (each.get("spec") or {}).get("plan") == found.digest
        ],
    }


def field(label: str, value: object) -> str:
    return f"{label:<{_LABEL}}{plain(str(value))}".rstrip()


def prefix(digest: str) -> str:
    return digest[:SHORTEST_PREFIX]


def _printable(lines: Iterable[str]) -> Iterator[str]:
    return map(plain, lines)
