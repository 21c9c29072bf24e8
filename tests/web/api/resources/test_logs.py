"""Logs: of one pod or of all behind a workload, in order, filtered, and only for as long as somebody may read them."""

import asyncio
from contextlib import AsyncExitStack, aclosing

import pytest
from tests.web.api.resources.scene import deployment, told

from plumbline.base.errors import NotFound
from plumbline.base.json import decode
from plumbline.base.virtualtime import run_virtually
from plumbline.web.api.resources.logs import merging, serving
from plumbline.web.api.resources.logs.entries import Entry, parsed
from plumbline.web.api.resources.logs.merging import Merger

FILES = {"web/a.yaml": deployment(replicas=2)}


@told(files=FILES)
async def test_lines_of_all_pods_come_in_the_order_of_time_with_the_name_of_each(scene):
    await scene.place.settle(30)
    entries = await scene.lines("logs?kind=Deployment&group=apps&resourceName=web", who="rita")
    *lines, last = entries
    assert last["last"] is True
    assert last["content"] == ""
    assert {each["podName"] for each in lines} == {each["name"] for each in await scene.pods()}
    assert [each["timeStampStr"] for each in lines] == sorted(each["timeStampStr"] for each in lines)
    assert set(lines[0]) == {"content", "timeStamp", "last", "timeStampStr", "podName"}


@told(files=FILES)
async def test_one_pod_is_read_by_its_name(scene):
    pod = (await scene.pods())[0]["name"]
    entries = await scene.lines(f"pods/{pod}/logs?namespace=shop&container=main&tailLines=1")
    assert {each["podName"] for each in entries[:-1]} == {pod}
    assert len(entries) == 2
    assert len(await scene.lines("pods/another/logs")) == 1


@told(files=FILES)
async def test_lines_are_filtered_and_end_at_a_time(scene):
    await scene.place.settle(30)
    every = (await scene.lines("logs"))[:-1]
    word = every[0]["content"].split()[0]
    kept = (await scene.lines(f"logs?filter={word.upper()}"))[:-1]
    assert kept
    assert all(word in each["content"] for each in kept)
    assert not (await scene.lines(f"logs?filter={word.upper()}&matchCase=true"))[:-1]
    without = (await scene.lines(f"logs?filter=!{word}"))[:-1]
    assert len(kept) + len(without) == len(every)
    until = every[0]["timeStamp"]
    ended = await scene.lines(f"logs?untilTime={until}")
    assert len(ended) <= len(every) + 1
    assert ended[-1]["last"] is True


@told(files=FILES)
async def test_logs_take_a_right_of_their_own(scene):
    assert (await scene.ask("GET", "logs", who="peer")).status == 403
    assert (await scene.ask("GET", "resource-tree", who="peer")).status == 200


BAD = ["tailLines=many", "sinceSeconds=-1", "untilTime=yesterday", "follow=perhaps"]


@told(files=FILES)
async def test_what_cannot_be_read_is_refused(scene):
    for each in BAD:
        assert (await scene.ask("GET", f"logs?{each}")).status == 400, each


@told(files=FILES)
async def test_too_many_pods_are_refused(scene):
    body = {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "argocd-cm"},
        "data": {"server.maxPodLogsToRender": "1"},
    }
    await scene.place.create("v1/configmaps", body, "argocd")
    await scene.place.settle(1)
    assert (await scene.ask("GET", "logs")).status == 400


@told(files=FILES)
async def test_too_many_readers_are_told_to_come_back(scene):
    scene.api._logs._open = serving._MOST_STREAMS
    answered = await scene.ask("GET", "logs")
    assert answered.status == 429
    assert answered.headers["Retry-After"]


@told(files=FILES)
async def test_one_person_does_not_keep_others_from_reading(scene):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(serving, "_MOST_EACH", 2)
        await one_person_reads(scene)


async def one_person_reads(scene):
    async with AsyncExitStack() as reading:
        for _ in range(2):
            answered = await scene.ask("GET", "logs?follow=true", who="rita")
            await anext(await reading.enter_async_context(aclosing(answered.stream)))
        assert (await scene.ask("GET", "logs", who="rita")).status == 429
        other = await scene.ask("GET", "logs", who="ada")
        assert other.status == 200
        await other.stream.aclose()
    assert (await scene.ask("GET", "logs", who="rita")).status == 200
    assert not scene.api._logs._readers


async def follow(scene, seconds, before=lambda: None, who="rita", **headers):
    """What came, and whether it ended by itself within so many seconds."""
    answered = await scene.ask("GET", "logs?follow=true", who=who, **headers)
    before()
    got = []
    try:
        async with asyncio.timeout(seconds), aclosing(answered.stream) as pieces:
            async for piece in pieces:  # what came before time was up counts
                got += [piece]
    except TimeoutError:
        return got, False
    return got, True


@told(files=FILES)
async def test_followed_logs_go_on(scene):
    got, ended = await follow(scene, 120)
    assert got
    assert not ended
    assert scene.api._logs._open == 0


@told(files=FILES)
async def test_a_stream_ends_within_thirty_seconds_of_the_session(scene):
    """Row 32."""
    _, ended = await follow(scene, 30, lambda: scene.absent.add("rita"))
    assert ended


@told(files=FILES)
async def test_a_stream_ends_within_thirty_seconds_of_the_right(scene):
    _, ended = await follow(scene, 30, lambda: scene.allow("p, rita, logs, get, default/web, deny\n"))
    assert ended


@told(files=FILES)
async def test_browsers_get_events(scene):
    got, _ = await follow(scene, 60, accept="text/event-stream")
    whole = b"".join(got)
    blocks = [each for each in whole.split(b"\n\n") if each]
    assert all(each.startswith((b"data: ", b":")) for each in blocks)
    assert decode(next(each for each in blocks if each.startswith(b"data: "))[6:])["result"]["podName"]


def entry(stamp, pod="a"):
    return Entry(f"2026-01-01T00:00:{stamp}Z", pod, "said")


async def said(*entries, after_s=0.0, then=None):
    await asyncio.sleep(after_s)
    for each in entries:
        yield each
    if then is not None:
        raise then


async def gathered(*streams):
    return [each async for batch in Merger(list(streams), 10).batches() for each in batch]


def test_times_are_put_in_order_though_they_leave_out_zeros():
    async def main():
        found = await gathered(said(entry("01"), entry("01.5")), said(entry("01.25", "b"), entry("02", "b")))
        assert [each.stamp[17:] for each in found] == ["01Z", "01.25Z", "01.5Z", "02Z"]

    run_virtually(main)


def test_a_stream_that_is_silent_holds_up_nobody_for_long():
    async def main():
        found = await gathered(said(entry("05")), said(entry("01", "b"), after_s=merging.PATIENCE_S * 5))
        assert [each.pod for each in found] == ["a", "b"]

    run_virtually(main)


def test_a_stream_that_fails_says_why():
    async def main():
        found = await gathered(said(entry("01"), then=NotFound("the container is waiting to start")))
        assert found[-1].text == "the container is waiting to start"

    run_virtually(main)


def test_who_reads_slowly_holds_up_the_source_and_not_the_memory():
    taken = 0

    async def endless():
        nonlocal taken
        while True:
            taken += 1
            yield entry("01")

    async def main():
        async with aclosing(Merger([endless()], 10).batches()) as batches:
            async for _ in batches:
                await asyncio.sleep(5)
                break

    run_virtually(main)
    assert taken <= merging._AHEAD + merging._BATCH + 2


@pytest.mark.parametrize(
    ("line", "expected", "why"),
    [
        ("2026-01-01T00:00:00.5Z hello there", ["hello there"], "the time goes before the words"),
        ("2026-01-01T00:00:00Z one\rtwo", ["one", "two"], "a line that redraws itself is several"),
        ("no time at all", ["no time at all"], "what has no time is kept whole"),
        ("2026-01-01T00:00:00Z", [""], "an empty line is a line"),
    ],
)
def test_lines_are_read(line, expected, why):
    assert [each.text for each in parsed(line, "pod")] == expected, why


def test_what_terminals_would_obey_is_only_text_in_json():
    """Row 19: logs hold anything; they leave as JSON, which escapes it."""
    written = Entry("", "pod", "\x1b[31m<script>").written(event=False)
    assert b"\x1b" not in written
    assert decode(written)["result"]["content"] == "\x1b[31m<script>"
    assert decode(written)["result"]["timeStamp"] is None
