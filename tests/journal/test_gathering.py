"""In a rush commits are few and large; alone nobody waits for company."""

import asyncio

from plumbline.base.virtualtime import run_virtually
from plumbline.journal.writing import GATHER_S, Writer


async def written(appends, gather_s=GATHER_S):
    """The sizes of the commits that come of appends at so many seconds each, and the time that the last one was done."""
    sizes = []

    async def commit(drafts):
        sizes.append(len(drafts))
        return drafts

    async def append(after_s):
        await asyncio.sleep(after_s)
        await writer.append([after_s])

    writer = Writer(commit, gather_s)
    async with asyncio.TaskGroup() as group:
        group.create_task(writer.run())
        async with asyncio.TaskGroup() as appending:
            for after_s in appends:
                appending.create_task(append(after_s))
        took_s = asyncio.get_running_loop().time()
        writer.close()
    return sizes, took_s


def test_a_rush_is_committed_in_few_pieces():
    rush = [0.0, *(step * GATHER_S / 10 for step in range(1, 51))]
    sizes, _ = run_virtually(lambda: written(rush))
    assert sum(sizes) == 51
    assert len(sizes) <= 7


def test_what_comes_alone_is_committed_at_once():
    sizes, took_s = run_virtually(lambda: written([0.0, 1.0, 2.0]))
    assert sizes == [1, 1, 1]
    assert took_s == 2.0


def test_nobody_waits_where_nothing_is_gained():
    sizes, _ = run_virtually(lambda: written([0.0, 0.0, 0.001, 0.002], gather_s=0.0))
    assert sizes == [2, 1, 1]
