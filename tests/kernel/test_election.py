"""One leads at a time, by its own clock; who was paused or cut off stops acting before the next begins."""

import asyncio

import pytest

from plumbline.base.errors import Fenced, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.election import Election, Fence
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.faults.transport import FaultyTransport, Process, Tally
from plumbline.kernel.faults.weather import CALM, Dice, Weather
from plumbline.kernel.leases import LEASES
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Target

LEASE = Target(LEASES, "default", "the-lease")


class Stage:
    """A cluster with candidates, and a record of who led when."""

    def __init__(self):
        self.clock = LoopClock()
        self.cluster = MemoryCluster((Resource(LEASES, "Lease"),), self.clock, Ids(1))
        self.led = []
        self.fences = {}
        self.transports = {}

    def candidate(self, name, lead=None, seed=1):
        process = Process()
        transport = FaultyTransport(self.cluster, process, Dice(seed), Tally())
        self.transports[name] = (transport, process)
        client = Client(transport, clock=self.clock, ids=Ids(seed))
        election = Election(client, LEASE, name, World(self.clock, Ids(seed), Metrics()))

        async def record(fence):
            self.fences[name] = fence
            self.led.append((name, fence.token))
            await (lead or self.forever)()

        return election.campaign(record)

    async def forever(self):
        await self.clock.sleep(10**9)

    def lease(self):
        return self.cluster.objects[LEASES, "default", "the-lease"]


def virtually(story):
    def run():
        async def main():
            async with asyncio.timeout(10_000):
                await story(Stage())

        run_virtually(main)

    run.__name__ = story.__name__
    return run


@virtually
async def test_the_first_candidate_leads_and_the_second_waits(stage):
    async with task_group() as group:
        tasks = [group.create_task(stage.candidate(name, seed=place)) for place, name in enumerate("ab")]
        await stage.clock.sleep(120)
        assert len(stage.led) == 1
        [task.cancel() for task in tasks]


@virtually
async def test_a_leader_that_ends_its_work_hands_over_at_once(stage):
    async def brief():
        await stage.clock.sleep(5)

    async with task_group() as group:
        group.create_task(stage.candidate("a", brief))
        await stage.clock.sleep(1)
        other = group.create_task(stage.candidate("b", seed=2))
        await stage.clock.sleep(9)
        assert stage.led == [("a", 1), ("b", 2)], "no wait for the lease to expire"
        other.cancel()


@virtually
async def test_a_leader_that_is_cut_off_stops_before_another_begins(stage):
    stopped = []

    async def watched():
        try:
            await stage.forever()
        finally:
            stopped.append(stage.clock.monotonic())

    async with task_group() as group:
        first = group.create_task(stage.candidate("a", watched))
        await stage.clock.sleep(3)
        second = group.create_task(stage.candidate("b", seed=2))
        stage.transports["a"][0].weather = Weather(lost_request=1)
        while len(stage.led) < 2:
            await stage.clock.sleep(0.1)
        assert stopped, "the first one was told to stop"
        assert stopped[0] < stage.clock.monotonic()
        assert not stage.fences["a"].holds()
        first.cancel()
        second.cancel()


@virtually
async def test_a_paused_leader_finds_its_fence_down_when_it_wakes(stage):
    async with task_group() as group:
        first = group.create_task(stage.candidate("a"))
        await stage.clock.sleep(3)
        second = group.create_task(stage.candidate("b", seed=2))
        stage.transports["a"][1].pause()
        await stage.clock.sleep(60)
        assert [name for name, _ in stage.led] == ["a", "b"]
        assert stage.fences["b"].token > stage.fences["a"].token
        with pytest.raises(Fenced):
            stage.fences["a"].check()
        stage.transports["a"][1].resume()
        await stage.clock.sleep(60)
        assert stage.fences["b"].holds()
        first.cancel()
        second.cancel()


@virtually
async def test_a_clock_that_jumps_changes_nothing(stage):
    async with task_group() as group:
        tasks = [group.create_task(stage.candidate(name, seed=place)) for place, name in enumerate("ab")]
        for jump_s in (3_600, -7_200, 86_400):
            await stage.clock.sleep(20)
            stage.clock.jump(jump_s)
        await stage.clock.sleep(60)
        assert len(stage.led) == 1
        [task.cancel() for task in tasks]


@virtually
async def test_the_lease_is_readable_by_the_tools_that_know_leases(stage):
    async with task_group() as group:
        task = group.create_task(stage.candidate("a"))
        await stage.clock.sleep(10)
        spec = stage.lease()["spec"]
        assert spec["holderIdentity"] == "a"
        assert spec["leaseDurationSeconds"] == 15
        assert spec["leaseTransitions"] == 1
        assert spec["renewTime"] > spec["acquireTime"]
        task.cancel()


@virtually
async def test_two_that_reach_for_it_together_do_not_both_get_it(stage):
    async with task_group() as group:
        tasks = [group.create_task(stage.candidate(f"c{place}", seed=place)) for place in range(8)]
        await stage.clock.sleep(5)
        assert len(stage.led) == 1
        [task.cancel() for task in tasks]


@virtually
async def test_a_server_that_is_away_at_first_is_waited_for(stage):
    async with task_group() as group:
        task = group.create_task(stage.candidate("a"))
        stage.transports["a"][0].weather = Weather(lost_request=1)
        await stage.clock.sleep(30)
        assert stage.led == []
        stage.transports["a"][0].weather = CALM
        await stage.clock.sleep(10)
        assert stage.led == [("a", 1)]
        task.cancel()


@virtually
async def test_a_guarded_client_sends_nothing_once_the_fence_is_down(stage):
    fence = Fence(stage.clock, 1, 10)
    fence.extend(stage.clock.monotonic())
    transport = FaultyTransport(stage.cluster, Process(), Dice(1), Tally())
    client = Client(transport, clock=stage.clock, ids=Ids(1)).guarded(fence.check)
    body = b'{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x"}}'
    await client.create(Target(LEASES, "default"), body)
    await stage.clock.sleep(20)
    with pytest.raises(Fenced):
        await client.delete(Target(LEASES, "default", "x"))
    assert decode(await client.get(Target(LEASES, "default", "x")))["metadata"]["name"] == "x"


@virtually
async def test_what_fails_while_letting_go_is_only_a_longer_wait(stage):
    async def brief():
        await stage.clock.sleep(1)
        stage.transports["a"][0].weather = Weather(lost_request=1)

    await stage.candidate("a", brief)
    assert stage.lease()["spec"]["holderIdentity"] == "a", "it could not be given up"
    async with task_group() as group:
        other = group.create_task(stage.candidate("b", seed=2))
        await stage.clock.sleep(10)
        assert [name for name, _ in stage.led] == ["a"]
        await stage.clock.sleep(20)
        assert [name for name, _ in stage.led] == ["a", "b"]
        other.cancel()


@virtually
async def test_a_leader_whose_work_breaks_off_with_the_server_begins_anew(stage):
    async def broken_twice():
        if len(stage.led) < 3:
            raise Unreachable("GET secrets failed", why="connection refused")

    await stage.candidate("a", broken_twice)
    assert stage.led == [("a", 1), ("a", 2), ("a", 3)]
    assert stage.clock.monotonic() < 30


@virtually
async def test_a_leader_that_fails_otherwise_is_not_kept_going(stage):
    async def broken():
        raise LookupError("a bug")

    with pytest.raises(ExceptionGroup):
        await stage.candidate("a", broken)


@virtually
async def test_a_leader_that_is_asked_to_end_hands_over_at_once_and_after_its_work(stage):
    ended = []

    async def thorough():
        try:
            await stage.forever()
        finally:
            await stage.clock.sleep(1)
            ended.append(stage.lease()["spec"]["holderIdentity"])

    async with task_group() as group:
        first = group.create_task(stage.candidate("a", thorough))
        await stage.clock.sleep(1)
        other = group.create_task(stage.candidate("b", seed=2))
        await stage.clock.sleep(1)
        first.cancel()
        await stage.clock.sleep(5)
        assert stage.led == [("a", 1), ("b", 2)], "no wait for the lease to expire"
        assert ended == ["a"]
        other.cancel()


@virtually
async def test_a_leader_that_is_asked_to_end_waits_for_no_server_that_is_away(stage):
    async with task_group() as group:
        task = group.create_task(stage.candidate("a"))
        await stage.clock.sleep(1)
        stage.transports["a"][0].weather = Weather(lost_request=1)
        began_s = stage.clock.monotonic()
        task.cancel()
        await asyncio.wait([task])
        assert stage.clock.monotonic() - began_s < 3
