"""Stores: whether they are well, who may use them, and whose they are."""

import asyncio

import pytest
from tests.secrets.external.scene import (
    AWAY,
    CLUSTER_STORES,
    HOME,
    HOUR,
    STORES,
    condition,
    external,
    item,
    secret,
    store,
    story,
)

from plumbline.base.errors import InvalidInput, Unreachable, Unresolved
from plumbline.kinds.externalsecrets.secretstore import LabelSelector, StoreCondition
from plumbline.secrets.external.known import admits

WIDE = {"secretStoreRef": {"name": "wide", "kind": "ClusterSecretStore"}}


@pytest.mark.parametrize(("cluster", "resource"), [(False, STORES), (True, CLUSTER_STORES)])
def test_a_store_that_can_be_used_says_so(cluster, resource):
    @story
    async def told(place):
        await place.apply(store(cluster=cluster))
        namespace = "" if cluster else HOME
        found = await place.ready(text="Validstore validated", name="vault", resource=resource, namespace=namespace)
        assert found["status"]["capabilities"] == "ReadOnly"
        await asyncio.sleep(30)
        writes = place.wire.writes.total()
        await asyncio.sleep(HOUR)
        assert place.wire.writes.total() == writes
        assert 10 <= place.vault.asked["check"] <= 14

    told()


REFUSALS = [
    (InvalidInput("no such provider"), None, "InvalidProviderConfig", "unable to create client: no such provider"),
    (None, InvalidInput("wrong path"), "InvalidProviderConfig", "unable to validate store: wrong path"),
    (None, Unreachable("no route"), "ValidationFailed", "unable to validate store: no route"),
    (Unreachable("no route"), None, "ValidationFailed", "unable to create client: no route"),
]


@pytest.mark.parametrize(("opening", "check", "reason", "message"), REFUSALS)
def test_a_store_that_cannot_be_used_says_why(opening, check, reason, message):
    @story
    async def told(place):
        place.vault.refusing, place.vault.failing = opening, check
        await place.apply(store())
        said = condition(await place.ready("False", name="vault", resource=STORES))
        assert (said["reason"], said["message"]) == (reason, message)
        await asyncio.sleep(600)
        (event,) = [key for key in await place.events() if key[0] == reason]
        assert event == (reason, message)

    told()


@story
async def test_what_cannot_be_known_is_no_obstacle(place):
    place.vault.sure = False
    await place.apply(store(), external())
    await place.ready(text="ValidationUnknowncould not determine validation status", name="vault", resource=STORES)
    await place.ready()


@story
async def test_a_store_that_signs_in_as_who_asks_is_not_judged_without_them(place):
    place.vault.refusing = Unresolved("whose?", sought=("", "Secret", "", "token"))
    await place.apply(store("wide", cluster=True))
    await place.ready(text="ValidationUnknown", name="wide", resource=CLUSTER_STORES, namespace="")


@story
async def test_a_store_says_itself_how_often_it_is_checked(place):
    await place.apply(store(refreshInterval="1h"))
    await place.ready(name="vault", resource=STORES)
    await asyncio.sleep(0.8 * HOUR)
    assert place.vault.asked["check"] == 1


@story
async def test_a_change_of_a_store_is_checked_at_once(place):
    await place.apply(store(refreshInterval="1h"))
    await place.ready(name="vault", resource=STORES)
    await place.patch({"spec": {"refreshInterval": "2h"}}, "vault", STORES)
    await asyncio.sleep(5)
    assert place.vault.asked["check"] == 2


@story
async def test_stores_of_another_controller_are_left_alone(place):
    await place.apply(store(controller="other"), external())
    await place.apply(store("mine", controller="default"), external("second", secretStoreRef={"name": "mine"}))
    await place.ready(name="second")
    await asyncio.sleep(600)
    assert "status" not in await place.get("vault", STORES) or not condition(await place.get("vault", STORES))
    assert not condition(await place.get())
    assert await place.values() is None


@story
async def test_an_object_with_one_entry_of_another_controllers_store_is_left_alone(place):
    other = {**item("user", "db", "user"), "sourceRef": {"storeRef": {"name": "theirs"}}}
    await place.apply(
        store(), store("theirs", controller="other"), external(data=[item("password", "db", "password"), other])
    )
    await asyncio.sleep(60)
    assert not condition(await place.get())
    assert place.vault.questions == 0


@story
async def test_what_another_controller_has_to_undo_is_left_to_it(place):
    obj = external()
    obj["metadata"]["finalizers"] = ["externalsecrets.external-secrets.io/externalsecret-cleanup"]
    await place.apply(store(controller="other"), obj)
    await place.delete()
    await asyncio.sleep(60)
    assert (await place.get())["metadata"]["finalizers"]


@story
async def test_a_store_of_another_namespace_is_nobodys(place):
    await place.apply(store(namespace=AWAY), external())
    await place.ready("False", 'could not get SecretStore "vault"')
    assert place.vault.questions == 0


CONDITIONS = [
    ([], True, "no conditions admit everybody"),
    ([{"namespaces": [HOME]}], True, "by name"),
    ([{"namespaces": ["other"]}], False, "another name"),
    ([{"namespaceRegexes": ["^te.m$"]}], True, "by expression"),
    ([{"namespaceRegexes": ["("]}], False, "an expression that cannot be read admits nobody"),
    ([{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": HOME}}}], True, "by label"),
    ([{"namespaceSelector": {"matchLabels": {"tier": "gold"}}}], False, "without the label"),
    ([{"namespaces": ["other"]}, {"namespaceRegexes": ["eam"]}], True, "any of them"),
]


@pytest.mark.parametrize(("conditions", "admitted", "why"), CONDITIONS, ids=[case[-1] for case in CONDITIONS])
def test_conditions_say_who_may_use_a_store_of_the_cluster(conditions, admitted, why):
    @story
    async def told(place):
        await place.apply(store("wide", cluster=True, conditions=conditions), external(**WIDE))
        if admitted:
            await place.ready()
            return
        await place.ready("False", 'using cluster store "wide" is not allowed from namespace "team"')
        assert place.vault.questions == 0, why

    told()


@story
async def test_a_namespace_that_gets_the_label_is_admitted_at_once(place):
    gold = [{"namespaceSelector": {"matchLabels": {"tier": "gold"}}}]
    await place.apply(store("wide", cluster=True, conditions=gold), external(**WIDE))
    await place.ready("False", "is not allowed")
    await asyncio.sleep(600)
    await place.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME, "labels": {"tier": "gold"}}})
    await asyncio.sleep(2)
    await place.ready()


def test_a_selector_that_cannot_be_read_admits_nobody():
    broken = LabelSelector(match_labels={"not a label!": "x"})
    assert not admits((StoreCondition(namespace_selector=broken),), HOME, {})


@story
async def test_a_store_that_cannot_be_read_says_so(place):
    await place.apply(store(refreshInterval="sometimes"), external())
    await place.ready("False", "InvalidStoreConfiguration", name="vault", resource=STORES)
    await place.ready("False", "could not get secret data from provider")
    await place.apply(store("theirs", controller="other", refreshInterval="sometimes"))
    await asyncio.sleep(10)
    assert not condition(await place.get("theirs", STORES))


@story
async def test_a_store_that_is_gone_is_signed_out_of_and_not_counted(place):
    labels = {"condition": "Ready", "name": "vault", "namespace": HOME}
    await place.apply(store(), external())
    await place.ready()
    assert place.metric("secretstore_status_condition", **labels, status="True") == 1
    assert place.metric("secretstore_status_condition", **labels, status="False") == 0
    assert place.metric("secretstore_reconcile_duration", name="vault", namespace=HOME) >= 0
    place.vault.failing = Unreachable("no route")
    await place.delete("vault", STORES)
    await asyncio.sleep(10)
    assert place.vault.forgotten == [("SecretStore", HOME, "vault")]
    assert place.metric("secretstore_status_condition", **labels, status="True") is None


@story
async def test_looks_and_questions_are_counted_under_upstreams_names(place):
    await place.apply(store(refreshInterval=86_400), external(data=[item("user", "db", "user")]))
    await place.ready()
    named = {"name": "app", "namespace": HOME}
    ready = {"condition": "Ready", **named}
    assert place.metric("externalsecret_sync_calls_total", **named) >= 1
    assert place.metric("externalsecret_status_condition", **ready, status="True") == 1
    assert place.metric("externalsecret_reconcile_duration", **named) >= 0
    call = {"provider": "fake", "call": "GetSecret"}
    assert place.metric("externalsecret_provider_api_calls_count", **call, status="success") == 1
    place.vault.failing = Unreachable("no route")
    await asyncio.sleep(HOUR)
    assert place.metric("externalsecret_sync_calls_error", **named) >= 1
    assert place.metric("externalsecret_provider_api_calls_count", **call, status="error") >= 1
    assert place.metric("externalsecret_status_condition", **ready, status="True") == 0
    await place.delete()
    await asyncio.sleep(10)
    assert place.metric("externalsecret_sync_calls_total", **named) is None
    assert place.metric("externalsecret_status_condition", **ready, status="False") is None


@story
async def test_nothing_of_a_secret_is_kept_but_its_metadata(place):
    await place.apply(store(), external(), secret("other", value="c4nary"))
    await place.ready()
    informer = place.room._parts.collections._followed
    copies = [
        entry
        for part, followed in informer.items()
        if part.resource.resource == "secrets"
        for entry in followed.informer.cache
    ]
    assert len(copies) >= 2
    assert {entry.raw for entry in copies} == {b""}
