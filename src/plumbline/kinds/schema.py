"""A Struct as a structural OpenAPI v3 schema: what the API server needs to accept it as a CRD.

Nested structs are written out where they are used, because CRDs know no references; a struct that contains itself can
therefore not be written and is refused. What a structural schema cannot say (a choice between two objects, a tuple of
fixed length) is refused as well, when the CRD is generated and not when it meets a cluster: both are bugs of ours and
raise TypeError.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import inspect as types

from plumbline.base.json import Json, JsonObject
from plumbline.kinds.descriptions import class_description, field_descriptions
from plumbline.kinds.values import written

_DEEPEST: Final = 40
_INT_OR_STRING: Final[JsonObject] = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
_ANYTHING: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_FORMAT_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


class _Place(NamedTuple):
    """Where in the type a schema is being written: for messages, for finding circles, and how to treat unknown keys."""

    path: str
    inside: tuple[type, ...]
    keep_unknown: bool
    depth: int | None = None
    """How many more levels of structs are written out; None for all."""

    def at(self, step: str) -> "_Place":
        return self._replace(path=self.path + step)

    def refused(self, why: str) -> TypeError:
        return TypeError(f"{self.path}: {why}")


def schema_of(part: Any, *, keep_unknown: bool = False, depth: int | None = None) -> JsonObject:
    """The structural schema of *part*, mostly a Struct; with *keep_unknown* fields that it does not declare are stored.

    Structs below *depth* levels of them may hold anything.
    """
    return _schema(types.type_info(part), _Place(getattr(part, "__name__", str(part)), (), keep_unknown, depth))


def _schema(node: types.Type, place: _Place) -> JsonObject:
    if isinstance(node, types.Metadata):
        return _annotated(node, place)
    if isinstance(node, types.StructType):
        return _struct(node, place)
    if isinstance(node, types.UnionType):
        return _union(node, place)
    write = _WRITERS.get(type(node))
    if write is None:
        raise place.refused(f"a structural schema cannot say {type(node).__name__}")
    return write(node, place)


def _annotated(node: types.Metadata, place: _Place) -> JsonObject:
    schema = _schema(node.type, place) | (node.extra_json_schema or {})
    implied = _FORMAT_BOUNDS.get(schema.get("format", ""))
    # The format already says so, and a bound repeated as a float (all JSON numbers are) would not even be exact.
    if implied == (schema.get("minimum"), schema.get("maximum")):
        del schema["minimum"], schema["maximum"]
    return schema


def _struct(node: types.StructType, place: _Place) -> JsonObject:
    if node.cls in place.inside:
        circle = " → ".join(cls.__name__ for cls in (*place.inside, node.cls))
        raise place.refused(f"a CRD cannot contain itself ({circle}); make one of them a FreeObject")
    if len(place.inside) >= _DEEPEST:
        raise place.refused(f"nested deeper than {_DEEPEST} structs")
    schema: JsonObject = {"type": "object"}
    if description := class_description(node.cls):
        schema["description"] = description
    if place.depth == 0:
        return schema | _ANYTHING
    within = place._replace(inside=(*place.inside, node.cls), depth=None if place.depth is None else place.depth - 1)
    documented = field_descriptions(node.cls)
    if node.fields:
        schema["properties"] = {
            f.encode_name: _field(f, documented, within.at(f".{f.encode_name}")) for f in node.fields
        }
    if required := [f.encode_name for f in node.fields if f.required or _extra(f.type).get("demanded")]:
        schema["required"] = required
    if place.keep_unknown:
        schema |= _ANYTHING
    return schema


def _field(field: types.Field, documented: Mapping[str, str], place: _Place) -> JsonObject:
    node, extra = field.type, _extra(field.type)
    schema = _schema(node, place)
    if field.required and _optional(node):
        schema["nullable"] = True
    if description := documented.get(field.name):
        schema["description"] = description
    if extra.get("defaulted"):
        schema["default"] = _default(field, place)
    return schema


def _extra(node: types.Type) -> Mapping[str, Any]:
    return (node.extra or {}) if isinstance(node, types.Metadata) else {}


def _default(field: types.Field, place: _Place) -> Json:
    if field.default is not msgspec.NODEFAULT:
        value = field.default
    elif field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    else:
        raise place.refused("DEFAULTED on a field without a default")
    if value is None:
        raise place.refused("DEFAULTED on a field whose default is None, which is how absence is read")
    return written(value)


def _optional(node: types.Type) -> bool:
    if isinstance(node, types.Metadata):
        node = node.type
    return isinstance(node, types.UnionType) and any(isinstance(t, types.NoneType) for t in node.types)


def _union(node: types.UnionType, place: _Place) -> JsonObject:
    choices = [t for t in node.types if not isinstance(t, types.NoneType)]
    if len(choices) == 1:
        return _schema(choices[0], place)
    plain = {type(t.type if isinstance(t, types.Metadata) else t) for t in choices}
    if plain == {types.IntType, types.StrType}:
        return dict(_INT_OR_STRING)
    raise place.refused("a structural schema has no choice between types, except integer or string")


def _choices(values: tuple[Any, ...], place: _Place) -> JsonObject:
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return {"type": "string", "enum": sorted(values)}
    if kinds == {int}:
        return {"type": "integer", "enum": sorted(values)}
    raise place.refused("an enumeration holds either strings or integers")


def _number(name: str) -> Callable[[Any, _Place], JsonObject]:
    def write(node: types.IntType | types.FloatType, _: _Place) -> JsonObject:
        said = {
            "minimum": node.ge if node.gt is None else node.gt,
            "exclusiveMinimum": None if node.gt is None else True,
            "maximum": node.le if node.lt is None else node.lt,
            "exclusiveMaximum": None if node.lt is None else True,
            "multipleOf": node.multiple_of,
        }
        return {"type": name} | {key: value for key, value in said.items() if value is not None}

    return write


def _sized(schema: JsonObject, node: Any, noun: str) -> JsonObject:
    if node.min_length is not None:
        schema[f"min{noun}"] = node.min_length
    if node.max_length is not None:
        schema[f"max{noun}"] = node.max_length
    return schema


def _string(node: types.StrType, _: _Place) -> JsonObject:
    schema = _sized({"type": "string"}, node, "Length")
    if node.pattern is not None:
        schema["pattern"] = node.pattern
    return schema


def _bytes(node: types.BytesType, place: _Place) -> JsonObject:
    if node.min_length is not None or node.max_length is not None:
        raise place.refused("a length of bytes cannot be said of their base64 text")
    return {"type": "string", "format": "byte"}


def _list(node: types.ListType | types.VarTupleType, place: _Place) -> JsonObject:
    return _sized({"type": "array", "items": _schema(node.item_type, place.at("[]"))}, node, "Items")


def _map(node: types.DictType, place: _Place) -> JsonObject:
    if not isinstance(node.key_type, types.StrType):
        raise place.refused("the keys of a JSON object are strings")
    schema = _sized({"type": "object"}, node, "Properties")
    if isinstance(node.value_type, types.AnyType):
        return schema | _ANYTHING
    return schema | {"additionalProperties": _schema(node.value_type, place.at("{}"))}


def _custom(node: types.CustomType, place: _Place) -> JsonObject:
    openapi = getattr(node.cls, "openapi", None)
    if not isinstance(openapi, dict):
        raise place.refused(
            f"{node.cls.__name__} does not say what it is in JSON: give it `openapi`, as kinds.fields.Scalar"
        )
    return dict(openapi)


def _enumeration(node: types.EnumType, place: _Place) -> JsonObject:
    return _choices(tuple(member.value for member in node.cls), place)


_WRITERS: Final[Mapping[type[types.Type], Callable[[Any, _Place], JsonObject]]] = {
    types.AnyType: lambda _node, _place: dict(_ANYTHING),
    types.BoolType: lambda _node, _place: {"type": "boolean"},
    types.BytesType: _bytes,
    types.CustomType: _custom,
    types.DictType: _map,
    types.EnumType: _enumeration,
    types.FloatType: _number("number"),
    types.IntType: _number("integer"),
    types.ListType: _list,
    types.LiteralType: lambda node, place: _choices(node.values, place),
    types.StrType: _string,
    types.VarTupleType: _list,
}
