"""The pods of a Job, as they are created: counted by a finalizer, and told their index."""

from typing import Final

from plumbline.apiserver.controllers.workloads.jobs.policies import judged
from plumbline.apiserver.controllers.workloads.jobs.reading import (
    FINALIZER,
    INDEX,
    INDEX_FAILURES,
    INDEX_IGNORED,
    failures_of_index,
    ignored_of_index,
)
from plumbline.apiserver.controllers.workloads.jobs.work import Work
from plumbline.apiserver.controllers.workloads.podviews import Pod
from plumbline.apiserver.controllers.workloads.templates import pod_from_template
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

_VARIABLE: Final = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX: Final = 58


def plain_pod(job: Object) -> JsonObject:
    pod = pod_from_template(job.spec.get("template") or {}, job)
    finalizers = pod["metadata"].get("finalizers") or []
    tracked = finalizers if FINALIZER in finalizers else [*finalizers, FINALIZER]
    return {**pod, "metadata": {**pod["metadata"], "finalizers": tracked}}


def indexed_pod(work: Work, index: int) -> JsonObject:
    job = work.job
    pod = plain_pod(job)
    metadata, spec = pod["metadata"], pod["spec"]
    notes = {**(metadata.get("annotations") or {}), INDEX: str(index)}
    if work.failed_indexes is not None:
        notes |= _failure_notes(job, work.to_be_replaced.get(index))
    described = {
        **metadata,
        "generateName": _prefix(job.name, index),
        "labels": {**(metadata.get("labels") or {}), INDEX: str(index)},
        "annotations": notes,
    }
    knowing = {field: list(map(_knowing, spec[field])) for field in ("initContainers", "containers") if spec.get(field)}
    return {**pod, "metadata": described, "spec": {**spec, **knowing, "hostname": f"{job.name}-{index}"}}


def _failure_notes(job: Object, replaced: Pod | None) -> dict[str, str]:
    """How often its index failed before, counted and ignored."""
    if replaced is None:
        return {INDEX_FAILURES: "0"}
    counts = judged(job, replaced).counts
    failures, ignored = failures_of_index(replaced) + counts, ignored_of_index(replaced) + (not counts)
    return {INDEX_FAILURES: str(failures), **({INDEX_IGNORED: str(ignored)} if ignored else {})}


def _knowing(container: JsonObject) -> JsonObject:
    environment = container.get("env") or []
    if any(each.get("name") == _VARIABLE for each in environment):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {**container, "env": [*environment, {"name": _VARIABLE, "valueFrom": source}]}


def _prefix(name: str, index: int) -> str:
    ending = f"-{index}-"
    return f"{name[: _LONGEST_PREFIX - len(ending)]}{ending}"
