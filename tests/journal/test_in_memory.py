"""For simulators: the whole journal without files, threads and chance."""

import asyncio
import threading

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.journal import sqlite
from plumbline.journal.executors import InlineExecutor

from .journals import draft


async def _run():
    clock = VirtualClock()
    async with sqlite.in_memory(clock=clock, ids=Ids(3)) as journal:
        await asyncio.gather(*(journal.append(draft(verb=f"v{n}")) for n in range(20)))
        await clock.advance(5)
        await journal.append(draft("intended"))
        assert len(await journal.unsettled()) == 1
        assert (await journal.verify()).broken is None
        return [line async for line in journal.export()]


async def test_it_starts_no_thread():
    before = threading.active_count()
    async with sqlite.in_memory(clock=VirtualClock(), ids=Ids(3)) as journal:
        await journal.append(draft())
        assert threading.active_count() == before


async def test_the_same_seed_gives_the_same_bytes():
    assert await _run() == await _run()


async def test_a_follower_wakes_without_polling():
    async with sqlite.in_memory(clock=VirtualClock(), ids=Ids(3)) as journal:
        stream = journal.follow("")
        async with task_group() as group:
            first = group.create_task(anext(stream))
            await asyncio.sleep(0)
            await journal.append(draft())
        assert first.result().seq == 1
        await stream.aclose()


def test_an_inline_call_that_fails_fails_its_future():
    future = InlineExecutor().submit(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        future.result()
