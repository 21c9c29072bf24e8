"""A copy kept from what `follow` yields is right whatever happens in between."""

from contextlib import aclosing
from urllib.parse import parse_qs

import pytest

from plumbline.base.errors import Forbidden, Unreachable
from plumbline.base.tasks import task_group
from plumbline.kube.client import Interrupted, Selection, Synced, Target, WatchEvent, following
from plumbline.kube.names import GroupVersionResource

CONFIGMAPS = Target(GroupVersionResource("", "v1", "configmaps"), "a")
LOST = Unreachable("it broke off")


def event(kind, name="", version="5", **more):
    metadata = {"name": name, "namespace": "a", "uid": f"uid-{name}", "resourceVersion": version}
    return {"type": kind, "object": {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata | more}}


def complete(version):
    return event("BOOKMARK", version=version, annotations={"k8s.io/initial-events-end": "true"})


def status(code, reason="", **more):
    return {"kind": "Status", "code": code, "reason": reason, "message": "m"} | more


def a_list(version, *names):
    items = [
        {"metadata": {"name": name, "namespace": "a", "uid": f"uid-{name}", "resourceVersion": "1"}} for name in names
    ]
    return {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": version}, "items": items}


def told(seen):
    match seen:
        case WatchEvent():
            return f"{seen.type} {seen.name}".strip()
        case Synced():
            return f"synced {','.join(sorted(name for _, name in seen.present))}{' again' if seen.again else ''}"
        case Interrupted():
            return f"interrupted {seen.error.code}"


@pytest.fixture
def watcher(client, scripted, clock):
    """Follow until so many things were told; virtual time passes as needed."""

    async def follow(count, selection=Selection(), target=CONFIGMAPS):  # noqa: B008 - a frozen value
        seen = []

        async def read():
            async with aclosing(client.follow(target, selection)) as events:
                async for each in events:
                    seen.append(each)
                    if len(seen) == count:
                        return

        async with task_group() as tasks:
            task = tasks.create_task(read())
            for _ in range(2000):
                if task.done():
                    break
                await clock.advance(0.5)
            else:
                task.cancel()
        return seen

    return follow


def asked(scripted):
    return [{key: value[0] for key, value in parse_qs(request.query).items()} for request in scripted.requests]


async def test_the_state_comes_first_then_what_changes(watcher, scripted):
    scripted.streams_out(event("ADDED", "x"), event("ADDED", "y"), complete("9"), event("MODIFIED", "x", "10"), None)
    seen = await watcher(4)
    assert [told(each) for each in seen] == ["ADDED x", "ADDED y", "synced x,y", "MODIFIED x"]
    assert seen[2] == Synced("9", frozenset({("a", "x"), ("a", "y")}), again=False)
    assert len(scripted.requests) == 1, "one connection for the state and for what follows"
    assert scripted.streams[0].closed


async def test_a_watch_that_ends_goes_on_where_it_was(watcher, scripted):
    scripted.streams_out(complete("9"), event("ADDED", "x", "12"), event("BOOKMARK", version="20"))
    scripted.streams_out(event("DELETED", "x", "21"), None)
    seen = await watcher(4)
    assert [told(each) for each in seen] == ["synced ", "ADDED x", "BOOKMARK", "DELETED x"]
    assert asked(scripted)[1]["resourceVersion"] == "20"
    assert "sendInitialEvents" not in asked(scripted)[1]


async def test_a_broken_connection_is_told_and_goes_on_where_it_was(watcher, scripted):
    scripted.streams_out(complete("9"), event("ADDED", "x", "12"), LOST)
    scripted.says(a_list("30"))
    scripted.streams_out(event("MODIFIED", "x", "13"), None)
    seen = await watcher(4)
    assert [told(each) for each in seen] == ["synced ", "ADDED x", "interrupted unreachable", "MODIFIED x"]
    assert 0 < seen[2].again_in_s <= 0.75
    assert asked(scripted)[1] == {"limit": "1", "resourceVersion": "12", "resourceVersionMatch": "NotOlderThan"}
    assert asked(scripted)[2]["resourceVersion"] == "12"


@pytest.mark.parametrize("how", ["event", "answer"])
async def test_a_forgotten_place_brings_the_whole_state_once_more(watcher, scripted, how):
    scripted.streams_out(event("ADDED", "x"), event("ADDED", "y"), complete("9"), event("BOOKMARK", version="10"))
    if how == "event":
        scripted.streams_out({"type": "ERROR", "object": status(410, "Expired")})
    else:
        scripted.says(status(410, "Expired"), 410)
    scripted.streams_out(event("ADDED", "y"), event("ADDED", "z", "40"), complete("41"), None)
    # The place was forgotten without anything heard since: that could go in circles, so there is a pause.
    seen = await watcher(8)
    assert [told(each) for each in seen][4:] == ["interrupted expired", "ADDED y", "ADDED z", "synced y,z again"]
    vanished = {("a", "x"), ("a", "y")} - seen[-1].present
    assert vanished == {("a", "x")}


async def test_a_place_forgotten_while_events_came_is_listed_again_at_once(watcher, scripted):
    scripted.streams_out(complete("9"), event("ADDED", "x", "10"), {"type": "ERROR", "object": status(410, "Expired")})
    scripted.streams_out(event("ADDED", "x", "10"), complete("41"), None)
    assert [told(each) for each in await watcher(4)] == ["synced ", "ADDED x", "ADDED x", "synced x again"]


@pytest.mark.parametrize(
    "refusal",
    [
        status(422, "Invalid"),
        status(400, "BadRequest"),
        status(500, "InternalError"),
        status(504, "Timeout", details={"causes": [{"reason": "ResourceVersionTooLarge"}]}),
    ],
)
@pytest.mark.parametrize("how", ["event", "answer"])
async def test_a_server_that_cannot_stream_its_state_is_listed_and_watched(watcher, scripted, refusal, how):
    if how == "event":
        scripted.streams_out(event("ADDED", "x"), {"type": "ERROR", "object": refusal})
    else:
        scripted.says(refusal, refusal["code"])
    scripted.says(a_list("9", "x", "y"))
    scripted.streams_out(event("DELETED", "x", "10"), LOST)
    scripted.says(a_list("10"))
    scripted.streams_out(event("ADDED", "x", "11"), {"type": "ERROR", "object": status(410)})
    scripted.says(a_list("12", "z"))
    scripted.streams_out(None)
    seen = [told(each) for each in await watcher(8 if how == "answer" else 9)]
    assert seen[-8:] == [
        "ADDED x",
        "ADDED y",
        "synced x,y",
        "DELETED x",
        "interrupted unreachable",
        "ADDED x",
        "ADDED z",
        "synced z again",
    ]
    assert [("sendInitialEvents" in query) for query in asked(scripted)].count(True) == 1, "it is asked only once"


async def test_a_state_that_never_completes_is_listed(watcher, scripted, monkeypatch):
    monkeypatch.setattr(following, "_INITIAL_SILENCE_S", 0.01)
    scripted.streams_out(event("ADDED", "x"), None)
    scripted.says(a_list("9", "x"))
    scripted.streams_out(None)
    assert [told(each) for each in await watcher(3)] == ["ADDED x", "ADDED x", "synced x"]


async def test_a_state_that_is_cut_short_is_listed(watcher, scripted):
    scripted.streams_out(event("ADDED", "x"))
    scripted.says(a_list("9", "x"))
    scripted.streams_out(None)
    assert [told(each) for each in await watcher(3)] == ["ADDED x", "ADDED x", "synced x"]


async def test_changes_before_the_state_is_complete_count(watcher, scripted):
    scripted.streams_out(
        event("ADDED", "x"),
        event("ADDED", "y"),
        event("DELETED", "x"),
        event("MODIFIED", "z"),
        event("BOOKMARK"),
        complete("9"),
    )
    scripted.streams_out(None)
    assert told((await watcher(6))[-1]) == "synced y,z"


async def test_a_history_that_was_replaced_is_noticed_when_versions_go_back(watcher, scripted):
    scripted.streams_out(complete("900"), event("ADDED", "x", "901"), event("ADDED", "y", "17"))
    scripted.streams_out(event("ADDED", "y", "17"), complete("18"), None)
    assert [told(each) for each in await watcher(4)] == ["synced ", "ADDED x", "ADDED y", "synced y again"]


async def test_a_history_that_was_replaced_is_noticed_after_a_break(watcher, scripted):
    """A restored server accepts a watch from its own future, and is silent."""
    scripted.streams_out(complete("900"), event("ADDED", "x", "901"), LOST)
    causes = {"causes": [{"reason": "ResourceVersionTooLarge"}]}
    scripted.says(status(504, "Timeout", details=causes), 504, retry_after=1)
    scripted.streams_out(event("ADDED", "y", "17"), complete("18"), None)
    seen = [told(each) for each in await watcher(6)]
    assert seen == ["synced ", "ADDED x", "interrupted unreachable", "interrupted expired", "ADDED y", "synced y again"]


async def test_whoever_may_watch_but_not_list_can_follow(watcher, scripted):
    scripted.streams_out(complete("9"), LOST)
    scripted.says(status(403, "Forbidden"), 403)
    scripted.streams_out(event("ADDED", "x", "10"), None)
    assert [told(each) for each in await watcher(3)] == ["synced ", "interrupted unreachable", "ADDED x"]


async def test_versions_that_are_no_numbers_are_left_alone(watcher, scripted):
    scripted.streams_out(complete("zz"), event("ADDED", "x", "b"), event("ADDED", "y", "a"), None)
    assert [told(each) for each in await watcher(3)] == ["synced ", "ADDED x", "ADDED y"]


async def test_a_refusal_is_told_again_and_again_ever_less_often(watcher, scripted):
    for _ in range(8):
        scripted.says(status(403, "Forbidden"), 403)
    seen = await watcher(8)
    assert all(isinstance(each.error, Forbidden) for each in seen)
    assert seen[0].again_in_s <= 0.75
    assert 12 < seen[-1].again_in_s <= 45


async def test_success_resets_the_wait(watcher, scripted):
    for _ in range(6):
        scripted.fails(Unreachable("no", sent=True))
        scripted.script.extend([Unreachable("no")] * 3)
    scripted.streams_out(complete("9"), event("ADDED", "x", "10"), LOST)
    seen = await watcher(9)
    assert told(seen[-1]) == "interrupted unreachable"
    assert seen[-1].again_in_s <= 0.75 < seen[5].again_in_s


async def test_a_server_that_hangs_up_at_once_is_not_hammered(watcher, scripted, clock):
    scripted.streams_out(complete("9"))
    for _ in range(6):
        scripted.streams_out()
    scripted.streams_out(event("ADDED", "x", "10"), None)
    began_s = clock.monotonic()
    assert [told(each) for each in await watcher(2)] == ["synced ", "ADDED x"]
    assert clock.monotonic() - began_s > 10


async def test_one_object_can_be_followed(watcher, scripted):
    scripted.says(status(422, "Invalid"), 422)
    scripted.says(a_list("9"))
    scripted.streams_out(None)
    await watcher(1, Selection(fields="a=b"), CONFIGMAPS._replace(name="x"))
    assert [query["fieldSelector"] for query in asked(scripted)] == ["a=b,metadata.name=x"] * 2


async def test_metadata_alone_can_be_followed(watcher, scripted):
    scripted.streams_out(complete("9"), None)
    await watcher(1, Selection(metadata_only=True))
    assert "as=PartialObjectMetadata;" in dict(scripted.requests[0].headers)["Accept"]
