"""Kinds that run pods."""

from tests.conformance.differential.dice import Dice
from tests.conformance.differential.spots import Entries, Items, Value, atomic, under

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

from .pods import IMAGES, POD_SPOTS, TEMPLATE_SPOTS, container, pod_spec, pod_template, toleration
from .subject import WORDS, Subject

_SELECTOR = {"matchLabels": {"app": "web"}}
_TEMPLATE = under("spec.template", TEMPLATE_SPOTS) + under("spec.template.spec", POD_SPOTS)
_THEN = "2026-01-01T00:00:00Z"


def _conditions(kinds: tuple[str, ...], **times: str) -> Items:
    return Items(
        "status.conditions",
        ("type",),
        tuple({"type": kind, "status": "True", **times} for kind in kinds),
        (
            Value("status", ("True", "False", "Unknown")),
            Value("reason", ("Fine", "Odd"), optional=True),
            Value("message", ("well", "less well"), optional=True),
        ),
        patch_key="type",
    )


def _deployment(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "replicas": 1,
            "selector": _SELECTOR,
            "template": pod_template(),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        }
    }


DEPLOYMENT = Subject(
    GroupVersionKind("apps", "v1", "Deployment"),
    "deployments",
    _deployment,
    (
        Value("spec.replicas", (1, 2, 3)),
        Value("spec.minReadySeconds", (5, 10), optional=True),
        Value("spec.strategy.rollingUpdate.maxSurge", ("25%", 1, "50%")),
        Value("spec.paused", (True,), optional=True),
        *_TEMPLATE,
    ),
    status_spots=(
        Value("status.observedGeneration", (1, 2), optional=True),
        Value("status.replicas", (1, 2), optional=True),
        _conditions(("Available", "Progressing", "Odd"), lastTransitionTime=_THEN, lastUpdateTime=_THEN),
    ),
)


def _stateful_set(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "replicas": 1,
            "selector": _SELECTOR,
            "serviceName": "web",
            "template": pod_template(),
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
            "revisionHistoryLimit": 10,
        }
    }


STATEFUL_SET = Subject(
    GroupVersionKind("apps", "v1", "StatefulSet"),
    "statefulsets",
    _stateful_set,
    (
        Value("spec.replicas", (1, 2, 3)),
        Value("spec.minReadySeconds", (5, 10), optional=True),
        Value("spec.updateStrategy.rollingUpdate.partition", (0, 1, 2)),
        Value("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", ("Retain", "Delete")),
        *_TEMPLATE,
    ),
    status_spots=(
        Value("status.observedGeneration", (1, 2), optional=True),
        _conditions(("Steady", "Odd"), lastTransitionTime=_THEN),
    ),
)


def _daemon_set(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "selector": _SELECTOR,
            "template": pod_template(),
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
            "revisionHistoryLimit": 10,
        }
    }


DAEMON_SET = Subject(
    GroupVersionKind("apps", "v1", "DaemonSet"),
    "daemonsets",
    _daemon_set,
    (
        Value("spec.minReadySeconds", (5, 10), optional=True),
        Value("spec.updateStrategy.rollingUpdate.maxUnavailable", (1, "10%")),
        Value("spec.revisionHistoryLimit", (1, 10)),
        *_TEMPLATE,
    ),
    metadata={"annotations": {"deprecated.daemonset.template.generation": "1"}},
)

_GIVEN = [
    toleration("node.kubernetes.io/not-ready", effect="NoExecute", tolerationSeconds=300),
    toleration("node.kubernetes.io/unreachable", effect="NoExecute", tolerationSeconds=300),
]


def _pod(dice: Dice) -> JsonObject:
    admitted = {
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "tolerations": _GIVEN,
    }
    return {"spec": {**pod_spec(), **admitted, "containers": [container("web"), container("proxy")]}}


POD = Subject(
    GroupVersionKind("", "v1", "Pod"),
    "pods",
    _pod,
    (
        Items(
            "spec.containers",
            ("name",),
            (container("web"), container("proxy")),
            (Value("image", IMAGES),),
            patch_key="name",
            fixed=True,
        ),
    ),
    birth_spots=tuple(spot for spot in under("spec", POD_SPOTS) if spot.path != "spec.tolerations"),
    status_spots=(
        Value("status.phase", ("Pending", "Running")),
        _conditions(("Ready", "Initialized"), lastTransitionTime=_THEN, lastProbeTime=_THEN),
    ),
)


def _job(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "manualSelector": True,
            "podReplacementPolicy": "TerminatingOrFailed",
            "selector": _SELECTOR,
            "suspend": True,
            "template": pod_template(restart="Never"),
        }
    }


JOB = Subject(
    GroupVersionKind("batch", "v1", "Job"),
    "jobs",
    _job,
    (
        Value("spec.parallelism", (1, 2, 3)),
        Value("spec.activeDeadlineSeconds", (60, 600), optional=True),
        Value("spec.ttlSecondsAfterFinished", (60, 600), optional=True),
        Entries("spec.template.metadata.annotations", ("note",), WORDS),
        Entries("spec.template.spec.nodeSelector", ("disk", "zone"), WORDS),
        atomic("spec.template.spec.tolerations", [toleration("a")], [toleration("b")]),
    ),
    birth_spots=under("spec.template.spec", POD_SPOTS),
    metadata={"labels": {"app": "web"}},
)


def _cron_job(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "concurrencyPolicy": "Allow",
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {"metadata": {}, "spec": {"template": pod_template(restart="OnFailure")}},
            "schedule": "* * * * *",
            "successfulJobsHistoryLimit": 3,
            "suspend": False,
        }
    }


CRON_JOB = Subject(
    GroupVersionKind("batch", "v1", "CronJob"),
    "cronjobs",
    _cron_job,
    (
        Value("spec.schedule", ("* * * * *", "@daily", "5 4 * * *")),
        Value("spec.suspend", (True, False)),
        Value("spec.startingDeadlineSeconds", (10, 100), optional=True),
        Value("spec.concurrencyPolicy", ("Allow", "Forbid", "Replace")),
        Entries("spec.jobTemplate.metadata.labels", ("tier",), WORDS),
        *under("spec.jobTemplate.spec.template", TEMPLATE_SPOTS),
        *under("spec.jobTemplate.spec.template.spec", POD_SPOTS),
    ),
)


def _autoscaler(dice: Dice) -> JsonObject:
    return {
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 5,
            "metrics": [_usage("cpu", 80)],
        }
    }


def _usage(resource: str, percent: int) -> JsonObject:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": resource, "target": target}}


AUTOSCALER = Subject(
    GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler"),
    "horizontalpodautoscalers",
    _autoscaler,
    (
        Value("spec.minReplicas", (1, 2)),
        Value("spec.maxReplicas", (5, 6, 7)),
        Value("spec.scaleTargetRef.name", ("web", "api")),
        atomic("spec.metrics", [_usage("cpu", 70)], [_usage("memory", 50), _usage("cpu", 80)], optional=False),
    ),
    status_spots=(
        Value("status.currentReplicas", (1, 2), optional=True),
        _conditions(("AbleToScale", "ScalingActive"), lastTransitionTime=_THEN),
    ),
)

SUBJECTS: tuple[Subject, ...] = (DEPLOYMENT, STATEFUL_SET, DAEMON_SET, POD, JOB, CRON_JOB, AUTOSCALER)
