"""A group of tasks that failed leaves nothing behind in whoever had it."""

import asyncio
import re
from pathlib import Path

import pytest

from plumbline.base import tasks
from plumbline.base.tasks import task_group

SOURCES = Path(tasks.__file__).parents[1]


class Failed(Exception):
    pass


async def _fail():
    await asyncio.sleep(0)
    raise Failed


async def _late():
    async with asyncio.timeout(0.001):
        await asyncio.sleep(10)


async def _wait_for_one_that_fails():
    async with task_group() as group:
        group.create_task(_fail())
        group.create_task(asyncio.sleep(10))


async def _be_busy_while_one_fails():
    async with task_group() as group:
        group.create_task(_fail())
        await asyncio.sleep(10)


@pytest.mark.parametrize("failing", [_wait_for_one_that_fails, _be_busy_while_one_fails])
async def test_what_takes_too_long_after_a_group_failed_times_out(failing):
    with pytest.raises(ExceptionGroup):
        await failing()
    with pytest.raises(TimeoutError):
        await _late()


async def test_whoever_is_ended_from_outside_ends():
    async def stay():
        async with task_group() as group:
            group.create_task(asyncio.sleep(10))

    owner = asyncio.create_task(stay())
    await asyncio.sleep(0)
    owner.cancel()
    with pytest.raises(asyncio.CancelledError):
        await owner


def test_every_group_is_one_of_these():
    others = [path for path in SOURCES.rglob("*.py") if re.search(r"asyncio\.TaskGroup\(\)", path.read_text())]
    assert others == [Path(tasks.__file__)]
