"""Values while an expression is evaluated, and how they compare.

Most are Python's own: bool, int, float, str, bytes, None, list, dict. Those that Python does not tell apart have
classes. Objects are dicts: their fields are known to the checker, not to the value.
"""

from collections.abc import Callable
from functools import cmp_to_key
from math import ceil
from typing import Any, Final

from plumbline.apiserver.cel.addresses import Network
from plumbline.apiserver.cel.semver import Semver
from plumbline.apiserver.cel.times import Duration, Timestamp
from plumbline.apiserver.cel.types import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    DYN,
    FORMAT,
    INT,
    IP,
    NULL,
    QUANTITY,
    SEMVER,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    URL,
    Type,
    list_of,
    map_of,
    optional_of,
)
from plumbline.apiserver.cel.urls import Url
from plumbline.base.errors import EvaluationFailed
from plumbline.kube.quantity import Quantity

Value = Any
"""Whatever an expression may come to."""


class Uint(int):
    """An integer without a sign."""

    __slots__ = ()


class Optional:
    __slots__ = ("held", "present")

    def __init__(self, held: Value = None, *, present: bool = True) -> None:
        self.held = held
        self.present = present


NONE: Final = Optional(present=False)


class SetList(list[Value]):
    """A list in which order means nothing; adding to it keeps each item once."""

    __slots__ = ()


class MapList(list[Value]):
    """A list of objects told apart by `keys`; adding to it replaces those that are there."""

    __slots__ = ("keys",)

    def __init__(self, items: list[Value], keys: tuple[str, ...]) -> None:
        super().__init__(items)
        self.keys = keys

    def key_of(self, item: Value) -> tuple[Value, ...]:
        return tuple(item.get(name) for name in self.keys) if isinstance(item, dict) else ()


class NamedFormat:
    """A format by name: `faults` says what is wrong with a text."""

    __slots__ = ("faults", "name", "size")

    def __init__(self, name: str, faults: Callable[[str], list[str]], size: int) -> None:
        self.name = name
        self.faults = faults
        self.size = size


_TYPES: Final[dict[type, Type]] = {
    bool: BOOL, int: INT, Uint: UINT, float: DOUBLE, str: STRING, bytes: BYTES, type(None): NULL, Timestamp: TIMESTAMP,
    Duration: DURATION, Type: TYPE, Quantity: QUANTITY, Url: URL, Network: CIDR, Semver: SEMVER, NamedFormat: FORMAT,
}  # fmt: skip
_LIST: Final = list_of(DYN)
_MAP: Final = map_of(DYN, DYN)
_OPTIONAL: Final = optional_of(DYN)


def type_of_value(value: Value) -> Type:
    known = _TYPES.get(type(value))
    if known is not None:
        return known
    if isinstance(value, list):
        return _LIST
    if isinstance(value, dict):
        return _MAP
    return _OPTIONAL if isinstance(value, Optional) else IP


def type_name(value: Value) -> str:
    """As messages about types at run time call it."""
    kind = type_of_value(value)
    return {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration", "null": "null_type"}.get(
        kind.kind, kind.name or kind.kind
    )


_NUMBERS: Final = frozenset((int, Uint, float))


def equal(left: Value, right: Value) -> bool:
    """Numbers are equal across types; otherwise values of different types never are."""
    kind = type(left)
    if kind in _NUMBERS:
        return type(right) in _NUMBERS and bool(left == right)
    if isinstance(left, list):
        return isinstance(right, list) and _lists_equal(left, right)
    if isinstance(left, dict):
        return isinstance(right, dict) and _maps_equal(left, right)
    if kind is not type(right):
        return False
    if kind is Optional:
        return left.present is right.present and (not left.present or equal(left.held, right.held))
    if kind is Url or kind is NamedFormat:
        return _text_of(left) == _text_of(right)
    return bool(left == right)


def _text_of(value: Url | NamedFormat) -> str:
    return value.text if isinstance(value, Url) else value.name


def _lists_equal(left: list[Value], right: list[Value]) -> bool:
    if len(left) != len(right):
        return False
    if isinstance(left, SetList):
        known_items = set(map(_identity, left))
        return all(_identity(each) in known_items for each in right)
    if isinstance(left, MapList):
        known = {repr(left.key_of(each)): each for each in left}
        return all(repr(left.key_of(each)) in known and equal(known[repr(left.key_of(each))], each) for each in right)
    return all(map(equal, left, right))


def _identity(value: Value) -> tuple[str, Value]:
    """Equal for equal members of a set, which are scalars or replaced as a whole."""
    if isinstance(value, list | dict):
        return "", repr(value)
    return type(value).__name__ if type(value) not in _NUMBERS else "", value


def _maps_equal(left: dict[Value, Value], right: dict[Value, Value]) -> bool:
    return len(left) == len(right) and all(key in right and equal(value, right[key]) for key, value in left.items())


def compared(left: Value, right: Value) -> int:
    """Less than, equal to or greater than zero; the types must be comparable, which the checker saw to."""
    if left != left or right != right:  # noqa: PLR0124 - not a number
        raise EvaluationFailed("NaN values cannot be ordered")
    return (left > right) - (left < right)


ORDER: Final = cmp_to_key(compared)


def sum_of_lists(left: list[Value], right: list[Value]) -> list[Value]:
    if isinstance(left, SetList):
        known = set(map(_identity, left))
        return SetList([*left, *(each for each in right if _identity(each) not in known)])
    if isinstance(left, MapList):
        places = {repr(left.key_of(each)): place for place, each in enumerate(left)}
        merged = list(left)
        for each in right:
            place = places.get(repr(left.key_of(each)))
            if place is None:
                merged.append(each)
            else:
                merged[place] = each
        return MapList(merged, left.keys)
    return [*left, *right]


def size_of(value: Value) -> int:
    """How large the cost of an operation takes a value for."""
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    if isinstance(value, Network):
        return ceil(value.bits / 8)
    if isinstance(value, Optional) and value.present:
        return size_of(value.held)
    return 1
