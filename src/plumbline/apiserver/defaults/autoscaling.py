"""Autoscalers, in the version of today and in the first one, which knows nothing but processors."""

from typing import Final

import msgspec

from plumbline.apiserver.defaults.rules import Rule, chain, child_of, for_objects, record, without
from plumbline.base.json import Json, JsonObject, decode

_UTILIZATION: Final = 80
_PERIOD_S: Final = 15
_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS: Final = f"{_PREFIX}metrics"
_OF_OTHER_VERSIONS: Final = tuple(
    _PREFIX + name
    for name in ("metrics", "current-metrics", "conditions", "behavior", "scale-down-tolerance", "scale-up-tolerance")
)


def _metrics() -> list[Json]:
    target = {"type": "Utilization", "averageUtilization": _UTILIZATION}
    return [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


def _policy(kind: str, value: int) -> JsonObject:
    return {"type": kind, "value": value, "periodSeconds": _PERIOD_S}


_SCALE_UP: Final = record(
    absent={"stabilizationWindowSeconds": 0, "selectPolicy": "Max"},
    made={"policies": lambda: [_policy("Pods", 4), _policy("Percent", 100)]},
)
_SCALE_DOWN: Final = record(absent={"selectPolicy": "Max"}, made={"policies": lambda: [_policy("Percent", 100)]})
_BEHAVIOR: Final = chain(
    record(made={"scaleUp": dict, "scaleDown": dict}), record(fields={"scaleUp": _SCALE_UP, "scaleDown": _SCALE_DOWN})
)


@for_objects
def _measured(spec: JsonObject) -> JsonObject:
    return spec if spec.get("metrics") else {**spec, "metrics": _metrics()}


@for_objects
def _of_this_version(metadata: JsonObject) -> JsonObject:
    """Without annotations in which other versions keep what they have no field for."""
    annotations = child_of(metadata, "annotations")
    kept = without(annotations, *_OF_OTHER_VERSIONS)
    if kept is annotations:
        return metadata
    return {**metadata, "annotations": kept} if kept else without(metadata, "annotations")


AUTOSCALER: Final = record(
    fields={
        "metadata": _of_this_version,
        "spec": chain(record(absent={"minReplicas": 1}, fields={"behavior": _BEHAVIOR}), _measured),
    }
)


@for_objects
def _processors(autoscaler: JsonObject) -> JsonObject:
    """Aiming at some use of processors, unless other metrics are noted."""
    spec = autoscaler.get("spec")
    annotations = child_of(child_of(autoscaler, "metadata"), "annotations")
    if type(spec) is not dict or spec.get("targetCPUUtilizationPercentage") is not None:
        return autoscaler
    if _noted(annotations.get(_METRICS)):
        return autoscaler
    return {**autoscaler, "spec": {**spec, "targetCPUUtilizationPercentage": _UTILIZATION}}


def _noted(metrics: Json) -> bool:
    if not isinstance(metrics, str):
        return False
    try:
        read = decode(metrics)
    except (msgspec.DecodeError, RecursionError):
        return False
    return type(read) is list and bool(read)


FIRST_AUTOSCALER: Final[Rule] = chain(record(fields={"spec": record(absent={"minReplicas": 1})}), _processors)
