"""The same write to the real server and to our pure functions, and what they disagree about."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from operator import itemgetter

from tests.conformance.real import APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, Answer, RealCluster

from plumbline.base.clock import SystemClock, rfc3339
from plumbline.base.errors import FieldConflict, PlumblineError
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.patch import json_patch, merge_patch, strategic_patch
from plumbline.kube.schema import builtin_shape, crd_shape
from plumbline.kube.schema.shape import Shape

from .normaliser import compare, differences
from .subjects.subject import Subject


@dataclass
class Verdict:
    """What the server answered to one write, and where ours differs from that."""

    request: Json
    answer: Answer
    wrong: list[str] = field(default_factory=list)

    @property
    def refused(self) -> bool:
        """The server's validation, which the pure functions do not repeat, says no."""
        return self.answer.status == 422


def shape_of(subject: Subject) -> Shape:
    if subject.crd is not None:
        return crd_shape(subject.crd, subject.gvk.version)
    shape = builtin_shape(subject.gvk)
    assert shape is not None, subject.gvk
    return shape


class Oracle:
    """Writes of one kind, through its main resource or through a subresource."""

    def __init__(self, server: RealCluster, subject: Subject, namespace: str, subresource: str = "") -> None:
        self.server = server
        self.subject = subject
        self.subresource = subresource
        self.collection = subject.path(namespace)
        self.shape = shape_of(subject)
        self._clock = SystemClock()

    def create(self, body: JsonObject, manager: str) -> Verdict:
        def ours(at: str) -> JsonObject:
            return track_update(None, body, self._writer(manager, at)._replace(subresource=""), self.shape)

        return self._judge(body, lambda: self.server.post(self.collection, body, **_query(manager)), ours, created=True)

    def update(self, live: JsonObject, body: JsonObject, manager: str) -> Verdict:
        def ours(at: str) -> JsonObject:
            return track_update(live, body, self._writer(manager, at), self.shape)

        path = self._path(live)
        return self._judge(body, lambda: self.server.put(path, body, **_query(manager)), ours)

    def patch(self, live: JsonObject, patch: Json, how: str, manager: str) -> Verdict:
        def ours(at: str) -> JsonObject:
            return track_update(live, self.patched(live, patch, how), self._writer(manager, at), self.shape)

        path = self._path(live)
        return self._judge(patch, lambda: self.server.patch(path, patch, how, **_query(manager)), ours)

    def patched(self, live: JsonObject, patch: Json, how: str) -> JsonObject:
        if how == JSON_PATCH:
            return json_patch(live, patch)
        if how == MERGE_PATCH:
            return merge_patch(live, patch)
        assert how == STRATEGIC_PATCH
        return strategic_patch(live, patch, self.shape)

    def apply(self, live: JsonObject | None, config: JsonObject, manager: str, *, force: bool = False) -> Verdict:
        def ours(at: str) -> JsonObject:
            return apply(live, config, self._writer(manager, at), self.shape, force=force)

        path = self._path(config)
        query = {**_query(manager), "force": str(force).lower()}
        return self._judge(config, lambda: self.server.patch(path, config, APPLY, **query), ours, created=live is None)

    def _path(self, obj: JsonObject) -> str:
        path = f"{self.collection}/{obj['metadata']['name']}"
        return f"{path}/{self.subresource}" if self.subresource else path

    def _writer(self, manager: str, at: str) -> Writer:
        return Writer(manager, self.subject.gvk.api_version, at, self.subresource)

    def _judge(
        self, request: Json, ask: Callable[[], Answer], ours: Callable[[str], JsonObject], *, created: bool = False
    ) -> Verdict:
        before = self._clock.now().replace(microsecond=0)
        answer = ask()
        after = self._clock.now()
        # Both run on one machine: the server's second lies between these two, which mostly are the same.
        wrong = _disagreement(answer, ours, rfc3339(before), created=created)
        while wrong and (before := before + timedelta(seconds=1)) <= after:
            wrong = _disagreement(answer, ours, rfc3339(before), created=created)
        return Verdict(request, answer, wrong)


def _query(manager: str) -> dict[str, str]:
    return {"fieldManager": manager, "fieldValidation": "Strict"}


def _disagreement(answer: Answer, ours: Callable[[str], JsonObject], at: str, *, created: bool) -> list[str]:
    if answer.status == 422:
        return []
    try:
        made = ours(at)
    except FieldConflict as error:
        return _conflict_differences(answer, error)
    except PlumblineError as error:
        return [] if answer.status >= 400 else [f"ours refused ({type(error).__name__}): {error}"]
    except Exception as error:  # noqa: BLE001 - a crash of ours is a finding; the request stands beside it
        return [f"ours crashed ({type(error).__name__}): {error}"]
    if not answer.fine:
        return [f"the server refused, ours did not: {answer.status} {answer.body.get('message')}"]
    wrong = [f"object {one}" for one in differences(made, answer.body, created=created)]
    found = []
    mine, theirs = (obj["metadata"].get("managedFields") for obj in (made, answer.body))
    compare("managedFields", mine, theirs, found)
    return wrong + [str(one) for one in found]


def _conflict_differences(answer: Answer, error: FieldConflict) -> list[str]:
    if answer.status != 409:
        return [f"ours has a conflict, the server has none: {error}"]
    theirs = answer.body
    found = []
    compare("message", str(error), theirs["message"], found)
    causes = [{"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in error.causes]
    # The server walks a hash map of managers: only the causes of one manager have an order.
    mine, others = (sorted(each, key=itemgetter("message")) for each in (causes, theirs["details"]["causes"]))
    compare("causes", mine, others, found)
    return [str(one) for one in found]
