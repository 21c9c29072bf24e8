"""The grammar of field paths, and their one printed form."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from plumbline.base.errors import BadFieldPath
from plumbline.kube.gotext import quoted

Segment: TypeAlias = str | int
"""A field's name, or an index into a list."""

WILDCARD: Final = "*"
_BYTES: Final = 16 * 1024
_INDEX: Final = re.compile(r"[0-9]+")
_LARGEST_INDEX: Final = 2**32 - 1
_FIELD_END: Final = re.compile(r"[].[]")


class FieldPath(tuple[Segment, ...]):
    """Where a value is: the segments from the root down. It prints as the text that parses to it."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> "FieldPath":
        """Read *text*, or raise BadFieldPath with what was wrong and at which byte."""
        if len(text) > _BYTES:
            raise BadFieldPath(f"cannot parse path {quoted(text[:80])}...", why=f"it is longer than {_BYTES} bytes")
        return _parsed(text)

    def upto(self, length: int) -> "FieldPath":
        """The first *length* segments."""
        return FieldPath(self[:length])

    def replaced(self, index: int, segment: Segment) -> "FieldPath":
        return FieldPath((*self[:index], segment, *self[index + 1 :]))

    def __str__(self) -> str:
        return "".join(map(_printed, self)).removeprefix(".")

    def __repr__(self) -> str:
        return f"FieldPath({str(self)!r})"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> FieldPath:
    return FieldPath(_segments(text))


def _printed(segment: Segment) -> str:
    if isinstance(segment, int) or segment == WILDCARD or "." in segment:
        return f"[{segment}]"
    return f".{segment}"


def _segments(text: str) -> Iterator[Segment]:
    at = 0
    while at < len(text):
        if text[at] == ".":
            at = _after_period(text, at)
        if text[at] == "[":
            inside, at = _bracketed(text, at)
            yield _field_or_index(inside)
            continue
        end = _FIELD_END.search(text, at)
        stop = end.start() if end else len(text)
        if end and end[0] == "]":
            raise _unexpected(text, stop)
        if stop > at:
            yield _field(text[at:stop])
        at = stop


def _after_period(text: str, at: int) -> int:
    if at in {0, len(text) - 1}:
        raise _unexpected(text, at)
    if text[at + 1] in ".[":
        raise _unexpected(text, at + 1)
    return at + 1


def _bracketed(text: str, at: int) -> tuple[str, int]:
    """What stands between the bracket *at* and its end, where periods mean nothing, and the place after it."""
    close = text.find("]", at)
    if close < 0:
        raise _bad(text, "unterminated '['", at)
    if close == at + 1:
        raise _unexpected(text, close)
    nested = text.find("[", at + 1, close)
    if nested >= 0:
        raise _unexpected(text, nested)
    return text[at + 1 : close], close + 1


def _field_or_index(text: str) -> Segment:
    if _INDEX.fullmatch(text) and len(text.lstrip("0")) <= len(str(_LARGEST_INDEX)) and int(text) <= _LARGEST_INDEX:
        return int(text)
    return _field(text)


def _field(text: str) -> str:
    return text.strip("'\"")


def _unexpected(text: str, at: int) -> BadFieldPath:
    return _bad(text, f"unexpected '{text[at]}'", at)


def _bad(text: str, fault: str, at: int) -> BadFieldPath:
    return BadFieldPath(
        f"cannot parse path {quoted(text)}",
        why=f"{fault} at position {len(text[:at].encode())}",
        hint="Write paths as spec.list[0].name, and names with dots as metadata.annotations['example.org/a.b'].",
    )
