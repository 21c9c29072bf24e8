"""Terraform's language written as JSON."""

from collections.abc import Iterator
from typing import Any, Final

from plumbline.base.documents import load_json
from plumbline.base.documents.tokens import entries
from plumbline.base.json import Json
from plumbline.base.limits import MIB, Limits
from plumbline.ownership.hcl.blocks import Attribute, Block, Body, Known
from plumbline.ownership.hcl.expressions import Expression, Reference, expression
from plumbline.ownership.hcl.tokens import Template, template, tokens

_LIMITS: Final = Limits(
    size_bytes=4 * MIB,
    scalar_bytes=1 * MIB,
    depth=64,
    nodes=500_000,
    expanded_nodes=500_000,
    expanded_chars=4 * MIB,
    documents=1,
)
_LABELS: Final = {"resource": 2, "variable": 1, "provider": 1, "module": 1, "locals": 0, "import": 0}
"""Blocks that anybody here looks at, and how many labels each has."""
_DEEPEST: Final = 5


def read_hcl_json(content: bytes, source: str) -> Body:
    """The same as `read_hcl` gives, from a `.tf.json` file."""
    document = load_json(content, limits=_LIMITS, source=source, repeats="ignore")
    lines = _lines(content)
    body = Body()
    root = document.value if isinstance(document.value, dict) else {}
    for type_, depth in _LABELS.items():
        for labels, path, inner in _labelled(root.get(type_), depth, (type_,)):
            if isinstance(inner, dict):
                attributes: dict[str, Attribute] = {
                    name: Known(_expression(each, name), 0) for name, each in inner.items()
                }
                body.blocks.append(Block(type_, labels, Body(attributes), lines.get(path, document.line)))
    return body


def read_values_json(content: bytes, source: str) -> Body:
    document = load_json(content, limits=_LIMITS, source=source, repeats="ignore")
    root = document.value if isinstance(document.value, dict) else {}
    return Body({name: Known(_literal(each), 0) for name, each in root.items()})


def _labelled(
    value: Json, depth: int, path: tuple[Any, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...], Json]]:
    """Blocks below their labels; JSON allows a list of objects wherever it allows an object."""
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _labelled(item, depth, (*path, at))
    elif depth == 0:
        yield (), path, value
    elif isinstance(value, dict):
        for label, inner in value.items():
            for labels, where, found in _labelled(inner, depth - 1, (*path, label)):
                yield (label, *labels), where, found


def _expression(value: Json, name: str = "") -> Expression:
    if isinstance(value, str):
        if name in {"to", "provider"}:
            # These are references without quotes in HCL, and plain texts in JSON.
            return expression(tokens(value))
        return template(value)
    if isinstance(value, list):
        return [_expression(each) for each in value]
    if isinstance(value, dict):
        if name == "providers":
            return {key: _reference(each) for key, each in value.items()}
        return {key: _expression(each) for key, each in value.items()}
    return value


def _literal(value: Json) -> Expression:
    if isinstance(value, str):
        return Template((value,))
    if isinstance(value, list):
        return [_literal(each) for each in value]
    return {key: _literal(each) for key, each in value.items()} if isinstance(value, dict) else value


def _reference(value: Json) -> Reference:
    return Reference(tuple(value.split("."))) if isinstance(value, str) else Reference(("",))


def _lines(content: bytes) -> dict[tuple[Any, ...], int]:
    """The line of every key and item that can be a block, found in one pass."""
    lines: dict[tuple[Any, ...], int] = {}
    line, before = 1, 0
    for entry in entries(content, 0, len(content)):
        if len(entry.path) <= _DEEPEST:
            line += content.count(b"\n", before, entry.offset)
            before = entry.offset
            lines[entry.path] = line
    return lines
