"""What makes pods: controllers of workloads, jobs and templates."""

from typing import Final

from plumbline.apiserver.tables.ages import human_duration, moment_s, since
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    UNSET,
    age,
    at,
    container_names,
    holds,
    items,
    labels,
    mapping,
    name,
    number,
    optional,
    records,
    selector,
    text,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, GroupVersion

_POD_TEMPLATE: Final = """
    Name
    Containers
    Images
    Pod Labels | The labels for the pod template.
"""
_REPLICATION_CONTROLLER: Final = """
    Name
    Desired:integer | @core.v1.ReplicationControllerSpec.replicas
    Current:integer | @core.v1.ReplicationControllerStatus.replicas
    Ready:integer | @core.v1.ReplicationControllerStatus.readyReplicas
    Age
    Containers*
    Images*
    Selector* | @core.v1.ReplicationControllerSpec.selector
"""
_REPLICA_SET: Final = """
    Name
    Desired:integer | @apps.v1.ReplicaSetSpec.replicas
    Current:integer | @apps.v1.ReplicaSetStatus.replicas
    Ready:integer | @apps.v1.ReplicaSetStatus.readyReplicas
    Age
    Containers*
    Images*
    Selector* | @apps.v1.ReplicaSetSpec.selector
"""
_DEPLOYMENT: Final = """
    Name
    Ready | Number of the pod with ready state
    Up-to-date | @apps.v1.DeploymentStatus.updatedReplicas
    Available | @apps.v1.DeploymentStatus.availableReplicas
    Age
    Containers*
    Images*
    Selector* | @apps.v1.DeploymentSpec.selector
"""
_STATEFUL_SET: Final = """
    Name
    Ready | Number of the pod with ready state
    Age
    Containers*
    Images*
"""
_DAEMON_SET: Final = """
    Name
    Desired:integer | @apps.v1.DaemonSetStatus.desiredNumberScheduled
    Current:integer | @apps.v1.DaemonSetStatus.currentNumberScheduled
    Ready:integer | @apps.v1.DaemonSetStatus.numberReady
    Up-to-date:integer | @apps.v1.DaemonSetStatus.updatedNumberScheduled
    Available:integer | @apps.v1.DaemonSetStatus.numberAvailable
    Node Selector | @core.v1.PodSpec.nodeSelector
    Age
    Containers*
    Images*
    Selector* | @apps.v1.DaemonSetSpec.selector
"""
_JOB: Final = """
    Name
    Status | Status of the job.
    Completions | @batch.v1.JobStatus.succeeded
    Duration | Time required to complete the job.
    Age
    Containers*
    Images*
    Selector* | @batch.v1.JobSpec.selector
"""
_CRON_JOB: Final = """
    Name
    Schedule | @batch.v1.CronJobSpec.schedule
    Timezone | @batch.v1.CronJobSpec.timeZone
    Suspend:boolean | @batch.v1.CronJobSpec.suspend
    Active:integer | @batch.v1.CronJobStatus.active
    Last Schedule | @batch.v1.CronJobStatus.lastScheduleTime
    Age
    Containers*
    Images*
    Selector* | @batch.v1.JobSpec.selector
"""
_CONTROLLER_REVISION: Final = """
    Name
    Controller | Controller of the object
    Revision | @apps.v1.ControllerRevision.revision
    Age
"""
_DAEMON_COUNTS: Final = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)
_JOB_ENDS: Final = ("Complete", "Failed")
_JOB_TURNS: Final = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _pod_spec(obj: JsonObject) -> JsonObject:
    return mapping(obj, "spec", "template", "spec")


def _pod_template(obj: JsonObject, _now_s: float) -> list[Json]:
    found = labels(mapping(obj, "template", "metadata", "labels"))
    return [name(obj), *container_names(mapping(obj, "template", "spec")), found]


def _replica_counts(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        number(obj, "spec", "replicas"),
        number(obj, "status", "replicas"),
        number(obj, "status", "readyReplicas"),
        age(obj, now_s),
        *container_names(_pod_spec(obj)),
    ]


def _replication_controller(obj: JsonObject, now_s: float) -> list[Json]:
    return [*_replica_counts(obj, now_s), labels(mapping(obj, "spec", "selector"))]


def _replica_set(obj: JsonObject, now_s: float) -> list[Json]:
    return [*_replica_counts(obj, now_s), selector(at(obj, "spec", "selector"))]


def _ready(obj: JsonObject) -> str:
    return f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}"


def _deployment(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        _ready(obj),
        number(obj, "status", "updatedReplicas"),
        number(obj, "status", "availableReplicas"),
        age(obj, now_s),
        *container_names(_pod_spec(obj)),
        selector(at(obj, "spec", "selector"), absent="", invalid="<invalid>"),
    ]


def _stateful_set(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), _ready(obj), age(obj, now_s), *container_names(_pod_spec(obj))]


def _daemon_set(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        *(number(obj, "status", each) for each in _DAEMON_COUNTS),
        labels(mapping(_pod_spec(obj), "nodeSelector")),
        age(obj, now_s),
        *container_names(_pod_spec(obj)),
        selector(at(obj, "spec", "selector")),
    ]


def _job(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        _job_status(obj),
        _completions(obj),
        _job_duration(obj, now_s),
        age(obj, now_s),
        *container_names(_pod_spec(obj)),
        selector(at(obj, "spec", "selector")),
    ]


def _job_status(obj: JsonObject) -> str:
    conditions = records(obj, "status", "conditions")
    for kind in _JOB_ENDS:
        if holds(conditions, kind):
            return kind
    if at(obj, "metadata", "deletionTimestamp") is not None:
        return "Terminating"
    return next((kind for kind in _JOB_TURNS if holds(conditions, kind)), "Running")


def _completions(obj: JsonObject) -> str:
    succeeded = number(obj, "status", "succeeded")
    if at(obj, "spec", "completions") is not None:
        return f"{succeeded}/{number(obj, 'spec', 'completions')}"
    parallelism = number(obj, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(obj: JsonObject, now_s: float) -> str:
    start_s = moment_s(text(obj, "status", "startTime"))
    if start_s is None:
        return ""
    end_s = moment_s(text(obj, "status", "completionTime"))
    return human_duration((now_s if end_s is None else end_s) - start_s)


def _cron_job(obj: JsonObject, now_s: float) -> list[Json]:
    spec, template = at(obj, "spec"), at(obj, "spec", "jobTemplate", "spec")
    last = at(obj, "status", "lastScheduleTime")
    return [
        name(obj),
        text(spec, "schedule"),
        optional(spec, "timeZone", absent=NONE),
        _answer(at(spec, "suspend")),
        len(items(obj, "status", "active")),
        NONE if last is None else since(last, now_s),
        age(obj, now_s),
        *container_names(mapping(template, "template", "spec")),
        selector(at(template, "selector")),
    ]


def _answer(value: Json) -> str:
    if value is None:
        return UNSET
    return "True" if value is True else "False"


def _controller_revision(obj: JsonObject, now_s: float) -> list[Json]:
    owners = records(obj, "metadata", "ownerReferences")
    owner = next((each for each in owners if each.get("controller") is True), None)
    return [name(obj), NONE if owner is None else _owner(owner), number(obj, "revision"), age(obj, now_s)]


def _owner(reference: JsonObject) -> str:
    kind = GroupKind(GroupVersion.parse(text(reference, "apiVersion")).group, text(reference, "kind"))
    return f"{str(kind).lower()}/{text(reference, 'name')}" if any(kind) else text(reference, "name")


PRINTERS: Final = {
    GroupKind("", "PodTemplate"): BuiltinPrinter(_POD_TEMPLATE, _pod_template),
    GroupKind("", "ReplicationController"): BuiltinPrinter(_REPLICATION_CONTROLLER, _replication_controller),
    GroupKind("apps", "ControllerRevision"): BuiltinPrinter(_CONTROLLER_REVISION, _controller_revision),
    GroupKind("apps", "DaemonSet"): BuiltinPrinter(_DAEMON_SET, _daemon_set),
    GroupKind("apps", "Deployment"): BuiltinPrinter(_DEPLOYMENT, _deployment),
    GroupKind("apps", "ReplicaSet"): BuiltinPrinter(_REPLICA_SET, _replica_set),
    GroupKind("apps", "StatefulSet"): BuiltinPrinter(_STATEFUL_SET, _stateful_set),
    GroupKind("batch", "CronJob"): BuiltinPrinter(_CRON_JOB, _cron_job),
    GroupKind("batch", "Job"): BuiltinPrinter(_JOB, _job),
}
