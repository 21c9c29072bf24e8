"""HorizontalPodAutoscalers of both versions, and Scales. Complaints name the fields of the newer version, as the server's do."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    choice_errors,
    collected,
    label_errors,
    meta,
    meta_update,
    nonnegative,
    required_name_errors,
)
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import path_segment
from plumbline.apiserver.validation.resourcenames import (
    ZERO,
    container_resource_name_errors,
    nonnegative_quantity_errors,
    quantity,
)
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text
from plumbline.base.json import JsonObject

_LONGEST_PERIOD_S: Final = 1800
_LONGEST_WINDOW_S: Final = 3600
_SOURCES: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
"""Types of metrics and the field each is in, in the order in which fields are looked at."""
_SOURCE_TYPES: Final = tuple(sorted(_SOURCES))


def _newest(autoscaler: JsonObject) -> JsonObject:
    """The spec as version 2 has it, in which the older version's one metric is one of many."""
    spec = mapping(autoscaler.get("spec"))
    utilization = integer(spec.get("targetCPUUtilizationPercentage"))
    if autoscaler.get("apiVersion") != "autoscaling/v1" or utilization is None:
        return spec
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {**spec, "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]}


class _Options(NamedTuple):
    fewest: int = 1
    any_target: bool = False
    core_target: bool = False
    any_metric: bool = False


def _options(spec: JsonObject, old_spec: JsonObject | None) -> _Options:
    target = mapping(spec.get("scaleTargetRef"))
    core_target = target.get("kind") == "ReplicationController"
    if old_spec is None:
        return _Options(core_target=core_target)
    former = mapping(old_spec.get("scaleTargetRef"))
    same = all(text(target.get(name)) == text(former.get(name)) for name in ("apiVersion", "kind"))
    objects = (
        mapping(mapping(metric.get("object")).get("describedObject"))
        for metric in mappings(old_spec.get("metrics"))
        if metric.get("type") == "Object" and metric.get("object") is not None
    )
    return _Options(
        fewest=0 if integer(old_spec.get("minReplicas")) == 0 else 1,
        any_target=same,
        core_target=core_target and not same,
        any_metric=any(_api_version_fault(text(each.get("apiVersion")), core=True) for each in objects),
    )


def _spec_errors(spec: JsonObject, options: _Options) -> Iterator[FieldError]:
    fewest, most = integer(spec.get("minReplicas")), number(spec.get("maxReplicas"))
    if fewest is not None and fewest < options.fewest:
        yield invalid("spec.minReplicas", fewest, f"must be greater than or equal to {options.fewest}")
    if most == 0:
        yield required("spec.maxReplicas", "must be set and greater than 0")
    elif most < 0:
        yield invalid("spec.maxReplicas", most, "must be greater than or equal to 1")
    if fewest is not None and most < fewest:
        yield invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")
    target, field = mapping(spec.get("scaleTargetRef")), "spec.scaleTargetRef"
    yield from _reference_errors(target, field, checked=not options.any_target, core=options.core_target)
    metrics = mappings(spec.get("metrics"))
    for index, metric in enumerate(metrics):
        yield from _metric_errors(metric, f"spec.metrics[{index}]", options)
    if fewest == 0 and not any(metric.get("type") in ("External", "Object") for metric in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield forbidden("spec.metrics", detail)
    behavior = mapping(spec.get("behavior"))
    for name in ("scaleUp", "scaleDown"):
        if isinstance(rules := behavior.get(name), dict):
            yield from _rule_errors(rules, f"spec.behavior.{name}")


def _reference_errors(ref: JsonObject, field: str, *, checked: bool, core: bool) -> Iterator[FieldError]:
    for name in ("kind", "name"):
        yield from required_name_errors(f"{field}.{name}", text(ref.get(name)), path_segment)
    version = text(ref.get("apiVersion"))
    if checked and (fault := _api_version_fault(version, core=core)):
        yield invalid(f"{field}.apiVersion", version, fault)


def _api_version_fault(version: str, *, core: bool) -> str:
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    group = version.partition("/")[0] if "/" in version else ""
    return "" if group or core else "apiVersion must specify API group"


def _metric_errors(metric: JsonObject, field: str, options: _Options) -> Iterator[FieldError]:
    type_ = text(metric.get("type"))
    if not type_:
        yield required(f"{field}.type", "must specify a metric source type")
    yield from choice_errors(f"{field}.type", type_, _SOURCE_TYPES)
    present = [name for name in _SOURCES.values() if isinstance(metric.get(name), dict)]
    if present:
        yield from _source_errors(present[0], metric[present[0]], f"{field}.{present[0]}", options)
    wanted = _SOURCES.get(type_, "")
    if not wanted:
        yield not_supported(f"{field}.type", Word(type_), _SOURCE_TYPES)
    elif wanted not in present:
        yield required(f"{field}.{wanted}", "must populate information for the given metric source")
    if len(present) != 1:
        for name in present:
            if name != wanted:
                yield forbidden(f"{field}.{name}", "must populate the given metric source only")


def _source_errors(name: str, source: JsonObject, field: str, options: _Options) -> Iterator[FieldError]:
    if name == "object":
        described = mapping(source.get("describedObject"))
        yield from _reference_errors(described, f"{field}.describedObject", checked=not options.any_metric, core=True)
    if name in {"object", "external", "pods"}:
        metric = text(mapping(source.get("metric")).get("name"))
        if not metric:
            yield required(f"{field}.metric.name", "must specify a metric name")
        yield from faulty(f"{field}.metric.name", metric, path_segment(metric))
    else:
        yield from _resource_errors(name, source, field)
    target = mapping(source.get("target"))
    yield from _target_errors(target, f"{field}.target")
    yield from _TARGETS[name](target, f"{field}.target")


def _resource_errors(name: str, source: JsonObject, field: str) -> Iterator[FieldError]:
    resource, container = text(source.get("name")), text(source.get("container"))
    if not resource:
        yield required(f"{field}.name", "must specify a resource name")
    if name == "resource":
        return
    if resource:
        yield from container_resource_name_errors(f"{field}.name", resource)
    if container:
        yield from label_errors(f"{field}.container", container)
    else:
        yield required(f"{field}.container", "must specify a container")


def _target_errors(target: JsonObject, field: str) -> Iterator[FieldError]:
    type_ = text(target.get("type"))
    if not type_:
        yield required(f"{field}.type", "must specify a metric target type")
    if type_ not in {"Utilization", "Value", "AverageValue"}:
        yield invalid(f"{field}.type", Word(type_), "must be either Utilization, Value, or AverageValue")
    for name in ("value", "averageValue"):
        if (value := target.get(name)) is not None and (amount := quantity(value)) <= ZERO:
            yield invalid(f"{field}.{name}", str(amount), "must be positive")
    utilization = integer(target.get("averageUtilization"))
    if utilization is not None and utilization < 1:
        yield invalid(f"{field}.averageUtilization", utilization, "must be greater than 0")


def _value_or_average(detail: str) -> Callable[[JsonObject, str], Iterator[FieldError]]:
    def check(target: JsonObject, field: str) -> Iterator[FieldError]:
        if target.get("value") is None and target.get("averageValue") is None:
            yield required(f"{field}.averageValue", detail)

    return check


def _external_target(target: JsonObject, field: str) -> Iterator[FieldError]:
    yield from _value_or_average("must set either a target value for metric or a per-pod target")(target, field)
    if target.get("value") is not None and target.get("averageValue") is not None:
        yield forbidden(f"{field}.value", "may not set both a target value for metric and a per-pod target")


def _pods_target(target: JsonObject, field: str) -> Iterator[FieldError]:
    if target.get("averageValue") is None:
        yield required(f"{field}.averageValue", "must specify a positive target averageValue")


def _resource_target(target: JsonObject, field: str) -> Iterator[FieldError]:
    utilization, value = target.get("averageUtilization"), target.get("averageValue")
    if utilization is None and value is None:
        yield required(f"{field}.averageUtilization", "must set either a target raw value or a target utilization")
    if utilization is not None and value is not None:
        yield forbidden(f"{field}.averageValue", "may not set both a target raw value and a target utilization")


_TARGETS: Final = {
    "object": _value_or_average("must set either a target value or averageValue"),
    "external": _external_target,
    "pods": _pods_target,
    "resource": _resource_target,
    "containerResource": _resource_target,
}


def _rule_errors(rules: JsonObject, field: str) -> Iterator[FieldError]:
    window_s = integer(rules.get("stabilizationWindowSeconds"))
    if window_s is not None and window_s < 0:
        yield invalid(f"{field}.stabilizationWindowSeconds", window_s, "must be greater than or equal to zero")
    if window_s is not None and window_s > _LONGEST_WINDOW_S:
        detail = f"must be less than or equal to {_LONGEST_WINDOW_S}"
        yield invalid(f"{field}.stabilizationWindowSeconds", window_s, detail)
    yield from choice_errors(f"{field}.selectPolicy", rules.get("selectPolicy"), ("Disabled", "Max", "Min"))
    policies = mappings(rules.get("policies"))
    if not policies:
        yield required(f"{field}.policies", "must specify at least one Policy")
    for index, policy in enumerate(policies):
        yield from _policy_errors(policy, f"{field}.policies[{index}]")
    if (tolerance := rules.get("tolerance")) is not None:
        yield from nonnegative_quantity_errors(f"{field}.tolerance", tolerance)


def _policy_errors(policy: JsonObject, field: str) -> Iterator[FieldError]:
    yield from choice_errors(f"{field}.type", text(policy.get("type")), ("Percent", "Pods"))
    for name in ("value", "periodSeconds"):
        if (held := number(policy.get(name))) <= 0:
            yield invalid(f"{field}.{name}", held, "must be greater than zero")
    if (period_s := number(policy.get("periodSeconds"))) > _LONGEST_PERIOD_S:
        yield invalid(f"{field}.periodSeconds", period_s, f"must be less than or equal to {_LONGEST_PERIOD_S}")


@collected
def autoscaler_created(autoscaler: JsonObject) -> Iterator[FieldError]:
    spec = _newest(autoscaler)
    yield from meta(autoscaler, namespaced=True)
    yield from _spec_errors(spec, _options(spec, None))


@collected
def autoscaler_updated(autoscaler: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec = _newest(autoscaler)
    yield from meta_update(autoscaler, old)
    yield from _spec_errors(spec, _options(spec, _newest(old)))


@collected
def autoscaler_status_updated(autoscaler: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    status = mapping(autoscaler.get("status"))
    yield from meta_update(autoscaler, old)
    for name in ("currentReplicas", "desiredReplicas"):
        yield from nonnegative(f"status.{name}", number(status.get(name)))


@collected
def scale_created(scale: JsonObject) -> Iterator[FieldError]:
    yield from meta(scale, namespaced=True)
    yield from nonnegative("spec.replicas", number(mapping(scale.get("spec")).get("replicas")))


@collected
def scale_updated(scale: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    yield from scale_created(scale)


CREATE: Final = {"HorizontalPodAutoscaler": autoscaler_created, "Scale": scale_created}
UPDATE: Final = {"HorizontalPodAutoscaler": autoscaler_updated, "Scale": scale_updated}
STATUS_UPDATE: Final = {"HorizontalPodAutoscaler": autoscaler_status_updated}
