"""What somebody changes outside is seen, set back and told; what cannot be set back is told as well."""

from plumbline.base.errors import Forbidden
from plumbline.managed.drift import described, fields, lasting, unset
from plumbline.managed.external import Difference

from .town import conditions, story


@story()
async def test_drift_is_corrected_at_the_next_poll_and_told(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    await town.settle(60)
    town.cloud.change_outside("photos", size=50)
    await town.settle(700)
    assert town.cloud.live()[0].fields["size"] == 5
    told = await town.events("photos", "CorrectedDrift")
    assert told == [("CorrectedDrift", "Changed outside and set back: size is 50, wanted 5")]
    assert conditions(await town.get("stores", "photos"))["UpToDate"]["reason"] == "ObserveMatched"
    assert ("update", "Store.data.cloud.example.org/photos") in await town.effects()


@story()
async def test_what_people_ask_for_is_an_update_and_no_drift(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    await town.patch("stores", "photos", {"spec": {"forProvider": {"size": 6}}})
    await town.settle(5)
    reasons = [reason for reason, _ in await town.events("photos")]
    assert reasons == ["CreatedExternalResource", "UpdatedExternalResource"]


@story()
async def test_a_change_that_takes_long_is_asked_for_once_and_is_no_drift(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    town.cloud.changes_s = 300.0
    await town.patch("stores", "photos", {"spec": {"forProvider": {"size": 6}}})
    await town.settle(200)
    obj = await town.get("stores", "photos")
    assert conditions(obj)["UpToDate"]["reason"] == "UpdateRequested"
    assert conditions(obj)["Ready"]["status"] == "True"
    await town.has("stores", "photos", UpToDate="ObserveMatched", within_s=120)
    assert town.cloud.calls["update"] == 1
    reasons = [reason for reason, _ in await town.events("photos")]
    assert reasons == ["CreatedExternalResource", "UpdatedExternalResource"]


@story()
async def test_what_somebody_else_has_changed_is_set_back_when_that_is_over(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    await town.settle(60)
    (thing,) = town.cloud.live()
    thing.changes, thing.changed_s = {"size": 50}, town.cloud.clock.monotonic() + 900
    thing.fields["colour"] = "half-way"
    await town.settle(800)
    assert town.cloud.calls["update"] == 0, "it would be refused"
    assert conditions(await town.get("stores", "photos"))["UpToDate"]["reason"] == "ObserveMatched"
    await town.settle(200)
    assert thing.fields["size"] == 5
    (told,) = await town.events("photos", "CorrectedDrift")
    assert "size is 50, wanted 5" in told[1]


@story()
async def test_drift_that_may_not_be_corrected_is_reported_and_left(town):
    await town.create("stores", "photos", size=5, spec={"managementPolicies": ["Observe", "Create", "Delete"]})
    await town.ready("stores", "photos")
    town.cloud.change_outside("photos", size=50)
    obj = await town.has("stores", "photos", UpToDate="UpdateRestricted", within_s=700)
    assert conditions(obj)["UpToDate"]["message"] == "size is 50, wanted 5"
    assert conditions(obj)["Synced"]["status"] == "True"
    assert await town.events("photos", "DriftDetected") == [("DriftDetected", "size is 50, wanted 5")]
    assert town.cloud.calls["update"] == 0


@story()
async def test_an_update_that_fails_says_what_it_was_about(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    town.cloud.refuses["update"] = [Forbidden("You may not", why="policy")]
    await town.patch("stores", "photos", {"spec": {"forProvider": {"size": 6}}})
    obj = await town.has("stores", "photos", UpToDate="UpdateFailed", Synced="ReconcileError")
    assert conditions(obj)["Synced"]["message"].startswith("update failed: You may not: policy")
    assert conditions(obj)["UpToDate"]["message"] == "size is 5, wanted 6"
    await town.has("stores", "photos", UpToDate="ObserveMatched")


@story()
async def test_a_change_that_does_not_show_is_not_asked_for_again_and_again(town):
    await town.create("stores", "photos", size=5)
    await town.ready("stores", "photos")
    changing = town.cloud.changing

    async def forgetful(call, work):
        return await changing(call, (lambda: None) if call == "update" else work)

    town.cloud.changing = forgetful
    await town.patch("stores", "photos", {"spec": {"forProvider": {"size": 7}}})
    await town.settle(600)
    assert town.cloud.calls["update"] <= 13
    assert conditions(await town.get("stores", "photos"))["UpToDate"]["reason"] == "UpdateRequested"


@story()
async def test_values_that_nobody_set_come_from_the_provider_and_are_watched_from_then_on(town):
    await town.create("stores", "photos")
    obj = await town.ready("stores", "photos")
    assert obj["spec"]["forProvider"]["colour"] == "grey"
    await town.settle(60)
    town.cloud.change_outside("photos", colour="green")
    await town.settle(700)
    assert town.cloud.live()[0].fields["colour"] == "grey"


@story()
async def test_what_was_said_for_creation_alone_is_neither_mended_nor_initialised(town):
    await town.create("stores", "photos", spec={"initProvider": {"size": 5, "colour": "red"}})
    await town.ready("stores", "photos")
    town.cloud.change_outside("photos", size=50, colour="green")
    await town.settle(700)
    obj = await town.get("stores", "photos")
    assert town.cloud.live()[0].fields["size"] == 50
    assert "colour" not in obj["spec"]["forProvider"]
    assert conditions(obj)["UpToDate"]["status"] == "True"


@story()
async def test_a_thing_that_vanished_is_made_again(town):
    await town.create("stores", "photos")
    await town.create("networks", "blue")
    await town.ready("networks", "blue")
    await town.settle(60)
    town.cloud.vanish("photos")
    town.cloud.vanish("network-0002")
    await town.settle(1300)
    assert sorted(each.sort for each in town.cloud.live()) == ["Network", "Store"]
    await town.ready("networks", "blue")


def test_differences_in_words_hold_no_secret():
    found = (
        Difference("masterPassword", "hunter2", "hunter1"),
        Difference("engine", "b", None),
        Difference("rules", [{"port": 1, "authToken": "hunter2"}], []),
        Difference("on", True, False),
        Difference("text", "", "x" * 200),
    )
    said = described(found)
    assert "hunter" not in said
    assert "masterPassword is ***, wanted ***" in said
    assert "engine is unset, wanted b" in said
    assert 'rules is [], wanted [{"authToken":"***","port":1}]' in said
    assert "on is false, wanted true" in said
    assert "hunter" not in fields(found)
    many = tuple(Difference(f"f{n}", 1, 2) for n in range(12))
    assert described(many).endswith("; and 4 more")


def test_only_what_for_provider_says_lasts():
    found = (Difference("a", 1, 2), Difference("b.c", 1, 2), Difference("d", 1, 2))
    assert [each.path for each in lasting(found, {"a": 1}, {"a": 1, "b": {"c": 1}})] == ["a", "d"]


def test_late_values_fill_only_what_nobody_has_said():
    late = {"a": 1, "b": {"c": 1, "d": 2}, "e": [1], "f": {"g": 1}}
    assert unset(late, {"a": 5, "b": {"c": 9}}, {"e": []}) == {"b": {"d": 2}, "f": {"g": 1}}
    assert unset({"b": {"c": 1}}, {"b": {"c": 9}}) == {}
