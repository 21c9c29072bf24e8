"""Two clusters that workload scenarios play on, each with the same fake kubelet: the real one, and ours."""

import asyncio
import itertools
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from tests.apiserver.controllers.workloads.kubelet import next_doing
from tests.apiserver.controllers.workloads.world import World
from tests.conformance.real import MERGE_PATCH, RealCluster

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.kube.patch import merge_patch

PATHS: Mapping[str, tuple[str, str]] = {
    "Pod": ("api/v1", "pods"),
    "Event": ("api/v1", "events"),
    "PersistentVolumeClaim": ("api/v1", "persistentvolumeclaims"),
    "ReplicationController": ("api/v1", "replicationcontrollers"),
    "Deployment": ("apis/apps/v1", "deployments"),
    "ReplicaSet": ("apis/apps/v1", "replicasets"),
    "StatefulSet": ("apis/apps/v1", "statefulsets"),
    "DaemonSet": ("apis/apps/v1", "daemonsets"),
    "ControllerRevision": ("apis/apps/v1", "controllerrevisions"),
    "Job": ("apis/batch/v1", "jobs"),
    "CronJob": ("apis/batch/v1", "cronjobs"),
}
_count = itertools.count(1)
_PATIENCE_S = 45.0

Holds = Callable[[JsonObject], bool]


class Side(Protocol):
    async def create(self, obj: JsonObject) -> None: ...

    async def patch(self, kind: str, name: str, patch: JsonObject) -> None: ...

    async def delete(self, kind: str, name: str) -> None: ...

    def list(self, kind: str) -> list[JsonObject]: ...

    async def pause(self, for_s: float) -> None:
        """Let the controllers and the kubelet work for that long."""


def group_kind(kind: str) -> GroupKind:
    return GroupKind(PATHS[kind][0].removeprefix("apis/").partition("/")[0] if PATHS[kind][0] != "api/v1" else "", kind)


async def until(side: Side, kind: str, name: str, holds: Holds) -> None:
    waited_s = 0.0
    while True:
        found = next((each for each in side.list(kind) if each["metadata"]["name"] == name), None)
        if found is not None and holds(found):
            return
        assert waited_s < _PATIENCE_S, f"{type(side).__name__}: {kind} {name} never got there: {found}"
        await side.pause(0.2)
        waited_s += 0.2


async def settled(side: Side) -> None:
    """Wait until nothing has changed for a while."""
    before: object = None
    calm = 0
    while calm < 8:
        now = [
            each["metadata"]["resourceVersion"]
            for kind in PATHS
            for each in side.list(kind)
            if kind != "ReplicationController"
        ]
        calm = calm + 1 if now == before else 0
        before = now
        await side.pause(0.2)


class RealSide:
    def __init__(self, cluster: RealCluster) -> None:
        self._cluster = cluster
        self.namespace = f"play-{next(_count)}-{datetime.now(UTC):%H%M%S}"
        self._sent("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})

    def _sent(
        self, method: str, path: str, body: JsonObject | None = None, type_: str = "application/json"
    ) -> JsonObject:
        answer = self._cluster.send(method, path, body, type_)
        assert answer.fine or answer.status in (404, 409), (method, path, answer.body)
        return answer.body

    def _path(self, kind: str, name: str = "") -> str:
        root, plural = PATHS[kind]
        return f"/{root}/namespaces/{self.namespace}/{plural}" + (f"/{name}" if name else "")

    async def create(self, obj: JsonObject) -> None:
        self._sent("POST", self._path(obj["kind"]), obj)

    async def patch(self, kind: str, name: str, patch: JsonObject) -> None:
        self._sent("PATCH", self._path(kind, name), patch, MERGE_PATCH)

    async def delete(self, kind: str, name: str) -> None:
        self._sent("DELETE", self._path(kind, name), {"propagationPolicy": "Background"})

    def list(self, kind: str) -> list[JsonObject]:
        return self._sent("GET", self._path(kind))["items"]

    async def pause(self, for_s: float) -> None:
        for pod in self.list("Pod"):
            self._drive(pod)
        await asyncio.sleep(for_s)

    def _drive(self, pod: JsonObject) -> None:
        name = pod["metadata"]["name"]
        doing = next_doing(pod, datetime.now(UTC))
        if doing.bind:
            target = {"apiVersion": "v1", "kind": "Node", "name": doing.bind}
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
            self._sent("POST", self._path("Pod", f"{name}/binding"), binding)
        if doing.status:
            self._sent("PATCH", self._path("Pod", f"{name}/status"), {"status": doing.status}, MERGE_PATCH)
        if doing.remove:
            self._sent("DELETE", self._path("Pod", name), {"gracePeriodSeconds": 0})


class OurSide:
    def __init__(self, world: World) -> None:
        self._world = world

    async def create(self, obj: JsonObject) -> None:
        await self._world.create(obj)

    async def patch(self, kind: str, name: str, patch: JsonObject) -> None:
        there = self._world.get(group_kind(kind), name)
        await self._world.cluster.edit(there, lambda live: merge_patch(live, patch), manager="test")

    async def delete(self, kind: str, name: str) -> None:
        await self._world.delete(group_kind(kind), name)

    def list(self, kind: str) -> list[JsonObject]:
        return self._world.all(group_kind(kind))

    async def pause(self, for_s: float) -> None:
        await self._world.rest(for_s)
