"""A SealedSecret becomes a Secret, and stays one."""

import asyncio

import pytest
from tests.secrets.sealed.scene import (
    HOME,
    KEYS,
    SEALED,
    SECRETS,
    Scene,
    key,
    running,
    sealed,
    story,
)

from plumbline.base.json import encode
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.secrets.sealing import key_secret


def test_it_becomes_a_secret_that_belongs_to_it():
    async def told(scene):
        wanted = sealed(metadata={"labels": {"app": "shop"}}, type="kubernetes.io/basic-auth", values={"username": "a"})
        made = await scene.apply(wanted)
        await scene.told("True")
        secret = await scene.get()
        assert await scene.values() == {"username": "a"}
        assert (secret["type"], secret["metadata"]["labels"]) == ("kubernetes.io/basic-auth", {"app": "shop"})
        owner = {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "name": "db", "controller": True}
        assert secret["metadata"]["ownerReferences"] == [{**owner, "uid": made["metadata"]["uid"]}]
        assert ("Unsealed", "SealedSecret unsealed successfully") in await scene.events()
        status = (await scene.get(resource=SEALED))["status"]
        assert status["observedGeneration"] == 1
        assert set(status["conditions"][0]) == {"type", "status", "lastUpdateTime", "lastTransitionTime"}

    story(told)


def test_a_new_value_replaces_the_old_one():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.apply(sealed(values={"password": "other", "user": "ann"}))
        await scene.until(lambda: _equals(scene, {"password": "other", "user": "ann"}))
        assert (await scene.get(resource=SEALED))["status"]["observedGeneration"] == 2

    story(told)


async def _equals(scene, values):
    return await scene.values() == values


@pytest.mark.parametrize(
    "drift",
    [
        {"data": {"password": "b3RoZXI="}},
        {"data": {"password": None}},
        {"data": {"more": "b3RoZXI="}},
        {"metadata": {"ownerReferences": None, "annotations": {"sealedsecrets.bitnami.com/managed": "true"}}},
        {"metadata": {"labels": {"app": "changed"}}},
    ],
)
def test_what_somebody_changes_in_it_comes_back(drift):
    async def told(scene):
        await scene.apply(sealed(metadata={"labels": {"app": "shop"}}))
        await scene.told("True")
        await scene.patch(drift)
        await asyncio.sleep(5)
        secret = await scene.get()
        assert await scene.values() == {"password": "s3cret"}
        assert secret["metadata"]["labels"] == {"app": "shop"}
        assert secret["metadata"]["ownerReferences"]

    story(told)


def test_what_others_note_on_it_stays_until_something_else_is_asked_for():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.patch({"metadata": {"annotations": {"replicator/done": "yes"}}})
        await asyncio.sleep(5)
        before = await scene.get()
        assert before["metadata"]["annotations"]["replicator/done"] == "yes"
        await scene.apply(sealed(values={"password": "new"}))
        await scene.until(lambda: _equals(scene, {"password": "new"}))
        assert "replicator/done" not in (await scene.get())["metadata"].get("annotations", {})

    story(told)


def test_a_secret_that_is_deleted_comes_back_and_goes_with_its_sealed_secret():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.delete()
        await asyncio.sleep(5)
        assert await scene.values() == {"password": "s3cret"}
        await scene.delete(resource=SEALED)
        await asyncio.sleep(60)
        assert await scene.get() is None

    story(told)


def test_one_that_is_not_to_be_owned_is_not_and_stays_away_when_it_is_deleted():
    unowned = {"annotations": {"sealedsecrets.bitnami.com/skip-set-owner-references": "true"}}

    async def told(scene):
        await scene.apply(sealed(metadata=unowned))
        await asyncio.sleep(5)
        secret = await scene.get()
        assert "ownerReferences" not in secret["metadata"]
        await scene.delete()
        await asyncio.sleep(60)
        assert await scene.get() is None

    story(told)


def foreign(**annotations):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "db",
            "namespace": HOME,
            "labels": {"by": "hand"},
            "annotations": {f"sealedsecrets.bitnami.com/{name}": value for name, value in annotations.items()},
        },
        "stringData": {"password": "mine", "other": "mine"},
    }


def test_somebody_elses_secret_is_left_alone_until_they_let_it_be_taken_over():
    async def told(scene):
        await scene.apply(foreign(), SECRETS)
        await scene.apply(sealed())
        said = await scene.told("False")
        assert said["message"].startswith(
            'failed update: Resource "db" already exists and is not managed by SealedSecret'
        )
        assert "sealedsecrets.bitnami.com/managed=true" in said["message"]
        assert await scene.values() == {"password": "mine", "other": "mine"}
        assert [reason for reason, _ in await scene.events()].count("ErrUpdateFailed") == 1
        await scene.patch({"metadata": {"annotations": {"sealedsecrets.bitnami.com/managed": "true"}}})
        await scene.told("True")
        secret = await scene.get()
        assert await scene.values() == {"password": "s3cret"}
        assert "labels" not in secret["metadata"]
        assert secret["metadata"]["ownerReferences"]

    story(told)


def test_one_that_asks_to_be_patched_keeps_what_it_has():
    async def told(scene):
        await scene.apply(foreign(patch="true"), SECRETS)
        await scene.apply(sealed(metadata={"labels": {"app": "shop"}}))
        await scene.told("True")
        secret = await scene.get()
        assert await scene.values() == {"password": "s3cret", "other": "mine"}
        assert secret["metadata"]["labels"] == {"by": "hand", "app": "shop"}
        assert "ownerReferences" not in secret["metadata"]
        await scene.patch({"metadata": {"annotations": {"sealedsecrets.bitnami.com/managed": "true"}}})
        await asyncio.sleep(5)
        secret = await scene.get()
        assert secret["metadata"]["ownerReferences"]
        assert await scene.values() == {"password": "s3cret", "other": "mine"}

    story(told)


def test_an_immutable_secret_is_never_replaced_unasked():
    async def told(scene):
        await scene.apply(sealed(immutable=True))
        await scene.told("True")
        await scene.apply(sealed(values={"password": "other"}, immutable=True))
        said = await scene.told("False", "is immutable")
        assert "Delete the Secret db" in said["message"]
        assert await scene.values() == {"password": "s3cret"}
        await scene.delete()
        await scene.told("True")
        assert await scene.values() == {"password": "other"}

    story(told)


def test_its_type_cannot_be_changed_and_it_says_so():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.apply(sealed(type="example.org/other"))
        await scene.told("False", "is of type Opaque, not example.org/other")

    story(told)


@pytest.mark.parametrize("kind", ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"])
def test_nobody_gets_tokens_of_the_cluster_through_it(kind):
    marks = {"annotations": {"kubernetes.io/service-account.name": "default"}}

    async def told(scene):
        await scene.apply(sealed(type=kind, metadata=marks))
        await scene.told("False", "may not ask for a Secret of type")
        assert await scene.get() is None

    story(told)


def test_templates_are_rendered():
    template = {"data": {"url": "postgres://{{ .user }}:{{ .password }}@db", "password": None}}

    async def told(scene):
        await scene.apply(sealed(values={"user": "ann", "password": "s3cret"}, template=template))
        await scene.told("True")
        assert await scene.values() == {"user": "ann", "url": "postgres://ann:s3cret@db"}

    story(told)


REFUSED = [
    (sealed("other") | {"metadata": {"name": "db", "namespace": HOME}}, "password", "renamed"),
    (sealed(namespace="other") | {"metadata": {"name": "db", "namespace": HOME}}, "password", "copied elsewhere"),
    (sealed(by=9), "password", "another key"),
    (sealed(values={"a": "1", "b": "2"}, by=9), "a, b", "all are named"),
    (sealed(template={"data": {"url": "{{ fail .password }}"}}), "url", "a template that fails"),
    (sealed(template={"data": {"url": "{{ env `HOME` }}"}}), "url", "what leaves the process is not there"),
]


@pytest.mark.parametrize(("wanted", "named", "why"), REFUSED, ids=[why for *_, why in REFUSED])
def test_what_cannot_be_opened_says_which_item_and_what_to_do_and_makes_nothing(wanted, named, why):
    async def told(scene):
        await scene.apply(wanted)
        said = await scene.told("False")
        assert named in said["message"], why
        assert "s3cret" not in str(said)
        assert said["reason"]
        assert await scene.get() is None
        assert [reason for reason, _ in await scene.events()] == ["ErrUnsealFailed"]

    story(told)


def test_the_last_good_secret_stays_while_a_new_one_cannot_be_opened():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.apply(sealed(values={"password": "new"}, by=9))
        await scene.told("False")
        assert await scene.values() == {"password": "s3cret"}

    story(told)


def test_a_status_is_never_stale():
    async def told(scene):
        await scene.apply(sealed(by=9))
        first = await scene.told("False", "password")
        await scene.apply(sealed(values={"user": "ann"}, by=9))
        second = await scene.told("False", "user")
        assert "password" not in second["message"]
        assert first["lastTransitionTime"] == second["lastTransitionTime"]
        assert first["lastUpdateTime"] <= second["lastUpdateTime"]
        await scene.apply(sealed())
        assert "message" not in await scene.told("True")

    story(told)


def test_it_is_opened_as_soon_as_its_key_comes():
    async def told(scene):
        await scene.apply(sealed(by=3))
        await scene.told("False")
        await scene.apply(key_secret(key(3), KEYS, name="imported"), SECRETS)
        await scene.told("True")
        assert await scene.values() == {"password": "s3cret"}

    story(told)


def test_an_installation_that_only_observes_writes_nothing():
    async def told(scene):
        await scene.apply(sealed())
        await asyncio.sleep(30)
        assert await scene.get() is None
        assert "status" not in await scene.get(resource=SEALED)

    story(told, mandate=MandateSpec())


def test_when_nothing_changes_nothing_is_written_read_or_opened():
    async def told(scene):
        for number in range(5):
            await scene.apply(sealed(f"db{number}"))
        await asyncio.sleep(30)
        await scene.patch({"metadata": {"annotations": {"note": "x"}}}, "db1", SEALED)
        before, looks = await scene.versions(), _looks(scene)
        await asyncio.sleep(1800)
        assert await scene.versions() == before
        assert _looks(scene) == looks == 5

    story(told)


def _looks(scene):
    return scene.world.metrics.registry.get_sample_value("sealed_secrets_controller_unseal_requests_total")


def test_a_restart_opens_each_once_and_writes_nothing():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        again = Scene(scene.client, World(scene.world.clock, scene.world.ids, Metrics()), scene.journal)
        before = await scene.versions()
        async with running(again):
            await asyncio.sleep(30)
            assert await scene.versions() == before
            assert _looks(again) == 1

    story(told)


def test_dashboards_of_the_old_controller_go_on():
    async def told(scene):
        await scene.apply(sealed())
        await scene.apply(sealed("bad", by=9))
        await scene.told("True")
        await scene.told("False", name="bad")
        value = scene.world.metrics.registry.get_sample_value
        labels = {"namespace": HOME, "condition": "Synced", "ss_app_kubernetes_io_instance": ""}
        assert value("sealed_secrets_controller_condition_info", {**labels, "name": "db"}) == 1
        assert value("sealed_secrets_controller_condition_info", {**labels, "name": "bad"}) == -1
        assert value("sealed_secrets_controller_unseal_errors_total", {"reason": "unseal", "namespace": HOME}) == 1
        await scene.delete("bad", SEALED)
        await asyncio.sleep(5)
        assert value("sealed_secrets_controller_condition_info", {**labels, "name": "bad"}) is None

    story(told)


def test_what_is_no_sealed_secret_at_all_harms_nobody():
    async def told(scene):
        odd = {
            "apiVersion": "bitnami.com/v1alpha1",
            "kind": "SealedSecret",
            "metadata": {"name": "odd", "namespace": HOME},
        }
        await scene.client.create(
            Target(SEALED, HOME), encode({**odd, "spec": {"encryptedData": {"a": "", "b": None}}})
        )
        await scene.apply(sealed())
        await scene.told("True")
        await scene.told("False", name="odd")

    story(told)


def test_who_leads_again_goes_on_in_the_same_process():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("True")
        await scene.room_ends()
        async with running(scene):
            await scene.apply(sealed("more"))
            await scene.told("True", name="more")
            assert _looks(scene) == 2, "counted anew"

    story(told)
