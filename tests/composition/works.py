"""Composition on a control plane in this process and in virtual time, with functions written where they are used."""

import asyncio
from contextlib import asynccontextmanager
from functools import cache

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.composition.composition import Composition, Parts
from plumbline.composition.functions.values import Answer, Resource, State
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.installing import installed
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
BY_HAND = Writing(field_manager="kubectl")
CLAIMS = "example.org/v1/databases"
COMPOSITES = "example.org/v1/xdatabases"


def gvr(text):
    parts = text.split("/")
    return GroupVersionResource(*parts) if len(parts) == 3 else GroupVersionResource("", *parts)


def xrd(**spec):
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "string"}}},
            "status": {"type": "object", "properties": {"address": {"type": "string"}, "note": {"type": "string"}}},
        },
    }
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xdatabases.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XDatabase", "plural": "xdatabases"},
            "claimNames": {"kind": "Database", "plural": "databases"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}],
            **spec,
        },
    }


def composition(name="plain", *functions, labels=None, **spec):
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {
            "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XDatabase"},
            "mode": "Pipeline",
            "pipeline": [{"step": each, "functionRef": {"name": each}} for each in functions or ("compose",)],
            **spec,
        },
    }


def claim(name="orders", namespace="shop", **spec):
    return {
        "apiVersion": "example.org/v1",
        "kind": "Database",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"size": "small", **spec},
    }


def config_map(namespace="shop", **more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace}, "data": {"a": "b"}, **more}


class Function:
    """A function that wants what it is told to, and counts its calls."""

    def __init__(self, wanted=None):
        self.wanted = wanted or (lambda call: {"config": Resource(config_map(), ready="True")})
        self.calls = []

    async def run(self, call):
        self.calls.append(call)
        answer = self.wanted(call)
        return answer if isinstance(answer, Answer) else Answer(desired=State(call.desired.composite, answer))


class Works:
    def __init__(self, plane, client, world, room, journal):
        self.plane, self.client, self.world, self.room, self.journal = plane, client, world, room, journal
        self.functions = {"compose": Function()}
        self.activated = []
        self.offers = {}

    async def apply(self, obj, gvr_text):
        metadata = obj["metadata"]
        target = Target(gvr(gvr_text), metadata.get("namespace", ""), metadata["name"])
        return decode(await self.client.apply(target, encode(obj), Writing(field_manager="kubectl", force=True)))

    async def define(self, *compositions, definition=None):
        definition = definition or xrd()
        await self.apply(definition, f"{definition['apiVersion']}/compositeresourcedefinitions")
        for each in compositions or (composition(),):
            await self.apply(each, "apiextensions.crossplane.io/v1/compositions")
        await self.until(self.established)

    async def established(self):
        definition = await self.get(
            "apiextensions.crossplane.io/v1/compositeresourcedefinitions", "xdatabases.example.org", ""
        )
        return any(each["type"] == "Established" for each in (definition.get("status") or {}).get("conditions") or ())

    async def get(self, gvr_text, name, namespace="shop"):
        try:
            return decode(await self.client.get(Target(gvr(gvr_text), namespace, name)))
        except NotFound:
            return None

    async def list(self, gvr_text, namespace=""):
        return [decode(bytes(each)) for each in (await self.client.list(Target(gvr(gvr_text), namespace))).items]

    async def version(self):
        """Of everything that is stored: another one after every write."""
        return (await self.client.list(Target(NAMESPACES))).resource_version

    async def claim(self, name="orders"):
        return await self.get(CLAIMS, name)

    async def composite(self, name="orders"):
        """The composite of the claim *name*."""
        bound = await self.claim(name)
        ref = ((bound or {}).get("spec") or {}).get("resourceRef")
        return await self.get(COMPOSITES, ref["name"], "") if ref else None

    async def patch(self, gvr_text, name, change, namespace="shop"):
        target = Target(gvr(gvr_text), namespace, name)
        return decode(await self.client.patch(target, encode(change), "merge", BY_HAND))

    async def delete(self, gvr_text, name, namespace="shop", **options):
        await self.client.delete(Target(gvr(gvr_text), namespace, name), **options)

    async def until(self, true, *, within_s=120.0, every_s=0.25):
        """Wait, in virtual time, for something to be so; returns what it was."""
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def ready(self, name="orders"):
        async def is_ready():
            found = await self.claim(name)
            return found if state(found, "Ready") == "True" else None

        return await self.until(is_ready)

    async def told(self, read, type_, text):
        """Wait until a condition of what *read* reads says *text*."""

        async def says():
            found = await read()
            return text in message(found, type_) and found

        return await self.until(says)

    async def settle(self, seconds=5.0):
        await asyncio.sleep(seconds)

    async def effects(self):
        page = await self.journal.page(limit=500)
        done = [entry for entry in page.entries if entry.kind == "performed"]
        return [(entry.verb, entry.subject.kind) for entry in sorted(done, key=lambda entry: entry.seq)]


def condition(obj, type_):
    conditions = ((obj or {}).get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == type_), {})


def state(obj, type_):
    return condition(obj, type_).get("status", "")


def message(obj, type_):
    return condition(obj, type_).get("message", "")


@cache
def founded():
    """A plane that serves Crossplane's kinds, as it is stored: set up once, loaded for every story."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority", workloads=True)
        async with plane.running():
            await installed(Client(plane.transport(), clock=clock, ids=ids), CROSSPLANE_KINDS, clock)
            store = plane.store
            return Stored(store.revision, [each for name in store.collections for each in store.shelf(name).entries()])

    return run_virtually(main)


@asynccontextmanager
async def works(mandate=None):
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with plane.running(), on_plane(plane, clock, ids, mandate) as place:
        yield place


@asynccontextmanager
async def on_plane(plane, clock, ids, mandate=None):
    world = World(clock, ids, Metrics())
    async with sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        await installed(client, CROSSPLANE_KINDS, clock)
        for namespace in ("shop", "crossplane-system"):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            if not await _exists(client, namespace):
                await client.create(Target(NAMESPACES), encode(body))
        ledger = Ledger()
        allowed = mandate or MandateSpec(mode="Enforce")
        gate = Gate(Powers(lambda: allowed, ledger, lambda: None), Live(journal), clock)
        place = Works(plane, client, world, None, journal)

        def function(name):
            if name not in place.functions:
                raise NotFound(f"no function {name}")
            return place.functions[name]

        async def offer(kind):
            place.activated.append(kind)
            crd = place.offers.get(kind)
            if crd is None:
                return False
            await place.apply(crd, "apiextensions.k8s.io/v1/customresourcedefinitions")
            return True

        client.discovery.offer = offer
        collections = Collections(client, world.metrics)
        parts = Parts(
            client=client,
            world=world,
            gate=gate,
            ledger=ledger,
            records=lambda component: GatedRecords(gate, client, clock, component, cluster="in-cluster"),
            function=function,
            collections=collections,
        )
        place.room = Composition(parts)
        tasks = [asyncio.create_task(collections.run()), asyncio.create_task(place.room.run())]
        try:
            yield place
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _exists(client, namespace):
    try:
        await client.get(Target(NAMESPACES, "", namespace))
    except NotFound:
        return False
    return True


def story(test):
    """Run an async test with *works* as its argument, in virtual time."""

    def told():
        founded()

        async def within():
            async with works() as place:
                await test(place)

        run_virtually(within)

    told.__name__ = test.__name__
    return told
