"""In a rush commits are few and large; alone nobody waits for company."""

import asyncio

import pytest

from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import run_virtually
from plumbline.journal.writing import GATHER_S, LONGEST_GATHER_S, Writer, gathering_s

DISK_S = 0.002


async def written(appends, gather_s=GATHER_S):
    """The sizes of the commits that come of appends at so many seconds each, and the time that the last one was done."""
    sizes = []

    async def commit(drafts):
        sizes.append(len(drafts))
        await asyncio.sleep(DISK_S)
        return drafts

    async def append(after_s):
        await asyncio.sleep(after_s)
        await writer.begin([after_s])

    writer = Writer(commit, gather_s)
    async with task_group() as group:
        group.create_task(writer.run())
        async with task_group() as appending:
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


def test_the_more_come_together_the_longer_the_next_ones_are_gathered_and_never_for_long():
    waits_s = [gathering_s(callers, GATHER_S) for callers in (2, 4, 6, 500)]
    assert waits_s == sorted(waits_s)
    assert (waits_s[0], waits_s[-1]) == (GATHER_S, LONGEST_GATHER_S)
    rush = [step * GATHER_S / 40 for step in range(400)]
    sizes, took_s = run_virtually(lambda: written(rush))
    assert sum(sizes) == 400
    assert len(sizes) <= 8
    assert took_s <= rush[-1] + LONGEST_GATHER_S + 2 * DISK_S


def test_what_comes_alone_is_committed_at_once():
    sizes, took_s = run_virtually(lambda: written([0.0, 1.0, 2.0]))
    assert sizes == [1, 1, 1]
    assert took_s == 2.0 + DISK_S


def test_nobody_waits_where_nothing_is_gained():
    sizes, _ = run_virtually(lambda: written([0.0, 0.0, 0.003, 0.006], gather_s=0.0))
    assert sizes == [2, 1, 1]


def test_who_writes_one_thing_after_the_other_waits_for_the_disk_only():
    async def one_by_one():
        loop = asyncio.get_running_loop()
        async with task_group() as group:
            group.create_task((writer := Writer(committed)).run())
            for number in range(5):
                await writer.begin([number])
            took_s = loop.time()
            writer.close()
        return took_s

    async def committed(drafts):
        await asyncio.sleep(DISK_S)
        return drafts

    assert run_virtually(one_by_one) == pytest.approx(5 * DISK_S)


def test_what_was_begun_first_is_written_first_though_nobody_waits_for_it():
    order = []

    async def committed(drafts):
        order.extend(drafts)
        return drafts

    async def begun():
        async with task_group() as group:
            group.create_task((writer := Writer(committed)).run())
            first = writer.begin(["first"])
            await writer.begin(["second"])
            assert first.done()
            writer.close()

    run_virtually(begun)
    assert order == ["first", "second"]
