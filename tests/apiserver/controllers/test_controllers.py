"""What runs controllers, and what they see of the cluster."""

import asyncio

import pytest
from tests.apiserver.controllers.housekeeping.house import CM, House, house, owner, virtually

from plumbline.apiserver import statuses
from plumbline.apiserver.controllers.controller import Controllers, controller_of, itself
from plumbline.apiserver.controllers.owners import controller
from plumbline.apiserver.plane import Plane
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import RequestRefused, UnknownKind, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.kube.names import GroupKind
from plumbline.kube.selectors.labels import LabelSelector

MAPS = Collection("", "configmaps")


class Looker:
    """Looks at ConfigMaps, and fails as told."""

    name = "looker"

    def __init__(self, *failures: Exception, again_s: float | None = None) -> None:
        self.failures = list(failures)
        self.again_s = again_s
        self.seen: list[tuple[float, str]] = []

    @property
    def watches(self):
        return {CM: itself}

    async def reconcile(self, key):
        self.seen.append((asyncio.get_running_loop().time(), key.name))
        if self.failures:
            raise self.failures.pop(0)
        return self.again_s


async def running(there: House, *controllers) -> Controllers:
    made = Controllers(there.plane.store, there.cluster, controllers)
    there.tasks.create_task(made.run())
    there.runs.append(made)
    await asyncio.sleep(0)
    return made


def on_a_bare_plane(test):
    @virtually
    async def run():
        async with house(lambda: Plane(LoopClock(), Ids(7), controllers=False)) as there, task_group() as tasks:
            there.tasks, there.runs = tasks, []
            try:
                await test(there)
            finally:
                for each in there.runs:
                    each.stop()

    run.__name__ = test.__name__
    del run.__wrapped__
    return run


@on_a_bare_plane
async def test_what_is_there_and_what_comes_is_looked_at(there):
    await there.config("before")
    looker = Looker()
    await running(there, looker)
    await asyncio.sleep(1)
    await there.config("after")
    await asyncio.sleep(1)
    assert [name for _, name in looker.seen] == ["before", "after"]


@pytest.mark.parametrize(
    "failure",
    [
        statuses.conflict("", "configmaps", "a", "somebody else wrote"),
        statuses.bad_request("no"),
        Unreachable("the other side is gone"),
        ZeroDivisionError("a bug"),
    ],
)
def test_what_fails_is_looked_at_again_later_and_later(failure):
    @on_a_bare_plane
    async def story(there):
        looker = Looker(failure, failure)
        await running(there, looker)
        await there.config("a")
        await there.config("b")
        await asyncio.sleep(30)
        assert len(looker.seen) == 4, "each failure costs one more look"
        assert {name for _, name in looker.seen} == {"a", "b"}
        assert looker.seen[-1][0] >= 0.9, "not at once"

    story()


@on_a_bare_plane
async def test_whoever_asks_to_look_again_does(there):
    looker = Looker(again_s=10.0)
    await running(there, looker)
    await there.config("a")
    await asyncio.sleep(35)
    assert [round(at) for at, _ in looker.seen] == [0, 10, 20, 30]


@on_a_bare_plane
async def test_a_dependent_concerns_the_one_that_controls_it_before_and_after(there):
    first, second = await there.config("first"), await there.config("second")
    before = await there.config("pod", owner(first, controller=True), owner(second))
    concerns = controller_of(MAPS, "ConfigMap")
    old = there.plane.store.head(there.cluster.key_of(before))
    assert controller(old).name == "first"
    assert concerns(old, None) == {Key(MAPS, "default", "first")}
    await there.cluster.edit(
        before,
        lambda live: {**live, "metadata": {**live["metadata"], "ownerReferences": [owner(second, controller=True)]}},
    )
    new = there.plane.store.head(there.cluster.key_of(before))
    assert concerns(new, old) == {Key(MAPS, "default", "first"), Key(MAPS, "default", "second")}
    assert controller_of(MAPS, "Other")(new, old) == set()


@on_a_bare_plane
async def test_dependents_and_orphans_are_found_without_looking_at_everything(there):
    first = await there.config("first")
    uid = first["metadata"]["uid"]
    assert {each.key.name for each in there.cluster.orphans(CM, "default")} == {"first"}
    dependent = await there.config("dependent", owner(first, controller=True))
    assert [each["metadata"]["name"] for each in there.cluster.dependents_of_kind(uid, CM)] == ["dependent"]
    assert there.cluster.dependents_of_kind(uid, GroupKind("", "Secret")) == []
    assert {each.key.name for each in there.cluster.orphans(CM, "default")} == {"first"}
    assert there.cluster.orphans(CM, "elsewhere") == []
    await there.cluster.delete(dependent)
    assert there.cluster.dependents(uid) == []
    assert not there.cluster.holds(there.cluster.key_of(dependent))
    assert there.cluster.holds(there.cluster.key_of(first))


@on_a_bare_plane
async def test_a_plane_that_starts_with_objects_knows_who_owns_them(there):
    first = await there.config("first")
    await there.config("second", owner(first))
    store = there.plane.store
    entries = [entry for each in store.collections for entry in store.shelf(each).entries()]
    plane = Plane(LoopClock(), Ids(8), stored=Stored(store.revision, entries), controllers=False)
    assert [each["metadata"]["name"] for each in plane.cluster.dependents(first["metadata"]["uid"])] == ["second"]


@on_a_bare_plane
async def test_objects_are_selected_by_label(there):
    await there.config("a", labels={"app": "x"})
    await there.config("b", labels={"app": "y"})
    found = there.cluster.objects(CM, "default", LabelSelector.parse("app=x"))
    assert [each["metadata"]["name"] for each in found] == ["a"]


@on_a_bare_plane
async def test_an_edit_that_changes_nothing_writes_nothing(there):
    made = await there.config("a")
    for change in (lambda live: live, lambda _: None, lambda live: {**live}):
        assert (await there.cluster.edit(made, change))["metadata"] == made["metadata"]
    with pytest.raises(RequestRefused):
        await there.cluster.edit({**made, "metadata": {"name": "none", "namespace": "default"}}, lambda live: live)


@on_a_bare_plane
async def test_a_status_is_written_if_it_differs_and_nobody_else_wrote(there):
    space = there.get("default", "", GroupKind("", "Namespace"))
    assert await there.cluster.set_status(space, space["status"]) is space
    await there.cluster.edit(space, lambda live: {**live, "metadata": {**live["metadata"], "labels": {"a": "b"}}})
    with pytest.raises(RequestRefused) as refused:
        await there.cluster.set_status(space, {"phase": "Terminating"})
    assert refused.value.status["code"] == 409


@on_a_bare_plane
async def test_deleting_what_is_gone_or_is_another_by_now_is_no_error(there):
    made = await there.config("a")
    await there.cluster.delete(made)
    await there.cluster.delete(made)
    again = await there.config("a")
    await there.cluster.delete(made)
    assert there.get("a")["metadata"]["uid"] == again["metadata"]["uid"]
    with pytest.raises(RequestRefused):
        await there.cluster.delete(there.get("default", "", GroupKind("", "Namespace")))


@on_a_bare_plane
async def test_kinds_that_nobody_serves_are_unknown(there):
    with pytest.raises(UnknownKind):
        there.cluster.model(GroupKind("example.org", "Widget"))
    assert not there.cluster.serves(GroupKind("example.org", "Widget"))
