"""Who waits for what is rendered, told as numbers."""

import asyncio
from contextlib import suppress

from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import run_virtually
from plumbline.render import waiting as module
from plumbline.render.places import Places
from plumbline.render.waiting import BUCKETS, Waiting


def test_a_render_is_pending_until_it_is_over_whatever_came_of_it():
    waiting = Waiting()
    with suppress(ZeroDivisionError), waiting.render("a"), waiting.render("a"):
        assert waiting.pending == {"a": 2}
        raise ZeroDivisionError
    assert waiting.pending == {"a": 0}


def test_addresses_have_an_end(monkeypatch):
    monkeypatch.setattr(module, "_REPOSITORIES", 2)
    waiting = Waiting()
    for number in range(5):
        with waiting.render(f"{number}"):
            assert waiting.pending[f"{number}"] == 1
    assert waiting.pending == {"0": 0, "1": 0}


def test_waits_fall_into_upstreams_buckets():
    waiting = Waiting()
    for took_s in (0, 0.1, 3, 120, 121):
        waiting.waited(took_s)
    counts = dict(zip((*BUCKETS, "more", "sum"), waiting.waits, strict=True))
    assert {most: count for most, count in counts.items() if count} == {0.1: 2, 4: 1, 120: 1, "more": 1, "sum": 244.1}


def test_each_wait_for_a_place_is_told_also_where_it_was_given_up():
    async def story():
        waits = []
        places = Places(1, 1, 60.0, waits.append)

        async def render(number):
            await places.run(number, lambda: asyncio.sleep(2))

        async with task_group() as group:
            asked = [group.create_task(render(number)) for number in range(3)]
            await asyncio.sleep(1)
            asked[1].cancel()
        assert waits == [0, 1, 2]

    run_virtually(story)
