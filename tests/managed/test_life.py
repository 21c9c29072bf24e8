"""From nothing to ready and back: what is done, what is written, what people see."""

import pytest

from plumbline.managed.creation import FAILED, PENDING, SUCCEEDED
from plumbline.managed.spec import EXTERNAL_NAME, FINALIZER

from .town import annotations, conditions, story


@story()
async def test_a_thing_is_made_and_reported(town):
    await town.create("stores", "photos", size=5)
    obj = await town.ready("stores", "photos")
    assert annotations(obj)[EXTERNAL_NAME] == "photos"
    assert annotations(obj)[PENDING] <= annotations(obj)[SUCCEEDED]
    assert obj["metadata"]["finalizers"] == [FINALIZER]
    assert obj["status"]["atProvider"]["size"] == 5
    assert obj["status"]["atProvider"]["madeAt"] == "then"
    assert conditions(obj)["UpToDate"]["reason"] == "ObserveMatched"
    assert obj["status"]["observedGeneration"] == obj["metadata"]["generation"]
    assert await town.events("photos") == [
        ("CreatedExternalResource", "Successfully requested creation of external resource")
    ]
    assert await town.effects() == [("create", "Store.data.cloud.example.org/photos")]


@story()
async def test_from_creation_to_ready_costs_few_writes_and_rest_costs_none(town):
    await town.create("stores", "photos", colour="red")
    await town.ready("stores", "photos")
    assert town.api.of("stores") == 3  # the beginning with name and finalizer, the end, the status
    await town.settle(10)
    before = dict(town.api.writes)
    looks = town.cloud.calls["observe"]
    await town.settle(3600)
    assert dict(town.api.writes) == before
    assert town.cloud.calls["observe"] > looks


@story()
async def test_deleting_the_object_deletes_the_thing(town):
    await town.create("stores", "photos")
    await town.ready("stores", "photos")
    await town.settle(60)
    await town.delete("stores", "photos")
    await town.gone("stores", "photos")
    assert town.cloud.live() == []
    assert ("DeletedExternalResource", "Successfully requested deletion of external resource") in await town.events(
        "photos"
    )


@story(takes_s=300.0)
async def test_what_takes_time_is_looked_at_often_and_is_ready_soon_after_it_is(town):
    await town.create("databases", "orders")
    obj = await town.has("databases", "orders", Ready="Creating", Synced="ReconcileSuccess")
    assert obj["status"]["atProvider"]["state"] == "creating"
    await town.ready("databases", "orders", within_s=340)
    assert town.cloud.calls["observe"] <= 30
    await town.delete("databases", "orders")
    await town.has("databases", "orders", Ready="Deleting", Synced="ReconcileSuccess")
    await town.gone("databases", "orders", within_s=340)
    assert town.cloud.calls["delete"] == 1


@story()
async def test_a_network_gets_its_id_from_the_cloud(town):
    await town.create("networks", "blue")
    obj = await town.ready("networks", "blue")
    assert annotations(obj)[EXTERNAL_NAME] == "network-0001"


@story()
async def test_what_the_cloud_refuses_is_said_with_its_reason_and_tried_again(town):
    await town.create("stores", "huge", size=5000)
    obj = await town.has("stores", "huge", Ready="Creating", Synced="ReconcileError")
    assert conditions(obj)["Synced"]["message"] == "create failed: size is too large: at most 1000"
    assert annotations(obj)[FAILED] >= annotations(obj)[PENDING]
    await town.settle(300)
    warned = await town.events("huge", "CannotCreateExternalResource")
    assert warned == [("CannotCreateExternalResource", "create failed: size is too large: at most 1000")]
    await town.patch("stores", "huge", {"spec": {"forProvider": {"size": 50}}})
    await town.ready("stores", "huge")


@pytest.mark.parametrize("short", ["m.stores", "m.databases", "m.networks"])
def test_namespaced_kinds_live_the_same_life(short):
    async def told(town):
        await town.create(short, "own", "shop")
        await town.ready(short, "own", "shop")
        await town.delete(short, "own", "shop")
        await town.gone(short, "own", "shop")
        assert town.cloud.live() == []

    story()(told)()
