"""What functions that fetch objects share: labels drawn from the composite, and an order among what was found. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from plumbline.base.errors import BadFieldPath, FieldNotFound, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.composition.functions.answers import copied
from plumbline.composition.functions.values import Resource
from plumbline.kube.fieldpath import get_path
from plumbline.kube.gotext import quoted, type_name

_ZEROS: Final[dict[type, Json]] = {str: "", int: 0, float: 0.0}


class Matcher(msgspec.Struct, frozen=True, rename="camel"):
    """One label, whose value is written there or comes from a field."""

    key: str
    type: str = "FromCompositeFieldPath"
    value: str | None = None
    value_from_field_path: str | None = None
    from_field_path_policy: str = "Required"


class Choice(msgspec.Struct, frozen=True, rename="camel"):
    """A selector: which labels, and how many of what has them."""

    mode: str = "Single"
    match_labels: tuple[Matcher, ...] = ()
    min_match: int | None = None
    max_match: int | None = None
    sort_by_field_path: str = "metadata.name"


class Named(msgspec.Struct, frozen=True):
    name: str = ""


class Policy(msgspec.Struct, frozen=True):
    resolution: str = "Required"


def text_at(obj: Json, path: str, whose: str) -> str:
    """Raises InvalidInput where there is no text; *whose* says where it was looked for."""
    try:
        value = get_path(obj, path)
    except (FieldNotFound, BadFieldPath) as fault:
        raise InvalidInput(f"cannot get value from {whose}field path {quoted(path)}", why=str(fault)) from fault
    if not isinstance(value, str):
        raise InvalidInput(f"cannot get value from {whose}field path {quoted(path)}", why=f"{path}: not a string")
    return value


def literal(matcher: Matcher) -> str:
    if matcher.value is None:
        raise InvalidInput("Value cannot be nil for type 'Value'")
    return matcher.value


def source_path(matcher: Matcher) -> str:
    if matcher.value_from_field_path is None:
        raise InvalidInput(f"ValueFromFieldPath cannot be nil for type '{matcher.type}'")
    return matcher.value_from_field_path


def in_order(found: Sequence[Resource], path: str) -> list[JsonObject]:
    """By what is at *path*, which must be of one kind; what has nothing there counts as the zero of that kind."""
    objects: list[JsonObject] = [copied(each.resource) for each in found]
    values = [_value(each, path) for each in objects]
    types = {type(each) for each in values if each is not None}
    if not types:
        return objects
    if len(types) > 1:
        one, other = list(dict.fromkeys(type_name(each) for each in values if each is not None))[:2]
        raise InvalidInput(f"cannot sort values of different types {quoted(one)} and {quoted(other)}")
    kind = types.pop()
    if kind not in _ZEROS:
        some = next(each for each in values if each is not None)
        raise InvalidInput(f"unsupported type {quoted(type_name(some))} for sorting")
    ranks = [_ZEROS[kind] if each is None else each for each in values]
    return [objects[at] for at in sorted(range(len(objects)), key=ranks.__getitem__)]


def _value(obj: JsonObject, path: str) -> Json:
    try:
        return get_path(obj, path)
    except FieldNotFound:
        return None
    except BadFieldPath as fault:
        raise InvalidInput(str(fault)) from fault
