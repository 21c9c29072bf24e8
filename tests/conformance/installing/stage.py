"""A real cluster that `plumb install` was applied to, and the process that its Deployment would have started."""

import base64
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.delivery.scene import plumb
from tests.conformance.installing import estate
from tests.conformance.real import RealCluster, Spoken, programs
from tests.conformance.terraform.kubelet import Kubelet
from tests.source.git.origins import Origin
from tests.source.git.server import GitServer

from plumbline.base.documents import load_documents
from plumbline.base.environment import environment
from plumbline.base.json import Json, JsonObject, decode, encode

NAMESPACE = "argocd"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:plumbline"
_OBJECTS = "/apis/kubernetes.crossplane.io"
_GLANCE_S = 0.1
_ELSEWHERE = {"--data", "--web-port", "--sealing-port", "--admission-port"}
"""What of a pod is its own, and here has to be another's."""


class Stage:
    def __init__(self, cluster: RealCluster, server: GitServer, folder: Path, *asked: str) -> None:
        self.cluster, self.folder = cluster, folder
        self.origin, self.repository = Origin(server.root / "shop"), server.url("shop")
        self.printed = printed(*asked)
        self.objects = [decode(encode(each.value)) for each in load_documents(self.printed, source="install")]
        self.path = f"{programs()}:{environment()['PATH']}"
        self.ports = {name: _free() for name in ("web", "sealing", "admission")}
        self._log = folder / "plumb.log"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return self._log.read_text()

    def apply(self, text: str) -> str:
        """As somebody who installs it does."""
        said = self.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=text)
        assert said.code == 0, said.err
        return said.out

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        said: Spoken = self.cluster.kubectl(*arguments, stdin=stdin)
        assert said.code == 0, said.err
        return said.out

    def printed_one(self, kind: str, name: str = "plumbline") -> JsonObject:
        return next(each for each in self.objects if (each["kind"], each["metadata"]["name"]) == (kind, name))

    @contextmanager
    def running(self) -> Iterator[None]:
        """The container of the Deployment, as its account and with nothing else."""
        (container,) = self.printed_one("Deployment")["spec"]["template"]["spec"]["containers"]
        surroundings = {"PATH": self.path, "HOME": str(self.folder), "KUBECONFIG": str(self._kubeconfig())}
        argv = [plumb(), *map(self._here, container["args"])]
        with self._log.open("ab") as out:
            self._running = subprocess.Popen(argv, stdout=out, stderr=out, env=surroundings)
        try:
            self.until(lambda: "web " in self.log, "it is up")
            yield
            assert self._running.poll() is None, self.log[-4000:]
        finally:
            self._running.terminate()
            try:
                self._running.wait(15)
            except subprocess.TimeoutExpired:
                self._running.kill()
                self._running.wait()
            self._running = None

    def _here(self, argument: str) -> str:
        name, _, _ = argument.partition("=")
        if name == "--data":
            return f"{name}={self.folder / 'kept'}"
        return f"{name}={self.ports[name.split('-')[2]]}" if name in _ELSEWHERE else argument

    def _kubeconfig(self) -> Path:
        token = self.kubectl("create", "token", "plumbline", "-n", NAMESPACE).strip()
        cluster = {"server": self.cluster.url, "certificate-authority": str(self.cluster.ca)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "real", "cluster": cluster}],
            "users": [{"name": "plumbline", "user": {"token": token}}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "plumbline"}}],
            "current-context": "real",
        }
        path = self.folder / "account"
        path.touch(mode=0o600)
        path.write_bytes(encode(config))
        return path

    def fetched(self, path: str, port: str = "web") -> tuple[int, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[port]}{path}", timeout=30) as answer:
            return answer.status, answer.read().decode()

    def live(self, path: str) -> JsonObject:
        answer = self.cluster.get(path)
        return answer.body if answer.fine else {}

    def secret(self, name: str, namespace: str = "shop") -> dict[str, str]:
        found = self.live(f"/api/v1/namespaces/{namespace}/secrets/{name}")
        return {
            key: base64.b64decode(value).decode(errors="replace") for key, value in (found.get("data") or {}).items()
        }

    def until(self, true: Callable[[], object], what: str, *, within_s: float = 60.0):
        deadline = time.monotonic() + within_s
        while not (found := true()):
            assert self._running is None or self._running.poll() is None, self.log[-4000:]
            assert time.monotonic() < deadline, f"never so: {what}\n{self.log[-4000:]}"
            time.sleep(_GLANCE_S)
        return found

    def offer(self) -> None:
        """One of each kind that is looked after, as people apply them, and in the order in which they can be."""
        self.kubectl("create", "namespace", "shop")
        self.origin.push({"gadgets/all.yaml": estate.DELIVERED, "net/main.tf": estate.MODULE})
        self.apply(estate.PLATFORM)
        self.apply(estate.STORE)
        self.until(lambda: self.live("/api/v1/namespaces/shop/configmaps/kube-root-ca.crt"), "the authority is there")
        self.apply(estate.BORROWED)
        self.apply(estate.TERRAFORM.replace("URL", self.repository))

    def claim(self) -> None:
        self.until(lambda: self.cluster.get(f"{_OBJECTS}/v1alpha1/providerconfigs").fine, "the provider is there")
        self.apply(estate.CONFIG)
        self.until(lambda: self.cluster.get("/apis/shop.example.org/v1/notes").fine, "claims are offered")
        self.apply(estate.CLAIM)
        self.apply(estate.USAGE)

    def seal(self) -> None:
        certificate = self.folder / "sealing.pem"
        certificate.write_text(self.fetched("/v1/cert.pem", "sealing")[1])
        argv = [plumb(), "seal", "--cert", str(certificate)]
        done = subprocess.run(argv, input=estate.SECRET, capture_output=True, text=True, timeout=60, check=True)
        self.apply(done.stdout)

    def login(self) -> str:
        """As the first administrator does; the token."""
        password = self.secret("argocd-initial-admin-secret", NAMESPACE)["password"]
        body = encode({"username": "admin", "password": password})
        url = f"http://127.0.0.1:{self.ports['web']}/api/v1/session"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - loopback
            return str(decode(answer.read())["token"])

    def asked(self, account: str = ACCOUNT) -> list[Json]:
        """Every request that *account* has made by now."""
        assert self.cluster.audit
        lines = self.cluster.audit.read_bytes().splitlines()
        return [each for each in map(decode, lines) if each["user"]["username"] == account]


def printed(*asked: str) -> str:
    done = subprocess.run([plumb(), "install", *asked], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@contextmanager
def staged(folder: Path, *asked: str) -> Iterator[Stage]:
    """Nothing is applied yet: that is for the test."""
    (folder / "git").mkdir(parents=True)
    cluster = RealCluster(folder / "cluster", audited=True)
    try:
        cluster.start()
        cluster.start_controllers()
        with GitServer(folder / "git").running() as server:
            made = Stage(cluster, server, folder, *asked)
            with Kubelet(cluster, folder / "node", made.path):
                yield made
    finally:
        cluster.stop()


def _free() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
