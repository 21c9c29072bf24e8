"""Fields that a typed part does not declare. They are kept by whoever holds the object; here they are only found.

The types are compiled once into a tree of their structs, so that a walk touches nothing but the keys of objects.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, TypeAlias

import msgspec
from msgspec import inspect as types

from plumbline.base.json import Json

REPORTED: Final = 50
"""More than this many are not worth reading, and an object can hold a million of them."""
_LONGEST_KEY: Final = 100


@dataclass(frozen=True)
class _Record:
    fields: Mapping[str, "_Node | None"]


@dataclass(frozen=True)
class _List:
    items: "_Node"


@dataclass(frozen=True)
class _Map:
    values: "_Node"


_Node: TypeAlias = _Record | _List | _Map


def unknown_fields(raw: Json, struct: type[msgspec.Struct], path: str) -> tuple[str, ...]:
    """Paths under *path* that *struct* does not declare, in the order of the object, at most REPORTED of them."""
    return tuple(islice(_walk(raw, _compiled(struct), path), REPORTED))


def _walk(raw: Json, node: _Node, path: str) -> Iterator[str]:
    if isinstance(node, _Record):
        if not isinstance(raw, dict):
            return
        for key, value in raw.items():
            below = node.fields.get(key, node)
            if below is node:
                yield path + _step(key)
            elif below is not None and value:
                yield from _walk(value, below, path + _step(key))
    elif isinstance(node, _List):
        for at, item in enumerate(raw if isinstance(raw, list) else ()):
            yield from _walk(item, node.items, f"{path}[{at}]")
    elif isinstance(raw, dict):
        for key, value in raw.items():
            yield from _walk(value, node.values, path + _step(key))


def _step(key: str) -> str:
    shown = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…"
    return f".{shown}" if shown.isidentifier() else f"[{shown!r}]"


@cache
def _compiled(struct: type[msgspec.Struct]) -> _Record:
    node = _node(types.type_info(struct), ())
    assert isinstance(node, _Record)  # noqa: S101 - a struct is a record
    return node


def _node(info: types.Type, inside: tuple[type, ...]) -> _Node | None:
    """The part of a type where undeclared fields can hide; None where there is no struct below."""
    match info:
        case types.Metadata():
            return _node(info.type, inside)
        case types.StructType():
            if info.cls in inside:
                raise TypeError(f"{info.cls.__name__} contains itself, which a kind cannot")
            return _Record({f.encode_name: _node(f.type, (*inside, info.cls)) for f in info.fields})
        case types.UnionType():
            return next((node for choice in info.types if (node := _node(choice, inside))), None)
        case types.ListType() | types.VarTupleType():
            items = _node(info.item_type, inside)
            return _List(items) if items else None
        case types.DictType():
            values = _node(info.value_type, inside)
            return _Map(values) if values else None
        case _:
            return None
