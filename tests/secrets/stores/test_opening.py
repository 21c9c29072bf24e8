"""Which store a spec means."""

import subprocess
import sys

import pytest
from tests.secrets.stores.yard import yard

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Forbidden, InvalidInput, Unresolved
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.secretstore import SecretStoreSpec
from plumbline.kinds.read import read_part
from plumbline.secrets.stores.aws.secretsmanager import SecretsManager
from plumbline.secrets.stores.cluster import Standing
from plumbline.secrets.stores.kubernetes import KubernetesStore
from plumbline.secrets.stores.opening import SPOKEN, Allowed, Stores
from plumbline.secrets.stores.store import Remote
from plumbline.secrets.stores.vault.store import VaultStore

OURS = Standing("SecretStore", "it", "shop")
ANYBODYS = Standing("ClusterSecretStore", "it", "shop")
FAKE = {"fake": {"data": [{"key": "a", "value": "b"}]}}
AWS = {"aws": {"service": "SecretsManager", "region": "eu-west-1"}}
VAULT = {"vault": {"server": "https://vault", "auth": {"tokenSecretRef": {"name": "token", "key": "token"}}}}


def spec(provider):
    return read_part({"spec": {"provider": provider}}, "spec", SecretStoreSpec)


def stores(place, allowed=None):
    return Stores(place.client, place.bearing, SystemClock(), allowed or Allowed())


async def test_every_spoken_provider_is_opened():
    async with yard() as place:
        await place.account("shop", "robot")
        await place.secret("shop", "token", {"token": "t"})
        await place.secret("shop", "aws", {"id": "AKIA1\n", "key": "x\n", "session": "s"})
        key = {
            "accessKeyIDSecretRef": {"name": "aws", "key": "id"},
            "secretAccessKeySecretRef": {"name": "aws", "key": "key"},
            "sessionTokenSecretRef": {"name": "aws", "key": "session"},
        }
        opening = stores(place)
        for provider, kind in (
            ({"kubernetes": {"auth": {"serviceAccount": {"name": "robot"}}}}, KubernetesStore),
            ({"aws": {**AWS["aws"], "auth": {"secretRef": key}}}, SecretsManager),
            (VAULT, VaultStore),
        ):
            store = await opening.opened(spec(provider), OURS, named=next(iter(provider)))
            assert isinstance(store, kind)
            await store.close()
        fake = await opening.opened(spec(FAKE), OURS)
        assert await fake.value(Remote("a")) == Plaintext("b")
        await opening.forget("SecretStore", "shop", "it")
        await opening.close()


async def test_stores_that_log_in_somewhere_share_that_as_far_as_they_share_credentials(monkeypatch):
    async with yard() as place:
        opening = stores(place)
        await opening.forget("SecretStore", "shop", "it")
        await opening.close()
        await place.secret("shop", "token", {"token": "t"})
        await place.secret("bank", "token", {"token": "t"})
        asked = []
        await opening.opened(spec(VAULT), OURS)
        real = opening._vaults.opened

        async def noted(provider, cluster, identity):
            asked.append(identity)
            return await real(provider, cluster, identity)

        monkeypatch.setattr(opening._vaults, "opened", noted)
        named = {
            "vault": {
                **VAULT["vault"],
                "auth": {"tokenSecretRef": {"name": "token", "key": "token", "namespace": "bank"}},
            }
        }
        for provider, standing in ((VAULT, OURS), (VAULT, ANYBODYS), (named, ANYBODYS)):
            await opening.opened(spec(provider), standing)
        assert asked == [
            ("SecretStore", "shop", "it"),
            ("ClusterSecretStore", "", "it", "shop"),
            ("ClusterSecretStore", "", "it"),
        ]
        await opening.close()


WRONG = [
    ({}, "", "none"),
    ({}, "gcpsm", "one that is not spoken"),
    (FAKE, "gcpsm", "one that is not spoken beside one that is"),
    ({**FAKE, **AWS}, "", "several"),
]


@pytest.mark.parametrize(("provider", "named", "why"), WRONG, ids=[why for *_, why in WRONG])
async def test_exactly_one_provider_that_is_spoken(provider, named, why):
    async with yard() as place:
        with pytest.raises(InvalidInput) as refused:
            await stores(place).opened(spec(provider), OURS, named=named)
    if "not spoken" in why:
        assert named in refused.value.why
        assert all(name in refused.value.hint for name in SPOKEN)


async def test_a_secret_store_is_not_who_this_program_is(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLATFORM")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "platform")
    async with yard() as place:
        with pytest.raises(Forbidden):
            await stores(place).opened(spec(AWS), OURS)
        for opening, standing in ((stores(place), ANYBODYS), (stores(place, Allowed(own_identity=True)), OURS)):
            store = await opening.opened(spec(AWS), standing)
            assert await store.check()
            await store.close()


async def test_before_anybody_asks_the_namespace_is_not_known():
    provider = {"kubernetes": {"auth": {"serviceAccount": {"name": "robot"}}}}
    async with yard() as place:
        with pytest.raises(Unresolved) as missing:
            await stores(place).opened(spec(provider), Standing("ClusterSecretStore", "it"))
    assert missing.value.sought[2] == ""


def test_what_other_stores_need_is_not_loaded():
    script = "import sys; import plumbline.secrets.stores.opening; print([n for n in ('aiobotocore', 'botocore', 'aiohttp', 'cryptography') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
