"""Nodes and the pods on them, as scheduling looks at them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

import msgspec

from plumbline.apiserver.nodes.requests import Resources, pod_resources, quantity
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject
from plumbline.kube.quantity import Quantity

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - how Kubernetes spells every address of a node
_FINISHED: Final = ("Succeeded", "Failed")


class Port(msgspec.Struct, frozen=True):
    address: str
    protocol: str
    number: int

    def conflicts(self, other: "Port") -> bool:
        if (self.protocol, self.number) != (other.protocol, other.number):
            return False
        return self.address == other.address or ANY_ADDRESS in (self.address, other.address)


class Candidate:
    """A pod that has, or wants, a place."""

    def __init__(self, obj: JsonObject) -> None:
        self.obj = obj
        self.spec: JsonObject = obj.get("spec") or {}
        self.metadata = metadata_of(obj)
        self.name = str(self.metadata.get("name") or "")
        self.namespace = str(self.metadata.get("namespace") or "")
        self.labels: Mapping[str, str] = self.metadata.get("labels") or {}
        self.node = str(self.spec.get("nodeName") or "")

    @property
    def status(self) -> JsonObject:
        return self.obj.get("status") or {}

    @property
    def finished(self) -> bool:
        return self.status.get("phase") in _FINISHED

    @property
    def deleted(self) -> bool:
        return bool(self.metadata.get("deletionTimestamp"))

    @cached_property
    def requests(self) -> Resources:
        return pod_resources(self.spec, "requests")

    @cached_property
    def ports(self) -> Sequence[Port]:
        """Those that it takes from its node."""
        containers = [*(self.spec.get("containers") or ()), *(self.spec.get("initContainers") or ())]
        return [
            Port(str(each.get("hostIP") or ANY_ADDRESS), str(each.get("protocol") or "TCP"), int(each["hostPort"]))
            for container in containers
            for each in container.get("ports") or ()
            if each.get("hostPort")
        ]

    def terms(self, field: str) -> Sequence[JsonObject]:
        """What it requires: *field* is `podAffinity` or `podAntiAffinity`."""
        affinity = (self.spec.get("affinity") or {}).get(field) or {}
        return affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ()


class Place:
    """A node and what is on it."""

    def __init__(self, node: JsonObject, pods: Sequence[Candidate]) -> None:
        self.node = node
        self.name = str(metadata_of(node).get("name") or "")
        self.labels: Mapping[str, str] = metadata_of(node).get("labels") or {}
        self.spec: JsonObject = node.get("spec") or {}
        self.pods = pods

    @cached_property
    def allocatable(self) -> Resources:
        return {
            name: quantity(amount)
            for name, amount in ((self.node.get("status") or {}).get("allocatable") or {}).items()
        }

    @cached_property
    def requested(self) -> Resources:
        total: Resources = {}
        for pod in self.pods:
            for name, amount in pod.requests.items():
                total[name] = total[name] + amount if name in total else amount
        return total

    @property
    def load(self) -> tuple[float, int, str]:
        """Less is better: the larger share of what is taken, then how many pods, then the name."""
        shares = [_share(self.requested.get(name), self.allocatable.get(name)) for name in ("cpu", "memory")]
        return max(shares), len(self.pods), self.name


def _share(taken: Quantity | None, whole: Quantity | None) -> float:
    if not taken or not whole:
        return 0.0
    return float(taken.to_decimal() / whole.to_decimal())
