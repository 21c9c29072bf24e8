"""`plumb run` as a process on a real API server, and the platform of the examples as its team applies it, with kubectl."""

import base64
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.conformance.delivery.scene import plumb
from tests.conformance.real import RealCluster
from tests.e2e.cloud import Cloud
from tests.e2e.company import MANIFESTS

from plumbline.base.json import JsonObject, encode

PLATFORM = MANIFESTS / "infrastructure" / "platform"
SERVICES = ("ec2", "iam", "rds")
_CLAIMS = "/apis/database.company.io/v1/namespaces/{}/postgresqlinstances/{}"
_RDS = "rds.aws.upbound.io/v1beta1"
_GLANCE_S = 0.1
_KEYS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "aws", "namespace": "crossplane-system"},
    "stringData": {"credentials": "[default]\naws_access_key_id = ours\naws_secret_access_key = ours\n"},
}


class Stage:
    def __init__(self, cluster: RealCluster, cloud: Cloud, folder: Path, *endpoints: str) -> None:
        self.cluster = cluster
        self.cloud = cloud
        self._endpoints = (cloud.url, *endpoints)
        self._folder = folder
        self._log = folder / "plumb.log"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return self._log.read_text()

    def start(self) -> None:
        before = self._log.stat().st_size if self._log.exists() else 0
        argv = [plumb(), "run", "--kubeconfig", str(self.cluster.kubeconfig), "--data", str(self._folder / "plumb")]
        argv += ["--web-port", "0", "--enforce", *(f"--allow-endpoint={each}" for each in self._endpoints)]
        with self._log.open("ab") as out:
            self._running = subprocess.Popen(argv, stdout=out, stderr=out)
        self.until(lambda: "web " in self.log[before:])

    def kill(self) -> None:
        """What a machine that runs out of memory does to it."""
        assert self._running
        self._running.kill()
        self._running.wait()

    def stop(self) -> None:
        if self._running and self._running.poll() is None:
            self._running.terminate()
            try:
                self._running.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    def offer(self) -> None:
        """What people can ask for, and have it ready."""
        self.namespace("crossplane-system")
        self.apply(*(provider(f"provider-aws-{service}") for service in SERVICES), provider("provider-family-aws"))
        self.until(lambda: self._healthy("providers", len(SERVICES) + 1))
        self.apply(_KEYS, _config(self.cloud.url))
        self.kubectl("apply", "-R", "-f", str(PLATFORM))
        self.until(lambda: self._healthy("functions", 3))
        self.kubectl("wait", "xrd", "--all", "--for=condition=Established", "--for=condition=Offered", "--timeout=30s")
        kinds = ("vpcs", "subnets", "securitygroups", "securitygrouprules")
        network = ",".join([*(f"{each}.ec2.aws.upbound.io" for each in kinds), "roles.iam.aws.upbound.io"])
        self.kubectl("wait", network, "--all", "--for=condition=Ready", "--timeout=60s")

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        said = self.cluster.kubectl(*arguments, stdin=stdin)
        assert said.code == 0, f"{said.err}\n{self.log[-4000:]}"
        return said.out

    def apply(self, *objects: JsonObject) -> None:
        listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "-f", "-", stdin=encode(listed).decode())

    def namespace(self, name: str) -> None:
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def live(self, path: str) -> JsonObject | None:
        answer = self.cluster.get(path)
        return answer.body if answer.fine else None

    def claim(self, namespace: str, name: str) -> JsonObject | None:
        return self.live(_CLAIMS.format(namespace, name))

    def composed(self, plural: str, namespace: str, group: str = _RDS) -> list[JsonObject]:
        """What a claim of *namespace* is made of, of one kind."""
        label = f"crossplane.io/claim-namespace={namespace}"
        return self.cluster.get(f"/apis/{group}/{plural}", labelSelector=label).body["items"]

    def secret(self, namespace: str, name: str) -> dict[str, str]:
        found = self.live(f"/api/v1/namespaces/{namespace}/secrets/{name}") or {}
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def until(self, true: Callable[[], object], *, within_s: float = 45):
        """Wait for something to be so; returns what it was."""
        deadline = time.monotonic() + within_s
        while not (found := true()):
            assert self._running is None or self._running.poll() is None, self.log[-4000:]
            assert time.monotonic() < deadline, f"never so: {true}\n{self.log[-4000:]}"
            time.sleep(_GLANCE_S)
        return found

    def _healthy(self, plural: str, count: int) -> bool:
        listed = self.cluster.get(f"/apis/pkg.crossplane.io/v1/{plural}").body["items"]
        told = [each.get("status", {}).get("conditions", ()) for each in listed]
        return sum(any(c["type"] == "Healthy" and c["status"] == "True" for c in each) for each in told) == count


def provider(name: str) -> JsonObject:
    package = f"xpkg.upbound.io/upbound/{name}:v2.6.0"
    return {"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": name}, "spec": {"package": package}}  # fmt: skip


def _config(url: str) -> JsonObject:
    key = {"namespace": "crossplane-system", "name": "aws", "key": "credentials"}
    spec = {
        "credentials": {"source": "Secret", "secretRef": key},
        "endpoint": {
            "services": [*SERVICES, "sts"],
            "url": {"type": "Static", "static": url},
            "hostnameImmutable": True,
        },
        "skip_credentials_validation": True,
        "skip_requesting_account_id": True,
    }
    metadata = {"name": "default"}
    return {"apiVersion": "aws.upbound.io/v1beta1", "kind": "ProviderConfig", "metadata": metadata, "spec": spec}
