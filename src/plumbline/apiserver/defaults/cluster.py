"""Kinds about the cluster itself: namespaces, nodes, and what may be used of them."""

from typing import Final

from plumbline.apiserver.defaults.quantities import AMOUNTS
from plumbline.apiserver.defaults.rules import Rule, chain, child_of, each, for_objects, record
from plumbline.base.json import JsonObject

_NAME_LABEL: Final = "kubernetes.io/metadata.name"


@for_objects
def _labelled(metadata: JsonObject) -> JsonObject:
    """With the name as a label; one that is generated is not known yet."""
    name, labels = metadata.get("name"), child_of(metadata, "labels")
    if not name or labels.get(_NAME_LABEL) == name:
        return metadata
    return {**metadata, "labels": {**labels, _NAME_LABEL: name}}


NAMESPACE: Final = record(fields={"metadata": _labelled, "status": record(zero={"phase": "Active"})})


@for_objects
def _one_range(spec: JsonObject) -> JsonObject:
    """Address ranges in both of their fields: the single one decides where they differ."""
    cidr, cidrs = spec.get("podCIDR"), spec.get("podCIDRs")
    listed = cidrs[0] if type(cidrs) is list and cidrs else None
    if cidr:
        return spec if cidr == listed else {**spec, "podCIDRs": [cidr]}
    return {**spec, "podCIDR": listed} if listed else spec


@for_objects
def _allocatable(status: JsonObject) -> JsonObject:
    capacity = status.get("capacity")
    if capacity is None or status.get("allocatable") is not None:
        return status
    return {**status, "allocatable": capacity}


NODE: Final = record(
    fields={
        "spec": _one_range,
        "status": chain(_allocatable, record(fields={"capacity": AMOUNTS, "allocatable": AMOUNTS})),
    }
)

_LIMIT_FIELDS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_ROUNDED_LIMITS: Final = record(fields=dict.fromkeys(_LIMIT_FIELDS, AMOUNTS))


@for_objects
def _container_limits(item: JsonObject) -> JsonObject:
    """Limits of containers: by default the most, requested by default that limit, or else the least."""
    if item.get("type") != "Container":
        return item
    limits = {**child_of(item, "max"), **child_of(item, "default")}
    requests = {**child_of(item, "min"), **limits, **child_of(item, "defaultRequest")}
    changes = {
        name: amounts
        for name, amounts in (("default", limits), ("defaultRequest", requests))
        if amounts and amounts != item.get(name)
    }
    return {**item, **changes} if changes else item


LIMIT_RANGE: Final[Rule] = record(
    fields={"spec": record(fields={"limits": each(chain(_container_limits, _ROUNDED_LIMITS))})}
)
RESOURCE_QUOTA: Final = record(
    fields={"spec": record(fields={"hard": AMOUNTS}), "status": record(fields={"hard": AMOUNTS, "used": AMOUNTS})}
)
PRIORITY_CLASS: Final = record(absent={"preemptionPolicy": "PreemptLowerPriority"})
TOKEN_REQUEST: Final = record(fields={"spec": record(absent={"expirationSeconds": 3600})})
