"""Autoscalers of either version: v1 keeps all metrics but one in annotations, in words of its own."""

from typing import Final

import msgspec

from plumbline.apiserver.tables.ages import UNKNOWN
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    UNSET,
    age,
    at,
    mapping,
    name,
    number,
    quantity,
    records,
    shortened,
    text,
)
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.names import GroupKind, GroupVersionKind

_AUTOSCALER: Final = """
    Name
    Reference | @autoscaling.v2.HorizontalPodAutoscalerSpec.scaleTargetRef
    Targets | @autoscaling.v2.HorizontalPodAutoscalerSpec.metrics
    MinPods | @autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas
    MaxPods | @autoscaling.v2.HorizontalPodAutoscalerSpec.maxReplicas
    Replicas | @autoscaling.v2.HorizontalPodAutoscalerStatus.currentReplicas
    Age
"""
_SPECS: Final = "autoscaling.alpha.kubernetes.io/metrics"
_STATUSES: Final = "autoscaling.alpha.kubernetes.io/current-metrics"
_FIELDS: Final = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
_OLD_WORDS: Final = {
    "averageValue": "averageValue",
    "currentAverageUtilization": "averageUtilization",
    "currentAverageValue": "averageValue",
    "currentValue": "value",
    "targetAverageUtilization": "averageUtilization",
    "targetAverageValue": "averageValue",
    "targetValue": "value",
}
_DEFAULT_UTILIZATION: Final = 80
_LIMIT: Final = 2


_Metrics = tuple[list[JsonObject], list[JsonObject]]
"""What is wanted, and what is reached, as v2 writes it."""


def _new_autoscaler(obj: JsonObject, now_s: float) -> list[Json]:
    return _autoscaler(obj, now_s, (records(obj, "spec", "metrics"), records(obj, "status", "currentMetrics")))


def _old_autoscaler(obj: JsonObject, now_s: float) -> list[Json]:
    return _autoscaler(obj, now_s, _old_metrics(obj))


def _autoscaler(obj: JsonObject, now_s: float, metrics: _Metrics) -> list[Json]:
    spec = at(obj, "spec")
    target = f"{text(spec, 'scaleTargetRef', 'kind')}/{text(spec, 'scaleTargetRef', 'name')}"
    return [
        name(obj),
        target,
        _shown(*metrics),
        UNSET if at(spec, "minReplicas") is None else str(number(spec, "minReplicas")),
        number(spec, "maxReplicas"),
        number(obj, "status", "currentReplicas"),
        age(obj, now_s),
    ]


def _old_metrics(obj: JsonObject) -> _Metrics:
    """In the order in which v1 is converted: that of the processor comes last, wherever v2 has it."""
    annotations = mapping(obj, "metadata", "annotations")
    utilization = at(obj, "spec", "targetCPUUtilizationPercentage")
    specs = [_renamed(each, "target") for each in _annotated(annotations.get(_SPECS))]
    specs += [] if utilization is None else [_processor("target", utilization)]
    if not specs and mapping(obj, "spec"):
        specs = [_processor("target", _DEFAULT_UTILIZATION)]
    if _STATUSES in annotations:
        return specs, [_renamed(each, "current") for each in _annotated(annotations[_STATUSES])]
    current = at(obj, "status", "currentCPUUtilizationPercentage")
    return specs, [] if current is None else [_processor("current", current)]


def _annotated(value: Json) -> list[JsonObject]:
    try:
        found = decode(value) if isinstance(value, str) else None
    except (msgspec.DecodeError, RecursionError):
        found = None
    return records({"": found}, "")


def _renamed(metric: JsonObject, side: str) -> JsonObject:
    field = _FIELDS.get(text(metric, "type"), "")
    source = metric.get(field)
    if not isinstance(source, dict):
        return {"type": metric.get("type")}
    values = {_OLD_WORDS[key]: value for key, value in source.items() if key in _OLD_WORDS}
    return {"type": metric.get("type"), field: {"name": source.get("name"), side: values}}


def _processor(side: str, utilization: Json) -> JsonObject:
    return {"type": "Resource", "resource": {"name": "cpu", side: {"averageUtilization": utilization}}}


def _shown(specs: list[JsonObject], statuses: list[JsonObject]) -> str:
    if not specs:
        return NONE
    padded = statuses + [{}] * (len(specs) - len(statuses))
    return shortened([_metric(*pair) for pair in zip(specs, padded, strict=False)], _LIMIT, ", ")


def _metric(spec: JsonObject, status: JsonObject) -> str:
    kind = text(spec, "type")
    field = _FIELDS.get(kind)
    if field is None:
        return "<unknown type>"
    target, current = at(spec, field, "target"), at(status, field, "current")
    known = isinstance(status.get(field), dict)
    average = at(target, "averageValue")
    if kind in {"Resource", "ContainerResource"}:
        shown = _average(target, current, known=known) if average is not None else _utilization(target, current)
        return f"{text(spec, field, 'name')}: {shown}"
    if kind == "Pods":
        return _average(target, current, known=known)
    if average is not None:
        known = at(current, "averageValue") is not None
        return f"{_average(target, current, known=known)} (avg)"
    return f"{_amount(at(current, 'value')) if known else UNKNOWN}/{_amount(at(target, 'value'))}"


def _average(target: Json, current: Json, *, known: bool) -> str:
    reached = _amount(at(current, "averageValue")) if known else UNKNOWN
    return f"{reached}/{_amount(at(target, 'averageValue'))}"


def _utilization(target: Json, current: Json) -> str:
    reached = UNKNOWN if at(current, "averageUtilization") is None else f"{number(current, 'averageUtilization')}%"
    wanted = "<auto>" if at(target, "averageUtilization") is None else f"{number(target, 'averageUtilization')}%"
    return f"{reached}/{wanted}"


def _amount(value: Json) -> str:
    return "<nil>" if value is None else quantity(value)


PRINTERS: Final = {GroupKind("autoscaling", "HorizontalPodAutoscaler"): BuiltinPrinter(_AUTOSCALER, _new_autoscaler)}
OLD: Final = {
    GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"): BuiltinPrinter(_AUTOSCALER, _old_autoscaler)
}
