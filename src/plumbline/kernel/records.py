"""What a controller writes about an object it looks after: status, finalizers, events."""

import asyncio
import hashlib
from typing import Final, Protocol

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.json import JsonObject, encode
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.reconciler import Event
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.patch.merge_patch import merge_patch

_EVENTS = GroupVersionResource("", "v1", "events")
_LONGEST_NOTE = 1024
_AT_ONCE: Final = 8
"""How many records are written at once. That keeps a server busy; more would be in the way of what people wait for."""


class Records(Protocol):
    """The door through which a controller writes about an object. Each may raise Conflict: then the view was old."""

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        """*obj* with *change*, a merge patch, mostly of the status. Returns the object as it is now; empty where nothing may be written."""

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
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        """The whole object: a patch has the server write it out, change that, and read it again, a seventh of its work.

        Whoever sends an object without managers changes none of them.
        """
        changed = merge_patch(obj, change)
        whole = {**changed, "metadata": {**changed["metadata"], **_pinned(obj)}}
        whole["metadata"].pop("managedFields", None)
        async with self._places:
            self._metrics.wrote(str(target.resource), "update")
            return await self._client.update(target, encode(whole), self._writing)

    async def write_finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> None:
        self._metrics.wrote(str(target.resource), "patch")
        change = {"metadata": {"finalizers": finalizers, **_pinned(obj)}}
        await self._client.patch(target, encode(change), "merge", self._writing)

    async def emit(self, obj: JsonObject, event: Event) -> None:
        metadata = obj["metadata"]
        now = event.at or rfc3339(self._clock.now())
        namespace = metadata.get("namespace") or "default"
        # The same event on the same object has the same name: repeated by a restart, it is refused, not doubled.
        told = f"{metadata['uid']}/{metadata['resourceVersion']}/{event.reason}/{event.message}"
        told += f"/{now}" if event.recurs else ""
        name = f"{metadata['name'][:200]}.{hashlib.sha256(told.encode()).hexdigest()[:16]}"
        body = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": namespace, **({"labels": dict(event.labels)} if event.labels else {})},
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


def _pinned(obj: JsonObject) -> JsonObject:
    return {"uid": obj["metadata"]["uid"], "resourceVersion": obj["metadata"]["resourceVersion"]}
