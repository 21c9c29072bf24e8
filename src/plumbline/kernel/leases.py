"""Lease objects: read, written, and judged dead by our own clock, since other machines' clocks are not believed."""

from datetime import datetime
from typing import Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.kube.names import GroupVersionResource

LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")


class Terms(msgspec.Struct, frozen=True):
    lease_s: float = 15.0
    """Others may take over after this long without a renewal."""
    renew_s: float = 10.0
    """We stop acting after this long without one: the difference is the margin for clocks and pauses."""
    retry_s: float = 2.0


class LeaseSpec(msgspec.Struct, rename="camel", omit_defaults=True):
    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0


class LeaseMeta(msgspec.Struct, rename="camel", omit_defaults=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)


class Lease(msgspec.Struct, rename="camel"):
    metadata: LeaseMeta
    spec: LeaseSpec = msgspec.field(default_factory=LeaseSpec)
    api_version: str = "coordination.k8s.io/v1"
    kind: str = "Lease"


decode_lease: Final = msgspec.json.Decoder(Lease).decode


class Sightings:
    """When each lease was last seen to move."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[str, float]] = {}

    def still_for_s(self, lease: Lease) -> float:
        """How long *lease* has stood still, as far as we have watched it."""
        version = f"{lease.metadata.uid}/{lease.metadata.resource_version}"
        known = self._seen.get(lease.metadata.name)
        now_s = self._clock.monotonic()
        if known is None or known[0] != version:
            self._seen[lease.metadata.name] = (version, now_s)
            return 0.0
        return now_s - known[1]


def micro_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
