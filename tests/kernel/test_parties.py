"""Nobody has all the looks."""

from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.parties import Parties
from plumbline.kernel.queue import Queue


def parties(most=2):
    queue = Queue(LoopClock(), Ids(7))
    return queue, Parties(queue, lambda key: key[0], most)


async def looked_at(queue, made):
    """Everything that may be looked at now."""
    found = []
    while len(queue):
        key, _ = await queue.take()
        if made.begins(key):
            found.append(key)
    return found


def test_what_is_beyond_what_one_may_have_comes_when_one_of_them_is_over():
    async def story():
        queue, made = parties()
        for key in ("a1", "a2", "a3", "a4", "b1"):
            queue.add(key)
        assert await looked_at(queue, made) == ["a1", "a2", "b1"]
        made.ended("b1")
        assert await looked_at(queue, made) == []
        made.ended("a1")
        assert await looked_at(queue, made) == ["a3"]
        made.ended("a2")
        made.ended("a3")
        assert await looked_at(queue, made) == ["a4"]
        made.ended("a4")
        assert len(queue) == 0
        assert queue.working == frozenset()

    run_virtually(story)


def test_what_was_asked_for_again_while_it_was_put_aside_comes_once():
    async def story():
        queue, made = parties(most=1)
        for key in ("a1", "a2"):
            queue.add(key)
        assert await looked_at(queue, made) == ["a1"]
        for _ in range(3):
            queue.add("a2")
            assert await looked_at(queue, made) == []
        made.ended("a1")
        assert await looked_at(queue, made) == ["a2"]
        made.ended("a2")
        assert len(queue) == 0

    run_virtually(story)
