"""Managed resources for the kernel's simulator: the process dies and comes back, the plane, the journal and the cloud stay."""

import asyncio
import re
from contextlib import asynccontextmanager
from typing import NamedTuple

from tests.managed.cloud import Cloud
from tests.managed.town import SHORT, annotations, body, composed, conditions, founded
from tests.planes import PlaneCluster

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import Conflict, NotFound
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, Result, simulate
from plumbline.kernel.faults.weather import CALM, Dice
from plumbline.kube.client import Target
from plumbline.managed.creation import FAILED, PENDING, SUCCEEDED

TIMES = {PENDING, SUCCEEDED, FAILED}
KINDS = ("databases", "networks", "stores")
STORMY = {"throttled": 0.05, "lost_request": 0.05, "lost_reply": 0.1}


class Fading(Dice):
    """Chances that end with the storm."""

    def __init__(self, seed, clock):
        super().__init__(seed)
        self._clock = clock
        self.until_s = float("inf")

    def happens(self, chance):
        return self._clock.monotonic() < self.until_s and super().happens(chance)


def _told(obj):
    """Without times, secret values, and ids that depend on how often something was tried."""
    if obj["kind"] == "Secret":
        return {"metadata": {"name": obj["metadata"]["name"]}, "keys": sorted(obj.get("data") or {})}
    notes = {key: value for key, value in annotations(obj).items() if key not in TIMES}
    (obj.get("status") or {}).get("atProvider", {}).pop("madeAt", None)  # told in a reply that may be lost
    obj = {**obj, "metadata": {**obj["metadata"], "annotations": notes}}
    (obj.get("status") or {}).get("conditions", []).sort(key=lambda each: each["type"])
    return decode(re.sub(rb"(network|database|store)-[0-9]{4}", rb"\1-id", encode(obj)))


class Day(NamedTuple):
    result: Result
    cloud: Cloud

    @property
    def things(self):
        left = [each for each in self.cloud.things.values() if each.gone_s is None]
        return sorted((each.sort, each.tag, each.fields.get("size")) for each in left)


def day(scenario, plan=Plan(0), kill=None):  # noqa: B008 - a plan is a value
    """*scenario* as *plan* says; *kill* is the number of a call to the cloud, and the side of it, at which the process dies."""
    founded(*KINDS)
    stages = []

    def made():
        stages.append(scenario(plan, kill))
        return stages[0]

    result = simulate(made, plan, _on_a_plane)
    return Day(result, stages[0].cloud)


@asynccontextmanager
async def _on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=founded(*KINDS), authority_pem="the authority", workloads=False)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.cluster = PlaneCluster(plane, journal, _told)
        scenario.begin()
        yield scenario.cluster


class Managing:
    """One process that looks after managed resources. What people do is up to those who inherit."""

    resources = ()
    counted = ("stores", "networks", "databases", "secrets")
    replicas = 1
    shows_after_s = 0.0

    def __init__(self, plan, kill):
        self._plan, self._kill = plan, kill
        self.cloud = self.cluster = self._process = None

    def begin(self):
        clock = LoopClock()
        stormy = self._plan.weather is not CALM
        self.cloud = Cloud(clock, shows_after_s=self.shows_after_s, takes_s=20.0, chances=STORMY if stormy else {})
        self.cloud.dice = Fading(self._plan.seed, clock)
        self.cloud.when = self._beside

    async def _beside(self, number, side):
        if self._kill == (number, side):
            self._process.kill()
            await asyncio.sleep(1e9)  # nobody gets any further

    async def replica(self, client, world, name):
        self._process = client._caller.transport._process
        managed, collections = composed(client, world, self.cloud, self.cluster.journal)
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(managed.run())

    async def people(self, client, world):
        await self.deeds(People(client))
        self.cloud.dice.until_s = self.cloud.clock.monotonic() + 60

    async def deeds(self, people):
        raise NotImplementedError


class People:
    def __init__(self, client):
        self.client = client

    async def create(self, short, name, namespace="", **more):
        await self.client.create(Target(SHORT[short], namespace), encode(body(short, name, namespace, **more)))

    async def get(self, short, name, namespace=""):
        try:
            return decode(await self.client.get(Target(SHORT[short], namespace, name)))
        except NotFound:
            return None

    async def patch(self, short, name, change, namespace=""):
        for _ in range(5):
            try:
                return await self.client.patch(Target(SHORT[short], namespace, name), encode(change), "merge")
            except Conflict:
                continue
        return None

    async def delete(self, short, name, namespace=""):
        await self.client.delete(Target(SHORT[short], namespace, name))

    async def until(self, true, within_s=1800):
        """Who waits in vain goes home: what is missing is seen at the end."""
        for _ in range(within_s):
            if await true():
                return
            await asyncio.sleep(1)

    async def ready(self, short, name, namespace=""):
        async def so():
            obj = await self.get(short, name, namespace)
            return obj and conditions(obj).get("Ready", {}).get("status") == "True"

        await self.until(so)

    async def gone(self, short, name, namespace=""):
        async def so():
            return await self.get(short, name, namespace) is None

        await self.until(so)
