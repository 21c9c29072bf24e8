"""Lost replies, conflicts, broken watches, kills and clock jumps: the Secrets are those that were sealed, and no key is lost."""

import asyncio
import os
from contextlib import asynccontextmanager
from functools import cache

import pytest
from tests.planes import PlaneCluster
from tests.secrets.sealed.scene import (
    BY_HAND,
    HOME,
    KEYS,
    SEALED,
    SECRETS,
    assembled,
    key,
    opened,
    sealed,
    stored,
    synced,
)

from plumbline.apiserver.plane import Plane
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, simulate, storm
from plumbline.kube.client import Target
from plumbline.secrets.sealing import key_secret

STORMS = int(os.environ.get("PLUMBLINE_STORMS", "10"))


class Day:
    """Values are sealed, changed and drift; a key comes late; somebody's own Secret is in the way."""

    resources = ()
    counted = ("sealedsecrets", "secrets")
    replicas = 1
    last = None

    def __init__(self):
        self.cluster = self.journal = None
        Day.last = self

    async def replica(self, client, world, name):
        del name
        room, collections = assembled(client, world, self.journal)
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(room.run())

    async def people(self, client, world):
        del world
        await self._apply(client, sealed("db"))
        await self._apply(client, sealed("late", by=3))
        await self._apply(client, sealed("bad", by=8))
        await self._until(client, "db", "True")
        await self._until(client, "late", "False")
        await self._apply(client, sealed("db", {"password": "second", "user": "ann"}))
        await self._until(client, "db", "True", generation=2)
        change = {"data": {"password": "ZHJpZnQ="}}
        await client.patch(Target(SECRETS, HOME, "db"), encode(change), "merge", BY_HAND)
        body = key_secret(key(3), KEYS, name="late")
        await client.apply(Target(SECRETS, KEYS, "late"), encode(body), BY_HAND)
        await self._until(client, "late", "True")
        await client.delete(Target(SECRETS, HOME, "late"))

    async def _apply(self, client, obj):
        await client.apply(Target(SEALED, HOME, obj["metadata"]["name"]), encode(obj), BY_HAND)

    async def _until(self, client, name, status, generation=1):
        for _ in range(3600):
            found = decode(await client.get(Target(SEALED, HOME, name)))
            seen = (found.get("status") or {}).get("observedGeneration")
            if seen == generation and synced(found).get("status") == status:
                return
            await asyncio.sleep(1)
        raise AssertionError(f"{name} is not {status}: {found.get('status')}")


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=stored(1))
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.journal, scenario.cluster = journal, PlaneCluster(plane, journal)
        yield scenario.cluster


def lived(plan=Plan(0)):  # noqa: B008 - a plan is a value
    stored(1)
    return simulate(Day, plan, on_a_plane), Day.last


@cache
def calm():
    return lived()


def test_a_calm_day_writes_each_secret_once_for_each_change():
    result, day = calm()
    _check(result, day)
    # db: made, changed, healed; late: made, made again; a status for each of them, one more where it turned or changed.
    assert result.writes <= 20, result.writes


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_where_a_calm_day_does(seed):
    _check(*lived(storm(seed)))


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_ends_where_a_calm_day_does(side):
    result, _ = calm()
    for write in range(1, result.writes + 1):
        _check(*lived(Plan(1, kill_at=(write, side))))


def _check(result, day):
    del result
    places = {(resource.resource, *where): obj for (resource, *where), obj in day.cluster.objects.items()}
    assert opened(places["secrets", HOME, "db"]) == {"password": "second", "user": "ann"}
    assert opened(places["secrets", HOME, "late"]) == {"password": "s3cret"}
    assert ("secrets", HOME, "bad") not in places
    said = {name: synced(places["sealedsecrets", HOME, name])["status"] for name in ("db", "late", "bad")}
    assert said == {"db": "True", "late": "True", "bad": "False"}
    assert {name for kind, namespace, name in places if (kind, namespace) == ("secrets", KEYS)} == {
        "late",
        "sealed-secrets-key0",
    }
