"""Definitions in bad weather: whoever dies on the way, the kinds are there once, and what was withdrawn is gone."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.planes import PlaneCluster

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import Conflict, NotFound, UnknownKind
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.composition.definitions.reconciler import DefinitionReconciler
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.faults.simulation import Plan, differences, simulate, storm
from plumbline.kernel.informer import Informer
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.ownership.ledger import Ledger

from .samples import xrd
from .stage import XRDS, XRS, Told, conditions, founded, gvr

KEPT, LOST = "xdatabases.example.org", "xcaches.example.org"
WRITES = 37


def _told(obj):
    """*obj* without what differs between any two days: which condition was written first, for instance."""
    status = obj.get("status") or {}
    listed = sorted(status.get("conditions") or (), key=lambda each: each["type"])
    return {**obj, "status": {**status, "conditions": listed}} if listed else obj


@asynccontextmanager
async def on_a_plane(scenario, clock, ids):
    plane = Plane(LoopClock(), ids, stored=founded(), authority_pem="the authority", workloads=False)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        scenario.journal = journal
        yield PlaneCluster(plane, journal, _told)


def fresh(**spec):
    made = xrd(**spec)
    del made["metadata"]["uid"]
    return made


class Defining:
    """Two definitions; one of them is changed, the other is withdrawn together with what somebody made of it."""

    resources = ()
    counted = ("compositeresourcedefinitions", "customresourcedefinitions", "clusterroles", "xdatabases", "xcaches")
    replicas = 1
    journal = None

    async def replica(self, client, world, name):
        gate = Gate(
            Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(self.journal), world.clock
        )
        records = GatedRecords(gate, client, world.clock, "crossplane", cluster="in-cluster")
        target = Target(COMPOSITE_RESOURCE_DEFINITION.resource)
        informer = Informer(client, target, cache=Cache(Relevance(status=False)))
        controller = Controller(DefinitionReconciler(client, gate, Told(), world.clock), informer, records, world)
        async with task_group() as group:
            group.create_task(informer.run())
            group.create_task(controller.run(2))

    async def people(self, client, world):
        for made in (fresh(), fresh(kind="XCache", claim="Cache")):
            await client.create(Target(gvr(XRDS)), encode(made))
        xr = {"apiVersion": "example.org/v1", "kind": "XCache", "metadata": {"name": "a"}, "spec": {}}
        for name, kind in (("a", "XCache"), ("b", "XCache"), ("c", "XDatabase")):
            collection = Target(gvr(XRS)._replace(resource=f"{kind.lower()}s"))
            await self._retried(
                lambda c=collection, n=name, k=kind: client.create(
                    c, encode({**xr, "kind": k, "metadata": {"name": n}})
                )
            )
        await self._until(client, KEPT, "Established", "True")
        await self._until(client, LOST, "Established", "True")
        await client.patch(Target(gvr(XRDS), "", KEPT), encode({"metadata": {"labels": {"a": "b"}}}), "merge")
        await client.delete(Target(gvr(XRDS), "", LOST))
        waiting = await self._until(client, LOST, "Synced", "False", "NeedsConsent")
        token = conditions(waiting)["Synced"]["message"].rpartition("=")[2]
        change = {"metadata": {"annotations": {CONSENT_ANNOTATION: token}}}
        await client.patch(Target(gvr(XRDS), "", LOST), encode(change), "merge")

    async def _until(self, client, name, type_, status, reason=None):
        while True:
            live = decode(await client.get(Target(gvr(XRDS), "", name)))
            found = conditions(live).get(type_, {})
            if found.get("status") == status and reason in {None, found.get("reason")}:
                return live
            await asyncio.sleep(1)

    async def _retried(self, work):
        while True:
            try:
                return await work()
            except (NotFound, UnknownKind, Conflict):
                await asyncio.sleep(1)


@pytest.fixture(scope="module")
def calm():
    founded()
    return simulate(Defining, Plan(0), on_a_plane)


def test_on_a_calm_day_one_is_kept_and_one_is_gone(calm):
    assert calm.deaths == 0
    names = {name for resource, _, name in calm.state if resource == "compositeresourcedefinitions"}
    assert names == {KEPT}
    assert ("xdatabases", "", "c") in calm.state
    assert not [place for place in calm.state if place[0] == "xcaches"]


def _kills():
    """Every write; all but a few of them with the slow tests."""
    for write in range(1, WRITES + 1):
        marks = () if write % 9 == 1 else pytest.mark.conformance
        yield pytest.param(write, marks=marks)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("write", list(_kills()))
def test_every_write_survives_being_killed_just_before_and_just_after_it(calm, write, side):
    result = simulate(Defining, Plan(3, kill_at=(write, side)), on_a_plane)
    assert result.deaths == 1
    assert differences(calm, result) == []


@pytest.mark.parametrize("seed", range(1, 3))
def test_nothing_is_lost_and_nothing_done_twice_in_a_storm(calm, seed):
    assert differences(calm, simulate(Defining, storm(seed), on_a_plane)) == []
