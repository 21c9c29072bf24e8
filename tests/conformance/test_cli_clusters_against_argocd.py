"""`plumb cluster`, `cert`, `gpg`, `proj` and `account` on a real cluster, beside what the real `argocd` writes and prints there."""

import base64
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from cryptography.x509.oid import NameOID
from tests.source.certificates.samples import host_key, issued, pem
from tests.source.signatures.signing import exported, gpg, made

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode, encode
from plumbline.delivery.joining.authority import Authority, secret_in
from plumbline.kube.client import Client, Connection

from .real import programs

pytestmark = pytest.mark.conformance
_ENTRY = "from plumbline.cli.main import main; main()"


@pytest.fixture(scope="module")
def here(real_controllers):
    real_controllers.kubectl("create", "namespace", "argocd")
    manifests = programs().parent / "argocd-manifests"
    for crd in ("application", "applicationset", "appproject"):
        real_controllers.kubectl("apply", "--server-side", "-f", str(manifests / f"{crd}-crd.yaml"))
    for path in sorted(manifests.glob("argocd-*.yaml")):
        real_controllers.kubectl("-n", "argocd", "apply", "-f", str(path))
    real_controllers.kubectl("config", "set-context", "--current", "--namespace=argocd")
    return real_controllers


@pytest.fixture(scope="module")
def argocd(here, tmp_path_factory):
    """The command line of the real one, and a real server for it."""
    folder = tmp_path_factory.mktemp("argocd")
    redis, port, metrics = (_free() for _ in range(3))
    environment = os.environ | {"KUBECONFIG": str(here.kubeconfig), "ARGOCD_TLS_DATA_PATH": str(folder), "ARGOCD_SSH_DATA_PATH": str(folder), "ARGOCD_GNUPGHOME": str(folder), "ARGOCD_GPG_ENABLED": "false"}  # fmt: skip
    (folder / "ssh_known_hosts").touch()
    at = (
        "--kubeconfig",
        str(here.kubeconfig),
        "--namespace",
        "argocd",
        "--port",
        str(port),
        "--metrics-port",
        str(metrics),
    )
    server = ("argocd-server", *at, "--redis", f"127.0.0.1:{redis}", "--repo-server", "127.0.0.1:9", "--insecure", "--disable-auth")  # fmt: skip
    running = []
    with (folder / "log").open("wb") as log:
        for name, *args in (("redis", f"127.0.0.1:{redis}"), server):
            argv = [str(programs() / name), *args]
            running.append(subprocess.Popen(argv, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
    _reached(port)
    yield lambda *args: ran(here, str(programs() / "argocd"), *args, "--server", f"127.0.0.1:{port}", "--plaintext")
    for process in running:
        process.terminate()
        process.wait(10)


def _free():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _reached(port):
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("it does not listen")


def ran(here, *argv):
    environment = {"KUBECONFIG": str(here.kubeconfig), "HOME": str(here.kubeconfig.parent), "PATH": os.environ["PATH"]}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plumb(here, *args):
    return ran(here, sys.executable, "-c", _ENTRY, *args)


def secret(here):
    found = decode(
        here.kubectl("-n", "argocd", "get", "secret", "-l", "argocd.argoproj.io/secret-type=cluster", "-o", "json").out
    )
    (one,) = found["items"]
    values = {key: base64.b64decode(value).decode() for key, value in one["data"].items()}
    return one, {**values, "config": decode(values["config"])}


def test_the_secret_is_the_one_that_argocd_writes(here, argocd):
    context = here.kubectl("config", "current-context").out.strip()
    flags = ("--name", "east", "--project", "default", "--shard", "1", "--label", "a=b", "--annotation", "c=d", "-y")
    assert "added" in argocd("cluster", "add", context, *flags)
    theirs, their_values = secret(here)
    here.kubectl("-n", "argocd", "delete", "secret", theirs["metadata"]["name"])
    assert "added" in plumb(here, "cluster", "add", context, *flags)
    ours, our_values = secret(here)
    for part in ("name", "labels", "annotations"):
        assert ours["metadata"][part] == theirs["metadata"][part]
    assert our_values == their_values
    listed = plumb(here, "cluster", "list")
    assert "east" in listed
    theirs_listed = argocd("cluster", "list", "-o", "server")
    assert sorted(plumb(here, "cluster", "list", "-o", "server").split()) == sorted(theirs_listed.split())
    plumb(here, "cluster", "rm", "east", "-y")


def test_accounts_and_projects_are_told_as_argocd_tells_them(here, argocd):
    for args in (("account", "list"), ("proj", "list"), ("proj", "get", "team"), ("proj", "role", "get", "team", "ci"), ("proj", "windows", "list", "team")):  # fmt: skip
        if args[0] == "proj" and args[1:2] == ("list",):
            plumb(
                here,
                "proj",
                "create",
                "team",
                "--src",
                "https://git.example.org/*",
                "-d",
                "https://a,b",
                "--description",
                "d",
            )
            plumb(here, "proj", "role", "create", "team", "ci")
            plumb(here, "proj", "role", "add-policy", "team", "ci", "-a", "sync", "-o", "*")
            plumb(here, "proj", "windows", "add", "team", "-k", "deny", "--schedule", "0 22 * * *", "--duration", "1h", "--namespaces", "x")  # fmt: skip
        ours = [line.split() for line in plumb(here, *args).splitlines() if line.strip()]
        theirs = [line.split() for line in argocd(*args).splitlines() if line.strip()]
        if args[0] == "proj" and args[1] == "get":
            known = {" ".join(line) for line in ours}
            assert known >= {" ".join(line) for line in theirs if not line[0].startswith("Scoped")}
        elif "windows" in args:
            assert ours[0] == theirs[0]
        else:
            assert ours == theirs


def kept(here, name, entries=None):
    """What is in a ConfigMap, or what is to be in it from now on."""
    if entries is not None:
        patch = [{"op": "add", "path": "/data", "value": entries}]
        here.kubectl("-n", "argocd", "patch", "configmap", name, "--type", "json", "-p", encode(patch).decode())
    return decode(here.kubectl("-n", "argocd", "get", "configmap", name, "-o", "json").out).get("data") or {}


def told(text):
    return [line.split() for line in text.splitlines() if not line.startswith("Reading")]


def test_certificates_are_kept_listed_and_removed_as_argocd_does(here, argocd, tmp_path):
    hosts, authorities = tmp_path / "hosts", tmp_path / "ca.pem"
    hosts.write_text(f"# comment\na.example.org,[b.example.org]:22 {host_key()}\n")
    odd = (
        (NameOID.ORGANIZATION_NAME, '#A, "B" '),
        (NameOID.EMAIL_ADDRESS, "a@example.org"),
        (NameOID.COMMON_NAME, "é"),
    )
    authorities.write_text(pem() + issued(*odd)[0] + pem())
    before = kept(here, "argocd-ssh-known-hosts-cm")
    said = []
    for verb in (lambda *args: plumb(here, *args), argocd):
        kept(here, "argocd-ssh-known-hosts-cm", before)
        lines = [verb("cert", "add-ssh", "--batch", "--from", str(hosts))]
        lines += [verb("cert", "add-tls", "git.example.org", "--from", str(authorities)) for _ in range(2)]
        known = kept(here, "argocd-ssh-known-hosts-cm")["ssh_known_hosts"].splitlines()
        held = [line for line in known if not line.startswith("#")], kept(here, "argocd-tls-certs-cm")
        # The real one shows no fingerprints: it reads a line of known hosts as one of authorized keys.
        listed = [[row[:3], row[3:] if row[1] != "ssh" else []] for row in told(verb("cert", "list", "--sort", "type"))]
        listed += told(verb("cert", "list", "--cert-type", "https", "-o", "yaml"))
        lines += [verb("cert", "rm", "?.example.org", "--cert-type", "ssh"), verb("cert", "rm", "*b.example.org*")]
        lines += [verb("cert", "rm", "git.example.org"), verb("cert", "rm", "git.example.org")]
        said.append((lines, held, sorted(listed, key=str)))
    assert said[0] == said[1]


def test_keys_are_kept_listed_and_removed_as_argocd_does(here, argocd, tmp_path):
    home = Path(tempfile.mkdtemp(prefix="plg-"))
    try:
        ann, bob = made(home, "ann"), made(home, "bob")
        (tmp_path / "ann.asc").write_text(exported(ann))
        (tmp_path / "both.asc").write_text(gpg(home, "--armor", "--export", ann.fingerprint, bob.fingerprint).decode())
    finally:
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)
        shutil.rmtree(home, ignore_errors=True)
    said = []
    for verb in (lambda *args: plumb(here, *args), argocd):
        lines = [verb("gpg", "add", "--from", str(tmp_path / name)) for name in ("ann.asc", "both.asc")]
        held = kept(here, "argocd-gpg-keys-cm")
        listed = sorted(told(verb("gpg", "list")), key=str)
        lines += [verb("gpg", "get", ann.id), verb("gpg", "get", bob.fingerprint, "-o", "yaml")]
        lines += [verb("gpg", "rm", each.id) for each in (ann, bob)] + [verb("gpg", "list", "-o", "json")]
        said.append((lines, held, listed))
    assert said[0] == said[1]


async def test_the_account_that_we_come_as_is_made_renewed_and_taken_away(here):
    async with Client.connect(Connection.load(here.kubeconfig)) as client:
        authority = Authority(client, "kube-system")
        token = await authority.install(("argocd",))
        assert await authority.install(()) == token, "twice is once"
        fresh, old = await authority.renewed(token)
        assert (fresh != token, old) == (True, "argocd-manager-long-lived-token")
        await authority.forget(old)
        await authority.uninstall()
        await authority.uninstall()
    with pytest.raises(InvalidInput):
        secret_in("a.b.c")
