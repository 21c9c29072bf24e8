"""Exactly one thing, whatever gets lost on the way."""

import pytest

from plumbline.base.errors import Forbidden, InvalidInput, NotYet, TimedOut, Unreachable
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kinds.mandate import MandateSpec
from plumbline.managed.creation import FAILED, PENDING, SUCCEEDED

from .cloud import Cloud
from .town import annotations, conditions, created, founded, story, town

LOST = f"cannot determine creation result - remove the {PENDING} annotation if it is safe to proceed"


@pytest.mark.parametrize("short", ["stores", "networks"])
@pytest.mark.parametrize("shows_after_s", [0.0, 20.0])
def test_a_reply_that_gets_lost_makes_no_second_thing(short, shows_after_s):
    async def told(town):
        town.cloud.loses["create"] = 1
        await town.create(short, "one")
        obj = await town.ready(short, "one", within_s=200)
        assert annotations(obj)[SUCCEEDED] >= annotations(obj)[PENDING]
        assert sum(town.cloud.made.values()) == 1

    story(shows_after_s=shows_after_s)(told)()


@pytest.mark.parametrize("short", ["stores", "networks", "keys"])
def test_a_thing_that_shows_late_is_awaited(short):
    async def told(town):
        await town.create(short, "one")
        obj = await town.has(short, "one", Ready="Creating", Synced="ReconcileSuccess")
        assert conditions(obj)["Ready"]["message"] == "Waiting for external resource existence to be confirmed"
        await town.ready(short, "one", within_s=200)
        assert sum(town.cloud.made.values()) == 1

    story(shows_after_s=15.0)(told)()


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (NotYet("The subnet cannot be made yet"), "what it refers to is not there yet"),
        (Forbidden("It may not be made"), "a permission is missing"),
        (InvalidInput("It cannot be made"), "a value is wrong"),
    ],
)
@pytest.mark.parametrize("short", ["networks", "keys"])
def test_where_the_provider_said_no_nobody_waits_for_what_was_never_made(short, error, why):
    async def told(town):
        town.cloud.refuses["create"] = [error]
        await town.create(short, "one")
        await town.until(lambda: failed(town))
        await town.patch(short, "one", {"metadata": {"annotations": {"looked-at": "now"}}})
        await town.ready(short, "one", within_s=20)
        assert sum(town.cloud.made.values()) == 1, why

    async def failed(town):
        return FAILED in annotations(await town.get(short, "one"))

    story()(told)()


@story()
async def test_what_cannot_be_found_again_stops_until_a_person_has_looked(town):
    town.cloud.loses["create"] = 1
    await town.create("keys", "seal")

    async def stopped():
        obj = await town.get("keys", "seal")
        return obj if conditions(obj).get("Synced", {}).get("message") == LOST else None

    obj = await town.until(stopped)
    assert conditions(obj)["Ready"]["reason"] == "Creating"
    await town.settle(1800)
    assert sum(town.cloud.made.values()) == 1
    assert (await town.events("seal"))[-1] == ("CannotInitializeManagedResource", LOST)
    (found,) = town.cloud.live()
    notes = {PENDING: None, "crossplane.io/external-name": found.name}
    await town.patch("keys", "seal", {"metadata": {"annotations": notes}})
    await town.ready("keys", "seal")
    assert sum(town.cloud.made.values()) == 1


@story()
async def test_a_creation_that_never_left_is_tried_again_at_once(town):
    town.cloud.refuses["create"] = [Unreachable("No route", sent=False), Unreachable("No route", sent=False)]
    await town.create("keys", "seal")
    await town.ready("keys", "seal")
    assert sum(town.cloud.made.values()) == 1


@story()
async def test_a_cloud_that_never_answers_is_given_up_on_and_looked_at(town):
    town.cloud.refuses["observe"] = [TimedOut("No answer")]
    await town.create("stores", "photos")
    obj = await town.has("stores", "photos", Synced="ReconcileError")
    assert conditions(obj)["Synced"]["message"] == "observe failed: No answer"
    await town.ready("stores", "photos")


@story(shows_after_s=20.0)
async def test_what_is_deleted_before_it_shows_is_not_left_behind(town):
    for short in ("stores", "networks"):
        await town.create(short, "brief")
        await town.has(short, "brief", Ready="Creating")
        await town.delete(short, "brief")
    for short in ("stores", "networks"):
        await town.gone(short, "brief", within_s=200)
    assert town.cloud.live() == []


@story(shows_after_s=20.0)
async def test_what_was_lost_and_deleted_at_once_is_not_left_behind(town):
    town.cloud.loses["create"] = 2
    for short in ("stores", "networks"):
        await town.create(short, "brief")
    await town.settle(0.5)
    for short in ("stores", "networks"):
        await town.delete(short, "brief")
        await town.gone(short, "brief", within_s=200)
    assert town.cloud.live() == []


@story(mandate=MandateSpec())
async def test_an_installation_that_only_observes_does_nothing_at_all(town):
    await town.settle(2)
    await created(town.client, "stores", "photos")
    await town.settle(120)
    assert town.cloud.calls["create"] == 0
    assert town.api.writes == {}
    assert "annotations" not in (await town.get("stores", "photos"))["metadata"]


def test_a_control_plane_that_was_lost_and_rebuilt_finds_everything_again():
    founded()
    wanted = [("stores", "photos", {"size": 3}), ("networks", "blue", {}), ("databases", "orders", {"networkIdRef": {"name": "blue"}})]  # fmt: skip

    async def day(cloud):
        async with town(cloud=cloud) as here:
            names = {}
            for short, name, fields in wanted:
                await here.create(short, name, **fields)
            for short, name, _ in wanted:
                obj = await here.ready(short, name, within_s=300)
                names[name] = annotations(obj)["crossplane.io/external-name"], obj["status"]["atProvider"]["id"]
            return names

    cloud = Cloud(LoopClock())
    first = run_virtually(lambda: day(cloud))
    made = dict(cloud.made)
    for thing in cloud.things.values():
        thing.shows_s = thing.ready_s = 0.0
    assert run_virtually(lambda: day(cloud)) == first
    assert dict(cloud.made) == made
    assert cloud.calls["create"] == 3


@story()
async def test_what_vanished_and_whose_successor_got_lost_is_found_again_by_its_tag(town):
    await town.create("networks", "blue")
    await town.ready("networks", "blue")
    await town.settle(60)
    town.cloud.vanish("network-0001")
    town.cloud.loses["create"] = 1
    await town.settle(1500)
    await town.ready("networks", "blue")
    assert len(town.cloud.live()) == 1
