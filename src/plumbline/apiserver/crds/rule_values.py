"""Values as the types of their schema hold them in expressions."""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, SupportsIndex

from plumbline.apiserver.cel.textformats import duration_of
from plumbline.apiserver.cel.times import parse_date, parse_timestamp
from plumbline.apiserver.cel.values import MapList, SetList, Value
from plumbline.apiserver.crds.rule_types import FORMATS
from plumbline.apiserver.crds.structural import Node
from plumbline.base.errors import EvaluationFailed
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import type_name

_EXPECTED: Final = {
    "object": (dict, "a map for the provided schema with type=object"),
    "array": (list, "an array for the provided schema with type=array"),
    "string": (str, "string"), "number": (float, "float"), "integer": (int, "int"), "boolean": (bool, "bool"),
}  # fmt: skip


class RuleValues:
    """Most values need nothing done, which is found out once for a schema.

    Where parts are forgiven because they are not new, a value may not even have the type that rules were compiled for.
    *Guarded* values refuse to be read there, and only there.
    """

    def __init__(self, *, guarded: bool = False) -> None:
        self._guarded = guarded
        self._plain: dict[int, bool] = {}

    def of(self, value: Json, node: Node) -> Value:
        """Raises `EvaluationFailed` where *value* itself cannot be held."""
        if self._guarded:
            _check_type(value, node)
        if value is None or (self.plain(node) and not self._guarded):
            return value
        if isinstance(value, dict):
            return self._object(value, node)
        if isinstance(value, list):
            return self._list(value, node)
        if isinstance(value, str) and node.type == "string":
            read = _READERS.get(node.format)
            return read(value) if read else value
        if node.type == "number" and type(value) is int:
            return float(value)
        return value

    def plain(self, node: Node) -> bool:
        known = self._plain.get(id(node))
        if known is None:
            special = (
                node.type == "number"
                or (node.type == "string" and node.format in FORMATS)
                or node.list_type in {"set", "map"}
            )
            known = self._plain[id(node)] = not special and all(map(self.plain, node.children()))
        return known

    def _object(self, value: JsonObject, node: Node) -> JsonObject:
        changes: JsonObject = {}
        faults: dict[str, str] = {}
        for name, child in value.items():
            below = node.child(name)
            if below is None:
                continue
            try:
                held = self.of(child, below)
            except EvaluationFailed as failed:
                faults[name] = failed.what
                continue
            if held is not child:
                changes[name] = held
        if faults:
            return _GuardedObject({**value, **changes}, faults)
        return {**value, **changes} if changes else value

    def _list(self, value: list[Json], node: Node) -> list[Value]:
        items = node.items
        held: list[Value] = value
        if items is not None and (self._guarded or not self.plain(items)):
            held, faults = self._items(value, items)
            if faults:
                return _GuardedList(held, faults)
        if node.list_type == "set":
            return SetList(held)
        return MapList(held, node.map_keys) if node.list_type == "map" else held

    def _items(self, value: list[Json], node: Node) -> tuple[list[Value], dict[int, str]]:
        held: list[Value] = []
        faults: dict[int, str] = {}
        for index, each in enumerate(value):
            try:
                held.append(self.of(each, node))
            except EvaluationFailed as failed:
                held.append(each)
                faults[index] = failed.what
        return held, faults


class _GuardedObject(dict[str, Any]):
    """An object some of whose fields cannot be read."""

    def __init__(self, value: JsonObject, faults: Mapping[str, str]) -> None:
        super().__init__(value)
        self._faults = faults

    def __getitem__(self, name: str) -> Value:
        if name in self._faults:
            raise EvaluationFailed(self._faults[name])
        return super().__getitem__(name)


class _GuardedList(list[Any]):
    """A list some of whose items cannot be read."""

    def __init__(self, value: list[Value], faults: Mapping[int, str]) -> None:
        super().__init__(value)
        self._faults = faults

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if self._faults:
            place = index.__index__() if not isinstance(index, slice) else min(self._faults)
            if place in self._faults:
                raise EvaluationFailed(self._faults[place])
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]


def _check_type(value: Json, node: Node) -> None:
    if value is None:
        if not node.nullable:
            raise EvaluationFailed("invalid data, got null for schema with nullable=false")
        return
    kind = type(value)
    if node.int_or_string:
        if kind is not str and kind is not int:
            said = "expected XIntOrString value to be either a string or integer"
            raise EvaluationFailed(f"invalid data, {said}")
        return
    wanted, said = _EXPECTED.get(node.type, (kind, ""))
    if kind is not wanted and not (kind is int and wanted is float):
        got = "" if node.type in {"object", "array"} else f", got {type_name(value)}"
        raise EvaluationFailed(f"invalid data, expected {said}{got}")


def _bytes(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text)
    except (binascii.Error, ValueError):
        raise EvaluationFailed(f"Invalid byte formatted string {text}: illegal base64 data") from None


_READERS: Final[Mapping[str, Callable[[str], Value]]] = {
    "byte": _bytes,
    "duration": duration_of,
    "date": parse_date,
    "date-time": lambda text: parse_timestamp(text.upper()),
}
