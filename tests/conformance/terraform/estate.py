"""Terraform objects as people have them: a repository to push to, a control plane or a real cluster, and one tool on PATH."""

import base64
import gzip
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conformance.delivery.scene import plumb
from tests.conformance.real import MERGE_PATCH, PeersMissing, RealCluster, Spoken, programs
from tests.e2e.installation import Desk, Installation
from tests.source.git.origins import Origin
from tests.source.git.server import GitServer

from plumbline.base.documents import load_documents
from plumbline.base.environment import environment
from plumbline.base.json import JsonObject, decode, encode

HOME = "terraform-system"
REPOSITORY = "infrastructure"
NETWORKING = "networking"
MODULE = "infrastructure/networking"
TERRAFORMS = f"/apis/infra.contrib.fluxcd.io/v1alpha2/namespaces/{HOME}/terraforms"
REPOSITORIES = f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{HOME}/gitrepositories"
POLICIES = f"/apis/plumbline.dev/v1alpha1/namespaces/{HOME}/terraformpolicies"
SECRETS = f"/api/v1/namespaces/{HOME}/secrets"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{HOME}/leases"
TOOLS = ("terraform", "tofu")
_GLANCE_S = 0.1
_COMMAND_S = 60.0
# As the article has it, to the letter.
SEED_003 = """\
apiVersion: infra.contrib.fluxcd.io/v1alpha2
kind: Terraform
metadata:
  name: networking
  namespace: terraform-system
spec:
  path: ./infrastructure/networking
  sourceRef:
    kind: GitRepository
    name: infrastructure
  approvePlan: auto  # or "manual" for human approval
  interval: 10m
  retryInterval: 5m
"""


def only(tool: str, folder: Path) -> str:
    """A PATH with that tool and not the other one."""
    program = shutil.which("terraform") if tool == "terraform" else str(programs() / "tofu")
    if program is None or not Path(program).exists():
        raise PeersMissing(f"there is no {tool}: `make peers` builds OpenTofu; install Terraform 1.10 or later")
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in ((tool, Path(program)), ("helm", programs() / "helm")):
        if path.exists() and not (folder / name).exists():
            (folder / name).symlink_to(path)
    others = [each for each in environment()["PATH"].split(os.pathsep) if not _has_a_tool(Path(each))]
    return os.pathsep.join([str(folder), *others, "/usr/bin", "/bin"])


def _has_a_tool(folder: Path) -> bool:
    return any((folder / tool).exists() for tool in TOOLS)


class Estate:
    """What both stages have in common. Objects are in `HOME`, files in one repository."""

    def __init__(self, cluster: RealCluster, tool: str, folder: Path) -> None:
        self.cluster, self.tool, self.folder = cluster, tool, folder
        self.path = only(tool, folder / "path")

    @property
    def url(self) -> str:
        """Of the repository."""
        raise NotImplementedError

    @property
    def log(self) -> str:
        raise NotImplementedError

    def push(self, files: dict[str, str | None]) -> str:
        """A commit; None removes a file."""
        raise NotImplementedError

    def module(self, text: str, name: str = NETWORKING) -> str:
        """A commit in which the module of that name is *text*; the revision that it becomes."""
        return f"main@sha1:{self.push({f'infrastructure/{name}/main.tf': text})}"

    def found(self) -> None:
        """The namespace, and the repository beside the manifest."""
        self.found_namespace()
        self.create(REPOSITORIES, repository(self.url))

    def found_namespace(self) -> None:
        if not self.cluster.get(f"/api/v1/namespaces/{HOME}").fine:
            self.create("/api/v1/namespaces", {"metadata": {"name": HOME}})

    def create(self, path: str, obj: JsonObject) -> JsonObject:
        answer = self.cluster.post(path, obj)
        assert answer.fine, answer.body
        return answer.body

    def terraform(self, name: str = NETWORKING, **spec: object) -> JsonObject:
        """The seed's manifest, made; under another name it is another module."""
        return self.create(TERRAFORMS, seeded(name, **spec))

    def change(self, name: str = NETWORKING, **spec: object) -> None:
        answer = self.cluster.patch(f"{TERRAFORMS}/{name}", {"spec": spec}, MERGE_PATCH)
        assert answer.fine, answer.body

    def annotate(self, path: str, **annotations: str) -> None:
        named = {key.replace("__", "/").replace("_", "."): value for key, value in annotations.items()}
        assert self.cluster.patch(path, {"metadata": {"annotations": named}}, MERGE_PATCH).fine

    def at(self, name: str = NETWORKING) -> str:
        """Where the object is."""
        return f"{TERRAFORMS}/{name}"

    def get(self, name: str = NETWORKING) -> JsonObject:
        answer = self.cluster.get(f"{TERRAFORMS}/{name}")
        return answer.body if answer.fine else {}

    def remove(self, *names: str) -> None:
        for name in names:
            self.cluster.send("DELETE", f"{TERRAFORMS}/{name}")
            self.until(lambda gone=name: not self.get(gone), f"{name} is gone")

    def secret(self, name: str) -> dict[str, bytes]:
        answer = self.cluster.get(f"{SECRETS}/{name}")
        found = (answer.body.get("data") or {}) if answer.fine else {}
        return {key: base64.b64decode(value) for key, value in found.items()}

    def state(self, name: str = NETWORKING) -> JsonObject:
        """As the tool last wrote it."""
        raw = self.secret(f"tfstate-default-{name}").get("tfstate")
        return decode(gzip.decompress(raw)) if raw else {}

    def inputs(self, name: str = NETWORKING) -> dict[str, object]:
        """What each terraform_data in the state has been given."""
        return {
            each["name"]: (each["instances"][0]["attributes"].get("input") or {}).get("value")
            for each in self.state(name).get("resources", ())
        }

    def holder(self, name: str = NETWORKING) -> str:
        lease = self.cluster.get(f"{LEASES}/lock-tfstate-default-{name}")
        return (lease.body["spec"].get("holderIdentity") or "") if lease.fine else ""

    def events(self, name: str = NETWORKING) -> list[str]:
        listed = self.cluster.get(f"/api/v1/namespaces/{HOME}/events").body["items"]
        ours = (each for each in listed if each["involvedObject"].get("name") == name)
        return [f"{each.get('reason')}: {each.get('message')}" for each in ours]

    def told(
        self, type_: str, status: str, said: str = "", name: str = NETWORKING, *, within_s: float = 60.0
    ) -> JsonObject:
        """The object, once a condition is so and its reason or message has *said* in it."""

        def so() -> JsonObject | None:
            obj = self.get(name)
            found = condition(obj, type_)
            return obj if found.get("status") == status and said in f"{found['reason']} {found['message']}" else None

        return self.until(so, f"{name}: {type_}={status} {said}", within_s=within_s)

    def applied(self, revision: str, name: str = NETWORKING, *, within_s: float = 60.0) -> JsonObject:
        def so() -> JsonObject | None:
            obj = self.get(name)
            there = (obj.get("status") or {}).get("lastAppliedRevision") == revision
            return obj if there and condition(obj, "Ready").get("status") == "True" else None

        return self.until(so, f"{name} is applied at {revision}", within_s=within_s)

    def applied_first(self, name: str, text: str, **spec: object) -> str:
        """An object of that name, with its module applied; the revision."""
        revision = self.module(text, name)
        self.terraform(name, **spec)
        self.applied(revision, name)
        return revision

    def waiting(self, revision: str, name: str = NETWORKING, said: str = "") -> JsonObject:
        """The object, once a plan of that revision waits."""

        def so() -> JsonObject | None:
            obj = self.get(name)
            status = obj.get("status") or {}
            waits = status.get("lastPlannedRevision") == revision and (status.get("plan") or {}).get("pending")
            found = condition(obj, "Ready")
            return obj if waits and "waits" in found.get("message", "") and said in found["message"] else None

        return self.until(so, f"{name} waits at {revision} {said}")

    def digest(self, name: str = NETWORKING) -> str:
        """Of the plan that waits."""
        secret = self.cluster.get(f"{SECRETS}/tfplan-default-{name}")
        assert secret.fine, secret.body
        return secret.body["metadata"]["annotations"]["plumbline.dev/plan-digest"]

    def until(self, true: Callable[[], object], what: str, *, within_s: float = 60.0):
        """Wait for something to be so; returns what it was."""
        deadline = time.monotonic() + within_s
        while not (found := true()):
            assert time.monotonic() < deadline, f"never so: {what}\n{self._troubles()}\n{self.log[-3000:]}"
            time.sleep(_GLANCE_S)
        return found

    def by_hand(self, text: str, *arguments: str, name: str = NETWORKING) -> Spoken:
        """The real tool on the object's own state, as somebody with the administrator's kubeconfig runs it."""
        folder = self.folder / "by-hand" / name
        folder.mkdir(parents=True, exist_ok=True)
        backend = (
            f'terraform {{\n  backend "kubernetes" {{\n    secret_suffix = "{name}"\n    namespace = "{HOME}"\n'
            f'    config_path = "{self.cluster.kubeconfig}"\n  }}\n}}\n'
        )
        (folder / "main.tf").write_text(text)
        (folder / "backend.tf").write_text(backend)
        said = self.shell([self.tool, "init", "-input=false", "-no-color"], folder)
        assert said.code == 0, said.err
        return self.shell([self.tool, *arguments], folder)

    def shell(self, argv: list[str], folder: Path) -> Spoken:
        surroundings = {"PATH": self.path, "HOME": str(self.folder), "CHECKPOINT_DISABLE": "1"}
        program = shutil.which(argv[0], path=self.path) or argv[0]
        done = subprocess.run(
            [program, *argv[1:]], cwd=folder, env=surroundings, capture_output=True, text=True, timeout=_COMMAND_S, check=False
        )  # fmt: skip
        return Spoken(done.returncode, done.stdout, done.stderr)

    def _troubles(self) -> str:
        listed = [
            *self.cluster.get(TERRAFORMS).body.get("items", ()),
            *self.cluster.get(REPOSITORIES).body.get("items", ()),
        ]
        return "\n".join(f"{each['metadata']['name']}: {encode(each.get('status')).decode()}" for each in listed)


class Embedded(Estate):
    """`plumb up`, and its own repositories."""

    def __init__(self, tool: str, folder: Path) -> None:
        self.installation = Installation(folder / "data")
        super().__init__(self.installation, tool, folder)
        self._desk: Desk | None = None

    def start(self) -> None:
        with pytest.MonkeyPatch.context() as surroundings:
            surroundings.setenv("PATH", self.path)
            self.installation.start()
        self.installation.stand_for(REPOSITORY)
        self._desk = self._desk or Desk(self.folder / "desk", self.url)

    def stop(self) -> None:
        self.installation.stop()

    @property
    def url(self) -> str:
        return f"{self.installation.web}/git/{REPOSITORY}.git"

    @property
    def log(self) -> str:
        return self.installation.log

    def push(self, files: dict[str, str | None]) -> str:
        assert self._desk is not None
        return self._desk.push(files)

    def copy(self, folder: Path) -> None:
        """A commit with everything that is in *folder*."""
        assert self._desk is not None
        self._desk.copy(folder)
        self._desk.push()

    def link(self, name: str, target: str) -> None:
        """A symbolic link in the repository, pushed with the next commit."""
        assert self._desk is not None
        path = self._desk.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)


class Staged(Estate):
    """`plumb run --enforce` on a real API server, as often as there are replicas."""

    def __init__(self, cluster: RealCluster, server: GitServer, tool: str, folder: Path) -> None:
        super().__init__(cluster, tool, folder)
        self._origin, self._address = Origin(server.root / REPOSITORY), server.url(REPOSITORY)
        self.replicas: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, replica: str = "one", *arguments: str) -> None:
        log = self._log(replica)
        argv = [plumb(), "run", "--kubeconfig", str(self.cluster.kubeconfig), "--data", str(self.folder / replica)]
        argv += ["--web-port", "0", "--enforce", *arguments]
        with log.open("ab") as out:
            surroundings = {**environment(), "PATH": self.path, "HOME": str(self.folder)}
            self.replicas[replica] = subprocess.Popen(argv, stdout=out, stderr=out, env=surroundings)
        self.until(lambda: "web " in log.read_text(), f"{replica} is up")

    def leader(self) -> str:
        """Whoever took the lead last."""

        def led(replica: str) -> str:
            lines = self._log(replica).read_text().splitlines()
            return max((decode(line.encode())["ts"] for line in lines if "leadership acquired" in line), default="")

        return max(self.replicas, key=led)

    def kill(self, replica: str) -> None:
        """What a machine that runs out of memory does to it."""
        self.replicas[replica].send_signal(signal.SIGKILL)
        self.replicas.pop(replica).wait()

    def stop(self) -> None:
        for each in self.replicas.values():
            each.terminate()
        for each in self.replicas.values():
            try:
                each.wait(15)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.replicas.clear()

    @property
    def url(self) -> str:
        return self._address

    @property
    def log(self) -> str:
        return "".join(each.read_text() for each in sorted(self.folder.glob("*.log")))

    def push(self, files: dict[str, str | None]) -> str:
        written = {name: text for name, text in files.items() if text is not None}
        commit = self._origin.push(written, remove=[name for name, text in files.items() if text is None])
        if self.cluster.get(f"{REPOSITORIES}/{REPOSITORY}").fine:
            self.annotate(f"{REPOSITORIES}/{REPOSITORY}", reconcile_fluxcd_io__requestedAt=str(time.monotonic_ns()))
        return commit

    def _log(self, replica: str) -> Path:
        return self.folder / f"{replica}.log"


@contextmanager
def embedded(tool: str, folder: Path) -> Iterator[Embedded]:
    made = Embedded(tool, folder)
    made.start()
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def cluster_staged(tool: str, folder: Path) -> Iterator[Staged]:
    """Nobody runs on it yet: that is for `start`."""
    (folder / "git").mkdir(parents=True)
    cluster = RealCluster(folder / "cluster")
    try:
        cluster.start()
        cluster.start_controllers()
        with GitServer(folder / "git").running() as server:
            made = Staged(cluster, server, tool, folder)
            try:
                yield made
            finally:
                made.stop()
    finally:
        cluster.stop()


def seeded(name: str = NETWORKING, **spec: object) -> JsonObject:
    (document,) = load_documents(SEED_003, source="seed")
    manifest: JsonObject = decode(encode(document.value))
    if name != NETWORKING:
        manifest["metadata"]["name"] = name
        manifest["spec"]["path"] = f"./infrastructure/{name}"
    manifest["spec"] |= spec
    return manifest


def repository(url: str) -> JsonObject:
    return {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {"name": REPOSITORY, "namespace": HOME},
        "spec": {"url": url, "interval": "1m", "ref": {"branch": "main"}},
    }


def condition(obj: JsonObject, type_: str) -> JsonObject:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == type_), {})
