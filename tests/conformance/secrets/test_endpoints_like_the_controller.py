"""Our endpoints and those of the real controller, with the same keys, asked the same."""

import asyncio
import base64
import http.client
import socket
import subprocess
import time

import pytest
from tests.conformance.real import programs
from tests.conformance.secrets.kubesealing import Ring

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import certificate_of, key_of, label_of
from plumbline.web.sealing import Counts, Sealing, SealingPort, SealingSettings, Terms

pytestmark = pytest.mark.conformance

NAMESPACE = "default"
RATE = 1000
TOLD = ("content-type", "x-ratelimit-limit", "retry-after")
_START_S = 60
_KEYS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
_KEY = {"labelSelector": "sealedsecrets.bitnami.com/sealed-secrets-key"}


@pytest.fixture(scope="module")
def theirs(real_cluster, tmp_path_factory):
    """The real controller on a port of its own, with keys of its own making."""
    log, port = tmp_path_factory.mktemp("controller") / "log", _free_port()
    argv = [str(programs() / "sealed-secrets-controller"), "--listen-addr", f"127.0.0.1:{port}"]
    argv += ["--listen-metrics-addr", "127.0.0.1:0", "--key-size", "2048"]
    argv += ["--rate-limit", str(RATE), "--rate-limit-burst", "2", "--all-namespaces=false"]
    surroundings = {**environment(), "KUBECONFIG": str(real_cluster.kubeconfig), "POD_NAMESPACE": NAMESPACE}
    with log.open("wb") as out, subprocess.Popen(argv, env=surroundings, stdout=out, stderr=out) as process:
        try:
            _await(port, log)
            yield port
        finally:
            process.kill()
            for secret in real_cluster.get(_KEYS, **_KEY).body["items"]:
                real_cluster.send("DELETE", f"{_KEYS}/{secret['metadata']['name']}")


@pytest.fixture
async def ring(real_cluster, theirs):
    return Ring(*map(key_of, real_cluster.get(_KEYS, **_KEY).body["items"]))


@pytest.fixture
async def ours(ring):
    part = Sealing(ring, SystemClock(), Counts(), Terms(per_s=RATE, burst=2))
    async with SealingPort(SealingSettings(), part).running() as port:
        yield port.port


def _free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _await(port, log):
    deadline_s = time.monotonic() + _START_S
    while True:
        try:
            assert asked(port, "GET", "/readyz")[0] == 200
        except OSError:
            assert time.monotonic() < deadline_s, log.read_text()
            time.sleep(0.1)
        else:
            return


def asked(port, method, path, body=b""):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body)
        reply = connection.getresponse()
        return reply.status, reply.read(), {name: reply.getheader(name) for name in TOLD}
    finally:
        connection.close()


def sealed_by(ring, scope="strict", **changes):
    """A SealedSecret, and whatever of it is not as it was sealed."""
    certificate = certificate_of(ring.keyring.newest.certificate_pem)
    value = certificate.sealed(Plaintext("hunter2"), label_of(scope, "shop", "db"))
    annotations = {} if scope == "strict" else {f"sealedsecrets.bitnami.com/{scope}": "true"}
    return {
        "apiVersion": changes.get("apiVersion", "bitnami.com/v1alpha1"),
        "kind": changes.get("kind", "SealedSecret"),
        "metadata": {"name": "db", "namespace": "shop", "annotations": annotations, **changes.get("metadata", {})},
        "spec": {"encryptedData": {"a": value, **changes.get("items", {})}, "template": changes.get("template", {})},
    }


def broken(text):
    return base64.b64encode(bytes([*(raw := base64.b64decode(text))[:-1], raw[-1] ^ 1])).decode()


ASKED = [
    (sealed_by, "strict"),
    (lambda ring: sealed_by(ring, "namespace-wide"), "namespace-wide"),
    (lambda ring: sealed_by(ring, "cluster-wide"), "cluster-wide"),
    (lambda ring: sealed_by(ring, metadata={"name": "other"}), "of another name"),
    (lambda ring: sealed_by(ring, "namespace-wide", metadata={"namespace": "other"}), "of another namespace"),
    (lambda ring: sealed_by(ring, metadata={"annotations": {"sealedsecrets.bitnami.com/cluster-wide": "true"}}), "wide"),
    (lambda ring: sealed_by(ring, items={"b": broken(sealed_by(ring)["spec"]["encryptedData"]["a"])}), "one of two broken"),
    (lambda ring: sealed_by(ring, items={"b": "AgA="}), "too short"),
    (lambda ring: sealed_by(ring, items={"b": "%%%"}), "not even base64"),
    (lambda ring: sealed_by(ring, template={"data": {"x": "{{ fail .a }}"}}), "with a template that would tell"),
    (lambda ring: sealed_by(ring, kind="Secret"), "of another kind"),
    (lambda ring: sealed_by(ring, apiVersion="example.org/v1"), "of another group"),
    (lambda _: b"", "nothing"),
    (lambda _: b"nonsense", "a word"),
    (lambda _: b"[]", "a list"),
    (lambda _: b"\xff\xfe", "no text at all"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "why"), ASKED, ids=[why for _, why in ASKED])
async def test_both_answer_alike(ring, theirs, ours, make, why):
    body = make(ring)
    body = body if isinstance(body, bytes) else encode(body)
    their, our = [await asyncio.to_thread(asked, port, "POST", "/v1/verify", body) for port in (theirs, ours)]
    assert our == their, why
    their, our = [await asyncio.to_thread(asked, port, "POST", "/v1/rotate", body) for port in (theirs, ours)]
    assert our[0] == their[0], why
    if their[0] != 200:
        assert our == their, why
        return
    one, other = decode(their[1]), decode(our[1])
    assert one["spec"]["encryptedData"].keys() == other["spec"]["encryptedData"].keys()
    assert one["metadata"]["name"] == other["metadata"]["name"]
    # Theirs does not say what it is, which kubeseal does then, and has lost what the template had to say.
    for each in (one, other):
        await ring.verified(encode({**kind_of(other), **each}))


def kind_of(sealed):
    return {name: sealed[name] for name in ("apiVersion", "kind")}


@pytest.mark.parametrize("path", ["/v1/cert.pem", "/healthz", "/readyz"])
async def test_what_is_read_is_the_same(theirs, ours, path):
    their, our = [await asyncio.to_thread(asked, port, "GET", path) for port in (theirs, ours)]
    assert our[:2] == their[:2]
    assert our[2]["content-type"] == their[2]["content-type"]
