"""Fields of custom kinds that have built-in types: values that mean the same are the same there, however spelled.

How such fields are merged and owned stays what the custom kind says; only the meaning of scalars is borrowed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.compare.rules import KnownTypeField
from plumbline.kinds.duration import Duration
from plumbline.kube.schema.builtin import catalog
from plumbline.kube.schema.shape import FREE, Form, Shape

_QUANTITY: Final = Shape(Form.SCALAR, kind="quantity")
_DURATION: Final = "meta/v1/Duration"
_LISTS: Final = (Form.LIST, Form.TABLE, Form.SET)
_CORE: Final = "core/v1/"
_RESOURCES: Final = Shape(Form.MAP, resolve_values=lambda: _QUANTITY)


@lru_cache(maxsize=512)
def known_shape(shape: Shape, known: tuple[KnownTypeField, ...]) -> Shape:
    """*shape* with what *known* says about some of its fields. Types that nobody knows change nothing."""
    for field in known:
        type_shape = _type_shape(field.type)
        if type_shape is not None:
            shape = _with_field(shape, tuple(field.field.split(".")), type_shape)
    return shape


def _type_shape(name: str) -> Shape | None:
    if name == "core/Quantity":
        return _QUANTITY
    if name == "core/v1/ResourceList":
        return _RESOURCES
    if not name.startswith(_CORE) or catalog().definition(f"core.v1.{name[len(_CORE) :]}") is None:
        return None
    return catalog().shape(f"core.v1.{name[len(_CORE) :]}")


def _with_field(shape: Shape, path: Sequence[str], known: Shape) -> Shape:
    if shape.form in _LISTS:
        values = shape.values
        return replace(shape, resolve_values=lambda: _with_field(values, path, known))
    if not path:
        return _blended(shape, known)
    changed = _with_field(shape.child(path[0]) or FREE, path[1:], known)
    return _record(shape, lambda: {path[0]: changed}, lambda: _with_field(FREE, path, known))


def _blended(shape: Shape, known: Shape) -> Shape:
    """*known*'s meaning in *shape*'s structure."""
    if known.form is Form.SCALAR:
        return known if known.kind == "quantity" else shape
    if known.form is Form.RECORD:
        return _record(shape, lambda: _blended_fields(shape, known), lambda: _blended(FREE, known))
    if known.form is Form.MAP and shape.form is Form.RECORD:
        # What the custom kind declares one by one are values of the map as well.
        return replace(
            shape,
            resolve_fields=lambda: {name: _blended(each, known.values) for name, each in shape.fields.items()},
            resolve_values=lambda: _blended(shape.values, known.values),
        )
    form = shape.form if shape.form is not Form.FREE else Form.MAP if known.form is Form.MAP else Form.LIST
    return replace(shape, form=form, resolve_values=lambda: _blended(shape.values, known.values))


def _record(shape: Shape, fields: Callable[[], dict[str, Shape]], items: Callable[[], Shape]) -> Shape:
    """*shape* with some more *fields*. Where nothing was declared there may be a list as well, of *items*."""
    return replace(
        shape,
        form=Form.RECORD,
        open=shape.open or shape.form is not Form.RECORD,
        resolve_fields=lambda: {**shape.fields, **fields()},
        resolve_values=items if shape.form is Form.FREE else shape.resolve_values,
    )


def _blended_fields(shape: Shape, known: Shape) -> dict[str, Shape]:
    return {name: _blended(shape.child(name) or FREE, each) for name, each in known.fields.items()}


def with_durations(obj: JsonObject, known: tuple[KnownTypeField, ...]) -> JsonObject:
    """*obj* with its known durations in their one spelling."""
    for field in known:
        if field.type == _DURATION:
            obj = _respelled(obj, tuple(field.field.split(".")))
    return obj


def _respelled(value: Json, path: Sequence[str]) -> Json:
    if isinstance(value, list):
        return [_respelled(item, path) for item in value]
    if not path:
        try:
            return str(Duration.parse(value)) if isinstance(value, str) else value
        except InvalidInput:
            return value
    if not isinstance(value, dict) or path[0] not in value:
        return value
    return {**value, path[0]: _respelled(value[path[0]], path[1:])}
