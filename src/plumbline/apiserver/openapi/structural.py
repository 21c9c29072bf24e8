"""Structural schemas of CRDs as documents show them.

OpenAPI 3 says nearly all that a structural schema says. Swagger does not know null, alternatives or open objects with
known fields; what it cannot say is left out, so that clients that check against it do not refuse what is valid.
"""

from typing import Final

from plumbline.apiserver.openapi.definitions import Dialect
from plumbline.apiserver.openapi.names import META
from plumbline.base.json import Json, JsonObject
from plumbline.kube.schema.builtin import catalog

_OPEN: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_ALTERNATIVES: Final = ("allOf", "anyOf", "oneOf")
_EITHER: Final[list[JsonObject]] = [{"type": "integer"}, {"type": "string"}]
_EVEN_IF_FALSE: Final = frozenset(
    {
        "example",
        "maximum",
        "minimum",
        "maxLength",
        "minLength",
        "maxItems",
        "minItems",
        "multipleOf",
        "maxProperties",
        "minProperties",
    }
)
_KEPT: Final = frozenset(
    {
        "description", "type", "title", "format", "pattern", "enum", "required", "nullable", "uniqueItems",
        "exclusiveMaximum", "exclusiveMinimum", "externalDocs", _OPEN, _EMBEDDED, _INT_OR_STRING,
        "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations",
    }
)  # fmt: skip
"""What is kept as it is, unless it is empty or false."""


def published_schema(schema: JsonObject | None, dialect: Dialect) -> JsonObject:
    """The definition of a custom kind with *schema*, without its labels."""
    if not isinstance(schema, dict) or (not dialect.modern and schema.get(_OPEN) is True):
        return {"type": "object"}
    made = _node(schema, dialect)
    made["properties"] = made.get("properties", {}) | type_meta(dialect, "ObjectMeta")
    return made


def type_meta(dialect: Dialect, metadata: str) -> JsonObject:
    """apiVersion, kind and metadata as every kind has them; *metadata* is ObjectMeta or ListMeta."""
    like = "PodList" if metadata == "ListMeta" else "Pod"
    fields: JsonObject = (catalog().definition(f"core.v1.{like}") or {}).get("properties", {})
    words = {name: fields.get(name, {}).get("description", "") for name in ("apiVersion", "kind", "metadata")}
    reference = dialect.refer(META + metadata)
    return {
        "apiVersion": {"description": words["apiVersion"], "type": "string"},
        "kind": {"description": words["kind"], "type": "string"},
        "metadata": {"description": words["metadata"], **({"allOf": [reference]} if dialect.modern else reference)},
    }


def _node(schema: Json, dialect: Dialect) -> JsonObject:
    if not isinstance(schema, dict):
        return {}
    made = _modern(schema, dialect) if dialect.modern else _plain(schema, dialect)
    if schema.get(_EMBEDDED) is True and (dialect.modern or schema.get(_OPEN) is not True):
        made["properties"] = made.get("properties", {}) | type_meta(dialect, "ObjectMeta")
        required = made.get("required", [])
        made["required"] = [*required, *(each for each in ("kind", "apiVersion") if each not in required)]
    return made


def _modern(schema: JsonObject, dialect: Dialect) -> JsonObject:
    made = _copied(schema)
    if schema.get("default") is not None:
        made["default"] = schema["default"]
    made |= _children(schema, dialect)
    for key in _ALTERNATIVES:
        if isinstance(schema.get(key), list) and schema[key]:
            made[key] = [_nested(each, dialect) for each in schema[key]]
    if isinstance(schema.get("not"), dict):
        made["not"] = _nested(schema["not"], dialect)
    if schema.get(_INT_OR_STRING) is True:
        _unfold(made)
    return made


def _nested(schema: Json, dialect: Dialect) -> JsonObject:
    """A schema among alternatives: it only restricts, so that nothing is added to it."""
    return _modern(schema, dialect) if isinstance(schema, dict) else {}


def _unfold(made: JsonObject) -> None:
    """Say in alternatives that it is an integer or a string, unless they already say it."""
    alternatives, further = made.get("anyOf"), made.get("allOf") or []
    if alternatives == _EITHER or (further and further[0].get("anyOf") == _EITHER):
        return
    if alternatives is None:
        made["anyOf"] = _EITHER
    else:
        made["allOf"] = [{"anyOf": _EITHER}, *further]


def _plain(schema: JsonObject, dialect: Dialect) -> JsonObject:
    made = _copied(schema)
    made.pop("nullable", None)
    children = _children(schema, dialect)
    nullable, open_ = schema.get("nullable") is True, schema.get(_OPEN) is True
    if nullable or open_:
        children.pop("items", None)
        children.pop("properties", None)
    lone_array = made.get("type") == "array" and "items" not in children
    if nullable or lone_array or (open_ and made.get("type") == "object"):
        made.pop("type", None)
    required = _never_null(schema, made.pop("required", []), () if nullable or open_ else schema.get("properties"))
    return made | children | ({"required": required} if required else {})


def _never_null(schema: JsonObject, required: list[str], known: Json) -> list[str]:
    """A field that may be null cannot be required: for Swagger, null is no value."""
    values = schema.get("additionalProperties")
    if isinstance(values, dict) and values.get("nullable") is True:
        return []
    fields = known if isinstance(known, dict) else {}
    return [
        name for name in required if not (isinstance(fields.get(name), dict) and fields[name].get("nullable") is True)
    ]


def _copied(schema: JsonObject) -> JsonObject:
    made = {key: value for key, value in schema.items() if key in _KEPT and value}
    return made | {key: schema[key] for key in _EVEN_IF_FALSE & schema.keys() if schema[key] is not None}


def _children(schema: JsonObject, dialect: Dialect) -> JsonObject:
    made: JsonObject = {}
    if isinstance(schema.get("items"), dict):
        made["items"] = _node(schema["items"], dialect)
    if isinstance(schema.get("properties"), dict) and schema["properties"]:
        made["properties"] = {name: _node(each, dialect) for name, each in schema["properties"].items()}
    values = schema.get("additionalProperties")
    if isinstance(values, bool):
        made["additionalProperties"] = values
    elif isinstance(values, dict):
        made["additionalProperties"] = _node(values, dialect)
    return made
