"""Workloads that keep pods running: Deployments, ReplicaSets, ReplicationControllers, StatefulSets, DaemonSets."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation import daemonsets, statefulsets
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, metadata_of, object_meta_errors
from plumbline.apiserver.validation.names import dns_subdomain
from plumbline.apiserver.validation.shapes import integer, mapping, number
from plumbline.apiserver.validation.templates import (
    collision_errors,
    exceeding_errors,
    excess_errors,
    lasting_template_errors,
    negative_errors,
    same_selector_errors,
    selected,
    selected_errors,
    selector_errors,
    selector_form,
    share,
    share_errors,
)
from plumbline.base.json import JsonObject

_OVER_REPLICAS: Final = "cannot be greater than status.replicas"
_DEPLOYMENT_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)
_REPLICA_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)


@collected
def _deployment_create(obj: JsonObject) -> Iterator[FieldError]:
    yield from meta(obj, namespaced=True)
    yield from _deployment_spec_errors(mapping(obj.get("spec")), {})


@collected
def _deployment_update(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    yield from meta_update(new, old)
    if spec == before:
        return
    yield from _deployment_spec_errors(spec, before)
    yield from same_selector_errors(spec.get("selector"), before.get("selector"), "spec.selector")


@collected
def _deployment_status(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    status = mapping(new.get("status"))
    yield from meta_update(new, old)
    yield from negative_errors(status, _DEPLOYMENT_COUNTS, "status")
    yield from exceeding_errors(
        status, dict.fromkeys(("updatedReplicas", "readyReplicas", "availableReplicas"), _OVER_REPLICAS), "status"
    )
    yield from _available_errors(status)
    yield from collision_errors(new, old)


def _deployment_spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    yield from negative_errors(spec, ("replicas",), "spec")
    yield from _selecting_errors(spec, before)
    yield from _strategy_errors(mapping(spec.get("strategy")))
    yield from negative_errors(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    deadline_s = integer(spec.get("progressDeadlineSeconds"))
    if deadline_s is not None:
        yield from negative_errors(spec, ("progressDeadlineSeconds",), "spec")
        if deadline_s <= number(spec.get("minReadySeconds")):
            yield invalid("spec.progressDeadlineSeconds", deadline_s, "must be greater than minReadySeconds")


def _selecting_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    """Complaints about the selector and the template of what ReplicaSets keep."""
    selector, template = spec.get("selector"), mapping(spec.get("template"))
    yield from selector_errors(selector, "spec.selector", "deployment")
    if selected(selector, {}) is None:
        yield invalid("spec.selector", selector_form(selector), "invalid label selector")
        return
    yield from selected_errors(selector, template, "spec.template")
    yield from lasting_template_errors(template, before.get("template"), "spec.template", "ReplicaSet")


def _strategy_errors(strategy: JsonObject) -> Iterator[FieldError]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden("spec.strategy.rollingUpdate", detail)
    elif kind != "RollingUpdate":
        shown = go_form(strategy, "DeploymentStrategy")
        yield not_supported("spec.strategy", shown, ("Recreate", "RollingUpdate"))
    elif not isinstance(rolling, dict):
        yield required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil")
    else:
        yield from _rolling_errors(rolling, "spec.strategy.rollingUpdate")


def _rolling_errors(rolling: JsonObject, at: str) -> Iterator[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    yield from share_errors(unavailable, f"{at}.maxUnavailable")
    yield from share_errors(surge, f"{at}.maxSurge")
    if share(unavailable) == 0 and share(surge) == 0:
        shown = unavailable if isinstance(unavailable, str) else number(unavailable)
        yield invalid(f"{at}.maxUnavailable", shown, "may not be 0 when `maxSurge` is 0")
    yield from excess_errors(unavailable, f"{at}.maxUnavailable")


@collected
def _replica_set_create(obj: JsonObject) -> Iterator[FieldError]:
    yield from meta(obj, namespaced=True)
    yield from _replica_set_spec_errors(mapping(obj.get("spec")), {})


@collected
def _replica_set_update(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    yield from meta_update(new, old)
    if spec == before:
        return
    yield from _replica_set_spec_errors(spec, before)
    yield from same_selector_errors(spec.get("selector"), before.get("selector"), "spec.selector")


def _replica_set_spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    yield from negative_errors(spec, ("replicas", "minReadySeconds"), "spec")
    yield from _selecting_errors(spec, before)


@collected
def _replica_status(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """The status of ReplicaSets and of what they were called before."""
    status = mapping(new.get("status"))
    yield from meta_update(new, old)
    yield from negative_errors(status, _REPLICA_COUNTS, "status")
    limited = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    yield from exceeding_errors(status, dict.fromkeys(limited, _OVER_REPLICAS), "status")
    yield from _available_errors(status)


def _available_errors(status: JsonObject) -> Iterator[FieldError]:
    available = number(status.get("availableReplicas"))
    if available > number(status.get("readyReplicas")):
        yield invalid("status.availableReplicas", available, "cannot be greater than readyReplicas")


@collected
def _controller_create(obj: JsonObject) -> Iterator[FieldError]:
    held = {name: value for name, value in metadata_of(obj).items() if name != "generateName"}
    yield from object_meta_errors(held, namespaced=True, name_faults=_long_name, known_finalizers=True)
    yield from _controller_spec_errors(mapping(obj.get("spec")), {})


def _long_name(name: str, prefix: bool) -> list[str]:  # noqa: ARG001, FBT001 - NameFaults
    """The newer check of names counts bytes, and says so."""
    return [fault.replace("253 characters", "253 bytes") for fault in dns_subdomain(name)]


@collected
def _controller_update(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(new, old)
    yield from _controller_spec_errors(mapping(new.get("spec")), mapping(old.get("spec")))


def _controller_spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    selector, template = mapping(spec.get("selector")), spec.get("template")
    yield from negative_errors(spec, ("minReadySeconds",), "spec")
    if not selector:
        yield required("spec.selector")
    if integer(spec.get("replicas")) is None:
        yield required("spec.replicas")
    yield from negative_errors(spec, ("replicas",), "spec")
    if not isinstance(template, dict):
        yield required("spec.template")
        return
    if selector:
        yield from selected_errors({"matchLabels": selector}, template, "spec.template")
    yield from lasting_template_errors(template, before.get("template"), "spec.template", "ReplicationController")


@collected
def _revision_create(obj: JsonObject) -> Iterator[FieldError]:
    held = obj.get("data")
    yield from _revision_errors(obj)
    if held is None:
        yield required("data", "data is mandatory")
    elif not isinstance(held, dict):
        yield required("data", "data must be a valid JSON object")


@collected
def _revision_update(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(new, old)
    yield from _revision_errors(new)
    if new.get("data") != old.get("data"):
        yield invalid("data", new.get("data"), IMMUTABLE)


def _revision_errors(obj: JsonObject) -> Iterator[FieldError]:
    yield from meta(obj, namespaced=True)
    if number(obj.get("revision")) < 0:
        yield invalid("revision", obj["revision"], "must be greater than or equal to 0")


CREATE = {
    "ControllerRevision": _revision_create,
    "DaemonSet": daemonsets.create_errors,
    "Deployment": _deployment_create,
    "ReplicaSet": _replica_set_create,
    "ReplicationController": _controller_create,
    "StatefulSet": statefulsets.create_errors,
}
UPDATE = {
    "ControllerRevision": _revision_update,
    "DaemonSet": daemonsets.update_errors,
    "Deployment": _deployment_update,
    "ReplicaSet": _replica_set_update,
    "ReplicationController": _controller_update,
    "StatefulSet": statefulsets.update_errors,
}
STATUS_UPDATE = {
    "DaemonSet": daemonsets.status_errors,
    "Deployment": _deployment_status,
    "ReplicaSet": _replica_status,
    "ReplicationController": _replica_status,
    "StatefulSet": statefulsets.status_errors,
}
