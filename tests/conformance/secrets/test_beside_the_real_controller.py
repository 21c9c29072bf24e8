"""The real sealed-secrets-controller and `plumb run`, given the same keys and the same SealedSecrets on a cluster each.

The controller is the one of the release but for one line: it reads a kubeconfig, since outside of a pod there is nothing that
it could be configured by (see `peers/build`).
"""

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from tests.conformance.delivery.scene import plumb
from tests.conformance.real import RealCluster, programs
from tests.conformance.secrets.sealed_corpus import CASES, HOME

from plumbline.base.environment import environment
from plumbline.base.json import decode, encode
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.secrets.sealing import key_secret, made_key

pytestmark = pytest.mark.conformance

KEYS = "/api/v1/namespaces/kube-system/secrets"
SECRETS = f"/api/v1/namespaces/{HOME}/secrets"
SEALED = f"/apis/bitnami.com/v1alpha1/namespaces/{HOME}/sealedsecrets"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WITHIN_S = 60.0
OF_THE_SERVER = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")
OTHER_STATUS = {
    "unowned": "upstream makes the Secret and then says of it that it is not its own",
    "token": "upstream has the cluster put the token of a service account into what anybody with a certificate asks for",
}
"""What we say otherwise, and why."""
OTHER_SECRET = {"token": "we make none"}


@pytest.fixture(scope="module")
def key():
    return made_key(datetime.now(UTC), size=2048)


@pytest.fixture(scope="module")
def sealed(key, tmp_path_factory):
    """All of them, in turn by the real kubeseal and by `plumb seal`; nobody asks a cluster."""
    certificate = tmp_path_factory.mktemp("certificate") / "cert.pem"
    certificate.write_bytes(key.certificate_pem)
    return [made(case, certificate, number % 2) for number, case in enumerate(CASES)]


def made(case, certificate, ours):
    metadata = {"name": case.sealed_as or case.name, "namespace": HOME}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": dict(case.values)}
    program = [plumb(), "seal"] if ours else [str(programs() / "kubeseal")]
    argv = [*program, "--cert", str(certificate), "--scope", case.scope, "-o", "json"]
    done = subprocess.run(argv, input=encode(secret), capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    body = decode(done.stdout)
    body["metadata"]["name"] = case.name
    body["metadata"]["annotations"] = {**(body["metadata"].get("annotations") or {}), **case.annotations}
    template = {**body["spec"].get("template", {}), **case.template}
    body["spec"] = {**body["spec"], "template": template, **case.spec}
    return body


@contextmanager
def cluster(folder, key):
    """With the kind, the key, and what was there before."""
    real = RealCluster(folder)
    real.start()
    try:
        assert real.post(CRDS, crd_manifest(SEALED_SECRET)).fine
        assert real.post("/api/v1/namespaces", {"metadata": {"name": HOME}}).fine
        assert real.post(KEYS, key_secret(key, namespace="kube-system", name="sealed-secrets-keyabcde")).fine
        for case in CASES:
            assert case.before is None or real.post(SECRETS, case.before).fine
        until(lambda: real.get(SEALED).fine, "the kind is served")
        yield real
    finally:
        real.stop()


@contextmanager
def process(argv, log, **surroundings):
    with log.open("ab") as out:
        started = subprocess.Popen(argv, env={**environment(), **surroundings}, stdout=out, stderr=out)
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(20)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


@contextmanager
def theirs_on(real, folder):
    argv = [str(programs() / "sealed-secrets-controller"), "--listen-addr", "127.0.0.1:0"]
    argv += ["--listen-metrics-addr", "127.0.0.1:0", "--kubeclient-qps", "200", "--kubeclient-burst", "400"]
    where = {"KUBECONFIG": str(real.kubeconfig), "POD_NAMESPACE": "kube-system"}
    with process(argv, folder / "controller.log", **where) as started:
        yield started


@contextmanager
def ours_on(real, folder, *options):
    log = folder / "plumb.log"
    argv = [plumb(), "run", "--kubeconfig", str(real.kubeconfig), "--data", str(folder / "data")]
    argv += ["--web-port", "0", "--enforce", *options]
    path = f"{programs()}:{os.environ['PATH']}"
    with process(argv, log, HOME=str(folder), PATH=path) as started:
        until(lambda: "web " in log.read_text(), lambda: f"it is up: {log.read_text()}")
        yield started


def until(true, what, within_s=WITHIN_S):
    deadline = time.monotonic() + within_s
    while not (found := true()):
        assert time.monotonic() < deadline, f"never so: {what() if callable(what) else what}"
        time.sleep(0.1)
    return found


def given(real, sealed):
    for body in sealed:
        answer = real.post(SEALED, body)
        assert answer.fine, answer.body


def statuses(real):
    """Of those that have been looked at."""
    listed = {each["metadata"]["name"]: each.get("status") or {} for each in real.get(SEALED).body["items"]}
    return {name: status["conditions"][0] for name, status in listed.items() if status.get("conditions")}


def settled(real):
    """All have been looked at; those that did not get through, several times."""
    until(lambda: len(statuses(real)) == len(CASES), lambda: f"all looked at: {statuses(real)}")
    before: dict[str, str] = {}
    while before != (before := versions(real)):
        time.sleep(2)


def versions(real):
    listed = [*real.get(SECRETS).body["items"], *real.get(KEYS).body["items"]]
    return {each["metadata"]["name"]: each["metadata"]["resourceVersion"] for each in listed}


def shown(secret):
    """As whoever mounts it sees it: without what the server gives everything."""
    metadata = {name: value for name, value in secret["metadata"].items() if name not in OF_THE_SERVER}
    owners = [
        {name: value for name, value in each.items() if name != "uid"} for each in metadata.pop("ownerReferences", [])
    ]
    return {**secret, "metadata": {**metadata, "ownerReferences": owners}}


def secrets(real):
    listed = real.get(SECRETS).body["items"]
    return {each["metadata"]["name"]: shown(each) for each in listed}


@pytest.fixture(scope="module")
def both(key, sealed, tmp_path_factory):
    """(theirs, ours): what is left of everything, and how the conditions are."""
    found = []
    for name, starting in (("theirs", theirs_on), ("ours", ours_on)):
        folder = tmp_path_factory.mktemp(name)
        with cluster(folder / "cluster", key) as real, starting(real, folder):
            given(real, sealed)
            settled(real)
            found.append((secrets(real), statuses(real)))
    return found


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_same_secret_comes_of_the_same_sealed_secret(both, case):
    (their_secrets, their_statuses), (our_secrets, our_statuses) = both
    ours, theirs = our_statuses[case.name], their_statuses[case.name]
    assert ours["status"] == case.synced, (case.why, ours)
    assert (ours["status"] != theirs["status"]) == (case.name in OTHER_STATUS), (case.why, ours, theirs)
    same = our_secrets.get(case.name) == their_secrets.get(case.name)
    assert same == (case.name not in OTHER_SECRET), (case.why, our_secrets.get(case.name), their_secrets.get(case.name))


def test_nothing_is_made_besides(both):
    (their_secrets, _), (our_secrets, _) = both
    assert our_secrets.keys() ^ their_secrets.keys() == OTHER_SECRET.keys()


def test_both_open_what_either_sealed(both):
    for found, _ in both:
        opened = [number % 2 for number, case in enumerate(CASES) if case.synced == "True" and case.name in found]
        assert min(opened.count(0), opened.count(1)) >= 5


def test_a_hand_over_writes_no_secret(key, sealed, tmp_path):
    """The real controller ends, ours begins: it takes the key as it is, and finds every Secret as it would make it."""
    with cluster(tmp_path / "cluster", key) as real:
        with theirs_on(real, tmp_path):
            given(real, sealed)
            settled(real)
        before = versions(real)
        with ours_on(real, tmp_path):
            late = made_late(key, tmp_path)
            assert real.post(SEALED, late).fine
            until(lambda: "late" in secrets(real), "a new one is opened with the key that was there")
            settled_all(real)
            after = versions(real)
            assert {name: after.get(name) for name in before} == before
            assert after.keys() - before.keys() == {"late"}
            assert {name: each["status"] for name, each in statuses(real).items() if name != "late"} == {
                case.name: case.synced for case in CASES
            }
            assert real.send("DELETE", f"{SECRETS}/strict").fine
            until(lambda: "strict" in secrets(real), "what somebody deletes comes back")


def made_late(key, folder):
    certificate = folder / "cert.pem"
    certificate.write_bytes(key.certificate_pem)
    case = next(each for each in CASES if each.name == "everywhere")
    body = made(case, certificate, 0)
    return {**body, "metadata": {**body["metadata"], "name": "late"}}


def settled_all(real):
    """Each has been looked at by now: what failed says so in our words, with a reason, which upstream never gives."""

    def looked():
        found = statuses(real)
        return all(each.get("reason") for each in found.values() if each["status"] == "False")

    until(looked, lambda: str(statuses(real)))
    time.sleep(3)


def test_the_controller_is_the_release():
    program = str(programs() / "sealed-secrets-controller")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert "0.40.0+kubeconfig" in done.stdout
    assert os.access(program, os.X_OK)
