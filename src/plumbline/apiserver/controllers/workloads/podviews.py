"""Pods as those who look after them see them: typed, and only the parts that matter to them."""

from datetime import datetime, timedelta
from typing import Final

import msgspec

from plumbline.apiserver.controllers.owners import Owner
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.storage.entries import Entry
from plumbline.base.json import JsonObject

PENDING: Final = "Pending"
RUNNING: Final = "Running"
SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
_TERMINAL: Final = frozenset({SUCCEEDED, FAILED})


class _Metadata(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    finalizers: tuple[str, ...] | None = None
    owner_references: tuple[Owner, ...] | None = None


class Container(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    restart_policy: str | None = None


class _ClaimSource(msgspec.Struct, frozen=True, rename="camel", gc=False):
    claim_name: str = ""


class Volume(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    persistent_volume_claim: _ClaimSource | None = None


class _Spec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    node_name: str = ""
    affinity: JsonObject | None = None
    volumes: tuple[Volume, ...] | None = None
    init_containers: tuple[Container, ...] | None = None


class PodCondition(msgspec.Struct, frozen=True, rename="camel", gc=False):
    type: str = ""
    status: str = ""
    last_transition_time: str | None = None


class Terminated(msgspec.Struct, frozen=True, rename="camel", gc=False):
    exit_code: int = 0
    finished_at: str | None = None


class _State(msgspec.Struct, frozen=True, gc=False):
    terminated: Terminated | None = None


class ContainerStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    name: str = ""
    restart_count: int = 0
    state: _State | None = None

    @property
    def terminated(self) -> Terminated | None:
        return self.state.terminated if self.state else None


class _Status(msgspec.Struct, frozen=True, rename="camel", gc=False):
    phase: str = ""
    conditions: tuple[PodCondition, ...] | None = None
    container_statuses: tuple[ContainerStatus, ...] | None = None
    init_container_statuses: tuple[ContainerStatus, ...] | None = None


class Pod(msgspec.Struct, frozen=True):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    spec: _Spec = msgspec.field(default_factory=_Spec)
    status: _Status = msgspec.field(default_factory=_Status)

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def uid(self) -> str:
        return self.metadata.uid

    @property
    def labels(self) -> dict[str, str]:
        return self.metadata.labels or {}

    @property
    def annotations(self) -> dict[str, str]:
        return self.metadata.annotations or {}

    @property
    def finalizers(self) -> tuple[str, ...]:
        return self.metadata.finalizers or ()

    @property
    def controller(self) -> Owner | None:
        return next((owner for owner in self.metadata.owner_references or () if owner.controller), None)

    @property
    def node(self) -> str:
        return self.spec.node_name

    @property
    def phase(self) -> str:
        return self.status.phase or PENDING

    @property
    def deleted(self) -> bool:
        """Somebody asked for its end, which may take a while."""
        return self.metadata.deletion_timestamp is not None

    @property
    def created_at(self) -> datetime | None:
        return moment(self.metadata.creation_timestamp or "")

    @property
    def terminal(self) -> bool:
        return self.status.phase in _TERMINAL

    @property
    def active(self) -> bool:
        return not self.deleted and not self.terminal

    @property
    def terminating(self) -> bool:
        """On its way out, and still running."""
        return self.deleted and not self.terminal

    @property
    def ready(self) -> bool:
        condition = self.condition("Ready")
        return condition is not None and condition.status == "True"

    @property
    def ready_since(self) -> datetime | None:
        condition = self.condition("Ready")
        return moment(condition.last_transition_time or "") if condition and condition.status == "True" else None

    def available(self, min_ready_s: int, now: datetime) -> bool:
        """Ready for long enough."""
        if not self.ready:
            return False
        since = self.ready_since
        return min_ready_s == 0 or (since is not None and since + timedelta(seconds=min_ready_s) <= now)

    def condition(self, type_: str) -> PodCondition | None:
        return next((each for each in self.status.conditions or () if each.type == type_), None)

    @property
    def reference(self) -> JsonObject:
        """Enough of it to change or delete it by."""
        metadata = self.metadata
        named = {"name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": named}


_decoder: Final = msgspec.json.Decoder(Pod)


def pod_of(entry: Entry) -> Pod:
    return _decoder.decode(entry.body)


def pod_from(obj: JsonObject) -> Pod:
    return msgspec.convert(obj, Pod)


def next_availability_s(pods: list[Pod], min_ready_s: int, now: datetime) -> float | None:
    """When the next of *pods* will have been ready for long enough; None where all are, or are not ready at all."""
    if min_ready_s <= 0:
        return None
    waits = [
        (pod.ready_since + timedelta(seconds=min_ready_s) - now).total_seconds() for pod in pods if pod.ready_since
    ]
    return min((wait for wait in waits if wait > 0), default=None)
