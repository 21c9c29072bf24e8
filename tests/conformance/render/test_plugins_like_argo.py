"""Config management plugins: Argo CD's own server for them beside ours, on the same definitions and files."""

import json
import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.conformance.argo import RealArgo
from tests.conformance.real import programs
from tests.conformance.secrets.test_beside_the_real_controller import ours_on, until
from tests.render.plugins.samples import definition
from tests.render.samples import config_map, request_for
from tests.source.git.server import GitServer

from plumbline.base.errors import PlumblineError
from plumbline.render.detection import prepared
from plumbline.render.manifests import manifests
from plumbline.render.plugins import Plugins, PluginTool

pytestmark = pytest.mark.conformance

FILES = {
    "app/cm.yaml": config_map("plain"),
    "app/deep/er/x.cue": "x",
    "app/.hidden.yaml": "a: 1",
    "common/x.txt": "shared",
}
EXTRA = {
    "name": "mine",
    "env": [{"name": "A", "value": "$ARGOCD_APP_NAME-b"}],
    "parameters": [{"name": "p", "string": "v"}],
}
APPLICATIONS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
TELLS = (
    'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: told}\\ndata:\\n  said: |\\n"; '
    "env | grep -E '^(ARGOCD|KUBE|PARAM)_' | grep -v -E '^ARGOCD_(PLUGINSOCKFILEPATH|CMP_WORKDIR|BINARY_NAME|LOG)' | sort | sed 's/^/    /'"
)


def shell(text):
    return ("sh", "-c", text)


CASES = {
    "prints": definition(generate=shell("cat cm.yaml; echo ---; cat ../common/x.txt | sed 's/^/# /'; echo; cat cm.yaml")),
    "variables": definition(generate=shell(TELLS)),
    "init": definition(init={"command": ["sh", "-c", "cp cm.yaml made"]}, generate=("cat", "made")),
    "init-fails": definition(init={"command": ["false"]}, generate=("cat", "cm.yaml")),
    "fails": definition(generate=shell("echo because >&2; exit 7")),
    "nothing": definition(generate=("true",)),
    "no-yaml": definition(generate=("echo", "{")),
    "no-program": definition(generate=("no-such-program",)),
    "list": definition(generate=shell("echo 'kind: List\napiVersion: v1\nitems:'; sed 's/^/    /;1s/^   /  -/' cm.yaml")),
    "file-name": definition(discover={"fileName": "./c*.yaml"}, generate=("cat", "cm.yaml")),
    "file-name-deep": definition(discover={"fileName": "deep/*/x.cue"}, generate=("cat", "cm.yaml")),
    "file-name-up": definition(discover={"fileName": "../common/x.txt"}, generate=("cat", "cm.yaml")),
    "file-name-no-depth": definition(discover={"fileName": "**/x.cue"}, generate=("cat", "cm.yaml")),
    "file-name-none": definition(discover={"fileName": "*.cue"}, generate=("cat", "cm.yaml")),
    "file-name-hidden": definition(discover={"fileName": "*hidden*"}, generate=("cat", "cm.yaml")),
    "glob": definition(discover={"find": {"glob": "**/*.cue"}}, generate=("cat", "cm.yaml")),
    "glob-none": definition(discover={"find": {"glob": "**/*.cuee"}}, generate=("cat", "cm.yaml")),
    "glob-here": definition(discover={"find": {"glob": "**/cm.yaml"}}, generate=("cat", "cm.yaml")),
    "glob-either": definition(discover={"find": {"glob": "*.{txt,yaml}"}}, generate=("cat", "cm.yaml")),
    "glob-folder": definition(discover={"find": {"glob": "de*"}}, generate=("cat", "cm.yaml")),
    "find": definition(discover={"find": {"command": ["find", "."], "args": ["-name", "x.cue"]}}, generate=("cat", "cm.yaml")),
    "find-none": definition(discover={"find": {"command": ["find", ".", "-name", "nothing"]}}, generate=("cat", "cm.yaml")),
    "find-fails": definition(discover={"find": {"command": ["false"]}}, generate=("cat", "cm.yaml")),
    "executable": definition(generate=shell("test -x cm.yaml && echo '# x'; cat cm.yaml")),
    "version": definition(version="v1.0", generate=("cat", "cm.yaml")),
}  # fmt: skip


@contextmanager
def served(text, folder):
    """Argo CD's server for the plugin *text*, its socket in *folder*."""
    config = folder / "config"
    config.mkdir()
    (config / "plugin.yaml").write_text(text)
    sockets = folder / "plugins"
    sockets.mkdir()
    argv = [str(programs() / "argocd"), "--config-dir-path", str(config), "--loglevel", "warn"]
    surroundings = {
        "ARGOCD_BINARY_NAME": "argocd-cmp-server",
        "ARGOCD_PLUGINSOCKFILEPATH": str(sockets),
        "ARGOCD_CMP_WORKDIR": str(folder),
        "PATH": os.environ["PATH"],
    }
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(argv, env=surroundings, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        until(lambda: list(sockets.glob("*.sock")), (folder / "server.log").read_text)
        yield sockets
    finally:
        # Asked to end, it waits for its connections, of which it is sure that there are some.
        server.kill()
        server.wait()


@contextmanager
def short_folder():
    """Paths of sockets have to be short."""
    with tempfile.TemporaryDirectory(prefix="cmp-") as folder:
        yield Path(folder)


async def outcome(plugins, name):
    request, _ = prepared(request_for(FILES, "app", plugin={**EXTRA, "name": name}))
    try:
        output = await PluginTool(plugins).render(request)
    except PlumblineError as error:
        return None, str(error)
    return [json.loads(each.body) for each in manifests(output.found)], ""


@pytest.mark.parametrize("case", CASES)
async def test_here_and_in_a_sidecar_the_same_comes_of_it(tmp_path, case):
    name = "mine-v1.0" if case == "version" else "mine"
    (tmp_path / "plugin.yaml").write_text(CASES[case])
    with short_folder() as folder, served(CASES[case], folder) as sockets:
        theirs, their_words = await outcome(Plugins(sockets), name)
    ours, our_words = await outcome(Plugins(tmp_path), name)
    assert ours == theirs, (our_words, their_words)
    if case in {"fails", "no-program"}:
        expected = "because" if case == "fails" else "no-such-program"
        assert expected in our_words
        assert expected in their_words


def application(repository):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "told", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": repository, "path": "app", "targetRevision": "main", "plugin": EXTRA},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {"selfHeal": True}},
        },
    }


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "git" / "repository"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "x"]):  # fmt: skip
        subprocess.run(["git", *command], cwd=folder, check=True)
    with GitServer(folder.parent).running() as server:
        yield server.url("repository")


def test_an_application_gets_the_same_variables_from_both(own_cluster, tmp_path, repository, monkeypatch):
    """First from Argo CD; then it is gone, what it made is deleted, and ours makes it with the same sidecar."""
    told = "/api/v1/namespaces/default/configmaps/told"

    def made():
        found = own_cluster.get(told)
        return found.body["data"] if found.fine else None

    with short_folder() as folder, served(CASES["variables"], folder) as sockets:
        monkeypatch.setenv("ARGOCD_PLUGINSOCKFILEPATH", str(sockets))
        argo = RealArgo(own_cluster, tmp_path)
        try:
            argo.start()
            assert own_cluster.post(APPLICATIONS, application(repository)).fine
            theirs = until(made, (tmp_path / "argocd-repo-server.log").read_text, 120)
        finally:
            argo.stop()
        own_cluster.kubectl("-n", "default", "delete", "configmap", "told")
        with ours_on(own_cluster, tmp_path, "--plugins", str(sockets)):
            ours = until(made, lambda: own_cluster.get(f"{APPLICATIONS}/told").body["status"], 60)
    ours, theirs = variables(ours["said"]), variables(theirs["said"])
    # By then the cluster serves our own kinds too.
    served_then = theirs["KUBE_API_VERSIONS"].split(",")
    ours["KUBE_API_VERSIONS"] = ",".join(each for each in ours["KUBE_API_VERSIONS"].split(",") if each in served_then)
    assert ours == theirs


def variables(said):
    return dict(line.split("=", 1) for line in said.splitlines())
