"""Those who use Argo CD's REST API without its libraries: plug-ins of portals, and whoever types curl."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from .beside import Reply, shape


class Portal:
    """Asks what the common Argo CD plug-ins of Backstage ask, in their order and with their bodies."""

    def __init__(self, url, password, name, repository):
        self.url, self.password, self.name, self.repository = url, password, name, repository
        self.token = ""
        self.heard = {}
        """By what was asked: the answer."""

    def ask(self, what, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        sent = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, sent, headers, method=method)  # noqa: S310 - our own loopback
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310 - same
                found = Reply(reply.status, json.loads(reply.read() or b"{}"))
        except urllib.error.HTTPError as refused:
            text = refused.read()
            found = Reply(refused.code, json.loads(text) if text.startswith(b"{") else text.decode())
        self.heard[what] = found
        return found

    def log_in(self):
        self.ask("a wrong password", "POST", "/api/v1/session", {"username": "admin", "password": "wrong"})
        self.token = self.ask("a login", "POST", "/api/v1/session", {"username": "admin", "password": self.password}).json["token"]  # fmt: skip

    def make(self):
        self.ask("make a project", "POST", "/api/v1/projects", {"project": self._project()})
        self.ask(
            "make it once more", "POST", "/api/v1/projects", {"project": self._project("https://elsewhere.example")}
        )
        self.ask("make an application", "POST", "/api/v1/applications", self._application())

    def look(self):
        app = f"/api/v1/applications/{self.name}"
        self.ask("by selector", "GET", f"/api/v1/applications?selector=backstage-name={self.name}")
        self.ask("by a selector that fits nothing", "GET", "/api/v1/applications?selector=backstage-name=nothing")
        self.ask("by project", "GET", f"/api/v1/applications?projects={self.name}")
        self.ask("by name in a list", "GET", f"/api/v1/applications?name={self.name}")
        self.ask("one", "GET", app)
        self.ask("one in its namespace", "GET", f"{app}?appNamespace=argocd")
        self.ask("one that is not there", "GET", f"{app}-not")
        self.ask("its project", "GET", f"/api/v1/projects/{self.name}")
        sha = self.heard["one"].json["status"]["sync"]["revision"]
        self.ask("its commit", "GET", f"{app}/revisions/{sha}/metadata")
        self.ask("its commit by source", "GET", f"{app}/revisions/{sha}/metadata?appNamespace=argocd&sourceIndex=0")
        self.ask("its tree", "GET", f"{app}/resource-tree")

    def change(self):
        self.ask(
            "change its project",
            "PUT",
            f"/api/v1/projects/{self.name}",
            {"project": self._project(version="its project")},
        )
        self.ask("change it", "PUT", f"/api/v1/applications/{self.name}", self._application(version="one"))

    def sync(self):
        body = {"prune": False, "dryRun": False, "strategy": {"hook": {"force": True}}, "resources": None}
        self.ask("sync it", "POST", f"/api/v1/applications/{self.name}/sync", body)
        self.ask("sync what is not there", "POST", f"/api/v1/applications/{self.name}-not/sync", body)

    def delete(self):
        app = f"/api/v1/applications/{self.name}"
        self.ask("delete it", "DELETE", f"{app}?cascade=true")
        self.until(lambda: self.ask("one that is gone", "GET", app).status != 200, "it is gone")
        self.ask("delete what is gone", "DELETE", f"{app}?cascade=true")
        self.ask("delete its project", "DELETE", f"/api/v1/projects/{self.name}")
        self.until(
            lambda: self.ask("a project that is gone", "GET", f"/api/v1/projects/{self.name}").status != 200, "gone"
        )

    def settled(self):
        def synced():
            status = self.ask("waiting", "GET", f"/api/v1/applications/{self.name}").json.get("status", {})
            return status.get("sync", {}).get("status") == "Synced" and _ended(status)

        self.until(synced, "it is synced")

    def until(self, true, what, deadline_s=120):
        over = time.monotonic() + deadline_s
        while not true():
            assert time.monotonic() < over, (self.url, what, self.heard.get("waiting"))
            time.sleep(0.3)

    def curl(self, path, *more):
        """What it prints, and how it ended."""
        argv = ["curl", "-sS", "-H", f"Authorization: Bearer {self.token}", *more, self.url + path]
        done = subprocess.run(argv, capture_output=True, timeout=60, check=False)
        return done.stdout

    def _version(self, what):
        return {"resourceVersion": self.heard[what].json["metadata"]["resourceVersion"]} if what else {}

    def _project(self, repository="", version=""):
        destination = {"name": "local", "namespace": self.name, "server": "https://kubernetes.default.svc"}
        finalizers = ["resources-finalizer.argocd.argoproj.io"]
        return {
            "metadata": {"name": self.name, "finalizers": finalizers, **self._version(version)},
            "spec": {"destinations": [destination], "sourceRepos": [repository or self.repository]},
        }

    def _application(self, version=""):
        policy = {
            "automated": {"allowEmpty": True, "prune": True, "selfHeal": True},
            "retry": {"backoff": {"duration": "5s", "factor": 2, "maxDuration": "5m"}, "limit": 10},
            "syncOptions": ["CreateNamespace=false", "FailOnSharedResource=true"],
        }
        labels, finalizers = {"backstage-name": self.name}, ["resources-finalizer.argocd.argoproj.io"]
        return {
            "metadata": {"name": self.name, "labels": labels, "finalizers": finalizers, **self._version(version)},
            "spec": {
                "destination": {"namespace": self.name, "server": "https://kubernetes.default.svc"},
                "project": self.name,
                "revisionHistoryLimit": 10,
                "source": {"path": "web", "repoURL": self.repository},
                "syncPolicy": policy,
            },
        }


def _ended(status):
    return status.get("operationState", {}).get("phase") in {"Succeeded", "Failed", "Error"}


def unlike(theirs, mine, ignored):
    """What of two answers is not the same kind of thing."""
    if (theirs.status, _code(theirs)) != (mine.status, _code(mine)):
        return {("status", f"{theirs.status} {theirs.json} / {mine.status} {mine.json}"[:600])}
    return different(theirs.json, mine.json, ignored) if theirs.status == 200 else set()


def different(theirs, mine, ignored):
    found = {(*each, "theirs") for each in shape(theirs) - shape(mine)}
    found |= {(*each, "ours") for each in shape(mine) - shape(theirs) if not _MORE.fullmatch(each[0])}
    return {each for each in found if not any(part in each[0] for part in ignored)}


_MORE = re.compile(r"(?:|\.items\[\]|\.result\.application)\.(?:apiVersion|kind)|\.items|\.metadata\.annotations")
"""What an object is, which they leave out; a list without items, which they call null; what sync of ours is noted in."""


def _code(reply):
    return reply.json.get("code") if isinstance(reply.json, dict) and reply.status != 200 else None
