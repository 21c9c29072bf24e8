"""A control plane in this process and in virtual time, with Crossplane's kinds and whatever reconciler is to be watched."""

import asyncio
from contextlib import asynccontextmanager
from functools import cache, wraps

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.composition.definitions.reconciler import DefinitionReconciler
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.installing import installed
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger

BY_HAND = Writing(field_manager="kubectl")
CRDS = "apiextensions.k8s.io/v1/customresourcedefinitions"
ROLES = "rbac.authorization.k8s.io/v1/clusterroles"
XRDS = "apiextensions.crossplane.io/v1/compositeresourcedefinitions"
XRS = "example.org/v1/xdatabases"
CLAIMS = "example.org/v1/databases"


def gvr(text):
    parts = text.split("/")
    return GroupVersionResource(*parts) if len(parts) == 3 else GroupVersionResource("", *parts)


class Told:
    """A listener that remembers what it was told, and may be made to fail."""

    def __init__(self):
        self.heard = []

    async def offered(self, definition):
        self.heard.append(("offered", definition))

    async def withdrawn(self, definition):
        self.heard.append(("withdrawn", definition))

    @property
    def kinds(self):
        return [(what, definition.composite.gvk.kind) for what, definition in self.heard]


class Stage:
    def __init__(self, plane, client, journal, told):
        self.plane, self.client, self.journal, self.told = plane, client, journal, told

    async def create(self, kind, obj, namespace=""):
        return decode(await self.client.create(Target(gvr(kind), namespace), encode(obj), BY_HAND))

    async def get(self, kind, name, namespace=""):
        try:
            return decode(await self.client.get(Target(gvr(kind), namespace, name)))
        except (NotFound, UnknownKind):
            return None

    async def list(self, kind, namespace=""):
        return [decode(each) for each in (await self.client.list(Target(gvr(kind), namespace))).items]

    async def patch(self, kind, name, change, namespace="", subresource=""):
        target = Target(gvr(kind), namespace, name, subresource)
        return decode(await self.client.patch(target, encode(change), "merge", BY_HAND))

    async def delete(self, kind, name, namespace=""):
        await self.client.delete(Target(gvr(kind), namespace, name))

    async def until(self, true, *, within_s=60.0):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(0.1)
        return found

    async def condition(self, kind, name, type_, status, reason=None, **more):
        """The object, once its condition is so."""

        async def so():
            obj = await self.get(kind, name)
            found = conditions(obj).get(type_, {}) if obj is not None else {}
            hit = found.get("status") == status and reason in {None, found.get("reason")}
            return obj if hit else None

        return await self.until(so, **more)

    async def gone(self, kind, name, namespace=""):
        async def absent():
            return await self.get(kind, name, namespace) is None

        await self.until(absent)

    async def events(self, name):
        found = await self.list("v1/events")
        return [(each["reason"], each["type"]) for each in found if each["involvedObject"]["name"] == name]

    async def effects(self):
        page = await self.journal.page(limit=500)
        done = [entry for entry in page.entries if entry.kind == "performed"]
        return [(entry.verb, entry.subject.name) for entry in sorted(done, key=lambda entry: entry.seq)]


def conditions(obj):
    listed = (obj.get("status") or {}).get("conditions") or ()
    return {each["type"]: each for each in listed}


@cache
def founded():
    """A plane that serves Crossplane's kinds, as it is stored: set up once, loaded for every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await installed(client, CROSSPLANE_KINDS, clock)
            await client.create(
                Target(GroupVersionResource("", "v1", "namespaces")),
                encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}),
            )
            await asyncio.sleep(10)
            store = plane.store
            entries = [entry for each in store.collections for entry in store.shelf(each).entries()]
            return Stored(store.revision, entries)

    return run_virtually(main)


def definitions(client, gate, told, clock):
    return DefinitionReconciler(client, gate, told, clock), COMPOSITE_RESOURCE_DEFINITION


@asynccontextmanager
async def stage(made=definitions, *, mandate=None):
    """*made* gives the reconciler and the kind that it looks at."""
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=False, stored=founded())
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client, told = Client(plane.transport(), clock=clock, ids=ids), Told()
        allowed = mandate or MandateSpec(mode="Enforce")
        gate = Gate(Powers(lambda: allowed, Ledger(), lambda: None), Live(journal), clock)
        records = GatedRecords(gate, client, clock, "crossplane", cluster="in-cluster")
        reconciler, kind = made(client, gate, told, clock)
        informer = Informer(client, Target(kind.resource), cache=Cache(Relevance(status=False)))
        controller = Controller(reconciler, informer, records, World(clock, ids, Metrics()))
        tasks = [asyncio.create_task(informer.run()), asyncio.create_task(controller.run(2))]
        try:
            yield Stage(plane, client, journal, told)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def story(made=definitions, **arguments):
    """Tells an async function a stage, in virtual time."""

    def told(function):
        @wraps(function)
        def test():
            founded()

            async def main():
                async with stage(made, **arguments) as place:
                    await function(place)

            run_virtually(main)

        del test.__wrapped__  # pytest would take the parameters of the function for fixtures
        return test

    return told
