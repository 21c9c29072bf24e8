"""Composition for the kernel's simulator: its process dies and comes back, the plane and its journal stay."""

import asyncio
from contextlib import asynccontextmanager
from functools import cache

from tests.composition.works import (
    BY_HAND,
    CLAIMS,
    COMPOSITES,
    Function,
    claim,
    composition,
    config_map,
    gvr,
    state,
    xrd,
)
from tests.planes import PlaneCluster

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.composition.composition import Composition, Parts
from plumbline.composition.functions.values import Resource
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.faults.simulation import Plan, simulate
from plumbline.kernel.installing import installed
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger

ENFORCE = MandateSpec(mode="Enforce")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")


@cache
def founded():
    """A plane that knows the kinds, as it is stored: set up once, loaded for every run."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await installed(client, CROSSPLANE_KINDS, clock)
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
            await client.create(Target(NAMESPACES), encode(body))
            await asyncio.sleep(60)
            store = plane.store
            return Stored(store.revision, [each for name in store.collections for each in store.shelf(name).entries()])

    return run_virtually(main)


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=founded(), authority_pem="the authority")
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.cluster = PlaneCluster(plane, journal)
        yield scenario.cluster


def day(scenario, plan=Plan(0)):  # noqa: B008 - a plan is a value
    founded()
    return simulate(scenario, plan, on_a_plane)


def sized(call):
    size = call.observed.composite.resource["spec"]["size"]
    both = {"config": Resource(config_map(data={"size": size}), ready="True")}
    if size == "large":
        both["more"] = Resource(config_map(data={"more": "1"}), ready="True")
    return both


class Claiming:
    """Three claims: one stays, one grows and shrinks, one goes."""

    resources = ()
    counted = ("databases", "xdatabases", "configmaps")
    replicas = 1

    def __init__(self):
        self.cluster = None
        self.function = Function(sized)

    async def replica(self, client, world, name):
        gate = Gate(
            Powers(lambda: ENFORCE, (ledger := Ledger()), lambda: None), Live(self.cluster.journal), world.clock
        )

        parts = Parts(
            client=client,
            world=world,
            gate=gate,
            ledger=ledger,
            records=lambda component: GatedRecords(gate, client, world.clock, component, cluster="in-cluster"),
            function=lambda _: self.function,
            collections=(collections := Collections(client, world.metrics)),
        )
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(Composition(parts).run())

    async def people(self, client, world):
        people = People(client)
        await people.apply(xrd(), "apiextensions.crossplane.io/v1/compositeresourcedefinitions")
        await people.apply(composition(), "apiextensions.crossplane.io/v1/compositions")
        for name in ("stays", "grows", "goes"):
            await people.until(lambda name=name: people.asked(claim(name)))
        for name in ("stays", "grows", "goes"):
            await people.until(lambda name=name: people.ready(name))
        await people.apply(claim("grows", size="large"), CLAIMS)
        await people.until(lambda: people.made_of("grows", 2))
        await people.apply(claim("grows", size="small"), CLAIMS)
        await people.until(lambda: people.made_of("grows", 1))
        await client.delete(Target(gvr(CLAIMS), "shop", "goes"))
        await people.until(lambda: people.gone("goes"))


class People:
    def __init__(self, client):
        self.client = client

    async def apply(self, obj, where):
        metadata = obj["metadata"]
        target = Target(gvr(where), metadata.get("namespace", ""), metadata["name"])
        await self.client.apply(target, encode(obj), BY_HAND)

    async def asked(self, obj):
        """Whether the claim could be made: its kind may not be served yet."""
        try:
            await self.apply(obj, CLAIMS)
        except (NotFound, UnknownKind):
            return False
        return True

    async def get(self, where, name, namespace="shop"):
        try:
            return decode(await self.client.get(Target(gvr(where), namespace, name)))
        except NotFound:
            return None

    async def ready(self, name):
        return state(await self.get(CLAIMS, name), "Ready") == "True"

    async def made_of(self, name, many):
        found = await self.get(CLAIMS, name)
        composite = await self.get(COMPOSITES, found["spec"]["resourceRef"]["name"], "")
        maps = (await self.client.list(Target(gvr("v1/configmaps"), "shop"))).items
        labelled = [each for each in map(decode, maps) if (each["metadata"].get("labels") or {}).get("crossplane.io/composite") == composite["metadata"]["name"]]  # fmt: skip
        return len(labelled) == many and len(composite["spec"]["resourceRefs"]) == many

    async def gone(self, name):
        return await self.get(CLAIMS, name) is None

    async def until(self, true, within_s=1800):
        """Who waits in vain goes home: what is missing is seen at the end."""
        for _ in range(within_s):
            if await true():
                return
            await asyncio.sleep(1)
