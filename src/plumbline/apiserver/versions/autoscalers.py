"""Autoscalers: the first version knows of processors only, and keeps all the rest in annotations."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.fielderrors import as_json
from plumbline.apiserver.validation.shapes import integer, mapping, mappings
from plumbline.apiserver.versions.metrics import (
    first_metric,
    first_reading,
    plain_metric,
    plain_reading,
)
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, builtin_shape
from plumbline.kube.schema.typed import typed_form

_FIRST: Final = GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")
_SECOND: Final = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")
_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS: Final = f"{_PREFIX}metrics"
_READINGS: Final = f"{_PREFIX}current-metrics"
_CONDITIONS: Final = f"{_PREFIX}conditions"
_BEHAVIOR: Final = f"{_PREFIX}behavior"
_NOTES: Final = frozenset(
    (_METRICS, _READINGS, _CONDITIONS, _BEHAVIOR, f"{_PREFIX}scale-down-tolerance", f"{_PREFIX}scale-up-tolerance")
)
_CONDITION: Final = ("type", "status", "lastTransitionTime", "reason", "message")
_SHARED_STATUS: Final = ("observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas")
_SHARED_SPEC: Final = ("scaleTargetRef", "minReplicas", "maxReplicas")
_RULES: Final = ("scaleUp", "scaleDown")

Convert: TypeAlias = Callable[[JsonObject], JsonObject]


def autoscaler_in_first_version(autoscaler: JsonObject) -> JsonObject:
    spec, status = mapping(autoscaler.get("spec")), mapping(autoscaler.get("status"))
    metrics = mappings(spec.get("metrics"))
    own = [each for each in metrics if _utilization(each) is not None]
    notes = {
        _METRICS: [first_metric(each) for each in metrics if _utilization(each) is None],
        _READINGS: [first_reading(each) for each in mappings(status.get("currentMetrics"))],
        _BEHAVIOR: _noted_behavior(spec["behavior"]) if isinstance(spec.get("behavior"), dict) else None,
        _CONDITIONS: [_condition(each) for each in mappings(status.get("conditions"))],
    }
    shown = _picked(spec, _SHARED_SPEC)
    if own:
        shown["targetCPUUtilizationPercentage"] = _utilization(own[0])
    current = _picked(status, _SHARED_STATUS)
    for reading in mappings(status.get("currentMetrics")):
        if (used := _cpu(reading, "current")) is not None:
            current["currentCPUUtilizationPercentage"] = used
    return _made(autoscaler, _FIRST, {key: as_json(note) for key, note in notes.items() if note}, shown, current)


def autoscaler_in_second_version(autoscaler: JsonObject) -> JsonObject:
    spec, status = mapping(autoscaler.get("spec")), mapping(autoscaler.get("status"))
    annotations = mapping(mapping(autoscaler.get("metadata")).get("annotations"))
    shown, current = _picked(spec, _SHARED_SPEC), _picked(status, _SHARED_STATUS)
    metrics = _noted(annotations, _METRICS, plain_metric) or []
    percentage = integer(spec.get("targetCPUUtilizationPercentage"))
    if percentage is not None:
        target = {"type": "Utilization", "averageUtilization": percentage}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    if metrics:
        shown["metrics"] = metrics
    if behavior := _behavior(_read(annotations.get(_BEHAVIOR))):
        shown["behavior"] = behavior
    readings = _noted(annotations, _READINGS, plain_reading)
    used = integer(status.get("currentCPUUtilizationPercentage"))
    if readings is None and used is not None:
        readings = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": used}}}]
    if readings:
        current["currentMetrics"] = readings
    if conditions := _noted(annotations, _CONDITIONS, _condition):
        current["conditions"] = conditions
    return _made(autoscaler, _SECOND, {}, shown, current)


def _made(
    autoscaler: JsonObject, kind: GroupVersionKind, notes: Mapping[str, str], spec: JsonObject, status: JsonObject
) -> JsonObject:
    metadata = mapping(autoscaler.get("metadata"))
    others = {key: value for key, value in mapping(metadata.get("annotations")).items() if key not in _NOTES}
    described = {field: value for field, value in metadata.items() if field != "annotations"}
    if others or notes:
        described["annotations"] = {**others, **notes}
    made = {**autoscaler, "apiVersion": kind.api_version, "metadata": described, "spec": spec, "status": status}
    return defaulted(kind, typed_form(made, builtin_shape(kind) or FREE))


def _picked(parent: JsonObject, fields: tuple[str, ...]) -> JsonObject:
    return {field: parent[field] for field in fields if parent.get(field) is not None}


def _utilization(metric: JsonObject) -> int | None:
    return _cpu(metric, "target")


def _cpu(metric: JsonObject, field: str) -> int | None:
    resource = mapping(metric.get("resource"))
    if metric.get("type") != "Resource" or resource.get("name") != "cpu":
        return None
    return integer(mapping(resource.get(field)).get("averageUtilization"))


def _condition(condition: JsonObject) -> JsonObject:
    dated = {**condition, "lastTransitionTime": condition.get("lastTransitionTime")}
    return {field: dated[field] for field in _CONDITION if field in dated}


def _read(note: Json) -> Json:
    if not isinstance(note, str):
        return None
    try:
        return decode(note)
    except (msgspec.DecodeError, RecursionError):
        return None


def _noted(annotations: JsonObject, key: str, convert: Convert) -> list[JsonObject] | None:
    found = _read(annotations.get(key))
    return [convert(each) for each in mappings(found)] if isinstance(found, list) else None


def _noted_behavior(behavior: JsonObject) -> JsonObject:
    """Under the names that the server's own structures have, which is how it was once written down."""
    return {_capital(name): _noted_rules(behavior.get(name)) for name in _RULES}


def _noted_rules(rules: Json) -> Json:
    if not isinstance(rules, dict):
        return None
    policies = [
        {_capital(field): policy.get(field) for field in ("type", "value", "periodSeconds")}
        for policy in mappings(rules.get("policies"))
    ]
    noted = {_capital(field): rules.get(field) for field in ("stabilizationWindowSeconds", "selectPolicy")}
    return {**noted, "Policies": policies or None, "Tolerance": rules.get("tolerance")}


def _behavior(noted: Json) -> JsonObject:
    return {name: rules for name in _RULES if (rules := _plain_rules(_under(noted, name)))}


def _plain_rules(noted: Json) -> JsonObject:
    fields = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
    rules = {field: value for field in fields if (value := _under(noted, field)) is not None}
    if "policies" in rules:
        rules["policies"] = [
            {field: _under(policy, field) for field in ("type", "value", "periodSeconds")}
            for policy in mappings(rules["policies"])
        ]
    return rules


def _under(parent: Json, name: str) -> Json:
    """The field *name*, however its letters are written."""
    return next((value for key, value in mapping(parent).items() if key.lower() == name.lower()), None)


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]
