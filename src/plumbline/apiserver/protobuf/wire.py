"""Protobuf on the wire: the few primitives that every message is made of, and what is said of bytes that are none.

Reading is as lenient and as strict as the API server's, down to the words. Nothing here looks at where a buffer ends:
whoever runs past the last byte gets an IndexError, and whoever runs past the end of a message finds out afterwards.
"""

from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
CHUNK: Final = 2
GROUP: Final = 3
END_OF_GROUP: Final = 4
FIXED32: Final = 5
_SIZES: Final = {FIXED64: 8, FIXED32: 4}

MORE: Final = 0x80
"""The bit that says that a varint goes on; so a first byte below it is the whole number."""

_LONGEST_VARINT: Final = 10
_INT64_MAX: Final = 2**63 - 1
_UINT64: Final = 2**64 - 1
_INT32_MAX: Final = 2**31 - 1
_UINT32: Final = 2**32 - 1


class Malformed(Exception):
    """Bytes that are not the message they are read as; the text is the reason and never quotes a value."""


ENDED: Final = "unexpected EOF"


def varint(data: bytes, pos: int) -> tuple[int, int]:
    """The unsigned number at *pos*, and where the next thing starts."""
    value = data[pos]
    if value < MORE:
        return value, pos + 1
    value &= 0x7F
    for index in range(1, _LONGEST_VARINT):
        byte = data[pos + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < MORE:
            return value & _UINT64, pos + index + 1
    raise Malformed("proto: integer overflow")


def overrun(start: int, size: int) -> Malformed:
    """What is wrong with *size* bytes from *start* on where there are not so many."""
    negative = start + size > _INT64_MAX
    return Malformed("proto: negative length found during unmarshaling" if negative else ENDED)


def int32(value: int) -> int:
    value &= _UINT32
    return value - _UINT32 - 1 if value > _INT32_MAX else value


def int64(value: int) -> int:
    return value - _UINT64 - 1 if value > _INT64_MAX else value


def text(raw: bytes) -> str:
    """As Go writes a string into JSON: what is not UTF-8 is replaced, byte by byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(_repaired(raw))


def _repaired(raw: bytes) -> list[str]:
    # One look at all of it: decoding again after each fault would take quadratic time.
    kept = raw.decode(errors="surrogateescape")
    return ["\ufffd" if "\udc80" <= char <= "\udcff" else char for char in kept]


def after_unknown(data: bytes, pos: int, end: int, wire_type: int) -> int:
    """Where the value of a field that nobody knows ends; *pos* is where it starts, *end* where its message does."""
    depth = 0
    while True:
        if wire_type == GROUP:
            depth += 1
        elif wire_type == END_OF_GROUP:
            depth -= 1
        else:
            pos = _after_value(data, pos, end, wire_type)
        if depth < 0:
            raise Malformed("proto: unexpected end of group")
        if not depth:
            return pos
        if pos >= end:
            raise Malformed(ENDED)
        tag, pos = varint(data, pos)
        wire_type = tag & 7


def _after_value(data: bytes, pos: int, end: int, wire_type: int) -> int:
    if wire_type == VARINT:
        return varint(data, pos)[1]
    if wire_type == CHUNK:
        size, pos = varint(data, pos)
        if pos + size > end:
            raise overrun(pos, size)
        return pos + size
    if wire_type in _SIZES:
        return pos + _SIZES[wire_type]
    raise Malformed(f"proto: illegal wireType {wire_type}")


def varint_bytes(value: int) -> bytes:
    """*value* as it is written; negative ones as 64 bits."""
    value &= _UINT64
    if value < MORE:
        return bytes((value,))
    written = bytearray()
    while value >= MORE:
        written.append(value & 0x7F | MORE)
        value >>= 7
    written.append(value)
    return bytes(written)
