"""Fixtures for tests against the real API server. Where it is missing they fail with the way to get it; none skips."""

import itertools

import pytest

from .differential.plan import SUBJECTS
from .differential.serving import establish
from .real import RealCluster

_count = itertools.count(1)


@pytest.fixture(scope="session")
def real_cluster(tmp_path_factory):
    """One API server per test session (and per xdist worker, whose folders and ports are its own)."""
    cluster = RealCluster(tmp_path_factory.mktemp("real"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def own_cluster(tmp_path):
    """A cluster of the test's own, for what would be in the way of others."""
    cluster = RealCluster(tmp_path / "own-cluster")
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def real_controllers(tmp_path_factory):
    """Another one, with kube-controller-manager, whose garbage collection and controllers would be in others' way."""
    cluster = RealCluster(tmp_path_factory.mktemp("controlled"))
    try:
        cluster.start()
        cluster.start_controllers()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def namespace(real_cluster):
    """A namespace of the test's own. It is left behind: the cluster ends with the session."""
    name = f"test-{next(_count)}"
    answer = real_cluster.post("/api/v1/namespaces", {"metadata": {"name": name}})
    assert answer.status == 201, answer.body
    return name


@pytest.fixture(scope="session")
def matrix_namespace(real_cluster):
    """Where the matrix writes: names differ by scenario, so that one namespace does for all."""
    for subject in SUBJECTS:
        if subject.crd is not None:
            establish(real_cluster, subject)
    name = "matrix"
    answer = real_cluster.post("/api/v1/namespaces", {"metadata": {"name": name}})
    assert answer.status == 201, answer.body
    return name
