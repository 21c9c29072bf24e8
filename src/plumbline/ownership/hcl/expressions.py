"""Expressions, as far as they are literal: texts with holes, numbers, references, lists and objects.

Operators, conditions, calls and loops are `UNKNOWN`. Whoever wants their values runs Terraform and reads the plan.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.base.limits import KIB
from plumbline.ownership.external import Partial
from plumbline.ownership.hcl.tokens import Template, Token

UNKNOWN: Final = Partial()
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_OPEN: Final = frozenset(_CLOSING)
_CLOSED: Final = frozenset(_CLOSING.values())
_LONGEST: Final = 16 * KIB
"""Longer texts name nothing, and a few that repeat each other could fill the memory."""
_DIGITS: Final = 19
"""Of a whole number. Python takes long for very long ones, and nothing is numbered like that."""
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


class Reference(NamedTuple):
    """`var.name`, `local.name`, `aws_db_instance.main.id`, `each.key`."""

    steps: tuple[str, ...]


Expression: TypeAlias = Any
"""A Template, a Reference, a number, true, false, null, a list or dict of expressions, or UNKNOWN."""

Lookup: TypeAlias = Callable[[Reference], Any]
"""The value of a reference; UNKNOWN where there is none to be had."""


def expression(tokens: Sequence[Token]) -> Expression:
    words = _stripped(tokens)
    if not words:
        return UNKNOWN
    if len(words) == 1:
        return _single(words[0])
    first = words[0].value
    if isinstance(first, str) and first in _OPEN and _matching(words) == len(words) - 1:
        inside = words[1:-1]
        return expression(inside) if first == "(" else _list(inside) if first == "[" else _object(inside)
    return _reference(words)


def value(expression_: Expression, lookup: Lookup) -> Any:
    """The value as far as it is known: a text is a str, or a `Partial` where it has holes that nobody can fill."""
    if isinstance(expression_, Template):
        return _filled(expression_, lookup)
    if isinstance(expression_, Reference):
        return lookup(expression_)
    if isinstance(expression_, list):
        return [value(each, lookup) for each in expression_]
    if isinstance(expression_, dict):
        return {key: value(each, lookup) for key, each in expression_.items()}
    return expression_


def _filled(template: Template, lookup: Lookup) -> Any:
    parts = template.parts
    if len(parts) == 1 and isinstance(parts[0], tuple):
        # A hole and nothing around it keeps its type.
        return value(expression(parts[0]), lookup)
    texts = [part if isinstance(part, str) else _in_text(part, lookup) for part in parts]
    joined = "".join(text if isinstance(text, str) else text.pattern for text in texts)
    if len(joined) > _LONGEST:
        return UNKNOWN
    return joined if all(isinstance(text, str) for text in texts) else Partial(joined)


def _in_text(part: "tuple[Token, ...] | None", lookup: Lookup) -> str | Partial:
    found = value(expression(part), lookup) if part is not None else UNKNOWN
    if isinstance(found, str | Partial):
        return found
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(found) if isinstance(found, int | float) else UNKNOWN


def _single(word: Token) -> Expression:
    if isinstance(word.value, Template):
        return word.value
    if word.kind == "number":
        return int(word.value) if word.value.isdigit() and len(word.value) <= _DIGITS else float(word.value)
    if word.kind != "name":
        return UNKNOWN
    return _WORDS[word.value] if word.value in _WORDS else Reference((word.value,))


def _reference(words: Sequence[Token]) -> Expression:
    steps: list[str] = []
    for at, word in enumerate(words):
        if at % 2 == 1:
            if word.value != ".":
                return UNKNOWN
        elif word.kind not in {"name", "number"} or not isinstance(word.value, str):
            return UNKNOWN
        else:
            steps.append(word.value)
    return Reference(tuple(steps)) if len(words) % 2 == 1 else UNKNOWN


def _list(inside: Sequence[Token]) -> Expression:
    if inside and inside[0].value == "for":
        return UNKNOWN
    return [expression(item) for item in _split(inside, {","}) if _stripped(item)]


def _object(inside: Sequence[Token]) -> Expression:
    words = _stripped(inside)
    if words and words[0].value == "for":
        return UNKNOWN
    found: dict[str, Expression] = {}
    for item in _split(inside, {",", "\n"}):
        kept = _stripped(item)
        if not kept:
            continue
        key, rest = _key(kept)
        if key is None:
            return UNKNOWN
        found[key] = expression(rest)
    return found


def _key(item: Sequence[Token]) -> tuple[str | None, Sequence[Token]]:
    first = item[0].value
    named = len(item) > 1 and item[1].value in {"=", ":"}
    if not named:
        return None, ()
    if isinstance(first, Template):
        text = first.parts[0] if len(first.parts) == 1 else None
        return text if isinstance(text, str) else None, item[2:]
    return (first if item[0].kind in {"name", "number"} else None), item[2:]


def _split(words: Sequence[Token], marks: set[str]) -> Iterator[Sequence[Token]]:
    """The pieces between *marks* that are in no bracket."""
    start = depth = 0
    for at, word in enumerate(words):
        mark = word.value
        if not isinstance(mark, str):
            continue
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSED:
            depth -= 1
        elif depth == 0 and mark in marks:
            yield words[start:at]
            start = at + 1
    yield words[start:]


def _matching(words: Sequence[Token]) -> int:
    """Where the bracket closes that the words begin with."""
    depth = 0
    for at, word in enumerate(words):
        if isinstance(word.value, str):
            depth += (word.value in _OPEN) - (word.value in _CLOSED)
        if depth == 0:
            return at
    return -1


def _stripped(words: Sequence[Token]) -> Sequence[Token]:
    start, end = 0, len(words)
    while start < end and words[start].kind == "newline":
        start += 1
    while end > start and words[end - 1].kind == "newline":
        end -= 1
    return words[start:end]
