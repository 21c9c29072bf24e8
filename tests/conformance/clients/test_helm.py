"""Helm 3, the real program, with a chart that has everything: CRDs, hooks with jobs, tests and a custom resource."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conformance.real import Spoken, programs

from plumbline.base.documents import load_document
from plumbline.base.environment import environment
from plumbline.base.json import Json, decode

from .plane import OurPlane
from .transcripts import Kubectl, Line

pytestmark = pytest.mark.conformance

CHART = Path(__file__).parent / "chart"
_HELM_S = 120


@dataclass(frozen=True)
class Helm:
    """The program at work in one namespace."""

    plane: OurPlane
    home: Path
    namespace: str

    def __call__(self, *args: str, fails: bool = False) -> Spoken:
        surroundings = {
            "PATH": environment()["PATH"],
            "HOME": str(self.home),
            "KUBECONFIG": str(self.plane.kubeconfig),
        }
        argv = [str(programs() / "helm"), *args, "-n", self.namespace]
        done = subprocess.run(argv, env=surroundings, capture_output=True, text=True, timeout=_HELM_S, check=False)
        assert bool(done.returncode) is fails, done.stdout + done.stderr
        return Spoken(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def helm(plane: OurPlane, space: str, tmp_path: Path) -> Helm:
    return Helm(plane, tmp_path, space)


@pytest.fixture(scope="module")
def installed(plane: OurPlane, shared_kubectl: Kubectl, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    """A release that the tests of this module share; each leaves it deployed, with the image that it began with."""
    helm = Helm(plane, tmp_path_factory.mktemp("helm"), shared_kubectl.namespace)
    helm("install", "shop", str(CHART), "--wait", "--timeout=60s")
    return helm


def revisions(helm: Helm) -> list[tuple[int, str, str]]:
    found = decode(helm("history", "shop", "-o", "json").out)
    return [(each["revision"], each["status"], each["description"]) for each in found]


def read(kubectl: Kubectl, what: str) -> Json:
    said = kubectl.run(Line(f"get {what} -o json"))
    assert said.code == 0, said.err
    return decode(said.out)


def names(kubectl: Kubectl, what: str) -> list[str]:
    return kubectl.run(Line(f"get {what} -o name")).out.split()


def container_of(kubectl: Kubectl) -> Json:
    (container,) = read(kubectl, "deploy shop")["spec"]["template"]["spec"]["containers"]
    return container


def test_an_install_brings_crds_first_runs_hooks_and_waits_until_all_is_ready(helm: Helm, kubectl: Kubectl):
    helm("install", "shop", str(CHART), "--wait", "--timeout=60s")
    assert read(kubectl, "deploy shop")["status"]["readyReplicas"] == 1
    assert read(kubectl, "gadget shop")["spec"] == {"size": 3, "colour": "blue"}
    assert names(kubectl, "jobs") == []
    assert read(kubectl, "cm shop-kept")["data"] == {"written": "1"}
    settings = read(kubectl, "cm shop-settings")
    assert settings["data"] == {
        "greeting": "hello",
        "release": "1",
        "cluster": "v1.36.3",
        "jobs": "true",
        "gadgets": "true",
        "account": "default",
    }
    assert settings["metadata"]["annotations"]["meta.helm.sh/release-name"] == "shop"
    _uninstall(helm, kubectl)


def _uninstall(helm: Helm, kubectl: Kubectl):
    """What the chart wants to keep and CRDs stay, all else goes."""
    said = helm("uninstall", "shop", "--wait", "--keep-history")
    assert "[Secret] shop-stays" in said.out
    assert names(kubectl, "deploy,svc,gadgets,jobs") == []
    assert names(kubectl, "secrets -l owner!=helm") == ["secret/shop-stays"]
    assert names(kubectl, "crd gadgets.shop.example.com")
    assert revisions(helm) == [(1, "uninstalled", "Uninstallation complete")]
    helm("uninstall", "shop")
    assert names(kubectl, "secrets -l owner=helm") == []


def test_a_release_is_a_secret_that_every_verb_of_helm_reads(installed: Helm, shared_kubectl: Kubectl):
    revision = revisions(installed)[-1][0]
    secret = read(shared_kubectl, f"secret sh.helm.release.v1.shop.v{revision}")
    assert secret["type"] == "helm.sh/release.v1"
    labels = secret["metadata"]["labels"]
    assert [labels[name] for name in ("name", "owner", "status", "version")] == [
        *("shop", "helm", "deployed", str(revision))
    ]
    (listed,) = decode(installed("list", "-o", "json").out)
    assert (listed["name"], listed["status"], listed["chart"]) == ("shop", "deployed", "shop-1.2.3")
    status = decode(installed("status", "shop", "-o", "json").out)
    assert status["info"]["notes"].startswith("shop says hello, revision ")
    assert decode(installed("get", "values", "shop", "--all", "-o", "json").out)["image"] == "shop:1"
    assert "kind: Gadget" in installed("get", "manifest", "shop").out
    assert "shop-hook-2" in installed("get", "hooks", "shop").out


def test_an_upgrade_merges_three_ways_and_a_rollback_brings_the_old_state_back(
    installed: Helm, shared_kubectl: Kubectl
):
    before = revisions(installed)[-1][0]
    shared_kubectl.run(Line("annotate deploy shop note=mine"))
    shared_kubectl.run(Line("set env deploy/shop EXTRA=mine"))
    installed("upgrade", "shop", str(CHART), "--wait", "--set", "image=shop:2,greeting=bye,widget=4")
    assert container_of(shared_kubectl)["image"] == "shop:2"
    assert sorted(each["name"] for each in container_of(shared_kubectl)["env"]) == ["EXTRA", "GREETING"]
    assert read(shared_kubectl, "deploy shop")["metadata"]["annotations"]["note"] == "mine"
    assert read(shared_kubectl, "gadget shop")["spec"]["size"] == 4
    assert read(shared_kubectl, "cm shop-kept")["data"] == {"written": str(before + 1)}
    installed("rollback", "shop", str(before), "--wait")
    assert container_of(shared_kubectl)["image"] == "shop:1"
    assert read(shared_kubectl, "gadget shop")["spec"]["size"] == 3
    assert revisions(installed)[-2:] == [
        (before + 1, "superseded", "Upgrade complete"),
        (before + 2, "deployed", f"Rollback to {before}"),
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("migration=exit-3", "a hook that fails"),
        ("shop=never-ready,image=shop:9", "pods that never get ready"),
        ("widget=99", "an object that the server refuses"),
    ],
)
def test_an_atomic_upgrade_that_fails_leaves_the_release_as_it_was(
    installed: Helm, shared_kubectl: Kubectl, change: str, why: str
):
    before = revisions(installed)[-1][0]
    installed("upgrade", "shop", str(CHART), "--atomic", "--timeout=3s", "--set", change, fails=True)
    assert container_of(shared_kubectl)["image"] == "shop:1", why
    failed, restored = revisions(installed)[-2:]
    assert failed[:2] == (before + 1, "failed"), why
    assert restored == (before + 2, "deployed", f"Rollback to {before}"), why


def test_tests_of_a_release_run_and_their_logs_are_shown(installed: Helm, shared_kubectl: Kubectl):
    said = installed("test", "shop", "--logs")
    assert "Phase:          Succeeded" in said.out
    assert "the shop is open" in said.out
    assert names(shared_kubectl, "pods shop-test") == ["pod/shop-test"]


def test_what_belongs_to_somebody_else_is_not_taken(helm: Helm, kubectl: Kubectl):
    kubectl.run(Line("create cm shop-settings"))
    said = helm("install", "shop", str(CHART), fails=True)
    assert 'ConfigMap "shop-settings" in namespace' in said.err
    assert "invalid ownership metadata" in said.err


def test_a_dry_run_on_the_server_stores_nothing(helm: Helm, kubectl: Kubectl):
    said = helm("install", "shop", str(CHART), "--dry-run=server", "-o", "yaml")
    release = load_document(said.out).value
    assert release["info"]["status"] == "pending-install"
    assert 'account: "default"' in release["manifest"]
    assert names(kubectl, "secrets,deploy,jobs") == []


def test_releases_that_are_installed_at_once_do_not_disturb_each_other(helm: Helm, kubectl: Kubectl):
    releases = ["shop-1", "shop-2", "shop-3"]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda name: helm("install", name, str(CHART), "--no-hooks"), releases))
    assert sorted(each["name"] for each in decode(helm("list", "-o", "json").out)) == releases
    assert len(names(kubectl, "gadgets")) == len(releases)
