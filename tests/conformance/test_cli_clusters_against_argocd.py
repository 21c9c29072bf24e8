"""`plumb cluster`, `proj` and `account` on a real cluster, beside what the real `argocd` writes and prints there."""

import base64
import os
import socket
import subprocess
import sys
import time

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
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
            columns = [at for at, name in enumerate(theirs[0]) if name != "SYNCOVERRUN"]
            assert [theirs[0][at] for at in columns] == ours[0]
        else:
            assert ours == theirs


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
