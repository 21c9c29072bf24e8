"""YAML as `kubectl get -o yaml` prints it, which `load_document` reads back to the same value."""

import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cmp_to_key
from io import StringIO
from itertools import takewhile
from typing import Any, Final, TypeAlias

from yaml import (  # noqa: TID251 - this is the one place
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from yaml._yaml import CEmitter  # noqa: TID251 - this is the one place

from plumbline.base.documents.scalars import go_float, looks_like_time, resolve
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import DEEPEST

_DOCUMENT_END: Final = "...\n"
"""What libyaml puts where a block scalar keeps its last newlines. Only itself writes that at the margin."""
_MERGE: Final = "<<"
_EITHER_WAY: Final = (True, True)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
Compare: TypeAlias = Callable[[str, str], int]
_UINT64_END: Final = 2**64


def dump_yaml(value: Json) -> str:
    """One document with sorted keys. Text that would be read as something else is quoted, so nothing changes type."""
    out = StringIO()
    emitter = CEmitter(out, allow_unicode=True)
    emitter.emit(StreamStartEvent(encoding="utf-8"))
    emitter.emit(DocumentStartEvent(explicit=False))
    for event in _events(value, DEEPEST):
        emitter.emit(event)
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    return out.getvalue().removesuffix(_DOCUMENT_END)


def _events(value: Json, levels: int) -> Iterator[Event]:
    if levels < 0:
        raise InvalidInput("The value cannot be written as YAML", why=f"it is deeper than {DEEPEST} levels")
    match value:
        case dict():
            yield MappingStartEvent(None, None, implicit=True, flow_style=False)
            for key in in_order(value):
                yield _text(key) if key != _MERGE else ScalarEvent(None, None, _EITHER_WAY, key, style='"')
                yield from _events(value[key], levels - 1)
            yield MappingEndEvent()
        case list() | tuple():
            yield SequenceStartEvent(None, None, implicit=True, flow_style=False)
            for item in value:
                yield from _events(item, levels - 1)
            yield SequenceEndEvent()
        case str():
            yield _text(value)
        case _:
            yield ScalarEvent(None, None, _EITHER_WAY, _literal(value))


def _text(text: str) -> Event:
    if "\n" in text:
        return ScalarEvent(None, None, _EITHER_WAY, text, style="|")
    return ScalarEvent(None, None, _EITHER_WAY, text, style=None if means_text(text) else '"')


def means_text(text: str) -> bool:
    """Whether it is read as that very text where it stands without quotes."""
    return resolve(text) == text and not looks_like_time(text) and not _BASE_60.match(text)


def _literal(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() if math.isfinite(value):
            written = Decimal(repr(value))
            return str(int(written)) if value.is_integer() and abs(written) < _UINT64_END else go_float(f"{written:e}")
        case _:
            raise InvalidInput(
                "The value cannot be written as YAML", why=f"JSON has no {type(value).__name__} such as this"
            )


def in_order(mapping: dict[str, Any], compare: Compare | None = None) -> list[str]:
    """Keys in the order of go-yaml: letters last, and runs of digits by the number that they are."""
    plain = sorted(mapping)
    if all(map(str.isalpha, plain)):
        return plain
    # That order has circles (a9 < a10 < a1b < a9). Starting from sorted keys, equal mappings come out equal all the same.
    return sorted(plain, key=cmp_to_key(compare or compared))


def compared(left: str, right: str) -> int:
    """Which of two keys comes first."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one == other:
            continue
        if one.isalpha() or other.isalpha():
            return _order((one.isalpha(), one), (other.isalpha(), other))
        inside = _inside_number(left, index) if "0" in {one, other} else False
        return _order((*_digits(left, index, inside), one), (*_digits(right, index, inside), other))
    return _order(len(left), len(right))


def _inside_number(text: str, index: int) -> bool:
    """Whether digits other than zero come right before: then a zero here counts."""
    before = takewhile(str.isdecimal, reversed(text[:index]))
    return any(digit != "0" for digit in before)


def _digits(text: str, index: int, inside: bool) -> tuple[int, str, int]:  # noqa: FBT001 - the two sides share it
    """The number that begins there, as something of any length that compares like it, and how long it is written."""
    run = "".join(takewhile(str.isdecimal, text[index:]))
    number = f"1{run}" if inside else run.lstrip("0")
    return len(number), number, len(run)


def _order(left: Any, right: Any) -> int:
    return (left > right) - (left < right)
