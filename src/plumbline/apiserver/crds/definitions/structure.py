"""Whether a schema is structural: it says of every value what it is before it says what is valid."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.crds.definitions.reading import flag, listed, mapping, named, schema_of, text
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required
from plumbline.base.errors import BadExpression, SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.base.regex import compiled

_ROOT: Final = "must not be empty at the root"
_ITEM: Final = "must not be empty for specified array items"
_FIELD: Final = "must not be empty for specified object fields"
_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED: Final = (
    ("id", "id"), ("$schema", "schema"), ("$ref", "$ref"), ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"), ("additionalItems", "additionalItems"), ("definitions", "definitions"),
)  # fmt: skip
# Most schemas have none of these, and are most of what a start of the server reads.
_UNUSUAL: Final = frozenset({name for name, _ in _UNSUPPORTED} | {"x-kubernetes-preserve-unknown-fields"})
_COMBINING: Final = frozenset({"not", "allOf", "anyOf", "oneOf"})
_VALUES: Final = _COMBINING | {"pattern"}
_FORBIDDEN_INSIDE: Final = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)


def check_readable(schema: JsonObject) -> None:
    """Raises `SchemaViolation` where a schema uses what has no structural meaning at all."""
    if not _UNUSUAL.isdisjoint(schema):
        _check_supported(schema)
    if isinstance(schema.get("items"), list) and schema["items"]:
        raise SchemaViolation("OpenAPIV3Schema 'items' must be a schema, but is an array")
    for name in ("not", "items", "additionalProperties"):
        inner = schema_of(schema.get(name))
        if inner is not None:
            check_readable(inner)
    if not _COMBINING.isdisjoint(schema):
        for name in ("allOf", "anyOf", "oneOf"):
            for _, each in listed(schema, name):
                check_readable(each)
    for _, each in named(schema, "properties"):
        check_readable(each)


def _check_supported(schema: JsonObject) -> None:
    for name, title in _UNSUPPORTED:
        value = schema.get(name)
        if value not in (None, "", {}, []):
            raise SchemaViolation(f"OpenAPIV3Schema '{title}' is not supported")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        raise SchemaViolation("internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined")


def structural_errors(schema: JsonObject, path: str) -> list[FieldError]:
    """What keeps *schema* from being structural, sorted as the server sorts it."""
    errors = [*_invariants(schema, _ROOT, path), *_completeness(schema, schema, path, path)]
    return sorted(errors, key=str)


def _invariants(schema: JsonObject, level: str, path: str) -> Iterator[FieldError]:
    items = schema_of(schema.get("items"))
    if text(schema, "type") == "array" and items is None:
        yield required(f"{path}.items", "must be specified")
    if items is not None:
        yield from _invariants(items, _ITEM, f"{path}.items")
    for name, each in named(schema, "properties"):
        yield from _invariants(each, _FIELD, f"{path}.properties[{name}]")
    additional = schema.get("additionalProperties")
    if additional is not None:
        if level == _ROOT:
            yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
        if isinstance(additional, dict):
            yield from _invariants(additional, _FIELD, f"{path}.additionalProperties")
    yield from _extension_errors(schema, path)
    if not _VALUES.isdisjoint(schema):
        skip_any = _is_int_or_string(schema)
        first = next(listed(schema, "allOf"), (0, {}))[1]
        yield from _value_errors(schema, path, skip_any=skip_any, skip_first_all=_is_int_or_string(first))
    yield from _type_errors(schema, level, path)
    yield from _metadata_errors(schema, level, path)
    properties = mapping(schema.get("properties"))
    if flag(schema, "x-kubernetes-embedded-resource") and not _preserves(schema) and not properties:
        said = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        yield required(f"{path}.properties", said)


def _preserves(schema: JsonObject) -> bool:
    return flag(schema, "x-kubernetes-preserve-unknown-fields")


def _is_int_or_string(schema: JsonObject) -> bool:
    return [_without_empty(each) for _, each in listed(schema, "anyOf")] == _INT_OR_STRING


def _without_empty(schema: JsonObject) -> JsonObject:
    return {name: value for name, value in schema.items() if value not in (None, "", False, {}, [])}


def _extension_errors(schema: JsonObject, path: str) -> Iterator[FieldError]:
    if not flag(schema, "x-kubernetes-int-or-string"):
        return
    for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
        if flag(schema, name):
            yield invalid(f"{path}.{name}", True, "must be false if x-kubernetes-int-or-string is true")


def _type_errors(schema: JsonObject, level: str, path: str) -> Iterator[FieldError]:
    kind, place = text(schema, "type"), f"{path}.type"
    embedded = flag(schema, "x-kubernetes-embedded-resource")
    if embedded and kind != "object":
        said = "must be object if x-kubernetes-embedded-resource is true"
        yield invalid(place, kind, said) if kind else required(place, said)
    elif not kind and not flag(schema, "x-kubernetes-int-or-string") and not _preserves(schema):
        yield required(place, level)
    if embedded and schema.get("additionalProperties") is not None:
        said = "must not be used if x-kubernetes-embedded-resource is set"
        yield forbidden(f"{path}.additionalProperties", said)
    if level == _ROOT and kind and kind != "object":
        yield invalid(place, kind, "must be object at the root")


def _metadata_errors(schema: JsonObject, level: str, path: str) -> Iterator[FieldError]:
    properties = mapping(schema.get("properties"))
    checked = level == _ROOT or flag(schema, "x-kubernetes-embedded-resource")
    for name in ("kind", "apiVersion"):
        if checked and name in properties:
            kind = text(mapping(properties[name]), "type")
            if kind != "string":
                yield invalid(f"{path}.properties[{name}].type", kind, "must be string")
    if "metadata" not in properties:
        return
    metadata, place = mapping(properties["metadata"]), f"{path}.properties[metadata]"
    kind = text(metadata, "type")
    if checked and kind != "object":
        yield invalid(f"{place}.type", kind, "must be object")
    if level == _ROOT and _says_more_than_names(metadata):
        said = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield forbidden(place, said)


def _says_more_than_names(metadata: JsonObject) -> bool:
    rest = {name: value for name, value in _without_empty(metadata).items() if name not in {"type", "default"}}
    if set(mapping(rest.get("properties"))) <= {"name", "generateName"}:
        rest.pop("properties", None)
    return bool(rest)


def _value_errors(schema: JsonObject, path: str, *, skip_any: bool, skip_first_all: bool) -> Iterator[FieldError]:
    if not skip_any:
        for index, each in listed(schema, "anyOf"):
            yield from _nested_errors(each, f"{path}.anyOf[{index}]")
    for index, each in listed(schema, "allOf"):
        yield from _nested_errors(each, f"{path}.allOf[{index}]", skip_any=skip_first_all and index == 0)
    for index, each in listed(schema, "oneOf"):
        yield from _nested_errors(each, f"{path}.oneOf[{index}]")
    negated = schema_of(schema.get("not"))
    if negated is not None:
        yield from _nested_errors(negated, f"{path}.not")
    pattern = text(schema, "pattern")
    if pattern:
        try:
            compiled(pattern)
        except BadExpression as bad:
            said = f"must be a valid regular expression, but isn't: {bad.what}"
            yield invalid(f"{path}.pattern", pattern, said)


def _nested_errors(schema: JsonObject, path: str, *, skip_any: bool = False) -> Iterator[FieldError]:
    yield from _value_errors(schema, path, skip_any=skip_any, skip_first_all=False)
    items = schema_of(schema.get("items"))
    if items is not None:
        yield from _nested_errors(items, f"{path}.items")
    for name, each in named(schema, "properties"):
        yield from _nested_errors(each, f"{path}.properties[{name}]")
    for name, said in _FORBIDDEN_INSIDE:
        value = schema.get(name)
        if value not in (None, "", False, []):
            yield forbidden(f"{path}.{name}", said)
    if "metadata" in mapping(schema.get("properties")):
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _completeness(schema: JsonObject, whole: JsonObject | None, path: str, place: str) -> Iterator[FieldError]:
    """Whatever is said under allOf and the like must have been declared outside of it."""
    negated = schema_of(schema.get("not"))
    if negated is not None:
        yield from _nested_completeness(negated, whole, path, f"{place}.not")
    for name in ("allOf", "anyOf", "oneOf"):
        for index, each in listed(schema, name):
            yield from _nested_completeness(each, whole, path, f"{place}.{name}[{index}]")


def _nested_completeness(schema: JsonObject, whole: JsonObject | None, path: str, place: str) -> Iterator[FieldError]:
    if whole is None:
        yield required(path, f"because it is defined in {place}")
        return
    yield from _completeness(schema, whole, path, place)
    items = schema_of(schema.get("items"))
    if items is not None:
        yield from _nested_completeness(items, schema_of(whole.get("items")), f"{path}.items", f"{place}.items")
    declared = mapping(whole.get("properties"))
    for name, each in named(schema, "properties"):
        inside, outside = f"{place}.properties[{name}]", f"{path}.properties[{name}]"
        if name in declared:
            yield from _nested_completeness(each, mapping(declared[name]), outside, inside)
        else:
            yield required(outside, f"because it is defined in {inside}")
