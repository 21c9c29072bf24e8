"""JSON from outside, under limits.

msgspec reads it and stops by itself at a depth that the stack can bear. But it counts nothing, does not always say
where a fault is, and lets the last of two equal keys win without a word. What it leaves open is looked for token by
token, and only where something is wrong or cannot be ruled out more cheaply.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NoReturn

import msgspec

from plumbline.base.documents.meter import Reading
from plumbline.base.documents.places import REPORTED, Document, Duplicate, Part, Source, spot_of
from plumbline.base.documents.scalars import json_number
from plumbline.base.documents.tokens import (
    entries,
    first_token,
    level_beyond,
    node_beyond,
    number_beyond,
    string_beyond,
    value_end,
)
from plumbline.base.errors import BadDocument
from plumbline.base.json import Json
from plumbline.base.limits import Limits

_OFFSET = re.compile(r"^(?:JSON is malformed: )?(.*) \(byte (\d+)\)$")
_CONTAINERS: Final = frozenset({dict, list})
_ZEROES: Final = bytes.maketrans(b"123456789", b"0" * 9)
_NINETEEN_DIGITS: Final = b"0" * 19  # as many as 2**63 has
_INT64: Final = range(-(2**63), 2**63)


class NotJson(Exception):
    """The text is not JSON at all, so that it may be something else. Faults in what is JSON are raised as they are."""

    def __init__(self, fault: BadDocument) -> None:
        super().__init__(str(fault))
        self.fault = fault


def read_json(text: bytes, part: Part, reading: Reading) -> Document:
    """Read the one value that fills *part* of *text*."""
    source, limits, repeats = reading.source, reading.limits, reading.repeats
    piece = text[part.start : part.end]
    _check_counts(text, part, source, limits)
    try:
        value = _decoder.decode(piece)
        keys = _keys(value, limits.depth)
        if _NINETEEN_DIGITS in piece.translate(_ZEROES):
            value = _in_int64(value)
    except RecursionError:
        spot = spot_of(text, level_beyond(text, part.start, part.end, limits.depth))
        raise source.exceeded(f"it is deeper than {limits.depth} levels", spot) from None
    except (ValueError, OverflowError) as error:
        _refuse(text, part, source, error)
    duplicates: tuple[Duplicate, ...] = ()
    if repeats != "ignore" and not _unique(piece, keys):
        duplicates = tuple(islice(_duplicates(text, part), REPORTED))
    if duplicates and repeats == "refuse":
        raise source.repeated(duplicates[0])
    blank_lines = text.count(b"\n", part.start, first_token(text, part.start, part.end))
    return Document(value, part.lines_before + blank_lines + 1, part, duplicates)


def _check_counts(text: bytes, part: Part, source: Source, limits: Limits) -> None:
    """Refuse what would take too much memory once decoded. Commas and colons in strings are worth a second look."""
    start, end = part.start, part.end
    if sum(text.count(sign, start, end) for sign in (b",", b":", b"{", b"[")) >= limits.nodes:
        beyond = node_beyond(text, start, end, limits.nodes)
        if beyond is not None:
            raise source.exceeded(f"it has more than {limits.nodes:,} nodes", spot_of(text, beyond))
    if end - start > limits.scalar_bytes:
        beyond = string_beyond(text, start, end, limits.scalar_bytes)
        if beyond is not None:
            raise source.exceeded(f"one value has more than {limits.scalar_bytes:,} bytes", spot_of(text, beyond))


def _keys(value: Json, deepest: int) -> int:
    """How many keys all the objects in it have together; RecursionError if it is too deep."""
    keys = 0
    level = [value] if type(value) in _CONTAINERS else []
    while level:
        deepest -= 1
        if deepest < 0:
            raise RecursionError
        below: list[Json] = []
        for container in level:
            if type(container) is dict:
                keys += len(container)
                below += [child for child in container.values() if type(child) in _CONTAINERS]
            else:
                below += [child for child in container if type(child) in _CONTAINERS]
        level = below
    return keys


def _in_int64(value: Json) -> Json:
    """The same with integers that int64 cannot hold as floats, as Kubernetes reads them."""
    if type(value) is dict:
        return {key: _in_int64(child) for key, child in value.items()}
    if type(value) is list:
        return [_in_int64(child) for child in value]
    if type(value) is int and value not in _INT64:
        return json_number(float(value))
    return value


def _unique(piece: bytes, keys: int) -> bool:
    """Whether there are as many keys as there are places that look like the end of one.

    Strings may hold such places too, so False says nothing. Space before the colon would hide one.
    """
    return piece.count(b'":') == keys and not any(gap in piece for gap in (b" :", b"\t:", b"\n:", b"\r:"))


def _duplicates(text: bytes, part: Part) -> Iterator[Duplicate]:
    seen: set[tuple[int, str | int]] = set()
    for entry in entries(text, part.start, part.end):
        place = (entry.container, entry.path[-1])
        if place in seen:
            yield Duplicate(entry.path, *spot_of(text, entry.offset))
        seen.add(place)


def _refuse(text: bytes, part: Part, source: Source, error: Exception) -> NoReturn:
    """Say what and where. The decoder's words are used where they cannot quote a value."""
    start, end = part.start, part.end
    if isinstance(error, UnicodeDecodeError):
        raise source.bad("it is not UTF-8", spot_of(text, start + _undecodable(text[start:end]))) from None
    if known := _OFFSET.match(str(error)):
        raise NotJson(source.bad(f"it is not JSON: {known[1]}", spot_of(text, start + int(known[2])))) from None
    if isinstance(error, msgspec.ValidationError | OverflowError):
        raise source.bad("a number is too large", spot_of(text, number_beyond(text, start, end))) from None
    if value_end(text, start, end) is None:
        raise NotJson(source.bad("it is not JSON: it ends too early", spot_of(text, end))) from None
    raise source.bad(r"an escape such as \ud800 is only half of a character") from None


def _undecodable(piece: bytes) -> int:
    try:
        piece.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _number(text: str) -> int | float:
    return json_number(float(text))


_decoder = msgspec.json.Decoder(float_hook=_number)
