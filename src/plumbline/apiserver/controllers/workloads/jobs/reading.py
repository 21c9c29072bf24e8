"""What a Job asks for, and what its pods tell about it."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from plumbline.apiserver.controllers.workloads.conditions import condition_of
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.controllers.workloads.podviews import FAILED, SUCCEEDED, ContainerStatus, Pod
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

FINALIZER: Final = "batch.kubernetes.io/job-tracking"
INDEX: Final = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
COMPLETE: Final = "Complete"
FAILURE: Final = "Failed"
SUCCESS_MET: Final = "SuccessCriteriaMet"
FAILURE_TARGET: Final = "FailureTarget"
SUSPENDED: Final = "Suspended"
_CONTROLLER_NAME: Final = "kubernetes.io/job-controller"
_INT32: Final = range(2**31)
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_integer: Final = re.compile(r"\+?[0-9]{1,10}").fullmatch


def conditions_of(job: Object) -> list[JsonObject]:
    return list(job.status.get("conditions") or ())


def finished_as(job: Object) -> str:
    """Complete, Failed, or nothing while it is not finished."""
    for each in conditions_of(job):
        if each.get("type") in {COMPLETE, FAILURE} and each.get("status") == "True":
            return str(each["type"])
    return ""


def held(job: Object, type_: str) -> JsonObject | None:
    """The condition, where it holds."""
    found = condition_of(conditions_of(job), type_)
    return found if found and found.get("status") == "True" else None


def is_managed_by_others(job: Object) -> bool:
    return (job.spec.get("managedBy") or _CONTROLLER_NAME) != _CONTROLLER_NAME


def is_suspended(job: Object) -> bool:
    return bool(job.spec.get("suspend"))


def is_indexed(job: Object) -> bool:
    return bool(job.spec.get("completionMode") == "Indexed")


def completions_of(job: Object) -> int | None:
    given = job.spec.get("completions")
    return None if given is None else int(given)


def replaces_failed_only(job: Object) -> bool:
    """Whether a pod that is still terminating keeps its place."""
    return bool(job.spec.get("podReplacementPolicy") == FAILED or job.spec.get("podFailurePolicy"))


def backs_off_per_index(job: Object) -> bool:
    return job.spec.get("backoffLimitPerIndex") is not None


def has_failed(pod: Pod, job: Object) -> bool:
    if pod.phase == FAILED:
        return True
    return pod.deleted and pod.phase != SUCCEEDED and not replaces_failed_only(job)


def index_of(pod: Pod) -> int | None:
    return _number(pod.annotations.get(INDEX, ""))


def failures_of_index(pod: Pod) -> int:
    """How often its index had failed when it was created; ignored failures do not count."""
    return _number(pod.annotations.get(INDEX_FAILURES, "")) or 0


def all_failures_of_index(pod: Pod) -> int:
    return failures_of_index(pod) + ignored_of_index(pod)


def ignored_of_index(pod: Pod) -> int:
    return _number(pod.annotations.get(INDEX_IGNORED, "")) or 0


def finished_at(pod: Pod) -> datetime:
    """When its last container ended; else when it was no longer ready, or was deleted, or was created."""
    ready = pod.condition("Ready")
    no_longer = moment(ready.last_transition_time or "") if ready and ready.status == "False" else None
    found = _last_end(pod) or no_longer or _deleted_at(pod) or pod.created_at
    return found or _LONG_AGO


def _last_end(pod: Pod) -> datetime | None:
    sidecars = {each.name for each in pod.spec.init_containers or () if each.restart_policy == "Always"}
    beside = [each for each in pod.status.init_container_statuses or () if each.name in sidecars]
    ends = [_end(each) for each in (*(pod.status.container_statuses or ()), *beside)]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def _end(status: ContainerStatus) -> datetime | None:
    return moment(status.terminated.finished_at or "") if status.terminated else None


def _deleted_at(pod: Pod) -> datetime | None:
    due = moment(pod.metadata.deletion_timestamp or "")
    return due - timedelta(seconds=pod.metadata.deletion_grace_period_seconds or 0) if due else None


def _number(text: str) -> int | None:
    number = int(text) if _integer(text) else None
    return number if number is not None and number in _INT32 else None
