"""Fields that the server has said it does not know, taken off what is to be applied.

Only those that it names: it may be newer than the schemas that we have, and know more than they do.
"""

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import element_text
from plumbline.kube.schema.shape import FREE, Form, Shape

_COMPLAINT = "field not declared in schema"


def without_undeclared(config: JsonObject, shape: Shape, complaint: str) -> JsonObject:
    """*config* without the fields that *complaint* names; *config* itself where it names none of them."""
    return _kept(config, shape, "", complaint) if _COMPLAINT in complaint else config


def undeclared(elements: tuple[str, ...], shape: Shape) -> bool:
    """Whether the schema has no such field, given as field sets spell its path."""
    for element in elements:
        if element.startswith("f:"):
            child = shape.child(element[2:])
            if child is None:
                return True
            shape = child
        else:
            shape = shape.values
    return False


def _kept(value: JsonObject, shape: Shape, path: str, complaint: str) -> JsonObject:
    kept: JsonObject = {}
    for name, child in value.items():
        place = f"{path}.{name}"
        if f" {place}: {_COMPLAINT}" not in complaint:
            kept[name] = _kept_below(child, shape.child(name) or FREE, place, complaint)
    same = kept.keys() == value.keys() and all(kept[name] is value[name] for name in kept)
    return value if same else kept


def _kept_below(value: Json, shape: Shape, path: str, complaint: str) -> Json:
    if isinstance(value, dict):
        return _kept(value, shape, path, complaint)
    if not isinstance(value, list):
        return value
    kept = [_kept_below(item, shape.values, path + _place(item, at, shape), complaint) for at, item in enumerate(value)]
    return value if all(map(_same, kept, value)) else kept


def _same(one: Json, other: Json) -> bool:
    return one is other


def _place(item: Json, at: int, shape: Shape) -> str:
    """As the server names an item of a list."""
    if shape.form is not Form.TABLE:
        return f"[{at}]"
    try:
        return element_text(element_of(item, shape))
    except SchemaViolation:
        return f"[{at}]"
