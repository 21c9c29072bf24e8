"""Sealing keys are found, followed, renewed, and missed when they are nowhere else."""

import asyncio
import base64
from datetime import timedelta

import msgspec
import pytest
from tests.secrets.sealed.scene import DAY_S, HABITS, HOME, KEYS, SEALED, SECRETS, Scene, key, running, sealed, story

from plumbline.base.errors import InvalidInput, Undecryptable
from plumbline.base.json import decode, encode
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client
from plumbline.secrets.sealed.keys import Habits
from plumbline.secrets.sealing import KEY_LABEL, certificate_of, key_of, key_secret
from plumbline.secrets.sealing.opening import SKIP_OWNER

HOUR_S = 3600.0


def fingerprints(scene):
    return [each.fingerprint for each in scene.room.keys.ring.keys]


def test_the_first_key_is_made_where_there_is_none_and_it_is_upstreams():
    async def told(scene):
        await asyncio.sleep(10)
        (made,) = await scene.keys()
        assert made["metadata"]["name"].startswith("sealed-secrets-key")
        assert (made["type"], made["metadata"]["labels"]) == ("kubernetes.io/tls", {KEY_LABEL: "active"})
        assert key_of(made).certificate_pem == await scene.desk.certificate()

    story(told, keys=0)


def test_keys_of_an_installation_that_was_there_before_are_used():
    async def told(scene):
        await scene.apply(sealed(by=0))
        await scene.apply(sealed("other", by=1))
        await scene.told("True")
        await scene.told("True", name="other")
        assert len(await scene.keys()) == 2
        assert await scene.desk.certificate() == key(1).certificate_pem

    story(told, keys=2)


def test_a_key_is_renewed_when_it_has_come_of_age_and_the_old_one_stays():
    async def told(scene):
        await asyncio.sleep(HOUR_S - 60)
        assert len(await scene.keys()) == 1
        await asyncio.sleep(120)
        assert len(await scene.keys()) == 2
        newest = certificate_of(await scene.desk.certificate()).fingerprint
        assert newest not in (key().fingerprint, "")
        await asyncio.sleep(HOUR_S - 240)
        assert len(await scene.keys()) == 2
        await scene.apply(sealed())
        await scene.told("True")

    story(told, habits=HABITS._replace(renewal=timedelta(hours=1)))
    assert Habits().renewal == timedelta(days=30)


def test_no_renewal_where_it_is_turned_off():
    async def told(scene):
        await asyncio.sleep(DAY_S)
        assert len(await scene.keys()) == 1

    story(told, habits=HABITS._replace(renewal=HABITS.renewal * 0))


def test_a_key_of_the_first_releases_counts_by_its_name_alone():
    async def told(scene):
        old = key_secret(key(5), KEYS, name="sealed-secrets-key")
        del old["metadata"]["labels"]
        await scene.apply(old, SECRETS)
        await scene.apply(sealed(by=5))
        await scene.told("True")

    story(told)


@pytest.mark.parametrize("label", ["compromised", None])
def test_a_key_that_is_no_longer_active_is_dropped_without_a_restart(label):
    async def told(scene):
        assert len(fingerprints(scene)) == 2
        await scene.patch({"metadata": {"labels": {KEY_LABEL: label}}}, "sealed-secrets-key1", namespace=KEYS)
        await asyncio.sleep(5)
        assert fingerprints(scene) == [key(0).fingerprint]
        await scene.apply(sealed(by=1))
        await scene.told("False")

    story(told, keys=2)


def test_a_key_that_is_deleted_is_dropped_and_a_secret_that_it_opened_stays():
    async def told(scene):
        await scene.apply(sealed(by=1))
        await scene.told("True")
        await scene.delete("sealed-secrets-key1", namespace=KEYS)
        await asyncio.sleep(60)
        assert fingerprints(scene) == [key(0).fingerprint]
        assert await scene.values() == {"password": "s3cret"}
        assert (await scene.synced())["status"] == "True"

    story(told, keys=2)


def test_what_is_no_key_is_said_and_harms_nobody():
    async def told(scene):
        broken = key_secret(key(4), KEYS, name="broken")
        broken["data"]["tls.key"] = "bm9uZQ=="
        await scene.apply(broken, SECRETS)
        await scene.apply(sealed())
        await scene.told("True")
        assert fingerprints(scene) == [key(0).fingerprint]

    story(told)


def test_a_sealed_secret_brings_no_keys():
    async def told(scene):
        smuggled = key_secret(key(6), KEYS, name="smuggled")
        wanted = sealed("smuggled", namespace=KEYS, metadata={"labels": {KEY_LABEL: "active"}})
        wanted["spec"]["template"]["type"] = "kubernetes.io/tls"
        wanted["spec"]["encryptedData"] = sealed(
            "smuggled", {name: _text(value) for name, value in smuggled["data"].items()}, namespace=KEYS
        )["spec"]["encryptedData"]
        await scene.apply(wanted)
        await asyncio.sleep(10)
        assert await scene.get("smuggled", namespace=KEYS) is not None
        assert fingerprints(scene) == [key(0).fingerprint]

    story(told)


def _text(value):
    return base64.b64decode(value).decode()


def test_a_key_that_is_nowhere_else_is_warned_of_once_and_no_more_when_it_was_exported():
    async def told(scene):
        await asyncio.sleep(DAY_S)
        count = scene.world.metrics.registry.get_sample_value
        assert count("plumbline_sealing_keys_unexported") == 1
        again = Scene(scene.client, World(scene.world.clock, scene.world.ids, Metrics()), scene.journal)
        async with running(again):
            await asyncio.sleep(60)
            warned = [message for reason, message in await scene.events(KEYS) if reason == "NotExported"]
            assert len(warned) <= 1
            change = {"metadata": {"annotations": {"plumbline.dev/exported": "2026-01-02T00:00:00Z age1x"}}}
            await scene.patch(change, "sealed-secrets-key0", namespace=KEYS)
            await asyncio.sleep(60)
            assert again.world.metrics.registry.get_sample_value("plumbline_sealing_keys_unexported") == 0

    story(told)


def test_an_installation_that_only_observes_makes_no_key():
    async def told(scene):
        await asyncio.sleep(60)
        assert await scene.keys() == []

    story(told, keys=0, mandate=MandateSpec())


def test_strangers_may_ask_whether_something_opens_and_for_the_same_with_the_newest_key():
    async def told(scene):
        desk = scene.desk
        old = sealed(by=0)
        await desk.verified(encode(old))
        again = decode(await desk.resealed(encode(old)))
        assert again["spec"]["encryptedData"] != old["spec"]["encryptedData"]
        assert decode(await desk.resealed(encode(again), keep=True))["spec"] == again["spec"]
        assert decode(await desk.resealed(encode(again)))["spec"] != again["spec"]
        await scene.delete("sealed-secrets-key0", namespace=KEYS)
        await asyncio.sleep(5)
        with pytest.raises(Undecryptable):
            await desk.verified(encode(old))
        await desk.verified(encode(again))
        for body in (b"[]", b'{"kind": "Secret"}', b"{"):
            with pytest.raises(InvalidInput):
                await desk.verified(body)

    story(told, keys=2)


def test_a_sealed_secret_waits_for_the_first_key():
    async def told(scene):
        await scene.apply(sealed())
        await scene.told("False")
        await scene.apply(key_secret(key(0), KEYS, name="imported"), SECRETS)
        await scene.told("True")
        assert (await scene.get(resource=SEALED, namespace=HOME))["status"]["observedGeneration"] == 1

    story(told, keys=0)


class Slow:
    """A watch that tells the state there is, and long after what became of it."""

    def __init__(self, stream):
        self._stream = stream

    async def __aiter__(self):
        async for piece in self._stream:
            yield piece
            if b"initial-events-end" in piece:
                await asyncio.sleep(DAY_S)

    async def close(self):
        await self._stream.close()


class HardOfHearing:
    def __init__(self, transport):
        self._transport = transport

    async def send(self, request):
        answer = await self._transport.send(request)
        slow = request.path == "/api/v1/secrets" and answer.stream is not None
        return msgspec.structs.replace(answer, stream=Slow(answer.stream)) if slow else answer

    async def close(self): ...


def test_one_key_is_made_where_the_watch_of_secrets_is_slow():
    async def told(scene):
        await scene.room_ends()
        for each in await scene.keys():
            await scene.delete(each["metadata"]["name"], namespace=KEYS)
        client = Client(HardOfHearing(scene.plane.transport()), clock=scene.world.clock, ids=scene.world.ids)
        again = Scene(scene.client, World(scene.world.clock, scene.world.ids, Metrics()), scene.journal)
        async with running(again, client):
            await asyncio.sleep(60)
            (made,) = await scene.keys()
            assert fingerprints(again) == [key_of(made).fingerprint]

    story(told)


def test_a_sealed_secret_brings_no_keys_without_owning_them_either():
    async def told(scene):
        annotations = {SKIP_OWNER: "true"}
        labelled = {"labels": {KEY_LABEL: "active"}, "annotations": annotations}
        for name, metadata in (("smuggled", labelled), ("sealed-secrets-key", {"annotations": annotations})):
            values = {part: _text(value) for part, value in key_secret(key(6), KEYS)["data"].items()}
            wanted = sealed(name, values, namespace=KEYS, metadata=metadata, type="kubernetes.io/tls")
            await scene.apply(wanted)
            await asyncio.sleep(10)
            assert "ownerReferences" not in (await scene.get(name, namespace=KEYS))["metadata"]
        again = Scene(scene.client, World(scene.world.clock, scene.world.ids, Metrics()), scene.journal)
        async with running(again):
            await asyncio.sleep(10)
            assert fingerprints(again) == [key(0).fingerprint]

    story(told)
