"""client-go's informers, typed, dynamic and of metadata alone: lists by watching, events, and a plane that goes away."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.conformance.real import programs

from plumbline.base.json import JsonObject, decode

from .plane import OurPlane
from .processes import beside

pytestmark = pytest.mark.conformance

KINDS = ("typed", "dynamic", "metadata")


class Informers:
    """The three informers of one program, and everything that they said so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.said: list[JsonObject] = []

    def until(self, what: str, *, name: str | None = None) -> list[JsonObject]:
        """What all three say of *what* next, in the order typed, dynamic, metadata."""
        found: dict[str, JsonObject] = {}
        while len(found) < len(KINDS):
            line = self._next()
            fresh = line["what"] != "updated" or line["old"] != line["version"]
            if line["what"] == what and fresh and (name is None or line["name"] == name):
                found.setdefault(line["of"], line)
        return [found[of] for of in KINDS]

    def _next(self) -> JsonObject:
        text = self._process.stdout.readline()
        assert text, "the informer ended"
        self.said.append(decode(text))
        return self.said[-1]

    def holds(self) -> list[str]:
        """The names in the stores, which are the same in all three."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        first, second, third = (line["names"] for line in self.until("holds"))
        assert first == second == third
        return [key.partition("/")[2] for key in first]

    def requests(self, of: str) -> list[JsonObject]:
        return [line for line in self.said if line["what"] == "request" and line["of"] == of]


@contextmanager
def informers(plane: OurPlane, namespace: str) -> Iterator[Informers]:
    argv = [str(programs() / "informer"), "--kubeconfig", str(plane.kubeconfig), "--namespace", namespace]
    with beside(argv, folder=plane.folder, environment={}, errors=subprocess.DEVNULL) as process:
        found = Informers(process)
        while [line["what"] for line in found.said].count("synced") < len(KINDS):
            found._next()
        yield found


def config(name: str, **data: str) -> JsonObject:
    return {"metadata": {"name": name}, "data": data}


def test_stores_follow_every_change(plane: OurPlane, space: str):
    path = f"/api/v1/namespaces/{space}/configmaps"
    plane.post(path, config("before"))
    with informers(plane, space) as told:
        assert told.holds() == ["before", "kube-root-ca.crt"]
        created = plane.post(path, config("new", a="1")).body["metadata"]["resourceVersion"]
        assert [each["version"] for each in told.until("added", name="new")] == [created] * 3
        updated = plane.put(f"{path}/new", config("new", a="2")).body["metadata"]["resourceVersion"]
        seen = told.until("updated", name="new")
        assert [(each["old"], each["version"]) for each in seen] == [(created, updated)] * 3
        plane.send("DELETE", f"{path}/new")
        gone = told.until("deleted", name="new")
        assert all(int(each["version"]) > int(updated) for each in gone)
        assert told.holds() == ["before", "kube-root-ca.crt"]


def test_the_first_list_is_a_watch_with_initial_events_and_no_fallback(plane: OurPlane, space: str):
    with informers(plane, space) as told:
        for of in KINDS:
            (only,) = told.requests(of)
            assert "sendInitialEvents=true" in only["query"]
            assert "allowWatchBookmarks=true" in only["query"]
            assert only["status"] == 200
        assert "application/vnd.kubernetes.protobuf" in told.requests("typed")[0]["accept"]
        assert "PartialObjectMetadata" in told.requests("metadata")[0]["accept"]


def test_a_plane_that_was_away_is_caught_up_with(own_plane: OurPlane):
    path = "/api/v1/namespaces/default/configmaps"
    own_plane.post(path, config("stays"))
    own_plane.post(path, config("changes"))
    own_plane.post(path, config("goes"))
    with informers(own_plane, "default") as told:
        with own_plane.away():
            before = len(told.said)
        own_plane.patch(f"{path}/changes", {"data": {"a": "b"}}, "application/merge-patch+json")
        own_plane.send("DELETE", f"{path}/goes")
        own_plane.post(path, config("comes"))
        told.until("added", name="comes")
        assert told.holds() == ["changes", "comes", "kube-root-ca.crt", "stays"]
        later = [
            (each["what"], each["name"]) for each in told.said[before:] if each["of"] == "typed" and "name" in each
        ]
        assert ("deleted", "goes") in later
        assert ("added", "stays") not in later, "what was known is not new"


def test_nothing_is_missed_between_a_flood_and_its_end(plane: OurPlane, space: str):
    path = f"/api/v1/namespaces/{space}/configmaps"
    with informers(plane, space) as told:
        for number in range(300):
            plane.post(path, config(f"flood-{number:03}"))
        plane.send("DELETE", path, labelSelector="", fieldSelector="metadata.name!=kube-root-ca.crt")
        plane.post(path, config("last"))
        told.until("added", name="last")
        assert set(told.holds()) == {"kube-root-ca.crt", "last"}
        for of in KINDS:
            heard = [each for each in told.said if each["of"] == of and each.get("name", "").startswith("flood")]
            assert [each["what"] for each in heard].count("added") == 300
            assert [each["what"] for each in heard].count("deleted") == 300
            versions = [int(each["version"]) for each in heard]
            assert versions == sorted(versions), "events come in the order in which they happened"
