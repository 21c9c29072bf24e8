"""A plugin that does not answer keeps nobody waiting whom its answer does not help."""

import asyncio

import pytest

from plumbline.base.errors import LimitExceeded, TimedOut, ToolFailed
from plumbline.base.virtualtime import run_virtually
from plumbline.render.plugins.asking import Asking

DEADLINE_S = 90.0


class Sidecar:
    """A plugin that never ends with some sources, or with all of them."""

    name = "mine"

    def __init__(self, *, stuck=()):
        self.stuck = set(stuck)
        self.begun = []
        self.asking = Asking(self)

    def identity(self):
        return "one"

    async def discovers(self):
        return True

    async def asked(self, who, party=""):
        """How long *who* waited, and for what."""
        began_s = now_s()

        async def claims():
            self.begun.append(who)
            if who in self.stuck:
                await asyncio.sleep(DEADLINE_S)
                raise LimitExceeded("plugin mine was not waited for")
            return True

        try:
            assert await self.asking.answered(who, claims, party=party)
        except (LimitExceeded, TimedOut) as error:
            return now_s() - began_s, error.code
        return now_s() - began_s, "answered"


def now_s():
    return asyncio.get_running_loop().time()


def test_a_source_that_it_never_ends_with_holds_up_no_other():
    async def story():
        sidecar = Sidecar(stuck=["poison"])
        poison = asyncio.create_task(sidecar.asked("poison"))
        await asyncio.sleep(0)
        for each in range(200):
            assert await sidecar.asked(each) == (0, "answered")
        assert await poison == (DEADLINE_S, "limit-exceeded")
        for _ in range(5):
            poison = asyncio.create_task(sidecar.asked("poison"))
            await asyncio.sleep(1)
            assert await sidecar.asked("healthy") == (0, "answered")
            await poison

    run_virtually(story)


def test_where_it_answers_nobody_all_are_told_so_after_its_deadline_and_then_at_once():
    async def story():
        sidecar = Sidecar(stuck=range(200))
        waits = await asyncio.gather(*map(sidecar.asked, range(200)))
        assert max(waited for waited, _ in waits) < 2 * DEADLINE_S + 10
        sidecar.begun.clear()
        again = await asyncio.gather(*map(sidecar.asked, range(200)))
        assert sidecar.begun == [0]
        assert sorted(again)[:199] == [(0, "timed-out")] * 199

    run_virtually(story)


def test_sources_of_one_project_that_it_never_ends_with_keep_it_from_no_other():
    async def story():
        sidecar = Sidecar(stuck=range(8))
        await asyncio.gather(*(sidecar.asked(each, "ada") for each in range(8)))
        trying = asyncio.create_task(sidecar.asked(0, "ada"))
        await asyncio.sleep(1)
        assert await sidecar.asked(1, "ada") == (0, "timed-out")
        assert await sidecar.asked("healthy", "bob") == (0, "answered")
        await trying

    run_virtually(story)


def test_once_it_answers_again_all_are_answered():
    async def story():
        sidecar = Sidecar(stuck=range(200))
        await asyncio.gather(*map(sidecar.asked, range(200)))
        sidecar.stuck.clear()
        assert (await sidecar.asked(7))[1] == "answered"
        assert {how for _, how in await asyncio.gather(*map(sidecar.asked, range(200)))} == {"answered"}

    run_virtually(story)


def test_who_stops_waiting_does_not_leave_it_untried():
    async def story():
        sidecar = Sidecar(stuck=range(4))
        await asyncio.gather(*map(sidecar.asked, range(4)))
        trying = asyncio.create_task(sidecar.asked(0))
        await asyncio.sleep(1)
        trying.cancel()
        await asyncio.wait([trying])
        sidecar.stuck.clear()
        assert await sidecar.asked(1) == (0, "answered")

    run_virtually(story)


def test_a_complaint_is_an_answer():
    async def story():
        sidecar = Sidecar(stuck=range(4))

        async def complains():
            raise ToolFailed("plugin mine failed", exit_code=1)

        await asyncio.gather(*map(sidecar.asked, range(2)))
        with pytest.raises(ToolFailed):
            await sidecar.asking.answered("broken", complains)
        await sidecar.asked(2)
        trying = asyncio.create_task(sidecar.asked(3))
        await asyncio.sleep(1)
        assert await sidecar.asked("healthy") == (0, "answered")
        await trying

    run_virtually(story)
