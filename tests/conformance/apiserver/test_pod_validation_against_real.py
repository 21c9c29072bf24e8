"""Pods, workloads and jobs that are broken in one way each: the real server and ours have the same to say, word by word."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.apiserver.validation.broken import CASES
from tests.apiserver.validation.broken.asking import (
    Base,
    body,
    collection,
    our_answer,
    stored_base,
    target,
    their_answer,
)
from tests.apiserver.validation.broken.bases import BASES, LATER
from tests.conformance.real import RealCluster

from plumbline.base.environment import environment
from plumbline.base.json import encode

pytestmark = pytest.mark.conformance

RECORD = Path(__file__).parents[2] / "apiserver" / "validation" / "broken" / "recorded.json"
_THREADS = 4


class _Server:
    """The real server, asked by several threads at once."""

    def __init__(self, cluster):
        self._folder = cluster.folder
        self._own = threading.local()
        self._opened = []

    def send(self, method, path, sent, **query):
        if not hasattr(self._own, "cluster"):
            self._own.cluster = RealCluster(self._folder)
            self._opened.append(self._own.cluster)
        return self._own.cluster.send(method, path, sent, **query).body

    def close(self):
        for cluster in self._opened:
            cluster._connection.close()


@pytest.fixture(scope="module")
def answers(real_cluster):
    """Every case with what the real server says to it and what we say."""
    for space in ("broken", "new"):
        assert real_cluster.post("/api/v1/namespaces", {"metadata": {"name": space}}).fine
    server = _Server(real_cluster)
    bases = {name: _based(server, manifest, LATER.get(name)) for name, manifest in BASES.items()}

    def asked(case):
        base = bases[case.base]
        method, path = target(case, base)
        return case, their_answer(server.send(method, path, body(case, base), dryRun="All")), our_answer(case, base)

    with ThreadPoolExecutor(_THREADS) as pool:
        found = list(pool.map(asked, CASES))
    server.close()
    if environment().get("PLUMBLINE_RECORD"):
        _record(bases, found)
    return found


def _based(server, manifest, step):
    fresh = server.send("POST", collection(manifest["kind"], "new"), manifest, dryRun="All")
    stored = stored_base(server.send, manifest, step, "broken")
    assert stored["kind"] == manifest["kind"], stored
    return Base(fresh, stored)


def _record(bases, found):
    held = {
        "bases": {name: base._asdict() for name, base in bases.items()},
        "answers": {case.key: theirs for case, theirs, _ in found},
    }
    parts = (f"{encode(name).decode()}: {{\n{_lines(part)}\n}}" for name, part in held.items())
    RECORD.write_text("{" + ",\n".join(parts) + "}\n")


def _lines(part):
    return ",\n".join(f"{encode(key).decode()}: {encode(value).decode()}" for key, value in part.items())


def test_the_real_server_and_ours_answer_the_same(answers):
    differing = {case.key: (theirs, ours) for case, theirs, ours in answers if theirs != ours}
    assert differing == {}


def test_most_cases_are_refused(answers):
    assert sum(bool(theirs) for _, theirs, _ in answers) > 600


def test_every_case_has_a_name_of_its_own():
    assert len({case.key for case in CASES}) == len(CASES)
