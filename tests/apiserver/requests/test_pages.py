"""Pages together are the list as it was when the first was asked for, whatever happens in between."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually

NAMES = st.sampled_from([f"{letter}{number}" for letter in "abc" for number in range(4)])
SPACES = st.sampled_from(["default", "kube-public"])
WRITES = st.lists(st.tuples(st.sampled_from(["POST", "PUT", "DELETE"]), SPACES, NAMES), max_size=12)


class Lists:
    def __init__(self, plane: Plane) -> None:
        self._plane = plane
        self._count = 0

    async def ask(self, method: str, path: str, query: str = "", body=None):
        headers = {"content-type": "application/json", "user-agent": "test/1"}
        payload = b"" if body is None else encode(body)
        answer = await self._plane.answer(Call(method, path, query, headers, payload, identity=ADMIN))
        return decode(answer.body)

    async def write(self, writes) -> None:
        for method, space, name in writes:
            self._count += 1
            path = f"/api/v1/namespaces/{space}/configmaps"
            body = {"metadata": {"name": name}, "data": {"n": str(self._count)}} if method != "DELETE" else None
            await self.ask(method, path if method == "POST" else f"{path}/{name}", body=body)


@given(
    WRITES, st.lists(WRITES, min_size=1, max_size=6), st.integers(1, 4), st.sampled_from(["", "namespaces/default/"])
)
def test_pages_are_one_list(before, between, limit, scope):
    async def story():
        plane = Plane(LoopClock(), Ids(1), controllers=False)
        async with plane.running():
            lists = Lists(plane)
            await lists.write(before)
            path = f"/api/v1/{scope}configmaps"
            whole = await lists.ask("GET", path)
            page = await lists.ask("GET", path, f"limit={limit}")
            revision, items = page["metadata"]["resourceVersion"], page["items"]
            assert revision == whole["metadata"]["resourceVersion"]
            rounds = iter(between)
            while token := page["metadata"].get("continue"):
                assert page["metadata"]["remainingItemCount"] == len(whole["items"]) - len(items)
                await lists.write(next(rounds, ()))
                page = await lists.ask("GET", path, f"limit={limit}&continue={token}")
                assert page["metadata"]["resourceVersion"] == revision
                assert len(page["items"]) <= limit
                items = items + page["items"]
            assert items == whole["items"]
            exact = await lists.ask("GET", path, f"resourceVersion={revision}&resourceVersionMatch=Exact")
            assert exact == whole

    run_virtually(story)


@given(WRITES, WRITES, st.sampled_from(["", "n=1", "n!=2", "n in (1,3)"]))
def test_a_list_and_the_changes_after_it_are_the_list_of_later(before, after, selector):
    """What every informer relies on, with and without a selector."""

    async def story():
        plane = Plane(LoopClock(), Ids(1), controllers=False)
        async with plane.running():
            lists = Lists(plane)
            await lists.write(before)
            query = f"labelSelector={selector.replace(' ', '+')}" if selector else ""
            first = await lists.ask("GET", "/api/v1/configmaps", query)
            for method, space, name in after:
                await lists.write([(method, space, name)])
                labels = {"metadata": {"labels": {"n": str(len(name) + lists._count % 4)}}}
                call = Call(
                    "PATCH",
                    f"/api/v1/namespaces/{space}/configmaps/{name}",
                    "",
                    {"content-type": "application/merge-patch+json", "user-agent": "test/1"},
                    encode(labels),
                    identity=ADMIN,
                )
                await plane.answer(call)
            known = {_key(each): each for each in first["items"]}
            since = first["metadata"]["resourceVersion"]
            watch = f"watch=1&timeoutSeconds=1&resourceVersion={since}" + (f"&{query}" if query else "")
            answer = await plane.answer(Call("GET", "/api/v1/configmaps", watch, {}, identity=ADMIN))
            async for piece in answer.stream:
                for event in map(decode, piece.splitlines()):
                    _apply(known, event)
            last = await lists.ask("GET", "/api/v1/configmaps", query)
            assert known == {_key(each): each for each in last["items"]}

    run_virtually(story)


def _key(obj) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _apply(known, event) -> None:
    obj = {name: value for name, value in event["object"].items() if name not in ("kind", "apiVersion")}
    if event["type"] == "DELETED":
        assert known.pop(_key(obj), None) is not None, "only what was known can go"
        return
    assert (_key(obj) in known) is (event["type"] == "MODIFIED")
    known[_key(obj)] = obj
