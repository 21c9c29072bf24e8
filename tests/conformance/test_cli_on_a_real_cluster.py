"""The verbs that ask a cluster, against the real API server and beside the real kubectl."""

import sys

import pytest

from plumbline.base.json import decode, encode

from .real import _run

pytestmark = pytest.mark.conformance

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1", "ports": [{"containerPort": 80}]}]},
        },
    },
}


@pytest.fixture
def plumb(real_cluster, namespace):
    def invoke(*args, stdin=""):
        argv = [sys.executable, "-c", "from plumbline.cli.main import main; main()", *args, "-n", namespace]
        return _run([*argv, "--kubeconfig", str(real_cluster.kubeconfig)], stdin=stdin, timeout_s=60)

    return invoke


def test_what_the_server_filled_in_is_no_difference(real_cluster, namespace, plumb):
    manifest = encode(DEPLOYMENT).decode()
    applied = real_cluster.kubectl(
        "-n", namespace, "apply", "--server-side", "--field-manager=argocd-controller", "-f", "-", stdin=manifest
    )
    assert applied.code == 0, applied.err
    said = plumb("diff", "-f", "-", stdin=manifest)
    assert (said.code, said.out, said.err) == (0, "", "No differences in 1 objects.\n")


def test_each_change_names_its_manager(real_cluster, namespace, plumb):
    manifest = encode(DEPLOYMENT).decode()
    real_cluster.kubectl("-n", namespace, "apply", "--server-side", "-f", "-", stdin=manifest)
    real_cluster.kubectl("-n", namespace, "scale", "deployment/web", "--replicas=5")
    said = plumb("diff", "-f", "-", stdin=manifest)
    assert said.out == "Deployment.apps/web\n  ~ .spec.replicas: 5 → 2  (held by kubectl)\n"
    assert said.code == 1


def test_values_of_real_secrets_are_never_shown(real_cluster, namespace, plumb):
    real_cluster.kubectl("-n", namespace, "create", "secret", "generic", "token", "--from-literal=a=s3cr3t-live")
    wanted = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "stringData": {"a": "s3cr3t-new"}}
    said = plumb("diff", "-f", "-", stdin=encode(wanted).decode())
    assert said.code == 1
    assert ".data.a: secret value, not shown" in said.out
    assert "s3cr3t" not in said.out + said.err
    assert "czNjcjN0" not in said.out + said.err


def test_health_by_name_and_what_is_not_there(real_cluster, namespace, plumb):
    real_cluster.kubectl("-n", namespace, "apply", "-f", "-", stdin=encode(DEPLOYMENT).decode())
    said = plumb("health", "deploy/web", "-o", "json")
    assert said.code == 0, said.err
    assert decode(said.out)["items"][0]["health"]["status"] == "Progressing"
    assert plumb("health", "deploy/gone").code == 5
    assert plumb("health", "gizmo/gone").code == 5


def test_doctor_finds_the_cluster(real_cluster):
    argv = [sys.executable, "-c", "from plumbline.cli.main import main; main()", "doctor", "-o", "json"]
    said = _run([*argv, "--kubeconfig", str(real_cluster.kubeconfig)], timeout_s=60)
    cluster = next(each for each in decode(said.out)["checks"] if each["check"] == "cluster")
    assert cluster["state"] == "ok"
    assert "v1.36" in cluster["message"]
