"""A lock belongs to a run and ends with it; who is dead is found out by watching; nobody's lock is taken by mistake."""

import asyncio

import pytest

from plumbline.base.errors import Conflict, Fenced, InvalidInput, Refused, StateLocked, Transient
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.kernel.faults.transport import Tally
from plumbline.kernel.faults.weather import CALM, Weather
from plumbline.kinds.mandate import MandateSpec
from plumbline.terraform.state.holders import Death

from .stage import LOCK_INFO, PLACE, REF, run_of, virtually

ONE, TWO = run_of(1), run_of(2)


@virtually
async def test_a_lock_is_where_and_as_the_tools_look_for_it(stage):
    await stage.replica(name="node-1").locks.take(PLACE, ONE)
    lease = await stage.lease()
    assert lease["spec"]["holderIdentity"] == ONE.id
    assert lease["metadata"]["labels"] == PLACE.labels
    assert decode(lease["metadata"]["annotations"][LOCK_INFO]) == {
        "ID": ONE.id,
        "Operation": "OperationTypeApply",
        "Info": "shop/network applies plan abc",
        "Who": "plumbline@node-1",
        "Version": "",
        "Created": "2026-01-01T00:00:00Z",
        "Path": "shop/tfstate-default-network",
    }


@virtually
async def test_a_released_lock_leaves_the_lease_as_upstream_does(stage):
    locks = stage.replica().locks
    lock = await locks.take(PLACE, ONE)
    assert await locks.release(lock)
    lease = await stage.lease()
    assert lease["spec"] == {}
    assert not lease["metadata"].get("annotations")
    assert lease["metadata"]["labels"] == PLACE.labels
    assert not await locks.release(lock), "once is enough"
    with pytest.raises(Fenced):
        lock.check()
    await locks.take(PLACE, TWO)
    assert await stage.holder() == TWO.id


@virtually
async def test_who_comes_second_is_told_who_holds_it(stage):
    await stage.replica(name="node-1").locks.take(PLACE, ONE)
    locks = stage.replica(name="node-2").locks
    with pytest.raises(StateLocked) as refused:
        await locks.take(PLACE, TWO)
    assert (refused.value.lock_id, refused.value.dead) == (ONE.id, False)
    assert "plumbline@node-1 holds it since 2026-01-01T00:00:00Z for OperationTypeApply" in refused.value.why
    with pytest.raises(StateLocked):
        await locks.check_free(PLACE)


@virtually
async def test_a_run_that_comes_back_finds_its_own_lock(stage):
    await stage.replica().locks.take(PLACE, ONE)
    lock = await stage.replica().locks.take(PLACE, ONE)
    lock.check()
    assert await stage.holder() == ONE.id


@virtually
async def test_a_lock_of_a_tool_is_never_called_dead_and_its_id_is_how_it_goes(stage):
    await stage.foreign("by-hand")
    locks = stage.replica().locks
    for _ in range(3):
        with pytest.raises(StateLocked) as refused:
            await locks.take(PLACE, ONE)
        assert not refused.value.dead
        assert "lockIdentifier to by-hand" in refused.value.hint
        assert "mia@laptop" in refused.value.why
        await stage.clock.sleep(3600)
    assert not await locks.release_dead(PLACE, Death("by-hand", "somebody says so"), REF)
    with pytest.raises(InvalidInput) as wrong:
        await locks.force(PLACE, "another-id", REF)
    assert "by-hand" in wrong.value.why
    assert await stage.holder() == "by-hand"
    assert (await locks.force(PLACE, "by-hand", REF)).who == "mia@laptop"
    assert await stage.holder() is None
    assert await locks.force(PLACE, "by-hand", REF) is None
    await locks.check_free(PLACE)
    assert await stage.recorded() == ["patch: Release a lock because somebody asked for it by its id"]


@virtually
async def test_a_tool_that_takes_the_lock_after_us_is_not_taken_for_us(stage):
    """It changes the holder and keeps everything else that it finds in the Lease, our heartbeat among it."""
    replica = stage.replica()
    await replica.locks.take(PLACE, ONE)
    await stage.foreign("by-hand")
    assert "renewTime" in (await stage.lease())["spec"]
    for _ in range(3):
        holder = await replica.locks.holder(PLACE)
        assert (holder.id, holder.ours, holder.death) == ("by-hand", False, None)
        await stage.clock.sleep(60)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"Who": 5}', "x" * 100_000, '{"Who": "\\u001b[2Jmia"}', '{"\udcff'[:2]]
)
@virtually
async def test_what_nobody_can_read_still_is_a_lock(stage, text):
    await stage.foreign("by-hand", text)
    with pytest.raises(StateLocked) as refused:
        await stage.replica().locks.take(PLACE, ONE)
    assert refused.value.lock_id == "by-hand"
    assert str(refused.value).isprintable()


@virtually
async def test_of_many_that_come_at_once_one_gets_it(stage):
    runs = [run_of(number) for number in range(1, 9)]

    async def attempt(run):
        try:
            await stage.replica().locks.take(PLACE, run)
        except StateLocked:
            return None
        return run.id

    won = [each for each in await asyncio.gather(*map(attempt, runs)) if each]
    assert won == [await stage.holder()]


@virtually
async def test_who_only_observes_takes_no_lock(stage):
    stage.mandate = MandateSpec(mode="Observe")
    with pytest.raises(Refused) as refused:
        await stage.replica().locks.take(PLACE, ONE)
    assert "only observes" in refused.value.why
    assert await stage.lease() is None


@virtually
async def test_an_endless_quarrel_over_the_lease_ends_with_a_conflict(stage):
    replica = stage.replica()
    lock = await replica.locks.take(PLACE, ONE)
    replica.transport.weather = Weather(conflict=1)
    with pytest.raises(Conflict):
        await replica.locks.release(lock)
    with pytest.raises(Conflict):
        await replica.locks.take(PLACE, ONE)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
@virtually
async def test_whoever_is_killed_at_any_write_leaves_a_lock_that_the_next_one_gets(stage, number, side):
    """Writes of a run: take, beat, beat, release."""
    replica = stage.replica(Tally((number, side)))

    async def work():
        async with replica.locks.held(PLACE, ONE):
            await stage.clock.sleep(12)

    async with task_group() as group:
        running = group.create_task(work())
        replica.process.on_death = running.cancel
        await asyncio.wait([running])
    assert replica.tally.writes >= number
    next_one = stage.replica(name="b")
    async with asyncio.timeout(60):
        while True:
            try:
                await next_one.locks.take(PLACE, TWO)
                break
            except StateLocked:
                holder = await next_one.locks.holder(PLACE)
                if holder.death is not None:
                    await next_one.locks.release_dead(PLACE, holder.death, REF)
            await stage.clock.sleep(5)
    assert await stage.holder() == TWO.id


@pytest.mark.parametrize(
    "weather", [Weather(lost_reply=0.4), Weather(lost_request=0.3, conflict=0.3, server_error=0.2)]
)
@virtually
async def test_replies_that_are_lost_and_writes_that_collide_change_nothing(stage, weather):
    replica = stage.replica()
    done = 0
    for number in range(1, 6):
        replica.transport.weather = weather
        try:
            lock = await replica.locks.take(PLACE, run_of(number))
            assert await stage.holder() == run_of(number).id
            await replica.locks.release(lock)
            done += 1
        except Transient:
            pass
        replica.transport.weather = CALM
        held = await stage.holder()
        if held:
            assert held == run_of(number).id
            await replica.locks.force(PLACE, held, REF)
    assert done
