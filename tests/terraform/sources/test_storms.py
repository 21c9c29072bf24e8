"""Lost replies, conflicts, broken watches, kills and clock jumps all at once: the end is that of a calm day."""

import asyncio
import os
import shutil
import tempfile
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import pytest
from tests.planes import PlaneCluster
from tests.terraform.sources.scene import BASE, BY_HAND, Memory, founded, inline, repository, state

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock
from plumbline.kernel.faults.simulation import Plan, differences, simulate, storm
from plumbline.kernel.records import ClientRecords
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kube.client import Target
from plumbline.terraform.sources.accounts import Accounts
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.room import GitRepositories, Parts

STORMS = int(os.environ.get("PLUMBLINE_STORMS", "16"))


def told(obj):
    """Without the time at which an artifact was made."""
    artifact = (obj.get("status") or {}).get("artifact")
    if artifact is None:
        return obj
    return {**obj, "status": {**obj["status"], "artifact": {**artifact, "lastUpdateTime": ""}}}


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=founded(), authority_pem="the authority")
    async with plane.running():
        yield PlaneCluster(plane, None, told)


class Repositories:
    """Three: one moves, one is changed, one goes. What is on disk stays when a process dies; what is in memory does not."""

    resources = ()
    counted = ("gitrepositories",)
    replicas = 1
    folder: Path

    def __init__(self):
        self.git = Memory(LoopClock())
        self.git.push({"main.tf": "# 1\n"})

    async def replica(self, client, world, name):
        room = GitRepositories(
            Parts(
                client=client,
                world=world,
                records=ClientRecords(client, world.clock, "source-controller"),
                commits=self.git,
                accounts=Accounts(),
                artifacts=Artifacts(self.folder / "artifacts", BASE),
                downloads=Downloads(self.folder / "downloads", world.clock),
                aside=inline,
            )
        )
        self.git.listener = room.moved
        await room.run()

    async def people(self, client, world):
        for name in ("moves", "changes", "goes"):
            await self._apply(client, repository(name, interval="1m"))
        for name in ("moves", "changes", "goes"):
            await self._until(lambda name=name: self._ready(client, name))
        sha = self.git.push({"main.tf": "# 2\n", "README.md": "x"})
        await self._until(lambda: self._ready(client, "moves", sha))
        await self._apply(client, repository("changes", interval="1m", ignore="*.md"))
        await client.delete(Target(GIT_REPOSITORY.resource, "shop", "goes"))
        await self._until(lambda: self._gone(client, "goes"))

    async def _apply(self, client, obj):
        target = Target(GIT_REPOSITORY.resource, "shop", obj["metadata"]["name"])
        await client.apply(target, encode(obj), BY_HAND)

    async def _get(self, client, name):
        try:
            return decode(await client.get(Target(GIT_REPOSITORY.resource, "shop", name)))
        except NotFound:
            return None

    async def _ready(self, client, name, sha=""):
        found = await self._get(client, name)
        return state(found, "Ready") == "True" and found["status"]["artifact"]["revision"].endswith(sha)

    async def _gone(self, client, name):
        return await self._get(client, name) is None

    async def _until(self, true, within_s=1800):
        for _ in range(within_s):
            if await true():
                return
            await asyncio.sleep(1)


def day(plan=Plan(0)):  # noqa: B008 - a plan is a value
    founded()
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    try:
        Repositories.folder = folder
        return simulate(Repositories, plan, on_a_plane)
    finally:
        shutil.rmtree(folder)


@cache
def calm():
    return day()


def test_a_calm_day_writes_no_more_than_it_has_to():
    statuses = 3 + 3 + 1  # the first, the move of each, and the change of one
    finalizers, events = 3 + 1, statuses
    assert calm().writes == statuses + finalizers + events


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_as_a_calm_day_does(seed):
    stormy = day(storm(seed))
    assert differences(calm(), stormy) == []


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_changes_nothing_in_the_end(side):
    for write in range(1, calm().writes + 1):
        killed = day(Plan(1, kill_at=(write, side)))
        assert differences(calm(), killed) == [], f"killed {side} write {write}"
