"""The fields of two objects that are not compared, as one set in the spelling of field sets.

A pointer or a jq path counts items of lists; a field set names them by their keys. Put into names, what was found in one
object means the same field in the other, wherever its item stands there.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.schema.shape import FREE, Form, Shape

Step: TypeAlias = str | int | Mapping[str, int | None]
"""A field, the place of an item, or a slice as jq writes it: `{"start": 1, "end": 3}`."""
Paths: TypeAlias = Sequence[Sequence[Step]]
NO_PATHS: Paths = ()


def ignored_fields(obj: JsonObject, paths: Iterable[Sequence[Step]], shape: Shape, into: FieldSet) -> None:
    """Add to *into* what *paths* lead to in *obj*. A path that leads nowhere adds nothing."""
    for path in paths:
        for elements in _named(obj, path, shape):
            insert(into, elements)


def _named(value: Json, path: Sequence[Step], shape: Shape) -> list[tuple[str, ...]]:
    """The ways that *path* stands for: several where it has slices, none where it leads nowhere or is the object itself."""
    ways: list[tuple[tuple[str, ...], Json, Shape]] = [((), value, shape)]
    for step in path:
        ways = [
            ((*elements, element), child, child_shape)
            for elements, parent, parent_shape in ways
            for element, child, child_shape in _stepped(parent, step, parent_shape)
        ]
    return [elements for elements, _, _ in ways if elements]


def _stepped(value: Json, step: Step, shape: Shape) -> list[tuple[str, Json, Shape]]:
    if isinstance(value, dict):
        known = isinstance(step, str) and step in value
        return [(f"f:{step}", value[step], shape.child(str(step)) or FREE)] if known else []
    if not isinstance(value, list):
        return []
    names = item_names(value, shape)
    return [(names[place], value[place], shape.values) for place in _places(step, len(value))]


def _places(step: Step, length: int) -> Sequence[int]:
    if isinstance(step, Mapping):
        return range(length)[step.get("start") : step.get("end")]
    if isinstance(step, str):
        digits = step.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()) or len(step) > len(str(length)) + 1:
            return ()
        step = int(step)
    place = step + length if step < 0 else step
    return (place,) if 0 <= place < length else ()


def item_names(items: list[Json], shape: Shape) -> list[str]:
    """What field sets call the items of a list: by their keys, or by their places where it has none."""
    if shape.form in {Form.TABLE, Form.SET} and not shape.atomic:
        try:
            return [element_of(item, shape) for item in items]
        except SchemaViolation:
            pass
    return [f"i:{place}" for place in range(len(items))]


def insert(fields: FieldSet, elements: tuple[str, ...]) -> None:
    """Add one field, and with it all that is below."""
    for element in elements[:-1]:
        node = fields.get(element)
        if node is None:
            node = fields[element] = {}
        elif not node:
            return  # all of it is ignored already
        fields = node
    fields[elements[-1]] = {}


def without_ignored(value: Json, ignored: FieldSet, shape: Shape) -> Json:
    """*value* less *ignored*, sharing everything else."""
    if isinstance(value, dict):
        kept = dict(value)
        for element, node in ignored.items():
            name = element[2:]
            if element[0] != "f" or name not in kept:
                continue
            if node:
                kept[name] = without_ignored(kept[name], node, shape.child(name) or FREE)
            else:
                del kept[name]
        return kept
    if isinstance(value, list):
        return [
            without_ignored(item, ignored[name], shape.values) if name in ignored else item
            for name, item in zip(item_names(value, shape), value, strict=True)
            if name not in ignored or ignored[name]
        ]
    return value


def is_path(value: Json) -> bool:
    """Whether *value* is a path as jq gives it."""
    return isinstance(value, list) and all(
        isinstance(step, str) or type(step) is int or (isinstance(step, dict) and _is_slice(step)) for step in value
    )


def _is_slice(step: JsonObject) -> bool:
    return step.keys() <= {"start", "end"} and all(each is None or type(each) is int for each in step.values())
