"""The slow reading: a tree into a type, step by step as Go's decoder goes, so that its words come out.

The first value that a type cannot hold is what the answer names, unless a type that reads itself refuses later: that
ends the reading at once. Fields that occur twice are both read, the second into what the first left.
"""

import re
from binascii import b2a_base64
from typing import Final

from plumbline.apiserver.decoding.base64text import base64_fault
from plumbline.apiserver.decoding.depth import DEEPEST, too_deep
from plumbline.apiserver.decoding.outcome import Decoded, Refusal, TypeFault, sort_of
from plumbline.apiserver.decoding.specials import READERS, whole
from plumbline.apiserver.decoding.tree import Node, Pairs, text
from plumbline.apiserver.decoding.types import (
    ANY,
    FLOAT64,
    UINT8,
    Flag,
    Mapping,
    Octets,
    Real,
    Sequence,
    Special,
    Structure,
    Text,
    Type,
    Whole,
    structure,
)
from plumbline.base.documents.scalars import json_number
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

COMPLAINTS: Final = 100
"""So many are kept."""
LONGEST: Final = 64 * 1024
"""Characters of a path in a complaint: a key may be as long as a body, and be complained about again and again."""
_LONGEST_ODD: Final = 4 * 1024
"""The same of one whose characters have to be looked at one by one."""
_special_in: Final = re.compile(r'["\\]').search
_SCHEMA: Final = "apiextensions/v1.JSONSchemaProps"
_NULL: Final = b"null"
_INT64: Final = range(-(2**63), 2**63)


def unmarshalled(node: Node, type_: Type, *, strict: bool = True) -> Decoded:
    """*node* as *type_* holds it; Refusal if it cannot."""
    decoding = _Decoding(strict=strict)
    try:
        value = decoding.value(node, type_, None)
    except TypeFault as fault:
        raise decoding.placed(fault) from None
    except RecursionError:
        # Schemas within schemas are read anew, each from the first level on.
        raise too_deep() from None
    if decoding.saved is not None:
        raise decoding.saved
    return Decoded(value, tuple(decoding.complaints))


class _Decoding:
    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._owner = ""
        self._fields: list[str] = []
        self._path: list[str] = []
        self._depth = 0
        self.saved: Refusal | None = None
        self.complaints: dict[str, None] = {}

    def value(self, node: Node, type_: Type, before: Json) -> Json:
        """*before* is what an earlier field of the same name left."""
        if node == _NULL:
            return before
        if isinstance(type_, Special):
            return special(node, type_)
        if isinstance(node, bytes):
            return self._literal(node, type_, before)
        self._depth += 1
        if self._depth > DEEPEST:
            raise too_deep()
        value = self._object(node, type_, before) if isinstance(node, Pairs) else self._list(node, type_, before)
        self._depth -= 1
        return value

    def placed(self, fault: TypeFault) -> TypeFault:
        """*fault* with the place that the reading is at."""
        if self._owner or self._fields:
            fault.owner = self._owner
            fault.field = ".".join([*self._fields, fault.field] if fault.field else self._fields)
        return fault

    def _save(self, fault: Refusal) -> None:
        if self.saved is None:
            self.saved = self.placed(fault) if isinstance(fault, TypeFault) else fault

    def _object(self, pairs: Pairs, type_: Type, before: Json) -> Json:
        if isinstance(type_, Structure):
            return self._structure(pairs, type_, before if type(before) is dict else {})
        if isinstance(type_, Mapping):
            return self._mapping(pairs, type_.value, before if type(before) is dict else {})
        if type_ is ANY:
            return self._mapping(pairs, ANY, {})
        self._save(TypeFault("object", type_))
        return before

    def _structure(self, pairs: Pairs, type_: Structure, into: JsonObject) -> JsonObject:
        owner, depth, above = self._owner, len(self._fields), len(self._path)
        seen: set[str] = set()
        members = type_.members
        for name, node in pairs:
            member = members.get(name)
            if member is None:
                self._complain("unknown field", name)
                continue
            if name in seen:
                self._complain("duplicate field", name)
            seen.add(name)
            self._owner = type_.name
            self._fields += member.path
            self._enter(name)
            before = None if node == _NULL and member.optional else into.get(name)
            into[name] = self.value(node, member.type, before)
            del self._fields[depth:], self._path[above:]
            self._owner = owner
        return into

    def _mapping(self, pairs: Pairs, type_: Type, into: JsonObject) -> JsonObject:
        above = len(self._path)
        seen: set[str] = set()
        for key, node in pairs:
            if key in seen:
                self._complain("duplicate field", key)
            seen.add(key)
            self._enter(key)
            into[key] = self.value(node, type_, None)
            del self._path[above:]
        return into

    def _list(self, items: list[Node], type_: Type, before: Json) -> Json:
        if isinstance(type_, Octets):
            return self._octets(items)
        if type_ is not ANY and not isinstance(type_, Sequence):
            self._save(TypeFault("array", type_))
            return before
        item = type_.item if isinstance(type_, Sequence) else ANY
        there = before if type(before) is list else ()
        above = len(self._path)
        read: list[Json] = []
        for index, node in enumerate(items):
            self._path.append(f"[{index}]")
            read.append(self.value(node, item, there[index] if index < len(there) else None))
            del self._path[above:]
        return read

    def _octets(self, items: list[Node]) -> Json:
        """Bytes may be a list of numbers, too."""
        numbers = [self.value(node, UINT8, None) or 0 for node in items]
        return b2a_base64(bytes(numbers), newline=False).decode()

    def _literal(self, literal: bytes, type_: Type, before: Json) -> Json:
        try:
            return scalar(literal, type_)
        except Refusal as fault:
            self._save(fault)
            return before

    def _enter(self, key: str) -> None:
        self._path.append(f".{key}" if self._path else key)

    def _complain(self, what: str, key: str) -> None:
        if self._strict and len(self.complaints) < COMPLAINTS:
            path = "".join(self._path)
            self.complaints[f"{what} {_quoted(f'{path}.{key}' if path else key)}"] = None


def _quoted(path: str) -> str:
    shown = path[:LONGEST]
    return f'"{shown}"' if shown.isprintable() and not _special_in(shown) else quoted(shown[:_LONGEST_ODD])


def special(node: Node, type_: Special) -> Json:
    """What a type that reads itself makes of *node*."""
    if node == _NULL:
        return None
    read = READERS.get(type_.message)
    if read is not None:
        return read(node)
    if not type_.message.startswith(_SCHEMA):
        return _as_it_is(node)
    return _schema_or(node, type_.message.removeprefix(_SCHEMA))


def scalar(literal: bytes, type_: Type) -> Json:
    """The value of *literal*, if *type_* can hold it."""
    sort = sort_of(literal)
    if sort == "string" and isinstance(type_, Text):
        return text(literal)
    if sort == "string" and isinstance(type_, Octets):
        return _base64(text(literal))
    if sort == "bool" and isinstance(type_, Flag):
        return literal == b"true"
    if sort == "number" and isinstance(type_, Whole):
        return whole(literal, type_.low, type_.high, type_)
    if sort == "number" and isinstance(type_, Real):
        return _real(literal, type_)
    if type_ is ANY:
        return _anything(literal, sort)
    raise TypeFault(sort, type_)


def _anything(literal: bytes, sort: str) -> Json:
    if sort == "string":
        return text(literal)
    if sort == "bool":
        return literal == b"true"
    # Go keeps what has no point and fits an integer; 1e3 is no integer to it.
    if b"." not in literal and b"e" not in literal.lower() and len(literal) <= 20 and int(literal) in _INT64:  # noqa: PLR2004 - digits of 64 bits
        return int(literal)
    return json_number(_real(literal, FLOAT64))


def _real(literal: bytes, type_: Type) -> float:
    number = float(literal)
    if number in (float("inf"), float("-inf")):
        raise TypeFault(f"number {literal.decode()}", type_)
    return number


def _base64(written: str) -> str:
    if fault := base64_fault(written.encode()):
        raise Refusal(fault)
    return written


def _as_it_is(node: Node) -> Json:
    return unmarshalled(node, ANY, strict=False).value


def _schema_or(node: Node, other: str) -> Json:
    """A schema or something else. These types decode what is within them leniently."""
    if isinstance(node, Pairs):
        return unmarshalled(node, structure(_SCHEMA), strict=False).value
    if other == "OrBool":
        if node in (b"true", b"false"):
            return node == b"true"
        raise Refusal("boolean or JSON schema expected")
    if isinstance(node, bytes):
        return None
    item: Type = structure(_SCHEMA) if other == "OrArray" else Text("string")
    return unmarshalled(node, Sequence(f"[]{item.text}", item), strict=False).value
