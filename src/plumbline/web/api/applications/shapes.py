"""Applications as Argo CD's API gives them: whoever reads a field of the status finds it there. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.json import Json, JsonObject

_OF_ROWS: Final = frozenset({
    "metadata.name", "metadata.namespace", "metadata.labels", "metadata.creationTimestamp",
    "metadata.deletionTimestamp", "spec.destination", "spec.project", "status.sync.status", "status.sync.revision",
    "status.operationState.startedAt", "status.operationState.finishedAt", "status.operationState.phase",
})  # fmt: skip
"""What rows have in full."""
FIELDS: Final = (
    *sorted(_OF_ROWS), "metadata.annotations", "spec", "spec.source", "spec.sources", "spec.sourceHydrator",
    "spec.syncPolicy", "status.sourceHydrator", "status.summary", "status.health", "status.resources",
    "operation.sync", "status.operationState.operation.sync",
)  # fmt: skip
"""All that a list can be narrowed to."""
_ITEMS: Final = "items."
_NOTHING: Final[JsonObject] = {"destination": {}, "source": {"repoURL": ""}}
_MARKS: Final = frozenset({"status.operationState.operation.sync"})
"""Of these only that they are there is told."""


def complete(app: JsonObject) -> JsonObject:
    """*app* with the parts of a status that nobody has written yet."""
    status = app.get("status") or {}
    sync = status.get("sync") or {}
    whole = {
        **status,
        "health": status.get("health") or {},
        "sync": {"status": "", **sync, "comparedTo": sync.get("comparedTo") or _NOTHING},
        "summary": status.get("summary") or {},
        "sourceHydrator": status.get("sourceHydrator") or {},
        "controllerNamespace": status.get("controllerNamespace") or "",
    }
    return {**app, "status": {name: value for name, value in whole.items() if value != ""}}


class Narrowed:
    """`fields` of a list: `items.metadata.name,items.spec`, or with `-` before them all others."""

    def __init__(self, text: str) -> None:
        named = text.removeprefix("-").split(",")
        asked = {each.removeprefix(_ITEMS) for each in named if each.startswith(_ITEMS)}
        exclude = text.startswith("-")
        self.fields = tuple(each for each in FIELDS if (each in asked) is not exclude)
        self.of_rows = _OF_ROWS.issuperset(self.fields)
        """Whether rows know all of it."""

    def of(self, app: JsonObject) -> JsonObject:
        told: JsonObject = {}
        for field in self.fields:
            found = _at(app, field.split("."))
            if found is not None:
                _put(told, field.split("."), {} if field in _MARKS else found)
        return told


def narrowed(value: Json, text: str) -> Json:
    """`fields` of anything else: what a named path begins with or leads through, or with `-` before them all but those."""
    named = frozenset(text.removeprefix("-").split(","))
    return _kept(value, "", named, exclude=text.startswith("-"))


def _kept(value: Json, path: str, named: frozenset[str], *, exclude: bool) -> Json:
    if isinstance(value, list):
        return [_kept(each, path, named, exclude=exclude) for each in value]
    if not isinstance(value, dict):
        return value
    found: JsonObject = {}
    for key, below in value.items():
        at = f"{path}.{key}" if path else key
        if at in named:
            if not exclude:
                found[key] = below
        elif exclude or any(each.startswith(at) for each in named):
            found[key] = _kept(below, at, named, exclude=exclude)
    return found


def _at(app: Json, path: Iterable[str]) -> Json:
    for part in path:
        if not isinstance(app, Mapping):
            return None
        app = app.get(part)
    return app


def _put(told: JsonObject, path: list[str], value: Json) -> None:
    for part in path[:-1]:
        below = told.get(part)
        if not isinstance(below, dict):
            below = told[part] = {}
        told = below
    known = told.get(path[-1])
    told[path[-1]] = {**value, **known} if isinstance(known, dict) and isinstance(value, dict) else value
