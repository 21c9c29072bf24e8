"""What a sync would do, object by object, before anybody asks for it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.delivery.looks.looking import Found
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.steps.acting import consents_of, destruction_policy
from plumbline.delivery.steps.knowing import facts_of
from plumbline.delivery.steps.state import Comparison
from plumbline.delivery.sync.losses import replacement
from plumbline.delivery.sync.operation import APPROVED, sync_of
from plumbline.delivery.sync.planning import plan
from plumbline.delivery.sync.tasks import Invalid, Task, verb
from plumbline.gate.consent import CONSENT_ANNOTATION, token
from plumbline.gate.contents import held
from plumbline.kinds.application import Operation, OperationState, SyncOperation
from plumbline.kube.object import Object

_VERBS: Final = {
    "create": "create",
    "replace": "replace",
    "recreate": "recreate",
    "update": "replace",
    "apply": "update",
}
_KEPT: Final = {
    "unasked": "It is no longer in Git, and the sync does not prune",
    "forbidden": "It is no longer in Git, and says that it is not pruned",
    "confirm": "It is pruned once a person has agreed",
}


class Row(NamedTuple):
    """One object, and what becomes of it."""

    task: Task
    verb: str
    """create, update, replace, recreate, prune, keep, hook or unchanged."""
    risk: str = ""
    """What is lost; empty where nothing is."""
    note: str = ""


class Approval(NamedTuple):
    """What the sync waits for, where a person asks for it: that somebody writes this on the Application."""

    row: Row
    why: str
    annotation: str
    value: str


class Plan(NamedTuple):
    rows: tuple[Row, ...]
    """In the order in which they are done."""
    refused: str = ""
    """Why there can be no such sync."""
    approvals: tuple[Approval, ...] = ()


async def planned(
    found: Found, asked: SyncOperation, now: datetime, scoped: Callable[[str], Iterable[Cluster]]
) -> Plan:
    """What *asked* would do with what was found."""
    run, at, target, comparison = found
    if target.objection:
        return Plan((), target.objection)
    state = OperationState(operation=Operation(sync=asked), phase="Running", started_at=rfc3339(now))
    sync = sync_of(state, run.spec.destination.namespace, run.spec.sync_policy, Object(run.object).annotations, 0.0)
    tasks = plan(sync, target.desired, comparison.observed, await facts_of(at, target, comparison, sync, scoped))
    if isinstance(tasks, Invalid):
        return Plan((), tasks.message or "; ".join(each.message for each in tasks.results))
    rows = tuple(_row(task, comparison) for task in tasks)
    consents = consents_of(Object(run.object).annotations)
    policy = await destruction_policy(at, run.spec.destination.namespace)
    return Plan(rows, approvals=tuple(_approvals(rows, consents, now, asking=policy == "enforce")))


def _approvals(rows: Iterable[Row], consents: frozenset[str], now: datetime, *, asking: bool) -> Iterator[Approval]:
    """What asks to be confirmed, and what takes more with it than Git can make again; the rest a person has asked for."""
    for row in rows:
        if row.verb == "prune" and row.task.pruning == "confirm":
            yield Approval(row, _KEPT["confirm"], APPROVED, rfc3339(now))
        lost = replacement(row.task.ref) if asking and row.verb == "recreate" else None
        if lost is not None and not lost.requested and token(lost) not in consents:
            yield Approval(
                row, f"It is deleted and made again, and {row.risk} is lost", CONSENT_ANNOTATION, token(lost)
            )


def _row(task: Task, comparison: Comparison) -> Row:
    if task.hook:
        return Row(task, "hook")
    if task.desired is None:
        if task.pruning in _KEPT:
            return Row(task, "prune" if task.pruning == "confirm" else "keep", note=_KEPT[task.pruning])
        return Row(task, "prune", risk=held(task.ref) or "the object")
    if task.live is None:
        return Row(task, "create")
    if comparison.in_sync(task.ref) and not task.manner.replace:
        return Row(task, "unchanged")
    how = _VERBS[verb(task, exists=True)]
    return Row(task, how, risk=held(task.ref) or "the object, until it is made again" if how == "recreate" else "")


def as_json(made: Plan, most: int) -> JsonObject:
    """By waves, risky rows first; at most *most* rows, of those that are unchanged none before all others are told."""
    if made.refused:
        return {"refused": made.refused, "counts": {}, "risky": [], "approvals": [], "waves": []}
    told = sorted(made.rows, key=lambda row: (not row.risk, row.verb == "unchanged"))[:most]
    kept = {row.task.key for row in told}
    waves: dict[tuple[str, int], list[Row]] = {}
    for row in made.rows:
        waves.setdefault((row.task.phase, row.task.wave), []).append(row)
    said: JsonObject = {
        "counts": dict(Counter(row.verb for row in made.rows)),
        "risky": [row_json(row) for row in told if row.risk],
        "approvals": [_approval_json(each) for each in made.approvals[:most]],
        "waves": [_wave(step, rows, [row for row in rows if row.task.key in kept]) for step, rows in waves.items()],
    }
    return said | {"truncated": True} if len(told) < len(made.rows) else said


def _approval_json(each: Approval) -> JsonObject:
    ref = each.row.task.ref
    named = {"group": ref.group, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}
    return {**named, "why": each.why, "annotation": {each.annotation: each.value}}


def _wave(step: tuple[str, int], rows: list[Row], told: list[Row]) -> JsonObject:
    first = sorted(told, key=lambda row: not row.risk)
    counts = dict(Counter(row.verb for row in rows))
    return {"phase": step[0], "wave": step[1], "counts": counts, "rows": [row_json(row) for row in first]}


def row_json(row: Row) -> JsonObject:
    ref = row.task.ref
    said = {
        "group": ref.group,
        "version": row.task.gvk.version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "verb": row.verb,
        "phase": row.task.phase,
        "wave": row.task.wave,
        "risk": row.risk,
        "note": row.note,
    }
    return {name: value for name, value in said.items() if value or name == "wave"}
