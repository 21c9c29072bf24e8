"""What autoscalers measure, in the words of the first version and of the one of today."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import Json, JsonObject

_Source: TypeAlias = Callable[[JsonObject], JsonObject]
_KINDS: Final = ("object", "pods", "resource", "containerResource", "external")


def _sources(convert: Mapping[str, _Source]) -> _Source:
    def metric(found: JsonObject) -> JsonObject:
        kept: JsonObject = {"type": text(found.get("type"))}
        for kind in _KINDS:
            if isinstance(found.get(kind), dict):
                kept[kind] = convert[kind](found[kind])
        return kept

    return metric


def _said(**fields: Json) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


def _selector(metric: JsonObject) -> Json:
    """With its labels in order: it goes into a text."""
    selector = metric.get("selector")
    if not isinstance(selector, dict) or not isinstance(selector.get("matchLabels"), dict):
        return selector
    return {**selector, "matchLabels": dict(sorted(selector["matchLabels"].items()))}


def _reference(described: Json) -> JsonObject:
    found = mapping(described)
    return {field: found[field] for field in ("kind", "name", "apiVersion") if field in found}


def _first_object(field: str, value: str) -> _Source:
    def convert(found: JsonObject) -> JsonObject:
        metric, target = mapping(found.get("metric")), mapping(found.get(field))
        return _said(
            target=_reference(found.get("describedObject")),
            metricName=text(metric.get("name")),
            **{value: target.get("value", "0")},
            selector=_selector(metric),
            averageValue=target.get("averageValue"),
        )

    return convert


def _first_pods(field: str, value: str) -> _Source:
    def convert(found: JsonObject) -> JsonObject:
        metric, target = mapping(found.get("metric")), mapping(found.get(field))
        amount = {value: target.get("averageValue", "0")}
        return _said(metricName=text(metric.get("name")), **amount, selector=_selector(metric))

    return convert


def _first_resource(field: str, prefix: str, *, always: bool) -> _Source:
    def convert(found: JsonObject) -> JsonObject:
        target = mapping(found.get(field))
        amount = target.get("averageValue", "0" if always else None)
        return _said(
            name=text(found.get("name")),
            **{f"{prefix}AverageUtilization": target.get("averageUtilization"), f"{prefix}AverageValue": amount},
            container=found.get("container"),
        )

    return convert


def _first_external(field: str, prefix: str, *, always: bool) -> _Source:
    def convert(found: JsonObject) -> JsonObject:
        metric, target = mapping(found.get("metric")), mapping(found.get(field))
        amount = target.get("value", "0" if always else None)
        return _said(
            metricName=text(metric.get("name")),
            metricSelector=_selector(metric),
            **{f"{prefix}Value": amount, f"{prefix}AverageValue": target.get("averageValue")},
        )

    return convert


first_metric: Final = _sources(
    {
        "object": _first_object("target", "targetValue"),
        "pods": _first_pods("target", "targetAverageValue"),
        "resource": _first_resource("target", "target", always=False),
        "containerResource": _first_resource("target", "target", always=False),
        "external": _first_external("target", "target", always=False),
    }
)
first_reading: Final = _sources(
    {
        "object": _first_object("current", "currentValue"),
        "pods": _first_pods("current", "currentAverageValue"),
        "resource": _first_resource("current", "current", always=True),
        "containerResource": _first_resource("current", "current", always=True),
        "external": _first_external("current", "current", always=True),
    }
)


def _metric(found: JsonObject, selector: str = "selector") -> JsonObject:
    return _said(name=text(found.get("metricName")), selector=found.get(selector))


def _plain_object(found: JsonObject) -> JsonObject:
    average, value = found.get("averageValue"), found.get("targetValue")
    kind = "Value" if average is None else "AverageValue"
    if average is not None and value in ("0", 0):
        value = None
    target = _said(type=kind, value=value, averageValue=average)
    return {"describedObject": _reference(found.get("target")), "target": target, "metric": _metric(found)}


def _plain_pods(found: JsonObject) -> JsonObject:
    target = _said(type="AverageValue", averageValue=found.get("targetAverageValue"))
    return {"metric": _metric(found), "target": target}


def _plain_resource(found: JsonObject) -> JsonObject:
    used = found.get("targetAverageUtilization")
    kind = "AverageValue" if used is None else "Utilization"
    target = _said(type=kind, averageValue=found.get("targetAverageValue"), averageUtilization=used)
    return _said(name=text(found.get("name")), target=target, container=found.get("container"))


def _plain_external(found: JsonObject) -> JsonObject:
    value = found.get("targetValue")
    kind = "AverageValue" if value is None else "Value"
    target = _said(type=kind, value=value, averageValue=found.get("targetAverageValue"))
    return {"metric": _metric(found, "metricSelector"), "target": target}


def _read_object(found: JsonObject) -> JsonObject:
    current = _said(value=found.get("currentValue"), averageValue=found.get("averageValue"))
    return {"metric": _metric(found), "current": current, "describedObject": _reference(found.get("target"))}


def _read_pods(found: JsonObject) -> JsonObject:
    return {"metric": _metric(found), "current": _said(averageValue=found.get("currentAverageValue"))}


def _read_resource(found: JsonObject) -> JsonObject:
    current = _said(
        averageValue=found.get("currentAverageValue"), averageUtilization=found.get("currentAverageUtilization")
    )
    return _said(name=text(found.get("name")), current=current, container=found.get("container"))


def _read_external(found: JsonObject) -> JsonObject:
    current = _said(value=found.get("currentValue"), averageValue=found.get("currentAverageValue"))
    return {"metric": _metric(found, "metricSelector"), "current": current}


plain_metric: Final = _sources(
    {
        "object": _plain_object,
        "pods": _plain_pods,
        "resource": _plain_resource,
        "containerResource": _plain_resource,
        "external": _plain_external,
    }
)
plain_reading: Final = _sources(
    {
        "object": _read_object,
        "pods": _read_pods,
        "resource": _read_resource,
        "containerResource": _read_resource,
        "external": _read_external,
    }
)
