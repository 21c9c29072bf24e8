"""Renders that take long, or never end, keep nobody else waiting for them."""

import asyncio

import pytest

from plumbline.base.virtualtime import run_virtually
from plumbline.render.places import Places

PATIENCE_S = 5.0


class Kitchen:
    """Work that takes as long as it is told, and who began and finished it when."""

    def __init__(self, brisk=2, slow=4):
        self._places = Places(brisk, slow, PATIENCE_S)
        self.begun = []
        self.most = self._now = 0

    async def made(self, who, takes_s, party=""):
        async def work():
            self.begun.append(who)
            self._now += 1
            self.most = max(self.most, self._now)
            try:
                await asyncio.sleep(takes_s)
            finally:
                self._now -= 1
            return who

        assert await self._places.run(who, work, party=party) == who
        return asyncio.get_running_loop().time()


def told(story):
    def test():
        run_virtually(lambda: story(Kitchen()))

    test.__name__ = story.__name__
    return test


@told
async def test_so_many_work_at_a_time(kitchen):
    ended_s = await asyncio.gather(*(kitchen.made(who, 1) for who in range(6)))
    assert sorted(ended_s) == [1, 1, 2, 2, 3, 3]
    assert kitchen.most == 2


@told
async def test_who_takes_long_goes_on_and_makes_room(kitchen):
    slow = [asyncio.ensure_future(kitchen.made(f"slow {number}", 40)) for number in range(4)]
    await asyncio.sleep(0)
    assert await kitchen.made("quick", 1) == 2 * PATIENCE_S + 1
    assert await asyncio.gather(*slow) == [40, 40, 45, 45]
    assert len(kitchen.begun) == 5


@told
async def test_those_that_are_known_to_take_long_start_apart(kitchen):
    await asyncio.gather(*(kitchen.made(f"slow {number}", 40) for number in range(4)))
    began_s = asyncio.get_running_loop().time()
    again = [asyncio.ensure_future(kitchen.made(f"slow {number}", 40)) for number in range(4)]
    await asyncio.sleep(0)
    assert await kitchen.made("quick", 1) == began_s + 1
    await asyncio.gather(*again)


@told
async def test_however_many_never_end_others_wait_for_the_patience_alone(kitchen):
    endless = [asyncio.ensure_future(kitchen.made(f"endless {number}", 10_000)) for number in range(40)]
    await asyncio.sleep(0)
    assert await kitchen.made("quick", 1) <= 40 / 2 * PATIENCE_S + 1
    began_s = asyncio.get_running_loop().time()
    assert await kitchen.made("quick", 1) == began_s + 1
    assert kitchen.most == 2 + 4
    for each in endless:
        each.cancel()
    await asyncio.gather(*endless, return_exceptions=True)
    began_s = asyncio.get_running_loop().time()
    assert await asyncio.gather(*(kitchen.made(who, 1) for who in "ab")) == [began_s + 1] * 2


@told
async def test_the_many_of_one_party_take_turns_with_the_few_of_another(kitchen):
    many = [asyncio.ensure_future(kitchen.made(f"ada {number}", PATIENCE_S - 0.1, "ada")) for number in range(100)]
    await asyncio.sleep(1)
    began_s = asyncio.get_running_loop().time()
    assert await kitchen.made("bob", 1, "bob") - began_s <= PATIENCE_S + 1
    await asyncio.gather(*many)


@told
async def test_those_that_hang_of_one_party_take_turns_with_what_takes_long_of_another(kitchen):
    hanging = [asyncio.ensure_future(kitchen.made(f"ada {number}", 90, "ada")) for number in range(100)]
    await asyncio.sleep(400)
    began_s = asyncio.get_running_loop().time()
    assert await kitchen.made("bob", 8, "bob") - began_s <= 90 + PATIENCE_S + 8
    await asyncio.gather(*hanging)


@told
async def test_whoever_goes_while_they_wait_keeps_no_place(kitchen):
    busy = [asyncio.ensure_future(kitchen.made(f"busy {number}", 4)) for number in range(2)]
    gone = [asyncio.ensure_future(kitchen.made(f"gone {number}", 1, "ada")) for number in range(3)]
    await asyncio.sleep(4 - 1e-9)
    gone[0].cancel()
    await asyncio.gather(*busy)
    for each in gone:
        each.cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    began_s = asyncio.get_running_loop().time()
    assert await asyncio.gather(*(kitchen.made(who, 1) for who in "ab")) == [began_s + 1] * 2


@told
async def test_who_was_stopped_is_begun_again_and_comes_to_its_end(kitchen):
    slow = [asyncio.ensure_future(kitchen.made(f"slow {number}", 60)) for number in range(4)]
    await asyncio.sleep(2 * PATIENCE_S)
    assert await kitchen.made("late", 10) == 60 + 10
    assert kitchen.begun.count("late") == 2
    await asyncio.gather(*slow)


@told
async def test_who_is_quick_again_is_treated_so(kitchen):
    await kitchen.made("moody", 40)
    await kitchen.made("moody", 1)
    busy = [asyncio.ensure_future(kitchen.made(f"slow {number}", 40)) for number in range(4)]
    await asyncio.sleep(2 * PATIENCE_S)
    began_s = asyncio.get_running_loop().time()
    assert await kitchen.made("moody", 1) == began_s + 1
    await asyncio.gather(*busy)


@told
async def test_a_timeout_of_the_work_itself_is_passed_on(kitchen):
    async def gives_up():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        await kitchen._places.run("it", gives_up)
    assert await kitchen.made("it", 1) == 1
