"""What a value owns, how two values differ, and a value less some fields: the walks over object and shape together."""

from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import SELF, FieldSet, without
from plumbline.kube.schema.shape import FREE, Form, Shape

_ASSOCIATIVE: Final = (Form.TABLE, Form.SET)
_LEAF: Final[FieldSet] = {}


class Comparison(NamedTuple):
    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    def less(self, fields: FieldSet) -> "Comparison":
        if not fields:
            return self
        return Comparison(without(self.added, fields), without(self.modified, fields), without(self.removed, fields))


def same(left: Json, right: Json) -> bool:
    """Equal as JSON. Python takes true for 1, so what it calls equal is looked at again by type."""
    if left is right:
        return True
    if left != right:
        return False
    if isinstance(left, dict | list):
        return encode_sorted(left) == encode_sorted(right)
    return isinstance(left, bool) == isinstance(right, bool)


def granular(value: Json, shape: Shape) -> bool:
    """Whether *value* is owned piece by piece rather than as a whole."""
    if not value or shape.atomic:
        return False
    if type(value) is dict:
        return shape.form is not Form.SCALAR
    return type(value) is list and shape.form in _ASSOCIATIVE


def fields_of(value: JsonObject, shape: Shape) -> FieldSet:
    """The fields that an applied object claims."""
    record = shape.form is Form.RECORD
    declared = shape.fields if record else {}
    claimed: FieldSet = {}
    for name, child in value.items():
        child_shape = declared.get(name)
        below = _claim(child, child_shape or shape.values)
        if child_shape is None:
            claimed[f"f:{name}"] = _as_member(below)
        elif below is not None:
            claimed[f"f:{name}"] = below
    return claimed


def _claim(value: Json, shape: Shape) -> FieldSet | None:
    """The node of *value*; None where it holds nothing that can be claimed, as an empty associative list does."""
    if type(value) is list and not value and shape.form in _ASSOCIATIVE:
        return None
    if not granular(value, shape):
        return _LEAF
    return (fields_of(value, shape) if type(value) is dict else _claim_items(value, shape)) or None


def _claim_items(items: list[Json], shape: Shape) -> FieldSet:
    claimed: FieldSet = {}
    for item in items:
        element = element_of(item, shape)
        # A key that occurs twice is claimed as one thing: nobody can say which of the two is meant.
        claimed[element] = _LEAF if element in claimed else _as_member(_claim(item, shape.values))
    return claimed


def _as_member(node: FieldSet | None) -> FieldSet:
    return {SELF: _LEAF, **node} if node else _LEAF


def compare(old: JsonObject, new: JsonObject, shape: Shape) -> Comparison:
    """Which fields *new* adds, changes and lacks, with every field on the way where a whole branch comes or goes."""
    result = Comparison({}, {}, {})
    _compare_objects(old, new, shape, result)
    return result


def _compare_objects(old: JsonObject, new: JsonObject, shape: Shape, into: Comparison) -> None:
    declared = shape.fields if shape.form is Form.RECORD else {}
    for name, value in new.items():
        child = declared.get(name) or shape.values
        if name not in old:
            into.added[f"f:{name}"] = _whole(value, child)
        elif not same(old[name], value):
            _compare_values(f"f:{name}", old[name], value, child, into)
    if len(old) != len(new) or old.keys() != new.keys():
        for name, value in old.items():
            if name not in new:
                into.removed[f"f:{name}"] = _whole(value, declared.get(name) or shape.values)


def _compare_values(key: str, old: Json, new: Json, shape: Shape, into: Comparison) -> None:
    below = Comparison({}, {}, {})
    old_parts, new_parts = granular(old, shape), granular(new, shape)
    if old_parts and new_parts and type(old) is type(new):
        _descend(old, new, shape, below)
    elif new_parts and _vacant(old, new):
        _descend(type(new)(), new, shape, below)
    elif old_parts and _vacant(new, old):
        _descend(old, type(old)(), shape, below)
    else:
        _exchange(old if old_parts else None, new if new_parts else None, shape, below)
        into.modified[key] = _LEAF
    for whole, part in zip(into, below, strict=True):
        if part:
            whole[key] = part


def _vacant(value: Json, other: Json) -> bool:
    return value is None or (type(value) is type(other) and not value)


def _descend(old: Json, new: Json, shape: Shape, into: Comparison) -> None:
    if type(new) is dict:
        _compare_objects(old, new, shape, into)
    else:
        _compare_items(old, new, shape, into)


def _exchange(old: Json, new: Json, shape: Shape, into: Comparison) -> None:
    """One form gives way to another: what was granular goes, what is granular comes, field by field."""
    if old is not None:
        into.removed.update(_parts(old, shape))
    if new is not None:
        into.added.update(_parts(new, shape))


def _compare_items(old: list[Json], new: list[Json], shape: Shape, into: Comparison) -> None:
    before, after = _by_element(old, shape), _by_element(new, shape)
    for element, values in after.items():
        earlier = before.get(element, [])
        if len(values) > 1 or len(earlier) > 1:
            _compare_duplicates(element, earlier, values, shape, into)
        elif not earlier:
            into.added[element] = _whole(values[0], shape.values)
        elif not same(earlier[0], values[0]):
            _compare_values(element, earlier[0], values[0], shape.values, into)
    for element, values in before.items():
        if element not in after:
            into.removed[element] = _whole(values[0], shape.values) if len(values) == 1 else _LEAF


def _compare_duplicates(element: str, old: list[Json], new: list[Json], shape: Shape, into: Comparison) -> None:
    """Items that share a key count as one leaf; becoming or ceasing to be unique swaps leaf and branch."""
    if len(old) > 1 and len(new) > 1:
        if not same(old, new):
            into.modified[element] = _LEAF
    elif len(old) > 1:
        into.added[element] = _whole(new[0], shape.values)
        into.removed[element] = _LEAF
    else:
        if old:
            into.removed[element] = _whole(old[0], shape.values)
        into.added[element] = _LEAF


def _by_element(items: list[Json], shape: Shape) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for item in items:
        found.setdefault(element_of(item, shape), []).append(item)
    return found


def _whole(value: Json, shape: Shape) -> FieldSet:
    """The node of a value that comes or goes as a whole: itself and everything in it."""
    return {SELF: _LEAF, **_parts(value, shape)} if granular(value, shape) else _LEAF


def members_of(value: JsonObject, shape: Shape) -> FieldSet:
    """Everything in an object: its fields, the ways to them, and the items of its lists."""
    return _parts(value, shape)


def _parts(value: Json, shape: Shape) -> FieldSet:
    if type(value) is dict:
        declared = shape.fields if shape.form is Form.RECORD else {}
        return {f"f:{name}": _whole(child, declared.get(name) or shape.values) for name, child in value.items()}
    parts: FieldSet = {}
    for item in value:
        element = element_of(item, shape)
        parts[element] = _LEAF if element in parts else _whole(item, shape.values)
    return parts


def remove(value: Json, fields: FieldSet, shape: Shape) -> Json:
    """*value* less the members of *fields*; None where nothing granular is left of it."""
    if not isinstance(value, dict | list):
        return value
    if not granular(value, shape):
        return None
    if isinstance(value, list):
        return _remove_items(value, fields, shape) or None
    kept: JsonObject = {}
    for name, child in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            kept[name] = child
        elif node and SELF not in node:
            kept[name] = remove(child, node, shape.child(name) or FREE)
    return kept or None


def _remove_items(items: list[Json], fields: FieldSet, shape: Shape) -> list[Json]:
    kept = []
    for item in items:
        node = fields.get(element_of(item, shape))
        if node is None:
            kept.append(item)
        elif node and SELF not in node:
            kept.append(remove(item, node, shape.values))
    return kept
