"""What a store may read of its own cluster."""

import base64

import pytest
from tests.secrets.stores.yard import CONFIG_MAPS, yard

from plumbline.base.errors import GarbledReply, InvalidInput, Unresolved
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Connection, Response
from plumbline.kube.client.parts import Impersonation, ServerTrust, User
from plumbline.secrets.stores.cluster import Standing, StandingCluster, bearing_over
from plumbline.secrets.stores.store import Selector

OURS, THEIRS = "ours", "theirs"

READS = [
    ("SecretStore", "shop", "", OURS, "a SecretStore reads its own namespace"),
    ("SecretStore", "shop", "shop", OURS, "and may say so"),
    ("SecretStore", "shop", "bank", None, "but no other"),
    ("ClusterSecretStore", "shop", "", OURS, "a ClusterSecretStore reads where the ExternalSecret is"),
    ("ClusterSecretStore", "shop", "bank", THEIRS, "unless it says another namespace"),
    ("ClusterSecretStore", "", "bank", THEIRS, "which it may do before anybody asks"),
]


@pytest.mark.parametrize(("kind", "at", "said", "value", "why"), READS, ids=[why for *_, why in READS])
async def test_a_store_reads_no_further_than_its_kind_allows(kind, at, said, value, why):
    async with yard() as place:
        for namespace, held in (("shop", OURS), ("bank", THEIRS)):
            await place.secret(namespace, "creds", {"key": held})
            await place.create(
                CONFIG_MAPS, namespace, {"kind": "ConfigMap", "metadata": {"name": "ca"}, "data": {"pem": held}}
            )
            await place.account(namespace, "robot", where=held)
        cluster = place.cluster(kind, at)
        if value is None:
            for ask in (
                cluster.secret(Selector("creds", "key", said)),
                cluster.config_map(Selector("ca", "pem", said)),
                cluster.account(Selector("robot", namespace=said)),
                cluster.token(Selector("robot", namespace=said), (), 600),
            ):
                with pytest.raises(InvalidInput) as refused:
                    await ask
                assert (
                    refused.value.why
                    == "namespace should either be empty or match the namespace of the SecretStore for a namespaced SecretStore"
                )
            return
        assert await cluster.secret(Selector("creds", "key", said)) == Plaintext(value)
        assert await cluster.config_map(Selector("ca", "pem", said)) == value
        assert (await cluster.account(Selector("robot", namespace=said)))["metadata"]["annotations"] == {"where": value}


async def test_a_token_is_of_the_account_and_for_the_audience():
    async with yard() as place:
        await place.account("shop", "robot")
        token = await place.cluster().token(Selector("robot"), ("sts.amazonaws.com", "other"), 900)
        claims = decode(base64.urlsafe_b64decode(token.reveal().split(b".")[1] + b"=="))
        assert claims["sub"] == "system:serviceaccount:shop:robot"
        assert claims["aud"] == ["sts.amazonaws.com", "other"]
        assert claims["exp"] - claims["iat"] == 900


async def test_what_is_not_there_is_unresolved_and_said_where():
    async with yard() as place:
        await place.secret("shop", "creds", {"key": "x"})
        cluster = place.cluster()
        for ask, sought in (
            (cluster.secret(Selector("nobody", "key")), ("", "Secret", "shop", "nobody")),
            (cluster.secret(Selector("creds", "nothing")), ("", "Secret", "shop", "creds")),
            (cluster.config_map(Selector("creds", "nothing")), ("", "ConfigMap", "shop", "creds")),
            (cluster.account(Selector("robot")), ("", "ServiceAccount", "shop", "robot")),
            (cluster.token(Selector("robot"), (), 600), ("", "ServiceAccount", "shop", "robot")),
        ):
            with pytest.raises(Unresolved) as missing:
                await ask
            assert missing.value.sought == sought


async def test_where_nobody_asks_the_namespace_is_not_known():
    async with yard() as place:
        with pytest.raises(Unresolved) as missing:
            await place.cluster("ClusterSecretStore", "").secret(Selector("creds", "key"))
        assert missing.value.sought == ("", "Secret", "", "creds"), "no namespace: somebody may ask who has one"


async def test_a_selector_without_a_name_lists_nothing():
    async with yard() as place:
        for ask in (place.cluster().secret(Selector("", "key")), place.cluster().token(Selector(""), (), 600)):
            with pytest.raises(InvalidInput):
                await ask


class Odd:
    def __init__(self, body):
        self._body = encode(body)

    async def send(self, _):
        return Response(200, {"content-type": "application/json"}, self._body)

    async def close(self): ...


async def test_odd_answers_are_garbled():
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "creds"}}
    cluster = StandingCluster(Client(Odd({**head, "data": {"key": "%"}})), Standing("SecretStore", "s", "shop"), None)
    with pytest.raises(GarbledReply):
        await cluster.secret(Selector("creds", "key"))
    with pytest.raises(GarbledReply):
        await cluster.token(Selector("creds"), (), 600)


async def test_over_the_network_a_token_goes_to_the_same_server_with_nothing_else_of_ours(monkeypatch):
    seen = []
    monkeypatch.setattr(Client, "connect", seen.append)
    ours = Connection(
        "https://here:6443",
        trust=ServerTrust(b"pem"),
        user=User(token=Plaintext("root")),
        impersonate=Impersonation("admin"),
    )
    bearing_over(ours)(Plaintext("robot"))
    assert (seen[0].server, seen[0].trust, seen[0].impersonate) == ("https://here:6443", ServerTrust(b"pem"), None)
    assert seen[0].user == User(token=Plaintext("robot"))


async def test_a_client_and_names_for_people():
    async with yard() as place:
        assert place.cluster().client is place.client
    assert str(Standing("SecretStore", "vault", "shop")) == "SecretStore shop/vault"
    assert str(Standing("ClusterSecretStore", "vault", "shop")) == "ClusterSecretStore vault"
