"""Values of Secrets go to stores, never over what somebody else wrote, and come back out when that is asked for."""

import asyncio

import pytest
from tests.secrets.external.scene import (
    AWAY,
    BY_HAND,
    HOME,
    PUSHES,
    SECRETS,
    condition,
    generator,
    push,
    running,
    secret,
    store,
    story,
)

from plumbline.base.errors import Unreachable
from plumbline.base.json import encode
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target

USER = ("user", "remote/db", "user")
WHOLE = ("password", "remote/password")


async def pushed(place, name="push", text=""):
    return await place.ready("True", text, name, PUSHES)


async def errored(place, text, name="push"):
    return await place.ready("False", text, name, PUSHES)


def synced(obj):
    return {key: sorted(entries) for key, entries in obj["status"].get("syncedPushSecrets", {}).items()}


@story
async def test_values_are_pushed_and_nothing_is_written_again(place):
    await place.apply(store(), secret(user="ann", password="s3cret"), push("push", "app", USER, WHOLE))
    found = await pushed(place)
    assert place.vault.kept["remote/db"] == {"user": "ann"}
    assert place.vault.kept["remote/password"] == "s3cret"
    assert condition(found)["reason"] == "Synced"
    assert condition(found)["message"] == "PushSecret synced successfully"
    assert synced(found) == {"SecretStore/vault": ["remote/db/user", "remote/password"]}
    writes = place.vault.pushes.total()
    assert (await place.quietly(3000))[0] == 0
    await asyncio.sleep(4000)
    assert place.vault.pushes.total() == writes
    assert "finalizers" not in found["metadata"]


@story
async def test_a_changed_secret_is_pushed_at_once(place):
    await place.apply(store(), secret(user="ann"), push("push", "app", USER))
    await pushed(place)
    await place.apply(secret(user="bob"))
    await place.until(lambda: _holds(place, "remote/db", {"user": "bob"}), within_s=30)


async def _holds(place, key, value):
    return place.vault.kept.get(key) == value


@story
async def test_what_somebody_else_wrote_stays_and_is_named(place):
    place.vault.kept["remote/db"] = {"user": "theirs"}
    await place.apply(store(), secret(user="ann", password="x"), push("push", "app", WHOLE, USER))
    await errored(place, "secret not managed by external-secrets")
    assert place.vault.kept["remote/db"] == {"user": "theirs"}
    assert place.vault.pushes.total() == 0, "all of it or nothing"
    place.vault.marked.add("remote/db")
    await pushed(place)
    assert place.vault.kept["remote/db"] == {"user": "ann"}


@story
async def test_if_not_exists_leaves_what_is_there(place):
    place.vault.kept["remote/db"] = {"user": "theirs"}
    await place.apply(
        store(), secret(user="ann", password="x"), push("push", "app", USER, WHOLE, updatePolicy="IfNotExists")
    )
    found = await pushed(place, text="Existing secrets in providers unchanged.")
    assert place.vault.kept["remote/db"] == {"user": "theirs"}
    assert synced(found) == {"SecretStore/vault": ["remote/password"]}, "what we did not push is never deleted"


@story
async def test_what_was_pushed_goes_with_its_entry_and_with_the_object(place):
    await place.apply(
        store(), secret(user="ann", password="x"), push("push", "app", USER, WHOLE, deletionPolicy="Delete")
    )
    assert "pushsecret.externalsecrets.io/finalizer" in (await pushed(place))["metadata"]["finalizers"]
    await place.apply(push("push", "app", WHOLE, deletionPolicy="Delete"))
    await place.until(lambda: _holds(place, "remote/db", None))
    assert place.vault.kept["remote/password"] == "x"
    place.vault.kept["foreign"] = "stays"
    await place.delete("push", PUSHES)
    await place.until(lambda: _gone(place))
    assert "remote/password" not in place.vault.kept
    assert place.vault.kept["foreign"] == "stays"


async def _gone(place, name="push"):
    return await place.get(name, PUSHES) is None


@story
async def test_without_that_policy_it_stays(place):
    await place.apply(store(), secret(user="ann"), push("push", "app", USER, deletionPolicy="Delete"))
    await pushed(place)
    await place.apply(push("push", "app", USER, deletionPolicy="None"))
    await place.until(lambda: _unheld(place))
    await place.delete("push", PUSHES)
    await place.until(lambda: _gone(place))
    assert place.vault.kept["remote/db"] == {"user": "ann"}


async def _unheld(place):
    return not (await place.get("push", PUSHES))["metadata"].get("finalizers")


@story
async def test_two_of_them_never_take_turns_at_one_place(place):
    await place.apply(store(), secret("one", user="ann"), secret("two", user="bob"), push("first", "one", USER))
    await pushed(place, "first")
    await place.apply(push("second", "two", USER))
    await errored(place, "is pushed by PushSecret team/first", "second")
    writes = place.vault.pushes.total()
    await asyncio.sleep(7200)
    assert place.vault.pushes.total() == writes
    assert place.vault.kept["remote/db"] == {"user": "ann"}
    await place.delete("first", PUSHES)
    await pushed(place, "second")
    assert place.vault.kept["remote/db"] == {"user": "bob"}


@story
async def test_a_part_is_not_pushed_into_what_somebody_pushes_as_a_whole(place):
    """Also not by who is older: each would undo what the other one does, for ever."""
    values = {"user": "ann", "password": '{"a": "b"}'}
    await place.apply(store(), secret(**values), push("part", "app", ("user", "other")))
    await pushed(place, "part")
    await asyncio.sleep(5)
    await place.apply(push("whole", "app", ("password", "remote/db")))
    await pushed(place, "whole")
    await place.apply(push("part", "app", USER))
    await errored(place, "is pushed by PushSecret team/whole", "part")
    assert place.vault.kept["remote/db"] == '{"a": "b"}'


@story
async def test_parts_of_one_secret_may_come_from_several(place):
    other = push("second", "app", ("password", "remote/db", "password"))
    await place.apply(store(), secret(user="ann", password="x"), push("first", "app", USER), other)
    await pushed(place, "first")
    await pushed(place, "second")
    assert place.vault.kept["remote/db"] == {"user": "ann", "password": "x"}


@story
async def test_a_template_and_a_generator_may_be_the_source(place):
    made = push("made", "", ("password", "made"), selector={"generatorRef": {"kind": "Password", "name": "gen"}})
    url = {"data": {"url": "db://{{ .user }}"}, "metadata": {"labels": {"app": "{{ .user }}"}}}
    await place.apply(store(), generator("Password"), made, secret(user="ann"))
    await place.apply(push("push", "app", ("url", "url"), ("user", "user"), template=url))
    await pushed(place)
    assert (place.vault.kept["url"], place.vault.kept["user"]) == ("db://ann", "ann")
    await pushed(place, "made")
    first = place.vault.kept["made"]
    assert len(first) == 24
    async with running(place):
        await asyncio.sleep(60)
    assert place.vault.kept["made"] == first, "a restart is no refresh"
    await asyncio.sleep(3600)
    assert place.vault.kept["made"] != first


@story
async def test_stores_by_labels_and_secrets_by_labels(place):
    labelled = store()
    labelled["metadata"]["labels"] = {"tier": "gold"}
    refs = [{"labelSelector": {"matchLabels": {"tier": "gold"}}}]
    chosen = {"secret": {"selector": {"matchLabels": {"push": "yes"}}}}
    wanted = push("push", "", USER, secretStoreRefs=refs, selector=chosen)
    await place.apply(wanted)
    await errored(place, "nothing fits spec.selector")
    await place.apply(secret(user="ann", labels={"push": "yes"}), secret("other", user="eve"))
    await errored(place, "no store fits")
    await place.apply(labelled)
    await pushed(place)
    assert place.vault.kept["remote/db"] == {"user": "ann"}
    await place.apply(secret("other", user="eve", labels={"push": "yes"}))
    await errored(place, "2 Secrets fit the selector")
    assert place.vault.kept["remote/db"] == {"user": "ann"}


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (push("push", "nowhere", USER), "There is no Secret nowhere"),
        (push("push", "app", ("absent", "x")), "secret key absent does not exist"),
        (push("push", "app", USER, secretStoreRefs=[{"name": "nowhere"}]), "could not get SecretStore"),
        (push("push", "app", USER, secretStoreRefs=[{}]), "refStore Name must be provided"),
        (push("push", "app", USER, selector={"secret": {}}), "no secret selector provided"),
        (push("push", "app", USER, dataTo=[{"match": {"regexp": ".*"}}]), "spec.dataTo is not done here"),
        (push("push", "app", USER, template={"data": {"x": "{{ .absent }}"}}), "could not execute template"),
    ],
)
def test_what_is_wrong_is_said(wanted, why):
    @story
    async def told(place):
        await place.apply(store(), secret(user="ann"), wanted)
        found = await errored(place, why)
        assert condition(found)["reason"] == "Errored"
        assert place.vault.pushes.total() == 0

    told()


@story
async def test_names_are_turned_back_into_what_they_stand_for(place):
    data = [{"match": {"secretKey": "a/b", "remoteRef": {"remoteKey": "r"}}, "conversionStrategy": "ReverseUnicode"}]
    await place.apply(store(), secret(a_U002f_b="v"), push("push", "app", data=data))
    await pushed(place)
    assert place.vault.kept["r"] == "v"


@story
async def test_whoever_dies_between_writing_and_marking_goes_on(place):
    place.vault.dying = _die
    await place.apply(store(), secret(user="ann"), push("push", "app", USER, deletionPolicy="Delete"))
    await errored(place, "cut off")
    announced = await place.get("push", PUSHES)
    assert synced(announced) == {"SecretStore/vault": ["remote/db/user"]}, "on record before it was written"
    place.vault.dying = None
    await pushed(place)
    assert "remote/db" in place.vault.marked


def _die():
    raise Unreachable("cut off")


@story
async def test_an_outage_is_waited_for_and_deleting_waits_too(place):
    await place.apply(store(), secret(user="ann"), push("push", "app", USER, deletionPolicy="Delete"))
    await pushed(place)
    place.vault.failing = Unreachable("down")
    await place.apply(secret(user="bob"))
    await errored(place, "down")
    place.vault.failing = None
    await pushed(place)
    assert place.vault.kept["remote/db"] == {"user": "bob"}


@story
async def test_a_store_of_another_controller_is_left_to_it(place):
    await place.apply(store(controller="other"), secret(user="ann"), push("push", "app", USER))
    await asyncio.sleep(60)
    assert "status" not in await place.get("push", PUSHES)
    assert place.vault.pushes.total() == 0


@story(mandate=MandateSpec(mode="Observe"))
async def test_who_only_observes_pushes_nothing(place):
    await place.apply(store(), secret(user="ann"), push("push", "app", USER, deletionPolicy="Delete"))
    await asyncio.sleep(120)
    assert place.vault.pushes.total() == 0
    assert "status" not in await place.get("push", PUSHES)


@story
async def test_each_write_is_in_the_journal_and_no_value_is(place):
    await place.apply(store(), secret(user="canary-42"), push("push", "app", USER, deletionPolicy="Delete"))
    await pushed(place)
    await place.delete("push", PUSHES)
    await place.until(lambda: _gone(place))
    told = (await place.journal.page()).entries
    written = [each for each in told if "SecretStore/vault/remote/db/user" in str(each)]
    assert {each.verb for each in written} >= {"create", "delete"}
    assert "canary-42" not in str(told)
    assert "canary-42" not in str(await place.get("push", PUSHES))


@story
async def test_a_cluster_store_pushes_from_the_namespaces_it_admits(place):
    refs = [{"name": "vault", "kind": "ClusterSecretStore"}]
    wide = store(cluster=True, conditions=[{"namespaces": [HOME]}])
    mine, theirs = secret(user="ann"), secret(user="eve", namespace=AWAY)
    await place.apply(wide, mine, theirs, push("push", "app", USER, secretStoreRefs=refs))
    await place.apply(push("push", "app", ("user", "other"), secretStoreRefs=refs, namespace=AWAY))
    await pushed(place)
    await place.ready("False", "is not allowed from namespace", "push", PUSHES, AWAY)
    assert "other" not in place.vault.kept
    await place.client.apply(Target(SECRETS, HOME, "app"), encode(secret(user="x")), BY_HAND)
