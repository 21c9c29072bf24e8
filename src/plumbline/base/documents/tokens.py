"""JSON seen as tokens: slow, and used only to find the place of what is already known to be there."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from plumbline.base.documents.places import Path

_STRING: Final = rb'"(?:[^"\\]++|\\.)*"'
_TOKEN = re.compile(_STRING + rb'|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)
_NODE = re.compile(_STRING + rb'|[{\[]|[^\s"{}\[\],:]+', re.DOTALL)
_BRACKET = re.compile(_STRING + rb"|[{}\[\]]", re.DOTALL)
_NUMBER = re.compile(_STRING + rb"|[-+.0-9eE]+", re.DOTALL)
_OPENING: Final = frozenset(b"{[")
_QUOTE: Final = ord('"')
_COMMA: Final = ord(",")
_BRACE: Final = ord("{")


class Entry(NamedTuple):
    """A key or an item of a list, where it is written, and the number of the container that it is in."""

    container: int
    path: Path
    offset: int


def first_token(text: bytes, start: int, end: int) -> int:
    match = _TOKEN.search(text, start, end)
    return match.start() if match else start


def node_beyond(text: bytes, start: int, end: int, limit: int) -> int | None:
    """Where the first node after *limit* others is."""
    for count, match in enumerate(_NODE.finditer(text, start, end)):
        if count == limit:
            return match.start()
    return None


def level_beyond(text: bytes, start: int, end: int, limit: int) -> int:
    """Where the first bracket that opens a level below *limit* is, or *start*."""
    depth = 0
    for match in _BRACKET.finditer(text, start, end):
        first = text[match.start()]
        if first in _OPENING:
            depth += 1
            if depth > limit:
                return match.start()
        elif first != _QUOTE:
            depth -= 1
    return start


def number_beyond(text: bytes, start: int, end: int) -> int:
    """Where the first number that no float can hold is, or *start*."""
    for match in _NUMBER.finditer(text, start, end):
        if match[0][0] != _QUOTE and _infinite(match[0]):
            return match.start()
    return start


def string_beyond(text: bytes, start: int, end: int, limit: int) -> int | None:
    """Where the first string longer than *limit* is, counted with its quotes and as it is written."""
    for match in _NODE.finditer(text, start, end):
        if match.end() - match.start() > limit:
            return match.start()
    return None


def value_end(text: bytes, start: int, end: int) -> int | None:
    """Where the object that opens at *start* closes, brackets and strings alone considered."""
    depth = 0
    for match in _BRACKET.finditer(text, start, end):
        first = text[match.start()]
        if first in _OPENING:
            depth += 1
        elif first != _QUOTE:
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def entries(text: bytes, start: int, end: int) -> Iterator[Entry]:
    """Every key and item of the value at *start*, which is known to be well-formed."""
    stack: list[tuple[int, bool]] = []
    path: list[str | int] = []
    containers = 0
    key_is_next = False
    for match in _TOKEN.finditer(text, start, end):
        first = text[match.start()]
        if first in b"}]":
            stack.pop()
            path.pop()
        elif first == _COMMA:
            key_is_next = stack[-1][1]
            if not key_is_next:
                path[-1] = int(path[-1]) + 1
        elif first != ord(":"):
            in_list = bool(stack) and not stack[-1][1]
            if key_is_next:
                path[-1] = msgspec.json.decode(match[0], type=str)
            if key_is_next or in_list:
                yield Entry(stack[-1][0], tuple(path), match.start())
            key_is_next = first == _BRACE
            if first in _OPENING:
                stack.append((containers, first == _BRACE))
                path.append("" if first == _BRACE else 0)
                containers += 1


def _infinite(number: bytes) -> bool:
    try:
        return abs(float(number)) == float("inf")
    except ValueError:
        return False
