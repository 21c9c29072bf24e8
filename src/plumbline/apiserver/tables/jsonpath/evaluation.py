"""Where a path leads in an object."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver.tables.jsonpath.nodes import (
    Choice,
    Descent,
    Field,
    Filter,
    Literal,
    Node,
    Path,
    Slice,
    Text,
    Wildcard,
    Word,
)
from plumbline.base.json import Json

_MOST_VALUES: Final = 100_000
"""Repeated `..` visit the same values again and again; nobody waits for a column that looks at more."""


class Astray(Exception):
    """A path that does not fit the object. `values` is what upstream has in hand at that point, and may go on with."""

    def __init__(self, values: list[Json]) -> None:
        super().__init__()
        self.values = values


def first_result(blocks: tuple[Path, ...], value: Json) -> tuple[Json, bool]:
    """The first value that the first block leads to, and whether there is one; a later block may spoil it."""
    try:
        results = [_walk([value], block) for block in blocks]
    except Astray:
        return None, False
    found = results[0] if results else []
    return (found[0], True) if found else (None, False)


def results(path: Path, value: Json) -> list[Json]:
    """Everything that *path* leads to; nothing where it does not fit."""
    try:
        return _walk([value], path)
    except Astray:
        return []


def _walk(values: list[Json], path: Path) -> list[Json]:
    for node in path:
        values = _apply(values, node)
        if len(values) > _MOST_VALUES:
            raise Astray([])
    return values


def _apply(values: list[Json], node: Node) -> list[Json]:
    match node:
        case Field(name):
            return [value[name] for value in values if isinstance(value, dict) and name in value]
        case Slice():
            return _elements(values, node)
        case Wildcard():
            return [child for value in values for child in _children(value)]
        case Descent():
            return _descendants(values)
        case Filter():
            return _filtered(values, node)
        case Choice(paths):
            return _chosen(values, paths)
        case Literal(value):
            return [value] * len(values)
        case Text(text):
            return [text]
        case Word():
            raise Astray(values)


def _children(value: Json) -> list[Json]:
    """Those of an object in the order of their keys; of a text its bytes, as numbers."""
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return value
    return list(map(str, value.encode(errors="replace"))) if isinstance(value, str) else []


def _descendants(values: list[Json]) -> list[Json]:
    """All that hold something, from the outside to the inside, each before its children."""
    found: list[Json] = []
    waiting = values[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found += [value] if value else []
            continue
        if children := _children(value):
            found.append(value)
            waiting.extend(reversed(children))
        if len(found) > _MOST_VALUES:
            raise Astray([])
    return found


def _elements(values: list[Json], node: Slice) -> list[Json]:
    found: list[Json] = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, list):
            raise Astray(values)
        start, end = _bounds(node, len(value))
        if start == end:
            return found
        if not (0 <= start < len(value) and 0 <= end <= len(value) and start <= end):
            raise Astray(values)
        if node.step is not None and node.step <= 0:
            raise Astray(values)
        found += value[start : end : node.step or 1]
    return found


def _bounds(node: Slice, length: int) -> tuple[int, int]:
    start = node.start or 0
    start += length if start < 0 else 0
    end = length if node.end is None else node.end
    end += length if end < 0 or (end == 0 and node.derived) else 0
    return start, end


def _chosen(values: list[Json], paths: tuple[Path, ...]) -> list[Json]:
    try:
        return [found for path in paths for found in _walk(values, path)]
    except Astray:
        raise Astray(values) from None


def _filtered(values: list[Json], node: Filter) -> list[Json]:
    found: list[Json] = []
    for value in values:
        if not isinstance(value, list):
            raise Astray(values)
        for item in value:
            try:
                passes = _passes(item, node)
            except Astray:
                raise Astray(values) from None
            found += [item] if passes else []
    return found


def _passes(item: Json, node: Filter) -> bool:
    if not node.operator:
        try:
            return bool(_walk([item], node.left))
        except Astray as astray:
            return bool(astray.values)
    left, right = _walk([item], node.left), _walk([item], node.right)
    if not left:
        return False
    if len(left) > 1 or len(right) > 1:
        raise Astray([])
    return bool(right) and _compared(left[0], node.operator, right[0])


_OPERATORS: Final[dict[str, Callable[[Json, Json], bool]]] = {
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
}
_COMPARABLE: Final = (bool, int, float, str)


def _compared(left: Json, operator: str, right: Json) -> bool:
    """Values of the same type only: not even 1 and 1.0 are."""
    compare = _OPERATORS.get(operator)
    ordered = operator not in {"==", "!="}
    if compare is None or type(left) not in _COMPARABLE or type(left) is not type(right):
        raise Astray([])
    if ordered and isinstance(left, bool):
        raise Astray([])
    if isinstance(left, str) and ordered:
        return compare(left.encode(errors="replace"), right.encode(errors="replace"))
    return compare(left, right)
