"""The real External Secrets Operator and `plumb run`, given the same ExternalSecrets on a cluster each.

Upstream is the last release whose module is complete on Go's proxy, built with few providers (see `peers/build`).
"""

from contextlib import contextmanager

import pytest
from tests.conformance.real import RealCluster, programs
from tests.conformance.secrets.external_corpus import BEFORE, CASES, HOME, STORE, externals
from tests.conformance.secrets.test_beside_the_real_controller import CRDS, OF_THE_SERVER, ours_on, process, until

from plumbline.base.documents import load_documents
from plumbline.base.limits import REQUESTS

pytestmark = pytest.mark.conformance

API = "/apis/external-secrets.io/v1"
EXTERNALS = f"{API}/namespaces/{HOME}/externalsecrets"
SECRETS = f"/api/v1/namespaces/{HOME}/secrets"
GENERATORS = "/apis/generators.external-secrets.io/v1alpha1"
OTHERS = {
    f"/api/v1/namespaces/{HOME}/configmaps": {
        "metadata": {"name": "templates"},
        "data": {"conf": "user={{ .user }}", "kv": "k1: {{ .user }}\nk2: '{{ .port }}'"},
    },
    f"{GENERATORS}/namespaces/{HOME}/fakes": {
        "apiVersion": "generators.external-secrets.io/v1alpha1",
        "kind": "Fake",
        "metadata": {"name": "fixed"},
        "spec": {"data": {"k": "v", "odd key": "w"}},
    },
    f"{GENERATORS}/clustergenerators": {
        "apiVersion": "generators.external-secrets.io/v1alpha1",
        "kind": "ClusterGenerator",
        "metadata": {"name": "wide"},
        "spec": {"kind": "Fake", "generator": {"fakeSpec": {"data": {"wide": "yes"}}}},
    },
    f"{API}/clusterexternalsecrets": {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ClusterExternalSecret",
        "metadata": {"name": "spread"},
        "spec": {
            "namespaceSelectors": [{"matchLabels": {"kubernetes.io/metadata.name": HOME}}],
            "externalSecretMetadata": {"labels": {"spread": "yes"}},
            "externalSecretSpec": {"secretStoreRef": {"name": "fake"}, "dataFrom": [{"extract": {"key": "other"}}]},
        },
    },
}
WITHIN_S = 90.0


OTHERWISE = {"find-nothing": "no Secret is there and none is made: upstream calls that a Secret that was retained"}
"""What is another here, and why."""


@contextmanager
def cluster(folder):
    """With upstream's kinds, a store, and what was there before."""
    real = RealCluster(folder)
    real.start()
    try:
        for file in sorted((programs().parent / "external-secrets-crds").glob("*_*.yaml")):
            (manifest,) = load_documents(file.read_bytes(), limits=REQUESTS)
            answer = real.post(CRDS, manifest.value)
            assert answer.fine, answer.body
        assert real.post("/api/v1/namespaces", {"metadata": {"name": HOME}}).fine
        for name, body in BEFORE.items():
            metadata = {**body.get("metadata", {}), "name": name}
            assert real.post(SECRETS, {**body, "metadata": metadata}).fine
        until(lambda: real.get(EXTERNALS).fine, "the kinds are served")
        yield real
    finally:
        real.stop()


def given(real):
    stores = f"{API}/namespaces/{HOME}/secretstores"
    assert real.post(stores, STORE).fine
    until(lambda: ready(real.get(f"{stores}/fake").body), "the store was looked at", WITHIN_S)
    for path, body in OTHERS.items():
        answer = real.post(path, body)
        assert answer.fine, answer.body
    for body in externals():
        answer = real.post(EXTERNALS, body)
        assert answer.fine, answer.body


@contextmanager
def theirs_on(real, folder):
    argv = [str(programs() / "external-secrets"), "--metrics-addr", "0", "--live-addr", "127.0.0.1:0"]
    # One at a time: its fake provider writes a map that all workers share, and Go ends a process that does so.
    argv += ["--concurrent", "1", "--enable-cluster-push-secret-reconciler=false"]
    with process(argv, folder / "operator.log", KUBECONFIG=str(real.kubeconfig)) as started:
        yield started


def seen(real, started):
    """Every Secret and every condition, once each ExternalSecret says something."""

    def all_said():
        assert started.poll() is None, "it ended"
        listed = real.get(EXTERNALS).body["items"]
        said = {each["metadata"]["name"]: ready(each) for each in listed}
        return said if len(said) == len(CASES) + 1 and all(said.values()) else None

    until(
        all_said, lambda: f"all have looked: {[name for name, said in conditions(real).items() if not said]}", WITHIN_S
    )
    return conditions(real), {each["metadata"]["name"]: bare(each) for each in real.get(SECRETS).body["items"]}


def conditions(real):
    return {each["metadata"]["name"]: ready(each) for each in real.get(EXTERNALS).body["items"]}


def ready(obj):
    listed = (obj.get("status") or {}).get("conditions") or ()
    found = next((each for each in listed if each["type"] == "Ready"), None)
    if found is None:
        return None
    return found["status"], found["reason"], found.get("message", "") if found["status"] == "True" else ""


def bare(secret):
    metadata = {key: value for key, value in secret["metadata"].items() if key not in OF_THE_SERVER}
    for owner in metadata.get("ownerReferences") or ():
        owner.pop("uid", None)
    return {**secret, "metadata": metadata}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What came of it, theirs and ours."""
    results = []
    for beside in (theirs_on, ours_on):
        folder = tmp_path_factory.mktemp("beside")
        with cluster(folder / "cluster") as real, beside(real, folder) as started:
            given(real)
            results.append(seen(real, started))
    return results


@pytest.mark.parametrize("name", [*CASES, "spread"])
def test_the_same_is_said_and_the_same_secret_is_made(found, name):
    (their_words, their_secrets), (our_words, our_secrets) = found
    target = CASES.get(name, {}).get("target", {}).get("name", name)
    theirs, ours = (their_words[name], their_secrets.get(target)), (our_words[name], our_secrets.get(target))
    if name in OTHERWISE:
        assert ours != theirs, f"no longer otherwise: {OTHERWISE[name]}"
        return
    assert ours == theirs


def test_there_is_no_secret_more_and_none_less(found):
    (_, theirs), (_, ours) = found
    assert set(ours) == set(theirs)
