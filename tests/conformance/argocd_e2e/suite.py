"""Argo CD's own end-to-end tests, with `plumb up` in the place of Argo CD and `plumb` in the place of its command line.

They speak gRPC to the server, which has REST alone: the gateway is between them. Their repositories are folders, which they
name by `file://`, and what they expect of Argo CD's processes (that these run, and start anew) is said by a stand-in of
goreman, by which Argo CD's developers start them: here all of it is one process.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tests.conformance.real import PeersMissing, programs
from tests.e2e.installation import Installation

from plumbline.base.environment import environment
from plumbline.base.json import encode

_NAMESPACES: Final = ("argocd-e2e-external", "argocd-e2e-external-2")
_PROCESSES: Final = (
    "controller",
    "applicationset-controller",
    "repo-server",
    "api-server",
    "redis",
    "notification",
    "ui",
)
_CONFIG_MAPS: Final = (
    "argocd-gpg-keys-cm",
    "argocd-notifications-cm",
    "argocd-ssh-known-hosts-cm",
    "argocd-tls-certs-cm",
)
_PARAMETERS: Final = {"application.namespaces": ",".join(_NAMESPACES), "hydrator.enabled": "true"}
_PERSON: Final = "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = master\n"
_ROOT: Final = Path(__file__).parents[3]
_TEST_S: Final = 150.0
_START_S: Final = 30.0


class Ended(NamedTuple):
    """How a test ended."""

    well: bool
    told: str


def built() -> Path:
    """The folder with the program of the tests and with what they read."""
    folder = programs().parent / "argocd-e2e"
    if not (folder / ".built").exists():
        raise PeersMissing("Argo CD's tests are not built; build them with `make peers`")
    return folder


class Suite:
    """One installation in *folder*, and whoever asks it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._work = folder / "argo-e2e"
        """Repositories, plugins and keys of the tests, who delete it and make it anew for each."""
        self._plugins = self._work / "app" / "config" / "plugin"
        options = ("--local-git", str(self._work), "--plugins", str(self._plugins))
        self._installation = Installation(folder / "data", programs=programs(), options=options)
        self._tree = folder / "tree"
        self._path = folder / "path"
        self._gateway: subprocess.Popen[bytes] | None = None
        self._address = ""
        self._password = ""

    def start(self) -> None:
        self._plugins.mkdir(parents=True)
        self._stage()
        self._installation.start()
        self._prepare()
        self._address = f"127.0.0.1:{_free_port()}"
        with (self._folder / "gateway.log").open("wb") as log:
            argv = [str(built() / "gateway"), self._address, self._installation.web]
            self._gateway = subprocess.Popen(argv, stdout=log, stderr=log)
        _wait_for(self._address)

    def stop(self) -> None:
        if self._gateway is not None:
            self._gateway.kill()
            self._gateway.wait()
        self._installation.stop()

    @contextmanager
    def served(self) -> Iterator[None]:
        """With Git, charts and registries at the ports that stand in the tests."""
        argv = [
            sys.executable,
            "-m",
            "tests.conformance.argocd_e2e.servers",
            self._work,
            self._tree / "test" / "fixture",
        ]
        with (
            (self._folder / "servers.log").open("wb") as log,
            subprocess.Popen(argv, cwd=_ROOT, stdout=subprocess.PIPE, stderr=log) as serving,
        ):
            try:
                assert serving.stdout is not None
                assert serving.stdout.readline() == b"serving\n", (self._folder / "servers.log").read_text()
                yield
            finally:
                serving.terminate()

    def run(self, test: str) -> Ended:
        argv = [str(built() / "tests"), "-test.v", "-test.run", f"^{test}$"]
        done = subprocess.run(
            argv,
            cwd=self._tree / "test" / "e2e",
            env=self._surroundings(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TEST_S,
            check=False,
        )
        return Ended(done.returncode == 0 and f"--- PASS: {test} " in done.stdout, done.stdout)

    def _stage(self) -> None:
        """The tests look for the command line where it would be in a checkout of Argo CD, and for goreman in the PATH."""
        (self._tree / "dist").mkdir(parents=True)
        shutil.copytree(built() / "test", self._tree / "test")
        self._path.mkdir()
        _program(
            self._tree / "dist" / "argocd",
            # Under its other names it is Argo CD's own: sidecars of plugins.
            f'#!/bin/sh\n[ -z "$ARGOCD_BINARY_NAME" ] || exec "{programs()}/argocd" "$@"\nexec "{self._path}/argocd" "$@"\n',
        )
        main = f"#!{sys.executable}\nimport sys\nfrom plumbline.cli.main import main\nsys.exit(main())\n"
        _program(self._path / "argocd", main)
        running = "".join(f"echo '*{name}'\n" for name in _PROCESSES)
        # They end every agent of gpg that there is, those of other tests too; theirs ends with the folder of its keys.
        _program(self._path / "pkill", "#!/bin/sh\n")
        _program(self._path / "goreman", f'#!/bin/sh\n[ "$2" = status ] || exit 0\n{running}')
        (self._folder / "gitconfig").write_text(_PERSON)

    def _prepare(self) -> None:
        """What Argo CD's developers have in the cluster before."""
        kubectl = self._kubectl
        for namespace in _NAMESPACES:
            kubectl("create", "namespace", namespace)
        parameters = encode({"data": _PARAMETERS}).decode()
        kubectl("-n", "argocd", "patch", "configmap", "argocd-cmd-params-cm", "--type", "merge", "-p", parameters)
        for name in _CONFIG_MAPS:
            kubectl("-n", "argocd", "create", "configmap", name)
        kubectl("-n", "argocd", "create", "secret", "generic", "argocd-notifications-secret")
        template = "{{.data.password | base64decode}}"
        self._password = kubectl("-n", "argocd", "get", "secret", "argocd-initial-admin-secret", "--template", template)

    def _kubectl(self, *args: str) -> str:
        said = self._installation.shell([str(programs() / "kubectl"), *args])
        assert said.code == 0, said.err
        return said.out

    def _surroundings(self) -> dict[str, str]:
        folders = (self._path, built(), programs(), environment()["PATH"])
        return {
            **environment(),
            "HOME": str(self._folder),
            "PATH": os.pathsep.join(map(str, folders)),
            "KUBECONFIG": str(self._installation.kubeconfig),
            "GIT_CONFIG_GLOBAL": str(self._folder / "gitconfig"),
            "ARGOCD_SERVER": self._address,
            "ARGOCD_E2E_NAMESPACE": "argocd",
            "ARGOCD_E2E_ADMIN_PASSWORD": self._password,
            "ARGOCD_E2E_DIR": str(self._work),
            "ARGOCD_PLUGINSOCKFILEPATH": str(self._plugins),
        }


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _wait_for(address: str) -> None:
    host, _, port = address.rpartition(":")
    deadline = time.monotonic() + _START_S
    while True:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            assert time.monotonic() < deadline, f"nobody listens at {address}"
            time.sleep(0.05)
        else:
            return
