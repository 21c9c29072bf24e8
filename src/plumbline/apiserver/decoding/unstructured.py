"""A document into a type, without text between: so the server reads what a strategic merge patch gives.

It goes field by field in the order of the type, stops at the first that does not fit, and has words of its own. Numbers
that are too large for their field lose what does not fit.
"""

from base64 import b64encode
from typing import Final

from plumbline.apiserver.decoding.outcome import Decoded, Refusal
from plumbline.apiserver.decoding.types import (
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
)
from plumbline.apiserver.decoding.unmarshal import scalar, special
from plumbline.apiserver.decoding.yamltext import tree_of
from plumbline.base.json import Json, JsonObject, encode
from plumbline.kube.gotext import type_name

_KINDS: Final = {dict: "map", list: "slice", str: "string", bool: "bool", int: "int64", float: "float64"}
_GO_KINDS: Final[dict[type[Type], str]] = {Text: "string", Flag: "bool", Real: "float64"}


def converted(value: JsonObject, type_: Structure, *, strict: bool = True) -> Decoded:
    """*value* as *type_* holds it; Refusal if it cannot."""
    conversion = _Conversion()
    held = conversion.structure(value, type_)
    return Decoded(held, tuple(sorted(conversion.unknown)) if strict else ())


class _Conversion:
    def __init__(self) -> None:
        self._path: list[str] = []
        self.unknown: list[str] = []

    def structure(self, value: JsonObject, type_: Structure) -> JsonObject:
        above = len(self._path)
        held: JsonObject = {}
        for name, member in type_.members.items():
            child = value.get(name)
            if child is not None:
                self._path.append(f".{name}" if self._path else name)
                held[name] = self._value(child, member.type)
                del self._path[above:]
        path = "".join(self._path)
        self.unknown += [
            f'unknown field "{path}.{name}"' if path else f'unknown field "{name}"'
            for name in value
            if name not in type_.members
        ]
        return held

    def _value(self, value: Json, type_: Type) -> Json:
        if value is None:
            return None
        if isinstance(type_, Special):
            return special(tree_of(value), type_)
        if isinstance(type_, Structure):
            if not isinstance(value, dict):
                raise Refusal(f"cannot restore struct from: {_KINDS[type(value)]}")
            return self.structure(value, type_)
        if isinstance(type_, Mapping):
            if not isinstance(value, dict):
                raise Refusal(f"cannot restore map from {_KINDS[type(value)]}")
            return {name: self._value(child, type_.value) for name, child in value.items()}
        if isinstance(type_, Sequence):
            return self._items(value, type_.item)
        return _octets(value) if isinstance(type_, Octets) else _scalar(value, type_)

    def _items(self, value: Json, item: Type) -> list[Json]:
        if not isinstance(value, list):
            raise Refusal(f"cannot restore slice from {_KINDS[type(value)]}")
        above = len(self._path)
        held: list[Json] = []
        for index, each in enumerate(value):
            self._path.append(f"[{index}]")
            held.append(self._value(each, item))
            del self._path[above:]
        return held


def _octets(value: Json) -> Json:
    if isinstance(value, list):
        return b64encode(bytes(_octet(each) for each in value)).decode()
    if not isinstance(value, str):
        raise Refusal(f"cannot restore slice from {_KINDS[type(value)]}")
    try:
        return scalar(encode(value), Octets("[]uint8"))
    except Refusal as bad:
        raise Refusal(f"error decoding from json: {bad}") from None


def _octet(value: Json) -> int:
    number = _scalar(value, UINT8)
    assert isinstance(number, int)  # noqa: S101 - what else is one was refused
    return number


def _scalar(value: Json, type_: Type) -> Json:
    if isinstance(value, str) and isinstance(type_, Text):
        return value
    if isinstance(value, bool) and isinstance(type_, Flag):
        return value
    if isinstance(value, bool | dict | list | str):
        raise Refusal(f"unrecognized type: {_kind(type_)}")
    return _number(value, type_)


def _number(value: float, type_: Type) -> int | float:
    if isinstance(type_, Real):
        return value
    if isinstance(type_, Whole) and value == int(value):
        span = type_.high - type_.low + 1
        return (int(value) - type_.low) % span + type_.low
    if isinstance(type_, Whole) or (isinstance(type_, Text) and isinstance(value, int)):
        # Go can make a text of a whole number, so that it gets further before it refuses to.
        raise Refusal(f"cannot convert {type_name(value)} to {type_.text}")
    raise Refusal(f"unrecognized type: {_kind(type_)}")


def _kind(type_: Type) -> str:
    if isinstance(type_, Whole):
        return type_.text if type_ is UINT8 else f"int{type_.high.bit_length() + 1}"
    return _GO_KINDS[type(type_)]
