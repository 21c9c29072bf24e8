"""One Git repository with an application per folder, and the Application objects that point at them.

Every application is three ConfigMaps, a Service and a Deployment without replicas: as plain manifests, as a Kustomize base
with an overlay, or as a Helm chart. `mixed` has a third of each.
"""

import subprocess
import sys
from pathlib import Path

from bench.delivery.bound import bound

OBJECTS = 5
SHAPES = ("plain", "kustomize", "helm")
NAMESPACE = "bench"
PAYLOAD = "x" * 400
_SERVER = Path(__file__).with_name("gitserver.py")
_CHANGED = {"plain": "all.yaml", "kustomize": "base/all.yaml", "helm": "values.yaml"}
_CONFIGMAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-cm-{number}
data:
  rev: "{rev}"
  payload: "{payload}"
"""
_WORKLOAD = """\
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 80, targetPort: 8080}}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: 0
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        resources: {{requests: {{cpu: 100m}}}}
"""
_OVERLAY = """\
resources: [../../base]
images: [{name: nginx, newTag: "1.28"}]
labels: [{pairs: {env: production}}]
"""


def name_of(number):
    return f"app-{number:04d}"


def shape_of(shape, number):
    return SHAPES[number % len(SHAPES)] if shape == "mixed" else shape


def folder_of(shape, number):
    """What `source.path` says."""
    root = f"apps/{name_of(number)}"
    return f"{root}/overlays/production" if shape_of(shape, number) == "kustomize" else root


def changed_file(shape, number):
    """The file that differs between two revisions of an application."""
    return f"apps/{name_of(number)}/{_CHANGED[shape_of(shape, number)]}"


def files_of(shape, number, rev):
    """Path to text, of one application at revision *rev*."""
    name, kind = name_of(number), shape_of(shape, number)
    value = "{{ .Values.rev }}" if kind == "helm" else rev
    maps = [_CONFIGMAP.format(name=name, number=each, rev=value, payload=PAYLOAD) for each in range(OBJECTS - 2)]
    manifests = "---\n".join([*maps, _WORKLOAD.format(name=name)])
    match kind:
        case "kustomize":
            files = {
                "base/all.yaml": manifests,
                "base/kustomization.yaml": "resources: [all.yaml]\n",
                "overlays/production/kustomization.yaml": _OVERLAY,
            }
        case "helm":
            files = {
                "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n",
                "values.yaml": f'rev: "{rev}"\n',
                "templates/all.yaml": manifests,
            }
        case _:
            files = {"all.yaml": manifests}
    return {f"apps/{name}/{path}": text for path, text in files.items()}


def application(url, shape, number, namespace):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name_of(number), "namespace": namespace},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": folder_of(shape, number), "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": NAMESPACE},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


class Repository:
    """A work tree, the bare repository it is pushed to, and a process that serves that over smart HTTP."""

    def __init__(self, folder, shape, apps):
        self._root = folder / "srv"
        self._bare = self._root / "bench.git"
        self._tree = folder / "tree"
        self._shape = shape
        self._apps = apps
        self._server = None
        self.url = ""
        self.revision = ""

    def __enter__(self):
        self._root.mkdir(parents=True)
        _git("init", "--quiet", "--bare", "--initial-branch=main", self._bare)
        _git("init", "--quiet", "--initial-branch=main", self._tree)
        for number in range(self._apps):
            self._write(number, 0)
        self._commit("0")
        self.push()
        argv = bound([sys.executable, _SERVER, self._root])
        self._server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        port = self._server.stdout.readline().strip()
        assert port, "the Git server did not start"
        self.url = f"http://127.0.0.1:{port}/bench.git"
        return self

    def __exit__(self, *_):
        self._server.terminate()
        self._server.wait()
        self._server.stdout.close()

    def change(self, number, rev):
        """Commit revision *rev* of one application; it is nobody's business before it is pushed."""
        self._write(number, rev)
        self._commit(str(rev))

    def push(self):
        _git("push", "--quiet", self._bare, "main", cwd=self._tree)

    def webhook(self, number):
        """What GitHub sends about the last push."""
        commit = {"id": self.revision, "added": [], "removed": [], "modified": [changed_file(self._shape, number)]}
        repository = {"html_url": self.url, "url": self.url, "clone_url": self.url, "default_branch": "main"}
        return {
            "ref": "refs/heads/main",
            "before": "0" * 40,
            "after": self.revision,
            "repository": repository,
            "commits": [commit],
        }

    def _write(self, number, rev):
        for path, text in files_of(self._shape, number, rev).items():
            file = self._tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def _commit(self, message):
        _git("add", "--all", cwd=self._tree)
        _git("commit", "--quiet", "--message", message, cwd=self._tree)
        self.revision = _git("rev-parse", "HEAD", cwd=self._tree).strip()


def _git(*arguments, cwd=None):
    author = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "gc.auto=0"]
    command = ["git", *author, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd).stdout
