"""Two servers: the real one of the session, and ours."""

import itertools
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.conformance.real import RealCluster

from .twins import OurServer, RealServer, Step, disagreements, run

_count = itertools.count(1)

Compare = Callable[[Sequence[Step]], list[str]]


@pytest.fixture(scope="module")
def our_server() -> Iterator[OurServer]:
    server = OurServer()
    yield server
    server.close()


@pytest.fixture
def compared(real_cluster: RealCluster, our_server: OurServer) -> Compare:
    """Runs a script on both, each in a fresh namespace, and gives what they disagree about."""

    def compare(script: Sequence[Step]) -> list[str]:
        name = f"twin-{next(_count)}"
        real = RealServer(real_cluster)
        created = [Step("POST", "/api/v1/namespaces", {"metadata": {"name": name}}, compared=False)]
        for server in (real, our_server):
            made = run(server, created, name)
            assert made[0].status == 201, made[0].body
        return disagreements(script, run(real, script, name), run(our_server, script, name), (name, name))

    return compare
