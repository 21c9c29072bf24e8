"""Rendering once: what is known is not made again, what is under way is joined, and what is broken is left alone."""

import asyncio

import pytest
from tests.render.samples import request_for

from plumbline.base.errors import InvalidInput, PlumblineError, TimedOut, ToolMissing
from plumbline.base.tasks import task_group
from plumbline.render import Bounds, Origin, Output, Renderer
from plumbline.render.kept import Kept
from plumbline.render.requests import Found


class Pretending:
    """A tool that is told what to do, and when."""

    def __init__(self, *, heavy=True):
        self.heavy = heavy
        self.error = None
        self.running = 0
        self.most = 0
        self.go = asyncio.Event()
        self.go.set()
        self.objects = 1

    def inputs(self, request):
        return (request.place,)

    async def render(self, request):
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.go.wait()
            if self.error is not None:
                raise self.error
        finally:
            self.running -= 1
        body = {"apiVersion": "v1", "kind": "A", "metadata": {"name": request.place}}
        return Output(tuple(Found(body, Origin("a", number)) for number in range(self.objects)), ("careful",))


@pytest.fixture
def tool():
    return Pretending()


@pytest.fixture
def renderer(tool, clock):
    return Renderer({"Directory": tool}, clock)


def folder(name):
    return request_for({f"{name}/x": ""}, name)


async def turns():
    for _ in range(10):
        await asyncio.sleep(0)


async def test_the_same_request_is_rendered_once(renderer):
    first = await renderer.render(folder("a"))
    assert await renderer.render(folder("a")) is first
    assert (renderer.counts.renders, renderer.counts.hits) == (1, 1)
    assert (first.key, first.warnings) == (renderer.key(folder("a")), ("careful",))


async def test_others_are_rendered_for_themselves(renderer):
    await renderer.render(folder("a"))
    await renderer.render(folder("b"))
    assert (renderer.counts.renders, renderer.counts.hits) == (2, 0)


async def test_what_is_under_way_is_joined(renderer, tool):
    tool.go.clear()
    async with task_group() as group:
        asked = [group.create_task(renderer.render(folder("a"))) for _ in range(5)]
        await turns()
        tool.go.set()
    assert len({id(each.result()) for each in asked}) == 1
    assert (renderer.counts.renders, renderer.counts.joined) == (1, 4)


async def test_what_was_under_way_when_it_was_forgotten_is_not_joined(renderer, tool):
    tool.go.clear()
    async with task_group() as tasks:
        before = tasks.create_task(renderer.render(folder("a")))
        await turns()
        renderer.forget(renderer.key(folder("a")))
        after = tasks.create_task(renderer.render(folder("a")))
        await turns()
        tool.go.set()
    assert renderer.counts.renders == 2
    assert before.result() is not after.result()
    assert await renderer.render(folder("a")) is after.result()


async def test_what_is_under_way_is_pending(renderer, tool):
    tool.go.clear()
    async with task_group() as group:
        for name in "aab":
            group.create_task(renderer.render(folder(name)))
        await turns()
        assert sum(renderer.waiting.pending.values()) == 2
        tool.go.set()
    assert sum(renderer.waiting.pending.values()) == 0
    assert sum(renderer.waiting.waits[:-1]) == 2


async def test_when_the_one_who_renders_is_cancelled_the_next_one_does_it(renderer, tool):
    tool.go.clear()
    async with task_group() as group:
        first = group.create_task(renderer.render(folder("a")))
        await turns()
        others = [group.create_task(renderer.render(folder("a"))) for _ in range(3)]
        await turns()
        first.cancel()
        await turns()
        tool.go.set()
    assert {each.result().key for each in others} == {renderer.key(folder("a"))}
    assert renderer.counts.renders == 2


async def test_heavy_tools_run_two_at_a_time_and_light_ones_freely(clock):
    for heavy, most in ((True, 2), (False, 6)):
        tool = Pretending(heavy=heavy)
        tool.go.clear()
        renderer = Renderer({"Directory": tool}, clock)
        async with task_group() as group:
            for number in range(6):
                group.create_task(renderer.render(folder(f"f{number}")))
            await turns()
            tool.go.set()
        assert (tool.most, renderer.counts.renders) == (most, 6)


async def failed(renderer, name="a"):
    with pytest.raises(PlumblineError) as raised:
        await renderer.render(folder(name))
    return raised.value


async def test_a_broken_source_is_not_rendered_in_a_loop(renderer, tool, clock):
    tool.error = InvalidInput("broken")
    said = [await failed(renderer) for _ in range(5)]
    assert {str(error) for error in said} == {"broken"}
    assert (renderer.counts.renders, renderer.counts.failures, renderer.counts.hits) == (1, 1, 4)
    await clock.advance(601)
    tool.error = None
    await renderer.render(folder("a"))
    assert renderer.counts.renders == 2


async def test_another_commit_is_another_attempt(renderer, tool):
    tool.error = InvalidInput("broken")
    await failed(renderer, "a")
    tool.error = None
    await renderer.render(folder("b"))
    assert renderer.counts.renders == 2


async def test_what_may_go_better_is_tried_again_soon(renderer, tool, clock):
    tool.error = TimedOut("slow")
    await failed(renderer)
    await failed(renderer)
    assert renderer.counts.renders == 1
    await clock.advance(11)
    await failed(renderer)
    assert renderer.counts.renders == 2


async def test_a_failure_is_shared_by_those_who_wait_for_it(renderer, tool):
    tool.error = InvalidInput("broken")
    tool.go.clear()
    async with task_group() as group:
        asked = [group.create_task(failed(renderer)) for _ in range(3)]
        await turns()
        tool.go.set()
    assert len(asked) == 3
    assert (renderer.counts.renders, renderer.counts.joined) == (1, 2)


async def test_a_bug_is_no_failure_and_is_not_kept(renderer, tool):
    tool.error = RuntimeError("bug")
    for _ in range(2):
        with pytest.raises(RuntimeError):
            await renderer.render(folder("a"))
    assert (renderer.counts.renders, renderer.counts.failures) == (2, 0)


async def test_what_is_forgotten_is_rendered_again(renderer):
    rendered = await renderer.render(folder("a"))
    renderer.forget(rendered.key)
    renderer.forget(rendered.key)
    await renderer.render(folder("a"))
    assert renderer.counts.renders == 2


async def test_what_was_not_asked_for_longest_goes_first(tool, clock):
    renderer = Renderer({"Directory": tool}, clock, Bounds(kept_bytes=1300))
    for name in ("a", "b", "a", "c", "a", "b"):
        await renderer.render(folder(name))
    assert (renderer.counts.renders, renderer.counts.hits) == (4, 2)


async def test_many_objects_are_encoded_too(renderer, tool):
    tool.objects = 1001
    assert len((await renderer.render(folder("a"))).objects) == 1001


async def test_an_object_that_no_server_could_take_is_a_failure(renderer, tool):
    with pytest.raises(InvalidInput, match="name may not be empty"):
        await renderer.render(request_for({"x": ""}))
    assert renderer.counts.failures == 1


async def test_a_type_that_nothing_renders_is_refused(renderer):
    with pytest.raises(ToolMissing, match="Plugin"):
        await renderer.render(request_for({"x": ""}, plugin={"name": "mine"}))
    with pytest.raises(ToolMissing, match="Helm"):
        renderer.key(request_for({"Chart.yaml": ""}))


def test_kept_values_are_bounded_in_weight():
    kept = Kept(10)
    for key, weight in (("a", 4), ("b", 4), ("a", 2), ("c", 4), ("d", 11)):
        kept.put(key, key.upper(), weight)
    assert (kept.get("a"), kept.get("b"), kept.get("c"), kept.get("d")) == ("A", "B", "C", None)
    assert (len(kept), kept.weight) == (3, 10)
    kept.put("e", "E", 2)
    assert (kept.get("a"), kept.weight) == (None, 10)
    kept.drop("b")
    kept.drop("b")
    assert kept.get("b") is None
