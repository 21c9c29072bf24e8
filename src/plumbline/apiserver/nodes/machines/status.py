"""What a node says about itself, and the taints that follow from it."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.nodes.machines.fleet import internal_address
from plumbline.apiserver.nodes.settings import SIMULATED, NodeSettings
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject

NOT_READY: Final = "node.kubernetes.io/not-ready"
UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
VERSION: Final = "v1.36.3+simulated"

_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def registered_node(settings: NodeSettings, pod_cidr: str) -> JsonObject:
    """The Node that comes with the control plane."""
    name = settings.name
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        SIMULATED: "true",
        **settings.labels,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {SIMULATED: "true"}},
        "spec": {"podCIDR": pod_cidr, "podCIDRs": [pod_cidr], "providerID": f"plumbline://{name}"},
    }


def node_status(node: JsonObject, settings: NodeSettings, now: str) -> JsonObject:
    """Ready, and with what it has; capacity and addresses that somebody else gave it stay.

    The times of heartbeats move only with something else, so that an idle node writes nothing.
    """
    old: JsonObject = node.get("status") or {}
    name = str(metadata_of(node).get("name") or "")
    resources = settings.capacity.resources()
    address = internal_address(node) or settings.address
    status = {
        **old,
        "capacity": {**resources, **(old.get("capacity") or {})},
        "allocatable": {**resources, **(old.get("allocatable") or old.get("capacity") or {})},
        "addresses": old.get("addresses")
        or [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": _machine(node),
        "conditions": _conditions(old.get("conditions") or (), now, now),
    }
    unchanged = {**status, "conditions": _conditions(old.get("conditions") or (), now, "")}
    return unchanged if unchanged == old else status


def settled_taints(node: JsonObject) -> Sequence[JsonObject]:
    """The node's taints as its lifecycle's controller keeps them: those of its condition come and go with it."""
    spec: JsonObject = node.get("spec") or {}
    taints: list[JsonObject] = [
        each
        for each in spec.get("taints") or ()
        if each.get("key") != NOT_READY and (each.get("key") != UNSCHEDULABLE or spec.get("unschedulable"))
    ]
    if spec.get("unschedulable") and not any(each.get("key") == UNSCHEDULABLE for each in taints):
        taints.append({"key": UNSCHEDULABLE, "effect": "NoSchedule"})
    return taints


def _conditions(old: Sequence[JsonObject], now: str, beat: str) -> list[JsonObject]:
    """With heartbeats at *beat*; empty leaves them as they were."""
    before = {str(each.get("type")): each for each in old}
    ours = {type_ for type_, *_ in _CONDITIONS}
    written = [each for each in old if each.get("type") not in ours]
    for type_, status, reason, message in _CONDITIONS:
        was = before.get(type_) or {}
        since = was.get("lastTransitionTime") if was.get("status") == status else None
        written.append(
            {
                "type": type_,
                "status": status,
                "lastHeartbeatTime": beat or was.get("lastHeartbeatTime"),
                "lastTransitionTime": since or now,
                "reason": reason,
                "message": message,
            }
        )
    return written


def _machine(node: JsonObject) -> JsonObject:
    uid = str(metadata_of(node).get("uid") or "")
    return {
        "machineID": uid.replace("-", ""),
        "systemUUID": uid,
        "bootID": uid,
        "kernelVersion": "simulated",
        "osImage": "Plumbline (simulated, no machine behind it)",
        "containerRuntimeVersion": "simulated://1.0.0",
        "kubeletVersion": VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }
