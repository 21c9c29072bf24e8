"""What operators do with values, by the rules of expr-lang."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.base.errors import BadExpression
from plumbline.base.regex import compiled
from plumbline.gotemplate.moments import Duration, Time
from plumbline.gotemplate.values import INVALID, Failed, Function, Typed, Value, type_name

_LONGEST: Final = 64 * 1024


def is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool | Typed)


def equal(first: Value, other: Value) -> bool:
    """Numbers of any type alike, everything else type by type."""
    if isinstance(first, bool) or isinstance(other, bool):
        return first is other
    if is_number(first) and is_number(other):
        return bool(first == other)
    if isinstance(first, Time) and isinstance(other, Time):
        return first.ns == other.ns
    if isinstance(first, list) and isinstance(other, list):
        return len(first) == len(other) and all(map(equal, first, other))
    return type(first) is type(other) and bool(first == other)


def less(first: Value, other: Value, sign: str = "<") -> bool:
    if (is_number(first) and is_number(other)) or (isinstance(first, str) and isinstance(other, str)):
        return bool(first < other)
    if isinstance(first, Time) and isinstance(other, Time):
        return first.ns < other.ns
    if isinstance(first, Duration) and isinstance(other, Duration):
        return int(first) < int(other)
    raise _invalid(first, sign, other)


def _invalid(first: Value, sign: str, other: Value) -> Failed:
    return Failed(f"invalid operation: {type_name(first)} {sign} {type_name(other)}")


def added(first: Value, other: Value) -> Value:
    if is_number(first) and is_number(other):
        return first + other
    if isinstance(first, str) and isinstance(other, str):
        if len(first) + len(other) > _LONGEST:
            raise Failed("the text grows too long")
        return first + other
    if isinstance(first, Duration) and isinstance(other, Duration):
        return Duration(int(first) + int(other))
    if isinstance(first, Time) and isinstance(other, Duration):
        return first.add(other)
    if isinstance(first, Duration) and isinstance(other, Time):
        return other.add(first)
    raise _invalid(first, "+", other)


def subtracted(first: Value, other: Value) -> Value:
    if is_number(first) and is_number(other):
        return first - other
    if isinstance(first, Duration) and isinstance(other, Duration):
        return Duration(int(first) - int(other))
    if isinstance(first, Time) and isinstance(other, Time):
        return first.since(other)
    if isinstance(first, Time) and isinstance(other, Duration):
        return first.add(-int(other))
    raise _invalid(first, "-", other)


def multiplied(first: Value, other: Value) -> Value:
    if is_number(first) and is_number(other):
        return first * other
    for one, another in ((first, other), (other, first)):
        if isinstance(one, Duration) and (is_number(another) or isinstance(another, Duration)):
            return Duration(int(int(one) * (int(another) if isinstance(another, Duration) else another)))
    raise _invalid(first, "*", other)


def divided(first: Value, other: Value) -> Value:
    """Always a floating number, as there."""
    plain = [int(each) if isinstance(each, Duration) else each for each in (first, other)]
    if not all(map(is_number, plain)):
        raise _invalid(first, "/", other)
    return float("inf") if not plain[1] else plain[0] / plain[1]


def remainder(first: Value, other: Value) -> Value:
    if not (isinstance(first, int) and isinstance(other, int)) or not other:
        raise _invalid(first, "%", other)
    rest = abs(int(first)) % abs(int(other))
    return -rest if first < 0 else rest


def raised(first: Value, other: Value) -> Value:
    if not (is_number(first) and is_number(other)):
        raise _invalid(first, "**", other)
    try:
        return float(first) ** float(other)
    except (ArithmeticError, ValueError):
        raise _invalid(first, "**", other) from None


def within(needle: Value, hay: Value) -> bool:
    if hay is None:
        return False
    if isinstance(hay, list | tuple):
        return any(equal(needle, each) for each in hay)
    if isinstance(hay, dict):
        return isinstance(needle, str) and needle in hay
    raise Failed(f'operator "in" not defined on {type_name(hay)}')


def _texts(check: Callable[[str, str], bool], word: str) -> Callable[[Value, Value], bool]:
    def checked(first: Value, other: Value) -> bool:
        if first is None or other is None:
            return False
        if not isinstance(first, str) or not isinstance(other, str):
            raise _invalid(first, word, other)
        return check(first, other)

    return checked


def _matches(text: str, pattern: str) -> bool:
    try:
        return compiled(pattern).matches(text[:_LONGEST])
    except BadExpression as fault:
        raise Failed(str(fault)) from fault


BINARY: Final[Mapping[str, tuple[int, Callable[[Value, Value], Value]]]] = {
    "==": (20, equal),
    "!=": (20, lambda first, other: not equal(first, other)),
    "<": (20, less),
    ">": (20, lambda first, other: less(other, first, ">")),
    "<=": (20, lambda first, other: less(first, other, "<=") or equal(first, other)),
    ">=": (20, lambda first, other: less(other, first, ">=") or equal(first, other)),
    "in": (20, within),
    "contains": (20, _texts(lambda text, part: part in text, "contains")),
    "startsWith": (20, _texts(str.startswith, "startsWith")),
    "endsWith": (20, _texts(str.endswith, "endsWith")),
    "matches": (20, _texts(_matches, "matches")),
    "+": (30, added),
    "-": (30, subtracted),
    "*": (60, multiplied),
    "/": (60, divided),
    "%": (60, remainder),
    "**": (100, raised),
    "^": (100, raised),
}
NEGATABLE: Final = frozenset({"in", "contains", "startsWith", "endsWith", "matches"})


def member(value: Value, name: str) -> Value:
    """A field, or a method to call. What a map does not have is nil."""
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, Typed):
        found = value.member(name)
        if found is not INVALID:
            return found
    raise Failed(f"cannot fetch {name} from {type_name(value)}")


def element(value: Value, index: Value) -> Value:
    if isinstance(value, dict):
        return value.get(index) if isinstance(index, str) else None
    if isinstance(value, list | tuple) and isinstance(index, int) and not isinstance(index, bool):
        if not -len(value) <= index < len(value):
            raise Failed(f"index out of range: {index} (array length is {len(value)})")
        return value[index]
    raise Failed(f"cannot fetch {index} from {type_name(value)}")


def called(value: Value, args: list[Value]) -> Value:
    if not isinstance(value, Function):
        raise Failed(f"{type_name(value)} is not a function")
    if len(args) < value.fewest or (not value.variadic and len(args) > value.fewest):
        raise Failed(f"not enough or too many arguments: want {value.fewest}, got {len(args)}")
    for at, arg in enumerate(args):
        wanted = value.param(at)
        if wanted == "string" and not isinstance(arg, str):
            raise Failed(f"cannot use {type_name(arg)} as argument (type string)")
        if wanted == "time" and not isinstance(arg, Time):
            raise Failed(f"cannot use {type_name(arg)} as argument (type time.Time)")
        if wanted == "time.Duration" and not isinstance(arg, Duration):
            raise Failed(f"cannot use {type_name(arg)} as argument (type time.Duration)")
        if wanted == "int" and not (isinstance(arg, int) and not isinstance(arg, bool)):
            raise Failed(f"cannot use {type_name(arg)} as argument (type int)")
    return value.call(*args)
