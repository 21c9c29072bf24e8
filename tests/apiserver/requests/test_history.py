"""What is no longer known: 410, and a way on.

The real server forgets when its store is compacted, every few minutes; here the history is made short instead. Words
and codes are those of the real one.
"""

import functools

from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.requests import watching
from plumbline.apiserver.storage import store
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually

CM = "/api/v1/namespaces/default/configmaps"


def forgetful(test):
    """Run *test* with a plane that remembers few changes, and none for long."""

    @functools.wraps(test)
    def run(monkeypatch):
        monkeypatch.setattr(store, "HISTORY_LEAST", 3)

        async def main():
            plane = Plane(LoopClock(), Ids(1), controllers=False)
            async with plane.running():
                await test(Asking(plane))

        run_virtually(main)

    del run.__wrapped__
    return run


class Asking:
    def __init__(self, plane: Plane) -> None:
        self.plane = plane

    async def ask(self, method: str, path: str, query: str = "", body=None):
        payload = b"" if body is None else encode(body)
        headers = {"content-type": "application/json", "user-agent": "test/1"}
        answer = await self.plane.answer(Call(method, path, query, headers, payload, identity=ADMIN))
        if answer.stream is not None:
            return [decode(line) async for piece in answer.stream for line in piece.splitlines()]
        return decode(answer.body)

    async def make(self, *names: str) -> str:
        """The revision of the last."""
        made = [await self.ask("POST", CM, body={"metadata": {"name": name}}) for name in names]
        return made[-1]["metadata"]["resourceVersion"]

    async def forget(self) -> None:
        """Let time pass, and things happen, until nobody remembers what was before."""
        await self.ask("POST", CM.replace("default", "kube-public"), body={"metadata": {"generateName": "elsewhere-"}})
        await self.plane.context.clock.sleep(store.HISTORY_S + 1)
        await self.make(*(f"later-{number}" for number in range(5)))


@forgetful
async def test_a_watch_from_too_long_ago_is_told_so_and_ends(at):
    then = await at.make("a")
    await at.forget()
    (event,) = await at.ask("GET", CM, f"watch=1&resourceVersion={then}")
    status = event["object"]
    assert (event["type"], status["code"], status["reason"]) == ("ERROR", 410, "Expired")
    assert status["message"].startswith(f"too old resource version: {then} (")
    assert not any(map(len, at.plane.store._watchers.values()))


@forgetful
async def test_a_list_of_too_long_ago_is_told_so(at):
    then = await at.make("a")
    await at.forget()
    status = await at.ask("GET", CM, f"resourceVersion={then}&resourceVersionMatch=Exact")
    assert (status["code"], status["reason"]) == (410, "Expired")
    assert status["message"] == "The resourceVersion for the provided list is too old."
    newer = await at.ask("GET", CM, f"resourceVersion={then}&resourceVersionMatch=NotOlderThan")
    assert len(newer["items"]) == 6


@forgetful
async def test_a_list_that_was_left_for_too_long_goes_on_with_what_is_there_now(at):
    await at.make("a", "b", "c", "z")
    first = await at.ask("GET", CM, "limit=2")
    await at.forget()
    status = await at.ask("GET", CM, f"limit=2&continue={first['metadata']['continue']}")
    assert (status["code"], status["reason"]) == (410, "Expired")
    assert status["message"].startswith("The provided continue parameter is too old")
    second = await at.ask("GET", CM, f"limit=500&continue={status['metadata']['continue']}")
    names = [each["metadata"]["name"] for each in second["items"]]
    assert names == ["c", *(f"later-{number}" for number in range(5)), "z"]


@forgetful
async def test_what_is_young_enough_is_still_known(at):
    await at.forget()
    then = await at.make("a")
    await at.make("b")
    (event,) = await at.ask("GET", CM, f"watch=1&timeoutSeconds=1&resourceVersion={then}")
    assert event["object"]["metadata"]["name"] == "b"


@forgetful
async def test_bookmarks_come_every_minute_and_once_more_before_the_end(at):
    await at.make("a")
    events = await at.ask("GET", CM, "watch=1&timeoutSeconds=150&allowWatchBookmarks=true")
    assert [event["type"] for event in events] == ["ADDED", "BOOKMARK", "BOOKMARK", "BOOKMARK"]
    shown = events[-1]["object"]
    assert shown == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": str(at.plane.store.revision)},
    }


@forgetful
async def test_who_does_not_ask_for_bookmarks_gets_none(at):
    assert await at.ask("GET", CM, "watch=1&timeoutSeconds=150") == []


async def test_a_bookmark_never_runs_ahead_of_what_was_shown(monkeypatch):
    """While a piece is on its way, more happens: that must be shown before anybody says it was."""
    monkeypatch.setattr(watching, "BOOKMARK_S", 0.0)
    plane = Plane(LoopClock(), Ids(1), controllers=False)
    async with plane.running():
        at = Asking(plane)
        headers = {"user-agent": "test/1"}
        watch = await plane.answer(Call("GET", CM, "watch=1&allowWatchBookmarks=1", headers, identity=ADMIN))
        known = 0
        lines = aiter(watch.stream)
        for number in range(50):
            await at.make(f"m-{number}")
            for line in (await anext(lines)).splitlines():
                event = decode(line)
                revision = int(event["object"]["metadata"]["resourceVersion"])
                if event["type"] == "BOOKMARK":
                    assert revision <= known, "it claims that more was shown than was"
                else:
                    known = revision
        await lines.aclose()
