"""A run shows that it lives; who cannot stops, and who is found still is dead. Clocks of others are not believed."""

import asyncio

import pytest

from plumbline.base.errors import Conflict, Fenced, StateLocked
from plumbline.base.tasks import task_group
from plumbline.kernel.faults.weather import CALM, Weather

from .stage import PLACE, REF, run_of, virtually

ONE, TWO = run_of(1), run_of(2)


@virtually
async def test_a_run_that_beats_is_alive_however_long_it_takes(stage):
    replica, watcher = stage.replica(), stage.replica()
    async with replica.locks.held(PLACE, ONE) as lock:
        for _ in range(40):
            await stage.clock.sleep(17)
            lock.check()
            assert (await watcher.locks.holder(PLACE)).death is None
    assert await stage.holder() is None


@virtually
async def test_clocks_that_differ_or_jump_kill_nobody(stage):
    replica, watcher = stage.replica(), stage.replica()
    async with replica.locks.held(PLACE, ONE):
        for jump_s in (86_400, -200_000, 3_600):
            stage.clock.jump(jump_s)
            for _ in range(4):
                assert (await watcher.locks.holder(PLACE)).death is None
                await stage.clock.sleep(12)


@virtually
async def test_a_dead_run_is_found_by_watching_and_its_lock_released(stage):
    replica = stage.replica()
    await replica.locks.take(PLACE, ONE)
    replica.process.kill()
    watcher = stage.replica(name="b").locks
    await stage.clock.sleep(3600)
    assert (await watcher.holder(PLACE)).death is None, "it was not watched yet"
    await stage.clock.sleep(29)
    assert (await watcher.holder(PLACE)).death is None
    await stage.clock.sleep(1)
    with pytest.raises(StateLocked) as refused:
        await watcher.take(PLACE, TWO)
    assert refused.value.dead
    death = (await watcher.holder(PLACE)).death
    assert await watcher.release_dead(PLACE, death, REF)
    assert not await watcher.release_dead(PLACE, death, REF), "once is enough"
    assert await stage.recorded() == [f"patch: Release the lock of a dead run: {death.how}"]
    await watcher.take(PLACE, TWO)
    assert not await watcher.release_dead(PLACE, death, REF), "the next one's lock is not touched"
    assert await stage.holder() == TWO.id


@virtually
async def test_who_knows_better_need_not_watch(stage):
    await stage.replica().locks.take(PLACE, ONE)

    async def verdict(run):
        return "its Job is gone" if run == ONE.id else ""

    locks = stage.replica().locks
    with pytest.raises(StateLocked) as refused:
        await locks.take(PLACE, TWO, verdict)
    assert "its Job is gone" in refused.value.hint
    holder = await locks.holder(PLACE, verdict)
    assert await locks.release_dead(PLACE, holder.death, REF)


@virtually
async def test_a_run_that_moved_after_it_was_judged_keeps_its_lock(stage):
    replica, watcher = stage.replica(), stage.replica()
    lock = await replica.locks.take(PLACE, ONE)
    await watcher.locks.holder(PLACE)
    await stage.clock.sleep(31)
    death = (await watcher.locks.holder(PLACE)).death
    assert death is not None
    await replica.locks.take(PLACE, ONE)
    with pytest.raises(Conflict):
        await watcher.locks.release_dead(PLACE, death, REF)
    assert await stage.holder() == lock.run.id


@virtually
async def test_a_run_that_is_cut_off_stops_before_others_take_it_for_dead(stage):
    replica, watcher = stage.replica(), stage.replica(name="b")
    stopped = []

    async def work():
        async with replica.locks.held(PLACE, ONE):
            try:
                await stage.clock.sleep(10_000)
            finally:
                stopped.append(stage.clock.monotonic())

    async def fenced():
        with pytest.raises(Fenced):
            await work()

    async with task_group() as group:
        group.create_task(fenced())
        await stage.clock.sleep(12)
        replica.transport.weather = Weather(lost_request=1)
        while (await watcher.locks.holder(PLACE)).death is None:
            await stage.clock.sleep(0.5)
        assert stopped, "the first one was told to stop"
        assert stopped[0] < stage.clock.monotonic() - 5


@virtually
async def test_a_beat_that_gets_no_answer_does_not_hold_up_the_next(stage):
    replica = stage.replica()
    async with replica.locks.held(PLACE, ONE) as lock:
        for _ in range(4):
            await stage.clock.sleep(4)
            replica.process.pause()
            await stage.clock.sleep(9)
            replica.process.resume()
            await stage.clock.sleep(9)
            lock.check()
    assert await stage.holder() is None


@virtually
async def test_a_short_outage_stops_nobody(stage):
    replica = stage.replica()
    async with replica.locks.held(PLACE, ONE) as lock:
        for _ in range(5):
            replica.transport.weather = Weather(lost_request=1)
            await stage.clock.sleep(9)
            replica.transport.weather = CALM
            await stage.clock.sleep(12)
            lock.check()


@virtually
async def test_a_lock_that_somebody_took_away_stops_the_run(stage):
    replica = stage.replica()

    async def work():
        async with replica.locks.held(PLACE, ONE):
            await stage.clock.sleep(7)
            await stage.replica().locks.force(PLACE, ONE.id, REF)
            await stage.replica().locks.take(PLACE, TWO)
            await stage.clock.sleep(10_000)

    with pytest.raises(Fenced):
        await work()
    assert await stage.holder() == TWO.id, "the other's lock is not released"


@virtually
async def test_a_lease_that_somebody_deleted_stops_the_run(stage):
    async def work():
        async with stage.replica().locks.held(PLACE, ONE):
            await stage.client.delete(PLACE.lease)
            await stage.clock.sleep(10_000)

    with pytest.raises(Fenced):
        await work()
    assert await stage.lease() is None


@virtually
async def test_somebody_who_touches_the_lease_is_no_trouble(stage):
    async with stage.replica().locks.held(PLACE, ONE) as lock:
        for number in range(6):
            body = b'{"metadata":{"labels":{"touched":"%d"}}}' % number
            await stage.client.patch(PLACE.lease, body, "merge")
            await stage.clock.sleep(7)
            lock.check()
    assert await stage.holder() is None


@virtually
async def test_the_beat_goes_on_while_a_stopped_run_winds_up(stage):
    """A tool that was told to stop still writes what it has begun."""
    replica, watcher = stage.replica(), stage.replica(name="b")

    async def work():
        async with replica.locks.held(PLACE, ONE):
            try:
                await stage.clock.sleep(10_000)
            finally:
                await stage.clock.sleep(600)

    async with task_group() as group:
        running = group.create_task(work())
        await stage.clock.sleep(12)
        running.cancel()
        for _ in range(30):
            assert (await watcher.locks.holder(PLACE)).death is None
            await stage.clock.sleep(19)
    assert await stage.holder() is None


@virtually
async def test_a_run_that_was_fenced_shows_again_that_it_lives_while_it_winds_up(stage):
    replica, watcher = stage.replica(), stage.replica(name="b")

    async def work():
        async with replica.locks.held(PLACE, ONE):
            try:
                await stage.clock.sleep(10_000)
            finally:
                replica.transport.weather = CALM
                for _ in range(20):
                    await stage.clock.sleep(10)
                    assert (await watcher.locks.holder(PLACE)).death is None

    async def fenced():
        with pytest.raises(Fenced):
            await work()

    async with task_group() as group:
        group.create_task(fenced())
        await stage.clock.sleep(12)
        replica.transport.weather = Weather(lost_request=1)
    assert await stage.holder() is None


@virtually
async def test_errors_of_the_run_come_out_as_they_are(stage):
    locks = stage.replica().locks
    with pytest.raises(ValueError, match="mine"):
        async with locks.held(PLACE, ONE):
            raise ValueError("mine")
    with pytest.raises(TimeoutError):
        async with locks.held(PLACE, ONE), asyncio.timeout(3):
            await stage.clock.sleep(100)
    assert await stage.holder() is None


@virtually
async def test_a_run_that_fails_because_it_was_stopped_is_told_so(stage):
    async def work():
        async with stage.replica().locks.held(PLACE, ONE):
            await stage.client.delete(PLACE.lease)
            try:
                await stage.clock.sleep(10_000)
            except asyncio.CancelledError:
                raise ValueError("the tool was interrupted") from None

    with pytest.raises(Fenced) as fenced:
        await work()
    assert isinstance(fenced.value.__cause__, ValueError)


@virtually
async def test_a_lock_that_cannot_be_given_back_does_not_hide_what_the_run_did(stage):
    replica = stage.replica()
    async with replica.locks.held(PLACE, ONE):
        replica.transport.weather = Weather(lost_request=1)
    assert await stage.holder() == ONE.id
    replica.transport.weather = CALM
