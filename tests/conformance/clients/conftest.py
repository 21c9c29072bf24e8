"""Our plane as its users have it, beside a real cluster with its controllers."""

import itertools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conformance.real import RealCluster, Spoken

from .plane import OurPlane
from .transcripts import Kubectl, Script, disagreements

_count = itertools.count(1)
_TRIES = 500
_PAUSE_S = 0.02

BothSay = Callable[[Script], None]


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OurPlane]:
    """One for the session, as `plumb up` starts it."""
    plane = OurPlane(tmp_path_factory.mktemp("plane"))
    plane.start()
    yield plane
    plane.stop()


@pytest.fixture
def own_plane(tmp_path: Path) -> Iterator[OurPlane]:
    """One of the test's own, which it may stop and start."""
    plane = OurPlane(tmp_path / "own-plane")
    plane.start()
    yield plane
    plane.stop()


@pytest.fixture
def space(plane: OurPlane) -> str:
    """A namespace of the test's own on our plane."""
    return made_namespace(plane, f"client-{next(_count)}")


@pytest.fixture(scope="module")
def shared_kubectl(plane: OurPlane, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """In a namespace of the module's own, for tests that only look."""
    return Kubectl(plane, tmp_path_factory.mktemp("kubectl"), made_namespace(plane, f"shared-{next(_count)}"))


@pytest.fixture
def kubectl(plane: OurPlane, space: str, tmp_path: Path) -> Kubectl:
    return Kubectl(plane, tmp_path / "kubectl", space)


@pytest.fixture
def both_say_the_same(real_controllers: RealCluster, plane: OurPlane, tmp_path: Path) -> BothSay:
    """Tells a script to both, each in a fresh namespace, and fails with what they disagree about."""

    def compare(script: Script) -> None:
        name = f"script-{next(_count)}"

        def spoken(cluster: RealCluster) -> list[Spoken]:
            kubectl = Kubectl(cluster, tmp_path / type(cluster).__name__, made_namespace(cluster, name))
            kubectl.write(script.files)
            return [said for step in script.steps for said in kubectl.say(step)]

        with ThreadPoolExecutor() as pool:
            theirs, ours = pool.map(spoken, (real_controllers, plane))
        found = disagreements(script, theirs, ours, name)
        if found:
            pytest.fail("\n".join(found), pytrace=False)

    return compare


def made_namespace(cluster: RealCluster, name: str) -> str:
    """With what controllers put into every namespace, so that no list depends on their haste."""
    created = cluster.post("/api/v1/namespaces", {"metadata": {"name": name}})
    assert created.status == 201, created.body
    for path in ("serviceaccounts/default", "configmaps/kube-root-ca.crt"):
        for _ in range(_TRIES):
            if cluster.get(f"/api/v1/namespaces/{name}/{path}").fine:
                break
            time.sleep(_PAUSE_S)
        else:
            raise AssertionError(f"{path} did not appear in {name}")
    return name
