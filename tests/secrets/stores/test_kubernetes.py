"""Secrets of another namespace, or another cluster, as a store."""

from contextlib import AsyncExitStack

import pytest
from tests.secrets.stores.yard import ACCOUNTS, CONFIG_MAPS, SECRETS, yard

from plumbline.base.errors import (
    BadKubeconfig,
    BadSelector,
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    Refused,
    Unauthenticated,
    Unresolved,
)
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import KubernetesProvider
from plumbline.kinds.read import read_part
from plumbline.kube.client import Client, Target
from plumbline.secrets.stores.kubernetes import KubernetesStore, opened
from plumbline.secrets.stores.kubernetesdoor import client_for
from plumbline.secrets.stores.store import Remote, Search

AS_ROBOT = {"auth": {"serviceAccount": {"name": "robot"}}, "remoteNamespace": "bank"}


def spec(said):
    return read_part({"provider": said}, "provider", KubernetesProvider)


async def bank(place, said=AS_ROBOT, verbs=("get", "list")):
    """A store of namespace shop that reads namespace bank."""
    await place.account("shop", "robot")
    if verbs:
        await place.allow("robot", "bank", *verbs, within="shop")
    return await opened(spec(said), place.cluster())


VALUES = [
    (Remote("db", "password"), "s3cret", "an entry"),
    (Remote("db", "tls.crt"), "PEM", "an entry with a dot in its name"),
    (Remote("db", "conf.pool.size"), "5", "something in an entry that is JSON"),
    (Remote("db"), '{"conf":"{\\"pool\\": {\\"size\\": 5}}","password":"s3cret","tls.crt":"PEM"}', "all of it, as JSON"),
    (Remote("db", metadata=True), '{"annotations":{"note":"{\\"who\\": \\"me\\"}"},"labels":{"app.kubernetes.io/name":"db","tier":"1"}}', "what is noted"),
    (Remote("db", "labels", metadata=True), '{"app.kubernetes.io/name":"db","tier":"1"}', "its labels"),
    (Remote("db", "labels.tier", metadata=True), "1", "one of them"),
    (Remote("db", "labels.app.kubernetes.io/name", metadata=True), "db", "one with dots in its name"),
    (Remote("db", "annotations.note.who", metadata=True), "me", "something in an annotation that is JSON"),
    (Remote("bare", metadata=True), '{"annotations":null,"labels":null}', "nothing noted"),
    (Remote("bare"), "{}", "nothing in it"),
]  # fmt: skip


async def filled(place):
    await place.secret(
        "bank", "db", {"password": "s3cret", "tls.crt": "PEM", "conf": '{"pool": {"size": 5}}'},
        labels={"tier": "1", "app.kubernetes.io/name": "db"}, annotations={"note": '{"who": "me"}'},
    )  # fmt: skip
    await place.secret("bank", "db-old", {"password": "old"}, labels={"tier": "1"})
    await place.secret("bank", "bare", {})


@pytest.mark.parametrize(("remote", "value", "why"), VALUES, ids=[why for *_, why in VALUES])
async def test_a_value_is_an_entry_or_what_is_in_it(remote, value, why):
    async with yard() as place:
        await filled(place)
        store = await bank(place)
        assert await store.value(remote) == Plaintext(value), why
        await store.close()


MISSING_NOTES = ["labels.no", "labels.tier.", "spec", "labels.no.x", "annotations.no"]


async def test_what_is_not_there_is_not_found():
    async with yard() as place:
        await filled(place)
        store = await bank(place)
        for asked in (
            Remote("nobody"), Remote("db-old", "labels.tier"), *(Remote("db", each) for each in ("nothing", ".password", "password.", "conf.nope")),
            *(Remote("db", each, metadata=True) for each in MISSING_NOTES),
        ):  # fmt: skip
            with pytest.raises(NotFound):
                await store.value(asked)
        for asked in (Remote("nobody"), Remote("db", "nothing")):
            with pytest.raises(NotFound):
                await store.entries(asked)
        with pytest.raises(InvalidInput):
            await store.value(Remote(""))


async def test_extracting_gives_every_entry_or_the_members_of_one():
    async with yard() as place:
        await filled(place)
        await place.secret("bank", "json", {"doc": '{"a": "x", "b": [1, {"d": 1, "c": 2}]}', "text": "x"})
        store = await bank(place)
        assert await store.entries(Remote("db-old")) == {"password": Plaintext("old")}
        noted = await store.entries(Remote("db", metadata=True))
        assert noted["labels"] == Plaintext('{"app.kubernetes.io/name":"db","tier":"1"}')
        members = await store.entries(Remote("json", "doc"))
        assert members == {"a": Plaintext('"x"'), "b": Plaintext('[1,{"c":2,"d":1}]')}, "as JSON, as upstream has them"
        assert await store.entries(Remote("db", "labels", metadata=True)) == {
            "app.kubernetes.io/name": Plaintext('"db"'), "tier": Plaintext('"1"')
        }  # fmt: skip
        with pytest.raises(InvalidInput):
            await store.entries(Remote("json", "text"))


async def test_secrets_are_found_by_name_and_by_label():
    async with yard() as place:
        await filled(place)
        store = await bank(place)
        assert set(await store.search(Search(name="^db"))) == {"db", "db-old"}
        assert set(await store.search(Search(tags={"tier": "1"}))) == {"db", "db-old"}
        both = await store.search(Search(name="old$", tags={"tier": "1"}))
        assert both == {"db-old": Plaintext('{"password":"old"}')}
        with pytest.raises(InvalidInput):
            await store.search(Search(path="x"))
        with pytest.raises(BadSelector):
            await store.search(Search(tags={"tier": "1,other=2"}))


async def test_more_secrets_than_a_page_are_all_found(monkeypatch):
    async with yard() as place:
        for at in range(7):
            await place.secret("bank", f"s{at}", {"v": str(at)})
        store = await bank(place)
        real = type(store._client).pages
        monkeypatch.setattr(
            type(store._client), "pages", lambda self, target, selection: real(self, target, _paged(selection))
        )
        assert set(await store.search(Search(name="."))) == {f"s{at}" for at in range(7)}


def _paged(selection):
    return type(selection)(labels=selection.labels, limit=3)


async def test_a_secret_that_changes_is_read_anew():
    async with yard() as place:
        await filled(place)
        store = await bank(place)
        assert await store.value(Remote("db", "password")) == Plaintext("s3cret")
        await place.client.patch(
            Target(SECRETS, "bank", "db"), encode({"stringData": {"password": "rotated"}}), "merge"
        )
        assert await store.value(Remote("db", "password")) == Plaintext("rotated")


async def test_the_store_may_do_what_its_account_may_and_nothing_more():
    async with yard() as place:
        await filled(place)
        store = await bank(place, verbs=())
        with pytest.raises(Forbidden):
            await store.value(Remote("db", "password"))
        with pytest.raises(Forbidden, match="client is not allowed to get secrets"):
            await store.check()


async def test_a_look_at_the_store_asks_what_the_account_may():
    async with yard() as place:
        assert await (await bank(place)).check()


async def test_a_server_that_lists_no_rules_is_asked_for_the_one_that_matters():
    async with yard() as place:
        store = await bank(place)
        asked = []
        real = store._review

        async def reviewed(kind, wish):
            asked.append(kind)
            return {"incomplete": True} if kind == "SelfSubjectRulesReview" else await real(kind, wish)

        store._review = reviewed
        assert await store.check()
        assert asked == ["SelfSubjectRulesReview", "SelfSubjectAccessReview"]


async def test_a_token_that_somebody_wrote_down_is_used():
    async with yard() as place:
        await filled(place)
        await place.account("shop", "robot")
        await place.allow("robot", "bank", "get", within="shop")
        token = await place.client.create(
            Target(ACCOUNTS, "shop", "robot", "token"), encode({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        )  # fmt: skip
        await place.secret("shop", "token", {"token": decode(token)["status"]["token"] + "\n"})
        said = {"auth": {"token": {"bearerToken": {"name": "token", "key": "token"}}}, "remoteNamespace": "bank"}
        store = await opened(spec(said), place.cluster())
        assert await store.value(Remote("db", "password")) == Plaintext("s3cret")
        await place.secret("shop", "wrong", {"token": "made.up.token"})
        said["auth"]["token"]["bearerToken"]["name"] = "wrong"
        with pytest.raises(Unauthenticated):
            await (await opened(spec(said), place.cluster())).value(Remote("db", "password"))


REFUSED = [
    ({}, InvalidInput, "nobody to be"),
    ({"auth": {"serviceAccount": {"name": "robot"}, "token": {"bearerToken": {"name": "t", "key": "t"}}}}, InvalidInput, "two to be"),
    ({"auth": {"serviceAccount": {"name": "robot", "namespace": "bank"}}}, InvalidInput, "an account of another namespace"),
    ({"auth": {"serviceAccount": {"name": "nobody"}}}, Unresolved, "an account that is not there"),
    ({"auth": {"serviceAccount": {"name": "robot"}}, "server": {"url": "https://evil.example"}}, InvalidInput, "our cluster's token for another server"),
    ({"auth": {"token": {"bearerToken": {"name": "pair", "key": "tls.key"}}}, "server": {"url": "http://there"}}, InvalidInput, "credentials in the clear"),
    ({"auth": {"token": {"bearerToken": {"name": "pair", "key": "tls.key"}}}, "server": {"url": "https://user:pw@there"}}, InvalidInput, "an odd address"),
    ({"authRef": {"name": "config", "key": "exec"}}, BadKubeconfig, "a kubeconfig that runs a command"),
    ({"authRef": {"name": "config", "key": "file"}}, BadKubeconfig, "a kubeconfig that reads a file"),
    (
        {"auth": {"token": {"bearerToken": {"name": "pair", "key": "tls.key"}}},
         "server": {"url": "https://there", "caProvider": {"type": "ConfigMap", "name": "ca", "key": "ca", "namespace": "bank"}}},
        InvalidInput, "certificates of another namespace",
    ),
]  # fmt: skip


def kubeconfig(user):
    return encode({
        "current-context": "there", "contexts": [{"name": "there", "context": {"cluster": "there", "user": "me"}}],
        "clusters": [{"name": "there", "cluster": {"server": "https://there:6443"}}], "users": [{"name": "me", "user": user}],
    }).decode()  # fmt: skip


async def furnished(place):
    await place.account("shop", "robot")
    await place.secret("shop", "pair", {"tls.crt": "CERT", "tls.key": "KEY", "ca": "CA"})
    await place.create(CONFIG_MAPS, "shop", {"kind": "ConfigMap", "metadata": {"name": "ca"}, "data": {"ca": "CA"}})
    exec_ = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "rm", "interactiveMode": "Never"}}
    await place.secret(
        "shop", "config", {"exec": kubeconfig(exec_), "file": kubeconfig({"tokenFile": "/etc/passwd"}), "good": kubeconfig({"token": "T"})}
    )  # fmt: skip


@pytest.mark.parametrize(("said", "error", "why"), REFUSED, ids=[why for *_, why in REFUSED])
async def test_some_stores_are_not_opened(said, error, why):
    async with yard() as place:
        await furnished(place)
        with pytest.raises(error) as refused:
            await opened(spec(said), place.cluster())
        assert isinstance(refused.value, Refused), why
        assert "KEY" not in f"{refused.value}{refused.value.hint}"
        assert place.borne == []


CA = "Q0E="  # CA
ELSEWHERE = [
    ({"auth": {"cert": {"clientCert": {"name": "pair", "key": "tls.crt"}, "clientKey": {"name": "pair", "key": "tls.key"}}}, "server": {"url": "there", "caBundle": CA}},
     ("https://there", b"CA", b"CERT", None), "a certificate, and a bundle in the spec"),
    ({"auth": {"token": {"bearerToken": {"name": "pair", "key": "tls.key"}}}, "server": {"url": "https://there:6443/", "caProvider": {"type": "ConfigMap", "name": "ca", "key": "ca"}}},
     ("https://there:6443", b"CA", None, Plaintext("KEY")), "a token, and a bundle in a ConfigMap"),
    ({"auth": {"token": {"bearerToken": {"name": "pair", "key": "tls.key"}}}, "server": {"url": "https://there", "caProvider": {"type": "Secret", "name": "pair", "key": "ca"}}},
     ("https://there", b"CA", None, Plaintext("KEY")), "a token, and a bundle in a Secret"),
    ({"authRef": {"name": "config", "key": "good"}}, ("https://there:6443", b"", None, Plaintext("T")), "a kubeconfig"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected", "why"), ELSEWHERE, ids=[why for *_, why in ELSEWHERE])
async def test_another_cluster_is_reached_as_the_spec_says(said, expected, why, monkeypatch):
    seen = []
    monkeypatch.setattr(Client, "connect", seen.append)
    async with yard() as place:
        await furnished(place)
        await client_for(spec(said), place.cluster())
    made = seen[0]
    certificate = made.user.certificate.chain if made.user.certificate else None
    assert (made.server, made.trust.authorities, certificate, made.user.token) == expected, why
    assert not made.trust.insecure


async def test_a_token_for_another_server_is_for_the_audience_that_the_spec_names(monkeypatch):
    seen = []
    monkeypatch.setattr(Client, "connect", seen.append)
    async with yard() as place:
        await furnished(place)
        said = {
            "auth": {"serviceAccount": {"name": "robot", "audiences": ["there"]}},
            "server": {"url": "https://there"},
        }
        await client_for(spec(said), place.cluster())
    assert seen[0].user.token


async def test_our_own_server_goes_by_several_names():
    async with yard() as place:
        await furnished(place)
        for url in (
            "kubernetes.default",
            "https://kubernetes.default",
            "https://kubernetes.default.svc:443/",
            "kubernetes.default.svc.cluster.local",
        ):
            await client_for(spec({**AS_ROBOT, "server": {"url": url}}), place.cluster())
        assert len(place.borne) == 0, "nothing is opened yet"


async def test_what_is_opened_is_closed_even_where_opening_fails(monkeypatch):
    class Broken:
        async def __aenter__(self):
            raise GarbledReply("no")

        async def __aexit__(self, *_): ...

    async with yard() as place:
        await furnished(place)
        monkeypatch.setattr(place, "bearing", lambda _: Broken())
        with pytest.raises(GarbledReply):
            await opened(spec(AS_ROBOT), place.cluster())


async def test_entries_that_are_not_base64_are_garbled():
    class Odd:
        async def get(self, _):
            return encode({"data": {"a": "%"}, "metadata": {"name": "x"}})

    with pytest.raises(GarbledReply):
        await KubernetesStore(Odd(), "bank", AsyncExitStack()).value(Remote("x"))
