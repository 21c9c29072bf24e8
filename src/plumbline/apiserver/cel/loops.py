"""Macros that go through lists and maps, each as one loop.

What a turn costs is what the language's own expansion of the macro would cost.
"""

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from plumbline.apiserver.cel.running import Constant, Run, Step
from plumbline.apiserver.cel.syntax import Expr, Fold
from plumbline.apiserver.cel.values import Value, type_name
from plumbline.base.errors import EvaluationFailed

_APPEND_COST: Final = 12
_CONSTANT_COST: Final = 2
_INSERT_COST: Final = 2

_GO_TYPES: Final = {
    "null_type": "Null",
    "google.protobuf.Timestamp": "Timestamp",
    "google.protobuf.Duration": "Duration",
}

Turns = Callable[[Run], Iterable[None]]
"""Puts the next item into the variables of a loop, again and again."""


class Plans(Protocol):
    """The part of the planner that loops need."""

    def plan(self, expr: Expr) -> Step: ...

    def slot(self, name: str) -> int: ...

    def forget(self, count: int = 1) -> None: ...


def planned_fold(fold: Fold, plans: Plans) -> Step:
    items = plans.plan(fold.range)
    first = plans.slot(fold.first)
    second = plans.slot(fold.second) if fold.second else -1
    predicate = plans.plan(fold.predicate) if fold.predicate is not None else None
    transform = plans.plan(fold.transform) if fold.transform is not None else None
    plans.forget(2 if fold.second else 1)
    turns = _turns(items, first, second)
    if predicate is not None and fold.kind in {"all", "exists"}:
        return _quantified(turns, predicate, decisive=fold.kind == "exists")
    if predicate is not None and fold.kind == "exists_one":
        return _exactly_one(turns, predicate)
    if fold.kind == "filter":
        return _listed(turns, predicate, _read(first))
    if transform is None:
        raise EvaluationFailed(f"{fold.kind} has nothing to make")
    if fold.kind == "map_values":
        return _mapped(turns, predicate, _pair(_read(first), transform))
    if fold.kind == "map_entries":
        return _mapped(turns, predicate, transform)
    return _listed(turns, predicate, transform)


def _read(slot: int) -> Step:
    def read(run: Run) -> Value:
        run.cost += 1
        return run.slots[slot]

    return read


def _pair(key: Step, value: Step) -> Step:
    return lambda run: {key(run): value(run)}


def _not_iterable(value: Value, second: int) -> EvaluationFailed:
    if second >= 0:
        return EvaluationFailed(f"unsupported comprehension range type: {_go_type(value)}")
    return EvaluationFailed(f"got '{_go_type(value)}', expected iterable type")


def _turns(items: Step, first: int, second: int) -> Turns:
    def turns(run: Run) -> Iterable[None]:
        value = items(run)
        slots = run.slots
        if isinstance(value, dict):
            for key in value:
                slots[first] = key
                if second >= 0:
                    slots[second] = value[key]
                yield
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if second >= 0:
                    slots[first], slots[second] = index, item
                else:
                    slots[first] = item
                yield
        else:
            raise _not_iterable(value, second)

    return turns


def _go_type(value: Value) -> str:
    kind = type_name(value)
    return f"types.{_GO_TYPES.get(kind, kind.capitalize())}"


def _quantified(turns: Turns, predicate: Step, *, decisive: bool) -> Step:
    """One decisive turn decides, and turns that fail are forgiven then."""
    look_cost = 3 if decisive else 2

    def quantified(run: Run) -> bool:
        failure: EvaluationFailed | None = None
        decided = False
        run.cost += 1
        for _ in turns(run):
            run.spend(look_cost)
            if decided:
                return decisive
            run.cost += 1
            try:
                value = predicate(run)
            except EvaluationFailed as failed:
                failure = failure or failed
                continue
            if value is decisive:
                decided = True
            elif not isinstance(value, bool):
                failure = failure or EvaluationFailed("no such overload")
        if decided:
            return decisive
        if failure is not None:
            raise failure
        return not decisive

    return quantified


def _exactly_one(turns: Turns, predicate: Step) -> Step:
    def exactly_one(run: Run) -> bool:
        count = 0
        for _ in turns(run):
            decided = _decided(predicate, run)
            run.spend(2 * decided)
            count += decided
        run.cost += 2
        return count == 1

    return exactly_one


def _decided(predicate: Step, run: Run) -> bool:
    value = predicate(run)
    if isinstance(value, bool):
        return value
    raise EvaluationFailed("no such overload")


def _listed(turns: Turns, predicate: Step | None, transform: Step) -> Step:
    cost = _CONSTANT_COST if isinstance(transform, Constant) else _APPEND_COST

    def listed(run: Run) -> list[Value]:
        run.cost += 1
        made: list[Value] = []
        for _ in turns(run):
            if predicate is None or _decided(predicate, run):
                run.spend(cost)
                made.append(transform(run))
        return made

    return listed


def _mapped(turns: Turns, predicate: Step | None, entries: Step) -> Step:
    def mapped(run: Run) -> dict[Value, Value]:
        run.cost += 1
        made: dict[Value, Value] = {}
        for _ in turns(run):
            if predicate is not None and not _decided(predicate, run):
                continue
            run.spend(_INSERT_COST)
            for key, value in entries(run).items():
                if key in made:
                    raise EvaluationFailed(f"insert failed: key {key} already exists")
                made[key] = value
        return made

    return mapped
