"""Broken manifests of every kind but the workloads, sent to the real server: its complaints must be ours, word for word.

With PLUMBLINE_RECORD set, what it says is recorded for the unit tests, which then need no server.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.apiserver.validation.casebook import (
    NAMESPACE,
    RESOURCES,
    Case,
    cases,
    changed,
    complaints,
    record,
    recorded,
    sent,
)
from tests.conformance.real import Answer, RealCluster

from plumbline.base.environment import environment
from plumbline.base.json import JsonObject

pytestmark = pytest.mark.conformance

_REQUESTS_AT_ONCE = 4


class _Connection(RealCluster):
    def close(self) -> None:
        if self._connection:
            self._connection.close()


class _Server:
    """One connection per thread to one server, and the objects that updates start from."""

    def __init__(self, cluster: RealCluster) -> None:
        self._folder = cluster.folder
        self._own = threading.local()
        self._connections: list[_Connection] = []

    @property
    def connection(self) -> _Connection:
        if not hasattr(self._own, "connection"):
            self._own.connection = _Connection(self._folder)
            self._connections.append(self._own.connection)
        return self._own.connection

    def close(self) -> None:
        for each in self._connections:
            each.close()

    def establish(self, case: Case) -> None:
        """See that the base of *case* is there."""
        if case.live:
            return
        made = self.connection.post(_collection(case), case.manifest)
        assert made.status == 201, (case.id, made.body)
        if "status" in case.manifest:
            path = f"{_collection(case)}/{made.body['metadata']['name']}/{case.through}"
            answer = self.connection.put(path, {**made.body, "status": case.manifest["status"]})
            assert answer.status == 200, (case.id, answer.body)

    def answer(self, case: Case) -> tuple[JsonObject, JsonObject | None, Answer]:
        """What was sent, what was there before, what the server says."""
        if case.verb == "create":
            new = sent(case)
            return new, None, self.connection.post(_collection(case), new, dryRun="All")
        path = f"{_collection(case)}/{case.manifest['metadata']['name']}"
        old = self.connection.get(path).body
        new = changed(old, case.changes)
        where = path if case.verb == "update" else f"{path}/{case.verb}"
        return new, old, self.connection.put(where, new, dryRun="All")


def _collection(case: Case) -> str:
    resource = RESOURCES[case.gvk]
    inside = f"/namespaces/{NAMESPACE}" if resource.namespaced else ""
    return f"{resource.name.root}{inside}/{resource.plural}"


def _causes(answer: Answer) -> list[list[str]]:
    if answer.fine:
        return []
    assert answer.status == 422, answer.body
    causes = answer.body["details"].get("causes", [])
    return [[each["reason"], each.get("field", ""), each["message"]] for each in causes]


def _compared(server: _Server, case: Case) -> tuple[list[list[str]], list[list[str]]]:
    new, old, answer = server.answer(case)
    ours = [list(error) for error in complaints(case, new, old)]
    theirs = _causes(answer)
    return (sorted(ours), sorted(theirs)) if case.loose else (ours, theirs)


@pytest.fixture
def server(own_cluster):
    """A server of the test's own: nodes, classes and policies stay behind on it."""
    server = _Server(own_cluster)
    answer = server.connection.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    assert answer.status == 201, answer.body
    yield server
    server.close()


def test_complaints_are_those_of_the_real_server(server):
    creations = [case for case in cases() if case.verb == "create"]
    updates = [case for case in cases() if case.verb != "create"]
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE) as threads:
        # Creations come first: their names and ports are free as long as no base is there.
        compared = list(threads.map(lambda case: _compared(server, case), creations))
        list(threads.map(server.establish, {(case.file, case.base): case for case in updates}.values()))
        compared += threads.map(lambda case: _compared(server, case), updates)
    ids = [case.id for case in creations + updates]
    ours, theirs = ({id_: pair[side] for id_, pair in zip(ids, compared, strict=True)} for side in (0, 1))
    if environment().get("PLUMBLINE_RECORD"):
        record(theirs)
    assert ours == theirs
    assert theirs == recorded()
