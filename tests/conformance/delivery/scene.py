"""A stage for delivery on a real API server: repositories over smart HTTP, Applications, and whoever is to deliver them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.argo import RealArgo
from tests.conformance.real import MERGE_PATCH, RealCluster, programs
from tests.source.git.origins import Origin
from tests.source.git.server import GitServer

from plumbline.base.environment import environment
from plumbline.base.json import JsonObject, encode

APPLICATIONS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
PROJECTS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects"
SERVER = "https://kubernetes.default.svc"
ENDED = {"Succeeded", "Failed", "Error"}
EVERYTHING = {
    "sourceRepos": ["*"],
    "destinations": [{"namespace": "*", "server": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}
_GLANCE_S = 0.25


class Scene:
    """One cluster, one repository. Nobody delivers until `argo` or `plumb` is entered."""

    def __init__(self, cluster: RealCluster, server: GitServer, folder: Path, name: str = "shop") -> None:
        self.cluster = cluster
        self.folder = folder
        self.origin = Origin(server.root / name)
        self.repository = server.url(name)
        self._argo = RealArgo(cluster, folder)
        self._paths: dict[tuple[str, str], tuple[str, bool]] = {}

    @contextmanager
    def argo(self):
        """The real Argo CD, for as long as the block lasts. Its default project permits everything."""
        try:
            self._argo.start()
            self.permit_everything()
            yield
        finally:
            self._argo.stop()

    @contextmanager
    def plumb(self, *arguments: str):
        """`plumb run`, for as long as the block lasts."""
        log = self.folder / "plumb.log"
        argv = [plumb(), "run", "--kubeconfig", str(self.cluster.kubeconfig), "--data", str(self.folder / "plumb")]
        path = {**environment(), "PATH": f"{programs()}:{environment()['PATH']}"}
        with log.open("ab") as out:
            running = subprocess.Popen([*argv, "--web-port", "0", *arguments], stdout=out, stderr=out, env=path)
        try:
            self.until(lambda: running.poll() is not None or b"web " in log.read_bytes(), "plumb run is up")
            assert running.poll() is None, log.read_text()
            yield
            assert running.poll() is None, log.read_text()
        finally:
            running.terminate()
            try:
                running.wait(15)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
            with log.open("ab") as out:
                out.write(b"-- over\n")

    def say(self, *arguments: str) -> str:
        """What a verb of plumb says about the cluster."""
        argv = [plumb(), *arguments, "--kubeconfig", str(self.cluster.kubeconfig)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def permit_everything(self) -> None:
        project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "default"}}
        if not self.cluster.post(PROJECTS, {**project, "spec": EVERYTHING}).fine:
            assert self.cluster.patch(f"{PROJECTS}/default", {"spec": EVERYTHING}, MERGE_PATCH).fine

    def namespace(self, *names: str) -> None:
        for name in names:
            self.cluster.post("/api/v1/namespaces", {"metadata": {"name": name}})

    def create(self, path: str, obj: JsonObject) -> JsonObject:
        answer = self.cluster.post(path, obj)
        assert answer.fine, answer.body
        return answer.body

    def app(self, name: str) -> JsonObject:
        return self.cluster.get(f"{APPLICATIONS}/{name}").body

    def apps(self) -> dict[str, JsonObject]:
        listed = self.cluster.get(APPLICATIONS).body["items"]
        return {each["metadata"]["name"]: each for each in listed}

    def refresh(self, names: Iterable[str]) -> None:
        """As `argocd app get --refresh` asks for it, and a webhook brings it about."""
        asked = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}
        for name in names:
            answer = self.cluster.patch(f"{APPLICATIONS}/{name}", asked, MERGE_PATCH)
            assert answer.fine, answer.body

    def sync(self, name: str, **sync) -> None:
        operation = {"sync": sync, "initiatedBy": {"username": "ada"}, "retry": {}}
        answer = self.cluster.patch(f"{APPLICATIONS}/{name}", {"operation": operation}, MERGE_PATCH)
        assert answer.fine, answer.body

    def path_of(self, api_version: str, kind: str, namespace: str, name: str) -> str:
        """Where an object is served."""
        if (api_version, kind) not in self._paths:
            root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            for each in self.cluster.get(root).body["resources"]:
                if "/" not in each["name"]:
                    self._paths[api_version, each["kind"]] = (f"{root}|{each['name']}", each["namespaced"])
        place, namespaced = self._paths[api_version, kind]
        root, resource = place.split("|")
        return f"{root}/namespaces/{namespace}/{resource}/{name}" if namespaced else f"{root}/{resource}/{name}"

    def live(self, api_version: str, kind: str, name: str, namespace: str = "shop") -> JsonObject | None:
        answer = self.cluster.get(self.path_of(api_version, kind, namespace, name))
        return answer.body if answer.fine else None

    def until(self, true: Callable[[], object], what: str, *, within_s: float = 60):
        """Wait for something to be so; returns what it was."""
        end = time.monotonic() + within_s
        while not (found := true()):
            assert time.monotonic() < end, f"not within {within_s} s: {what}"
            time.sleep(_GLANCE_S)
        return found

    def synced(self, *names: str, revision: str = "", within_s: float = 60) -> None:
        """Wait until the applications are at *revision* and nothing is under way for them."""

        def arrived() -> bool:
            late.clear()
            late.update(
                {name: app for name, app in self.apps().items() if name in names and not _settled(app, revision)}
            )
            return not late

        late: dict[str, JsonObject] = {}
        try:
            self.until(arrived, "all synced", within_s=within_s)
        except AssertionError:
            raise AssertionError({name: _told(app) for name, app in late.items()}) from None

    def ended(self, *names: str, after: Mapping[str, str] | None = None, within_s: float = 60) -> None:
        """Wait until an operation of each has ended, another than the one that began *after*."""
        self.until(lambda: all(_over(self.app(name), (after or {}).get(name)) for name in names), f"{names} ended", within_s=within_s)  # fmt: skip


def plumb() -> str:
    return str(Path(sys.executable).with_name("plumb"))


def application(name: str, repository: str, *, automated=True, options=(), namespace="shop", **spec) -> JsonObject:
    """An Application of the folder of its name."""
    policy = {"syncOptions": list(options)} if options else {}
    if automated:
        policy["automated"] = automated if isinstance(automated, dict) else {"prune": True, "selfHeal": True}
    metadata = spec.pop("metadata", {})
    source = {} if "sources" in spec else {"source": {"repoURL": repository, "path": name, "targetRevision": "main"}}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd", **metadata},
        "spec": {
            "project": "default",
            "destination": {"server": SERVER, "namespace": namespace},
            "syncPolicy": policy,
            **source,
            **spec,
        },
    }


def manifests(objects: Iterable[JsonObject]) -> str:
    """One file of several documents; JSON is YAML."""
    return "".join(f"---\n{encode(each).decode()}\n" for each in objects)


def _settled(app: JsonObject, revision: str) -> bool:
    status = app.get("status", {})
    sync, state = status.get("sync", {}), status.get("operationState", {})
    there = {sync.get("revision"), *sync.get("revisions", ())}
    asked = "argocd.argoproj.io/refresh" in app["metadata"].get("annotations", {})
    return (
        sync.get("status") == "Synced"
        and (not revision or revision in there)
        and state.get("phase") == "Succeeded"
        and "operation" not in app
        and not asked
    )


def _over(app: JsonObject, before: str | None) -> bool:
    state = app.get("status", {}).get("operationState", {})
    return state.get("phase") in ENDED and state.get("startedAt") != before and "operation" not in app


def _told(app: JsonObject) -> JsonObject:
    status = app.get("status", {})
    differing = [each for each in status.get("resources", ()) if each.get("status") != "Synced"]
    operation = {key: status.get("operationState", {}).get(key) for key in ("phase", "message")}
    return {**status.get("sync", {}), "operation": operation, "conditions": status.get("conditions"), "differs": differing[:5]}  # fmt: skip
