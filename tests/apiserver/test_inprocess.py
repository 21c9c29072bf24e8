"""The control plane as a transport: what `kube.client` may rely on without a socket in between."""

import asyncio

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call, impersonation, parsed_query
from plumbline.apiserver.inprocess import InProcessTransport
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.resources.resource import Collection
from plumbline.base.errors import TimedOut
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kube.client.transport import Request

CM = "/api/v1/namespaces/default/configmaps"
MAPS = Collection("", "configmaps")


def on_a_plane(test):
    """Run *test* with a plane on virtual time."""

    def run():
        async def main():
            plane = Plane(LoopClock(), Ids(1), controllers=False)
            async with plane.running():
                await test(plane)

        run_virtually(main)

    run.__name__ = test.__name__
    return run


def config(name: str) -> bytes:
    return encode({"metadata": {"name": name}})


def post(name: str, *headers: tuple[str, str]) -> Request:
    return Request("POST", CM, headers=(("Content-Type", "application/json"), *headers), body=config(name))


@on_a_plane
async def test_requests_are_answered_as_over_a_socket(plane):
    transport = plane.transport()
    made = await transport.send(post("a"))
    assert (made.status, decode(made.body)["metadata"]["name"]) == (201, "a")
    assert made.headers["content-type"] == "application/json"
    assert made.headers["cache-control"] == "no-cache, private"
    missing = await transport.send(Request("GET", f"{CM}/none"))
    assert missing.status == 404
    await transport.close()


@on_a_plane
async def test_paths_are_decoded_once(plane):
    transport = plane.transport()
    await transport.send(post("a"))
    assert (await transport.send(Request("GET", f"{CM}/%61"))).status == 200
    assert (await transport.send(Request("GET", f"{CM}/%2561"))).status == 400


@on_a_plane
async def test_whose_requests_they_are_is_told_to_the_transport(plane):
    ann = plane.transport(Identity("ann"))
    assert (await ann.send(Request("GET", CM))).status == 403
    nobody = InProcessTransport(plane.answer)
    assert (await nobody.send(Request("GET", CM))).status == 401


@on_a_plane
async def test_an_administrator_may_be_somebody_else(plane):
    headers = (("Impersonate-User", "ann"), ("Impersonate-Group", "crew"), ("Impersonate-Group", "pilots"))
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    asked = Request("POST", path, headers=(("Content-Type", "application/json"), *headers), body=b"{}")
    who = decode((await plane.transport().send(asked)).body)["status"]["userInfo"]
    assert (who["username"], who["groups"]) == ("ann", ["crew", "pilots", "system:authenticated"])


@on_a_plane
async def test_warnings_are_all_there(plane):
    body = encode({"metadata": {"name": "a"}, "one": 1, "two": 2})
    asked = Request("POST", CM, headers=(("Content-Type", "application/json"),), body=body)
    reply = await plane.transport().send(asked)
    assert reply.warnings == ('299 - "unknown field \\"one\\""', '299 - "unknown field \\"two\\""')


@on_a_plane
async def test_a_stream_gives_changes_until_it_is_closed(plane):
    transport = plane.transport()
    reply = await transport.send(Request("GET", CM, "watch=1", stream_s=60))
    assert reply.stream is not None
    pieces = aiter(reply.stream)
    await transport.send(post("a"))
    assert decode(await anext(pieces))["type"] == "ADDED"
    assert len(plane.store._watchers[MAPS]) == 1
    await reply.stream.close()
    await reply.stream.close()
    assert [piece async for piece in pieces] == []
    assert len(plane.store._watchers[MAPS]) == 0


@on_a_plane
async def test_closing_ends_the_wait_for_what_never_comes(plane):
    reply = await plane.transport().send(Request("GET", CM, "watch=1", stream_s=60))
    assert reply.stream is not None
    stream = reply.stream

    async def close():
        await asyncio.sleep(5)
        await stream.close()

    async with task_group() as tasks:
        tasks.create_task(close())
        assert [piece async for piece in stream] == []
    assert len(plane.store._watchers[MAPS]) == 0


@on_a_plane
async def test_a_stream_that_ends_by_itself_ends(plane):
    reply = await plane.transport().send(Request("GET", CM, "watch=1&timeoutSeconds=3", stream_s=60))
    assert [piece async for piece in reply.stream] == []


@on_a_plane
async def test_a_reader_that_is_cancelled_leaves_no_watcher_behind(plane):
    reply = await plane.transport().send(Request("GET", CM, "watch=1", stream_s=60))

    async def read():
        async for _ in reply.stream:
            pass

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await read()
    assert len(plane.store._watchers[MAPS]) == 0


@on_a_plane
async def test_an_answer_that_does_not_come_in_time_is_an_error(plane):
    async def never(_: Call) -> Answer:
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits that long")

    with pytest.raises(TimedOut):
        await InProcessTransport(never, ADMIN).send(Request("GET", CM, deadline_s=1))


@on_a_plane
async def test_what_the_guard_raises_keeps_the_request_back(plane):
    def no() -> None:
        raise TimedOut("no longer wanted")

    with pytest.raises(TimedOut):
        await plane.transport().send(Request("DELETE", CM, guard=no))


QUERIES = [
    ("", {}, "nothing"),
    ("a=1&a=2&b", {"a": ["1", "2"], "b": [""]}, "repeated, and without a value"),
    ("a=1+2%20%2B", {"a": ["1 2 +"]}, "spaces in two ways"),
    ("&&a=1&", {"a": ["1"]}, "nothing in between"),
    ("a=1;b=2&c=3", {"c": ["3"]}, "the old way to separate is none"),
    ("a=%zz&b=1&%=2&c=%4", {"b": ["1"]}, "what is broken is not there"),
    ("=1&a==2", {"": ["1"], "a": ["=2"]}, "without a name, with a second sign"),
    ("a=%ff", {"a": ["\ufffd"]}, "not text"),
]


@pytest.mark.parametrize(("query", "expected", "why"), QUERIES)
def test_queries_are_read_as_go_reads_them(query, expected, why):
    assert parsed_query(query) == expected, why


def test_what_is_shown_of_calls_and_answers_holds_no_secret():
    call = Call("POST", CM, headers={"authorization": "Bearer secret"}, body=b"secret")
    assert "secret" not in repr(call)
    assert "secret" not in repr(Answer(200, b"secret"))
    assert call.parameter("none") == ""


def test_only_headers_that_say_who_to_be_may_come_often():
    headers = [("accept", "a"), ("impersonate-group", "a"), ("impersonate-group", "b")]
    assert impersonation(headers) == headers[1:]
