"""Whose a Secret is, and what becomes of it: the matrix of creation and deletion policies."""

import asyncio

import pytest
from tests.secrets.external.scene import CONFIG_MAPS, HOME, HOUR, SECRETS, external, item, secret, store, story

from plumbline.secrets.external.shaping.markers import CREATED_BY, DATA_HASH, MANAGED, created_by

OWN = {"user": "ann", "password": "s3cret"}
MATRIX = [
    # policy, makes it, makes it again at once, keeps it when the ExternalSecret goes
    ("Owner", True, True, False),
    ("Orphan", True, False, True),
    ("CreateOrMerge", True, True, True),
    ("Merge", False, False, True),
    ("None", False, False, True),
]


@pytest.mark.parametrize(("policy", "makes", "again", "keeps"), MATRIX, ids=[row[0] for row in MATRIX])
def test_a_creation_policy_does_what_its_row_says(policy, makes, again, keeps):
    @story
    async def told(place):
        await place.apply(store(), external(target={"creationPolicy": policy}))
        await place.ready()
        assert (await place.values() is not None) is makes
        if not makes and policy == "None":
            return
        if makes:
            await place.delete(resource=SECRETS)
        await asyncio.sleep(60)
        assert (await place.values() is not None) is again
        if policy == "Orphan":
            await asyncio.sleep(HOUR)
        if policy == "Merge":
            await place.apply(secret(other="kept"))
            await asyncio.sleep(10)
            assert await place.values() == {**OWN, "other": "kept"}
        assert await place.values()
        await place.delete()
        await asyncio.sleep(60)
        assert (await place.values() is not None) is keeps

    told()


@story
async def test_an_owner_is_written_down_and_others_are_not(place):
    await place.apply(store(), external(), external("shared", target={"creationPolicy": "CreateOrMerge"}))
    await place.ready()
    await place.ready(name="shared")
    owned, shared = await place.get(resource=SECRETS), await place.get("shared", SECRETS)
    (reference,) = owned["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["name"], reference["controller"]) == ("ExternalSecret", "app", True)
    assert owned["metadata"]["labels"][CREATED_BY] == created_by(HOME, "app")
    assert "ownerReferences" not in shared["metadata"]
    assert CREATED_BY not in shared["metadata"]["labels"]
    managers = {entry["manager"] for entry in owned["metadata"]["managedFields"]}
    assert managers == {"externalsecrets.external-secrets.io/app"}


SPOILED = [
    ({"data": {"password": "b3RoZXI="}}, "a value that somebody changed"),
    ({"data": {"password": None}}, "a key that somebody removed"),
    ({"metadata": {"labels": {MANAGED: None}}}, "the mark that it is ours"),
    ({"metadata": {"annotations": {DATA_HASH: "0"}}}, "the hash of what it holds"),
]


@pytest.mark.parametrize(("change", "why"), SPOILED, ids=[why for _, why in SPOILED])
def test_a_secret_that_was_changed_is_put_right_at_once(change, why):
    @story
    async def told(place):
        await place.apply(store(), external())
        await place.ready()
        await asyncio.sleep(60)
        await place.patch(change, resource=SECRETS)
        await asyncio.sleep(10)
        found = await place.get(resource=SECRETS)
        assert await place.values() == OWN, why
        assert found["metadata"]["labels"][MANAGED] == "true"
        assert place.vault.questions == 2

    told()


@story
async def test_what_others_add_beside_it_is_no_reason_to_ask(place):
    await place.apply(store(refreshInterval=86_400), external())
    await place.ready()
    await place.patch({"metadata": {"annotations": {"checked-by": "somebody"}}}, resource=SECRETS)
    await asyncio.sleep(30)
    assert place.vault.questions == 1
    assert (await place.get(resource=SECRETS))["metadata"]["annotations"]["checked-by"] == "somebody"


@story
async def test_the_first_of_two_on_one_target_has_it(place):
    await place.apply(store(), external())
    await place.ready()
    await place.apply(external("second", target={"name": "app"}, data=[item("else", "db", "user")]))
    found = await place.ready("False", "target is owned by another ExternalSecret", name="second")
    assert "app" in found["status"]["conditions"][0]["message"]
    await asyncio.sleep(60)
    version = (await place.get(resource=SECRETS))["metadata"]["resourceVersion"]
    await asyncio.sleep(600)
    assert (await place.get(resource=SECRETS))["metadata"]["resourceVersion"] == version
    await place.delete()
    await place.ready(name="second")
    assert await place.values() == {"else": "ann"}


@story
async def test_two_made_in_one_moment_do_not_fight(place):
    place.vault.takes_s = 1.0
    target = {"name": "both"}
    await place.apply(
        store(), external("one", target=target), external("two", target=target, data=[item("x", "db", "user")])
    )
    await asyncio.sleep(60)
    readiness = {name: ((await place.get(name))["status"]["conditions"][0]["status"]) for name in ("one", "two")}
    assert sorted(readiness.values()) == ["False", "True"]
    assert await place.quietly(600) == (0, 0)


@story
async def test_two_may_add_to_one_secret(place):
    target = {"name": "both", "creationPolicy": "CreateOrMerge"}
    await place.apply(store(refreshInterval=86_400))
    await place.apply(external("one", target=target), external("two", target=target, data=[item("x", "db", "user")]))
    await place.ready(name="one")
    await place.ready(name="two")
    await asyncio.sleep(60)
    assert await place.values("both") == {**OWN, "x": "ann"}
    assert await place.quietly(600) == (0, 0)


@story
async def test_a_secret_of_nobody_is_taken_and_one_of_another_is_not(place):
    await place.apply(store(), secret(left="over"), external())
    await place.ready()
    assert OWN.items() <= (await place.values()).items()
    held = secret("held", left="alone")
    await place.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "some", "namespace": HOME}})
    uid = (await place.get("some", CONFIG_MAPS))["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "some", "uid": uid, "controller": True}
    held["metadata"]["ownerReferences"] = [owner]
    await place.apply(held)
    await place.apply(external("other", target={"name": "held"}))
    await place.ready("False", "failed to take ownership of target secret", name="other")
    assert await place.values("held") == {"left": "alone"}


@story
async def test_an_immutable_secret_stays_as_it_is(place):
    fixed = {**secret("fixed", password="old"), "immutable": True}
    await place.apply(store(), fixed, external("app", target={"name": "fixed"}))
    await place.ready("False", "could not update secret, target is immutable")
    assert await place.values("fixed") == {"password": "old"}
    await asyncio.sleep(60)
    assert await place.quietly(600) == (0, 0)
    await place.delete("fixed", SECRETS)
    await place.ready()
    assert await place.values("fixed") == OWN


@story
async def test_a_target_that_is_asked_to_be_immutable_is_made_once(place):
    await place.apply(store(), external(target={"immutable": True}))
    await place.ready()
    assert (await place.get(resource=SECRETS))["immutable"] is True
    place.vault.kept["db"]["password"] = "n3w"
    await asyncio.sleep(2 * HOUR)
    assert await place.values() == OWN
    await place.ready()


@story
async def test_a_target_of_another_name_leaves_nothing_behind(place):
    await place.apply(store(), external(target={"name": "first"}))
    await place.ready()
    await place.patch({"spec": {"target": {"name": "second"}}})
    await asyncio.sleep(30)
    assert await place.values("second") == OWN
    assert await place.values("first") is None
    assert (await place.events())["Deleted", "secret deleted because it was orphaned"] == 1
    assert (await place.get())["status"]["binding"] == {"name": "second"}


@story
async def test_a_label_that_claims_to_be_ours_costs_nobody_a_secret(place):
    forged = secret("foreign", labels={CREATED_BY: created_by(HOME, "app")}, mine="all")
    await place.apply(store(), forged, external())
    await place.ready()
    await asyncio.sleep(30)
    assert await place.values("foreign") == {"mine": "all"}


@story
async def test_no_longer_the_owner_it_lets_go(place):
    await place.apply(store(), external())
    await place.ready()
    await place.patch({"spec": {"target": {"creationPolicy": "Orphan"}}})
    await asyncio.sleep(10)
    assert not (await place.get(resource=SECRETS))["metadata"].get("ownerReferences")
    await place.delete()
    await asyncio.sleep(60)
    assert await place.values() == OWN


@story
async def test_with_delete_the_secret_goes_when_the_store_has_none_of_it(place):
    await place.apply(store(), external(target={"deletionPolicy": "Delete"}))
    await place.ready()
    kept = place.vault.kept.pop("db")
    await asyncio.sleep(HOUR)
    assert await place.values() is None
    await place.ready(text="SecretDeletedsecret deleted due to DeletionPolicy=Delete")
    asked = place.vault.questions
    await asyncio.sleep(0.8 * HOUR)
    assert place.vault.questions == asked, "the Secret is missing because it should"
    events = await place.events()
    assert events["Deleted", "secret deleted due to DeletionPolicy=Delete"] == 1
    assert events["MissingProviderSecret", "secret does not exist at provider using spec.dataFrom[0]"] == 1
    place.vault.kept["db"] = kept
    await asyncio.sleep(HOUR)
    assert await place.values() == OWN


@story
async def test_with_merge_the_keys_go_that_the_store_has_none_of(place):
    place.vault.kept["more"] = "x"
    wanted = [item("user", "db", "user"), item("more", "more")]
    await place.apply(store(), external(target={"deletionPolicy": "Merge"}, data=wanted))
    await place.ready()
    assert await place.values() == {"user": "ann", "more": "x"}
    del place.vault.kept["more"]
    await asyncio.sleep(HOUR)
    assert await place.values() == {"user": "ann"}
    await place.ready()


@story
async def test_with_retain_what_the_store_lost_is_kept_and_reported(place):
    await place.apply(store(), external())
    await place.ready()
    del place.vault.kept["db"]
    await asyncio.sleep(HOUR)
    await place.ready("False", "could not get secret data from provider")
    assert await place.values() == OWN


@pytest.mark.parametrize("policy", ["Retain", "Delete", "Merge"])
def test_an_empty_answer_overwrites_nothing(policy):
    @story
    async def told(place):
        await place.apply(store(), external(target={"deletionPolicy": policy}))
        await place.ready()
        kept, place.vault.kept["db"] = place.vault.kept["db"], {}
        await asyncio.sleep(2 * HOUR)
        assert await place.values() == OWN
        await place.ready(text="secret retained")
        place.vault.kept["db"] = kept
        await asyncio.sleep(HOUR)
        await place.ready(text="secret synced")

    told()


@story
async def test_what_was_moved_over_can_be_deleted(place):
    """Upstream puts a finalizer on everything."""
    obj = external(target={"deletionPolicy": "Delete"})
    obj["metadata"]["finalizers"] = ["externalsecrets.external-secrets.io/externalsecret-cleanup"]
    await place.apply(store(), obj)
    await place.ready()
    await place.delete()
    await asyncio.sleep(10)
    assert await place.get() is None
    assert await place.values() is None


@story
async def test_a_kept_secret_outlives_what_was_moved_over(place):
    obj = external(target={"creationPolicy": "Orphan"})
    obj["metadata"]["finalizers"] = ["externalsecrets.external-secrets.io/externalsecret-cleanup"]
    await place.apply(store(), obj)
    await place.ready()
    await place.delete()
    await asyncio.sleep(10)
    assert await place.get() is None
    assert await place.values() == OWN


@story
async def test_a_secret_that_may_not_be_deleted_comes_back_with_what_it_is_made_of(place):
    """What is gone from the store may be put back there, which nothing in the cluster tells."""
    target = {"creationPolicy": "Orphan", "deletionPolicy": "Delete"}
    await place.apply(store(refreshInterval=86_400), external(target=target, refreshInterval="10m"))
    await place.ready()
    kept = place.vault.kept.pop("db")
    await place.ready("False", "could not delete secret")
    place.vault.kept["db"] = {**kept, "user": "bob"}
    await place.ready()
    assert (await place.values())["user"] == "bob"
