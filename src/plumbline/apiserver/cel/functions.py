"""What functions there are: their overloads, declared by signatures such as `string.(string) -> bool`.

A dot before the arguments makes a method. Capital letters are type parameters. A cost says what a call is charged with
beyond what its arguments cost, before it is made; without one it is 1.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.apiserver.cel.types import (
    CIDR,
    FORMAT,
    IP,
    QUANTITY,
    SEMVER,
    SIMPLE,
    URL,
    Type,
    list_of,
    map_of,
    optional_of,
    type_of,
)
from plumbline.apiserver.cel.values import Value, size_of

Cost: TypeAlias = Callable[[tuple[Value, ...]], int]

_NAMED: Final = {"ip": IP, "cidr": CIDR, "quantity": QUANTITY, "url": URL, "format": FORMAT, "semver": SEMVER}
_GENERIC: Final[Mapping[str, Callable[..., Type]]] = {
    "list": list_of, "map": map_of, "optional": optional_of, "type": type_of,
}  # fmt: skip
_words: Final = re.compile(r"[A-Za-z0-9]+|[(),]").findall


class Overload(NamedTuple):
    function: str
    member: bool
    args: tuple[Type, ...]
    result: Type
    call: Callable[..., Value]
    cost: Cost | None

    @property
    def parameters(self) -> frozenset[Type]:
        return frozenset(found for each in (*self.args, self.result) for found in _parameters(each))


def _parameters(each: Type) -> Iterable[Type]:
    if each.kind == "param":
        yield each
    for inner in each.params:
        yield from _parameters(inner)


Declared: TypeAlias = tuple[str, str, Callable[..., Any], Cost | None]
"""Function, signature, implementation, cost."""


def overload_of(function: str, signature: str, call: Callable[..., Value], cost: Cost | None = None) -> Overload:
    written, _, result = signature.partition("->")
    target, dot, args = written.partition(".(")
    types = _types(target) if dot else []
    types += _types(args.rstrip().removesuffix(")") if dot else written.strip().removeprefix("(").removesuffix(")"))
    return Overload(function, bool(dot), tuple(types), _types(result)[0], call, cost)


def _types(text: str) -> list[Type]:
    words = _words(text)
    found: list[Type] = []
    at = 0
    while at < len(words):
        if words[at] == ",":
            at += 1
            continue
        each, at = _type(words, at)
        found.append(each)
    return found


def _type(words: list[str], at: int) -> tuple[Type, int]:
    name = words[at]
    if at + 1 < len(words) and words[at + 1] == "(":
        params: list[Type] = []
        at += 2
        while words[at] != ")":
            if words[at] == ",":
                at += 1
            param, at = _type(words, at)
            params.append(param)
        return _GENERIC[name](*params), at + 1
    if len(name) == 1 and name.isupper():
        return Type("param", name), at + 1
    return _NAMED.get(name) or SIMPLE[name], at + 1


class Registry:
    """Functions by name. Signatures are read when a function is first looked up: most never are."""

    def __init__(self, tables: Iterable[Iterable[Declared]]) -> None:
        self._declared: dict[str, list[Declared]] = {}
        for table in tables:
            for declared in table:
                self._declared.setdefault(declared[0], []).append(declared)
        self._overloads: dict[str, tuple[Overload, ...]] = {}

    def overloads(self, function: str) -> tuple[Overload, ...]:
        """Empty where there is no such function."""
        found = self._overloads.get(function)
        if found is None:
            found = tuple(overload_of(*declared) for declared in self._declared.get(function, ()))
            if found:
                self._overloads[function] = found
        return found


_TRAVERSAL: Final = 0.1
_REGEX: Final = 0.25
_FREE_WEIGHT: Final = 256


def of_text(args: tuple[Value, ...]) -> int:
    """The cost of going through a string once."""
    return ceil(size_of(args[0]) * _TRAVERSAL)


def of_text_twice(args: tuple[Value, ...]) -> int:
    return ceil(size_of(args[0]) * 2 * _TRAVERSAL)


def of_both(args: tuple[Value, ...]) -> int:
    return ceil((size_of(args[0]) + size_of(args[1])) * _TRAVERSAL)


def of_shorter(args: tuple[Value, ...]) -> int:
    return ceil(min(size_of(args[0]), size_of(args[1])) * _TRAVERSAL) + effort(args[0])


def of_search(args: tuple[Value, ...]) -> int:
    return ceil(size_of(args[0]) * _TRAVERSAL) * ceil(size_of(args[1]) * _TRAVERSAL)


def of_regex(args: tuple[Value, ...]) -> int:
    return ceil((1 + size_of(args[0])) * _TRAVERSAL) * ceil(size_of(args[1]) * _REGEX)


def of_list(args: tuple[Value, ...]) -> int:
    return size_of(args[1]) + effort(args[1])


def of_traversal(args: tuple[Value, ...]) -> int:
    return traversal(args[0]) + effort(args[0])


def effort(*values: Value) -> int:
    """What the API server does not charge for but takes its time: huge values. Ordinary ones cost nothing more."""
    return sum(map(_weight, values)) // _FREE_WEIGHT


def _weight(value: Value) -> int:
    """How many items there are in a value, all the way down."""
    if isinstance(value, list):
        return len(value) + sum(_weight(each) for each in value if isinstance(each, list | dict))
    if isinstance(value, dict):
        return len(value) + sum(_weight(each) for each in value.values() if isinstance(each, list | dict))
    return 0


def traversal(value: Value) -> int:
    """The cost of looking at all of a value."""
    if isinstance(value, str | bytes):
        return int(len(value) * _TRAVERSAL)
    if isinstance(value, list):
        return sum(map(traversal, value))
    if isinstance(value, dict):
        return sum(traversal(key) + traversal(each) for key, each in value.items())
    return 1
