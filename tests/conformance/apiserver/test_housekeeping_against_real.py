"""Garbage, namespaces, service accounts, their tokens and sums of roles end as with the real kube-controller-manager."""

import asyncio
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.apiserver.scripts import goldens
from tests.apiserver.scripts.normal import Normaliser
from tests.apiserver.scripts.ours import OurServer
from tests.apiserver.scripts.steps import Reply, Server
from tests.conformance.real import RealCluster

from plumbline.apiserver.authentication.keys import CompactToken, SigningKey
from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.base.virtualtime import LoopClock

from .keeping import STORIES, Story
from .twins import RealServer, Script, Step, run

pytestmark = pytest.mark.conformance

SPACES = {name: f"kept-{number}" for number, name in enumerate(STORIES)}
_QUIET_S = 2.0
_LONGEST_S = 40.0


@pytest.fixture(scope="module")
def kept_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster with its controllers, which would be in the way of other tests."""
    cluster = RealCluster(tmp_path_factory.mktemp("kept"))
    try:
        cluster.start()
        cluster.start_controllers()
        yield cluster
    finally:
        cluster.stop()


class OurHouse(OurServer):
    """Ours with its controllers; time goes on while somebody waits."""

    def __init__(self, key: SigningKey) -> None:
        super().__init__(lambda: Plane(LoopClock(), Ids(3), authority_pem="(authority)", key=key))
        self._over = self.run(self._begun())

    async def _begun(self) -> asyncio.Event:
        over = asyncio.Event()
        ready = asyncio.get_running_loop().create_future()

        async def live() -> None:
            async with self.plane.running():
                ready.set_result(None)
                await over.wait()

        self._life = asyncio.create_task(live())
        await ready
        return over

    def wait(self, for_s: float) -> None:
        self.run(asyncio.sleep(for_s))

    def close(self) -> None:
        async def end() -> None:
            self._over.set()
            await self._life

        self.run(end())
        super().close()


@pytest.fixture(scope="module")
def our_house(kept_cluster: RealCluster) -> Iterator[OurHouse]:
    """It signs with the same key, so that whole tokens can be compared."""
    house = OurHouse(SigningKey.from_pem((kept_cluster.folder / "sa.key").read_bytes()))
    yield house
    house.close()


@pytest.fixture(scope="module")
def their_ends(kept_cluster: RealCluster) -> dict[str, list[Json]]:
    """All stories at once: most of the time somebody waits for a controller to have nothing left to do."""
    real = RealServer(kept_cluster)

    def told(name: str) -> list[Json]:
        story, space = STORIES[name], SPACES[name]
        return _told(story, real, space, lambda: _settled(real, story, space))

    with ThreadPoolExecutor(len(STORIES)) as threads:
        return dict(zip(STORIES, threads.map(told, STORIES), strict=True))


@pytest.mark.parametrize("name", STORIES)
def test_both_houses_end_alike(their_ends: dict[str, list[Json]], our_house: OurHouse, name: str) -> None:
    ours = _told(STORIES[name], our_house, SPACES[name], lambda: our_house.wait(30))
    found: list[str] = []
    for number, (mine, theirs) in enumerate(zip(ours, their_ends[name], strict=True)):
        found.extend(f"after round {number}: {each}" for each in goldens.differences("", mine, theirs))
    assert not found, "\n".join(found)


def _told(story: Story, server: Server, space: str, wait: Callable[[], None]) -> list[Json]:
    """What is seen after each round."""
    _played(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": space}})], space, [])
    wait()
    past: list[Reply] = []
    seen: list[Json] = []
    normaliser = Normaliser(space)
    for script in story.rounds:
        _played(server, script, space, past)
        wait()
        seen.append({name: _shown(normaliser, server, path, space) for name, path in story.seen.items()})
    return seen


def _played(server: Server, script: Script, space: str, past: list[Reply]) -> None:
    for step in script:
        body = step.body(past) if callable(step.body) else step.body
        (reply,) = run(server, [Step(step.method, step.path, body, step.query, step.type)], space)
        past.append(reply)


def _shown(normaliser: Normaliser, server: Server, path: str, space: str) -> Json:
    (reply,) = run(server, [Step("GET", path)], space)
    return _essential(normaliser.value(_legible(reply.json)))


def _legible(value: Json) -> Json:
    """What tokens in Secrets say, in place of them: their signatures are never the same."""
    if isinstance(value, list):
        return [_legible(each) for each in value]
    if not isinstance(value, dict):
        return value
    told = {name: _legible(each) for name, each in value.items()}
    if isinstance(token := told.get("token"), str) and (parts := CompactToken.parse(b64decode(token).decode())):
        told["token"] = [parts.header.decode(), parts.payload.decode()]
    return told


_PASSING = frozenset({"managedFields", "resourceVersion", "uid", "creationTimestamp", "deletionTimestamp", "time"})

_FORGED = frozenset({"forged", "Zm9yZ2Vk"})


def _essential(value: Json) -> Json:
    """Without who wrote when, and with one certificate for all: what counts is what is there."""
    if isinstance(value, dict):
        kept: JsonObject = {name: _essential(each) for name, each in value.items() if name not in _PASSING}
        if kept.get("ca.crt", "forged") not in _FORGED:
            kept["ca.crt"] = "(authority)"
        return kept
    return [_essential(each) for each in value] if isinstance(value, list) else value


def _settled(server: Server, story: Story, space: str) -> None:
    """Until nothing has changed for a while."""
    until, quiet_since, last = time.monotonic() + _LONGEST_S, time.monotonic(), None
    while time.monotonic() < until:
        now = _looked_at(server, story.seen, space)
        if now != last:
            last, quiet_since = now, time.monotonic()
        elif time.monotonic() - quiet_since > _QUIET_S and not _unsettled(now):
            return
        time.sleep(0.1)


def _looked_at(server: Server, seen: Mapping[str, str], space: str) -> list[bytes]:
    return [reply.body for reply in run(server, [Step("GET", path) for path in seen.values()], space)]


def _unsettled(bodies: list[bytes]) -> bool:
    """A namespace that is going says what it waits for; when that is nothing, it is about to be gone."""
    if not any(b'"Terminating"' in body for body in bodies):
        return False
    return not any(b"NamespaceContentRemaining" in body for body in bodies) or any(
        b'"items":[]' in body for body in bodies
    )
