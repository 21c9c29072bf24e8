"""Two servers: the real one of the session, and ours."""

import itertools
from collections.abc import Callable, Iterator

import pytest
from tests.apiserver.scripts.goldens import Golden
from tests.conformance.real import RealCluster

from .twins import OurServer, RealServer, Script, Server, Step, disagreements, normalised, run

_count = itertools.count(1)

Compare = Callable[[Script], list[str]]
Answered = Callable[[Script], Golden]


@pytest.fixture(scope="module")
def quiet_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A real API server without controllers, new for every module: what is there is what its own tests wrote."""
    cluster = RealCluster(tmp_path_factory.mktemp("quiet"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def our_server() -> Iterator[OurServer]:
    server = OurServer()
    yield server
    server.close()


@pytest.fixture
def compared(quiet_cluster: RealCluster, our_server: OurServer) -> Compare:
    """Runs a script on both, each in a fresh namespace, and gives what they disagree about."""

    def compare(script: Script) -> list[str]:
        name = f"twin-{next(_count)}"
        real = RealServer(quiet_cluster)
        for server in (real, our_server):
            _make_namespace(server, name)
        return disagreements(script, run(real, script, name), run(our_server, script, name), (name, name))

    return compare


@pytest.fixture(scope="module")
def really(quiet_cluster: RealCluster) -> Answered:
    """What the real server answers to a script, in a fresh namespace, as goldens hold it."""

    def answered(script: Script) -> Golden:
        name = f"twin-{next(_count)}"
        server = RealServer(quiet_cluster)
        _make_namespace(server, name)
        return normalised(script, run(server, script, name), name)

    return answered


def _make_namespace(server: Server, name: str) -> None:
    step = Step("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    (made,) = run(server, [step], name)
    assert made.status == 201, made.body
