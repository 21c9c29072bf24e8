"""Controllers that die beside any write, and lose answers: a run in a Job is begun once, and taken in."""

import asyncio
import os
from contextlib import asynccontextmanager
from functools import cache

import pytest
from tests.planes import PlaneCluster
from tests.terraform.runs.yard import Node, Sources, in_jobs
from tests.terraform.test_storms import Day
from tests.terraform.works import HOME, Scene, assembled, stored

from plumbline.apiserver.plane import Plane
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.journal import sqlite
from plumbline.kernel.faults.simulation import Plan, simulate, storm
from plumbline.kube.client import Client
from plumbline.terraform.runs.manifests import RUN
from plumbline.terraform.state import Place

STRIDE = int(os.environ.get("PLUMBLINE_STRIDE", "5"))
"""Of all writes, each so many-th is one to die beside; all of them take ten minutes."""
STORMS = int(os.environ.get("PLUMBLINE_STORMS", "2"))


class JobDay(Day):
    """The same day, with runs in Jobs: their pods are on a node where the sun shines."""

    def __init__(self):
        super().__init__()
        self.sources = Sources()

    async def replica(self, client, world, name):
        scene = Scene(self.cloud, self.sources, self.copies, self.journal, client)
        made, collections, _ = assembled(client, world, scene, host=name)
        async with task_group() as group:
            group.create_task(collections.run())
            group.create_task(in_jobs(made, collections).run())


@asynccontextmanager
async def on_a_plane_with_a_node(day, clock, ids):
    plane = Plane(LoopClock(), ids, stored=stored(), authority_pem="the authority", workloads=True)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        day.journal, day.cluster = journal, PlaneCluster(plane, journal)
        outside = Client(plane.transport(), clock=clock, ids=ids)
        scene = Scene(day.cloud, day.sources, day.copies, journal, outside)
        node = asyncio.create_task(Node(plane.transport(), _World(clock, ids), scene).run())
        try:
            yield day.cluster
        finally:
            node.cancel()
            await asyncio.gather(node, return_exceptions=True)


class _World:
    def __init__(self, clock, ids):
        self.clock, self.ids = clock, ids


def lived(plan=Plan(0)):  # noqa: B008 - a plan is a value
    stored()
    return simulate(JobDay, plan, on_a_plane_with_a_node), Day.last


@cache
def calm():
    return lived()


def test_a_calm_day_makes_everything_once():
    result, day = calm()
    assert day.cloud.log == [("create", "a"), ("create", "b"), ("delete", "a")]
    _check(result, day)


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_over_the_controllers_begins_no_run_twice(seed):
    _check(*lived(storm(seed)))


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_begins_no_run_twice(side):
    result, _ = calm()
    for write in range(1, result.writes + 1, STRIDE):
        _check(*lived(Plan(1, kill_at=(write, side))))


def _check(_, day):
    assert day.cloud.resources == {"b": "2"}
    assert day.cloud.log == [("create", "a"), ("create", "b"), ("delete", "a")], "nothing died that was at work"
    places = {(resource.resource, *where): obj for (resource, *where), obj in day.cluster.objects.items()}
    lease = places["leases", HOME, Place(HOME, "default", "network").lease.name]
    assert not (lease.get("spec") or {}).get("holderIdentity")
    assert ("secrets", HOME, "outputs") in places
    left = [place for place, obj in places.items() if RUN in ((obj.get("metadata") or {}).get("labels") or {})]
    assert left == [], "what was taken in is gone"
