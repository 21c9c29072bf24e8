"""Stages of their own for delivery: what it writes would be in the way of others."""

from contextlib import contextmanager

import pytest
from tests.conformance.real import RealCluster
from tests.source.git.server import GitServer

from .scene import Scene


@contextmanager
def staged(folder):
    """A cluster with controllers, and a repository to deliver from; all of it ends with the block."""
    folder.mkdir()
    (folder / "git").mkdir()
    cluster = RealCluster(folder / "cluster")
    try:
        cluster.start()
        cluster.start_controllers()
        with GitServer(folder / "git").running() as server:
            yield Scene(cluster, server, folder)
    finally:
        cluster.stop()


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    """Argo CD waits for its own client more than for the server, unless told otherwise."""
    monkeypatch.setenv("ARGOCD_K8S_CLIENT_QPS", "300")
    monkeypatch.setenv("ARGOCD_K8S_CLIENT_BURST", "600")


@pytest.fixture
def scene(tmp_path):
    """A cluster with controllers, and a repository that it can be delivered from."""
    with staged(tmp_path / "scene") as made:
        yield made


@pytest.fixture
def scene_factory(tmp_path):
    """For tests that need more than one."""
    return lambda name: staged(tmp_path / name)
