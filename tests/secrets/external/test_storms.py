"""Lost replies, conflicts, broken watches, kills and clock jumps: Secrets end as the store has them, each made once."""

import asyncio
import base64
import os
from contextlib import asynccontextmanager
from functools import cache

import pytest
from tests.planes import PlaneCluster
from tests.secrets.external.scene import (
    BY_HAND,
    EXTERNALS,
    HOME,
    RESOURCES,
    SECRETS,
    STORES,
    Vault,
    assembled,
    condition,
    external,
    item,
    store,
    stored,
)

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound, Unreachable
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, simulate, storm
from plumbline.kube.client import Target

STRIDE = int(os.environ.get("PLUMBLINE_STRIDE", "1"))
"""Of all writes, each so many-th is one to die beside."""
STORMS = int(os.environ.get("PLUMBLINE_STORMS", "4"))


class Day:
    """Secrets are made, rotated, renamed and shared; the store is down for a while; one of them goes."""

    resources = ()
    counted = ("secrets",)
    replicas = 1
    last = None

    def __init__(self):
        self.vault = Vault()
        self.cluster = self.journal = None
        Day.last = self

    async def replica(self, client, world, name):
        del name
        room, collections = assembled(client, world, self.journal, self.vault)
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(room.run())

    async def people(self, client, world):
        del world
        self.client = client
        shared = {"name": "shared", "creationPolicy": "CreateOrMerge"}
        await self._apply(store())
        await self._apply(external("app", refreshInterval="5m"))
        await self._apply(external("one", refreshInterval="5m", target=shared))
        await self._apply(external("two", refreshInterval="5m", target=shared, data=[item("extra", "db", "user")]))
        await self._apply(external("going", refreshInterval="5m"))
        await self._until("app", user="ann", password="s3cret")
        await self._until("shared", user="ann", password="s3cret", extra="ann")
        self.vault.kept["db"] = {"user": "ann", "password": "n3w"}
        await self._until("app", user="ann", password="n3w")
        self.vault.failing = Unreachable("no route")
        await asyncio.sleep(400)
        self.vault.failing = None
        self.vault.kept["db"] = {"user": "bob", "password": "n3w"}
        await self._patch("app", {"spec": {"target": {"name": "renamed"}}})
        await self._until("renamed", user="bob", password="n3w")
        await self._until("shared", user="bob", password="n3w", extra="bob")
        await client.delete(Target(EXTERNALS, HOME, "going"))
        await asyncio.sleep(60)

    async def _apply(self, obj):
        metadata = obj["metadata"]
        target = Target(RESOURCES[obj["kind"]], metadata["namespace"], metadata["name"])
        await self.client.apply(target, encode(obj), BY_HAND)

    async def _patch(self, name, change):
        await self.client.patch(Target(EXTERNALS, HOME, name), encode(change), "merge", BY_HAND)

    async def _until(self, name, **values):
        for _ in range(3600):
            try:
                found = decode(await self.client.get(Target(SECRETS, HOME, name)))
            except NotFound:
                found = {}
            if opened(found) == values:
                return
            await asyncio.sleep(1)
        raise AssertionError(f"{name} has keys {sorted(opened(found))}")


def opened(obj):
    return {key: base64.b64decode(value).decode() for key, value in (obj.get("data") or {}).items()}


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


def test_a_calm_day_makes_every_secret_once():
    result, day = calm()
    _check(result, day)
    assert result.effects["ADDED", "secrets"] == 4
    assert result.effects["DELETED", "secrets"] == 2


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_where_a_calm_day_does(seed):
    _check(*lived(storm(seed)))


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_does_nothing_twice(side):
    result, _ = calm()
    for write in range(1, result.writes + 1, STRIDE):
        again, day = lived(Plan(1, kill_at=(write, side)))
        _check(again, day)
        assert again.effects == result.effects


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("write", [3, 8])
def test_a_kill_beside_some_writes_does_nothing_twice(side, write):
    """Those of the beginning, where most is made."""
    again, day = lived(Plan(1, kill_at=(write, side)))
    _check(again, day)
    assert again.effects == calm()[0].effects


def _check(result, day):
    del result
    found = {(resource.resource, *where): obj for (resource, *where), obj in day.cluster.objects.items()}
    secrets = {name: opened(obj) for (kind, _, name), obj in found.items() if kind == "secrets"}
    assert secrets == {
        "renamed": {"user": "bob", "password": "n3w"},
        "shared": {"user": "bob", "password": "n3w", "extra": "bob"},
    }
    for (kind, _, name), obj in found.items():
        if kind in {EXTERNALS.resource, STORES.resource}:
            assert condition(obj)["status"] == "True", (name, condition(obj))
