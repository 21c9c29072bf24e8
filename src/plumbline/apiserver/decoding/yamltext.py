"""YAML bodies: read by the one reader of YAML, and refused in the words of Go's."""

import dataclasses
import re
from typing import Final

from plumbline.apiserver.decoding.outcome import Decoded, Refusal
from plumbline.apiserver.decoding.tree import Node, Pairs
from plumbline.base.documents import Document, Duplicate, line_of, load_documents
from plumbline.base.errors import BadDocument
from plumbline.base.json import Json, encode
from plumbline.base.limits import REQUESTS
from plumbline.kube.gotext import quoted

_LIMITS: Final = dataclasses.replace(REQUESTS, documents=100)
"""The first document counts, the others are only passed over."""
_LOOKED_THROUGH_BYTES: Final = 256 * 1024
"""Finding the place of a value takes reading the text once more."""
_PARSER: Final = re.compile(
    "did not find expected|found undefined tag handle|found duplicate %|found incompatible YAML"
)
"""Faults of the parser, whose lines Go counts from zero; those of the scanner it counts from one."""
_ALIAS: Final = re.compile(r"the alias \*(\S+) (stands for nothing|is part of what)")
_MERGE: Final = "only a mapping or a list of mappings can be merged with <<"


def read_yaml(body: bytes) -> Decoded:
    """The value of the first document, and which of its keys are set twice; Refusal in Go's words."""
    try:
        documents = load_documents(body, limits=_LIMITS, repeats="report")
    except BadDocument as bad:
        raise Refusal(_words(bad)) from None
    if not documents:
        return Decoded(None)
    first = documents[0]
    return Decoded(first.value, (_repeats(body, first),) if first.duplicates else ())


def tree_of(value: Json) -> Node:
    """As it would be if it had been written in JSON by Go, which sorts keys."""
    if isinstance(value, dict):
        return Pairs((key, tree_of(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return [tree_of(each) for each in value]
    return encode(value)


def _repeats(body: bytes, document: Document) -> str:
    lines = (
        f"  line {_line(body, document, each)}: key {quoted(str(each.path[-1]))} already set in map"
        for each in document.duplicates
    )
    return "yaml: unmarshal errors:\n" + "\n".join(lines)


def _line(body: bytes, document: Document, repeat: Duplicate) -> int:
    """Of the value, which may begin on another line than its key."""
    if len(body) * len(document.duplicates) > _LOOKED_THROUGH_BYTES:
        return repeat.line
    value = document.value
    for step in repeat.path:
        value = value[step]
    if isinstance(value, dict) and value:
        return line_of(body, document, (*repeat.path, next(iter(value))))
    return line_of(body, document, (*repeat.path, 0)) if isinstance(value, list) and value else repeat.line


def _words(bad: BadDocument) -> str:
    why = bad.why
    if found := _ALIAS.match(why):
        name = found[1]
        return (
            f"yaml: unknown anchor '{name}' referenced"
            if "nothing" in found[2]
            else f"yaml: anchor '{name}' value contains itself"
        )
    if why == _MERGE:
        return "yaml: map merge requires map or sequence of maps as the value"
    problem = why.split(": ", 1)[1] if why.startswith(("while ", "block ")) and ": " in why else why
    line = bad.line - 1
    if line > 0:
        line += not _PARSER.search(problem)
        return f"yaml: line {line}: {problem}"
    return f"yaml: {problem}"
