"""Delivery on the embedded control plane, for the kernel's simulator: it dies and comes back, the plane and Git stay."""

import asyncio
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import NamedTuple

from tests.delivery.founding import founded
from tests.delivery.town import BY_HAND, AtHand, Repository, application
from tests.planes import PlaneCluster

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock
from plumbline.delivery.delivery import Delivery, Parts
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, Result, simulate
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.renderer import Renderer

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
ENFORCE = MandateSpec(mode="Enforce")
TIMES = frozenset({"startedAt", "finishedAt", "deployedAt", "deployStartedAt", "reconciledAt"})


class Delivered(PlaneCluster):
    """Remembers besides what delivery applied."""

    def __init__(self, plane, journal):
        super().__init__(plane, journal, told)
        self.applies = []

    async def send(self, request):
        if "fieldManager=argocd-controller" in request.query:
            self.applies.append((request.method, request.path.rsplit("/", 1)[-1]))
        return await super().send(request)


def told(obj):
    """*obj* without what differs between any two days on which nothing goes wrong."""
    if obj["kind"] == "Job":
        return {"metadata": {"name": obj["metadata"]["name"]}, "succeeded": (obj.get("status") or {}).get("succeeded")}
    if obj["kind"] != "Application":
        return without(obj, {"lastUpdateTime"})
    obj = without(obj, TIMES)
    status = obj.get("status")
    result = status.get("operationState", {}).get("syncResult", {}) if isinstance(status, dict) else {}
    if "resources" in result:
        # What was pruned just before a death is nowhere but in the journal; what was applied is found to have been.
        rows = [without(each, {"message"}) for each in result["resources"] if each.get("status") != "Pruned"]
        result["resources"] = sorted(rows, key=lambda each: (each["kind"], each["name"]))
    return obj


def without(value, names):
    if isinstance(value, dict):
        return {name: without(child, names) for name, child in value.items() if name not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    """The cluster of one run: a plane, whose clock is its own and true, and the journal, which outlives every process too."""
    plane = Plane(LoopClock(), ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.cluster = Delivered(plane, journal)
        yield scenario.cluster


class Day(NamedTuple):
    """One run, and what was asked of the plane in it."""

    result: Result
    cluster: Delivered

    def without_records(self, *names):
        """As if nobody had written down which syncs there were, or how the last of them went."""
        left_out = {*names} or {"operationState", "history"}
        state = {place: without(obj, left_out) for place, obj in self.result.state.items()}
        return self.result._replace(state=state)

    @property
    def application(self):
        """At the end, as people see it."""
        return self.result.state[("applications", "argocd", "web")]

    @property
    def history(self):
        """The revisions of the syncs that are on record, oldest first."""
        return [each["revision"] for each in self.application["status"].get("history", ())]

    @property
    def writes(self):
        """How often each ConfigMap was made, changed and deleted: nobody but delivery and people does that."""
        return {key: count for key, count in self.result.changes.items() if key[1] == "configmaps"}

    @property
    def jobs(self):
        """How often each Job was made."""
        return {key[3]: count for key, count in self.result.changes.items() if key[:2] == ("ADDED", "jobs")}

    @property
    def deleted(self):
        """ConfigMaps that are gone, in the order in which they went."""
        gone = [each for each in self.cluster.history if each.type == "DELETED" and each.gvr.resource == "configmaps"]
        return [each.obj["metadata"]["name"] for each in gone]


def day(scenario, plan=Plan(0)):  # noqa: B008 - a plan is a value
    """*scenario* as *plan* says."""
    founded()
    stages = []

    def made():
        stages.append(scenario())
        return stages[0]

    result = simulate(made, plan, on_a_plane)
    return Day(result, stages[0].cluster)


class Delivering:
    """One process that delivers. What people do is up to those who inherit; all of it is seen on `cluster`."""

    resources = ()
    counted = ("applications", "configmaps", "jobs", "deployments")
    replicas = 1
    files = MappingProxyType({})
    remembered = True
    """Whether each sync is on record whenever somebody dies: corrections of drift, which take one step, may not be."""

    def __init__(self):
        self.repository = Repository()
        self.repository.push(self.files)
        self.cluster = None

    async def replica(self, client, world, name):
        gate = Gate(
            Powers(lambda: ENFORCE, (ledger := Ledger()), lambda: None), Live(self.cluster.journal), world.clock
        )
        evaluator = AtHand()
        renderer = Renderer({"Directory": Directory(evaluator)}, world.clock)
        records = GatedRecords(gate, client, world.clock, "plumbline-delivery", cluster="in-cluster")
        parts = Parts(
            client, world, "argocd", gate, lambda: ENFORCE, ledger, records,
            self.repository, NoCharts(), renderer, evaluator, self.cluster.journal,
            branches=self.repository if hasattr(self.repository, "publish") else None,
        )  # fmt: skip
        delivery = Delivery(parts)
        self.repository.subscribe(delivery.moved)
        await delivery.run(workers=4)

    async def people(self, client, world):
        raise NotImplementedError


class NoCharts:
    """Nobody here has one."""

    async def resolve(self, url, chart, version, *, project="", fresh=False):
        raise NotFound(f"there is no chart {chart}")

    async def tree(self, url, chart, version, *, project="", pass_credentials=False):
        raise NotFound(f"there is no chart {chart}")


class People:
    """What people do with a cluster that nothing goes wrong with, and what they wait for."""

    def __init__(self, client, repository):
        self.client = client
        self.repository = repository

    async def deploy(self, **spec):
        metadata = spec.pop("metadata", {})
        body = application("web", metadata=metadata, **spec)
        await self.client.create(Target(APPLICATION.resource, "argocd"), encode(body), BY_HAND)

    async def app(self):
        try:
            return decode(await self.client.get(Target(APPLICATION.resource, "argocd", "web")))
        except NotFound:
            return None

    async def note(self, change):
        target = Target(APPLICATION.resource, "argocd", "web")
        await self.client.patch(target, encode(change), "merge", BY_HAND)

    async def until(self, true, within_s=1800):
        """Who waits in vain goes home: what is missing is seen at the end."""
        for _ in range(within_s):
            if await true():
                return
            await asyncio.sleep(1)

    async def synced(self):
        """Until the newest commit is live, and its sync is over."""

        async def arrived():
            status = (await self.app() or {}).get("status", {})
            state = status.get("operationState", {})
            done = state.get("phase") == "Succeeded" and state["syncResult"]["revision"] == self.repository.head
            return done and status["sync"]["status"] == "Synced"

        await self.until(arrived)

    async def same(self):
        """Until what is live is what the newest commit says."""

        async def arrived():
            sync = (await self.app() or {}).get("status", {}).get("sync", {})
            return sync.get("status") == "Synced" and sync.get("revision") == self.repository.head

        await self.until(arrived)

    async def gone(self):
        async def missing():
            return await self.app() is None

        await self.until(missing)
