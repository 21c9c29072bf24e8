"""Rendered manifests on a branch: Argo CD's and ours, of the same dry source, file by file."""

import re
import subprocess

import pytest
from tests.conformance.argo import RealArgo
from tests.conformance.secrets.test_beside_the_real_controller import ours_on, until
from tests.source.git.server import GitServer

pytestmark = pytest.mark.conformance

APPLICATIONS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
BRANCH = "environments/dev"
WITHIN_S = 120.0
CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {0}\n  labels: {{b: "2", a: "1"}}\ndata:\n  text: |\n    one\n    two: "yes"\n  n: "012"\n'
FILES = {
    "plain/b.yaml": CONFIG_MAP.format("b"),
    "plain/a.yaml": CONFIG_MAP.format("a") + "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n",
    "kustomized/kustomization.yaml": "resources: [cm.yaml]\nnamePrefix: dev-\n",
    "kustomized/cm.yaml": CONFIG_MAP.format("c"),
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
    "chart/values.yaml": "greeting: hello\n",
    "chart/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {said: {{ .Values.greeting | quote }}}\n",
}  # fmt: skip
SOURCES = {
    "plain": {"path": "plain"},
    "kustomized": {"path": "kustomized"},
    "chart": {"path": "chart", "helm": {"parameters": [{"name": "greeting", "value": "hi there"}]}},
}
HELM = re.compile(r"helm template .*--include-crds")
MESSAGE = """Change what is said

For a reason that takes
two lines.

Argocd-reference-commit-repourl: https://git.example/code
Argocd-reference-commit-author: Ada <ada@example.com>
Argocd-reference-commit-sha: 0123456789abcdef0123456789abcdef01234567
Signed-off-by: Bob <bob@example.com>
"""


def git(folder, *arguments, **options):
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True, **options)
    return done.stdout


@pytest.fixture
def dry(tmp_path):
    """A repository that can be pushed to, its address, and how the dry source is changed."""
    root = tmp_path / "git"
    bare, clone = root / "shop.git", tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q", "--bare", "-b", "main", str(bare))
    git(bare, "config", "http.receivepack", "true")
    git(root, "clone", "-q", str(bare), str(clone))

    def commit(files, message):
        for name, text in files.items():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / name).write_text(text)
        git(clone, "add", "-A")
        git(clone, "-c", "user.email=ada@example.com", "-c", "user.name=Ada", "commit", "-qF", "-", input=message)
        git(clone, "push", "-q", "origin", "HEAD:main")
        return git(clone, "rev-parse", "HEAD").strip()

    with GitServer(root).running() as server:
        yield bare, server.url("shop.git"), commit


def application(name, url):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "sourceHydrator": {
                "drySource": {"repoURL": url, "targetRevision": "main", **SOURCES[name]},
                "syncSource": {"targetBranch": BRANCH, "path": f"apps/{name}"},
            },
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    }


def hydrated(cluster, url, sha):
    """All applications, made from *sha*."""
    for name in SOURCES:
        cluster.post(APPLICATIONS, application(name, url))

    def done():
        found = [cluster.get(f"{APPLICATIONS}/{name}").body.get("status", {}).get("sourceHydrator", {}) for name in SOURCES]  # fmt: skip
        return all(each.get("lastSuccessfulOperation", {}).get("drySHA") == sha for each in found)

    until(done, lambda: [cluster.get(f"{APPLICATIONS}/{name}").body.get("status", {}) for name in SOURCES], WITHIN_S)


def asked_again(cluster):
    for name in SOURCES:
        cluster.kubectl("-n", "argocd", "annotate", "application", name, "argocd.argoproj.io/hydrate=normal", "argocd.argoproj.io/refresh=normal", "--overwrite")  # fmt: skip


def contents(bare):
    """Every file of the branch with its mode, and what its last commit says.

    How Helm is told by hand is otherwise here: upstream's command leaves out where the chart is, and for which Kubernetes.
    """
    entries = dict(line.split("\t")[::-1] for line in git(bare, "ls-tree", "-r", BRANCH).splitlines())
    shown = {name: HELM.sub("helm template ...", git(bare, "show", f"{BRANCH}:{name}")) for name in entries}
    files = {name: (entry.split()[0], shown[name]) for name, entry in entries.items()}
    return files, git(bare, "log", "-1", "--format=%an <%ae>%n%B", BRANCH)


def forgotten(cluster, bare):
    for name in SOURCES:
        cluster.kubectl("-n", "argocd", "delete", "application", name)
    git(bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
    for ref in git(bare, "for-each-ref", "--format=%(refname)", "refs/notes").split():
        git(bare, "update-ref", "-d", ref)


def hydrated_twice(cluster, dry, first, second):
    """The branch after the first commit, and after the second."""
    bare, url, commit = dry
    hydrated(cluster, url, first)
    before = contents(bare)
    sha = second or commit(
        {"chart/values.yaml": "greeting: bye\n", "plain/b.yaml": CONFIG_MAP.format("other")}, MESSAGE
    )
    asked_again(cluster)
    hydrated(cluster, url, sha)
    return before, contents(bare), sha


def test_the_branch_is_the_same_byte_by_byte(own_cluster, tmp_path, dry):
    bare, _, commit = dry
    first = commit(FILES, "First\n")
    argo = RealArgo(own_cluster, tmp_path, hydrates=True)
    try:
        argo.start()
        theirs = hydrated_twice(own_cluster, dry, first, "")
    finally:
        argo.stop()
    forgotten(own_cluster, bare)
    git(bare, "update-ref", "refs/heads/main", first)
    own_cluster.kubectl("-n", "argocd", "patch", "configmap", "argocd-cmd-params-cm", "--type=merge", "-p", '{"data":{"hydrator.enabled":"true"}}')  # fmt: skip
    with ours_on(own_cluster, tmp_path):
        hydrated(own_cluster, dry[1], first)
        before = contents(bare)
        git(bare, "update-ref", "refs/heads/main", theirs[2])
        asked_again(own_cluster)
        hydrated(own_cluster, dry[1], theirs[2])
        after = contents(bare)
    assert different(before, theirs[0]) == {}
    assert different(after, theirs[1]) == {}


def different(ours, theirs):
    """By file, what it is here and there."""
    (our_files, our_message), (their_files, their_message) = ours, theirs
    found = {name: (our_files.get(name), their_files.get(name)) for name in our_files.keys() | their_files.keys()}
    found["the commit"] = (our_message, their_message)
    return {name: both for name, both in found.items() if both[0] != both[1]}
