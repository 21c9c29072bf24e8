"""An object as the server's own types would hold it.

Built-in kinds are structures on the server, not documents: null means absent, embedded structures are always there,
quantities have one spelling, an empty optional map or list is none. Custom kinds are documents and stay as they are.
"""

from plumbline.base.json import Json, JsonObject
from plumbline.kube.schema.shape import Form, Shape


def typed_form(obj: JsonObject, shape: Shape) -> JsonObject:
    """*obj* as the server would hold it, sharing everything that is already so."""
    return _record(obj, shape) if shape.embedded else obj


def blank(shape: Shape) -> JsonObject:
    """What is there before anybody wrote anything: embedded structures, and null for what must be written."""
    required = dict.fromkeys(shape.required)
    return {**required, **{name: blank(shape.fields[name]) for name in shape.embedded}}


def _embedded(shape: Shape) -> JsonObject:
    return {name: _embedded(shape.fields[name]) for name in shape.embedded}


def _record(value: JsonObject, shape: Shape) -> JsonObject:
    changes: JsonObject = {}
    fields = shape.fields
    for name, child in value.items():
        child_shape = fields.get(name)
        held = _held(child, child_shape) if child_shape is not None else child
        if held is not child or _omitted(held, child_shape, name in shape.required):
            changes[name] = held
    missing = [name for name in shape.embedded if value.get(name) is None]
    if not changes and not missing:
        return value
    held_value = {**value, **changes, **{name: _embedded(fields[name]) for name in missing}}
    return {
        name: child
        for name, child in held_value.items()
        if not _omitted(child, fields.get(name), name in shape.required)
    }


def _omitted(value: Json, shape: Shape | None, required: bool) -> bool:  # noqa: FBT001 - a fact, not a switch
    if value is None:
        return True
    if value or required or shape is None or isinstance(value, str | int | float):
        return False
    return shape.form is not Form.RECORD and shape.form is not Form.FREE


def _held(value: Json, shape: Shape) -> Json:
    if not value:
        return value
    if type(value) is dict:
        if shape.form is Form.RECORD:
            return _record(value, shape)
        return _each_value(value, shape.values) if shape.form is Form.MAP else value
    if type(value) is list:
        return _each_item(value, shape.values)
    return value


def _each_value(value: JsonObject, shape: Shape) -> JsonObject:
    held = {name: _held(child, shape) for name, child in value.items()}
    return held if any(held[name] is not value[name] for name in value) else value


def _each_item(value: list[Json], shape: Shape) -> list[Json]:
    held = [_held(item, shape) for item in value]
    return held if any(new is not old for new, old in zip(held, value, strict=True)) else value
