"""What a Job's own rules say about a failed pod, and about the indexes that succeeded."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.jobs.intervals import Indexes
from plumbline.apiserver.controllers.workloads.jobs.reading import failures_of_index, has_failed
from plumbline.apiserver.controllers.workloads.podviews import ContainerStatus, Pod
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

FAIL_JOB: Final = "FailJob"
FAIL_INDEX: Final = "FailIndex"
IGNORE: Final = "Ignore"


class Judgement(NamedTuple):
    action: str = ""
    message: str = ""
    """Why the Job fails, where the action is that."""

    @property
    def counts(self) -> bool:
        """Towards the backoff limit."""
        return self.action != IGNORE


def judged(job: Object, pod: Pod) -> Judgement:
    """By the first rule that matches; without one, a failure counts."""
    rules = (job.spec.get("podFailurePolicy") or {}).get("rules") or ()
    for index, rule in enumerate(rules):
        action = str(rule.get("action"))
        where = f"{pod.metadata.namespace}/{pod.name}"
        if rule.get("onExitCodes"):
            container = _by_exit_code(pod, rule["onExitCodes"])
            if container and container.terminated:
                code = container.terminated.exit_code
                told = f"Container {container.name} for pod {where} failed with exit code {code}"
                return Judgement(action, f"{told} matching {action} rule at index {index}")
        elif rule.get("onPodConditions"):
            condition = _by_condition(pod, rule["onPodConditions"])
            if condition:
                return Judgement(
                    action, f"Pod {where} has condition {condition} matching {action} rule at index {index}"
                )
    return Judgement()


def fails_job(job: Object, pods: Iterable[Pod]) -> str:
    """Why the failure of one of *pods* is the whole Job's; nothing, where it is not."""
    if not job.spec.get("podFailurePolicy"):
        return ""
    judgements = (judged(job, pod) for pod in pods if has_failed(pod, job))
    return next((each.message for each in judgements if each.action == FAIL_JOB), "")


def fails_index(job: Object, pod: Pod) -> bool:
    if not has_failed(pod, job):
        return False
    judgement = judged(job, pod)
    limit = int(job.spec.get("backoffLimitPerIndex") or 0)
    return judgement.action == FAIL_INDEX or (judgement.counts and failures_of_index(pod) >= limit)


def succeeds_early(job: Object, succeeded: Indexes) -> str:
    """Which rule says that the Job succeeded with only these indexes; nothing, where none does."""
    rules = (job.spec.get("successPolicy") or {}).get("rules") or ()
    for index, rule in enumerate(rules if succeeded else ()):
        if _is_met(rule, succeeded, int(job.spec.get("completions") or 0)):
            return f"Matched rules at index {index}"
    return ""


def _is_met(rule: JsonObject, succeeded: Indexes, completions: int) -> bool:
    least = rule.get("succeededCount")
    if rule.get("succeededIndexes") is None:
        return least is not None and len(succeeded) >= int(least)
    required = Indexes.parse(str(rule["succeededIndexes"]), completions)
    there = len(required & succeeded)
    return bool(required) and (there == len(required) or (least is not None and there >= int(least)))


def _by_exit_code(pod: Pod, rule: JsonObject) -> ContainerStatus | None:
    statuses = (*(pod.status.container_statuses or ()), *(pod.status.init_container_statuses or ()))
    values, name = rule.get("values") or (), rule.get("containerName")
    for each in statuses:
        if each.terminated is None or not each.terminated.exit_code or name not in (None, each.name):
            continue
        if (each.terminated.exit_code in values) == (rule.get("operator") == "In"):
            return each
    return None


def _by_condition(pod: Pod, patterns: Iterable[JsonObject]) -> str:
    wanted = {(each.get("type"), each.get("status") or "True") for each in patterns}
    return next((each.type for each in pod.status.conditions or () if (each.type, each.status) in wanted), "")
