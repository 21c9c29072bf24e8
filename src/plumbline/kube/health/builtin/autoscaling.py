"""HorizontalPodAutoscaler, whose conditions are a status in v2 and an annotation in v1."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import part, parts, text
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status

_ANNOTATION: Final = "autoscaling.alpha.kubernetes.io/conditions"
_WAITING = Health(Status.PROGRESSING, "Waiting to Autoscale")
_FAILURES: Final = frozenset(
    {
        ("AbleToScale", "FailedGetScale"),
        ("AbleToScale", "FailedUpdateScale"),
        ("ScalingActive", "FailedGetResourceMetric"),
        ("ScalingActive", "FailedGetObjectMetric"),
        ("ScalingActive", "FailedGetPodsMetric"),
        ("ScalingActive", "FailedGetExternalMetric"),
        ("ScalingActive", "FailedComputeMetricsReplicas"),
        ("ScalingActive", "InvalidSelector"),
    }
)
_SUCCESSES: Final = frozenset({("AbleToScale", "True"), ("ScalingLimited", "True")})


def autoscaler(obj: JsonObject) -> Health:
    conditions = (
        _annotated(obj) if obj.get("apiVersion") == "autoscaling/v1" else parts(part(obj, "status"), "conditions")
    )
    for condition in conditions:
        if (text(condition, "type"), text(condition, "reason")) in _FAILURES:
            return Health(Status.DEGRADED, text(condition, "message"))
    for condition in conditions:
        if (text(condition, "type"), text(condition, "status")) in _SUCCESSES:
            return Health(Status.HEALTHY, text(condition, "message"))
    return _WAITING


def _annotated(obj: JsonObject) -> list[JsonObject]:
    annotation = part(part(obj, "metadata"), "annotations").get(_ANNOTATION)
    if annotation is None:
        return []
    try:
        found: Json = decode(annotation)
    except (msgspec.DecodeError, TypeError) as cause:
        raise SchemaViolation("conditions annotation cannot be read", why=str(cause)) from cause
    return parts({"conditions annotation": found}, "conditions annotation")


RULES: Mapping[str, Rule] = {
    "autoscaling/HorizontalPodAutoscaler": (only("autoscaling/v1", "autoscaling/v2", called="HPA", step=autoscaler),),
}
