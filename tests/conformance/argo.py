"""A real Argo CD beside the real API server: controller, repo server and a Redis, outside of any cluster."""

import os
import socket
import subprocess
import time
from pathlib import Path

from .real import PeersMissing, RealCluster, programs

_NAMESPACE = "argocd"


class RealArgo:
    def __init__(self, cluster: RealCluster, folder: Path, *, hydrates: bool = False) -> None:
        """One that *hydrates* writes rendered manifests to branches."""
        self._cluster = cluster
        self._hydrates = hydrates
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        for name in ("argocd-application-controller", "argocd-repo-server", "redis"):
            if not (programs() / name).exists():
                raise PeersMissing(f"{name} is not built; build it with `make peers`")
        self._install()
        redis, repo, commit, *metrics = _free_ports(6)
        self._spawn("redis", f"127.0.0.1:{redis}")
        common = ["--redis", f"127.0.0.1:{redis}", "--loglevel", "warn"]
        plain = ["--disable-tls", "--client-ca-path", ""]
        self._spawn("argocd-repo-server", *common, "--port", str(repo), "--metrics-port", str(metrics[0]), *plain)
        _wait_for(repo)
        at = ["--kubeconfig", str(self._cluster.kubeconfig), "--namespace", _NAMESPACE]
        server = ["--repo-server", f"127.0.0.1:{repo}", "--repo-server-plaintext"]
        if self._hydrates:
            self._spawn("argocd-commit-server", "--port", str(commit), "--metrics-port", str(metrics[2]))
            _wait_for(commit)
            server += ["--hydrator-enabled", "--commit-server", f"127.0.0.1:{commit}"]
        self._spawn("argocd-application-controller", *at, *common, *server, "--metrics-port", str(metrics[1]))

    def stop(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.clear()

    def _install(self) -> None:
        manifests = programs().parent / "argocd-manifests"
        self._cluster.kubectl("create", "namespace", _NAMESPACE)
        for crd in ("application", "applicationset", "appproject"):
            self._cluster.kubectl("apply", "--server-side", "-f", str(manifests / f"{crd}-crd.yaml"))
        for path in sorted(manifests.glob("argocd-*.yaml")):
            self._cluster.kubectl("-n", _NAMESPACE, "apply", "-f", str(path))
        project = '{"apiVersion":"argoproj.io/v1alpha1","kind":"AppProject","metadata":{"name":"default"},"spec":{"sourceRepos":["*"],"destinations":[{"namespace":"*","server":"*"}]}}'  # fmt: skip
        self._cluster.kubectl("-n", _NAMESPACE, "apply", "-f", "-", stdin=project)

    def _spawn(self, program: str, *arguments: str) -> None:
        for name in ("gpg", "tls", "ssh"):
            (self._folder / name).mkdir(exist_ok=True)
        (self._folder / "ssh" / "ssh_known_hosts").touch()
        environment = os.environ | {
            "PATH": f"{programs()}:{os.environ['PATH']}",
            "ARGOCD_GNUPGHOME": str(self._folder / "gpg"),
            "ARGOCD_TLS_DATA_PATH": str(self._folder / "tls"),
            "ARGOCD_SSH_DATA_PATH": str(self._folder / "ssh"),
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_BINARY_NAME": program,
            "KUBECONFIG": str(self._cluster.kubeconfig),
        }
        with (self._folder / f"{program}.log").open("wb") as log:
            found = programs() / program
            argv = [str(found if found.exists() else programs() / "argocd"), *arguments]
            self._running[program] = subprocess.Popen(argv, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)  # fmt: skip


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _wait_for(port: int, deadline_s: float = 30) -> None:
    until = time.monotonic() + deadline_s
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise PeersMissing(f"nobody listens on port {port}")
