"""What a Job's status says, so that every pod is counted exactly once.

A pod that ended is first named in the status, then loses the finalizer that kept it, then its name in the status turns
into a number. Whoever is killed in between finds the pod either kept or named, never neither.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.conditions import condition_of, told
from plumbline.apiserver.controllers.workloads.jobs.intervals import Indexes
from plumbline.apiserver.controllers.workloads.jobs.planning import Plan, condition
from plumbline.apiserver.controllers.workloads.jobs.policies import judged
from plumbline.apiserver.controllers.workloads.jobs.reading import (
    COMPLETE,
    FAILURE,
    FAILURE_TARGET,
    SUCCESS_MET,
    SUSPENDED,
    conditions_of,
    has_failed,
    index_of,
    is_suspended,
)
from plumbline.apiserver.controllers.workloads.jobs.work import Work, is_tracked
from plumbline.apiserver.controllers.workloads.podviews import SUCCEEDED, Pod
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject

MOST_UNCOUNTED: Final = 500
_ALWAYS: Final = frozenset({"ready", "terminating", "uncountedTerminatedPods", "failedIndexes"})


class Outcome(NamedTuple):
    """How things are after the plan was carried out, as far as it could be."""

    status: JsonObject
    """Without the counts of pods that ended."""
    ending: JsonObject | None
    events: Sequence[tuple[str, str]] = ()

    @property
    def terminating(self) -> int:
        return int(self.status["terminating"])


class Tracking(NamedTuple):
    status: JsonObject
    release: list[Pod]
    closing: JsonObject | None
    """The condition that finishes the Job, once all pods are counted."""


def settle(work: Work, plan: Plan, deleted: Sequence[Pod], created: int) -> Outcome:
    job = work.job
    active = len(work.active) - len(deleted) + created
    counts = {
        "active": active,
        "ready": sum(pod.ready for pod in work.active) - sum(pod.ready for pod in deleted),
        "terminating": len(work.terminating) + len(deleted),
    }
    started = job.status.get("startTime") or (None if is_suspended(job) else rfc3339(work.now))
    status = {**job.status, **counts, "startTime": started, "conditions": conditions_of(job)}
    if plan.ending is not None:
        return Outcome(status, plan.ending if len(deleted) == len(work.active) else None)
    if _is_complete(work, active):
        message = "Reached expected number of succeeded pods"
        return Outcome(status, condition(SUCCESS_MET, "CompletionsReached", message, work.now))
    return _with_suspension(work, status) if plan.balanced else Outcome(status, None)


def track(work: Work, outcome: Outcome) -> Tracking:
    """The status that names the pods which ended, and the pods that may go once it is written."""
    status = _counted(outcome.status, {pod.uid for pod in work.pods if is_tracked(pod)})
    uncounted = {**status["uncountedTerminatedPods"]}
    succeeded, failed = list(uncounted.get("succeeded") or ()), list(uncounted.get("failed") or ())
    may_go = [pod for pod in work.pods if is_tracked(pod) and _may_go(work, pod, outcome.ending)]
    release: list[Pod] = []
    indexes: list[int] = []
    for pod in may_go:
        if len(indexes) + len(succeeded) + len(failed) >= MOST_UNCOUNTED:
            break
        release.append(pod)
        if pod.phase == SUCCEEDED and pod.uid not in work.uncounted_failed:
            _note_success(work, pod, succeeded, indexes)
        elif _counts_as_failed(work, pod, outcome.ending):
            failed.append(pod.uid)
    status = {**status, "uncountedTerminatedPods": told({"succeeded": succeeded, "failed": failed})}
    if work.indexed:
        status |= _indexes(work, Indexes.of(indexes))
    conditions, closing = _announced(status["conditions"], outcome.ending, work.now)
    all_counted = len(release) == len(may_go)
    return Tracking(written({**status, "conditions": conditions}), release, closing if all_counted else None)


def close(
    tracking: Tracking, still_tracked: Collection[str], terminating: int, now: datetime
) -> tuple[JsonObject, JsonObject | None]:
    """The status with named pods turned into numbers; and the condition that finished the Job, if it did."""
    status = _counted(tracking.status, still_tracked)
    closing = tracking.closing
    if closing is None or any(status["uncountedTerminatedPods"].values()) or terminating:
        return written(status), None
    final = {**closing, "lastProbeTime": rfc3339(now), "lastTransitionTime": rfc3339(now)}
    conditions, _ = ensured(status.get("conditions") or [], final)
    if final["type"] == COMPLETE:
        status = {**status, "completionTime": final["lastTransitionTime"]}
    return written({**status, "conditions": conditions}), final


def ensured(conditions: Sequence[JsonObject], wanted: JsonObject) -> tuple[list[JsonObject], bool]:
    """*conditions* with *wanted* in its place, and whether that changed them; what never held is not denied."""
    current = condition_of(conditions, str(wanted["type"]))
    if current is None:
        denied = wanted["status"] == "False"
        return (list(conditions), False) if denied else ([*conditions, wanted], True)
    if all(current.get(field) == wanted.get(field) for field in ("status", "reason", "message")):
        return list(conditions), False
    return [wanted if each is current else each for each in conditions], True


def written(status: JsonObject) -> JsonObject:
    return told(status, always=_ALWAYS)


def _is_complete(work: Work, active: int) -> bool:
    if active:
        return False
    return work.succeeded > 0 if work.completions is None else work.succeeded >= work.completions


def _with_suspension(work: Work, status: JsonObject) -> Outcome:
    """Whether it is suspended; a Job that goes on starts its time anew."""
    now, conditions = work.now, status["conditions"]
    if is_suspended(work.job):
        wanted = condition(SUSPENDED, "JobSuspended", "Job suspended", now)
        conditions, changed = ensured(conditions, wanted)
        event, started = ("Suspended", "Job suspended"), None
    else:
        wanted = condition(SUSPENDED, "JobResumed", "Job resumed", now, "False")
        conditions, changed = ensured(conditions, wanted)
        event, started = ("Resumed", "Job resumed"), rfc3339(now)
    if not changed:
        return Outcome(status, None)
    return Outcome({**status, "conditions": conditions, "startTime": started}, None, [event])


def _counted(status: JsonObject, still_tracked: Collection[str]) -> JsonObject:
    """Pods that are named and no longer kept become numbers."""
    named = status.get("uncountedTerminatedPods") or {}
    counts = dict(status)
    left = {}
    for field in ("succeeded", "failed"):
        uids = list(named.get(field) or ())
        left[field] = [uid for uid in uids if uid in still_tracked]
        counts[field] = int(status.get(field) or 0) + len(uids) - len(left[field])
    return {**counts, "uncountedTerminatedPods": told(left)}


def _may_go(work: Work, pod: Pod, ending: JsonObject | None) -> bool:
    if work.job.deletion_timestamp or ending is not None or pod.phase == SUCCEEDED:
        return True
    if not has_failed(pod, work.job):
        return False
    index = index_of(pod)
    waiting = work.to_be_replaced.get(index) if index is not None else None
    return waiting is None or waiting.uid != pod.uid


def _note_success(work: Work, pod: Pod, succeeded: list[str], indexes: list[int]) -> None:
    index = work.valid_index(pod)
    if work.indexed:
        if index is not None and index not in work.stored_indexes:
            indexes.append(index)
    elif pod.uid not in work.uncounted_succeeded:
        succeeded.append(pod.uid)


def _counts_as_failed(work: Work, pod: Pod, ending: JsonObject | None) -> bool:
    cut_off = ending is not None and ending["type"] != SUCCESS_MET
    if not (has_failed(pod, work.job) or cut_off) or pod.uid in work.uncounted_failed:
        return False
    if work.indexed and work.valid_index(pod) is None:
        return False
    return judged(work.job, pod).counts


def _indexes(work: Work, new: Indexes) -> JsonObject:
    succeeded = work.succeeded_indexes | new
    failed = work.failed_indexes
    return {
        "succeeded": len(succeeded),
        "completedIndexes": str(succeeded),
        "failedIndexes": None if failed is None else str(failed),
    }


def _announced(
    conditions: Iterable[JsonObject], ending: JsonObject | None, now: datetime
) -> tuple[list[JsonObject], JsonObject | None]:
    """The conditions that say how it is going to end, and the one that will say how it ended."""
    there = list(conditions)
    if ending is None:
        return there, None
    final = {FAILURE_TARGET: FAILURE, SUCCESS_MET: COMPLETE}.get(str(ending["type"]))
    if final is None:
        return there, ending
    if condition_of(there, str(ending["type"])) is None:
        there.append(ending)
    return there, condition(final, str(ending.get("reason")), str(ending.get("message")), now)
