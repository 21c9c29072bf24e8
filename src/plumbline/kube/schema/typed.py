"""An object as the server's own types would hold it.

Built-in kinds are structures on the server, not documents: null means absent, embedded structures are always there,
quantities have one spelling, an empty optional map or list is none. Custom kinds are documents and stay as they are.
"""

from typing import Final

from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import canonical
from plumbline.kube.schema.shape import FREE, Form, Shape, zero_of

_OMITTED: Final = {"IPAddressSpec": ("parentRef",), "ValidatingAdmissionPolicyBindingSpec": ("validationActions",)}
"""Required fields that the server's own types leave out all the same where nobody wrote them."""
_WRITTEN: Final = {
    "Event": {"reportingComponent": "", "reportingInstance": ""},
    "StatefulSetSpec": {"serviceName": ""},
}
"""Optional ones that they write."""


def typed_form(obj: JsonObject, shape: Shape) -> JsonObject:
    """*obj* as the server would hold it, sharing everything that is already so."""
    if shape.embedded:
        return _record(obj, shape)
    metadata, metadata_shape = obj.get("metadata"), shape.child("metadata")
    if not isinstance(metadata, dict) or metadata_shape is None or metadata_shape.form is not Form.RECORD:
        return obj
    held = _record(metadata, metadata_shape)
    return obj if held is metadata else {**obj, "metadata": held}


def blank(shape: Shape) -> JsonObject:
    """What is there before anybody wrote anything: embedded structures, and zeros or null for what must be written."""
    omitted = _OMITTED.get(shape.name, ())
    written = {**dict.fromkeys((*shape.required, *shape.nulls)), **shape.zeros}
    written = {name: zero for name, zero in written.items() if name not in omitted}
    zeros = _WRITTEN.get(shape.name, {})
    if zeros.keys() <= shape.fields.keys():
        written |= zeros
    return {**written, **{name: blank(shape.fields[name]) for name in shape.embedded}}


def _record(value: JsonObject, shape: Shape) -> JsonObject:
    changes: JsonObject = {}
    fields = shape.fields
    for name, child in value.items():
        child_shape = fields.get(name)
        held = _held(child, child_shape) if child_shape is not None else child
        if held is not child or _omitted(name, held, shape):
            changes[name] = held
    for name in shape.embedded:
        if value.get(name) is None:
            changes[name] = _embedded(fields[name])
    for name in shape.nulls:
        if name not in value:
            changes[name] = None
    for name, zero in shape.zeros.items():
        if value.get(name) is None:
            changes[name] = zero
    if not changes:
        return value
    held_value = {**value, **changes}
    return {name: child for name, child in held_value.items() if not _omitted(name, child, shape)}


def _embedded(shape: Shape) -> JsonObject:
    return {**dict.fromkeys(shape.nulls), **{name: _embedded(shape.fields[name]) for name in shape.embedded}}


def _omitted(name: str, value: Json, shape: Shape) -> bool:
    if value or isinstance(value, str | int | float) or name in shape.required or name in shape.nulls:
        return False
    if value is None:
        return True
    declared = shape.fields.get(name)
    return declared is not None and not _is_structure(declared)


def _is_structure(shape: Shape) -> bool:
    """Whether empty it is still something: so is a type without fields, which schemas show as a map of anything."""
    return shape.form in {Form.RECORD, Form.FREE} or (shape.form is Form.MAP and shape.values is FREE)


def _held(value: Json, shape: Shape) -> Json:
    if shape.kind == "quantity":
        return _canonical(value)
    if not value:
        return value
    if type(value) is dict:
        if shape.form is Form.RECORD:
            return _record(value, shape)
        return _each_value(value, shape.values) if shape.form is Form.MAP else value
    if type(value) is list:
        return _each_item(value, shape.values)
    return value


def _canonical(value: Json) -> Json:
    """A quantity in its one spelling; what is none is left for validation to refuse."""
    try:
        spelled = canonical(str(value))
    except BadQuantity:
        return value
    return value if spelled == value else spelled


def _each_value(value: JsonObject, shape: Shape) -> JsonObject:
    held = {name: _present(child, shape) for name, child in value.items()}
    return held if any(held[name] is not value[name] for name in value) else value


def _each_item(value: list[Json], shape: Shape) -> list[Json]:
    held = [_present(item, shape) for item in value]
    return held if any(new is not old for new, old in zip(held, value, strict=True)) else value


def _present(value: Json, shape: Shape) -> Json:
    """A value of a map or list, where null cannot mean absent and stands for nothing of its type."""
    if value is not None:
        return _held(value, shape)
    if shape.form is Form.RECORD:
        return _record({}, shape)
    return zero_of(shape) if shape.form is Form.SCALAR else None
