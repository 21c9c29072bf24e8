"""When an object counts as ready: by having been made, by its conditions, or by an expression."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.kube.object import Object as View
from plumbline.managed.external import Managed

ReadyQuery: TypeAlias = Callable[[str, JsonObject], bool]
"""Evaluates a CEL expression over `object`. Raises BadExpression or EvaluationFailed with what is wrong with it."""


class Readiness(NamedTuple):
    ready: bool
    why: str = ""


_READY = Readiness(ready=True)


def readiness(managed: Managed, live: JsonObject, query: ReadyQuery | None) -> Readiness:
    said = View(managed.object).spec.get("readiness")
    said = said if isinstance(said, dict) else {}
    match said.get("policy") or "SuccessfulCreate":
        case "SuccessfulCreate":
            return _READY
        case "DeriveFromObject":
            return _derived(live)
        case "AllTrue":
            return _all_true(live)
        case "DeriveFromCelQuery":
            return _queried(str(said.get("celQuery") or ""), live, query)
        case other:
            return Readiness(ready=False, why=f"unknown readiness policy {other!r}")


def _derived(live: JsonObject) -> Readiness:
    condition = View(live).condition("Ready")
    if condition is None:
        return Readiness(ready=False, why="it has no condition Ready")
    return _READY if condition.status == "True" else Readiness(ready=False, why=condition.message or condition.reason)


def _all_true(live: JsonObject) -> Readiness:
    conditions = View(live).conditions
    if not conditions:
        return Readiness(ready=False, why="it has no conditions")
    wrong = [each.type for each in conditions if each.status != "True"]
    return Readiness(ready=False, why=f"not true: {', '.join(wrong)}") if wrong else _READY


def _queried(expression: str, live: JsonObject, query: ReadyQuery | None) -> Readiness:
    if not expression:
        return Readiness(ready=False, why="cel query cannot be empty")
    if query is None:
        return Readiness(ready=False, why="celQuery is not evaluated by this installation")
    try:
        return _READY if query(expression, live) else Readiness(ready=False, why="celQuery is not true")
    except PlumblineError as wrong:
        return Readiness(ready=False, why=f"celQuery: {wrong}")
