"""Keys that were put aside are got back with programs that are not ours, and ours takes what those made."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from tests.conformance.real import PeersMissing, programs
from tests.conformance.secrets.kubesealing import key

from plumbline.base.json import decode, encode
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.secrets.sealed.keys import EXPORTED
from plumbline.secrets.sealing import KEY_LABEL, key_of, key_secret

pytestmark = pytest.mark.conformance

_SAID_S = 60
_COME_S = 60
NAMESPACE = "kube-system"


def said(*argv, stdin=b"", **environment):
    return subprocess.run(
        [str(each) for each in argv],
        input=stdin,
        capture_output=True,
        timeout=_SAID_S,
        check=False,
        env={**os.environ, **environment},
    )


def told(*argv, stdin=b""):
    done = said(*argv, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


class Place:
    """A real API server whose keys are in a namespace of the test's own."""

    def __init__(self, cluster, namespace) -> None:
        self.cluster, self.namespace = cluster, namespace

    def plumb(self, *args, stdin=b""):
        at = ("--kubeconfig", self.cluster.kubeconfig, "--key-namespace", self.namespace)
        argv = [sys.executable, "-c", "from plumbline.cli.main import main; main()", "keys", *args, *at]
        return said(*argv, stdin=stdin)

    def done(self, *args, stdin=b""):
        done = self.plumb(*args, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        return done

    def put(self, *ages):
        for age in ages:
            body = key_secret(key(age), self.namespace, name=f"sealed-secrets-key{age}")
            assert self.cluster.post(f"/api/v1/namespaces/{self.namespace}/secrets", body).status == 201

    def secrets(self):
        return self.cluster.get(f"/api/v1/namespaces/{self.namespace}/secrets").body["items"]

    def keys(self):
        return {each["metadata"]["name"]: key_of(each).fingerprint for each in self.secrets()}

    def lose(self):
        assert self.cluster.send("DELETE", f"/api/v1/namespaces/{self.namespace}/secrets").fine


@pytest.fixture
def place(real_cluster, namespace):
    return Place(real_cluster, namespace)


@pytest.fixture
def age():
    program = programs() / "age"
    if not program.exists():
        raise PeersMissing("no age: build it with `make peers`")
    return program


@pytest.fixture
def person(age, tmp_path):
    """The identity of somebody, as age's own program makes it, and the recipient."""
    identity = tmp_path / "identity.txt"
    told(age.with_name("age-keygen"), "-o", identity)
    return identity, told(age.with_name("age-keygen"), "-y", identity).decode().strip()


@pytest.fixture
def openssl():
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl on PATH")
    return program


def test_age_opens_an_export_and_kubectl_brings_the_keys_back(place, age, person, tmp_path):
    identity, recipient = person
    place.put(40, 5)
    before = place.keys()
    place.done("export", "-r", recipient, "-w", tmp_path / "keys.age", "-i", identity)
    assert all(EXPORTED in each["metadata"]["annotations"] for each in place.secrets())
    place.lose()
    clear = told(age, "--decrypt", "-i", identity, tmp_path / "keys.age")
    applied = place.cluster.kubectl("apply", "-f", "-", stdin=clear.decode())
    assert applied.code == 0, applied.err
    assert place.keys() == before
    assert {each["metadata"]["labels"][KEY_LABEL] for each in place.secrets()} == {"active"}


@pytest.mark.parametrize("armoured", [True, False])
def test_what_age_encrypted_is_imported(place, age, person, tmp_path, armoured):
    identity, recipient = person
    place.put(40, 5)
    before = place.keys()
    printed = place.cluster.kubectl("-n", place.namespace, "get", "secret", "-l", KEY_LABEL, "-o", "yaml")
    flags = ("--armor",) if armoured else ()
    (tmp_path / "keys.age").write_bytes(told(age, "--encrypt", *flags, "-r", recipient, stdin=printed.out.encode()))
    place.lose()
    answer = place.plumb("check", tmp_path / "keys.age", "-i", identity, "-o", "json")
    assert {each["name"]: each["fingerprint"] for each in decode(answer.stdout)["items"]} == before
    done = place.done("import", tmp_path / "keys.age", "-i", identity)
    assert b"in the clear" not in done.stderr
    assert place.keys() == before


def test_what_age_opened_is_imported_from_a_pipe(place, age, person, tmp_path):
    identity, recipient = person
    place.put(40)
    before = place.keys()
    place.done("export", "-r", recipient, "-w", tmp_path / "keys.age")
    place.lose()
    place.done("import", "-", stdin=told(age, "-d", "-i", identity, tmp_path / "keys.age"))
    assert place.keys() == before


@pytest.mark.parametrize("of", ["ed25519", "rsa"])
def test_ssh_keys_are_identities_too(place, age, tmp_path, of):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen on PATH")
    identity = tmp_path / "id"
    told("ssh-keygen", "-q", "-t", of, "-N", "", "-C", "ann@laptop", "-f", identity)
    place.put(40)
    done = place.done("export", "-r", identity.with_suffix(".pub"), "-i", identity, "-w", tmp_path / "keys.age")
    assert b"ann@laptop" in done.stderr
    clear = decode(told(age, "-d", "-i", identity, tmp_path / "keys.age"))
    assert [key_of(each).fingerprint for each in clear["items"]] == [key(40).fingerprint]
    (secret,) = place.secrets()
    assert secret["metadata"]["annotations"][EXPORTED].endswith(" ann@laptop")


def rsa_people(openssl, folder):
    """Two of them: one with a certificate, one with a public key alone."""
    ann, bob = folder / "ann.key", folder / "bob.key"
    subject = ("-subj", "/CN=ann", "-days", "2")
    told(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", ann, "-out", folder / "ann.crt", *subject)
    told(openssl, "genrsa", "-out", bob, "2048")
    told(openssl, "rsa", "-in", bob, "-pubout", "-out", folder / "bob.pem")
    return (ann, folder / "ann.crt"), (bob, folder / "bob.pem")


def test_openssl_opens_a_parcel_for_each_who_is_in_it(place, openssl, tmp_path):
    (ann, certificate), (bob, public) = rsa_people(openssl, tmp_path)
    place.put(40, 5)
    before, parcel = place.keys(), tmp_path / "keys.pem"
    place.done("export", "-r", certificate, "-r", public, "-i", ann, "-i", bob, "-w", parcel)
    opening = (openssl, "cms", "-decrypt", "-inform", "PEM", "-in", parcel)
    ways = (("-inkey", ann), ("-inkey", bob), ("-inkey", ann, "-recip", certificate))
    clear = [told(*opening, *way) for way in ways]
    for each in clear:
        found = {item["metadata"]["name"]: key_of(item).fingerprint for item in decode(each)["items"]}
        assert found == before
    place.lose()
    assert place.cluster.kubectl("apply", "-f", "-", stdin=clear[0].decode()).code == 0
    assert place.keys() == before


def test_openssl_opens_it_for_nobody_else(place, openssl, tmp_path):
    _, (_, public) = rsa_people(openssl, tmp_path)
    place.put(40)
    place.done("export", "-r", public, "-w", tmp_path / "keys.pem")
    told(openssl, "genrsa", "-out", tmp_path / "eve.key", "2048")
    opening = (openssl, "cms", "-decrypt", "-inform", "PEM", "-in", tmp_path / "keys.pem", "-inkey")
    done = said(*opening, tmp_path / "eve.key")
    assert b"tls.key" not in done.stdout
    assert place.plumb("check", tmp_path / "keys.pem", "-i", tmp_path / "eve.key").returncode == 3


@contextmanager
def controller(cluster, folder):
    """The real one, at work on the cluster."""
    program = programs() / "sealed-secrets-controller"
    if not program.exists():
        raise PeersMissing("no sealed-secrets-controller: build it with `make peers`")
    log = folder / "controller.log"
    # The tests' own ports are free ones; it has no more than this to say where it listens.
    ports = ("--listen-addr", "127.0.0.1:0", "--listen-metrics-addr", "127.0.0.1:0")
    environment = {"KUBECONFIG": str(cluster.kubeconfig), "POD_NAMESPACE": NAMESPACE, "HOME": str(folder), "PATH": ""}
    with log.open("wb") as out, subprocess.Popen([program, *ports], stdout=out, stderr=out, env=environment) as running:
        try:
            yield log
        finally:
            running.terminate()
            running.wait(_SAID_S)


def until(true, why):
    deadline_s = time.monotonic() + _COME_S
    while not true():
        assert time.monotonic() < deadline_s, why()
        time.sleep(0.2)


def test_a_key_of_the_real_controller_is_exported_lost_and_brought_back(own_cluster, age, person, tmp_path):
    """What it sealed for opens again in a cluster that never saw it, by the controller itself."""
    identity, recipient = person
    crd = crd_manifest(SEALED_SECRET)
    assert own_cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd).status == 201
    place = Place(own_cluster, NAMESPACE)
    with controller(own_cluster, tmp_path) as log:
        until(place.secrets, log.read_text)
        (name,) = place.keys()
        secret = {"metadata": {"name": "db", "namespace": "default"}, "stringData": {"password": "battery staple"}}
        sealing = (programs() / "kubeseal", "--cert", tmp_path / "cert.pem")
        (tmp_path / "cert.pem").write_bytes(key_of(place.secrets()[0]).certificate_pem)
        sealed = told(*sealing, stdin=encode({"apiVersion": "v1", "kind": "Secret", **secret}))
    before = place.keys()
    listed = decode(place.done("list", "-o", "json").stdout)["items"]
    assert [(each["name"], each["fingerprint"], each["newest"], each["exported"]) for each in listed] == [
        (name, before[name], True, None)
    ]
    place.done("export", "-r", recipient, "-i", identity, "-w", tmp_path / "keys.age")
    place.lose()
    applied = own_cluster.kubectl("apply", "-f", "-", stdin=sealed.decode())
    assert applied.code == 0, applied.err
    done = place.done("import", tmp_path / "keys.age", "-i", identity)
    assert b"1 SealedSecrets of this cluster were not opened until now; these keys open 1 of them." in done.stderr
    assert place.keys() == before
    with controller(own_cluster, tmp_path) as log:
        until(lambda: own_cluster.get("/api/v1/namespaces/default/secrets/db").fine, log.read_text)
    assert place.keys() == before, "it uses that key, and needs no other"
