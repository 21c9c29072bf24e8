"""Secrets over the API: names, keys and states; never a value, neither in nor out."""

import base64
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
from tests.web.api.ours.office import TRACKED, Who, installed, office, put, until

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.cli.verbs.secret.set import verb
from plumbline.kernel.cache import Relevance, cached
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.externalsecrets.externalsecret import EXTERNAL_SECRET
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.sealing import certificate_of, key_secret, label_of, made_key
from plumbline.web.api.ours.rights import OurRights
from plumbline.web.api.secrets import SecretsApi
from plumbline.web.api.secrets.keys import public_key
from plumbline.web.api.secrets.rows import external, said, sealed, shaped
from plumbline.web.api.secrets.usage import uses_in

ALL = "/api/v1/secrets"
CANARY = "canary-9182"
SECRETS = GroupVersionResource("", "v1", "secrets")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")


@cache
def key():
    return made_key(now=datetime(2026, 1, 1, tzinfo=UTC), size=2048, lifetime=timedelta(days=3650), common_name="")


@cache
def envelope(label=b"shop/db"):
    return certificate_of(key().certificate_pem).sealed(Plaintext(CANARY), label)


def sealed_secret(name, namespace="shop", *, status="True", annotations=None, **spec):
    told = {
        "conditions": [{"type": "Synced", "status": status, "message": "no key opens it" if status == "False" else ""}]
    }
    return {
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations or {}},
        "spec": {"encryptedData": {"password": envelope(), "user": envelope()}, **spec},
        "status": told,
    }


@pytest.fixture
async def vault(place):
    await installed(place, SEALED_SECRET, *EXTERNAL_SECRETS_KINDS)
    ours = key_secret(key(), "team", name="sealed-secrets-keyabc")
    await put(place, SECRETS, ours)
    marks = {TRACKED: "web:bitnami.com/SealedSecret:shop/db", "plumbline.dev/sealed-with": key().fingerprint}
    await put(place, SEALED_SECRET.resource, sealed_secret("db", annotations=marks))
    await put(
        place,
        SEALED_SECRET.resource,
        sealed_secret(
            "broken",
            "team",
            status="False",
            annotations={"plumbline.dev/sealed-with": "SHA256:gone", "sealedsecrets.bitnami.com/cluster-wide": "true"},
        ),
    )
    fetched = {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": "api", "namespace": "shop"},
        "spec": {
            "secretStoreRef": {"name": "vault"},
            "target": {"name": "api-keys"},
            "data": [{"secretKey": "token", "remoteRef": {"key": "a"}}],
            "dataFrom": [{"extract": {"key": "b"}}],
        },
    }
    await put(place, EXTERNAL_SECRET.resource, fetched)
    await put(
        place,
        SECRETS,
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "db", "namespace": "shop"},
            "data": {"password": base64.b64encode(CANARY.encode()).decode()},
        },
    )
    pod = {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "env": [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}],
            }
        ]
    }
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod},
        },
    }
    await put(place, DEPLOYMENTS, web)
    await place.deploy("web")

    async def certificate():
        return place.certificate

    place.certificate = key().certificate_pem
    place.secrets = SecretsApi(place.desk, Metrics(), "team", certificate)
    async with office(place, place.secrets):
        yield place


async def test_secrets_are_listed_by_keys_and_states_and_never_by_values(vault):
    found = await vault.ask("GET", f"{ALL}?usage=true")
    assert CANARY.encode() not in found.body
    assert envelope().encode() not in found.body
    items = {each["name"]: each for each in found.json["items"]}
    db = items["db"]
    assert (db["keys"], db["state"], db["secretExists"], db["scope"]) == (["password", "user"], "well", True, "strict")
    assert db["said"] == "Secret db is as it should be"
    assert (db["key"]["known"], db["key"]["newest"]) == (True, True)
    assert db["usedBy"] == [{"kind": "Deployment", "name": "web", "how": "env", "key": "password"}]
    assert (items["broken"]["state"], items["broken"]["said"], items["broken"]["scope"]) == (
        "wrong",
        "no key opens it",
        "cluster-wide",
    )
    assert items["broken"]["key"] == {"fingerprint": "SHA256:gone", "known": False}
    api = items["api"]
    assert (api["secret"], api["keys"], api["moreKeys"], api["store"]) == (
        "api-keys",
        ["token"],
        True,
        "SecretStore/vault",
    )
    assert api["said"] == "Secret api-keys is not there yet"
    assert found.json["counts"]["kind"] == {"SealedSecret": 2, "ExternalSecret": 1}


async def test_one_secret_says_who_uses_it(vault):
    found = (await vault.ask("GET", f"{ALL}/SealedSecret/shop/db")).json
    assert found["usedBy"][0]["name"] == "web"
    assert (found["unseen"], found["application"]) == ([], {"namespace": "argocd", "name": "web"})
    assert (await vault.ask("GET", f"{ALL}/SealedSecret/shop/db")).json == found


async def test_whoever_may_not_see_one_is_told_the_same_as_of_none(vault):
    assert [each["name"] for each in (await vault.ask("GET", ALL, who="dev")).json["items"]] == ["db"]
    hidden = await vault.ask("GET", f"{ALL}/SealedSecret/team/broken", who="dev")
    assert hidden == await vault.ask("GET", f"{ALL}/SealedSecret/team/nothing", who="dev")
    assert (hidden.status, (await vault.ask("GET", f"{ALL}/SealedSecret/team/nothing")).status) == (403, 404)
    assert (await vault.ask("GET", f"{ALL}/Secret/shop/db")).status == 400


async def test_the_certificate_is_for_everybody_who_is_logged_in(vault):
    found = (await vault.ask("GET", "/api/v1/sealing/certificate", who="eve")).json
    assert (found["pem"].encode(), found["fingerprint"], found["bits"]) == (
        key().certificate_pem,
        key().fingerprint,
        2048,
    )
    assert "PRIVATE" not in found["pem"]
    assert (await vault.ask("GET", "/api/v1/sealing/certificate", who="")).status == 401
    vault.certificate = None
    assert (await vault.ask("GET", "/api/v1/sealing/certificate")).status == 504


async def test_keys_that_exist_nowhere_else_are_warned_of(vault):
    found = await vault.ask("GET", "/api/v1/sealing/keys")
    assert b"PRIVATE" not in found.body
    assert (found.json["items"][0]["newest"], found.json["items"][0]["exportedAt"]) == (True, "")
    assert found.json["warning"].startswith("1 key exists nowhere but in this cluster")
    assert (await vault.ask("GET", "/api/v1/sealing/keys", who="dev")).status == 403
    change = {"metadata": {"annotations": {"plumbline.dev/exported": "2026-02-03T00:00:00Z ann"}}}
    await vault.client.patch(Target(SECRETS, "team", "sealed-secrets-keyabc"), encode(change), "merge")
    again = (await vault.ask("GET", "/api/v1/sealing/keys")).json
    assert ("warning" not in again) is bool(again["items"][0]["exportedAt"])


def body(**more):
    return {"namespace": "shop", "name": "db", "encryptedData": {"password": envelope()}, **more}


async def test_sealed_values_become_a_manifest_that_opens(vault):
    found = (
        await vault.ask("POST", f"{ALL}/sealed", body(fingerprint=key().fingerprint, type="Opaque", labels={"a": "b"}))
    ).json
    made = found["manifest"]
    assert made["metadata"]["annotations"] == {"plumbline.dev/sealed-with": key().fingerprint}
    assert made["spec"]["template"] == {
        "metadata": {"name": "db", "namespace": "shop", "labels": {"a": "b"}},
        "type": "Opaque",
    }
    assert "kind: SealedSecret" in found["yaml"]
    wide = (await vault.ask("POST", f"{ALL}/sealed", body(scope="namespace-wide"))).json["manifest"]
    assert wide["metadata"]["annotations"] == wide["spec"]["template"]["metadata"]["annotations"]
    assert label_of("strict", "shop", "db") == b"shop/db"


REFUSED = [
    ({"encryptedData": {"password": CANARY}}, "a value in the clear"),
    ({"encryptedData": {"password": base64.b64encode(CANARY.encode() * 40).decode()}}, "one that is merely coded"),
    ({"encryptedData": {}}, "nothing"),
    ({"encryptedData": {"../x": "AAAA"}}, "a key that is none"),
    ({"stringData": {"password": CANARY}}, "a field for values"),
    ({"encryptedData": {CANARY: 7}}, "no text"),
    ({"namespace": "../team"}, "another place"),
    ({"fingerprint": "SHA256:other"}, "another key"),
    ({"encryptedData": {f"k{n}": "AA" for n in range(1025)}}, "too many"),
]


@pytest.mark.parametrize(("more", "why"), REFUSED, ids=[each[1] for each in REFUSED])
async def test_what_is_not_sealed_is_refused_without_a_word_of_it(vault, more, why):
    found = await vault.ask("POST", f"{ALL}/sealed", body(**more))
    assert found.status == 400
    assert CANARY.encode() not in found.body


async def test_manifests_are_for_those_who_may_make_them(vault):
    assert (await vault.ask("POST", f"{ALL}/sealed", body(), who="dev")).status == 403
    vault.allow("p, dev, secrets, create, shop/*, allow\n")
    assert (await vault.ask("POST", f"{ALL}/sealed", body(), who="dev")).status == 200
    assert (await vault.ask("POST", f"{ALL}/sealed", body(namespace="team"), who="dev")).status == 403


async def test_without_the_kinds_there_is_nothing_and_no_error(place):
    async def certificate():
        return None

    async with office(place, SecretsApi(place.desk, Metrics(), "team", certificate)):
        assert (await place.ask("GET", ALL)).json["items"] == []
        assert (await place.ask("GET", "/api/v1/sealing/keys")).json == {"items": []}


def entry(obj):
    return cached(encode(obj), Relevance())


def test_every_state_has_a_sentence():
    row = sealed(
        entry(
            {
                "metadata": {"name": "x", "namespace": "n", "deletionTimestamp": "t"},
                "spec": {"template": {"data": {"a": "t", "b": None}}},
            }
        )
    )
    assert (row.keys, said(row, there=True)) == (("a",), "It is being deleted, and Secret x with it")
    new = external(entry({"metadata": {"name": "x", "namespace": "n"}, "spec": {"data": 1}}))
    assert (said(new, there=True), shaped(new, there=True)["state"]) == (
        "Secret x is there, and nobody has looked at it yet",
        "waiting",
    )
    wrong = sealed(
        entry({"metadata": {"name": "x"}, "status": {"conditions": [{"type": "Synced", "status": "False"}]}})
    )
    assert said(wrong, there=False) == "Secret x cannot be made"


def test_all_ways_of_using_a_secret_are_found_once():
    spec = {
        "initContainers": [{"envFrom": [{"secretRef": {"name": "a"}}, {"secretRef": {"name": "a"}}]}],
        "containers": [{"env": [{"name": "X", "value": "y"}]}, "garbage"],
        "volumes": [{"secret": {"secretName": "b"}}, {"projected": {"sources": [{"secret": {"name": "c"}}]}}],
        "imagePullSecrets": [{"name": "d"}],
        "tls": [{"secretName": "e"}, {"secretName": 5}],
    }
    assert [(each.secret, each.how) for each in uses_in("Pod", "p", spec)] == [
        ("a", "envFrom"),
        ("b", "volume"),
        ("c", "volume"),
        ("d", "pull"),
        ("e", "tls"),
    ]


def test_what_holds_no_key_is_none():
    assert public_key({"metadata": {"name": "x"}, "data": {"tls.crt": "!"}}) is None
    brought = key_secret(key(), "n")
    brought["metadata"]["ownerReferences"] = [
        {"kind": "SealedSecret", "name": "x", "uid": "1", "apiVersion": "bitnami.com/v1alpha1"}
    ]
    assert public_key(brought) is None


async def test_one_change_is_one_piece_of_news_for_those_who_may_see_it_and_holds_no_value(vault):
    rights, told = OurRights(vault.desk), []
    async with vault.secrets.feed.following("secrets", told.append):
        failed = {"conditions": [{"type": "Synced", "status": "False", "message": "no key opens it"}]}
        sealed_db = Target(SEALED_SECRET.resource, "shop", "db")
        await vault.client.patch(sealed_db._replace(subresource="status"), encode({"status": failed}), "merge")
        await until(lambda: told)
        await vault.client.delete(Target(EXTERNAL_SECRET.resource, "shop", "api"))
        await until(lambda: len(told) > 1)
    assert [(each.key, each.kind, each.payload) for each in told] == [
        ("bitnami.com/SealedSecret/shop/db", "MODIFIED", {"state": "wrong"}),
        ("external-secrets.io/ExternalSecret/shop/api", "DELETED", None),
    ]
    assert [rights.sees_scope(Who("dev"), each.scope) for each in told] == [True, False]
    assert [rights.sees_scope(Who("ada"), each.scope) for each in told] == [True, True]


async def test_where_no_kind_is_served_there_is_no_news_and_no_failure(place):
    api = SecretsApi(place.desk, Metrics(), "team", None)
    async with office(place, api), api.feed.following("secrets", None):
        assert (await place.ask("GET", ALL)).json["items"] == []


async def test_the_command_that_seals_another_value_is_one_that_there_is(vault):
    db = (await vault.ask("GET", f"{ALL}/SealedSecret/shop/db")).json
    assert db["command"] == "plumb secret set db.sealedsecret.yaml KEY --name db -n shop"
    broken = (await vault.ask("GET", f"{ALL}/SealedSecret/team/broken")).json
    assert broken["command"].endswith(" --scope cluster-wide")
    for line in (db["command"], broken["command"]):
        words = line.replace("KEY", "password").split()
        verb.make_context("plumb", words[3:])
    assert "command" not in (await vault.ask("GET", f"{ALL}/ExternalSecret/shop/api")).json
