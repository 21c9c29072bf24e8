"""What a simulated node is like, and how long simulated things take."""

from collections.abc import Mapping
from typing import Final

import msgspec

SIMULATED: Final = "plumbline.dev/simulated"
"""Label and annotation of every Node without a machine behind it. Whoever adds such a Node gets a simulated kubelet."""
KUBELET: Final = "simulated-kubelet"
"""The component that events of simulated containers come from, and the writer of their statuses."""
SCHEDULER: Final = "default-scheduler"
ANNOTATIONS: Final = "sim.plumbline.dev/"
"""Annotations that tell the simulation how something behaves begin with this."""


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    cpu: str = "32"
    memory: str = "128Gi"
    ephemeral_storage: str = "512Gi"
    pods: int = 110

    def resources(self) -> dict[str, str]:
        return {
            "cpu": self.cpu,
            "ephemeral-storage": self.ephemeral_storage,
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "memory": self.memory,
            "pods": str(self.pods),
        }


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    work_s: float = 1.0
    """How long containers run that are meant to end, unless told otherwise."""
    stop_s: float = 1.0
    """How long containers take to stop, if the grace period is not shorter; preStop hooks are not run."""
    sync_s: float = 1.0
    """How long after a container ended somebody looks whether to start it again."""
    backoff_s: float = 10.0
    longest_backoff_s: float = 300.0


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    name: str = "plumbline"
    address: str = "192.0.2.10"
    """From a range set aside for documentation (RFC 5737), so that nobody takes it for a machine."""
    pod_network: str = "10.244.0.0/16"
    """Pods' addresses; each node takes a part of it."""
    capacity: Capacity = Capacity()
    labels: Mapping[str, str] = {}
    timing: Timing = Timing()
    lease_s: int = 3600
    """For how long the node's Lease holds. Renewed at half of that: an idle plane writes twice an hour."""
