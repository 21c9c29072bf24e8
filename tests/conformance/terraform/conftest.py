"""One stage for many promises: each test has objects and modules of its own."""

import pytest

from .estate import TOOLS, cluster_staged, embedded


@pytest.fixture(scope="module", params=TOOLS)
def tool(request):
    return request.param


@pytest.fixture(scope="module", params=["plane", "cluster"])
def estate(request, tool, tmp_path_factory):
    """Plumbline's own control plane, and a real cluster, each with Terraform and with OpenTofu."""
    folder = tmp_path_factory.mktemp(f"{request.param}-{tool}")
    with (embedded if request.param == "plane" else cluster_staged)(tool, folder) as made:
        if request.param == "cluster":
            made.start()
        made.found()
        yield made
