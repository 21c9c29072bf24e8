"""A plane with workload controllers and one fake kubelet, on time that costs nothing."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from tests.apiserver.controllers.workloads.kubelet import NODE, next_doing

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controllers, itself
from plumbline.apiserver.controllers.housekeeping.garbage import GarbageCollector
from plumbline.apiserver.controllers.workloads import kinds, workload_controllers
from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.objects.admission import Admission, NoAdmission
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.storage.encoding import under_revision
from plumbline.apiserver.storage.store import Store
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.names import GroupKind

NAMESPACE = "default"
EVENT = GroupKind("", "Event")


def virtually(test: Callable[..., Coroutine[None, None, None]]) -> Callable[..., None]:
    """Run a test on a virtual loop of its own."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        run_virtually(lambda: test(*args, **kwargs))

    return run


class Kubelet:
    name = "kubelet"

    def __init__(self, store: Store, cluster: Cluster) -> None:
        self._cluster = cluster
        self._store = store
        self.ready_after_s = 0.0
        self.linger_s = 0.0

    @property
    def watches(self):
        return {kinds.POD: itself}

    async def reconcile(self, key):
        pod = self._cluster.at(key)
        if pod is None:
            return None
        now = self._cluster.clock.now()
        doing = next_doing(pod, now, ready_after_s=self.ready_after_s, linger_s=self.linger_s)
        if doing.bind:
            await self._bind(key, doing.bind)
        if doing.status:
            await self._cluster.edit(
                pod, lambda live: {**live, "status": {**live["status"], **doing.status}}, subresource="status"
            )
        if doing.remove:
            await self._cluster.delete(pod, grace_s=0)
        return doing.after_s

    async def _bind(self, key, node):
        """Past the API: who may bind is not what is tested here."""
        entry = self._store.head(key)
        pod = entry.object()
        bound = {**pod, "spec": {**pod["spec"], "nodeName": node}}
        await self._store.put(key, entry, under_revision(bound))


class World:
    def __init__(self, admission: Admission) -> None:
        self.clock = LoopClock()
        self.store = Store(self.clock)
        ids = Ids(7)
        self.cluster = Cluster(_registry(), Context(self.store, self.clock, ids, admission))
        self.kubelet = Kubelet(self.store, self.cluster)
        self.start()

    def start(self) -> None:
        """Controllers that know nothing but what is stored."""
        cluster = self.cluster
        own = (*workload_controllers(cluster), GarbageCollector(cluster), self.kubelet)
        self.controllers = Controllers(self.store, cluster, own)

    async def create(self, obj: JsonObject) -> JsonObject:
        metadata = {"namespace": NAMESPACE, **obj["metadata"]} if obj["kind"] != "Node" else obj["metadata"]
        return await self.cluster.create({**obj, "metadata": metadata}, manager="test")

    def get(self, kind: GroupKind, name: str) -> JsonObject:
        found = self.cluster.get(kind, NAMESPACE, name)
        assert found is not None, f"{kind} {name} is not there"
        return found

    def all(self, kind: GroupKind) -> list[JsonObject]:
        return self.cluster.objects(kind)

    def pods(self, **labels: str) -> list[JsonObject]:
        found = self.all(kinds.POD)
        return [pod for pod in found if labels.items() <= (pod["metadata"].get("labels") or {}).items()]

    def events(self, kind: str = "", name: str = "") -> list[tuple[str, str]]:
        """Reason and message of each, in the order in which they came up."""
        found = [each for each in self.all(EVENT) if kind in ("", each["involvedObject"]["kind"])]
        found = [each for each in found if name in ("", each["involvedObject"]["name"])]
        found.sort(key=lambda each: int(each["metadata"]["resourceVersion"]))
        return [(each["reason"], each["message"]) for each in found]

    async def spec(self, kind: GroupKind, name: str, **changes) -> JsonObject:
        return await self.cluster.edit(
            self.get(kind, name), lambda live: {**live, "spec": {**live["spec"], **changes}}, manager="test"
        )

    async def annotate(self, kind: GroupKind, name: str, annotations: dict[str, str]) -> JsonObject:
        def change(live: JsonObject) -> JsonObject:
            notes = {**(live["metadata"].get("annotations") or {}), **annotations}
            return {**live, "metadata": {**live["metadata"], "annotations": notes}}

        return await self.cluster.edit(self.get(kind, name), change, manager="test")

    async def label(self, kind: GroupKind, name: str, labels: dict[str, str]) -> JsonObject:
        def change(live: JsonObject) -> JsonObject:
            return {**live, "metadata": {**live["metadata"], "labels": labels}}

        there = self.cluster.get(kind, NAMESPACE, name)
        assert there is not None
        return await self.cluster.edit(there, change, manager="test")

    async def status(self, pod: JsonObject, **changes) -> JsonObject:
        return await self.cluster.edit(
            pod, lambda live: {**live, "status": {**live["status"], **changes}}, subresource="status", manager="test"
        )

    async def delete(self, kind: GroupKind, name: str, **options) -> None:
        await self.cluster.delete(self.get(kind, name), **options)

    async def rest(self, for_s: float = 0.0) -> None:
        """Wait until nobody has anything to do, and then for that long."""
        await self.clock.sleep(for_s)
        calm = 0
        while calm < 5:
            await asyncio.sleep(0)
            calm = calm + 1 if self.controllers.idle else 0


@functools.cache
def _registry() -> Registry:
    return Registry(BuiltinModel(resource) for resource in builtin_resources())


@asynccontextmanager
async def world(*, nodes: tuple[str, ...] = (NODE,), admission: Admission | None = None) -> AsyncIterator[World]:
    there = World(admission or NoAdmission())
    await there.cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    async with task_group() as tasks:
        running = tasks.create_task(there.controllers.run())
        for name in nodes:
            await there.create(node(name))
        try:
            yield there
        finally:
            there.controllers.stop()
            await running


def node(name: str, **spec) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"zone": "a"}}, "spec": spec}


def template(
    image: str = "nginx:1", *, behaviour: str = "", labels: dict[str, str] | None = None, **spec
) -> JsonObject:
    metadata: JsonObject = {"labels": labels or {"app": "web"}}
    if behaviour:
        metadata["annotations"] = {"test/behaviour": behaviour}
    return {"metadata": metadata, "spec": {"containers": [{"name": "c", "image": image}], **spec}}


def workload(kind: str, name: str = "web", **spec) -> JsonObject:
    """A Deployment, ReplicaSet, StatefulSet or DaemonSet whose pods are labelled app=web."""
    wanted: JsonObject = {"selector": {"matchLabels": {"app": "web"}}, "template": template()}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name}, "spec": {**wanted, **spec}}


def job(name: str = "work", **spec) -> JsonObject:
    wanted = {"template": template(labels={"x": "y"}, behaviour="succeed", restartPolicy="Never")}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {**wanted, **spec}}


__all__ = [
    "NAMESPACE",
    "NODE",
    "RequestRefused",
    "World",
    "job",
    "kinds",
    "node",
    "template",
    "virtually",
    "workload",
    "world",
]
