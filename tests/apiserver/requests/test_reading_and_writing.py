"""Corners of requests that no script reaches."""

import asyncio
import functools

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Call
from plumbline.apiserver.door import Door
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.routes import route
from plumbline.apiserver.requests.tokens import LATEST, Token, behind, read, written
from plumbline.apiserver.requests.watching import Watch
from plumbline.apiserver.rooms.metrics import Tally
from plumbline.base.errors import EvaluationFailed, RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually

CM = "/api/v1/namespaces/default/configmaps"


def on_a_plane(test):
    @functools.wraps(test)
    def run():
        async def main():
            plane = Plane(LoopClock(), Ids(1), controllers=False)
            async with plane.running():
                await test(plane)

        run_virtually(main)

    del run.__wrapped__
    return run


async def ask(plane, method, path, body=None, query="", identity=ADMIN):
    headers = {"content-type": "application/json", "user-agent": "test/1"}
    payload = b"" if body is None else encode(body)
    return await plane.answer(Call(method, path, query, headers, payload, identity=identity))


@on_a_plane
async def test_without_keys_nobody_can_have_a_token_looked_at(plane):
    review = {"spec": {"token": "x"}}
    assert (await ask(plane, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)).status == 404


@on_a_plane
async def test_a_watch_that_breaks_says_so_and_ends(plane):
    broken = "a bug"

    def failing(*_):
        raise ZeroDivisionError(broken)

    await ask(plane, "POST", CM, {"metadata": {"name": "a"}})
    answer = await ask(plane, "GET", CM, query="watch=1")
    watch = answer.stream.ag_frame.f_locals["self"]
    assert isinstance(watch, Watch)
    watch._render = failing
    lines = [decode(line) async for piece in answer.stream for line in piece.splitlines()]
    assert [(line["type"], line["object"]["code"]) for line in lines] == [("ERROR", 500)]
    assert broken not in str(lines)
    assert not any(map(len, plane.store._watchers.values()))


class Slow:
    async def answer(self, *_):
        await asyncio.sleep(3600)


class Broken:
    async def answer(self, *_):
        raise EvaluationFailed("the expression did not end")


def test_a_request_has_a_minute_or_what_its_caller_says():
    async def story():
        door = Door([Slow()], Authorizer(), Ids(1), Tally())
        loop = asyncio.get_running_loop()
        for query, expected_s in (
            ("", 60),
            ("timeout=5s", 5),
            ("timeout=2h", 60),
            ("timeout=-1s", 60),
            ("timeout=0", 60),
        ):
            began = loop.time()
            answer = await door.answer(Call("GET", CM, query, identity=ADMIN))
            assert (answer.status, decode(answer.body)["reason"]) == (504, "Timeout")
            assert loop.time() - began == pytest.approx(expected_s), query

    run_virtually(story)


def test_what_lasts_as_long_as_somebody_listens_has_no_end():
    async def story():
        door = Door([Slow()], Authorizer(), Ids(1), Tally())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(600):
                await door.answer(Call("GET", "/api/v1/namespaces/default/pods/p/log", identity=ADMIN))

    run_virtually(story)


async def test_an_error_of_ours_is_told_without_its_inside():
    door = Door([Broken()], Authorizer(), Ids(1), Tally())
    answer = await door.answer(Call("GET", CM, identity=ADMIN))
    assert answer.status == 500
    assert decode(answer.body)["message"] == "Internal error occurred: the expression did not end"


@on_a_plane
async def test_who_may_see_one_object_may_list_it_alone(plane):
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"], "resourceNames": ["a"]}
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
    await ask(plane, "POST", f"{rbac}/roles", {"metadata": {"name": "one"}, "rules": [rule]})
    binding = {
        "metadata": {"name": "one"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "ann"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "one"},
    }
    await ask(plane, "POST", f"{rbac}/rolebindings", binding)
    ann = Identity("ann")
    for query, status in (
        ("fieldSelector=metadata.name%3Da", 200),
        ("fieldSelector=metadata.name%3Da&watch=1&timeoutSeconds=1", 200),
        ("fieldSelector=metadata.name%3Db", 403),
        ("fieldSelector=metadata.name!%3Da", 403),
        ("fieldSelector=x", 403),
        ("", 403),
    ):
        assert (await ask(plane, "GET", CM, query=query, identity=ann)).status == status, query


@on_a_plane
async def test_an_update_that_never_meets_a_quiet_moment_is_a_conflict(plane):
    writes = 10
    await ask(plane, "POST", CM, {"metadata": {"name": "a"}})
    store, count = plane.store, 0
    really = store.put

    async def contested(key, expected, body):
        """Somebody else is always a moment quicker."""
        nonlocal count
        if key.name == "a" and count < writes:
            count += 1
            await really(key, store.head(key), lambda revision: store.head(key).body)
        return await really(key, expected, body)

    store.put = contested
    answer = await ask(plane, "PUT", f"{CM}/a", {"metadata": {"name": "a"}, "data": {"k": "v"}})
    assert answer.status == 409
    assert "the object has been modified" in decode(answer.body)["message"]
    assert (await ask(plane, "PUT", f"{CM}/a", {"metadata": {"name": "a"}, "data": {"k": "w"}})).status == 409
    assert (await ask(plane, "PUT", f"{CM}/a", {"metadata": {"name": "a"}, "data": {"k": "x"}})).status == 200


@on_a_plane
async def test_a_deletion_that_never_meets_a_quiet_moment_is_a_conflict(plane):
    await ask(plane, "POST", CM, {"metadata": {"name": "a"}})
    store = plane.store
    really = store.remove

    async def contested(key, expected, last):
        await store.put(key, store.head(key), lambda revision: store.head(key).body)
        return await really(key, expected, last)

    store.remove = contested
    assert (await ask(plane, "DELETE", f"{CM}/a")).status == 409
    store.remove = really
    assert (await ask(plane, "DELETE", f"{CM}/a")).status == 200


@pytest.mark.parametrize("token", [Token(7, behind("ns/name")), Token(LATEST, behind("name")), Token(1, "a")])
def test_tokens_can_be_read_back(token):
    assert read(written(token)) == token


@pytest.mark.parametrize("text", ["", "A", "====", "e30", "bm90IGpzb24", "\u00e4", "x" * 100_000])
def test_texts_that_are_no_tokens_are_refused(text):
    with pytest.raises(RequestRefused) as refused:
        read(text)
    assert refused.value.status["code"] == 400
    assert refused.value.status["message"].startswith("invalid continue token: continue key is not valid: ")


ROUTES = [
    ("GET", "/api/v1/pods", ("list", "", "v1", "pods", "", "", ""), "all namespaces"),
    ("GET", "/api/v1/namespaces/a/pods/p", ("get", "", "v1", "pods", "a", "p", ""), "one"),
    ("HEAD", "/api/v1/nodes/n", ("get", "", "v1", "nodes", "", "n", ""), "reads as well"),
    ("PUT", "/api/v1/namespaces/a/finalize", ("update", "", "v1", "namespaces", "a", "a", "finalize"), "its own"),
    ("GET", "/api/v1/namespaces/a/status", ("get", "", "v1", "namespaces", "a", "a", "status"), "its own"),
    (
        "DELETE",
        "/apis/apps/v1/namespaces/a/deployments",
        ("deletecollection", "apps", "v1", "deployments", "a", "", ""),
        "",
    ),
    ("OPTIONS", "/apis/apps/v1/deployments", ("", "apps", "v1", "deployments", "", "", ""), "no verb"),
    ("POST", "/api/v1/watch/pods", ("watch", "", "v1", "pods", "", "", ""), "whatever the method"),
    ("GET", "/api/v1/namespaces/a/pods/p/proxy/x/y", ("get", "", "v1", "pods", "a", "p", "proxy"), "and more"),
]


@pytest.mark.parametrize(("method", "path", "expected", "why"), ROUTES)
def test_paths_are_taken_apart(method, path, expected, why):
    found = route(method, path)
    parts = (found.verb, found.group, found.version, found.resource, found.namespace, found.name, found.subresource)
    assert (found.is_resource, parts) == (True, expected), why


def test_what_follows_a_subresource_is_kept():
    assert route("GET", "/api/v1/namespaces/a/pods/p/proxy/x/y").rest == "x/y"


@pytest.mark.parametrize("path", ["/", "", "//api/v1/pods", "/api", "/apis/apps/v1", "/api/v1/watch", "/x/y/z", "///"])
def test_other_paths_are_no_resources(path):
    found = route("GET", path)
    assert (found.is_resource, found.verb) == (False, "get")
