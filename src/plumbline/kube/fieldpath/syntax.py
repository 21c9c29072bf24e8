"""What field paths say, and how they are written."""

import re
from functools import lru_cache
from typing import Final, TypeAlias

from plumbline.base.errors import BadFieldPath
from plumbline.kube.gotext import quoted

Segments: TypeAlias = tuple[str | int, ...]
"""Fields are texts, places in arrays are numbers. The field `*` stands for all that is there."""

WILDCARD: Final = "*"
_MOST_SEGMENTS: Final = 200
"""Deeper objects cannot be stored, and readers of them recurse."""
_MOST_INDEX: Final = 2**32 - 1
_QUOTES: Final = "'\""
_MOST_KEPT: Final = 8192

_field_end: Final = re.compile(r"[.\[\]]").search
_digits: Final = re.compile(r"[0-9]+").fullmatch


def parsed(text: str) -> Segments:
    """Raises BadFieldPath, in upstream's words."""
    return _kept(text)


@lru_cache(maxsize=_MOST_KEPT)
def _kept(text: str) -> Segments:
    segments: list[str | int] = []
    at = 0
    while True:
        end = _field_end(text, at)
        if end is None:
            return _bounded(text, segments, text[at:])
        segments.extend(_field(text[at : end.start()]))
        at = end.start()
        if end[0] == "]":
            raise _unexpected(text, at)
        if end[0] == "[":
            at, inside = _bracketed(text, at)
            segments.append(inside)
            continue
        if at in {0, len(text) - 1}:
            raise _unexpected(text, at)
        at += 1
        if text[at] in ".[":
            raise _unexpected(text, at)


def _bounded(text: str, segments: list[str | int], last: str) -> Segments:
    segments.extend(_field(last))
    if len(segments) > _MOST_SEGMENTS:
        raise BadFieldPath(
            f"cannot parse path {quoted(text[:80])}...: it has more than {_MOST_SEGMENTS} segments",
            hint="Objects are never that deep; check what the path is made of.",
        )
    return tuple(segments)


def _field(text: str) -> tuple[str, ...]:
    return (text.strip(_QUOTES),) if text else ()


def _bracketed(text: str, at: int) -> tuple[int, str | int]:
    """Where reading goes on after the bracket that opens at *at*, and what is in it."""
    close = text.find("]", at)
    if close < 0:
        raise _fault(text, f"unterminated {_rune('[')}", at)
    if close == at + 1:
        raise _unexpected(text, close)
    again = text.find("[", at + 1, close)
    if again >= 0:
        raise _unexpected(text, again)
    inside = text[at + 1 : close]
    # Ten digits may be too many for an index already; a thousand would be slow to read.
    if _digits(inside) and len(inside.lstrip("0")) <= 10 and int(inside) <= _MOST_INDEX:  # noqa: PLR2004 - as said
        return close + 1, int(inside)
    return close + 1, inside.strip(_QUOTES)


def _unexpected(text: str, at: int) -> BadFieldPath:
    return _fault(text, f"unexpected {_rune(text[at])}", at)


def _rune(char: str) -> str:
    return f"'{char}'"


def _fault(text: str, why: str, at: int) -> BadFieldPath:
    position = len(text[:at].encode(errors="surrogateescape"))
    return BadFieldPath(f"cannot parse path {quoted(text)}: {why} at position {position}")


def text_of(segments: Segments) -> str:
    """How upstream writes it, which is not always how it was written, and not always readable again."""
    parts: list[str] = []
    for each in segments:
        if isinstance(each, int) or each == WILDCARD or "." in each:
            parts.append(f"[{each}]")
        else:
            parts.append(f".{each}")
    return "".join(parts).removeprefix(".")
