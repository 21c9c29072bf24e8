"""What decides where and when: disruption, priority, flow control, leases, devices."""

from typing import Final

from plumbline.apiserver.tables.ages import since
from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.printers.core import name_and_age
from plumbline.apiserver.tables.reading import NONE, age, at, condition, flag, items, name, number, records, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_NAME_AND_AGE: Final = """
    Name
    Age
"""
_BUDGET: Final = """
    Name
    Min Available | The minimum number of pods that must be available.
    Max Unavailable | The maximum number of pods that may be unavailable.
    Allowed Disruptions:integer | Calculated number of pods that may be disrupted at this time.
    Age
"""
_PRIORITY_CLASS: Final = """
    Name
    Value:integer | @scheduling.v1.PriorityClass.value
    Global-Default:boolean | @scheduling.v1.PriorityClass.globalDefault
    Age
    PreemptionPolicy | @scheduling.v1.PriorityClass.preemptionPolicy
"""
_POD_GROUP: Final = """
    Name
    Policy | @scheduling.v1alpha2.PodGroupSpec.schedulingPolicy
    Workload | Name of the referenced Workload object
    Status | Status of the PodGroup
    Age
"""
_RUNTIME_CLASS: Final = """
    Name
    Handler |
    Age
"""
_FLOW_SCHEMA: Final = """
    Name
    PriorityLevel | @flowcontrol.v1.PriorityLevelConfigurationReference.name
    MatchingPrecedence | @flowcontrol.v1.FlowSchemaSpec.matchingPrecedence
    DistinguisherMethod | @flowcontrol.v1.FlowSchemaSpec.distinguisherMethod
    Age
    MissingPL | references a broken or non-existent PriorityLevelConfiguration
"""
_PRIORITY_LEVEL: Final = """
    Name
    Type | @flowcontrol.v1.PriorityLevelConfigurationSpec.type
    NominalConcurrencyShares | @flowcontrol.v1.LimitedPriorityLevelConfiguration.nominalConcurrencyShares
    Queues | @flowcontrol.v1.QueuingConfiguration.queues
    HandSize | @flowcontrol.v1.QueuingConfiguration.handSize
    QueueLengthLimit | @flowcontrol.v1.QueuingConfiguration.queueLengthLimit
    Age
"""
_LEASE: Final = """
    Name
    Holder | @coordination.v1.LeaseSpec.holderIdentity
    Age
"""
_LEASE_CANDIDATE: Final = """
    Name
    LeaseName | @coordination.v1alpha2.LeaseCandidateSpec.leaseName
    BinaryVersion |
    EmulationVersion |
    Age
"""
_RESOURCE_CLAIM: Final = """
    Name
    State | A summary of the current state (allocated, pending, reserved, etc.).
    Age
"""
_RESOURCE_SLICE: Final = """
    Name
    Node | @resource.v1.ResourceSliceSpec.nodeName
    Driver | @resource.v1.ResourceSliceSpec.driver
    Pool | @resource.v1.ResourcePool.name
    Age
"""
_TAINT_RULE: Final = """
    Name
    Key | @resource.v1.DeviceTaint.key
    Value | @resource.v1.DeviceTaint.value
    Effect | @resource.v1.DeviceTaint.effect
    TimeAdded | @resource.v1.DeviceTaint.timeAdded
    Age
"""
_POOL_REQUEST: Final = """
    Name
    Driver | The driver to query pools for.
    Total | Total number of devices across all pools.
    Available | Number of available devices across all pools.
    Allocated | Number of allocated devices across all pools.
    Unavailable | Number of unavailable devices across all pools.
    Errors | Number of pools with validation errors.
    Pools:integer | Total number of matching pools.
    Status | Processing status.
    Completed | Time since the observation completed.
"""
_QUEUE_SIZES: Final = ("queues", "handSize", "queueLengthLimit")
_DEVICE_COUNTS: Final = ("totalDevices", "availableDevices", "allocatedDevices", "unavailableDevices")


def _budget(obj: JsonObject, now_s: float) -> list[Json]:
    return [
        name(obj),
        _amount(at(obj, "spec", "minAvailable")),
        _amount(at(obj, "spec", "maxUnavailable")),
        number(obj, "status", "disruptionsAllowed"),
        age(obj, now_s),
    ]


def _amount(value: Json) -> str:
    return "N/A" if value is None else str(value)


def _priority_class(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), number(obj, "value"), flag(obj, "globalDefault"), age(obj, now_s), text(obj, "preemptionPolicy")]


def _pod_group(obj: JsonObject, now_s: float) -> list[Json]:
    gang = isinstance(at(obj, "spec", "schedulingPolicy", "gang"), dict)
    template = at(obj, "spec", "podGroupTemplateRef")
    workload = text(template, "workload", "workloadName") if isinstance(template, dict) else NONE
    return [name(obj), "Gang" if gang else "Basic", workload, _group_status(obj), age(obj, now_s)]


def _group_status(obj: JsonObject) -> str:
    conditions = records(obj, "status", "conditions")[::-1]
    disrupted = condition(conditions, "DisruptionTarget")
    if disrupted is not None:
        return text(disrupted, "reason")
    scheduled = condition(conditions, "PodGroupScheduled")
    if scheduled is None:
        return "Pending"
    return "Scheduled" if scheduled.get("status") == "True" else "Unschedulable"


def _runtime_class(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "handler"), age(obj, now_s)]


def _precedence(obj: JsonObject) -> tuple[int, str]:
    return number(obj, "spec", "matchingPrecedence"), name(obj)


def _flow_schema(obj: JsonObject, now_s: float) -> list[Json]:
    method = at(obj, "spec", "distinguisherMethod")
    dangling = condition(records(obj, "status", "conditions"), "Dangling")
    return [
        name(obj),
        text(obj, "spec", "priorityLevelConfiguration", "name"),
        number(obj, "spec", "matchingPrecedence"),
        text(method, "type") if isinstance(method, dict) else NONE,
        age(obj, now_s),
        "?" if dangling is None else text(dangling, "status"),
    ]


def _priority_level(obj: JsonObject, now_s: float) -> list[Json]:
    limited = at(obj, "spec", "limited")
    queuing = at(limited, "limitResponse", "queuing")
    queues = [number(queuing, each) if isinstance(queuing, dict) else NONE for each in _QUEUE_SIZES]
    shares = number(limited, "nominalConcurrencyShares") if isinstance(limited, dict) else NONE
    return [name(obj), text(obj, "spec", "type"), shares, *queues, age(obj, now_s)]


def _lease(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "spec", "holderIdentity"), age(obj, now_s)]


def _lease_candidate(obj: JsonObject, now_s: float) -> list[Json]:
    shown = [text(obj, "spec", each) for each in ("leaseName", "binaryVersion", "emulationVersion")]
    return [name(obj), *shown, age(obj, now_s)]


def _resource_claim(obj: JsonObject, now_s: float) -> list[Json]:
    deleted = at(obj, "metadata", "deletionTimestamp") is not None
    states = ["deleted"] if deleted else []
    if isinstance(at(obj, "status", "allocation"), dict):
        states.append("allocated")
        states += ["reserved"] if items(obj, "status", "reservedFor") else []
    elif not deleted:
        states.append("pending")
    return [name(obj), ",".join(states), age(obj, now_s)]


def _resource_slice(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    return [name(obj), text(spec, "nodeName"), text(spec, "driver"), text(spec, "pool", "name"), age(obj, now_s)]


def _taint_rule(obj: JsonObject, now_s: float) -> list[Json]:
    taint = at(obj, "spec", "taint")
    added = at(taint, "timeAdded")
    shown = [text(taint, each) for each in ("key", "value", "effect")]
    return [name(obj), *shown, "" if added is None else since(added, now_s), age(obj, now_s)]


def _pool_request(obj: JsonObject, now_s: float) -> list[Json]:
    status, pools = at(obj, "status"), records(obj, "status", "pools")
    state, completed = "Pending", NONE
    for each in records(status, "conditions"):
        if each.get("type") in {"Complete", "Failed"} and each.get("status") == "True":
            state = text(each, "type")
            completed = since(each.get("lastTransitionTime"), now_s) if state == "Complete" else NONE
            break
    counts = ["-"] * (len(_DEVICE_COUNTS) + 1)
    if isinstance(status, dict) and state != "Failed":
        counts = [str(sum(number(pool, each) for pool in pools)) for each in _DEVICE_COUNTS]
        counts.append(str(sum(pool.get("validationError") is not None for pool in pools)))
    found = number(status, "poolCount")
    if state == "Complete" and found > len(pools):
        state = f"Complete ({len(pools)}/{found} pools)"
    return [name(obj), text(obj, "spec", "driver"), *counts, found, state, completed]


_FLOW_CONTROL: Final = "flowcontrol.apiserver.k8s.io"
_RESOURCE: Final = "resource.k8s.io"
PRINTERS: Final = {
    GroupKind("coordination.k8s.io", "Lease"): BuiltinPrinter(_LEASE, _lease),
    GroupKind("coordination.k8s.io", "LeaseCandidate"): BuiltinPrinter(_LEASE_CANDIDATE, _lease_candidate),
    GroupKind("node.k8s.io", "RuntimeClass"): BuiltinPrinter(_RUNTIME_CLASS, _runtime_class),
    GroupKind("policy", "PodDisruptionBudget"): BuiltinPrinter(_BUDGET, _budget),
    GroupKind("scheduling.k8s.io", "PodGroup"): BuiltinPrinter(_POD_GROUP, _pod_group),
    GroupKind("scheduling.k8s.io", "PriorityClass"): BuiltinPrinter(_PRIORITY_CLASS, _priority_class),
    GroupKind("scheduling.k8s.io", "Workload"): BuiltinPrinter(_NAME_AND_AGE, name_and_age),
    GroupKind(_FLOW_CONTROL, "FlowSchema"): BuiltinPrinter(_FLOW_SCHEMA, _flow_schema, order=_precedence),
    GroupKind(_FLOW_CONTROL, "PriorityLevelConfiguration"): BuiltinPrinter(_PRIORITY_LEVEL, _priority_level),
    GroupKind(_RESOURCE, "DeviceClass"): BuiltinPrinter(_NAME_AND_AGE, name_and_age),
    GroupKind(_RESOURCE, "DeviceTaintRule"): BuiltinPrinter(_TAINT_RULE, _taint_rule),
    GroupKind(_RESOURCE, "ResourceClaim"): BuiltinPrinter(_RESOURCE_CLAIM, _resource_claim),
    GroupKind(_RESOURCE, "ResourceClaimTemplate"): BuiltinPrinter(_NAME_AND_AGE, name_and_age),
    GroupKind(_RESOURCE, "ResourcePoolStatusRequest"): BuiltinPrinter(_POOL_REQUEST, _pool_request),
    GroupKind(_RESOURCE, "ResourceSlice"): BuiltinPrinter(_RESOURCE_SLICE, _resource_slice),
}
