"""Parts of CRDs as the server prints them in errors: with the field names of its own types, in their order."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import Json, JsonObject

_RULE: Final = (
    ("Rule", "rule", ""), ("Message", "message", ""), ("MessageExpression", "messageExpression", ""),
    ("Reason", "reason", None), ("FieldPath", "fieldPath", ""), ("OptionalOldSelf", "optionalOldSelf", None),
)  # fmt: skip
_COLUMN: Final = (
    ("Name", "name", ""), ("Type", "type", ""), ("Format", "format", ""), ("Description", "description", ""),
    ("Priority", "priority", 0), ("JSONPath", "jsonPath", ""),
)  # fmt: skip
_SCALE: Final = (
    ("SpecReplicasPath", "specReplicasPath", ""), ("StatusReplicasPath", "statusReplicasPath", ""),
    ("LabelSelectorPath", "labelSelectorPath", None),
)  # fmt: skip
_SCHEMA: Final = (
    ("ID", "id", ""), ("Schema", "$schema", ""), ("Ref", "$ref", None), ("Description", "description", ""),
    ("Type", "type", ""), ("Nullable", "nullable", False), ("Format", "format", ""), ("Title", "title", ""),
    ("Default", "default", None), ("Maximum", "maximum", None), ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None), ("ExclusiveMinimum", "exclusiveMinimum", False), ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None), ("Pattern", "pattern", ""), ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None), ("UniqueItems", "uniqueItems", False), ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None), ("MaxProperties", "maxProperties", None), ("MinProperties", "minProperties", None),
    ("Required", "required", None), ("Items", "items", None), ("AllOf", "allOf", None), ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None), ("Not", "not", None), ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None), ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None), ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None), ("ExternalDocs", "externalDocs", None), ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False), ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None), ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)  # fmt: skip
SCHEMA_FIELDS: Final = {name: (title, empty) for title, name, empty in _SCHEMA}
"""What the server calls the fields of schemas, and what they are where nobody set them."""

Fields = Iterable[tuple[str, str, Json]]


def shown_rule(rule: JsonObject) -> JsonObject:
    return _record(rule, _RULE)


def shown_schema(schema: Json) -> Json:
    if not isinstance(schema, dict):
        return schema
    record = _record(schema, _SCHEMA)
    for title in ("AllOf", "OneOf", "AnyOf"):
        record[title] = _each(record[title])
    for title in ("Properties", "PatternProperties", "Definitions"):
        named = record[title]
        if isinstance(named, dict):
            record[title] = {name: shown_schema(named[name]) for name in sorted(named)}
    record["Not"] = shown_schema(record["Not"])
    for title in ("AdditionalProperties", "AdditionalItems"):
        record[title] = _schema_or_bool(record[title])
    record["Items"] = _items(record["Items"])
    rules = record["XValidations"]
    if isinstance(rules, list):
        record["XValidations"] = [shown_rule(rule) for rule in rules if isinstance(rule, dict)]
    return record


def shown_versions(versions: Iterable[JsonObject]) -> list[JsonObject]:
    return [_version(version) for version in versions]


def _version(version: JsonObject) -> JsonObject:
    schema = version.get("schema")
    columns = version.get("additionalPrinterColumns")
    selectable = version.get("selectableFields")
    return {
        "Name": version.get("name") or "",
        "Served": version.get("served") is True,
        "Storage": version.get("storage") is True,
        "Deprecated": version.get("deprecated") is True,
        "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": {"OpenAPIV3Schema": shown_schema(schema.get("openAPIV3Schema"))}
        if isinstance(schema, dict)
        else None,
        "Subresources": _subresources(version.get("subresources")),
        "AdditionalPrinterColumns": [_record(each, _COLUMN) for each in columns] if isinstance(columns, list) else None,
        "SelectableFields": (
            [{"JSONPath": each.get("jsonPath") or ""} for each in selectable] if isinstance(selectable, list) else None
        ),
    }


def _subresources(value: Json) -> Json:
    if not isinstance(value, dict):
        return None
    scale = value.get("scale")
    return {
        "Status": {} if value.get("status") is not None else None,
        "Scale": _record(scale, _SCALE) if isinstance(scale, dict) else None,
    }


def _record(value: JsonObject, fields: Fields) -> JsonObject:
    return {title: empty if value.get(name) is None else value[name] for title, name, empty in fields}


def _each(value: Json) -> Json:
    return [shown_schema(each) for each in value] if isinstance(value, list) else None


def _schema_or_bool(value: Json) -> Json:
    if value is None:
        return None
    return {"Allows": value is not False, "Schema": shown_schema(value) if isinstance(value, dict) else None}


def _items(value: Json) -> Json:
    if value is None:
        return None
    if isinstance(value, list):
        return {"Schema": None, "JSONSchemas": _each(value)}
    return {"Schema": shown_schema(value), "JSONSchemas": None}
