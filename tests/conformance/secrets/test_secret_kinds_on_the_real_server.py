"""Objects of the secrets' kinds on the real API server: what people write arrives whole, in both versions."""

import time

import pytest
from tests.conformance.definitions import shipped
from tests.conformance.real import RealCluster

from plumbline.base.documents import load_documents
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.externalsecrets import EXTERNAL_SECRET, SECRET_STORE
from plumbline.kinds.read import read
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kinds.secrets import SECRETS_KINDS

pytestmark = pytest.mark.conformance

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SEALED_SECRETS = "github.com/bitnami-labs/sealed-secrets@v0.40.0"
THEIRS = "upstream.conformance.plumbline.dev"
ESTABLISHED_S = 20
ITEM = {"secretKey": "password", "remoteRef": {"key": "shop/db"}}


def upstreams():
    """Upstream's own definition of a SealedSecret, in a group of its own so that both are there."""
    (shipped_one,) = load_documents(shipped(SEALED_SECRETS, "helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml"))
    theirs = shipped_one.value
    return {
        **theirs,
        "metadata": {"name": f"sealedsecrets.{THEIRS}"},
        "spec": {**theirs["spec"], "group": THEIRS},
    }


def install(cluster, manifest):
    created = cluster.post(CRDS, manifest, fieldValidation="Strict")
    assert created.status == 201, created.body
    deadline = time.monotonic() + ESTABLISHED_S
    while time.monotonic() < deadline:
        conditions = cluster.get(f"{CRDS}/{manifest['metadata']['name']}").body["status"]["conditions"] or ()
        if any((each["type"], each["status"]) == ("Established", "True") for each in conditions):
            return
        time.sleep(0.05)
    pytest.fail(f"not established: {conditions}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One of its own: others install the same kinds into the one that is shared."""
    real = RealCluster(tmp_path_factory.mktemp("secret-kinds"))
    try:
        real.start()
        for manifest in (*map(crd_manifest, SECRETS_KINDS), upstreams()):
            install(real, manifest)
        yield real
    finally:
        real.stop()


def created(cluster, kind, name, spec, version="", group="", **query):
    at = f"{group or kind.group}/{version or kind.versions[0].name}"
    body = {"apiVersion": at, "kind": kind.kind, "metadata": {"name": name}, "spec": spec}
    return cluster.post(f"/apis/{at}/namespaces/default/{kind.plural}", body, **query)


def test_defaults_are_upstreams(cluster):
    spec = created(cluster, EXTERNAL_SECRET, "bare", {"data": [ITEM]}).body["spec"]
    assert spec["target"] == {"creationPolicy": "Owner", "deletionPolicy": "Retain"}
    assert spec["refreshInterval"] == "1h0m0s"
    assert spec["data"][0]["remoteRef"] == {
        "key": "shop/db",
        "conversionStrategy": "Default",
        "decodingStrategy": "None",
        "metadataPolicy": "None",
    }


def test_what_is_written_as_v1beta1_is_read_as_v1_and_nothing_is_lost(cluster):
    spec = {
        "data": [ITEM],
        "target": {"template": {"metadata": {"finalizers": ["shop.example/keep"]}}},
        "newIn3": {"a": 1},
    }
    older = created(cluster, EXTERNAL_SECRET, "older", spec, "v1beta1")
    assert older.status == 201, older.body
    newer = cluster.get("/apis/external-secrets.io/v1/namespaces/default/externalsecrets/older").body
    assert newer["spec"] == older.body["spec"]
    got = read(EXTERNAL_SECRET, newer)
    assert got.spec.target.template.metadata.finalizers == ("shop.example/keep",)
    assert got.unknown == ("spec.newIn3",)


def test_whoever_writes_v1beta1_is_warned_once_and_served(cluster):
    manifest = (
        "apiVersion: external-secrets.io/v1beta1\nkind: SecretStore\nmetadata: {name: warned}\n"
        "spec: {provider: {fake: {data: []}}}\n"
    )
    said = cluster.kubectl("create", "-f", "-", stdin=manifest)
    assert said.code == 0, said.err
    assert said.err.count("read as v1") == 1


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_store_of_a_kind_that_is_not_spoken_survives(cluster, version):
    provider = {
        "gcpsm": {"projectID": "shop", "auth": {"secretRef": {"secretAccessKeySecretRef": {"name": "a", "key": "b"}}}}
    }
    answer = created(cluster, SECRET_STORE, f"google-{version}", {"provider": provider}, version)
    assert answer.status == 201, answer.body
    assert answer.body["spec"]["provider"] == provider


REFUSED = [
    (SECRET_STORE, {"provider": {}}, "spec.provider"),
    (SECRET_STORE, {"provider": {"fake": {"data": []}, "gcpsm": {}}}, "spec.provider"),
    (SECRET_STORE, {"provider": {"vault": {"auth": {}}}}, "spec.provider.vault.server"),
    (SECRET_STORE, {"provider": {"fake": {"data": []}}, "refreshInterval": 1.5}, "spec.refreshInterval"),
    (EXTERNAL_SECRET, {"data": [{**ITEM, "secretKey": "a b"}]}, "spec.data[0].secretKey"),
    (EXTERNAL_SECRET, {"dataFrom": [{"sourceRef": {}}]}, "spec.dataFrom[0].sourceRef"),
    (EXTERNAL_SECRET, {"target": {"creationPolicy": "Perhaps"}}, "spec.target.creationPolicy"),
    (EXTERNAL_SECRET, {"syncWindows": {"kind": "allow", "windows": []}}, "spec.syncWindows.windows"),
    (SEALED_SECRET, {}, "spec.encryptedData"),
    (SEALED_SECRET, {"encryptedData": {"a": 1}}, "spec.encryptedData.a"),
]


@pytest.mark.parametrize(("kind", "spec", "path"), REFUSED)
def test_what_upstream_refuses_is_refused(cluster, kind, spec, path):
    answer = created(cluster, kind, "wrong", spec)
    assert answer.status == 422, answer.body
    assert path in answer.body["message"]


@pytest.mark.parametrize(("name", "interval"), [("seconds", 300), ("duration", "5m")])
def test_a_store_is_looked_at_every_so_many_seconds_or_by_a_duration(cluster, name, interval):
    spec = {"provider": {"fake": {"data": []}}, "refreshInterval": interval}
    assert read(SECRET_STORE, created(cluster, SECRET_STORE, name, spec).body).spec.refresh_interval.seconds == 300


NULLS = {"encryptedData": {"kept": "AgA=", "empty": None}, "template": {"data": {"kept": None, "there": "{{ .kept }}"}}}


def test_a_null_arrives_where_upstreams_definition_drops_it(cluster):
    theirs = created(cluster, SEALED_SECRET, "nulls", NULLS, group=THEIRS)
    assert theirs.body["spec"] == {"encryptedData": {"kept": "AgA="}, "template": {"data": {"there": "{{ .kept }}"}}}
    ours = created(cluster, SEALED_SECRET, "nulls", NULLS)
    assert ours.body["spec"] == NULLS


def test_metadata_of_a_template_keeps_what_nobody_declares(cluster):
    template = {"metadata": {"labels": {"a": "b"}, "ownerReferences": [], "creationTimestamp": None}}
    spec = {"encryptedData": {"a": "AgA="}, "template": template}
    assert created(cluster, SEALED_SECRET, "metadata", spec).body["spec"] == spec


def test_a_template_without_metadata_may_say_so(cluster):
    spec = {"encryptedData": {"a": "AgA="}, "template": {"metadata": None, "data": None}}
    assert created(cluster, SEALED_SECRET, "null-metadata", spec).body["spec"] == spec
