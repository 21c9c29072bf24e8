"""The program that people check their policies with, `argocd admin settings rbac`, says what we say."""

import subprocess

import pytest
from tests.access.policy.dice import Dice
from tests.access.policy.records import RECORDS
from tests.conformance.real import PeersMissing, programs

from plumbline.access.policy import Policy, Subject, policy_source
from plumbline.base.documents import dump_yaml
from plumbline.base.environment import environment

pytestmark = pytest.mark.conformance

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: none
contexts: [{name: none, context: {cluster: none, user: none}}]
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
"""
ASKED = 120


@pytest.fixture(scope="module")
def rbac(tmp_path_factory):
    program = programs() / "argocd"
    if not program.exists():
        raise PeersMissing("argocd is not built; build it with `make peers`")
    folder = tmp_path_factory.mktemp("rbac")
    (folder / "config").write_text(KUBECONFIG)

    def run(entries, *arguments):
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-rbac-cm"}, "data": entries}
        (folder / "map.yaml").write_text(dump_yaml(manifest))
        argv = [program, "admin", "settings", "rbac", *arguments, "--policy-file", folder / "map.yaml"]
        told = environment() | {"KUBECONFIG": str(folder / "config"), "HOME": str(folder)}
        return subprocess.run(argv, env=told, capture_output=True, text=True, timeout=30, check=False)

    return run


def likely(seed):
    """A scene whose questions the program can be asked: nobody's groups, and no name that it reads as another."""
    scene = Dice(seed).scene(questions=1)
    [asked] = scene.asked
    glob = scene.entries.get("policy.matchMode") != "regex"
    return glob and asked.name not in {"", "*"} and scene.entries["policy.csv"], scene, asked


def test_it_can_what_we_allow(rbac):
    scenes = [(scene, asked) for usable, scene, asked in map(likely, range(ASKED * 3)) if usable][:ASKED]
    ours, theirs = [], []
    for scene, asked in scenes:
        subject = asked.claims["sub"]
        policy = Policy.compiled(policy_source(scene.entries))
        ours.append("Yes" if policy.allows(Subject(subject), asked.resource, asked.action, asked.name) else "No")
        said = rbac(scene.entries, "can", subject, asked.action, asked.resource, asked.name, "--strict=false")
        theirs.append(said.stdout.strip())
    assert ours == theirs
    assert len(ours) == ASKED
    assert set(ours) == {"Yes", "No"}


def test_it_finds_valid_what_can_be_read(rbac):
    lines = [
        line for line in RECORDS if line.strip() and "\x1c" not in line and "\x1f" not in line and "\ufeff" not in line
    ]
    for line in lines[::2]:
        said = rbac({"policy.csv": line}, "validate")
        assert (said.returncode == 0) is not policy_source_faults(line), (line, said.stdout)


def policy_source_faults(line):
    return bool(Policy.compiled(policy_source({"policy.csv": line})).faults)


def test_expressions_leave_nobody_an_administrator_there_and_the_built_in_lines_are_globs_here(rbac):
    """The one thing that is allowed here and not there: see `Policy.compiled`."""
    entries = {"policy.matchMode": "regex", "policy.csv": "p, role:x, applications, get, .*/.*, allow"}
    policy = Policy.compiled(policy_source(entries))
    for who, there, here in (("role:x", "Yes", True), ("role:admin", "No", True), ("role:readonly", "No", True)):
        assert rbac(entries, "can", who, "get", "applications", "a/b").stdout.strip() == there
        assert policy.allows(Subject(who), "applications", "get", "a/b") is here
