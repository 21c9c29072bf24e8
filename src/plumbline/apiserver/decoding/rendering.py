"""Objects as the server writes them into its complaints: fields in the order of their types, patched parts sorted."""

from collections.abc import Container
from typing import Final

from plumbline.apiserver.decoding.tree import Node, Pairs
from plumbline.apiserver.decoding.types import ANY, Mapping, Sequence, Structure, Type
from plumbline.base.json import Json, JsonObject, encode

_NULL: Final = b"null"
_LONGEST_INDEX: Final = 9
_ESCAPED: Final = {
    b"<": b"\\u003c",
    b">": b"\\u003e",
    b"&": b"\\u0026",
    "\u2028".encode(): b"\\u2028",
    "\u2029".encode(): b"\\u2029",
}


def tree_as(value: Json, type_: Type = ANY, *, sent: Container[int] = ()) -> Node:
    """*value* as Go would write it, if it were held by *type_*; what was *sent*, by identity, stays as it is."""
    if isinstance(value, dict):
        if id(value) in sent:
            return Pairs((name, tree_as(each, sent=_Everything())) for name, each in value.items())
        return Pairs((name, tree_as(value[name], below, sent=sent)) for name, below in _ordered(value, type_))
    if isinstance(value, list):
        item = type_.item if isinstance(type_, Sequence) else ANY
        return [tree_as(each, item, sent=sent) for each in value]
    return encode(value)


class _Everything:
    def __contains__(self, _: object) -> bool:
        return True


def _ordered(value: JsonObject, type_: Type) -> list[tuple[str, Type]]:
    if isinstance(type_, Structure):
        known = [(name, member.type) for name, member in type_.members.items() if name in value]
        return known + [(name, ANY) for name in value if name not in type_.members]
    below = type_.value if isinstance(type_, Mapping) else ANY
    return [(name, below) for name in sorted(value)]


def written(node: Node) -> bytes:
    """*node* as text, in which Go leaves nothing that could be markup."""
    text = _written(node)
    for char, escaped in _ESCAPED.items():
        text = text.replace(char, escaped)
    return text


def _written(node: Node) -> bytes:
    if isinstance(node, bytes):
        return node
    if isinstance(node, Pairs):
        return b"{" + b",".join(encode(key) + b":" + _written(each) for key, each in node) + b"}"
    return b"[" + b",".join(map(_written, node)) + b"]"


def merged(node: Node, patch: Pairs) -> Pairs:
    """*node* after a merge patch: what it touches comes out sorted, what it does not stays as it was."""
    if not isinstance(node, Pairs):
        return _pruned_pairs(patch)
    fields = dict(node)
    for key, value in dict(patch).items():
        there = fields.get(key, _NULL)
        if value == _NULL:
            fields.pop(key, None)
        elif there == _NULL or not isinstance(there, Pairs):
            fields[key] = _pruned(value)
        else:
            fields[key] = merged(there, value) if isinstance(value, Pairs) else value
    return Pairs(sorted(fields.items(), key=_name))


def sorted_along(node: Node, path: str) -> None:
    """Sort what a JSON pointer leads through, and what it leads to, in place."""
    below: Node | None = node
    for part in [*path.split("/")[1:], ""]:
        if isinstance(below, Pairs):
            below.sort(key=_name)
        if below is not None:
            below = _child(below, part.replace("~1", "/").replace("~0", "~"))


def _child(node: Node, name: str) -> Node | None:
    if isinstance(node, bytes):
        return None
    if isinstance(node, Pairs):
        return dict(node).get(name)
    return node[int(name)] if name.isdecimal() and len(name) < _LONGEST_INDEX and int(name) < len(node) else None


def _pruned(node: Node) -> Node:
    if isinstance(node, bytes):
        return node
    return _pruned_pairs(node) if isinstance(node, Pairs) else [_pruned(each) for each in node]


def _pruned_pairs(pairs: Pairs) -> Pairs:
    kept = ((key, _pruned(value)) for key, value in dict(pairs).items() if value != _NULL)
    return Pairs(sorted(kept, key=_name))


def _name(pair: tuple[str, Node]) -> str:
    return pair[0]
