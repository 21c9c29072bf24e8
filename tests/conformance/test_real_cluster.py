"""What every other conformance test leans on: the real programs start, speak and are the pinned versions."""

import pytest

from .real import CLUSTER, PeersMissing, RealCluster, _run

pytestmark = pytest.mark.conformance


def test_the_real_api_server_is_the_pinned_one(real_cluster):
    assert real_cluster.get("/version").body["gitVersion"] == "v1.36.3"


def test_kubectl_speaks_to_it(real_cluster, namespace):
    said = real_cluster.kubectl("-n", namespace, "create", "configmap", "a", "--from-literal=k=v")
    assert (said.code, said.out) == (0, "configmap/a created\n"), said.err
    said = real_cluster.kubectl(
        "-n",
        namespace,
        "apply",
        "--server-side",
        "-f",
        "-",
        stdin="""
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
""",
    )
    assert said.out == "configmap/b serverside-applied\n", said.err


def test_absent_programs_are_a_failure_that_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_PEERS", str(tmp_path / "nothing"))
    with pytest.raises(PeersMissing, match="make peers"):
        RealCluster(tmp_path / "cluster").start()


def test_a_stopped_cluster_leaves_no_process_behind(tmp_path):
    cluster = RealCluster(tmp_path)
    cluster.start()
    assert cluster.get("/readyz").fine
    cluster.stop()
    assert not list(tmp_path.glob("*.pid"))
    with pytest.raises(ConnectionRefusedError):
        cluster.get("/readyz")
    assert _run([str(CLUSTER), "stop", str(tmp_path)], timeout_s=10).code == 0, "stopping twice is fine"
