"""Paths that CRDs write into schemas: `.spec.size`, `.spec.labels['a.b']`."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.crds.structural import Node
from plumbline.base.errors import BadFieldPath

_word: Final = re.compile(r"'(?:[^'\\]|\\.)*'|[.\[\]]|[^.\[\]']+").match
_escape: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "'": "'", "\\": "\\",
}  # fmt: skip


class SchemaPath(NamedTuple):
    names: tuple[str, ...]
    text: str
    """As errors spell it: fields with dots, keys in brackets."""
    node: Node


def schema_path(written: str, root: Node, *, brackets: bool = True) -> SchemaPath:
    """Where *written* leads in the schema *root*; raises `BadFieldPath` where it leads nowhere."""
    words = _words(written)
    names: list[str] = []
    text = ""
    node: Node | None = root
    for word in words:
        if word == "[":
            if not brackets:
                raise BadFieldPath("array notation is not allowed")
            name = _quoted(next(words, None))
            node, text = _entered(node, name, text)
            closing = next(words, None)
            if closing != "]":
                raise BadFieldPath(
                    "unexpected end of JSON path" if closing is None else f"expected ] but got {closing}"
                )
        elif word == ".":
            following = next(words, None)
            if following is None:
                raise BadFieldPath("unexpected end of JSON path")
            name = following
            node, text = _entered(node, name, text)
        else:
            raise BadFieldPath(f"expected [ or . but got: {word}")
        names.append(name)
    if node is None:
        raise BadFieldPath("does not refer to a valid field")
    return SchemaPath(tuple(names), text, node)


def _words(written: str) -> Iterator[str]:
    at = 0
    while at < len(written):
        word = _word(written, at)
        if word is None:
            yield written[at:]
            return
        yield word[0]
        at = word.end()


def _quoted(word: str | None) -> str:
    if word is None:
        raise BadFieldPath("unexpected end of JSON path")
    if len(word) < 2 or word[0] != "'" or word[-1] != "'":  # noqa: PLR2004 - two quotes
        raise BadFieldPath(f"expected single quoted string but got {word}")
    for escape in _escape.finditer(word[1:-1]):
        if escape[1] not in _ESCAPES:
            raise BadFieldPath(f"invalid string literal: invalid escape char {escape[0]}")
    return _escape.sub(lambda found: _ESCAPES[found[1]], word[1:-1])


def _entered(node: Node | None, name: str, text: str) -> tuple[Node | None, str]:
    if node is None or (not node.properties and not node.additional_set):
        raise BadFieldPath("does not refer to a valid field")
    if not node.properties:
        return node.additional, f"{text}[{name}]"
    below = node.properties.get(name)
    if below is None:
        raise BadFieldPath("does not refer to a valid field")
    return below, f"{text}.{name}" if text else name
