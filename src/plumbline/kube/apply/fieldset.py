"""Sets of fields in exactly the form that `managedFields` stores them, so that nothing is ever converted.

A set is a trie of plain dicts. Keys are path elements: `f:<field>`, `k:<json of list keys>`, `v:<json of a set member>`,
`i:<index>`. A node without children is a member; a node with children is a member only if it holds `"."`. The root is
never a member: an empty root is the empty set.
"""

from collections.abc import Iterator
from typing import TypeAlias

from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.gotext import printed, quoted
from plumbline.kube.schema.shape import Form, Shape

FieldSet: TypeAlias = JsonObject

SELF = "."
_ELEMENT_ORDER = {"f": 0, "k": 1, "v": 2, "i": 3}


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    if not left or left is right:
        return right
    return _union_nodes(left, right) if right else left


def _union_nodes(left: FieldSet, right: FieldSet) -> FieldSet:
    merged = dict(left)
    for key, theirs in right.items():
        ours = merged.get(key)
        if ours is None:
            merged[key] = theirs
        elif key != SELF:
            merged[key] = _union_children(ours, theirs)
    return merged


def _union_children(ours: FieldSet, theirs: FieldSet) -> FieldSet:
    if ours and theirs:
        return _union_nodes(ours, theirs)
    node = ours or theirs
    return node if not node or SELF in node else {SELF: {}, **node}


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Members of both; a member of one that is only a way to members in the other is in neither."""
    common: FieldSet = {}
    for key, ours in left.items():
        theirs = right.get(key)
        if theirs is None or key == SELF:
            continue
        below = intersection(ours, theirs) if ours and theirs else {}
        if (not ours or SELF in ours) and (not theirs or SELF in theirs):
            common[key] = {SELF: {}, **below} if below else {}
        elif below:
            common[key] = below
    return common


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Members of *left* that are not members of *right*, each judged alone: children outlive their parents."""
    if not left or not right:
        return left
    kept: FieldSet = {}
    for key, ours in left.items():
        theirs = right.get(key)
        if key == SELF:
            continue
        if theirs is None:
            kept[key] = ours
            continue
        member = (not ours or SELF in ours) and theirs and SELF not in theirs
        below = _without_self(ours) if not theirs else difference(ours, theirs)
        if below:
            kept[key] = {SELF: {}, **below} if member else below
        elif member:
            kept[key] = {}
    return kept


def _without_self(node: FieldSet) -> FieldSet:
    return {key: child for key, child in node.items() if key != SELF} if SELF in node else node


def without(fields: FieldSet, removed: FieldSet) -> FieldSet:
    """*fields* less every member of *removed* and everything below it."""
    if not removed:
        return fields
    kept: FieldSet = {}
    for key, ours in fields.items():
        theirs = removed.get(key)
        if theirs is None:
            kept[key] = ours
        elif theirs and SELF not in theirs:
            below = without(_without_self(ours), theirs)
            if not ours or SELF in ours:
                kept[key] = {SELF: {}, **below} if below else {}
            elif below:
                kept[key] = below
    return kept


def with_declared_parents(fields: FieldSet, shape: Shape) -> FieldSet:
    """*fields* with every declared field on the way to a member made a member too."""
    grown: FieldSet = {}
    is_record = shape.form is Form.RECORD
    for key, node in fields.items():
        if not node or key == SELF:
            grown[key] = node
            continue
        child = shape.child(key[2:]) if key[0] == "f" else shape.values
        below = with_declared_parents(node, child) if child is not None else node
        declared = is_record and key[0] == "f" and key[2:] in shape.fields
        grown[key] = {SELF: {}, **below} if declared and SELF not in below else below
    return grown


def reconciled(fields: FieldSet, shape: Shape) -> FieldSet:
    """*fields* under a schema that may have changed since: what became atomic is owned as a whole."""
    changed: FieldSet = {}
    for key, node in fields.items():
        if not node or key == SELF:
            continue
        child = shape.child(key[2:]) if key[0] == "f" else shape.values
        if child is None or (child.form is Form.FREE and not child.atomic):
            continue
        kept = {} if child.atomic or child.form is Form.LIST else reconciled(node, child)
        if kept is not node:
            changed[key] = kept
    return {**fields, **changed} if changed else fields


def paths(fields: FieldSet, prefix: str = "") -> Iterator[str]:
    """Members as the API server prints them, in its order: at each level the members first, then what is below."""
    keys = sorted((key for key in fields if key != SELF), key=_element_order)
    for key in keys:
        node = fields[key]
        if not node or SELF in node:
            yield prefix + element_text(key)
    for key in keys:
        node = fields[key]
        if node:
            yield from paths(node, prefix + element_text(key))


def element_text(element: str) -> str:
    """One path element for people: `.spec`, `[name="web"]`, `[="a"]`, `[0]`."""
    kind, content = element[0], element[2:]
    if kind == "f":
        return f".{content}"
    if kind == "k":
        fields = decode(content)
        return "[" + ",".join(f"{name}={_scalar_text(value)}" for name, value in fields.items()) + "]"
    return f"[={_scalar_text(decode(content))}]" if kind == "v" else f"[{content}]"


def _scalar_text(value: Json) -> str:
    return quoted(value) if isinstance(value, str) else printed(value)


def _element_order(element: str) -> tuple[int, str]:
    return _ELEMENT_ORDER.get(element[0], 4), element
