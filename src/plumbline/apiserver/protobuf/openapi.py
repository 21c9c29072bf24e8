"""The OpenAPI v2 document as gnostic's protobuf messages, the one form in which client-go and Argo CD take it.

Their table names, for each message, the key of the document that a field is made of; `x-` stands for all keys that
begin so, `*` for all others: a property may be called `x-`, an extension must. What OpenAPI v2 has no place for is left out, and so is what is of the wrong type: the
schemas of custom resources say more than it can.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from struct import pack
from typing import Final, NamedTuple, TypeAlias

from plumbline.apiserver.protobuf.table import OPENAPI, SCALARS, Field
from plumbline.apiserver.protobuf.wire import CHUNK, FIXED64, VARINT, varint_bytes
from plumbline.base.json import Json, JsonObject, encode

Writer: TypeAlias = Callable[[Json], bytes]
"""The bytes of a message for what stands in the document."""
Writing: TypeAlias = Callable[[str, Json], bytes]
"""The same for a key and its value, with all that the owner needs in front: nothing where it is left out."""

_INT64: Final = range(-(2**63), 2**63)
_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\ufeff\ufffe\uffff]")
"""What JSON may hold as it is and YAML may not."""


def openapi_v2(document: JsonObject) -> bytes:
    """A swagger 2.0 *document* as an `openapi.v2.Document`."""
    return _writer("Document")(document)


class _Keys(NamedTuple):
    known: dict[str, tuple[int, Writing]]
    extensions: tuple[int, Writing] | None
    others: tuple[int, Writing] | None


@cache
def _writer(message: str) -> Writer:
    if message in _UNLIKE_THE_DOCUMENT:
        return _UNLIKE_THE_DOCUMENT[message]
    if message in _CHOICES:
        return _one_of(message)
    compiled: list[_Keys] = []

    def write(value: Json) -> bytes:
        if not isinstance(value, dict):
            return b""
        if not compiled:
            compiled.append(_keys(message))
        known, extensions, others = compiled[0]
        parts: list[tuple[int, bytes]] = []
        for key, child in value.items():
            way = known.get(key) or (extensions if extensions and key.startswith("x-") else others)
            if way:
                parts.append((way[0], way[1](key, child)))
        # Keys come in any order. Readers do not care, but the same document is to give the same bytes.
        parts.sort(key=_number)
        return b"".join([part for _, part in parts])

    return write


def _number(part: tuple[int, bytes]) -> int:
    return part[0]


def _keys(message: str) -> _Keys:
    ways = {field.name: (field.number, _writing(field)) for field in OPENAPI.fields(message)}
    extensions, others = ways.pop("x-", None), ways.pop("*", None)
    return _Keys(ways, extensions, others)


def _one_of(message: str) -> Writer:
    choose = _CHOICES[message]

    def write(value: Json) -> bytes:
        ways = {field.name: field for field in OPENAPI.fields(message)}
        field = ways.get(choose(value)) if isinstance(value, dict) else None
        return _chunk(_tag(field.number, CHUNK), _writer(field.type)(value)) if field else b""

    return write


def _writing(field: Field) -> Writing:
    if field.type in SCALARS and not field.shape:
        return _SCALARS[field.type](field.number)
    tag = _tag(field.number, CHUNK)
    write = _written_text if field.type == "string" else _writer(field.type)
    if field.shape == "{}":
        return lambda key, value: _chunk(tag, _text(_NAME, key) + _chunk(_VALUE, write(value)))
    if field.shape == "[]":
        return lambda _, value: b"".join([_chunk(tag, write(each)) for each in _list(value)])
    return lambda _, value: _chunk(tag, write(value))


def _string(number: int) -> Writing:
    tag = _tag(number, CHUNK)
    return lambda _, value: _text(tag, value) if value else b""


def _bool(number: int) -> Writing:
    true = _tag(number, VARINT) + b"\x01"
    return lambda _, value: true if value is True else b""


def _int64(number: int) -> Writing:
    tag = _tag(number, VARINT)
    return lambda _, value: tag + varint_bytes(value) if type(value) is int and value in _INT64 and value else b""


def _double(number: int) -> Writing:
    tag = _tag(number, FIXED64)

    def write(_: str, value: Json) -> bytes:
        fits = type(value) is float or (type(value) is int and value in _INT64)
        return tag + pack("<d", value) if fits and value else b""

    return write


_SCALARS: Final = {"string": _string, "bool": _bool, "int64": _int64, "double": _double}


def _tag(number: int, wire_type: int) -> bytes:
    return varint_bytes(number << 3 | wire_type)


_NAME: Final = _tag(1, CHUNK)
_VALUE: Final = _tag(2, CHUNK)


def _chunk(tag: bytes, content: bytes) -> bytes:
    return tag + varint_bytes(len(content)) + content


def _text(tag: bytes, value: Json) -> bytes:
    return _chunk(tag, _written_text(value)) if isinstance(value, str) else b""


def _written_text(value: Json) -> bytes:
    return value.encode(errors="replace") if isinstance(value, str) else b""


def _list(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else ()


def _any(value: Json) -> bytes:
    """Readers take YAML, of which JSON is the part that cannot be misread."""
    written = encode(value).decode()
    return _text(_tag(2, CHUNK), _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", written) + "\n")


def _texts(value: Json) -> bytes:
    return b"".join([_text(_NAME, each) for each in ([value] if isinstance(value, str) else _list(value))])


def _items(value: Json) -> bytes:
    schema = _writer("Schema")
    return b"".join([_chunk(_NAME, schema(each)) for each in ([value] if isinstance(value, dict) else _list(value))])


def _additional_properties(value: Json) -> bytes:
    if isinstance(value, bool):
        return _tag(2, VARINT) + bytes([value])
    return _chunk(_NAME, _writer("Schema")(value))


_UNLIKE_THE_DOCUMENT: Final[dict[str, Writer]] = {
    "AdditionalPropertiesItem": _additional_properties,
    "Any": _any,
    "ItemsItem": _items,
    "StringArray": _texts,
    "TypeItem": _texts,
}
"""Messages where the document has something else than an object with the same keys."""

_FLOWS: Final = {
    "accessCode": "AccessCode",
    "application": "Application",
    "implicit": "Implicit",
    "password": "Password",
}


def _security(value: JsonObject) -> str:
    if value.get("type") == "oauth2":
        return f"oauth2{_FLOWS.get(str(value.get('flow')), '')}Security"
    return {"apiKey": "apiKeySecurity", "basic": "basicAuthenticationSecurity"}.get(str(value.get("type")), "")


_CHOICES: Final[dict[str, Callable[[JsonObject], str]]] = {
    "NonBodyParameter": lambda value: f"{value.get('in')}ParameterSubSchema",
    "Parameter": lambda value: "bodyParameter" if value.get("in") == "body" else "nonBodyParameter",
    "ParametersItem": lambda value: "jsonReference" if "$ref" in value else "parameter",
    "ResponseValue": lambda value: "jsonReference" if "$ref" in value else "response",
    "SchemaItem": lambda value: "fileSchema" if value.get("type") == "file" else "schema",
    "SecurityDefinitionsItem": _security,
}
"""Messages with one of several fields, all made of the same object: which one."""
