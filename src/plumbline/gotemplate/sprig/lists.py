"""Lists. Each function has a twin with `must` before its name, which complains in the same words."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.sprig.conversions import elements, same, whole
from plumbline.gotemplate.values import Failed, Function, Invalid, Value, function, kind_of, truth


def _pushed(items: Value, value: Value) -> list[Value]:
    return [*elements(items, "push on"), value]


def _prepended(items: Value, value: Value) -> list[Value]:
    return [value, *elements(items, "prepend on")]


def _first(items: Value) -> Value:
    return next(iter(elements(items, "find first on")), None)


def _last(items: Value) -> Value:
    found = elements(items, "find last on")
    return found[-1] if found else None


def _rest(items: Value) -> list[Value]:
    return elements(items, "find rest on")[1:]


def _initial(items: Value) -> list[Value]:
    return elements(items, "find initial on")[:-1]


def _reversed(items: Value) -> list[Value]:
    return elements(items, "find reverse on")[::-1]


def _compact(items: Value) -> list[Value]:
    return [each for each in elements(items, "compact on") if truth(each)]


@budgeted
def _unique(budget: Budget, items: Value) -> list[Value]:
    found: list[Value] = []
    for each in elements(items, "find uniq on"):
        budget.step(len(found))
        if not any(same(each, known) for known in found):
            found.append(each)
    return found


@budgeted
def _without(budget: Budget, items: Value, *omitted: Value) -> list[Value]:
    found = elements(items, "find without on")
    budget.step(len(found) * len(omitted))
    return [each for each in found if not any(same(each, other) for other in omitted)]


def _has(needle: Value, items: Value) -> bool:
    if items is None or isinstance(items, Invalid):
        return False
    return any(same(needle, each) for each in elements(items, "find has on"))


def _sliced(items: Value, *indexes: Value) -> list[Value]:
    if not isinstance(items, list | tuple):
        raise Failed(f"list should be type of slice or array but {kind_of(items)}")
    begin = whole(indexes[0]) if indexes else 0
    end = whole(indexes[1]) if len(indexes) > 1 else len(items)
    if not items:
        return []
    if not 0 <= begin <= end <= len(items):
        raise Failed("reflect.Value.Slice: slice index out of bounds")
    return type(items)(items[begin:end]) if isinstance(items, list) else list(items[begin:end])


@budgeted
def _concatenated(budget: Budget, *lists: Value) -> list[Value]:
    found: list[Value] = []
    for each in lists:
        if not isinstance(each, list | tuple):
            raise Failed(f"Cannot concat type {kind_of(each)} as list")
        budget.hold(len(found) + len(each))
        found.extend(each)
    return found


def _chunks(size: int, items: Value) -> list[Value]:
    found = elements(items, "chunk")
    if size <= 0:
        raise Failed("runtime error: makeslice: len out of range")
    return [found[at : at + size] for at in range(0, len(found), size)]


_TWINS: Final[Mapping[str, tuple[str, Callable[..., Value]]]] = {
    "append": ("any any", _pushed),
    "chunk": ("int any", _chunks),
    "compact": ("any", _compact),
    "first": ("any", _first),
    "has": ("any any", _has),
    "initial": ("any", _initial),
    "last": ("any", _last),
    "prepend": ("any any", _prepended),
    "push": ("any any", _pushed),
    "rest": ("any", _rest),
    "reverse": ("any", _reversed),
    "slice": ("any ...any", _sliced),
    "uniq": ("any", _unique),
    "without": ("any ...any", _without),
}

FUNCTIONS: Final[Mapping[str, Function]] = {
    **{name: function(*made) for name, made in _TWINS.items()},
    **{f"must{name[0].upper()}{name[1:]}": function(*made) for name, made in _TWINS.items()},
    "concat": function("...any", _concatenated),
    "list": function("...any", lambda *values: list(values)),
    "tuple": function("...any", lambda *values: list(values)),
}
