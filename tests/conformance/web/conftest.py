import pytest

from .beside import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory, real_cluster):
    folder = tmp_path_factory.mktemp("argo-server")
    argo = Server(real_cluster, folder)
    try:
        argo.start()
        argo.cluster = real_cluster
        yield argo
    finally:
        argo.stop()
        real_cluster.kubectl("delete", "namespace", "argocd", "--wait=false")
