"""When a built-in kind counts as ready in function-auto-ready, which has its own rules. Pure and total."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Final

from plumbline.base.json import Json, JsonObject

_FAILING: Final = frozenset({"FailedGetScale", "FailedUpdateScale", "FailedGetResourceMetric", "InvalidSelector"})


def ready(obj: JsonObject) -> bool:
    """By the rule for its kind; where there is none, or it says no, by its condition `Ready`."""
    rule = _RULES.get((str(obj.get("apiVersion")), str(obj.get("kind"))))
    return (rule is not None and rule(obj)) or _has(obj, "Ready")


def _at(obj: Json, *path: str) -> Json:
    for key in path:
        obj = obj.get(key) if isinstance(obj, dict) else None
    return obj


def _count(obj: JsonObject, *path: str) -> int | None:
    value = _at(obj, *path)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _conditions(obj: JsonObject) -> Iterator[tuple[str, str]]:
    listed = _at(obj, "status", "conditions")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict):
            yield str(each.get("type")), str(each.get("status"))


def _has(obj: JsonObject, kind: str) -> bool:
    return (kind, "True") in _conditions(obj)


def _replicas(obj: JsonObject) -> int:
    wanted = _count(obj, "spec", "replicas")
    return 1 if wanted is None else wanted


def _deployment(obj: JsonObject) -> bool:
    wanted = _replicas(obj)
    counts = {_count(obj, "status", field) for field in ("updatedReplicas", "availableReplicas")}
    return counts == {wanted} and _has(obj, "Available")


def _stateful_set(obj: JsonObject) -> bool:
    counts = {_count(obj, "status", field) for field in ("readyReplicas", "currentReplicas")}
    revision = _at(obj, "status", "currentRevision")
    return counts == {_replicas(obj)} and isinstance(revision, str) and revision == _at(obj, "status", "updateRevision")


def _daemon_set(obj: JsonObject) -> bool:
    fields = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable")
    counts = {_count(obj, "status", field) for field in fields}
    return len(counts) == 1 and counts != {None}


def _replica_set(obj: JsonObject) -> bool:
    seen = _count(obj, "status", "observedGeneration") or 0
    if seen < (_count(obj, "metadata", "generation") or 0) or _has(obj, "ReplicaFailure"):
        return False
    return (_count(obj, "status", "availableReplicas") or 0) >= _replicas(obj)


def _pod(obj: JsonObject) -> bool:
    phase = _at(obj, "status", "phase")
    if phase == "Running":
        return _at(obj, "spec", "restartPolicy") == "Always" and _has(obj, "Ready")
    return phase == "Succeeded"


def _job(obj: JsonObject) -> bool:
    for kind, status in _conditions(obj):
        if status == "True" and kind in {"Failed", "Suspended", "Complete"}:
            return kind == "Complete"
    return False


def _cron_job(obj: JsonObject) -> bool:
    if _at(obj, "spec", "suspend") is True:
        return True
    scheduled, succeeded = (_moment(_at(obj, "status", f"last{what}Time")) for what in ("Schedule", "Successful"))
    if scheduled is None:
        return False
    return bool(_at(obj, "status", "active")) or (succeeded is not None and succeeded >= scheduled)


def _moment(text: Json) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _autoscaler(obj: JsonObject) -> bool:
    for kind, status in _conditions(obj):
        if status == "True" and kind in _FAILING:
            return False
        if status == "True" and kind in {"ScalingActive", "ScalingLimited"}:
            return True
    return False


def _balanced(obj: JsonObject) -> bool:
    ingress = _at(obj, "status", "loadBalancer", "ingress")
    return isinstance(ingress, list) and bool(ingress)


def _service(obj: JsonObject) -> bool:
    return _at(obj, "spec", "type") != "LoadBalancer" or _balanced(obj)


def _volume_claim(obj: JsonObject) -> bool:
    return _at(obj, "status", "phase") == "Bound"


def _there(_: JsonObject) -> bool:
    return True


_RULES: Final[Mapping[tuple[str, str], Callable[[JsonObject], bool]]] = {
    ("apps/v1", "DaemonSet"): _daemon_set,
    ("apps/v1", "Deployment"): _deployment,
    ("apps/v1", "ReplicaSet"): _replica_set,
    ("apps/v1", "StatefulSet"): _stateful_set,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): _autoscaler,
    ("batch/v1", "CronJob"): _cron_job,
    ("batch/v1", "Job"): _job,
    ("networking.k8s.io/v1", "Ingress"): _balanced,
    ("rbac.authorization.k8s.io/v1", "Role"): _there,
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): _there,
    ("v1", "ConfigMap"): _there,
    ("v1", "Namespace"): _there,
    ("v1", "PersistentVolumeClaim"): _volume_claim,
    ("v1", "Pod"): _pod,
    ("v1", "Secret"): _there,
    ("v1", "Service"): _service,
    ("v1", "ServiceAccount"): _there,
}
