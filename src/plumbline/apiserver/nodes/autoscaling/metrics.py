"""What an autoscaler's metrics say: numbers that somebody set by annotation, or that there are none.

An annotation of the autoscaler, or else of its target, gives the number for every pod:

    sim.plumbline.dev/cpu: "85"             percent of what is requested, for targets of utilization
    sim.plumbline.dev/memory: "300Mi"       an amount, for targets of an average value
    sim.plumbline.dev/metric.<name>: "20"   for all metrics that are no resources

Without it, the answer is that of a cluster which has no metrics API.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.nodes.requests import quantity
from plumbline.apiserver.nodes.settings import ANNOTATIONS
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

TOLERANCE: Final = 0.1
_NO_RESOURCE_API: Final = (
    "unable to fetch metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)"
)
_NO_CUSTOM_API: Final = (
    "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
)
_FIELDS: Final = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


class Reading(NamedTuple):
    replicas: int
    name: str
    status: JsonObject


class Failure(NamedTuple):
    reason: str
    error: str
    prefix: str
    """What stands before the error where it is one of several."""


class Target(NamedTuple):
    """What is scaled, and how much of it there is."""

    replicas: int
    pods: Sequence[JsonObject]
    annotations: Mapping[str, str]


def read_metric(metric: JsonObject, target: Target, tolerances: tuple[float, float]) -> Reading | Failure:
    """*tolerances* are for scaling down and up."""
    type_ = str(metric.get("type"))
    source: JsonObject = metric.get(_FIELDS.get(type_, "")) or {}
    if type_ in ("Resource", "ContainerResource"):
        return _resource(type_, source, target, tolerances)
    return _other(type_, source, target, tolerances)


def _resource(type_: str, source: JsonObject, target: Target, tolerances: tuple[float, float]) -> Reading | Failure:
    name, wanted = str(source.get("name")), source.get("target") or {}
    utilization = wanted.get("averageUtilization") is not None
    told = target.annotations.get(f"{ANNOTATIONS}{name}")
    fault = f"unable to get metrics for resource {name}: {_NO_RESOURCE_API}" if told is None else ""
    percent = _percent(told) if told is not None else None
    if not fault and utilization:
        fault = _request_fault(name, source, target)
        if not fault and percent is None:
            fault = f"the annotation {ANNOTATIONS}{name} is no percentage"
    if fault:
        what = "utilization" if utilization else "usage"
        error = f"failed to get {name} {what}: {fault}"
        if type_ == "Resource":
            return Failure("FailedGetResourceMetric", error, f"failed to get {name} resource metric value: ")
        prefix = f"failed to get {source.get('container')} container metric value: "
        return Failure("FailedGetContainerResourceMetric", error, prefix)
    current: JsonObject
    if utilization and percent is not None:
        ratio = percent / max(int(wanted["averageUtilization"]), 1)
        average = _share(_request(name, source, target), percent)
        current = {"averageUtilization": percent, "averageValue": str(average)}
        described = f"{name} resource utilization (percentage of request)"
    else:
        amount = quantity(told)
        ratio = _ratio(amount, quantity(wanted.get("averageValue")))
        current = {"averageValue": str(amount)}
        described = f"{name} resource"
    shown: JsonObject = {"name": name, "current": current}
    if type_ == "ContainerResource":
        shown["container"] = source.get("container")
        described = described.replace("resource", "container resource", 1)
    return Reading(_replicas(target.replicas, ratio, tolerances), described, {"type": type_, _FIELDS[type_]: shown})


def _other(type_: str, source: JsonObject, target: Target, tolerances: tuple[float, float]) -> Reading | Failure:
    named: JsonObject = source.get("metric") or {}
    name, wanted = str(named.get("name")), source.get("target") or {}
    told = target.annotations.get(f"{ANNOTATIONS}metric.{name}")
    if told is None:
        return _unknown(type_, source, name)
    amount = quantity(told)
    whole = wanted.get("value") is not None
    ratio = _ratio(amount, quantity(wanted.get("value") if whole else wanted.get("averageValue")))
    shown: JsonObject = {"metric": named, "current": {"value" if whole else "averageValue": str(amount)}}
    described = f"pods metric {name}" if type_ == "Pods" else f"external metric {name}(nil)"
    if type_ == "Object":
        shown["describedObject"] = source.get("describedObject")
        described = f"{(source.get('describedObject') or {}).get('kind')} metric {name}"
    field = _FIELDS.get(type_, "pods")
    return Reading(_replicas(target.replicas, ratio, tolerances), described, {"type": type_, field: shown})


def _unknown(type_: str, source: JsonObject, name: str) -> Failure:
    if type_ == "Object":
        kind = (source.get("describedObject") or {}).get("kind")
        error = (
            f"unable to get metric {name}: {kind} on {{namespace}} {(source.get('describedObject') or {}).get('name')}"
        )
        return Failure(
            "FailedGetObjectMetric",
            f"{error}/{_NO_CUSTOM_API}",
            f"failed to get object metric value: failed to get {name} object metric: ",
        )
    if type_ == "External":
        error = (
            f"unable to get external metric {{namespace}}/{name}/nil: unable to fetch metrics from external metrics API: "
            f"the server could not find the requested resource (get {name}.external.metrics.k8s.io)"
        )
        return Failure(
            "FailedGetExternalMetric",
            error,
            f"failed to get {name} external metric value: failed to get {name} external metric: ",
        )
    return Failure(
        "FailedGetPodsMetric", f"unable to get metric {name}: {_NO_CUSTOM_API}", "failed to get pods metric value: "
    )


def _replicas(current: int, ratio: float, tolerances: tuple[float, float]) -> int:
    down, up = tolerances
    return current if 1 - down <= ratio <= 1 + up else math.ceil(round(ratio * current, 6))


def _ratio(amount: Quantity, wanted: Quantity) -> float:
    return float(amount.to_decimal() / wanted.to_decimal()) if wanted else 1.0


def _percent(text: str) -> int | None:
    digits = text.strip().removesuffix("%")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 6 else None  # noqa: PLR2004 - sane


def _request_fault(name: str, source: JsonObject, target: Target) -> str:
    if not target.pods:
        return "did not receive metrics for targeted pods (pods might be unready)"
    for pod in target.pods:
        for container in _containers(pod, source):
            if not ((container.get("resources") or {}).get("requests") or {}).get(name):
                pod_name = metadata_of(pod).get("name")
                return f"missing request for {name} in container {container.get('name')} of Pod {pod_name}"
    return ""


def _request(name: str, source: JsonObject, target: Target) -> Quantity:
    total = Quantity(0)
    for container in _containers(target.pods[0], source):
        total = total + quantity(((container.get("resources") or {}).get("requests") or {}).get(name))
    return total


def _containers(pod: JsonObject, source: JsonObject) -> list[JsonObject]:
    wanted = source.get("container")
    found = (pod.get("spec") or {}).get("containers") or ()
    return [each for each in found if wanted is None or each.get("name") == wanted]


def _share(whole: Quantity, percent: int) -> Quantity:
    """In thousandths, rounded down."""
    return Quantity((whole * percent).rounded_up(-3) // 100, -3)


def metadata_annotations(obj: JsonObject) -> Mapping[str, str]:
    return metadata_of(obj).get("annotations") or {}
