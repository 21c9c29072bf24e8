"""Defaults, choices, and what a value is."""

from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate.values import Failed, Function, Value, function, kind_of, truth, type_name


def _default(default: Value, *given: Value) -> Value:
    return given[0] if given and truth(given[0]) else default


def _fail(message: str) -> Value:
    raise Failed(message)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "all": function("...any", lambda *values: all(map(truth, values))),
    "any": function("...any", lambda *values: any(map(truth, values))),
    "coalesce": function("...any", lambda *values: next(filter(truth, values), None)),
    "default": function("any ...any", _default),
    "empty": function("any", lambda value: not truth(value)),
    "fail": function("string", _fail),
    "kindIs": function("string any", lambda wanted, value: wanted == kind_of(value)),
    "kindOf": function("any", kind_of),
    "ternary": function("any any bool", lambda one, other, choice: one if choice else other),
    "typeIs": function("string any", lambda wanted, value: wanted == type_name(value)),
    "typeIsLike": function("string any", lambda wanted, value: type_name(value) in {wanted, f"*{wanted}"}),
    "typeOf": function("any", type_name),
}
