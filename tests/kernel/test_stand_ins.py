"""Looks that wait for somebody outside are stood in for, no more often than needed, and not for ever."""

import asyncio

from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import run_virtually
from plumbline.kernel.standins import MOST, PATIENCE_S, StandIns


class Working:
    """What workers would do: nothing, until they are no longer needed."""

    def __init__(self):
        self.now = self.ever = 0

    async def work(self, over):
        self.now += 1
        self.ever += 1
        while not over():  # noqa: ASYNC110 - as workers ask: between two keys
            await asyncio.sleep(0.1)
        self.now -= 1


def told(story):
    async def main():
        working = Working()
        async with task_group() as group:
            await story(StandIns(group, working.work), working)

    run_virtually(main)


def test_an_answer_that_comes_soon_is_worth_nobody():
    async def story(stand_ins, working):
        for _ in range(100):
            with stand_ins.waiting():
                await asyncio.sleep(PATIENCE_S / 2)
        assert working.ever == 0

    told(story)


def test_whoever_waits_long_is_stood_in_for_until_it_is_back():
    async def story(stand_ins, working):
        with stand_ins.waiting():
            await asyncio.sleep(30)
            assert working.now == 1
        await asyncio.sleep(1)
        assert working.now == 0

    told(story)


def test_one_who_stands_in_may_wait_as_well():
    async def story(stand_ins, working):
        with stand_ins.waiting():
            await asyncio.sleep(10)
            with stand_ins.waiting():
                await asyncio.sleep(10)
                assert working.now == 2
            await asyncio.sleep(1)
            assert working.now == 1

    told(story)


def test_there_is_an_end_to_how_many():
    async def story(stand_ins, working):
        async def wait():
            with stand_ins.waiting():
                await asyncio.sleep(60)

        async with task_group() as group:
            for _ in range(2 * MOST):
                group.create_task(wait())
            await asyncio.sleep(30)
            assert working.now == MOST
        await asyncio.sleep(1)
        assert working.now == 0

    told(story)
