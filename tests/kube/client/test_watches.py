import asyncio
import sys
import tracemalloc
from contextlib import aclosing
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import (
    Expired,
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    PlumblineError,
    Unreachable,
)
from plumbline.base.json import decode, encode
from plumbline.kube.client import Selection, Target
from plumbline.kube.client.watching import _Lines
from plumbline.kube.names import GroupVersionResource

CONFIGMAPS = Target(GroupVersionResource("", "v1", "configmaps"), "a")


def event(kind, name="x", version="5", **more):
    metadata = {"name": name, "namespace": "a", "uid": f"uid-{name}", "resourceVersion": version}
    return {"type": kind, "object": {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata | more}}


def error(code, reason="", **more):
    return {"type": "ERROR", "object": {"kind": "Status", "code": code, "reason": reason, "message": "m"} | more}


async def collected(events):
    async with aclosing(events):
        return [event async for event in events]


async def test_events_come_with_their_object_as_bytes(client, scripted):
    sent = [event("ADDED"), event("MODIFIED", version="6"), event("DELETED", version="7")]
    scripted.streams_out(*sent)
    got = await collected(client.watch(CONFIGMAPS, Selection(resource_version="4")))
    assert [(e.type, e.key, e.uid, e.resource_version) for e in got] == [
        ("ADDED", ("a", "x"), "uid-x", "5"),
        ("MODIFIED", ("a", "x"), "uid-x", "6"),
        ("DELETED", ("a", "x"), "uid-x", "7"),
    ]
    assert [decode(e.raw) for e in got] == [line["object"] for line in sent]
    assert scripted.streams[0].closed


async def test_a_watch_asks_for_bookmarks_and_for_an_end(client, scripted):
    scripted.streams_out()
    await collected(client.watch(CONFIGMAPS, Selection(resource_version="4", labels="a=b")))
    (request,) = scripted.requests
    assert parse_qs(request.query) == {
        "watch": ["true"],
        "allowWatchBookmarks": ["true"],
        "timeoutSeconds": ["290"],
        "resourceVersion": ["4"],
        "labelSelector": ["a=b"],
    }
    assert request.stream_s == 320.0, "the server has a margin to end it before we do"


async def test_a_watch_of_one_object_selects_it_by_name(client, scripted):
    scripted.streams_out()
    await collected(client.watch(CONFIGMAPS._replace(name="x"), Selection(fields="type=y")))
    (request,) = scripted.requests
    assert request.path == "/api/v1/namespaces/a/configmaps"
    assert parse_qs(request.query)["fieldSelector"] == ["type=y,metadata.name=x"]


async def test_the_initial_state_ends_with_a_marked_bookmark(client, scripted):
    marks = {"annotations": {"k8s.io/initial-events-end": "true"}}
    scripted.streams_out(event("ADDED"), event("BOOKMARK", version="8"), event("BOOKMARK", version="9", **marks))
    got = await collected(client.watch(CONFIGMAPS, initial=True))
    assert [e.completes for e in got] == [False, False, True]
    query = parse_qs(scripted.requests[0].query)
    assert (query["sendInitialEvents"], query["resourceVersionMatch"]) == (["true"], ["NotOlderThan"])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (error(410, "Expired"), Expired),
        (error(504, details={"causes": [{"reason": "ResourceVersionTooLarge"}]}), Expired),
        (error(403, "Forbidden"), Forbidden),
        (error(422, "Invalid"), InvalidInput),
        ({"type": "ERROR", "object": {"kind": "Pod"}}, GarbledReply),
        ({"type": "ADDED", "object": {"metadata": {}}}, GarbledReply),
        ({"type": "ADDED", "object": 5}, GarbledReply),
        ({"object": {}}, GarbledReply),
        (b"<html>\n", GarbledReply),
        (b'{"type":"ADDED","object":{"meta\n', GarbledReply),
        (b'{"type":"ADDED","object":' + b"[" * 100_000 + b"\n", GarbledReply),
        (b'{"type":"ADDED","obj', Unreachable),
        (Unreachable("it broke off"), Unreachable),
    ],
)
async def test_a_watch_that_goes_wrong_says_how_and_hangs_up(client, scripted, line, expected):
    scripted.streams_out(event("ADDED"), line)
    events = client.watch(CONFIGMAPS)
    assert (await anext(events)).type == "ADDED"
    with pytest.raises(PlumblineError) as caught:
        await anext(events)
    assert type(caught.value) is expected
    assert scripted.streams[0].closed


async def test_a_refused_watch_never_starts(client, scripted):
    scripted.says({"kind": "Status", "code": 410, "reason": "Expired"}, 410)
    with pytest.raises(Expired):
        await collected(client.watch(CONFIGMAPS))


async def test_an_answer_that_is_no_stream_is_garbled(client, scripted):
    scripted.says({})
    with pytest.raises(GarbledReply):
        await collected(client.watch(CONFIGMAPS))


async def test_a_watch_that_waits_keeps_nothing_of_what_it_has_told(client, scripted):
    piece = b"".join(encode(event("ADDED", name=name)) + b"\n" for name in "xyz")
    held_by_us = sys.getrefcount(piece)
    scripted.streams_out(piece, None)
    async with aclosing(client.watch(CONFIGMAPS)) as events:
        told = [(await anext(events)).name for _ in range(3)]
        waiting = asyncio.ensure_future(anext(events))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not scripted.streams[0].left
        assert (told, sys.getrefcount(piece)) == (["x", "y", "z"], held_by_us)
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_leaving_a_watch_hangs_up(client, scripted):
    scripted.streams_out(event("ADDED"), None)
    async with aclosing(client.watch(CONFIGMAPS)) as events:
        await anext(events)
    assert scripted.streams[0].closed


@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b"x")), max_size=8), st.data())
def test_lines_do_not_depend_on_how_they_were_cut(lines, data):
    whole = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    parts = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    cut = _Lines("/x")
    got = [line for part in parts if part for line in cut.completed_by(part)]
    cut.end()
    assert got == [line for line in lines if line]


def test_an_endless_line_is_cut_off_while_memory_stays_flat():
    lines = _Lines("/x", limit=1_000_000)

    def endless():
        while True:
            lines.completed_by(b"x" * 1000)

    tracemalloc.start()
    with pytest.raises(LimitExceeded):
        endless()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


async def test_an_event_never_prints_its_object(client, scripted):
    scripted.streams_out(event("ADDED", labels={"secret": "hunter2"}))
    (got,) = await collected(client.watch(CONFIGMAPS))
    assert repr(got) == "WatchEvent(ADDED a/x at 5)"
    assert encode({"secret": "hunter2"}) in got.raw
