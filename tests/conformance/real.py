"""A real Kubernetes API server for one test session, and the shortest way to talk to it."""

import contextlib
import http.client
import os
import ssl
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from plumbline.base.environment import environment, home
from plumbline.base.json import Json, JsonObject, decode, encode

CLUSTER = Path(__file__).parent / "peers" / "cluster"
APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
_START_S = 90
_KUBECTL_S = 60


class PeersMissing(Exception):
    """The real programs are not built, or did not start. Never a reason to skip."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: Json

    @property
    def fine(self) -> bool:
        return self.status < http.HTTPStatus.BAD_REQUEST


@dataclass(frozen=True)
class Spoken:
    """What a program left behind."""

    code: int
    out: str
    err: str


def programs() -> Path:
    """The folder with the built peers."""
    return Path(environment().get("PLUMBLINE_PEERS") or home() / ".cache" / "plumbline-peers") / "bin"


def _run(argv: list[str], *, stdin: str = "", timeout_s: float) -> Spoken:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=timeout_s, check=False)
    return Spoken(done.returncode, done.stdout, done.stderr)


class RealCluster:
    """etcd and kube-apiserver in *folder*, on loopback, ending with this process at the latest."""

    def __init__(self, folder: Path, *, plugins: str = "default", audited: bool = False) -> None:
        self.folder = folder
        self.audit = folder / "audit.log" if audited else None
        """Every request as a line, where somebody wants to know."""
        self._plugins = plugins
        self.kubeconfig = folder / "kubeconfig"
        self.ca = folder / "ca.crt"
        self.certificate = folder / "admin.crt"
        self.key = folder / "admin.key"
        self._connection: http.client.HTTPSConnection | None = None

    def start(self) -> None:
        options = ["--owner", str(os.getpid()), "--plugins", self._plugins]
        options += ["--audit", str(self.audit)] if self.audit else []
        said = _run([str(CLUSTER), "start", str(self.folder), *options], timeout_s=_START_S)
        if said.code:
            raise PeersMissing(f"no real API server: {said.err.strip()}; build it with `make peers`")

    def start_controllers(self) -> None:
        said = _run([str(CLUSTER), "controllers", str(self.folder)], timeout_s=_START_S)
        if said.code:
            raise PeersMissing(f"no controllers: {said.err.strip()}; build them with `make peers`")

    def close(self) -> None:
        """Give up the connection; the cluster goes on."""
        if self._connection:
            self._connection.close()

    def stop(self) -> None:
        self.close()
        _run([str(CLUSTER), "stop", str(self.folder)], timeout_s=_START_S)

    @cached_property
    def url(self) -> str:
        line = next(line for line in self.kubeconfig.read_text().splitlines() if line.startswith("clusters:"))
        return line.split('server: "')[1].split('"')[0]

    @cached_property
    def tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.ca))
        context.load_cert_chain(self.certificate, self.key)
        return context

    def kubectl(self, *args: str, stdin: str = "") -> Spoken:
        cache = self.folder / "kubectl-cache"
        argv = [str(programs() / "kubectl"), "--kubeconfig", str(self.kubeconfig), "--cache-dir", str(cache), *args]
        return _run(argv, stdin=stdin, timeout_s=_KUBECTL_S)

    def get(self, path: str, **query: str) -> Answer:
        return self.send("GET", path, **query)

    def post(self, path: str, body: JsonObject, **query: str) -> Answer:
        return self.send("POST", path, body, **query)

    def put(self, path: str, body: JsonObject, **query: str) -> Answer:
        return self.send("PUT", path, body, **query)

    def patch(self, path: str, body: Json, kind: str, **query: str) -> Answer:
        return self.send("PATCH", path, body, kind, **query)

    def send(
        self, method: str, path: str, body: Json = None, content_type: str = "application/json", **query: str
    ) -> Answer:
        target = f"{path}?{urlencode(query)}" if query else path
        headers = {"Content-Type": content_type, "Accept": "application/json", "User-Agent": "conformance/1"}
        payload = None if body is None else encode(body)
        with contextlib.suppress(
            http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError, ssl.SSLEOFError
        ):
            return self._exchange(method, target, payload, headers)
        if self._connection:
            self._connection.close()
        self._connection = None  # The server closes idle connections; writes here are repeatable or refused.
        return self._exchange(method, target, payload, headers)

    def _exchange(self, method: str, target: str, payload: bytes | None, headers: dict[str, str]) -> Answer:
        if self._connection is None:
            where = urlsplit(self.url)
            self._connection = http.client.HTTPSConnection(
                where.hostname or "", where.port, context=self.tls, timeout=30
            )
        self._connection.request(method, target, payload, headers)
        reply = self._connection.getresponse()
        text = reply.read()
        structured = "json" in (reply.getheader("Content-Type") or "")
        return Answer(reply.status, decode(text) if structured else text.decode())
