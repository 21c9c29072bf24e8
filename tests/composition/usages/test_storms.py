"""Usages in bad weather: whoever dies on the way, what is used stays, and what was to be deleted afterwards is."""

import asyncio
from contextlib import asynccontextmanager
from functools import cache

import pytest
from tests.composition.faults.stage import founded
from tests.composition.works import condition, gvr
from tests.planes import PlaneCluster

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.composition.usages import Usages
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, differences, simulate, storm
from plumbline.kube.client import Target

from .stage import MAPS, REACHED, USAGES, Asking, a_map, config_map, labelled, parts, usage

MOST = 15


class Using:
    """One thing is used by another and goes after it; a second is protected for a while; a third for good."""

    resources = ()
    counted = ("usages", "configmaps")
    replicas = 1

    def __init__(self):
        self.cluster = None
        self.asking = Asking(None)
        self.asking.down = True

    async def replica(self, client, world, name):
        given = parts(client, world, self.cluster.journal)
        usages = Usages(given)
        usages.reached = REACHED
        self.asking.usages, self.asking.down = usages, False
        try:
            async with task_group() as group:
                group.create_task(given.collections.run())
                group.create_task(usages.run())
        finally:
            self.asking.down = True

    async def people(self, client, world):
        for name in ("goes", "stays", "kept", "using"):
            await self._done(lambda name=name: client.create(Target(gvr(MAPS), "shop"), encode(config_map(name))))
        for made in (
            usage("one", of=a_map("goes"), by=a_map("using"), replayDeletion=True),
            usage("two", of=a_map("stays"), reason="for a while"),
            usage("three", of=a_map("kept"), reason="for good"),
            usage("four", of=a_map("kept"), reason="for a while"),
        ):
            await self._done(lambda made=made: client.create(Target(gvr(USAGES), "shop"), encode(made)))
        for name in ("one", "two", "three", "four"):
            await self._until(lambda name=name: self._ready(client, name))
        await self._until(lambda: self._refused(client, "goes"))
        for where, name in ((MAPS, "using"), (USAGES, "two"), (USAGES, "four")):
            await self._done(lambda where=where, name=name: client.delete(Target(gvr(where), "shop", name)))
        for where, name in ((USAGES, "one"), (USAGES, "two"), (USAGES, "four"), (MAPS, "goes")):
            await self._until(lambda where=where, name=name: self._gone(client, where, name))

    async def _ready(self, client, name):
        found = decode(await client.get(Target(gvr(USAGES), "shop", name)))
        return condition(found, "Ready").get("status") == "True"

    async def _refused(self, client, name):
        try:
            await client.delete(Target(gvr(MAPS), "shop", name))
        except PlumblineError as refused:
            return "in-use by 1" in str(refused)
        return False

    async def _gone(self, client, where, name):
        try:
            await client.get(Target(gvr(where), "shop", name))
        except NotFound:
            return True
        return False

    async def _done(self, work):
        await self._until(lambda: self._succeeded(work))

    async def _succeeded(self, work):
        await work()
        return True

    async def _until(self, true, within_s=1800):
        for _ in range(within_s):
            try:
                if await true():
                    return
            except PlumblineError:
                pass
            await asyncio.sleep(1)


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=founded(), authority_pem="the authority")
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        plane._hooks._poster = scenario.asking
        scenario.cluster = PlaneCluster(plane, journal)
        yield scenario.cluster


def day(plan):
    founded()
    return simulate(Using, plan, on_a_plane)


@cache
def calm():
    return day(Plan(0))


def test_on_a_calm_day_two_things_are_left_and_one_of_them_protected():
    maps = {name: obj for (resource, _, name), obj in calm().state.items() if resource == "configmaps"}
    assert {"stays", "kept"} <= set(maps)
    assert not {"goes", "using"} & set(maps)
    assert labelled(maps["kept"])
    assert not labelled(maps["stays"])
    assert [name for resource, _, name in calm().state if resource == "usages"] == ["three"]


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_storm_ends_as_a_calm_day_does(seed):
    stormy = day(storm(seed))
    assert differences(calm(), stormy) == []
    assert stormy.writes <= MOST * calm().writes


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.conformance)])
def test_a_kill_beside_any_write_changes_nothing_in_the_end(side, every):
    for write in range(1, calm().writes + 1, every):
        assert differences(calm(), day(Plan(1, kill_at=(write, side)))) == [], f"killed {side} write {write}"
