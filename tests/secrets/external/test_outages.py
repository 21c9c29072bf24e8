"""Stores that are down, slow or wrong: what is there stays, it is said, and nobody is hammered."""

import asyncio

import pytest
from tests.secrets.external.scene import (
    HOME,
    HOUR,
    SECRETS,
    STORES,
    condition,
    external,
    item,
    running,
    secret,
    store,
    story,
)

from plumbline.base.errors import Forbidden, ServerFault, Throttled, Unreachable
from plumbline.kinds.mandate import MandateSpec

OWN = {"user": "ann", "password": "s3cret"}
FAILURES = [
    (Unreachable("no route"), "an outage"),
    (ServerFault("sealed"), "a store that says that it fails"),
    (Forbidden("not for you"), "a store that refuses"),
]


@pytest.mark.parametrize(("failure", "why"), FAILURES, ids=[why for _, why in FAILURES])
def test_whatever_a_store_says_the_last_secret_stays(failure, why):
    @story
    async def told(place):
        await place.apply(store(refreshInterval=86_400), external())
        await place.ready()
        version = (await place.get(resource=SECRETS))["metadata"]["resourceVersion"]
        place.vault.failing = failure
        await asyncio.sleep(1.2 * HOUR)
        found = await place.ready("False", "SecretSyncedErrorcould not get secret data from provider")
        assert str(failure) in condition(found)["message"], why
        assert "spec.dataFrom[0].extract" in condition(found)["message"]
        assert (await place.get(resource=SECRETS))["metadata"]["resourceVersion"] == version
        place.vault.failing = None
        await asyncio.sleep(70)
        await place.ready()
        events = await place.events()
        assert [count for (reason, _), count in events.items() if reason == "UpdateFailed"] == [1]

    told()


@story
async def test_patience_with_a_failing_store_ends_at_a_minute(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    place.vault.failing = Unreachable("no route")
    await place.patch({"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}})
    await asyncio.sleep(HOUR / 2)
    asked = place.vault.questions
    await asyncio.sleep(HOUR / 2)
    assert 27 <= place.vault.questions - asked <= 36


@story
async def test_a_correction_is_acted_on_at_once(place):
    await place.apply(store(refreshInterval=86_400), external(data=[item("user", "wrong", "user")]))
    await place.ready("False")
    await asyncio.sleep(HOUR)
    await place.patch({"spec": {"data": [item("user", "db", "user")]}})
    await asyncio.sleep(2)
    assert await place.values() == {"user": "ann"}


@story
async def test_a_correction_begins_patience_anew(place):
    await place.apply(store(refreshInterval=86_400), external(data=[item("user", "wrong", "user")]))
    await asyncio.sleep(HOUR)
    asked = place.vault.questions
    await place.patch({"spec": {"data": [item("user", "wrong too", "user")]}})
    await asyncio.sleep(10)
    assert place.vault.questions - asked >= 3


@story
async def test_a_store_that_is_not_well_is_not_asked(place):
    place.vault.refusing = Unreachable("no route")
    await place.apply(store(), *(external(f"app-{index}") for index in range(5)))
    for index in range(5):
        found = await place.ready("False", 'SecretStore "vault" is not ready', name=f"app-{index}")
        assert "could not get secret data from provider" in condition(found)["message"]
    await asyncio.sleep(HOUR)
    assert place.vault.questions == 0
    assert place.vault.opened['SecretStore "vault"'] <= 75
    place.vault.refusing = None
    await asyncio.sleep(62)
    for index in range(5):
        await place.ready(name=f"app-{index}")


@story
async def test_an_object_may_come_before_its_store(place):
    await place.apply(external())
    await place.ready("False", 'could not get SecretStore "vault": it is not there')
    await asyncio.sleep(600)
    await place.apply(store())
    await asyncio.sleep(3)
    await place.ready()


@story
async def test_a_store_that_hangs_is_given_up(place):
    place.vault.takes_s = 10**6
    await place.apply(store(), external())
    found = await place.ready("False", name="vault", resource=STORES)
    assert condition(found)["reason"] == "ValidationFailed"
    assert "did not answer within 30 s" in condition(found)["message"]


@story
async def test_the_first_failure_ends_what_a_look_asks(place):
    await place.apply(store(refreshInterval=86_400), external(data=[item("user", "db", "user")]))
    await place.ready()
    place.vault.takes_s, place.vault.failing = 1.0, Unreachable("no route")
    await place.patch({"spec": {"data": [item(f"key{index}", f"x{index}") for index in range(100)]}})
    await asyncio.sleep(1.9)
    assert place.vault.questions == 1 + 8


@story
async def test_a_store_that_asks_for_patience_gets_it(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    place.vault.failing = Throttled("slow down", after_s=900)
    await place.patch({"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}})
    await asyncio.sleep(800)
    assert place.vault.questions == 2


@story
async def test_rotated_credentials_heal_a_store_at_once(place):
    await place.apply(secret("token", token="old"), store(token="token"), external())
    await place.ready("False", "InvalidProviderConfigunable to create client", name="vault", resource=STORES)
    await asyncio.sleep(600)
    await place.apply(secret("token", token="letmein"))
    await asyncio.sleep(3)
    await place.ready(name="vault", resource=STORES)
    await place.ready()


@story
async def test_credentials_that_went_wrong_are_noticed_at_once(place):
    await place.apply(secret("token", token="letmein"), store(token="token"), external())
    await place.ready()
    await asyncio.sleep(600)
    await place.apply(secret("token", token="wrong"))
    await asyncio.sleep(3)
    await place.ready("False", "The token is not accepted", name="vault", resource=STORES)
    assert await place.values() == OWN
    assert condition(await place.get())["status"] == "True", "nothing of it is old yet"


UNUSABLE = [
    ({"data": [], "dataFrom": []}, "either data or dataFrom should be specified"),
    ({"dataFrom": [{"extract": {"key": "a"}, "find": {"path": "b"}}]}, "cannot be set at the same time"),
    ({"target": {"creationPolicy": "Merge", "deletionPolicy": "Delete"}}, "deletionPolicy=Delete must not be used"),
    ({"secretStoreRef": {}}, "no store is named"),
    ({"target": {"manifest": {"apiVersion": "v1", "kind": "ConfigMap"}}}, "a ConfigMap is not made here"),
    (
        {"dataFrom": [{"sourceRef": {"generatorRef": {"kind": "Password", "name": "p"}}}]},
        "unable to get generator Password p",
    ),
    ({"refreshInterval": "soon"}, "cannot be used"),
]


@pytest.mark.parametrize(("spec", "said"), UNUSABLE, ids=[said for _, said in UNUSABLE])
def test_what_cannot_be_used_is_said_once(spec, said):
    @story
    async def told(place):
        await place.apply(store(refreshInterval=86_400), external(**spec))
        await place.ready("False", said)
        await asyncio.sleep(30)
        assert await place.quietly(600) == (0, 0)
        assert place.vault.questions == 0
        assert await place.values() is None

    told()


@story(mandate=MandateSpec(mode="Observe"))
async def test_an_installation_that_only_observes_writes_nothing(place):
    await place.apply(store(), external())
    await asyncio.sleep(600)
    assert place.wire.writes.total() == 0
    assert await place.values() is None


@story
async def test_a_controller_that_starts_again_asks_nothing_that_is_not_due(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    await asyncio.sleep(30)
    for task in place.tasks:
        task.cancel()
    asked = place.vault.questions
    place.world = place.world._replace(metrics=type(place.world.metrics)())
    async with running(place):
        await asyncio.sleep(0.8 * HOUR)
        assert place.vault.questions == asked
        assert place.wire.writes["secrets"] + place.wire.writes["externalsecrets"] == 0
        assert place.metric("externalsecret_status_condition", condition="Ready", name="app", namespace=HOME, status="True") == 1  # fmt: skip


@story
async def test_a_store_that_cannot_be_opened_any_more_is_said(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    place.vault.refusing = Unreachable("no route")
    await place.patch({"metadata": {"annotations": {"external-secrets.io/force-sync": "1"}}})
    await place.ready("False", "no route")
    assert await place.values() == OWN


@story
async def test_nothing_is_made_of_an_answer_with_nothing_in_it(place):
    place.vault.kept["db"] = {}
    await place.apply(store(), external())
    await place.ready("False", "it answered with nothing, of which no Secret is made")
    assert await place.values() is None
    place.vault.kept["db"] = {"user": "ann"}
    await asyncio.sleep(62)
    assert await place.values() == {"user": "ann"}
