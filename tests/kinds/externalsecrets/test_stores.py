"""Stores, typed: every way of signing in that upstream has can be said, and what is not spoken is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kinds.duration import BadDuration
from plumbline.kinds.externalsecrets import CLUSTER_SECRET_STORE, SECRET_STORE
from plumbline.kinds.externalsecrets.common import Base64
from plumbline.kinds.externalsecrets.secretstore import Seconds, provider_name
from plumbline.kinds.read import read
from plumbline.kinds.values import written

KEY = {"name": "credentials", "key": "token"}
ACCOUNT = {"name": "reader", "audiences": ["vault"]}
FAKE = {"fake": {"data": [{"key": "a", "value": "b", "version": "v1"}], "validationResult": 1}}


def store(spec, kind=SECRET_STORE, version="v1"):
    metadata = {"name": "vault", "namespace": "shop"} if kind.namespaced else {"name": "vault"}
    return {"apiVersion": f"{kind.group}/{version}", "kind": kind.kind, "metadata": metadata, "spec": spec}


def provided(provider):
    return read(SECRET_STORE, store({"provider": provider})).spec.provider


WAYS_INTO_VAULT = {
    "tokenSecretRef": KEY,
    "appRole": {"roleId": "app", "roleRef": KEY, "secretRef": KEY},
    "kubernetes": {"mountPath": "k8s", "serviceAccountRef": ACCOUNT, "secretRef": KEY, "role": "shop"},
    "ldap": {"username": "me", "secretRef": KEY},
    "userPass": {"username": "me", "secretRef": KEY},
    "jwt": {
        "role": "shop",
        "secretRef": KEY,
        "kubernetesServiceAccountToken": {"serviceAccountRef": ACCOUNT, "audiences": ["a"], "expirationSeconds": 600},
    },
    "cert": {"clientCert": KEY, "secretRef": KEY},
    "iam": {
        "path": "aws",
        "region": "eu-west-1",
        "role": "arn:aws:iam::1:role/a",
        "vaultRole": "shop",
        "externalID": "x",
        "vaultAwsIamServerID": "vault.example.com",
        "secretRef": {
            "accessKeyIDSecretRef": KEY,
            "secretAccessKeySecretRef": KEY,
            "sessionTokenSecretRef": KEY,
        },
        "jwt": {"serviceAccountRef": ACCOUNT},
    },
    "gcp": {
        "role": "shop",
        "location": "europe-west1",
        "projectID": "shop",
        "secretRef": {"secretAccessKeySecretRef": KEY},
        "serviceAccountRef": ACCOUNT,
        "workloadIdentity": {
            "serviceAccountRef": ACCOUNT,
            "clusterLocation": "a",
            "clusterName": "b",
            "clusterProjectID": "c",
        },
    },
}
PROVIDERS = {
    **{
        f"vault by {way}": {"vault": {"server": "https://vault.example.com", "auth": {way: said}}}
        for way, said in WAYS_INTO_VAULT.items()
    },
    "vault with everything else": {
        "vault": {
            "server": "https://vault.example.com",
            "path": "secret",
            "version": "v1",
            "namespace": "team",
            "auth": {"namespace": "root"},
            "caBundle": "YWJj",
            "caProvider": {"type": "ConfigMap", "name": "ca", "key": "ca.crt", "namespace": "shop"},
            "tls": {"certSecretRef": KEY, "keySecretRef": KEY},
            "readYourWrites": True,
            "forwardInconsistent": True,
            "headers": {"X-Team": "shop"},
            "checkAndSet": {"required": True},
        }
    },
    "aws": {
        "aws": {
            "service": "ParameterStore",
            "region": "eu-west-1",
            "auth": {
                "secretRef": {
                    "accessKeyIDSecretRef": KEY,
                    "secretAccessKeySecretRef": KEY,
                    "sessionTokenSecretRef": KEY,
                },
                "jwt": {"serviceAccountRef": ACCOUNT},
            },
            "role": "arn:aws:iam::1:role/a",
            "additionalRoles": ["arn:aws:iam::1:role/b"],
            "externalID": "x",
            "sessionTags": [{"key": "a", "value": "b"}],
            "transitiveTagKeys": ["a"],
            "prefix": "shop/",
            "secretsManager": {"forceDeleteWithoutRecovery": True, "recoveryWindowInDays": 7},
        }
    },
    "kubernetes by certificate": {"kubernetes": {"auth": {"cert": {"clientCert": KEY, "clientKey": KEY}}}},
    "kubernetes by token": {
        "kubernetes": {
            "server": {"url": "https://other.example.com", "caBundle": "YWJj"},
            "auth": {"token": {"bearerToken": KEY}},
            "remoteNamespace": "shop",
        }
    },
    "kubernetes by account": {"kubernetes": {"auth": {"serviceAccount": ACCOUNT}, "authRef": KEY}},
    "fake": FAKE,
}


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
@pytest.mark.parametrize("kind", [SECRET_STORE, CLUSTER_SECRET_STORE], ids=lambda kind: kind.kind)
@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=list(PROVIDERS))
def test_whatever_upstream_can_be_told_is_read_and_written_back(provider, kind, version):
    got = read(kind, store({"provider": provider}, kind, version))
    assert got.unknown == ()
    assert written(got.spec.provider) == provider


def test_mounts_in_vault_have_the_names_that_vault_gives_them():
    auth = provided(
        {
            "vault": {
                "server": "https://vault.example.com",
                "auth": {
                    "appRole": {"secretRef": KEY},
                    "kubernetes": {"role": "a"},
                    "jwt": {},
                    "ldap": {"username": "a"},
                    "userPass": {"username": "a"},
                    "cert": {},
                    "gcp": {"role": "a"},
                },
            }
        }
    ).vault.auth
    assert (auth.app_role.path, auth.kubernetes.mount_path, auth.jwt.path) == ("approle", "kubernetes", "jwt")
    assert (auth.ldap.path, auth.user_pass.path, auth.cert.path, auth.gcp.path) == ("ldap", "userpass", "cert", "gcp")


def test_defaults_are_upstreams():
    vault = provided({"vault": {"server": "https://vault.example.com"}}).vault
    assert (vault.version, vault.path, vault.namespace, vault.auth, vault.ca_bundle) == ("v2", None, None, None, b"")
    kubernetes = provided({"kubernetes": {}}).kubernetes
    assert (kubernetes.server.url, kubernetes.remote_namespace) == ("kubernetes.default", "default")


def test_who_may_use_a_store_of_the_cluster():
    selector = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "In", "values": ["d"]}]}
    conditions = [{"namespaceSelector": selector}, {"namespaces": ["shop"]}, {"namespaceRegexes": ["^team-"]}]
    obj = store({"provider": FAKE, "conditions": conditions}, CLUSTER_SECRET_STORE)
    got = read(CLUSTER_SECRET_STORE, obj)
    assert got.unknown == ()
    assert written(got.spec.conditions) == conditions


def test_how_often_a_request_is_made_again():
    settings = {"maxRetries": 5, "retryInterval": "10s"}
    spec = read(SECRET_STORE, store({"provider": FAKE, "retrySettings": settings, "controller": "mine"})).spec
    assert (spec.retry_settings.max_retries, spec.retry_settings.retry_interval) == (5, "10s")
    assert spec.controller == "mine"


INTERVALS = [
    ({}, 0, "the controller's own"),
    ({"refreshInterval": 0}, 0, "the controller's own, said aloud"),
    ({"refreshInterval": 300}, 300, "seconds, as it had to be said once"),
    ({"refreshInterval": "5m"}, 300, "a duration, as newer ones say it"),
]


@pytest.mark.parametrize(("said", "seconds", "why"), INTERVALS, ids=[why for *_, why in INTERVALS])
def test_time_between_looks_at_a_store(said, seconds, why):
    assert read(SECRET_STORE, store({"provider": FAKE, **said})).spec.refresh_interval.seconds == seconds, why


@given(st.one_of(st.booleans(), st.floats(), st.none(), st.lists(st.integers(), max_size=2)))
def test_nothing_else_is_a_time(said):
    with pytest.raises(BadDuration):
        Seconds.read(said)


def test_seconds_beyond_all_time_are_refused():
    with pytest.raises(InvalidInput, match=r"spec\.refreshInterval"):
        read(SECRET_STORE, store({"provider": FAKE, "refreshInterval": 10**12}))


@given(st.binary(max_size=60), st.sampled_from(["", "\n", "\r\n"]))
def test_line_breaks_in_base64_do_no_harm(value, between):
    text = Base64(value).write()
    broken = between.join(text[at : at + 7] for at in range(0, len(text), 7)) + between
    assert Base64.read(broken) == value


@pytest.mark.parametrize("said", ["YWJ", "a b c d", "é", 3, None, ["YWJj"]])
def test_what_is_no_base64_is_refused_without_being_repeated(said):
    with pytest.raises(ValueError, match=r"^bytes in base64$"):
        Base64.read(said)


GOOGLE = {"gcpsm": {"projectID": "shop", "auth": {"workloadIdentity": {"clusterName": "a"}}}}


def test_a_store_of_a_kind_that_is_not_spoken_is_kept_and_named():
    obj = store({"provider": GOOGLE})
    got = read(SECRET_STORE, obj)
    assert got.raw["spec"]["provider"] == GOOGLE
    assert got.unknown == ("spec.provider.gcpsm",)
    assert provider_name(obj) == "gcpsm"
    assert written(got.spec.provider) == {}


NAMES = [
    ({"spec": {"provider": FAKE}}, "fake", "one that is spoken"),
    ({"spec": {"provider": GOOGLE}}, "gcpsm", "one that is not"),
    ({"spec": {"provider": {}}}, "", "none"),
    ({"spec": {"provider": {**FAKE, **GOOGLE}}}, "", "two, which the API server refuses"),
    ({"spec": {"provider": "vault"}}, "", "no object"),
    ({"spec": None}, "", "no spec"),
    ({}, "", "nothing at all"),
]


@pytest.mark.parametrize(("obj", "name", "why"), NAMES, ids=[why for *_, why in NAMES])
def test_what_a_store_says_that_it_is(obj, name, why):
    assert provider_name(obj) == name, why


WRONG = [
    ({}, "spec.provider"),
    ({"provider": {"vault": {}}}, "spec.provider.vault.server"),
    ({"provider": {"vault": {"server": "a", "version": "v3"}}}, "spec.provider.vault.version"),
    ({"provider": {"vault": {"server": "a", "caBundle": "?"}}}, "spec.provider.vault.caBundle"),
    ({"provider": {"vault": {"server": "a", "auth": {"appRole": {}}}}}, "spec.provider.vault.auth.appRole.secretRef"),
    ({"provider": {"aws": {"region": "a", "service": "S3"}}}, "spec.provider.aws.service"),
    ({"provider": {"fake": {"data": [{"key": "a"}]}}}, "spec.provider.fake.data[0].value"),
    ({"provider": FAKE, "refreshInterval": "soon"}, "spec.refreshInterval"),
]


@pytest.mark.parametrize(("spec", "path"), WRONG, ids=[path for _, path in WRONG])
def test_what_cannot_be_used_is_named(spec, path):
    with pytest.raises(InvalidInput) as refusal:
        read(SECRET_STORE, store(spec))
    assert path in refusal.value.what
