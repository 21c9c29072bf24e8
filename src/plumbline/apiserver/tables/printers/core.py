"""Namespaces, nodes, configuration, events, quotas."""

from typing import Any, Final, TypedDict

import msgspec

from plumbline.apiserver.tables.ages import UNKNOWN, since
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    age,
    at,
    condition,
    flag,
    mapping,
    name,
    number,
    quantity,
    records,
    text,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_NAME_AND_AGE: Final = """
    Name
    Age
"""
_NAMESPACE: Final = """
    Name
    Status | The status of the namespace
    Age
"""
_CONFIG_MAP: Final = """
    Name
    Data | @core.v1.ConfigMap.data
    Age
"""
_CONFIDENTIAL: Final = """
    Name
    Type | @core.v1.Secret.type
    Data | @core.v1.Secret.data
    Age
"""
_NODE: Final = """
    Name
    Status | The status of the node
    Roles | The roles of the node
    Age
    Version | @core.v1.NodeSystemInfo.kubeletVersion
    Internal-IP* | @core.v1.NodeStatus.addresses
    External-IP* | @core.v1.NodeStatus.addresses
    OS-Image* | @core.v1.NodeSystemInfo.osImage
    Kernel-Version* | @core.v1.NodeSystemInfo.kernelVersion
    Container-Runtime* | @core.v1.NodeSystemInfo.containerRuntimeVersion
"""
_EVENT: Final = """
    Last Seen | @core.v1.Event.lastTimestamp
    Type | @core.v1.Event.type
    Reason | @core.v1.Event.reason
    Object | @core.v1.Event.involvedObject
    Subobject* | @core.v1.ObjectReference.fieldPath
    Source* | @core.v1.Event.source
    Message | @core.v1.Event.message
    First Seen* | @core.v1.Event.firstTimestamp
    Count* | @core.v1.Event.count
    Name* (name) | @meta.v1.ObjectMeta.name
"""
_COMPONENT_STATUS: Final = """
    Name
    Status | Status of the component conditions
    Message | Message of the component conditions
    Error | Error of the component conditions
"""
_RESOURCE_QUOTA: Final = """
    Name
    Request | Request represents a minimum amount of cpu/memory that a container may consume.
    Limit | Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.
    Age
"""
_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Go trims. Python would take a few control characters more."""


class _Metadata(TypedDict, total=False):
    name: Any
    creationTimestamp: Any


class _ConfigMap(TypedDict, total=False):
    """Values are counted, not read: they may be large, and those of a Secret are nobody's business."""

    metadata: _Metadata
    data: dict[str, msgspec.Raw] | None
    binaryData: dict[str, msgspec.Raw] | None


class _Secret(TypedDict, total=False):
    metadata: _Metadata
    data: dict[str, msgspec.Raw] | None
    type: Any


def name_and_age(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), age(obj, now_s)]


def _namespace(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "status", "phase"), age(obj, now_s)]


def _config_map(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), len(mapping(obj, "data")) + len(mapping(obj, "binaryData")), age(obj, now_s)]


def _secret(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "type"), len(mapping(obj, "data")), age(obj, now_s)]


def _node(obj: JsonObject, now_s: float) -> list[Json]:
    found = at(obj, "status", "nodeInfo")
    architecture = text(found, "architecture")
    return [
        name(obj),
        _node_status(obj),
        ",".join(sorted(_node_roles(mapping(obj, "metadata", "labels")))) or NONE,
        age(obj, now_s),
        text(found, "kubeletVersion"),
        _node_address(obj, "InternalIP"),
        _node_address(obj, "ExternalIP"),
        text(found, "osImage") or UNKNOWN,
        (text(found, "kernelVersion") or UNKNOWN) + (f" ({architecture})" if architecture else ""),
        text(found, "containerRuntimeVersion") or UNKNOWN,
    ]


def _node_status(obj: JsonObject) -> str:
    # Of several conditions of a type the last counts here, unlike elsewhere.
    ready = condition(records(obj, "status", "conditions")[::-1], "Ready")
    status = "Unknown"
    if ready is not None:
        status = "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{status},SchedulingDisabled" if flag(obj, "spec", "unschedulable") else status


def _node_roles(found: JsonObject) -> set[str]:
    roles = {key.removeprefix(_ROLE_PREFIX) for key in found if key.startswith(_ROLE_PREFIX)}
    return (roles | {text(found, _ROLE_LABEL)}) - {""}


def _node_address(obj: JsonObject, kind: str) -> str:
    found = condition(records(obj, "status", "addresses"), kind)
    return NONE if found is None else text(found, "address")


def _core_event(obj: JsonObject, now_s: float) -> list[Json]:
    source = at(obj, "source")
    return _event(
        obj,
        now_s,
        {
            "component": text(source, "component") or text(obj, "reportingComponent"),
            "count": number(obj, "count"),
            "first": at(obj, "firstTimestamp"),
            "host": text(source, "host") or text(obj, "reportingInstance"),
            "last": at(obj, "lastTimestamp"),
            "message": text(obj, "message"),
            "regarding": at(obj, "involvedObject"),
        },
    )


def _new_event(obj: JsonObject, now_s: float) -> list[Json]:
    source = at(obj, "deprecatedSource")
    return _event(
        obj,
        now_s,
        {
            "component": text(source, "component") or text(obj, "reportingController"),
            "count": number(obj, "deprecatedCount"),
            "first": at(obj, "deprecatedFirstTimestamp"),
            "host": text(source, "host") or text(obj, "reportingInstance"),
            "last": at(obj, "deprecatedLastTimestamp"),
            "message": text(obj, "note"),
            "regarding": at(obj, "regarding"),
        },
    )


def _event(obj: JsonObject, now_s: float, said: JsonObject) -> list[Json]:
    """*said* is what the two kinds of events call by different names."""
    first = since(said["first"], now_s)
    if first == UNKNOWN:
        first = since(at(obj, "eventTime"), now_s)
    last = since(said["last"], now_s)
    if last == UNKNOWN:
        last = first
    count = said["count"] or 1
    series = at(obj, "series")
    if isinstance(series, dict):
        last, count = since(series.get("lastObservedTime"), now_s), number(series, "count")
    kind, target = text(said["regarding"], "kind").lower(), text(said["regarding"], "name")
    return [
        last,
        text(obj, "type"),
        text(obj, "reason"),
        f"{kind}/{target}" if target else kind,
        text(said["regarding"], "fieldPath"),
        f"{said['component']}, {said['host']}" if said["host"] else said["component"],
        said["message"].strip(_SPACE),
        first,
        count,
        name(obj),
    ]


def _component_status(obj: JsonObject, _now_s: float) -> list[Json]:
    healthy = condition(records(obj, "conditions"), "Healthy")
    if healthy is None:
        return [name(obj), "Unknown", "", ""]
    status = "Healthy" if healthy.get("status") == "True" else "Unhealthy"
    return [name(obj), status, text(healthy, "message"), text(healthy, "error")]


def _resource_quota(obj: JsonObject, now_s: float) -> list[Json]:
    hard, used = mapping(obj, "status", "hard"), mapping(obj, "status", "used")
    shown = {each: f"{each}: {quantity(used.get(each))}/{quantity(hard[each])}" for each in sorted(hard)}
    requests = ", ".join(shown[each] for each in shown if not each.startswith("limits."))
    limits = ", ".join(shown[each] for each in shown if each.startswith("limits."))
    return [name(obj), requests, limits, age(obj, now_s)]


PRINTERS: Final = {
    GroupKind("", "ComponentStatus"): BuiltinPrinter(_COMPONENT_STATUS, _component_status),
    GroupKind("", "ConfigMap"): BuiltinPrinter(_CONFIG_MAP, _config_map, shape=_ConfigMap),
    GroupKind("", "Event"): BuiltinPrinter(_EVENT, _core_event),
    GroupKind("", "Namespace"): BuiltinPrinter(_NAMESPACE, _namespace),
    GroupKind("", "Node"): BuiltinPrinter(_NODE, _node),
    GroupKind("", "ResourceQuota"): BuiltinPrinter(_RESOURCE_QUOTA, _resource_quota),
    GroupKind("", "Secret"): BuiltinPrinter(_CONFIDENTIAL, _secret, shape=_Secret),
    GroupKind("", "ServiceAccount"): BuiltinPrinter(_NAME_AND_AGE, name_and_age),
    GroupKind("events.k8s.io", "Event"): BuiltinPrinter(_EVENT, _new_event),
}
