"""What a Job does next: end, or have another number of pods."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.jobs.patience import Failures, remaining_of_index_s
from plumbline.apiserver.controllers.workloads.jobs.policies import fails_job, succeeds_early
from plumbline.apiserver.controllers.workloads.jobs.reading import (
    FAILURE,
    FAILURE_TARGET,
    SUCCESS_MET,
    backs_off_per_index,
    held,
    index_of,
    is_suspended,
    replaces_failed_only,
)
from plumbline.apiserver.controllers.workloads.jobs.work import Work
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.controllers.workloads.podviews import PENDING, RUNNING, Pod
from plumbline.apiserver.controllers.workloads.ranking import by_expendability
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject

BURST: Final = 500
SOONEST_S: Final = 1.0


class Plan(NamedTuple):
    ending: JsonObject | None = None
    """The condition under which it ends, where it does."""
    delete: Sequence[Pod] = ()
    forget: bool = False
    """Whether deleted pods are not to be counted as failed: they lose their finalizer first."""
    create: int = 0
    indexes: Sequence[int] = ()
    """One for each pod to be created, where they have indexes."""
    again_s: float | None = None
    balanced: bool = False
    """Whether the number of pods was looked at."""


def condition(type_: str, reason: str, message: str, now: datetime, status: str = "True") -> JsonObject:
    when = rfc3339(now)
    return {
        "type": type_,
        "status": status,
        "lastProbeTime": when,
        "lastTransitionTime": when,
        "reason": reason,
        "message": message,
    }


def plan(work: Work, failures: Failures) -> Plan:
    ending = _ending(work)
    if ending is not None:
        return Plan(ending, delete=work.active)
    again_s = _deadline_s(work)
    if work.job.deletion_timestamp:
        return Plan(again_s=again_s)
    balance = _balance(work, failures)
    waits = [wait for wait in (balance.again_s, again_s) if wait is not None]
    return balance._replace(again_s=min(waits, default=None), balanced=True)


def _ending(work: Work) -> JsonObject | None:
    met = held(work.job, SUCCESS_MET)
    if met is not None:
        return met
    target = held(work.job, FAILURE_TARGET)
    if target is not None:
        return condition(FAILURE, str(target.get("reason")), str(target.get("message")), work.now)
    reason, message = _failure(work)
    if reason:
        return condition(FAILURE_TARGET, reason, message, work.now)
    early = succeeds_early(work.job, work.succeeded_indexes) if work.indexed else ""
    return condition(SUCCESS_MET, "SuccessPolicy", early, work.now) if early else None


def _failure(work: Work) -> tuple[str, str]:
    job = work.job
    if message := fails_job(job, work.pods):
        return "PodFailurePolicy", message
    if work.failed > int(job.spec.get("backoffLimit") or 0) or _restarts_too_often(work):
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    left_s = _deadline_s(work)
    if left_s is not None and left_s <= 0:
        return "DeadlineExceeded", "Job was active longer than specified deadline"
    failed = work.failed_indexes
    if failed is not None:
        most = job.spec.get("maxFailedIndexes")
        if most is not None and len(failed) > int(most):
            message = "Job has exceeded the specified maximal number of failed indexes"
            return "MaxFailedIndexesExceeded", message
        if failed and len(failed) + len(work.succeeded_indexes) >= (work.completions or 0):
            return "FailedIndexes", "Job has failed indexes"
    return "", ""


def _restarts_too_often(work: Work) -> bool:
    """Containers that are restarted in place count as failures too."""
    template = (work.job.spec.get("template") or {}).get("spec") or {}
    if template.get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(
        status.restart_count
        for pod in work.pods
        if pod.phase in {RUNNING, PENDING}
        for status in (*(pod.status.init_container_statuses or ()), *(pod.status.container_statuses or ()))
    )
    limit = int(work.job.spec.get("backoffLimit") or 0)
    return restarts >= limit if limit else restarts > 0


def _deadline_s(work: Work) -> float | None:
    """What is left of its time; None where it has all the time there is."""
    job = work.job
    allowed, started = job.spec.get("activeDeadlineSeconds"), moment(str(job.status.get("startTime") or ""))
    if allowed is None or is_suspended(job):
        return None
    since = started or work.now
    return (since + timedelta(seconds=int(allowed)) - work.now).total_seconds()


def _balance(work: Work, failures: Failures) -> Plan:
    job, active = work.job, len(work.active)
    if is_suspended(job):
        return Plan(delete=_to_remove(work, active), forget=True)
    wanted = _wanted(work)
    surplus = _to_remove(work, max(active - wanted, 0))[:BURST]
    if surplus:
        return Plan(delete=surplus, forget=True)
    leaving = len(work.terminating) if replaces_failed_only(job) else 0
    missing = wanted - leaving - active
    return _creations(work, failures, min(missing, BURST)) if missing > 0 else Plan()


def _wanted(work: Work) -> int:
    parallelism = int(work.job.spec.get("parallelism") or 0)
    if work.completions is None:
        # The first success says that the work is done: whoever is still at it may finish.
        return len(work.active) if work.succeeded else parallelism
    return max(min(work.completions - work.succeeded, parallelism), 0)


def _creations(work: Work, failures: Failures, count: int) -> Plan:
    per_index = backs_off_per_index(work.job)
    wait_s = 0.0 if per_index else failures.remaining_s(work.now)
    if wait_s > 0:
        return Plan(again_s=max(wait_s, SOONEST_S))
    if not work.indexed:
        return Plan(create=count)
    taken = work.pending_indexes(keeping_terminating=replaces_failed_only(work.job))
    indexes = list(islice(taken.missing(work.completions or 0), count))
    if not per_index:
        return Plan(create=len(indexes), indexes=indexes)
    waits = {index: remaining_of_index_s(work.to_be_replaced.get(index), work.now) for index in indexes}
    ready = [index for index in indexes if not waits[index]]
    again_s = max(min(waits.values()), SOONEST_S) if waits and not ready else None
    return Plan(create=len(ready), indexes=ready, again_s=again_s)


def _to_remove(work: Work, least: int) -> list[Pod]:
    """At least *least* active pods: first those whose index is another's or nobody's."""
    if not work.indexed:
        return by_expendability(work.active)[:least]
    doubles, left = _doubles(work)
    return [*doubles, *by_expendability(left)[: max(least - len(doubles), 0)]]


def _doubles(work: Work) -> tuple[list[Pod], list[Pod]]:
    doubles: list[Pod] = []
    left: list[Pod] = []
    for index, group in groupby(sorted(work.active, key=_by_index), key=_by_index):
        pods = by_expendability(group)
        valid = 0 <= index < (work.completions or 0)
        doubles += pods[:-1] if valid else pods
        left += pods[-1:] if valid else []
    return doubles, left


def _by_index(pod: Pod) -> int:
    index = index_of(pod)
    return -1 if index is None else index
