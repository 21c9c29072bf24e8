import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.clock import Clock, SystemClock, VirtualClock, rfc3339
from plumbline.base.tasks import task_group


async def test_the_system_clock_tells_utc_and_only_grows():
    clock: Clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0)
    assert clock.monotonic() >= before
    assert clock.now().utcoffset() == timedelta(0)


async def test_a_virtual_clock_stands_still_until_it_is_moved():
    clock = VirtualClock()
    start = clock.now()
    await asyncio.sleep(0)
    assert (clock.now(), clock.monotonic()) == (start, 0.0)
    await clock.advance(90)
    assert (clock.now(), clock.monotonic()) == (start + timedelta(seconds=90), 90.0)


async def test_sleepers_wake_in_order_and_at_the_moment_they_are_due():
    clock = VirtualClock()
    woken = []

    async def sleep(name, delay_s):
        await clock.sleep(delay_s)
        woken.append((name, clock.monotonic()))

    async with task_group() as group:
        for name, delay_s in (("late", 30), ("early", 10), ("also early", 10), ("too late", 61)):
            group.create_task(sleep(name, delay_s))
        await clock.advance(60)
        assert woken == [("early", 10.0), ("also early", 10.0), ("late", 30.0)]
        await clock.advance(1)
    assert woken[-1] == ("too late", 61.0)


async def test_who_sleeps_again_while_time_moves_wakes_again():
    clock = VirtualClock()
    ticks = []

    async def tick():
        while len(ticks) < 5:
            await clock.sleep(10)
            ticks.append(clock.monotonic())

    async with task_group() as group:
        group.create_task(tick())
        await clock.advance(60)
    assert ticks == [10.0, 20.0, 30.0, 40.0, 50.0]


@pytest.mark.parametrize("delay_s", [0, -5])
async def test_a_delay_that_is_over_lets_others_run_and_returns(delay_s):
    clock = VirtualClock()
    async with asyncio.timeout(5), task_group() as group:
        other = group.create_task(asyncio.sleep(0))
        await clock.sleep(delay_s)
    assert other.done()
    assert clock.monotonic() == 0.0


async def test_a_sleeper_that_was_cancelled_is_passed_over():
    clock = VirtualClock()
    sleeper = asyncio.ensure_future(clock.sleep(10))
    await asyncio.sleep(0)
    sleeper.cancel()
    await clock.advance(20)
    assert sleeper.cancelled()


async def test_the_wall_clock_can_jump_without_anybody_waking():
    clock = VirtualClock()
    start = clock.now()
    clock.jump(-3600)
    assert clock.now() == start - timedelta(hours=1)
    assert clock.monotonic() == 0.0


async def test_time_does_not_move_backwards():
    with pytest.raises(ValueError, match="forward"):
        await VirtualClock().advance(-1)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 3, 4, 5, 6, 7, 999_999, tzinfo=UTC), "2026-03-04T05:06:07Z"),
        (datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=2))), "2025-12-31T23:00:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
)
def test_moments_are_written_as_kubernetes_writes_them(moment, text):
    assert rfc3339(moment) == text


def test_a_moment_without_time_zone_is_not_guessed():
    with pytest.raises(ValueError, match="time zone"):
        rfc3339(datetime(2026, 1, 1))  # noqa: DTZ001 - that is what is refused


@given(st.datetimes(min_value=datetime(2, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - hypothesis wants it bare
def test_what_is_written_is_the_same_second(moment):
    assert datetime.fromisoformat(rfc3339(moment)) == moment.replace(microsecond=0)
