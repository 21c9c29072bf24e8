"""What goes with its owners, what stays, and who waits for whom."""

import asyncio

from tests.apiserver.controllers.housekeeping.house import ROLE, Guarding, Operation, house, owner, virtually

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock

BLOCKS = {"blockOwnerDeletion": True}
KEPT = {"finalizers": ["example.org/held"]}


@virtually
async def test_what_is_owned_goes_after_its_owner_and_so_does_what_that_owns():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first))
        await there.config("third", owner(second))
        await there.config("bystander")
        await there.cluster.delete(first)
        await there.rest()
        assert there.names() == {"bystander"}


@virtually
async def test_an_owner_that_is_left_keeps_what_it_owns_and_the_reference_to_the_other_goes():
    async with house() as there:
        first, second = await there.config("first"), await there.config("second")
        await there.config("shared", owner(first), owner(second))
        await there.cluster.delete(first)
        await there.rest()
        (left,) = there.get("shared")["metadata"]["ownerReferences"]
        assert left["name"] == "second"


@virtually
async def test_an_owner_that_never_was_is_as_good_as_gone():
    async with house() as there:
        stranger = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "no-such-uid"}
        await there.config("dangling", stranger)
        await there.rest()
        assert there.names() == set()


@virtually
async def test_another_object_under_the_name_of_an_owner_is_not_that_owner():
    async with house() as there:
        first = await there.config("first")
        await there.config("impostors", owner(first, uid="another"))
        await there.rest()
        assert there.names() == {"first"}


@virtually
async def test_an_owner_in_another_namespace_is_no_owner():
    async with house() as there:
        first = await there.config("first")
        await there.config("abroad", owner(first), namespace="kube-public")
        await there.rest()
        assert there.names("kube-public") == set()
        assert there.names() == {"first"}


@virtually
async def test_a_namespaced_owner_of_something_cluster_wide_is_never_looked_for_twice():
    async with house() as there:
        first = await there.config("first")
        role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
        await there.make({**role, "metadata": {"name": "above", "ownerReferences": [owner(first)]}})
        await there.cluster.delete(first)
        await there.rest(for_s=60)
        assert there.find("above", "", ROLE) is not None


@virtually
async def test_a_cluster_wide_owner_takes_along_what_it_owns_in_namespaces():
    async with house() as there:
        role = await there.make(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "owner"}}
        )
        await there.config("below", owner(role))
        await there.rest()
        assert there.names() == {"below"}
        await there.cluster.delete(role)
        await there.rest()
        assert there.names() == set()


@virtually
async def test_owners_of_a_kind_that_nobody_serves_say_nothing_until_it_is_served():
    async with house() as there:
        unknown = {"apiVersion": "example.org/v1", "kind": "Widget", "name": "w", "uid": "u"}
        await there.config("patient", unknown)
        await there.rest(for_s=30)
        assert there.names() == {"patient"}


@virtually
async def test_an_owner_that_goes_in_the_foreground_waits_for_those_that_block_it():
    async with house() as there:
        first = await there.config("first")
        await there.config("blocking", owner(first, **BLOCKS), **KEPT)
        await there.config("not-blocking", owner(first), **KEPT)
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest(for_s=30)
        assert there.get("first")["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert all(there.get(name)["metadata"].get("deletionTimestamp") for name in ("blocking", "not-blocking"))
        await there.finish("blocking")
        await there.rest()
        assert there.names() == {"not-blocking"}, "the owner is gone, and did not wait for the other"
        await there.finish("not-blocking")
        await there.rest()
        assert there.names() == set()


@virtually
async def test_those_in_the_middle_go_in_the_foreground_too():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first, **BLOCKS))
        await there.config("third", owner(second, **BLOCKS), **KEPT)
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest(for_s=30)
        assert there.names() == {"first", "second", "third"}
        assert there.get("second")["metadata"]["finalizers"] == ["foregroundDeletion"]
        await there.finish("third")
        await there.rest()
        assert there.names() == set()


@virtually
async def test_an_owner_with_nothing_left_to_wait_for_goes_at_once():
    async with house() as there:
        first = await there.config("first")
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest()
        assert there.names() == set()


@virtually
async def test_an_owner_that_waits_loses_what_has_another_owner():
    async with house() as there:
        first, second = await there.config("first"), await there.config("second")
        await there.config("shared", owner(first, **BLOCKS), owner(second))
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest()
        assert there.names() == {"second", "shared"}
        (left,) = there.get("shared")["metadata"]["ownerReferences"]
        assert left["name"] == "second"


@virtually
async def test_an_owner_that_waits_hears_of_it_when_somebody_else_takes_the_reference_away():
    async with house() as there:
        first = await there.config("first")
        await there.config("blocking", owner(first, **BLOCKS), **KEPT)
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest(for_s=10)
        assert there.names() == {"first", "blocking"}
        await there.cluster.edit(
            there.get("blocking"), lambda live: {**live, "metadata": {**live["metadata"], "ownerReferences": []}}
        )
        await there.rest()
        assert there.names() == {"blocking"}


@virtually
async def test_owners_in_a_circle_do_not_wait_for_each_other():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first, **BLOCKS))
        reference = owner(second, **BLOCKS)
        await there.cluster.edit(
            first, lambda live: {**live, "metadata": {**live["metadata"], "ownerReferences": [reference]}}
        )
        await there.cluster.delete(there.get("first"), propagation="Foreground")
        await there.rest(for_s=30)
        assert there.names() == set()


@virtually
async def test_a_circle_goes_in_the_background_as_well():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first))
        reference = owner(second)
        await there.cluster.edit(
            first, lambda live: {**live, "metadata": {**live["metadata"], "ownerReferences": [reference]}}
        )
        await there.rest(for_s=10)
        assert there.names() == {"first", "second"}, "a circle holds itself"
        await there.cluster.delete(there.get("first"))
        await there.rest()
        assert there.names() == set()


@virtually
async def test_orphans_lose_the_reference_and_stay():
    async with house() as there:
        first, second = await there.config("first"), await there.config("second")
        await there.config("orphan", owner(first))
        await there.config("half", owner(first), owner(second))
        await there.cluster.delete(first, propagation="Orphan")
        await there.rest()
        assert there.names() == {"second", "orphan", "half"}
        assert "ownerReferences" not in there.get("orphan")["metadata"]
        assert [each["name"] for each in there.get("half")["metadata"]["ownerReferences"]] == ["second"]


@virtually
async def test_something_owned_that_would_orphan_its_own_does_when_its_owner_goes():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first), finalizers=["orphan"])
        await there.config("third", owner(second))
        await there.cluster.delete(first)
        await there.rest()
        assert there.names() == {"third"}
        assert "ownerReferences" not in there.get("third")["metadata"]


@virtually
async def test_something_owned_that_goes_in_the_foreground_waits_when_its_owner_is_gone():
    async with house() as there:
        first = await there.config("first")
        second = await there.config("second", owner(first), finalizers=["foregroundDeletion"])
        await there.config("third", owner(second, **BLOCKS), **KEPT)
        await there.cluster.delete(first)
        await there.rest(for_s=10)
        assert there.names() == {"second", "third"}
        await there.finish("third")
        await there.rest()
        assert there.names() == set()


@virtually
async def test_what_was_left_behind_before_the_controllers_started_is_found():
    async with house() as there:
        plane = there.plane
        first = await there.config("first")
        await there.config("second", owner(first))
        plane._controllers.stop()
        await asyncio.sleep(1)
        await there.cluster.delete(first)
        assert there.names() == {"second"}
        entries = [entry for each in plane.store.collections for entry in plane.store.shelf(each).entries()]
        stored = Stored(plane.store.revision, entries)
    async with house(lambda: Plane(LoopClock(), Ids(8), stored=stored)) as there:
        assert there.names() == set()


@virtually
async def test_one_that_is_not_let_go_keeps_none_of_the_others_of_its_owner():
    async with house() as there:
        guard = there.guard(Guarding("b"))
        first = await there.config("first")
        for name in "abc":
            await there.config(name, owner(first, **BLOCKS))
        await there.rest()
        await there.cluster.delete(first, propagation="Foreground")
        await there.rest(for_s=5)
        assert there.names() == {"first", "b"}
        guard.names.clear()
        await there.rest(for_s=90)
        assert there.names() == set()


@virtually
async def test_one_that_may_not_be_changed_keeps_none_of_the_other_orphans():
    async with house() as there:
        guard = there.guard(Guarding("b", operation=Operation.UPDATE))
        first = await there.config("first")
        for name in "abc":
            await there.config(name, owner(first))
        await there.rest()
        await there.cluster.delete(first, propagation="Orphan")
        await there.rest(for_s=5)
        owned = {name for name in there.names() if there.get(name)["metadata"].get("ownerReferences")}
        assert owned == {"b"}
        assert there.find("first") is not None, "it goes when all are released"
        guard.names.clear()
        await there.rest(for_s=90)
        assert there.names() == {"a", "b", "c"}


@virtually
async def test_a_webhook_that_is_slow_about_one_object_keeps_no_other_from_being_collected():
    async with house() as there:
        guard = there.guard(Guarding("slow"))
        guard.slow_s = 25
        first, second = await there.config("first"), await there.config("second")
        await there.config("slow", owner(first))
        await there.config("quick", owner(second))
        await there.rest()
        await there.cluster.delete(first)
        await there.cluster.delete(second)
        await asyncio.sleep(5)
        assert there.names() == {"slow"}
        guard.names.clear()
        await there.rest(for_s=90)
