"""Functions of lists, maps, sets and optional values."""

from itertools import pairwise
from typing import Final

from plumbline.apiserver.cel.functions import Cost, Declared, effort, of_traversal
from plumbline.apiserver.cel.library.arithmetic import duration
from plumbline.apiserver.cel.times import Duration
from plumbline.apiserver.cel.types import Type
from plumbline.apiserver.cel.values import NONE, ORDER, Optional, Uint, Value, compared, equal, size_of
from plumbline.base.errors import EvaluationFailed

_ALLOCATED: Final = 11
_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_INT: Final = 2**63


def _sum(items: list[Value]) -> Value:
    total: Value = items[0]
    for each in items[1:]:
        total = total + each
    return total


def _int_sum(items: list[int]) -> int:
    total = sum(items)
    if not -_INT <= total < _INT:
        raise EvaluationFailed("integer overflow")
    return total


def _best(items: list[Value], name: str, sign: int) -> Value:
    if not items:
        raise EvaluationFailed(f"{name} called on empty list")
    best = items[0]
    for each in items[1:]:
        if compared(best, each) == sign:
            best = each
    return best


def _is_sorted(items: list[Value]) -> bool:
    return all(compared(left, right) <= 0 for left, right in pairwise(items))


def _index_of(items: list[Value], item: Value) -> int:
    return next((place for place, each in enumerate(items) if equal(each, item)), -1)


def _last_index_of(items: list[Value], item: Value) -> int:
    return next((place for place in range(len(items) - 1, -1, -1) if equal(items[place], item)), -1)


def _slice(items: list[Value], start: int, end: int) -> list[Value]:
    if start < 0 or end < 0:
        raise EvaluationFailed(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        said = "start index must be less than or equal to end index"
        raise EvaluationFailed(f"cannot slice({start}, {end}), {said}")
    if len(items) < end:
        raise EvaluationFailed(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flattened(items: list[Value], depth: int = 1) -> list[Value]:
    if depth < 0:
        raise EvaluationFailed("level must be non-negative")
    found: list[Value] = []
    for each in items:
        if isinstance(each, list) and depth:
            found += _flattened(each, depth - 1)
        else:
            found.append(each)
    return found


def _distinct(items: list[Value]) -> list[Value]:
    found: list[Value] = []
    for each in items:
        if not any(equal(each, other) for other in found):
            found.append(each)
    return found


def _sorted_by(items: list[Value], keys: list[Value]) -> list[Value]:
    if keys and any(type(key) is not type(keys[0]) for key in keys):
        raise EvaluationFailed("list elements must have the same type")
    return [each for _, each in sorted(zip(keys, items, strict=True), key=lambda pair: ORDER(pair[0]))]


def _of_reversing(args: tuple[Value, ...]) -> int:
    return len(args[0]) + _ALLOCATED


def _of_slicing(args: tuple[Value, ...]) -> int:
    return max(min(args[2], len(args[0])) - max(args[1], 0), 0) + _ALLOCATED


def _of_counting(args: tuple[Value, ...]) -> int:
    return max(args[0], 0) + _ALLOCATED


def _of_flattening(args: tuple[Value, ...]) -> int:
    return size_of(args[0]) * (args[1] if len(args) > 1 else 1) + _ALLOCATED + effort(args[0])


def _comparing(place: int) -> Cost:
    def cost(args: tuple[Value, ...]) -> int:
        items = args[place]
        factor = 2.1 if items and isinstance(items[0], str | bytes) else 2.0
        return int(len(items) * len(items) * factor) + _ALLOCATED + effort(items)

    return cost


def _sets(factor: int) -> Cost:
    return lambda args: len(args[0]) * len(args[1]) * factor + 1 + effort(*args)


def _holds_all(items: list[Value], wanted: list[Value]) -> bool:
    return all(any(equal(each, other) for other in items) for each in wanted)


LISTS: Final[tuple[Declared, ...]] = (
    *(("isSorted", f"list({kind}).() -> bool", _is_sorted, of_traversal) for kind in _COMPARABLE),
    *(
        ("max", f"list({kind}).() -> {kind}", lambda items: _best(items, "max", -1), of_traversal)
        for kind in _COMPARABLE
    ),
    *(
        ("min", f"list({kind}).() -> {kind}", lambda items: _best(items, "min", 1), of_traversal)
        for kind in _COMPARABLE
    ),
    ("sum", "list(int).() -> int", _int_sum, of_traversal),
    ("sum", "list(uint).() -> uint", lambda items: Uint(sum(items)), of_traversal),
    ("sum", "list(double).() -> double", lambda items: _sum([0.0, *items]), of_traversal),
    ("sum", "list(duration).() -> duration", lambda items: duration(_sum([Duration(0), *items])), of_traversal),
    ("indexOf", "list(A).(A) -> int", _index_of, of_traversal),
    ("lastIndexOf", "list(A).(A) -> int", _last_index_of, of_traversal),
    ("slice", "list(T).(int, int) -> list(T)", _slice, _of_slicing),
    ("flatten", "list(list(T)).() -> list(T)", _flattened, _of_flattening),
    ("flatten", "list(dyn).(int) -> list(dyn)", _flattened, _of_flattening),
    ("lists.range", "(int) -> list(int)", lambda count: list(range(count)), _of_counting),
    ("reverse", "list(T).() -> list(T)", lambda items: items[::-1], _of_reversing),
    ("distinct", "list(T).() -> list(T)", _distinct, _comparing(0)),
    *(
        ("sort", f"list({kind}).() -> list({kind})", lambda items: _sorted_by(items, items), _comparing(0))
        for kind in _COMPARABLE
    ),
    *(
        ("@sortByAssociatedKeys", f"list(T).(list({kind})) -> list(T)", _sorted_by, _comparing(1))
        for kind in _COMPARABLE
    ),
    ("sets.contains", "(list(T), list(T)) -> bool", _holds_all, _sets(1)),
    (
        "sets.equivalent",
        "(list(T), list(T)) -> bool",
        lambda left, right: _holds_all(left, right) and _holds_all(right, left),
        _sets(2),
    ),
    (
        "sets.intersects",
        "(list(T), list(T)) -> bool",
        lambda left, right: any(equal(each, other) for each in left for other in right),
        _sets(1),
    ),
    *(
        ("size", signature, len, None)
        for kind in ("bytes", "list(A)", "map(A, B)", "string")
        for signature in (f"({kind}) -> int", f"{kind}.() -> int")
    ),
)


def _value(optional: Optional) -> Value:
    if not optional.present:
        raise EvaluationFailed("optional.none() dereference")
    return optional.held


def _zero(value: Value) -> bool:
    if isinstance(value, Type):
        return False
    return value is None or (isinstance(value, bool | int | float | str | bytes | list | dict) and not value)


def _first(items: list[Value]) -> Optional:
    return Optional(items[0]) if items else NONE


def _last(items: list[Value]) -> Optional:
    return Optional(items[-1]) if items else NONE


OPTIONALS: Final[tuple[Declared, ...]] = (
    ("optional.of", "(V) -> optional(V)", Optional, None),
    ("optional.ofNonZeroValue", "(V) -> optional(V)", lambda value: NONE if _zero(value) else Optional(value), None),
    ("optional.none", "() -> optional(V)", lambda: NONE, None),
    ("value", "optional(V).() -> V", _value, None),
    ("hasValue", "optional(V).() -> bool", lambda optional: optional.present, None),
    ("or", "optional(V).(optional(V)) -> optional(V)", lambda *_args: None, None),
    ("orValue", "optional(V).(V) -> V", lambda *_args: None, None),
    (
        "optional.unwrap",
        "(list(optional(V))) -> list(V)",
        lambda items: [each.held for each in items if each.present],
        None,
    ),
    ("unwrapOpt", "list(optional(V)).() -> list(V)", lambda items: [each.held for each in items if each.present], None),
    ("first", "list(V).() -> optional(V)", _first, None),
    ("last", "list(V).() -> optional(V)", _last, None),
    ("_[?_]", "(list(V), int) -> optional(V)", lambda *_args: None, None),
    ("_[?_]", "(optional(list(V)), int) -> optional(V)", lambda *_args: None, None),
    ("_[?_]", "(map(K, V), K) -> optional(V)", lambda *_args: None, None),
    ("_[?_]", "(optional(map(K, V)), K) -> optional(V)", lambda *_args: None, None),
    ("_[_]", "(optional(list(V)), int) -> optional(V)", lambda *_args: None, None),
    ("_[_]", "(optional(map(K, V)), K) -> optional(V)", lambda *_args: None, None),
)
