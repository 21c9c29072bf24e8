"""OpenAPI schemas as CRDs hold them: what `JSONSchemaProps` keeps of what somebody wrote, or why it cannot.

Pure. A field that CRDs do not know is dropped, as is one that says nothing: two ways of writing the same give the same.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

_Kept: TypeAlias = Callable[[Json, str], Json]
_LARGEST_PLAIN: Final = 1e21
_DEEPEST: Final = 200


class _Nothing:
    """A value that says nothing where it stands."""


_NOTHING: Final = _Nothing()


def kept_schema(raw: Json, path: str = "openAPIV3Schema") -> JsonObject:
    """*raw* as a CRD would hold it. Raises InvalidInput naming the place that is no schema."""
    if path.count(".") + path.count("[") > _DEEPEST:
        raise InvalidInput(f"{path[:80]}… is nested too deep", why=f"more than {_DEEPEST} levels")
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise _wrong(path, "an object", raw)
    result: JsonObject = {}
    for key, value in raw.items():
        keep = _FIELDS.get(key)
        if keep is None or value is None:
            continue
        found = keep(value, f"{path}.{key}")
        if found is not _NOTHING:
            result[key] = found
    return result


def _wrong(path: str, wanted: str, got: Json) -> InvalidInput:
    return InvalidInput(
        f"{path} cannot be used", why=f"expected {wanted}, got {type(got).__name__}", hint="Correct it in the schema."
    )


def _text(value: Json, path: str) -> Json:
    if not isinstance(value, str):
        raise _wrong(path, "a text", value)
    return value or _NOTHING


def _said_text(value: Json, path: str) -> Json:
    """One that counts even where it is empty."""
    if not isinstance(value, str):
        raise _wrong(path, "a text", value)
    return value


def _flag(value: Json, path: str) -> Json:
    return _said_flag(value, path) or _NOTHING


def _said_flag(value: Json, path: str) -> Json:
    if not isinstance(value, bool):
        raise _wrong(path, "true or false", value)
    return value


def _integer(value: Json, path: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(path, "a whole number", value)
    return value


def _number(value: Json, path: str) -> Json:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(path, "a number", value)
    plain = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_PLAIN
    return int(value) if plain else value


def _anything(value: Json, path: str) -> Json:
    del path
    return value


def _list_of(keep: _Kept) -> _Kept:
    def kept(value: Json, path: str) -> Json:
        if not isinstance(value, list):
            raise _wrong(path, "a list", value)
        return [keep(item, f"{path}[{at}]") for at, item in enumerate(value)] or _NOTHING

    return kept


def _map_of(keep: _Kept) -> _Kept:
    def kept(value: Json, path: str) -> Json:
        if not isinstance(value, dict):
            raise _wrong(path, "an object", value)
        return {key: keep(item, f"{path}.{key}") for key, item in value.items()} or _NOTHING

    return kept


def _schema_or_flag(value: Json, path: str) -> Json:
    if isinstance(value, bool):
        return value
    return kept_schema(value, path)


def _schema_or_list(value: Json, path: str) -> Json:
    if isinstance(value, list):
        return [kept_schema(item, f"{path}[{at}]") for at, item in enumerate(value)] or _NOTHING
    return kept_schema(value, path)


def _schema_or_names(value: Json, path: str) -> Json:
    return _texts(value, path) if isinstance(value, list) else kept_schema(value, path)


def _record(fields: Mapping[str, _Kept], always: Mapping[str, Json]) -> _Kept:
    def kept(value: Json, path: str) -> Json:
        if not isinstance(value, dict):
            raise _wrong(path, "an object", value)
        found = {
            key: fields[key](item, f"{path}.{key}") for key, item in value.items() if key in fields and item is not None
        }
        return {**always, **{key: item for key, item in found.items() if item is not _NOTHING}}

    return kept


_texts: Final = _list_of(_said_text)
_schemas: Final = _list_of(kept_schema)
_schema_map: Final = _map_of(kept_schema)
_rule: Final = _record(
    {
        "rule": _said_text,
        "message": _text,
        "messageExpression": _text,
        "reason": _said_text,
        "fieldPath": _text,
        "optionalOldSelf": _said_flag,
    },
    {"rule": ""},
)

_FIELDS: Final[Mapping[str, _Kept]] = {
    **dict.fromkeys(("id", "$schema", "description", "type", "format", "title", "pattern"), _text),
    "$ref": _said_text,
    **dict.fromkeys(("default", "example"), _anything),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), _number),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable"), _flag),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), _integer),
    "enum": _list_of(_anything),
    "required": _texts,
    "items": _schema_or_list,
    **dict.fromkeys(("allOf", "oneOf", "anyOf"), _schemas),
    "not": kept_schema,
    **dict.fromkeys(("properties", "patternProperties", "definitions"), _schema_map),
    **dict.fromkeys(("additionalProperties", "additionalItems"), _schema_or_flag),
    "dependencies": _map_of(_schema_or_names),
    "externalDocs": _record({"description": _text, "url": _text}, {}),
    "x-kubernetes-preserve-unknown-fields": _said_flag,
    "x-kubernetes-embedded-resource": _flag,
    "x-kubernetes-int-or-string": _flag,
    "x-kubernetes-list-map-keys": _texts,
    "x-kubernetes-list-type": _said_text,
    "x-kubernetes-map-type": _said_text,
    "x-kubernetes-validations": _list_of(_rule),
}
