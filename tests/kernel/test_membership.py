"""Replicas find each other, share the keys, and a newcomer waits until the others have let go."""

import asyncio

import pytest

from plumbline.base.errors import Fenced
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.faults.transport import FaultyTransport, Process, Tally
from plumbline.kernel.faults.weather import CALM, Dice, Weather
from plumbline.kernel.leases import LEASES
from plumbline.kernel.membership import GROUP_LABEL, Membership
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World, real_world
from plumbline.kube.client import Client, Target

GROUP = Target(LEASES, "default", "things")
KEYS = [("n", f"key-{number}") for number in range(200)]


class Share:
    def __init__(self):
        self.woken = 0
        self.busy = asyncio.Event()
        self.busy.set()

    async def finished(self):
        await self.busy.wait()

    def wake_all(self):
        self.woken += 1


class Fleet:
    def __init__(self):
        self.clock = LoopClock()
        self.cluster = MemoryCluster((Resource(LEASES, "Lease"),), self.clock, Ids(1))
        self.transports = {}

    def member(self, name):
        transport = FaultyTransport(self.cluster, Process(), Dice(1), Tally())
        self.transports[name] = transport
        client = Client(transport, clock=self.clock, ids=Ids(1))
        return Membership(client, GROUP, name, World(self.clock, Ids(ord(name)), Metrics())), Share()


def virtually(story):
    def run():
        async def main():
            async with asyncio.timeout(10_000):
                await story(Fleet())

        run_virtually(main)

    run.__name__ = story.__name__
    return run


def shares(*members):
    return [sum(member.mine(key) for key in KEYS) for member in members]


@virtually
async def test_one_has_everything_and_two_share(fleet):
    a, a_share = fleet.member("a")
    b, b_share = fleet.member("b")
    with pytest.raises(Fenced):
        a.check()
    async with task_group() as group:
        tasks = [group.create_task(a.run(a_share))]
        await fleet.clock.sleep(10)
        assert shares(a, b) == [len(KEYS), 0]
        a.check()
        tasks.append(group.create_task(b.run(b_share)))
        await fleet.clock.sleep(20)
        assert sum(shares(a, b)) == len(KEYS)
        assert min(shares(a, b)) > 50
        assert a_share.woken >= 1
        [task.cancel() for task in tasks]


@virtually
async def test_a_newcomer_gets_nothing_before_the_others_have_finished(fleet):
    a, a_share = fleet.member("a")
    b, b_share = fleet.member("b")
    async with task_group() as group:
        tasks = [group.create_task(a.run(a_share))]
        await fleet.clock.sleep(10)
        a_share.busy.clear()
        tasks.append(group.create_task(b.run(b_share)))
        await fleet.clock.sleep(6)
        assert shares(b) == [0]
        a_share.busy.set()
        await fleet.clock.sleep(20)
        assert shares(b)[0] > 50
        [task.cancel() for task in tasks]


@virtually
async def test_who_leaves_says_so_and_who_is_cut_off_is_missed(fleet):
    a, a_share = fleet.member("a")
    b, b_share = fleet.member("b")
    async with task_group() as group:
        first = group.create_task(a.run(a_share))
        second = group.create_task(b.run(b_share))
        await fleet.clock.sleep(30)
        second.cancel()
        await b.leave()
        await fleet.clock.sleep(10)
        assert shares(a, b) == [len(KEYS), 0]
        fleet.transports["a"].weather = Weather(lost_request=1)
        await fleet.clock.sleep(15)
        assert shares(a) == [0], "nobody can tell whether others took over"
        fleet.transports["a"].weather = CALM
        await fleet.clock.sleep(30)
        assert shares(a) == [len(KEYS)]
        first.cancel()


@virtually
async def test_leases_that_cannot_be_read_are_nobodys(fleet):
    odd = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "odd", "labels": {GROUP_LABEL: "things"}},
        "spec": {"leaseTransitions": "many"},
    }
    await Client(fleet.cluster, clock=fleet.clock, ids=Ids(1)).create(Target(LEASES, "default"), encode(odd))
    a, a_share = fleet.member("a")
    async with task_group() as group:
        task = group.create_task(a.run(a_share))
        await fleet.clock.sleep(10)
        assert shares(a) == [len(KEYS)]
        task.cancel()


@virtually
async def test_leaving_without_a_connection_is_only_a_longer_wait_for_the_others(fleet):
    a, _ = fleet.member("a")
    fleet.transports["a"].weather = Weather(lost_request=1)
    await a.leave()


def test_the_real_world_has_a_clock_chances_and_counters():
    assert real_world().clock.monotonic() > 0
