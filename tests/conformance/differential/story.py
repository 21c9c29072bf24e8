"""A story: named writes to one object, each compared with the real server as it is told."""

from tests.conformance.real import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, RealCluster

from plumbline.base.json import Json, JsonObject

from .dice import Dice
from .oracle import Oracle, Verdict
from .subjects.subject import Subject
from .trail import Edit, edited


class Story:
    def __init__(self, server: RealCluster, subject: Subject, namespace: str, name: str = "hero") -> None:
        self.server = server
        self.subject = subject
        self.namespace = namespace
        self.name = name
        self.live: JsonObject | None = None
        self._oracles: dict[str, Oracle] = {}

    @property
    def whole(self) -> JsonObject:
        """The object as the server completes it, for a first write."""
        return self.subject.made(self.namespace, self.name, Dice(1))

    @property
    def identity(self) -> JsonObject:
        return self.subject.identity(self.namespace, self.name)

    @property
    def managers(self) -> list[str]:
        """Who owns something, as `name operation`, in the order of the record."""
        entries = (self.live or {})["metadata"].get("managedFields") or ()
        return [f"{entry['manager']} {entry['operation']}" for entry in entries]

    def fields(self, manager: str) -> JsonObject:
        """What `name operation` owns."""
        at = self.managers.index(manager)
        return (self.live or {})["metadata"]["managedFields"][at]["fieldsV1"]

    def complete(self, config: JsonObject) -> JsonObject:
        """*config* about this story's object."""
        identity = self.identity
        return {**config, **identity, "metadata": {**config.get("metadata", {}), **identity["metadata"]}}

    def create(self, body: JsonObject, by: str) -> Verdict:
        return self._told(self._oracle("").create(body, by), 201)

    def update(self, *edits: Edit, by: str, via: str = "") -> Verdict:
        live = self.live or {}
        return self._told(self._oracle(via).update(live, edited(live, list(edits)), by), 200)

    def merge(self, patch: Json, by: str, via: str = "") -> Verdict:
        return self._told(self._oracle(via).patch(self.live or {}, patch, MERGE_PATCH, by), 200)

    def json(self, patch: Json, by: str, via: str = "") -> Verdict:
        return self._told(self._oracle(via).patch(self.live or {}, patch, JSON_PATCH, by), 200)

    def strategic(self, patch: Json, by: str, via: str = "") -> Verdict:
        return self._told(self._oracle(via).patch(self.live or {}, patch, STRATEGIC_PATCH, by), 200)

    def apply(self, config: JsonObject, by: str, *, force: bool = False, via: str = "", status: int = 0) -> Verdict:
        """Apply *config*, in which identity is filled in, expecting success unless another *status* is named."""
        whole = self.complete(config)
        verdict = self._oracle(via).apply(self.live, whole, by, force=force)
        return self._told(verdict, status or (200 if self.live else 201))

    def say(self, config: JsonObject, by: str, *, force: bool = False) -> Verdict:
        """Apply *config*, whatever the server thinks of it."""
        verdict = self._oracle("").apply(self.live, self.complete(config), by, force=force)
        return self._told(verdict, verdict.answer.status)

    def _oracle(self, via: str) -> Oracle:
        if via not in self._oracles:
            self._oracles[via] = Oracle(self.server, self.subject, self.namespace, via)
        return self._oracles[via]

    def _told(self, verdict: Verdict, status: int) -> Verdict:
        assert verdict.answer.status == status, verdict.answer.body
        assert not verdict.wrong, "\n".join(verdict.wrong)
        if verdict.answer.fine:
            self.live = verdict.answer.body
        return verdict
