"""The functions that every template has."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote_plus

from plumbline.gotemplate.arguments import prepared
from plumbline.gotemplate.bounds import Bounds, Budget
from plumbline.gotemplate.printing import formatted, joined, printed, stringed
from plumbline.gotemplate.values import (
    INVALID,
    Failed,
    Function,
    Int,
    Invalid,
    Typed,
    Uint8,
    Value,
    cut,
    function,
    kind_of,
    size,
    truth,
    type_name,
)

_INTEGERS: Final = frozenset({"int", "int64", "uint8"})
_BASIC: Final = {"bool": "bool", "string": "string", "float64": "float", "int": "int", "int64": "int", "uint8": "int"}
_JS: Final = {
    "\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D",
}  # fmt: skip
_HTML: Final = str.maketrans(
    {'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\N{REPLACEMENT CHARACTER}"}
)
_ZERO_TYPE: Final = "reflect: call of reflect.Value.Type on zero Value"
_BAD_COMPARISON: Final = "invalid type for comparison"


def budgeted(call: Callable[..., Value]) -> Callable[..., Value]:
    """Marks what takes the budget before its arguments."""
    call.takes_budget = True  # type: ignore[attr-defined] # functions can carry marks
    return call


def _include(included: Callable[[str, Value], str], name: str, value: Value) -> str:
    return included(name, value)


_include.takes_include = True  # type: ignore[attr-defined] # functions can carry marks

INCLUDE: Final = {"include": function("string any", _include)}
"""Not Go's, but what everybody adds to it: what another template prints, as a value that a pipe can carry on."""


def _absent(value: Value) -> bool:
    return value is None or isinstance(value, Invalid)


def _position(index: Value, most: int) -> int:
    if _absent(index):
        raise Failed("cannot index slice/array with nil")
    if kind_of(index) not in _INTEGERS:
        raise Failed(f"cannot index slice/array with type {type_name(index)}")
    if index < 0 or index > most:
        raise Failed(f"index out of range: {index}")
    return int(index)


def _index(item: Value, *indexes: Value) -> Value:
    if _absent(item):
        raise Failed("index of untyped nil")
    for index in indexes:
        if item is None:
            raise Failed("index of nil pointer")
        if isinstance(item, dict):
            item = item.get(prepared(index, "string"), None if type(item) is dict else "")
        elif isinstance(item, str | list | tuple):
            item = _element(item, index)
        else:
            raise Failed(f"can't index item of type {type_name(item)}")
    return item


def _element(item: Value, index: Value) -> Value:
    raw = item.encode(errors="surrogateescape") if isinstance(item, str) else item
    at = _position(index, len(raw))
    if at == len(raw):
        raise Failed(f"reflect: {'string' if isinstance(item, str) else 'slice'} index out of range")
    return Uint8(raw[at]) if isinstance(item, str) else raw[at]


def _slice(item: Value, *indexes: Value) -> Value:
    if _absent(item):
        raise Failed("slice of untyped nil")
    if len(indexes) > 3:  # noqa: PLR2004 - begin, end and capacity
        raise Failed(f"too many slice indexes: {len(indexes)}")
    if not isinstance(item, str | list | tuple):
        raise Failed(f"can't slice item of type {type_name(item)}")
    if isinstance(item, str) and len(indexes) == 3:  # noqa: PLR2004 - same
        raise Failed("cannot 3-index slice a string")
    length = size(item) if isinstance(item, str) else len(item)
    bounds = [0, length]
    for at, index in enumerate(indexes):
        bounds[at : at + 1] = [_position(index, length)]
    if bounds[0] > bounds[1]:
        raise Failed(f"invalid slice index: {bounds[0]} > {bounds[1]}")
    if len(bounds) > 2 and bounds[1] > bounds[2]:  # noqa: PLR2004 - same
        raise Failed(f"invalid slice index: {bounds[1]} > {bounds[2]}")
    return cut(item, bounds[0], bounds[1]) if isinstance(item, str) else type(item)(item[bounds[0] : bounds[1]])


def _length(item: Value) -> Value:
    if item is None:
        raise Failed("len of nil pointer")
    if isinstance(item, Invalid):
        raise Failed(_ZERO_TYPE)
    if isinstance(item, str):
        return Int(size(item))
    if isinstance(item, dict | list | tuple):
        return Int(len(item))
    raise Failed(f"len of type {type_name(item)}")


@budgeted
def _call(budget: Budget, name: str, called: Value, *args: Value) -> Value:
    if _absent(called):
        raise Failed("call of nil")
    if not isinstance(called, Function):
        raise Failed(f"non-function {name} of type {type_name(called)}")
    if called.variadic and len(args) < called.fewest:
        raise Failed(f"wrong number of args for {name}: got {len(args)} want at least {called.fewest}")
    if not called.variadic and len(args) != called.fewest:
        raise Failed(f"wrong number of args for {name}: got {len(args)} want {called.fewest}")
    values = []
    for at, arg in enumerate(args):
        try:
            values.append(prepared(arg, called.param(at)))
        except Failed as fault:
            raise Failed(f"arg {at}: {fault}") from fault
    return called.call(*([budget, *values] if getattr(called.call, "takes_budget", False) else values))


def _basic(value: Value) -> str:
    return _BASIC.get(kind_of(value), "")


def _equal(first: Value, *others: Value) -> bool:
    if not others:
        raise Failed("missing argument for comparison")
    return any(_same(first, other) for other in others)


def _same(first: Value, other: Value) -> bool:
    kind, another = _basic(first), _basic(other)
    if kind != another:
        if _absent(first) or _absent(other):
            return False
        raise Failed(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
    if kind:
        return bool(first == other)
    if _absent(first) or _absent(other):
        return _absent(first) and _absent(other)
    if kind_of(first) != kind_of(other):
        raise Failed(
            f"non-comparable types {_shown(first, stringed)}: {type_name(first)}, {type_name(other)}: {_shown(other)}"
        )
    if not isinstance(other, Typed):
        raise Failed(f"non-comparable type {_shown(other)}: {type_name(other)}")
    return bool(first == other)


def _shown(value: Value, how: Callable[[Value, Budget], str] = printed) -> str:
    return how(value, Budget(Bounds()))


def _less(first: Value, other: Value) -> bool:
    kind, another = _basic(first), _basic(other)
    if not kind or not another:
        raise Failed(_BAD_COMPARISON)
    if kind != another:
        raise Failed(f"incompatible types for comparison: {type_name(first)} and {type_name(other)}")
    if kind == "bool":
        raise Failed(_BAD_COMPARISON)
    if kind == "string":
        return bool(first.encode(errors="surrogateescape") < other.encode(errors="surrogateescape"))
    return bool(first < other)


def _less_or_equal(first: Value, other: Value) -> bool:
    return _less(first, other) or _same(first, other)


def _js_escaped(text: str) -> str:
    return "".join(_JS.get(char) or (char if char.isprintable() else f"\\u{ord(char):04X}") for char in text)


@budgeted
def _print(budget: Budget, *values: Value) -> str:
    return joined(values, budget)


@budgeted
def _printf(budget: Budget, form: str, *values: Value) -> str:
    return formatted(form, values, budget)


@budgeted
def _println(budget: Budget, *values: Value) -> str:
    return " ".join(printed(each, budget) for each in values) + "\n"


def _escaping(escape: Callable[[str], str]) -> Callable[..., Value]:
    @budgeted
    def escaped(budget: Budget, *values: Value) -> str:
        return escape(joined(["<no value>" if _absent(each) else each for each in values], budget))

    return escaped


def _never(*_: Value) -> Value:
    return INVALID  # pragma: no cover - the walk does these itself


BUILTINS: Final[Mapping[str, Function]] = {
    "and": function("value ...value", _never),
    "call": function("value ...value", _call),
    "eq": function("value ...value", _equal),
    "ge": function("value value", lambda first, other: not _less(first, other)),
    "gt": function("value value", lambda first, other: not _less_or_equal(first, other)),
    "html": function("...any", _escaping(lambda text: text.translate(_HTML))),
    "index": function("value ...value", _index),
    "js": function("...any", _escaping(_js_escaped)),
    "le": function("value value", _less_or_equal),
    "len": function("value", _length),
    "lt": function("value value", _less),
    "ne": function("value value", lambda first, other: not _same(first, other)),
    "not": function("value", lambda value: not truth(value)),
    "or": function("value ...value", _never),
    "print": function("...any", _print),
    "printf": function("string ...any", _printf),
    "println": function("...any", _println),
    "slice": function("value ...value", _slice),
    "urlquery": function("...any", _escaping(quote_plus)),
}
