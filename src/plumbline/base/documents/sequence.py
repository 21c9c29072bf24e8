"""Several YAML documents in one text, in the form of go-yaml 3: lists are indented, and no line is broken.

What other tools wrote in that form stays the same byte by byte where its content does.
"""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from typing import Final

from yaml import (  # noqa: TID251 - this and dump.py are the one place
    DocumentEndEvent,
    DocumentStartEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from yaml._yaml import CEmitter  # noqa: TID251 - same

from plumbline.base.documents.dump import compared, in_order, means_text
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import DEEPEST

_STEP: Final = "  "
_PLAIN: Final = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*\Z")
_LONGEST_KEY: Final = 128
_WIDTH: Final = 2**31 - 1
_LARGE: Final = 6
_SMALL: Final = -4


def dump_documents(values: Iterable[Json]) -> str:
    """Each value as a document of its own, keys sorted, a line `---` between two."""
    return "---\n".join("".join(_document(value)) for value in values)


def _document(value: Json) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield from _block(value, "", "", DEEPEST)
    else:
        yield f"{_inline(value, '')}\n"


def _block(value: Json, indent: str, first: str, levels: int) -> Iterator[str]:
    """A mapping or list, its lines behind *indent*, the first of them behind *first*."""
    if levels < 0:
        raise InvalidInput("The value cannot be written as YAML", why=f"it is deeper than {DEEPEST} levels")
    if isinstance(value, dict):
        for key in in_order(value, _compared):
            if len(key.encode()) <= _LONGEST_KEY and "\n" not in key:
                yield f"{first}{_line(key)}:"
                yield from _below(value[key], indent, levels)
            else:  # what no simple key can be is marked as one
                yield f"{first}? {_inline(key, indent + _STEP)}\n{indent}:"
                yield from _beside(value[key], indent, levels)
            first = indent
    elif isinstance(value, list | tuple):
        for item in value:
            yield f"{first}-"
            yield from _beside(item, indent, levels)
            first = indent


def _beside(value: Json, indent: str, levels: int) -> Iterator[str]:
    """What begins in the line of its mark."""
    inner = indent + _STEP
    if _nested(value):
        yield from _block(value, inner, " ", levels - 1)
    else:
        yield f" {_inline(value, inner)}\n"


def _below(value: Json, indent: str, levels: int) -> Iterator[str]:
    """What stands behind a key: below it, further in, where it has several parts."""
    if _nested(value):
        yield "\n"
        inner = indent + _STEP
        yield from _block(value, inner, inner, levels - 1)
    else:
        yield f" {_inline(value, indent + _STEP)}\n"


def _nested(value: Json) -> bool:
    return isinstance(value, dict | list | tuple) and bool(value)


def _inline(value: Json, indent: str) -> str:
    match value:
        case str():
            return _block_of_lines(value, indent) if "\n" in value else _line(value)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case dict():
            return "{}"
        case _:
            return "[]"


def _line(text: str) -> str:
    if _PLAIN.match(text) and means_text(text):
        return text
    return _written(text, "" if means_text(text) else '"')


def _block_of_lines(text: str, indent: str) -> str:
    if not _written(text.replace("\t", "t"), "|").startswith("|"):  # to go-yaml a tab is as good as a letter
        return _written(text, '"')
    hint = str(len(_STEP)) if text[0] in " \n" else ""
    keeps = "+" if text == "\n" or text.endswith("\n\n") else "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return "\n".join([f"|{hint}{keeps}", *(f"{indent}{line}" if line else "" for line in lines)])


@lru_cache(maxsize=1024)
def _written(text: str, style: str) -> str:
    """As libyaml writes it, which knows what needs quotes, and which."""
    out = StringIO()
    emitter = CEmitter(out, allow_unicode=True, width=_WIDTH)
    emitter.emit(StreamStartEvent(encoding="utf-8"))
    emitter.emit(DocumentStartEvent(explicit=False))
    emitter.emit(ScalarEvent(None, None, (True, True), text, style=style or None))
    emitter.emit(DocumentEndEvent(explicit=False))
    emitter.emit(StreamEndEvent())
    return out.getvalue().removesuffix("...\n").removesuffix("\n")


def _float(value: float) -> str:
    """In Go's shortest form: with an exponent from a million on and below a ten-thousandth."""
    if value == 0:
        return "-0" if repr(value).startswith("-") else "0"
    digits, _, exponent = f"{Decimal(repr(value)):e}".partition("e")
    mantissa = digits.rstrip("0").removesuffix(".") if "." in digits else digits
    if _SMALL <= int(exponent) < _LARGE:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    return f"{mantissa}e{int(exponent):+03d}"


def _compared(left: str, right: str) -> int:
    """As go-yaml 2 has it, but for what comes right after a digit: there letters are first."""
    at = next((index for index, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), 0)
    if at and left[at - 1].isdecimal() and left[at].isalpha() != right[at].isalpha():
        return -1 if left[at].isalpha() else 1
    return compared(left, right)
