"""What a controller writes about an object it looks after: status, finalizers, events."""

import hashlib
from typing import Protocol

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.json import JsonObject, encode
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.reconciler import Event
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource

_EVENTS = GroupVersionResource("", "v1", "events")
_LONGEST_NOTE = 1024


class Records(Protocol):
    """The door through which a controller writes about an object. Each may raise Conflict: then the view was old."""

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        """A merge patch, mostly of the status. Returns the object as it is now; empty where nothing may be written."""

    async def write_finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> None: ...

    async def emit(self, obj: JsonObject, event: Event) -> None: ...


class ClientRecords:
    """Straight to the API, pinned to the version that was looked at."""

    def __init__(self, client: Client, clock: Clock, component: str, metrics: Metrics | None = None) -> None:
        self._client = client
        self._clock = clock
        self._component = component
        # Nobody but us says what is in a record: to have the server look for fields that it does not know costs it 6 % of a write.
        self._writing = Writing(field_manager=component, validation="Ignore")
        self._metrics = metrics or Metrics()

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        return await self._patch(target, obj, change)

    async def write_finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> None:
        await self._patch(target, obj, {"metadata": {"finalizers": finalizers}})

    async def emit(self, obj: JsonObject, event: Event) -> None:
        metadata = obj["metadata"]
        now = event.at or rfc3339(self._clock.now())
        namespace = metadata.get("namespace") or "default"
        # The same event on the same object has the same name: repeated by a restart, it is refused, not doubled.
        told = f"{metadata['uid']}/{metadata['resourceVersion']}/{event.reason}/{event.message}"
        name = f"{metadata['name'][:200]}.{hashlib.sha256(told.encode()).hexdigest()[:16]}"
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": {
                "apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": metadata["name"],
                "namespace": metadata.get("namespace", ""), "uid": metadata["uid"],
                "resourceVersion": metadata["resourceVersion"],
            },
            "type": "Warning" if event.warning else "Normal",
            "reason": event.reason,
            "message": event.message[:_LONGEST_NOTE],
            "source": {"component": self._component},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }  # fmt: skip
        self._metrics.wrote(str(_EVENTS), "create")
        await self._client.create(Target(_EVENTS, namespace), encode(body), self._writing)

    async def _patch(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        pinned = {"uid": obj["metadata"]["uid"], "resourceVersion": obj["metadata"]["resourceVersion"]}
        body = {**change, "metadata": {**change.get("metadata", {}), **pinned}}
        self._metrics.wrote(str(target.resource), "patch")
        return await self._client.patch(target, encode(body), "merge", self._writing)
