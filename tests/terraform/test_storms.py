"""Lost replies, conflicts, broken watches, kills and clock jumps: everything is made once, and nobody stays in the way."""

import asyncio
import os
from contextlib import asynccontextmanager
from functools import cache

import pytest
from tests.planes import PlaneCluster
from tests.terraform.works import (
    BY_HAND,
    FIRST,
    HOME,
    SECOND,
    TERRAFORMS,
    Cloud,
    Copies,
    Scene,
    Sources,
    assembled,
    condition,
    stored,
    terraform,
)

from plumbline.apiserver.plane import Plane
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, simulate, storm
from plumbline.kube.client import Client, Target
from plumbline.terraform.state import Place

STRIDE = int(os.environ.get("PLUMBLINE_STRIDE", "1"))
"""Of all writes, each so many-th is one to die beside."""
STORMS = int(os.environ.get("PLUMBLINE_STORMS", "4"))


class Day:
    """A module is applied, grows, loses a part by somebody's word; runs die in the middle, and people look after that."""

    resources = ()
    counted = ("terraforms",)
    replicas = 1
    last = None

    def __init__(self):
        self.cloud, self.sources, self.copies = Cloud(), Sources(), Copies()
        self.cloud.outputs = {"address": "10.0.0.1"}
        self.agreed = []
        self.cluster = self.journal = None
        Day.last = self

    async def replica(self, client, world, name):
        outside = Client(self.cluster, clock=world.clock, ids=world.ids)
        scene = Scene(self.cloud, self.sources, self.copies, self.journal, outside)
        room, collections, _ = assembled(client, world, scene, host=name)
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(room.run())

    async def people(self, client, world):
        del world
        obj = terraform(interval="10m", retryInterval="10s", writeOutputsToSecret={"name": "outputs"})
        await client.apply(Target(TERRAFORMS, HOME, "network"), encode(obj), BY_HAND)
        await self._until_applied(client, FIRST)
        self.sources.push(SECOND, a="1", b="2")
        await self._until_applied(client, SECOND)
        self.sources.push("main@sha1:" + "3" * 40, b="2")
        await self._until_applied(client, "main@sha1:" + "3" * 40)

    async def _until_applied(self, client, revision):
        for _ in range(3600):
            found = decode(await client.get(Target(TERRAFORMS, HOME, "network")))
            status = found.get("status") or {}
            if status.get("lastAppliedRevision") == revision and condition(found, "Ready").get("status") == "True":
                return
            if condition(found, "Ready").get("reason") == "TerraformPlannedWithChanges":
                await self._agree(client, status)
            await asyncio.sleep(1)
        raise AssertionError(f"{revision} is not applied: {status}")

    async def _agree(self, client, status):
        """They have looked for what a run may have left, and say that this plan is right."""
        pending = (status.get("plan") or {}).get("pending", "")
        self.agreed.append(len(self.cloud.log))
        change = {"spec": {"approvePlan": pending or "auto"}}
        await client.patch(Target(TERRAFORMS, HOME, "network"), encode(change), "merge", BY_HAND)
        await asyncio.sleep(30)
        change = {"spec": {"approvePlan": "auto"}}
        await client.patch(Target(TERRAFORMS, HOME, "network"), encode(change), "merge", BY_HAND)


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=stored(), authority_pem="the authority")
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.journal, scenario.cluster = journal, PlaneCluster(plane, journal)
        yield scenario.cluster


def lived(plan=Plan(0)):  # noqa: B008 - a plan is a value
    stored()
    return simulate(Day, plan, on_a_plane), Day.last


@cache
def calm():
    return lived()


def test_a_calm_day_makes_everything_once():
    _, day = calm()
    assert day.cloud.log == [("create", "a"), ("create", "b"), ("delete", "a")]
    assert day.agreed == [2], "only what destroys was asked about"


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_where_a_calm_day_does(seed):
    _check(*lived(storm(seed)))


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_does_nothing_twice(side):
    result, _ = calm()
    for write in range(1, result.writes + 1, STRIDE):
        _check(*lived(Plan(1, kill_at=(write, side))))


def _check(result, day):
    assert day.cloud.resources == {"b": "2"}
    _nothing_twice_unasked(day)
    del result
    places = {(resource.resource, *where): obj for (resource, *where), obj in day.cluster.objects.items()}
    lease = places["leases", HOME, Place(HOME, "default", "network").lease.name]
    assert not (lease.get("spec") or {}).get("holderIdentity")
    assert ("secrets", HOME, "tfplan-default-network") not in places
    assert ("secrets", HOME, "outputs") in places


def _nothing_twice_unasked(day):
    """What was made a second time was made after somebody had looked."""
    seen = {}
    for index, effect in enumerate(day.cloud.log):
        first = seen.setdefault(effect, index)
        assert first == index or any(first < asked <= index for asked in day.agreed), day.cloud.log
