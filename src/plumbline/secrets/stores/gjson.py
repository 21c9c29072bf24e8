"""Paths into JSON as gjson reads them, over text that is left as it was written.

Spoken are names, escapes, wildcards, indexes, `#`, queries and pipes. Modifiers other than `@this`, multipaths, literals and
lines are refused and not overlooked: what is overlooked looks like a value that is gone. Of a name that an object has twice the
last one counts, as everywhere else in this program; gjson takes the first.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from msgspec import DecodeError, Raw

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import decode
from plumbline.secrets.stores.gjsonpath import (
    ArrayStep,
    Query,
    array_step,
    matches_wildcard,
    object_step,
    split_at_pipe,
)

PATH_LIMIT = 1024
"""Letters of a path; queries nest, and the stack is finite."""

Text: TypeAlias = bytes
"""One JSON value, spelt as it is in the document."""

_MODIFIERS = frozenset(
    (
        "dig",
        "flatten",
        "fromstr",
        "group",
        "join",
        "keys",
        "pretty",
        "reverse",
        "this",
        "tostr",
        "ugly",
        "valid",
        "values",
    )
)

_word = re.compile(r"[^.|:]*").match


class Found(NamedTuple):
    """A value, and what of the path is still to be asked of it."""

    text: Text
    pipe: str | None = None


def members(text: Text) -> dict[str, Text] | None:
    """Of an object; None for anything else that is JSON."""
    if text[:1] != b"{":
        return None
    return {name: bytes(raw) for name, raw in decode(text, type=dict[str, Raw]).items()}


def elements(text: Text) -> list[Text]:
    return [bytes(raw) for raw in decode(text, type=list[Raw])] if text[:1] == b"[" else []


def found(text: Text, path: str) -> Text | None:
    """What the path leads to first, or None."""
    if len(path) > PATH_LIMIT:
        raise LimitExceeded("The property cannot be read", why=f"It has more than {PATH_LIMIT} letters")
    try:
        return _found(text, path)
    except (DecodeError, RecursionError):
        raise InvalidInput("The property cannot be read", why="The secret is not JSON, or nested too deeply") from None


def _found(text: Text, path: str) -> Text | None:
    name = _modifier(path)
    if name:
        return _modified(text, path, name)
    at = _in_object(text, path) if text[:1] == b"{" else _in_array(text, path) if text[:1] == b"[" else None
    if at is None or at.pipe is None:
        return at.text if at else None
    return _found(at.text, at.pipe)


def _modified(text: Text, path: str, name: str) -> Text | None:
    if name != "@this":
        raise InvalidInput(
            "The property cannot be read",
            why=f"It uses {name!r} of gjson, which is not spoken here",
            hint="Take the whole secret and pick the part in target.template.",
        )
    rest = path.removeprefix("@this")
    return _found(text, rest[1:]) if rest[:1] in (".", "|") else text


def _modifier(path: str) -> str:
    """What at the beginning of the path is no name, or nothing."""
    if not path[1:]:
        return ""
    if path[0] in "[{!" or path.startswith(".."):
        return ".." if path[0] == "." else path[0]
    word = _word(path, 1)
    return f"@{word[0]}" if path[0] == "@" and word and word[0] in _MODIFIERS else ""


def _in_object(text: Text, path: str) -> Found | None:
    step = object_step(path, _modifier)
    for name, value in (members(text) or {}).items():
        if matches_wildcard(name, step.name) if step.wild else name == step.name:
            if step.rest is None:
                return Found(value, step.pipe)
            below = _below(value, step.rest)
            if below:
                return below
    return None


def _below(text: Text, path: str) -> Found | None:
    if text[:1] == b"{":
        return _in_object(text, path)
    return _in_array(text, path) if text[:1] == b"[" else None


def _in_array(text: Text, path: str) -> Found | None:
    step = array_step(path, _modifier)
    of = elements(text)
    if step.query:
        return _queried(of, step, step.query)
    if step.each is not None:
        left, pipe = split_at_pipe(step.each)
        return Found(_joined(_found(each, left) for each in of), pipe)
    if step.name == "#":
        return Found(b"%d" % len(of), step.pipe)
    index = int(step.name) if step.name.isascii() and step.name.isdigit() else len(of)
    if index >= len(of):
        return None
    return Found(of[index], step.pipe) if step.rest is None else _below(of[index], step.rest)


def _queried(of: list[Text], step: ArrayStep, query: Query) -> Found | None:
    fitting = [each for each in of if _fits(each, query)]
    if step.rest is None:
        wanted: list[Text | None] = [*fitting]
        pipe = step.pipe
    else:
        left, pipe = split_at_pipe(step.rest)
        # gjson looks for the pipe in what follows a query when something fits it, and not before.
        pipe = pipe if fitting else None
        wanted = [_found(each, left) for each in (fitting if query.all else fitting[:1])]
    if query.all:
        return Found(_joined(wanted), pipe)
    return Found(wanted[0], pipe) if wanted and wanted[0] is not None else None


def _joined(texts: Iterable[Text | None]) -> Text:
    return b"[" + b",".join(text for text in texts if text is not None) + b"]"


def _fits(text: Text, query: Query) -> bool:
    value = _found(text, query.path) if query.path or text[:1] in (b"{", b"[") else text
    return query.fits(None if value is None else decode(value), exists=value is not None)
