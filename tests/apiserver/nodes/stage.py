"""A control plane without its HTTP on virtual time, with simulated nodes, and the few words that stories about it need."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from plumbline.apiserver.admission import BuiltinAdmission, StoredObjects, builtin_plugins
from plumbline.apiserver.allocation.allocating import ServiceAllocator
from plumbline.apiserver.bootstrap import bootstrap
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controllers
from plumbline.apiserver.controllers.housekeeping import housekeeping_controllers
from plumbline.apiserver.controllers.workloads import workload_controllers
from plumbline.apiserver.models.definition import builtin_models
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.nodes import Nodes, NodeSettings, Scenario
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.storage.store import Store
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.names import GroupKind

POD = GroupKind("", "Pod")
EVENT = GroupKind("", "Event")
NODE = GroupKind("", "Node")


class Stage:
    def __init__(self, settings: NodeSettings | None, scenario: Scenario | None) -> None:
        self.clock = LoopClock()
        ids = Ids(1)
        self.store = Store(self.clock)
        registry, authorizer = Registry(builtin_models()), Authorizer()
        plugins = builtin_plugins(StoredObjects(self.store), authorizer, self.clock, ids)
        admission = BuiltinAdmission(plugins, authorizer)
        context = Context(self.store, self.clock, ids, admission, ServiceAllocator(self.store, ids))
        self.cluster = Cluster(registry, context)
        self._settings, self._scenario = settings, scenario
        self.nodes = Nodes(self.cluster, settings, scenario=scenario)
        self.tasks = task_group()
        self.writes: list[str] = []

    def observe_writes(self) -> None:
        self.writes.clear()
        self.store.listen(lambda change: self.writes.append(f"{change.type.value} {change.entry.key}"))

    async def apply(self, *objects: JsonObject) -> None:
        for obj in objects:
            await self.cluster.create(obj)

    def get(self, kind: GroupKind | str, name: str, namespace: str = "default") -> JsonObject:
        found = self.find(kind, name, namespace)
        assert found is not None, f"{kind} {name} is not there"
        return found

    def find(self, kind: GroupKind | str, name: str, namespace: str = "default") -> JsonObject | None:
        return self.cluster.get(GroupKind("", kind) if isinstance(kind, str) else kind, namespace, name)

    EVENT = EVENT

    async def change(self, name: str, change: Callable[[JsonObject], JsonObject], subresource: str = "") -> None:
        """Let somebody change the spec of a pod."""
        await self.cluster.edit(
            self.pod(name), lambda live: {**live, "spec": change(live["spec"])}, subresource=subresource
        )
        await self.settle()

    def kind(self, name: str) -> GroupKind:
        return GroupKind("", name)

    async def annotate(self, kind: GroupKind, name: str, annotations: dict[str, str]) -> None:
        await self.cluster.edit(
            self.get(kind, name), lambda live: {**live, "metadata": {**live["metadata"], "annotations": annotations}}
        )
        await self.settle()

    async def add_condition(self, name: str, condition: JsonObject) -> None:
        status = self.status(name)
        others = [each for each in status["conditions"] if each["type"] != condition["type"]]
        await self.cluster.set_status(self.pod(name), {**status, "conditions": [*others, condition]})
        await self.settle()

    async def delete(self, kind: GroupKind | str, name: str, namespace: str = "default") -> None:
        await self.cluster.delete(self.get(kind, name, namespace))
        await self.settle()

    def count(self, what: str) -> int:
        return sum(write.startswith(what) for write in self.writes)

    async def restart(self) -> None:
        """Forget everything but what is stored."""
        self.controllers.stop()
        self.nodes = Nodes(self.cluster, self._settings, scenario=self._scenario)
        self.start()
        await self.settle()

    def start(self) -> None:
        around = (*housekeeping_controllers(self.cluster, "authority"), *workload_controllers(self.cluster))
        self.controllers = Controllers(self.store, self.cluster, (*around, *self.nodes.controllers))
        self.tasks.create_task(self.controllers.run())

    def pod(self, name: str) -> JsonObject:
        return self.get(POD, name)

    def status(self, name: str) -> JsonObject:
        return self.pod(name)["status"]

    def state(self, name: str, container: str = "c") -> JsonObject:
        return self.container(name, container)["state"]

    def container(self, name: str, container: str = "c") -> JsonObject:
        status = self.status(name)
        every = [*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())]
        return next(each for each in every if each["name"] == container)

    def condition(self, name: str, type_: str) -> JsonObject:
        return next(each for each in self.status(name)["conditions"] if each["type"] == type_)

    def events(self, name: str) -> list[tuple[str, str]]:
        found = [each for each in self.cluster.objects(EVENT) if each["involvedObject"]["name"] == name]
        found.sort(key=lambda each: int(each["metadata"]["resourceVersion"]))
        return [(each["reason"], each["message"]) for each in found]

    async def settle(self) -> None:
        """Until nobody has anything to do at this moment."""
        await asyncio.sleep(0.001)


Story = Callable[[Stage], Awaitable[None]]


@asynccontextmanager
async def staged(settings: NodeSettings | None = None, scenario: Scenario | None = None) -> AsyncIterator[Stage]:
    stage = Stage(settings, scenario)
    async with stage.tasks:
        await bootstrap(stage.store, stage.cluster)
        await stage.apply(*stage.nodes.bootstrap_objects)
        stage.start()
        await stage.settle()
        try:
            yield stage
        finally:
            stage.controllers.stop()


def virtually(story: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """A test whose waits are virtual."""

    def test() -> None:
        run_virtually(story)

    test.__name__, test.__doc__, test.__module__ = story.__name__, story.__doc__, story.__module__
    return test


def on_stage(*, settings: NodeSettings | None = None, scenario: Scenario | None = None):
    """A test that is a story on a stage; its waits are virtual."""

    def decorated(story: Story) -> Callable[[], None]:
        async def told() -> None:
            async with staged(settings, scenario) as stage:
                await story(stage)

        told.__name__, told.__doc__, told.__module__ = story.__name__, story.__doc__, story.__module__
        return virtually(told)

    return decorated
