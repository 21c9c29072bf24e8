"""Fields that are no messages: how each is read, and how it gets into its object."""

from binascii import b2a_base64
from collections.abc import Callable
from math import isfinite
from struct import Struct
from typing import Final

from plumbline.apiserver.protobuf.reading import ChunkStep, NumberStep, Reading, Value
from plumbline.apiserver.protobuf.wire import ENDED, Malformed, int32, int64, text, varint
from plumbline.base.documents.scalars import json_number
from plumbline.base.json import Json, JsonObject

_DOUBLE: Final = Struct("<d")

NUMBERS: Final[dict[str, Callable[[int], Json]]] = {"bool": bool, "double": float, "int32": int32, "int64": int64}
ZEROES: Final[dict[str, Json]] = {
    "bool": False,
    "bytes": None,
    "double": 0,
    "int32": 0,
    "int64": 0,
    "raw": None,
    "string": "",
}


def _string(data: bytes, pos: int, stop: int, _: Reading) -> str:
    return text(data[pos:stop])


def _base64(data: bytes, pos: int, stop: int, _: Reading) -> str:
    return b2a_base64(data[pos:stop], newline=False).decode()


def _raw(data: bytes, pos: int, stop: int, _: Reading) -> bytes:
    return data[pos:stop]


CHUNKS: Final[dict[str, Value]] = {"bytes": _base64, "raw": _raw, "string": _string}


def kept_text(name: str) -> ChunkStep:
    def step(data: bytes, pos: int, stop: int, out: JsonObject, _: Reading) -> None:
        out[name] = text(data[pos:stop])

    return step


def text_if_any(name: str) -> ChunkStep:
    def step(data: bytes, pos: int, stop: int, out: JsonObject, _: Reading) -> None:
        if pos < stop:
            out[name] = text(data[pos:stop])
        else:
            out.pop(name, None)

    return step


def kept_number(name: str, read: Callable[[int], Json]) -> NumberStep:
    def step(value: int, out: JsonObject) -> None:
        out[name] = read(value)

    return step


def number_if_any(name: str, read: Callable[[int], Json]) -> NumberStep:
    def step(value: int, out: JsonObject) -> None:
        number = read(value)
        if number:
            out[name] = number
        else:
            out.pop(name, None)

    return step


def number_item(name: str, read: Callable[[int], Json]) -> NumberStep:
    def step(value: int, out: JsonObject) -> None:
        items = out.get(name)
        if items is None:
            out[name] = [read(value)]
        else:
            items.append(read(value))

    return step


def packed(name: str, read: Callable[[int], Json]) -> ChunkStep:
    item = number_item(name, read)

    def step(data: bytes, pos: int, stop: int, out: JsonObject, reading: Reading) -> None:
        while pos < stop:
            reading.spend()
            value, pos = varint(data, pos)
            item(value, out)
        if pos > stop:
            raise Malformed(ENDED)

    return step


def double(data: bytes, pos: int) -> int | float:
    """A number as it is after Go has written it into JSON, where 1.0 is 1."""
    if pos + _DOUBLE.size > len(data):
        raise Malformed(ENDED)
    (value,) = _DOUBLE.unpack_from(data, pos)
    if not isfinite(value):
        raise Malformed("json: unsupported value: infinity or not a number")
    return json_number(value)
