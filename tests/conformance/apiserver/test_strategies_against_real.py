"""Objects of every kind live on the real server as on ours, and what is recorded of it is what it answers.

`PLUMBLINE_RECORD=1` records anew. That ours gives the recorded answers is a test without a peer:
tests/apiserver/strategies/test_turns.py and tests/apiserver/admission/test_gates.py.
"""

import http.client
import itertools
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import pytest
from tests.apiserver.admission import gates
from tests.apiserver.scripts import goldens
from tests.apiserver.strategies import turns
from tests.apiserver.strategies.chance import without_chance
from tests.apiserver.strategies.lives import life, manifests
from tests.conformance.real import RealCluster

from plumbline.base.environment import environment
from plumbline.base.json import JsonObject, decode
from plumbline.kube.names import GroupVersionKind

from .twins import OurServer, Reply, Script, Server, Step, run

pytestmark = pytest.mark.conformance

OTHERS_WRITE = {
    "APIService": "the real server says whether it reaches them",
    "CustomResourceDefinition": "the real server establishes them",
    "FlowSchema": "the real server says whether they lead somewhere",
}
"""Kinds whose objects somebody in the real server itself changes at once: they are compared when created only."""
UNTRACKED = {
    "IPAddress": (".f:parentRef..",),
    "PriorityClass": (".f:value",),
    "StatefulSet": (".f:serviceName",),
    "ValidatingAdmissionPolicyBinding": (".f:validationActions..",),
}
"""Fields whose owner one of the two does not note: schemas do not tell what the server's types always write."""
OWNED_NOTHINGS = {
    "an-empty-list-is-none",
    "no-drivers",
    "no-limits",
    "nothing-behind",
    "zeros-of-a-volume-zeros-10",
}
"""Manifests that say nothing in so many words: the real server notes who said it, ours notes who said something."""

_count = itertools.count(1)


class SteadyServer:
    """A real server behind one connection: thousands of small requests would else be thousands of handshakes.

    It is given time to see what it has written before that is changed: a change begins with what its own cache holds, and where
    that is old begins again, after which the warnings of both are in the answer.
    """

    def __init__(self, cluster: RealCluster) -> None:
        where = urlsplit(cluster.url)
        self._versions: dict[str, str] = {}
        self._connection = http.client.HTTPSConnection(
            where.hostname or "", where.port, context=cluster.tls, timeout=20
        )

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        path = target.partition("?")[0]
        if method in {"PUT", "PATCH"} and (version := self._versions.get(path)):
            self._asked("GET", f"{path}?resourceVersion={version}", {"Accept": "application/json"}, b"")
        reply = self._asked(method, target, headers, body)
        if method in {"POST", "PUT", "PATCH"}:
            self._note(path if method != "POST" else "", path, reply)
        return reply

    def _note(self, written: str, collection: str, reply: Reply) -> None:
        """Which version of an object the server has written last."""
        try:
            metadata = decode(reply.body).get("metadata") or {}
        except (ValueError, AttributeError):
            return
        if version := metadata.get("resourceVersion"):
            self._versions[written or f"{collection}/{metadata.get('name')}"] = version

    def _asked(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        self._connection.request(method, target, body or None, dict(headers))
        answer = self._connection.getresponse()
        found: dict[str, tuple[str, ...]] = {}
        for name, value in answer.getheaders():
            found[name.lower()] = (*found.get(name.lower(), ()), value)
        return Reply(answer.status, found, answer.read())

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def quiet_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SteadyServer]:
    """Without controllers, which other tests may have started: what is there is what somebody wrote."""
    yield from _started(RealCluster(tmp_path_factory.mktemp("quiet")))


@pytest.fixture(scope="module")
def complete_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SteadyServer]:
    yield from _started(RealCluster(tmp_path_factory.mktemp("complete"), plugins="all"))


def _started(cluster: RealCluster) -> Iterator[SteadyServer]:
    try:
        cluster.start()
        server = SteadyServer(cluster)
        yield server
        server.close()
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def our_server() -> Iterator[OurServer]:
    server = OurServer()
    yield server
    server.close()


def _answered(server: Server, script: Script) -> goldens.Golden:
    name = f"life-{next(_count)}"
    (made,) = run(server, [Step("POST", "/api/v1/namespaces", {"metadata": {"name": name}})], name)
    assert made.status == 201, made.body
    return without_chance(script, run(server, script, name), name)


def _label(obj: JsonObject) -> str:
    name = obj["metadata"].get("name") or obj["metadata"]["generateName"]
    return f"{obj['kind']}.{GroupVersionKind.of(obj).version}:{name}"


@pytest.mark.parametrize("obj", [*manifests()], ids=_label)
def test_objects_live_as_on_the_real_server(quiet_server: SteadyServer, our_server: OurServer, obj: JsonObject) -> None:
    script = life(obj)[:1] if obj["kind"] in OTHERS_WRITE else life(obj)
    theirs, ours = _answered(quiet_server, script), _answered(our_server, script)
    excused = UNTRACKED.get(obj["kind"], ())
    if obj["metadata"].get("name") in OWNED_NOTHINGS:
        excused = (".managedFields",)
    found = goldens.disagreements(script, ours, theirs)
    unexpected = [each for each in found if not any(field in each for field in excused)]
    assert not unexpected, "\n".join(unexpected)


def _recorded(themes: Mapping[str, Mapping[str, Script]]) -> list[tuple[str, str]]:
    return [(theme, name) for theme, scripts in themes.items() for name in scripts]


def _check_record(server: SteadyServer, theme: str, name: str, script: Script) -> None:
    answered = _answered(server, script)
    if environment().get("PLUMBLINE_RECORD"):
        goldens.save(theme, {**goldens.load(theme), name: answered})
    found = goldens.disagreements(script, answered, goldens.load(theme)[name])
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("theme", "name"), _recorded({**turns.THEMES, **gates.THEMES}))
def test_the_real_server_answers_as_recorded(quiet_server: SteadyServer, theme: str, name: str) -> None:
    _check_record(quiet_server, theme, name, {**turns.THEMES, **gates.THEMES}[theme][name])


@pytest.mark.parametrize(("theme", "name"), _recorded(gates.COMPLETE_THEMES))
def test_the_real_server_answers_as_recorded_with_all_plugins(
    complete_server: SteadyServer, theme: str, name: str
) -> None:
    _check_record(complete_server, theme, name, gates.COMPLETE_THEMES[theme][name])
