"""Waiting costs nothing, order is that of real time, and what can never happen is said."""

import asyncio

import pytest

from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import Deadlock, LoopClock, run_virtually


def test_a_day_passes_in_no_time_and_in_order():
    clock, seen = LoopClock(), []

    async def sleeper(delay_s):
        await clock.sleep(delay_s)
        seen.append(delay_s)

    async def main():
        async with task_group() as group:
            for delay_s in (86_400, 60, 3_600):
                group.create_task(sleeper(delay_s))
        return clock.monotonic(), clock.now()

    elapsed_s, now = run_virtually(main)
    assert seen == [60, 3_600, 86_400]
    assert elapsed_s == 86_400
    assert now.isoformat() == "2026-01-02T00:00:00+00:00"


def test_deadlines_count_virtual_seconds():
    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3_600):
                await asyncio.sleep(7_200)
        return asyncio.get_running_loop().time()

    assert run_virtually(main) == 3_600


def test_a_wait_that_nobody_ends_is_a_deadlock():
    async def main():
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        run_virtually(main)


def test_the_wall_clock_may_jump_while_time_goes_on():
    async def main():
        clock = LoopClock()
        before = clock.now()
        clock.jump(-3_600)
        return (clock.now() - before).total_seconds(), clock.monotonic()

    assert run_virtually(main) == (-3_600, 0)


def test_an_error_in_the_program_is_the_result():
    async def main():
        raise KeyError("found")

    with pytest.raises(KeyError, match="found"):
        run_virtually(main)
