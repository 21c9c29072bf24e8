"""A control plane in this process and in virtual time, a cloud in memory, and managed resources between them."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from functools import cache

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.managed.managed import ManagedResources, Parts
from plumbline.ownership.ledger import Ledger

from .cloud import GROUP, Cloud, catalogue

BY_HAND = Writing(field_manager="kubectl")
ENFORCE = MandateSpec(mode="Enforce")
STORE, NETWORK = GroupKind(f"data.{GROUP}", "Store"), GroupKind(f"net.{GROUP}", "Network")
KEY, DATABASE = GroupKind(f"net.{GROUP}", "Key"), GroupKind(f"data.{GROUP}", "Database")
SHORT = {
    "stores": GroupVersionResource(f"data.{GROUP}", "v1beta2", "stores"),
    "networks": GroupVersionResource(f"net.{GROUP}", "v1beta1", "networks"),
    "keys": GroupVersionResource(f"net.{GROUP}", "v1beta1", "keys"),
    "databases": GroupVersionResource(f"data.{GROUP}", "v1beta1", "databases"),
    "m.stores": GroupVersionResource("data.cloud.m.example.org", "v1beta2", "stores"),
    "m.networks": GroupVersionResource("net.cloud.m.example.org", "v1beta1", "networks"),
    "m.databases": GroupVersionResource("data.cloud.m.example.org", "v1beta1", "databases"),
    "configs": GroupVersionResource(GROUP, "v1beta1", "providerconfigs"),
    "m.configs": GroupVersionResource("cloud.m.example.org", "v1beta1", "providerconfigs"),
    "m.clusterconfigs": GroupVersionResource("cloud.m.example.org", "v1beta1", "clusterproviderconfigs"),
    "secrets": GroupVersionResource("", "v1", "secrets"),
    "namespaces": GroupVersionResource("", "v1", "namespaces"),
    "events": GroupVersionResource("", "v1", "events"),
    "crds": GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
}
KINDS = {"stores": STORE, "networks": NETWORK, "keys": KEY, "databases": DATABASE}
KINDS |= {f"m.{name}": GroupKind(kind.group.replace("cloud.", "cloud.m."), kind.kind) for name, kind in KINDS.items()}


class Counting:
    """A transport that counts what is written through it."""

    def __init__(self, inner):
        self._inner = inner
        self.writes = Counter()

    async def close(self): ...

    async def send(self, request):
        if request.method != "GET":
            self.writes[
                request.method, request.path.rsplit("/", 1)[0] if request.method != "POST" else request.path
            ] += 1
        return await self._inner.send(request)

    def of(self, *resources):
        """How many writes went to these collections, or objects in them."""
        return sum(count for (_, path), count in self.writes.items() if any(f"/{each}" in path for each in resources))


class Town:
    def __init__(self, **parts):
        self.__dict__.update(parts)

    async def create(self, short, name, namespace="", *, metadata=None, spec=None, **fields):
        """An object, served as soon as its kind is."""
        if short in KINDS:
            assert await self.managed.activation.ensure(KINDS[short])
        return await created(self.client, short, name, namespace, metadata=metadata, spec=spec, **fields)

    async def get(self, short, name, namespace=""):
        try:
            return decode(await self.client.get(Target(SHORT[short], namespace, name)))
        except (NotFound, UnknownKind):
            return None

    async def patch(self, short, name, change, namespace=""):
        target = Target(SHORT[short], namespace, name)
        return decode(await self.client.patch(target, encode(change), "merge", BY_HAND))

    async def annotate(self, short, name, namespace="", **annotations):
        notes = {key.replace("__", "/").replace("_", "-"): value for key, value in annotations.items()}
        return await self.patch(short, name, {"metadata": {"annotations": notes}}, namespace)

    async def delete(self, short, name, namespace=""):
        await self.client.delete(Target(SHORT[short], namespace, name))

    async def until(self, true, *, within_s=120.0, every_s=0.25):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def has(self, short, name, namespace="", *, within_s=120.0, **wanted):
        """Until each condition has the reason that is named."""

        async def so():
            obj = await self.get(short, name, namespace)
            said = conditions(obj or {})
            return (
                obj
                if obj and all(said.get(type_, {}).get("reason") == reason for type_, reason in wanted.items())
                else None
            )

        return await self.until(so, within_s=within_s)

    async def ready(self, short, name, namespace="", **more):
        return await self.has(short, name, namespace, Ready="Available", Synced="ReconcileSuccess", **more)

    async def gone(self, short, name, namespace="", **more):
        async def so():
            return await self.get(short, name, namespace) is None

        return await self.until(so, **more)

    async def settle(self, seconds=5.0):
        await asyncio.sleep(seconds)

    async def events(self, name, reason=None):
        page = await self.client.list(Target(SHORT["events"]), Selection())
        found = [decode(raw) for raw in page.items]
        mine = [each for each in found if each["involvedObject"]["name"] == name]
        mine.sort(key=lambda each: int(each["metadata"]["resourceVersion"]))
        return [(each["reason"], each["message"]) for each in mine if reason in {None, each["reason"]}]

    async def effects(self):
        """What was done outside so far, in order: verb and thing."""
        page = await self.journal.page(limit=500)
        done = [each for each in page.entries if each.kind == "performed" and hasattr(each.subject, "id")]
        return [(each.verb, each.subject.id) for each in sorted(done, key=lambda each: each.seq)]


def conditions(obj):
    return {each["type"]: each for each in (obj.get("status") or {}).get("conditions", [])}


def annotations(obj):
    return obj["metadata"].get("annotations", {})


def body(short, name, namespace="", *, metadata=None, spec=None, **fields):
    gvr = SHORT[short]
    kind = {"secrets": "Secret", "namespaces": "Namespace", "configs": "ProviderConfig", "m.configs": "ProviderConfig",
            "m.clusterconfigs": "ClusterProviderConfig"}.get(short) or KINDS[short].kind  # fmt: skip
    made = {"apiVersion": gvr.api_version, "kind": kind, "metadata": {"name": name, **(metadata or {})}}
    if namespace:
        made["metadata"]["namespace"] = namespace
    if short in KINDS:
        said = dict(spec or {})
        said["forProvider"] = {"region": "north", **fields, **said.get("forProvider", {})}
        return {**made, "spec": said}
    return {**made, **({"spec": spec} if spec is not None else {}), **fields}


async def created(client, short, name, namespace="", **more):
    target, raw = Target(SHORT[short], namespace), encode(body(short, name, namespace, **more))
    for _ in range(100):
        try:
            return decode(await client.create(target, raw, BY_HAND))
        except (NotFound, UnknownKind):
            await asyncio.sleep(0.1)
    return decode(await client.create(target, raw, BY_HAND))


@cache
def founded(*shorts):
    """A plane with namespaces, CRDs of all kinds or of some, and a config: set up once, loaded for every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
        async with plane.running():
            async with on_plane(plane, clock, ids, Cloud(clock)) as town:
                for name in ("shop", "platform"):
                    await town.create("namespaces", name)
                for short in shorts or KINDS:
                    assert await town.managed.activation.ensure(KINDS[short])
                anybody = {"credentials": {"source": "None"}}
                await town.create("configs", "default", spec=anybody)
                if not shorts:
                    await town.create("m.clusterconfigs", "default", spec=anybody)
                await asyncio.sleep(30)
            store = plane.store
            entries = [entry for each in store.collections for entry in store.shelf(each).entries()]
            return Stored(store.revision, entries)

    return run_virtually(main)


@asynccontextmanager
async def town(*, bare=False, mandate=ENFORCE, cloud=None, **weather):
    """*bare* is a plane that nobody has used yet."""
    clock, ids = LoopClock(), Ids(7)
    stored = None if bare else founded()
    plane = Plane(
        clock, ids, **({} if stored is None else {"stored": stored}), authority_pem="the authority", workloads=False
    )
    here = cloud or Cloud(clock)
    here.clock = clock
    for name, value in weather.items():
        setattr(here, name, value)
    async with plane.running(), on_plane(plane, clock, ids, here, mandate=mandate) as place:
        yield place


@asynccontextmanager
async def on_plane(plane, clock, ids, cloud, *, mandate=ENFORCE, journal=None):
    world = World(clock, ids, Metrics())
    async with sqlite.in_memory(clock=clock, ids=ids) as own:
        counted = Counting(plane.transport())
        ours, people = Client(counted, clock=clock, ids=ids), Client(plane.transport(), clock=clock, ids=ids)
        managed, collections = composed(ours, world, cloud, journal or own, mandate)
        tasks = [asyncio.create_task(collections.run()), asyncio.create_task(managed.run())]
        try:
            yield Town(
                plane=plane,
                client=people,
                managed=managed,
                cloud=cloud,
                journal=journal or own,
                api=counted,
                clock=clock,
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def composed(client, world, cloud, journal, mandate=ENFORCE, fence=lambda: None):
    """Managed resources, and the collections that somebody has to keep running."""
    ledger = Ledger()
    gate = Gate(Powers(lambda: mandate, ledger, fence), Live(journal), world.clock)
    records = GatedRecords(gate, client, world.clock, "plumbline-managed", cluster="in-cluster")
    collections = Collections(client, world.metrics)
    parts = Parts(client, world, gate, ledger, records, collections, catalogue(cloud))
    return ManagedResources(parts), collections


def story(**arguments):
    """Tells an async function a town, in virtual time."""

    def told(function):
        def test():
            if not arguments.get("bare"):
                founded()  # on a loop of its own, before this one runs

            async def main():
                async with town(**arguments) as place:
                    await function(place)

            run_virtually(main)

        test.__name__ = function.__name__
        test.__doc__ = function.__doc__
        return test

    return told
