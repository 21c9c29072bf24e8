"""`plumb up` as people start it, with Git repositories that they push to it."""

import http.client
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.conformance.clients.plane import OurPlane
from tests.conformance.real import Spoken

from plumbline.base.environment import environment
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.cli.running import holder

FORGE = "https://git.example.org/shop"
SERVER = "https://kubernetes.default.svc"
_APPS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
_PLUMB = (sys.executable, "-c", "from plumbline.cli.main import main; main()")
_COMMAND_S = 60.0
WITHIN_S = 45.0
"""How long anything may take. Much less than the 120 s after which a repository is asked without being told to."""
_GLANCE_S = 0.05
_CONSENT = "plumbline.dev/consent"
_WAVE = "argocd.argoproj.io/sync-wave"
_GIT = {
    "GIT_AUTHOR_NAME": "Jane",
    "GIT_AUTHOR_EMAIL": "jane@example.com",
    "GIT_COMMITTER_NAME": "Jane",
    "GIT_COMMITTER_EMAIL": "jane@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


class Happened(NamedTuple):
    version: int
    what: str
    obj: JsonObject

    @property
    def wave(self) -> int:
        return int(self.obj["metadata"].get("annotations", {}).get(_WAVE, 0))

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.obj["metadata"]["creationTimestamp"])


class Installation(OurPlane):
    """One `plumb up` on *folder*. It keeps its ports when it is started again."""

    def __init__(
        self, folder: Path, *, programs: Path | None = None, sample: bool = False, options: Sequence[str] = ()
    ) -> None:
        super().__init__(folder)
        self._options = (*options, *(() if sample else ("--bare",)))
        self.web = self.sandbox = ""
        self._programs = programs

    def start(self) -> None:
        ports = {"--api-port": self._port, "--web-port": _port(self.web), "--sandbox-port": _port(self.sandbox)}
        options = [part for name, port in ports.items() for part in (name, str(port))]
        said = self.plumb("up", "-d", *self._options, "--data", str(self.folder), *options)
        assert said.code == 0, said.err
        addresses = {line.split()[0]: line.split()[-1] for line in said.out.splitlines() if line.strip()}
        self.web, self.sandbox = addresses["web"], addresses["simulated"]
        self._port = _port(self.url)

    def stop(self) -> None:
        self.close()
        self.plumb("down", "--data", str(self.folder))

    def kill(self) -> None:
        """What a machine that runs out of memory does to it."""
        self.close()
        pid = holder(self.folder)
        assert pid
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: holder(self.folder) != pid)

    def plumb(self, *args: str, stdin: str = "") -> Spoken:
        """The command line, with the kubeconfig of this installation."""
        return self.shell([*_PLUMB, *args], stdin=stdin)

    def shell(self, argv: list[str], *, stdin: str = "") -> Spoken:
        before = f"{self._programs}{os.pathsep}" if self._programs else ""
        surroundings = {
            **environment(),
            "HOME": str(self.folder.parent),
            "KUBECONFIG": str(self.kubeconfig),
            "PATH": f"{before}{environment()['PATH']}",
        }
        done = subprocess.run(
            argv, env=surroundings, input=stdin, capture_output=True, text=True, timeout=_COMMAND_S, check=False
        )
        return Spoken(done.returncode, done.stdout, done.stderr)

    def until(self, true, *, within_s: float = WITHIN_S):
        """Wait for something to be so; returns what it was."""
        deadline = time.monotonic() + within_s
        while not (found := true()):
            assert time.monotonic() < deadline, f"never so: {true}\n{self._troubles()}"
            time.sleep(_GLANCE_S)
        return found

    def live(self, path: str) -> Json:
        """An object, or None."""
        answer = self.get(path)
        return answer.body if answer.fine else None

    def config_map(self, name: str, namespace: str = "shop") -> Json:
        return self.live(f"/api/v1/namespaces/{namespace}/configmaps/{name}")

    def app(self, name: str) -> JsonObject | None:
        return self.live(f"{_APPS}/{name}")

    def apply(self, *objects: JsonObject) -> None:
        """As `kubectl apply --server-side` does."""
        for obj in objects:
            metadata = obj["metadata"]
            place = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
            group = f"/apis/{obj['apiVersion']}" if "/" in obj["apiVersion"] else f"/api/{obj['apiVersion']}"
            path = f"{group}{place}/{obj['kind'].lower()}s/{metadata['name']}"
            answer = self.patch(path, obj, "application/apply-patch+yaml", fieldManager="by-hand", force="true")
            assert answer.fine, answer.body

    def delete(self, path: str) -> None:
        answer = self.send("DELETE", path)
        assert answer.fine, answer.body

    def delete_app(self, name: str) -> None:
        self.delete(f"{_APPS}/{name}")

    def delete_app_alone(self, name: str) -> None:
        """Without what it delivers."""
        self.patch(f"{_APPS}/{name}", {"metadata": {"finalizers": []}}, "application/merge-patch+json")
        self.delete_app(name)

    def agree_to_the_loss(self, app: str) -> str:
        """Databases, and applications, do not go because a file or an object went: somebody is asked, and agrees."""

        def asked() -> str:
            status = (self.app(app) or {}).get("status", {})
            messages = [status.get("operationState", {}).get("message", "")]
            messages += [each["message"] for each in status.get("conditions", [])]
            return next((each for each in messages if _CONSENT in each), "")

        message = self.until(asked)
        token = message.partition(f"{_CONSENT}=")[2].split()[0]
        agreed = {"metadata": {"annotations": {_CONSENT: token}}}
        answer = self.patch(f"{_APPS}/{app}", agreed, "application/merge-patch+json")
        assert answer.fine, answer.body
        return message

    def synced(self, name: str, revision: str, *, health: str = "Healthy") -> JsonObject:
        """The application, once it is at that revision, in sync, and nothing goes on any more."""

        def arrived() -> JsonObject | None:
            app = self.app(name) or {}
            status = app.get("status", {})
            sync, running = status.get("sync", {}), status.get("operationState", {})
            there = sync.get("status") == "Synced" and sync.get("revision") == revision
            well = status.get("health", {}).get("status") == health
            return app if there and well and running.get("phase") == "Succeeded" else None

        return self.until(arrived)

    def version(self) -> str:
        """Where its history is now: what comes later can be asked for with `happened`."""
        return self.get("/api/v1/namespaces", limit="1").body["metadata"]["resourceVersion"]

    def happened(self, *paths: str, since: str) -> list[Happened]:
        """Everything that was done to those collections, in the order that it was done in."""
        found: list[Happened] = []
        for path in paths:
            where = urlsplit(self.url)
            connection = http.client.HTTPSConnection(where.hostname or "", where.port, context=self.tls, timeout=30)
            connection.request("GET", f"{path}?watch=true&resourceVersion={since}&timeoutSeconds=1")
            for line in connection.getresponse().read().splitlines():
                event = decode(line)
                version = int(event["object"]["metadata"]["resourceVersion"])
                found.append(Happened(version, event["type"], event["object"]))
            connection.close()
        return sorted(found, key=lambda each: each.version)

    def stand_for(self, name: str, *urls: str) -> None:
        """What `curl -X PUT` says to make a repository that stands for another."""
        where = urlsplit(self.web)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        connection.request("PUT", f"/git/{name}.git", encode({"standsFor": list(urls)}))
        answer = connection.getresponse()
        assert answer.status in {200, 201}, answer.read()
        connection.close()

    def _troubles(self) -> str:
        apps = self.live(_APPS) or {}
        told = (
            {key: app.get("status", {}).get(key) for key in ("sync", "health", "conditions", "operationState")}
            for app in apps.get("items", ())
        )
        return "\n".join(encode(each).decode() for each in told)


def _port(url: str) -> int:
    """Zero, where there is no address yet."""
    return urlsplit(url).port or 0


class Desk:
    """Where somebody has a repository checked out, to push from."""

    def __init__(self, folder: Path, remote: str) -> None:
        self.folder = folder
        self.remote = remote
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "-q", "--initial-branch=main")

    def write(self, files: dict[str, str | None]) -> None:
        """None removes one."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def copy(self, folder: Path) -> None:
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)

    def edit(self, name: str, before: str, after: str) -> None:
        text = (self.folder / name).read_text()
        assert before in text
        (self.folder / name).write_text(text.replace(before, after))

    def push(self, files: dict[str, str | None] | None = None) -> str:
        """Commit what changed and push it; the commit."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self._pushed()

    def revert(self) -> str:
        self.git("revert", "--no-edit", "HEAD")
        return self._pushed()

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def _pushed(self) -> str:
        self.git("push", "-q", self.remote, "main")
        return self.head

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.folder, env={**environment(), **_GIT}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def in_waves(made: list[Happened], *, pause_s: float) -> list[int]:
    """The waves in the order that they were begun in; none began before the one before was done, and a pause was made."""
    waves = [each.wave for each in made]
    assert waves == sorted(waves), [(each.wave, each.obj["metadata"]["name"]) for each in made]
    for before, after in pairwise(made):
        if before.wave != after.wave:
            assert (after.created - before.created).total_seconds() >= pause_s
    return list(dict.fromkeys(waves))


def application(
    name: str, *, path: str = "", namespace: str = "shop", automated: bool = True, options: Sequence[str] = ()
) -> JsonObject:
    """Of the folder of its name, in the repository that `FORGE` means."""
    policy: JsonObject = {"syncOptions": ["CreateNamespace=true", *options]}
    if automated:
        policy["automated"] = {"prune": True, "selfHeal": True}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
        },
        "spec": {
            "project": "default",
            "source": {"repoURL": FORGE, "path": path or name, "targetRevision": "main"},
            "destination": {"server": SERVER, "namespace": namespace},
            "syncPolicy": policy,
        },
    }


def config_map(name: str, value: str = "1", *, wave: int | None = None) -> str:
    annotations = {} if wave is None else {_WAVE: str(wave)}
    metadata = {"name": name, "annotations": annotations} if annotations else {"name": name}
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}).decode()
