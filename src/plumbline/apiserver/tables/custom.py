"""Columns of custom resources: what a CRD asks for with `additionalPrinterColumns`, compiled once."""

import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Final

from plumbline.apiserver.tables import jsonpath
from plumbline.apiserver.tables.ages import INVALID, UNKNOWN, human_duration, moment_s
from plumbline.apiserver.tables.columns import created_description, definition, definitions
from plumbline.apiserver.tables.jsonpath.nodes import Field
from plumbline.apiserver.tables.printer import Order
from plumbline.apiserver.tables.reading import name, number, records, text
from plumbline.apiserver.tables.wire import encoded, escaped
from plumbline.base.json import Json, JsonObject, decode, encode_sorted

_NO_TIMES: Final = frozenset({"", "null", "0001-01-01T00:00:00Z"})
_INT64: Final = range(-(2**63), 2**63)
_OVERFLOW: Final = -(2**63)
"""What the processor makes of a number that does not fit."""
_PLAIN_EXPONENTS: Final = range(-4, 6)
_EXPONENT_FROM: Final = 1e21
_LARGEST_FLOAT: Final = sys.float_info.max

_Found = Callable[[JsonObject], tuple[Json, bool]]
_Shown = Callable[[Json, float], Json]


def custom_columns(version: JsonObject) -> "CustomColumns":
    """The columns of one entry of a CRD's `spec.versions`."""
    return CustomColumns(records(version, "additionalPrinterColumns") or [_age_column()])


def scale_columns(version: JsonObject) -> "CustomColumns":
    """The columns of the scale subresource of such an entry."""
    scale = version.get("subresources")
    scale = scale.get("scale") if isinstance(scale, dict) else None
    asked = []
    if text(scale, "specReplicasPath"):
        asked.append(_replicas_column("Desired", "Number of desired replicas", ".spec.replicas"))
    if text(scale, "statusReplicasPath"):
        asked.append(_replicas_column("Available", "Number of actual replicas", ".status.replicas"))
    return CustomColumns([*asked, _age_column()])


class CustomColumns:
    """A printer; columns from the first on whose path cannot be read are left out, as upstream leaves them out."""

    no_rows: bytes = b"[]"
    repeats_header: bool = False
    order: Order | None = None

    def __init__(self, asked: list[JsonObject]) -> None:
        readable = list(_readable(asked))
        self._asked = [column for column, _ in readable]
        self._columns = [(found, _shown(text(column, "type"))) for column, found in readable]

    @cached_property
    def header(self) -> bytes:
        return encoded(self.columns())

    def columns(self) -> list[JsonObject]:
        return [*definitions("Name"), *map(_definition, self._asked)]

    def cells(self, obj: JsonObject, now: datetime) -> list[Json]:
        return self._cells(obj, now.timestamp())

    def row(self, obj: JsonObject, now_s: float) -> tuple[list[Json], list[JsonObject]]:
        return self._cells(obj, now_s), []

    def read(self, encoded_object: bytes) -> JsonObject:
        found = decode(encoded_object)
        return found if isinstance(found, dict) else {}

    def _cells(self, obj: JsonObject, now_s: float) -> list[Json]:
        cells: list[Json] = [name(obj)]
        for find, show in self._columns:
            value, there = find(obj)
            cells.append(show(value, now_s) if there else None)
        return cells


def _age_column() -> JsonObject:
    return {
        "name": "Age",
        "type": "date",
        "description": created_description(),
        "jsonPath": ".metadata.creationTimestamp",
    }


def _replicas_column(title: str, description: str, path: str) -> JsonObject:
    return {"name": title, "type": "integer", "description": description, "jsonPath": path}


def _definition(column: JsonObject) -> JsonObject:
    path = text(column, "jsonPath")
    return definition(
        text(column, "name"),
        text(column, "type"),
        form=text(column, "format"),
        description=text(column, "description") or f"Custom resource definition column (in JSONPath format): {path}",
        priority=number(column, "priority"),
    )


def _readable(asked: list[JsonObject]) -> Iterator[tuple[JsonObject, _Found]]:
    for column in asked:
        try:
            blocks = jsonpath.parse("{" + text(column, "jsonPath") + "}")
        except jsonpath.BadPath:
            return
        yield column, _finder(blocks)


def _finder(blocks: tuple[jsonpath.Path, ...]) -> _Found:
    """Most paths are a few fields in a row, for which there is a shorter way."""
    keys = [node.name for node in blocks[0] if isinstance(node, Field)]
    if len(blocks) > 1 or len(keys) < len(blocks[0]):
        return lambda obj: jsonpath.first_result(blocks, obj)
    return lambda obj: _followed(obj, keys)


def _followed(value: Json, keys: list[str]) -> tuple[Json, bool]:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None, False
        value = value[key]
    return value, True


def _shown(kind: str) -> _Shown:
    return _SHOWN.get(kind, lambda _value, _now_s: None)


def _string(value: Json, _now_s: float) -> Json:
    if value is None:
        return "<no value>"
    if isinstance(value, dict | list):
        return escaped(encode_sorted(_whole(value))).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    return _go_float(value) if isinstance(value, float) else str(value)


def _integer(value: Json, _now_s: float) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if _INT64.start <= value < _INT64.stop else _OVERFLOW


def _number(value: Json, _now_s: float) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _LARGEST_FLOAT:
        return None
    return _whole(float(value))


def _whole(value: Json) -> Json:
    """Go writes whole numbers without a fraction, so that they have to be integers here."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXPONENT_FROM else value
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _boolean(value: Json, _now_s: float) -> Json:
    return value if isinstance(value, bool) else None


def _date(value: Json, now_s: float) -> Json:
    if not isinstance(value, str):
        return None
    if value in _NO_TIMES:
        return UNKNOWN
    at_s = moment_s(value)
    return INVALID if at_s is None else human_duration(now_s - at_s)


_SHOWN: Final[dict[str, _Shown]] = {
    "boolean": _boolean,
    "date": _date,
    "integer": _integer,
    "number": _number,
    "string": _string,
}


def _go_float(value: float) -> str:
    """As Go's `%v` prints it."""
    number_ = Decimal(repr(value)).normalize()
    exponent = number_.adjusted()
    if exponent in _PLAIN_EXPONENTS:
        return f"{number_:f}"
    first, *rest = map(str, number_.as_tuple().digits)
    sign, fraction = "-" if value < 0 else "", "." if rest else ""
    return f"{sign}{first}{fraction}{''.join(rest)}e{exponent:+03d}"
