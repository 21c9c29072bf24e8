"""How Sprig makes one thing of another: never with a complaint, zero where nothing fits."""

import re
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.numbers import integer
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.values import Failed, Int, Invalid, Raw, Strings, Typed, Value, kind_of

_MOST: Final = 2**63 - 1
_LEAST: Final = -(2**63)
_zero_decimals: Final = re.compile(r"(.*)\.0+", re.DOTALL).fullmatch
_float: Final = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity)|nan", re.IGNORECASE
)


def text(value: Value, budget: Budget) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Raw):
        return value.decode(errors="surrogateescape")
    return printed(value, budget)


def texts(value: Value, budget: Budget) -> Strings:
    """The elements as strings, without those that are nil."""
    if value is None or isinstance(value, Invalid):
        return Strings()
    if isinstance(value, list | tuple):
        return Strings(text(each, budget) for each in value if each is not None)
    return Strings([text(value, budget)])


def whole(value: Value) -> int:
    """An int64, as near as it gets."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return wrapped(int(value)) if not isinstance(value, Typed) else 0
    if isinstance(value, float):
        return int(value) if _LEAST <= value <= _MOST else _LEAST
    if isinstance(value, str):
        found = _zero_decimals(value)
        number = integer(found[1] if found else value)
        return number if number is not None and _LEAST <= number <= _MOST else 0
    return 0


def wrapped(value: int) -> int:
    """What an int64 makes of it when it overflows."""
    return (value - _LEAST) % 2**64 + _LEAST


def floating(value: Value) -> float:
    if isinstance(value, bool | int | float) and not isinstance(value, Typed):
        return float(value)
    if isinstance(value, str) and _float.fullmatch(value):
        return float(value)
    return 0.0


def elements(value: Value, deed: str) -> list[Value]:
    """Raises Failed for what is no list."""
    if isinstance(value, list | tuple):
        return list(value)
    if value is None or isinstance(value, Invalid):
        raise Failed("runtime error: invalid memory address or nil pointer dereference")
    raise Failed(f"Cannot {deed} type {kind_of(value)}")


def int_(value: Value) -> Int:
    return Int(whole(value))


def same(first: Value, other: Value) -> bool:
    """As reflect.DeepEqual: types count."""
    if type(first) is not type(other):
        return False
    if isinstance(first, dict):
        return first.keys() == other.keys() and all(same(first[key], other[key]) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(other) and all(map(same, first, other))
    return bool(first == other)
