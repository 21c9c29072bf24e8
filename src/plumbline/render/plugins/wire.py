"""The few messages that a sidecar is sent, and those that it answers with, as protobuf has them on the wire."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT: Final = 10
_SEVEN: Final = 0x7F
_MORE: Final = 0x80


class Archive(NamedTuple):
    """What is sent ahead of the files."""

    app_name: str
    place: str
    checksum: str
    size: int
    variables: Mapping[str, str]


def announced(archive: Archive) -> bytes:
    """The first message of a stream."""
    entries = (_text(1, name) + _text(2, value) for name, value in archive.variables.items())
    metadata = (
        _text(1, archive.app_name)
        + _text(2, archive.place)
        + _text(3, archive.checksum)
        + (_tag(4, _VARINT) + _varint(archive.size) if archive.size else b"")
        + b"".join(_field(5, entry) for entry in entries)
    )
    return _field(1, metadata)


def piece(content: bytes) -> bytes:
    """A later one, with some of the files."""
    return _field(2, _field(1, content))


def manifests(answer: bytes) -> list[bytes]:
    return [value for number, value in _fields(answer) if number == 1 and isinstance(value, bytes)]


def first_flag(answer: bytes) -> bool:
    """The first field of an answer that is a boolean: whether a repository is supported, or discovery configured."""
    return any(bool(value) for number, value in _fields(answer) if number == 1 and isinstance(value, int))


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode("utf-8", "replace")) if text else b""


def _field(number: int, content: bytes) -> bytes:
    return _tag(number, _BYTES) + _varint(len(content)) + content


def _tag(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > _SEVEN:
        out.append(value & _SEVEN | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        kind = tag & 0b111
        if kind == _VARINT:
            value, at = _read_varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _read_varint(message, at)
        elif kind in {_FIXED64, _FIXED32}:
            size = 8 if kind == _FIXED64 else 4
        else:
            raise _garbled()
        if at + size > len(message):
            raise _garbled()
        yield tag >> 3, message[at : at + size]
        at += size


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(_LONGEST_VARINT):
        if at >= len(message):
            raise _garbled()
        byte = message[at]
        at += 1
        value |= (byte & _SEVEN) << 7 * shift
        if byte <= _SEVEN:
            return value, at
    raise _garbled()


def _garbled() -> InvalidInput:
    return InvalidInput("Cannot read what the plugin answered", why="it is no message of the protocol")
