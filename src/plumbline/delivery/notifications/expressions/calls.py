"""Functions that every expression has."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from plumbline.delivery.notifications.expressions.operators import is_number
from plumbline.gotemplate.bounds import Bounds, Budget
from plumbline.gotemplate.moments import Duration, duration
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.values import Failed, Typed, Value, size, type_name

Check = Callable[[Value], Value]


def _count(value: Value) -> int:
    if isinstance(value, str):
        return size(value)
    if isinstance(value, list | tuple | dict):
        return len(value)
    raise Failed(f"invalid argument for len (type {type_name(value)})")


def _text(value: Value) -> str:
    return printed(value, Budget(Bounds()))


def _integer(value: Value) -> int:
    if isinstance(value, Duration) or is_number(value):
        return int(value)
    with suppress(TypeError, ValueError):
        return int(str(value), 10)
    raise Failed(f"invalid operation: int({type_name(value)})")


def _floating(value: Value) -> float:
    if is_number(value):
        return float(value)
    with suppress(TypeError, ValueError):
        return float(str(value))
    raise Failed(f"invalid operation: float({type_name(value)})")


def _listed(value: Value, name: str) -> Sequence[Value]:
    if isinstance(value, list | tuple):
        return value
    raise Failed(f"invalid argument for {name} (type {type_name(value)})")


def _string(call: Callable[..., Value]) -> Callable[..., Value]:
    def checked(*args: Value) -> Value:
        if not all(isinstance(each, str) for each in args):
            raise Failed("cannot use a value that is no string here")
        return call(*args)

    return checked


def _joined(items: Value, separator: Value = "") -> str:
    return str(separator).join(str(each) for each in _listed(items, "join"))


def _mapping(value: Value) -> Mapping[str, Value]:
    if isinstance(value, dict):
        return value
    raise Failed(f"cannot get keys from {type_name(value)}")


FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {
    "abs": lambda value: abs(_floating(value) if isinstance(value, float) else _integer(value)),
    "duration": _string(duration),
    "first": lambda items: next(iter(_listed(items, "first")), None),
    "float": _floating,
    "hasPrefix": _string(str.startswith),
    "hasSuffix": _string(str.endswith),
    "int": _integer,
    "join": _joined,
    "keys": lambda value: sorted(_mapping(value)),
    "last": lambda items: next(reversed(_listed(items, "last")), None),
    "len": _count,
    "lower": _string(str.lower),
    "max": lambda *values: max(map(_floating, values)),
    "min": lambda *values: min(map(_floating, values)),
    "replace": _string(lambda text, old, new: text.replace(old, new)[:65536]),
    "split": _string(lambda text, separator: text.split(separator) if separator else list(text)),
    "string": _text,
    "trim": _string(lambda text, chars=None: text.strip(chars)),
    "trimPrefix": _string(str.removeprefix),
    "trimSuffix": _string(str.removesuffix),
    "upper": _string(str.upper),
    "values": lambda value: [value[key] for key in sorted(_mapping(value))],
}


def _true(value: Value) -> bool:
    if not isinstance(value, bool):
        raise Failed(f"predicate should return boolean (got {type_name(value)})")
    return value


PREDICATES: Final[Mapping[str, Callable[[Sequence[Value], Check], Value]]] = {
    "all": lambda items, check: all(_true(check(each)) for each in items),
    "any": lambda items, check: any(_true(check(each)) for each in items),
    "count": lambda items, check: sum(_true(check(each)) for each in items),
    "filter": lambda items, check: [each for each in items if _true(check(each))],
    "find": lambda items, check: next((each for each in items if _true(check(each))), None),
    "map": lambda items, check: [check(each) for each in items],
    "none": lambda items, check: not any(_true(check(each)) for each in items),
    "one": lambda items, check: sum(_true(check(each)) for each in items) == 1,
}


def items_of(value: Value, name: str) -> Sequence[Value]:
    """What a predicate is asked about."""
    if isinstance(value, Typed):
        raise Failed(f"invalid argument for {name} (type {type_name(value)})")
    return _listed(value, name)
