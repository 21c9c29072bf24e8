"""What schemas of CRDs may say, and what their rules must be like."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from plumbline.apiserver.crds.definitions.costs import Costs
from plumbline.apiserver.crds.definitions.descent import Context
from plumbline.apiserver.crds.definitions.lists import topology_errors, unkeyed_map_errors
from plumbline.apiserver.crds.definitions.options import OPENAPI_TYPES, Options
from plumbline.apiserver.crds.definitions.reading import flag, listed, mapping, named, schema_of, sequence, text
from plumbline.apiserver.crds.fieldpaths import schema_path
from plumbline.apiserver.crds.structural import META_FIELDS, compiled_schema
from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.base.errors import BadFieldPath
from plumbline.base.json import JsonObject

_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_RULES: Final = "x-kubernetes-validations"
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_NESTED: Final = frozenset({"not", "allOf", "oneOf", "anyOf", "definitions", "dependencies"})


@dataclass(slots=True)
class _Found:
    schema: list[FieldError] = field(default_factory=list)
    rules: list[FieldError] = field(default_factory=list)

    def add(self, other: "_Found") -> None:
        self.schema += other.schema
        self.rules += other.rules


def openapi_errors(schema: JsonObject, path: str, options: Options, *, compiles: bool) -> list[FieldError]:
    """Errors of a root schema; rules are compiled only where *compiles*, because types need a sound schema."""
    costs = Costs()
    found = _visit(schema, path, Context(options, compiles, costs), root=True)
    return [*found.schema, *found.rules, *costs.errors(path)]


def _visit(schema: JsonObject, path: str, context: Context, *, root: bool = False) -> _Found:
    found = _Found(list(_own_errors(schema, path, context)))
    if flag(schema, "uniqueItems"):
        said = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        found.schema.append(forbidden(f"{path}.uniqueItems", said))
    _visit_additional(schema, path, context, found)
    _visit_properties(schema, path, context, found, root=root)
    _visit_nested(schema, path, context, found)
    _visit_items(schema, path, context, found)
    if schema.get(_PRESERVE) is False:
        found.schema.append(invalid(f"{path}.{_PRESERVE}", False, "must be true or undefined"))
    found.schema += topology_errors(schema, path, atomic_sets=context.options.atomic_sets)
    if context.options.keyed_maps:
        found.schema += unkeyed_map_errors(schema, path)
    rules = [mapping(rule) for rule in sequence(schema.get(_RULES))]
    for index, rule in enumerate(rules):
        found.schema += _rule_form_errors(rule, f"{path}.{_RULES}[{index}]", schema)
    if rules and context.compiles and not found.schema:
        from plumbline.apiserver.crds.definitions.compiling import compile_errors  # noqa: PLC0415 - few CRDs have rules

        found.rules += compile_errors(schema, path, context, root=root)
    return found


def _own_errors(schema: JsonObject, path: str, context: Context) -> Iterator[FieldError]:
    kind = text(schema, "type")
    if context.options.known_types and kind and kind not in OPENAPI_TYPES:
        yield not_supported(f"{path}.type", kind, OPENAPI_TYPES)
    if schema.get("default") is not None and context.no_defaults:
        yield forbidden(f"{path}.default", f"must not be set {context.no_defaults}")
    for name in ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"):
        value = schema.get(name)
        if value is not None and value not in ("", {}):
            yield forbidden(f"{path}.{name}", f"{name} is not supported")
    if kind == "null":
        yield forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if sequence(schema.get("items")):
        yield forbidden(f"{path}.items", "items must be a schema object and not an array")
    if context.metadata and flag(schema, "x-kubernetes-embedded-resource"):
        yield forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta")


def _visit_additional(schema: JsonObject, path: str, context: Context, found: _Found) -> None:
    additional = schema.get("additionalProperties")
    if additional is None:
        return
    place = f"{path}.additionalProperties"
    if schema.get("properties") and additional is not True:
        found.schema.append(forbidden(place, "additionalProperties and properties are mutual exclusive"))
    if isinstance(additional, dict):
        if context.metadata:
            context = replace(context, no_defaults="inside additionalProperties applying to object metadata")
        found.add(_visit(additional, place, context.below(schema)))


def _visit_properties(schema: JsonObject, path: str, context: Context, found: _Found, *, root: bool) -> None:
    if "properties" not in schema:
        return
    correlated = schema.get("x-kubernetes-map-type") in {None, "granular", "atomic"}
    if not correlated:
        context = replace(context, uncorrelated=context.uncorrelated or path)
    context = context.below(schema)
    resource = root or flag(schema, "x-kubernetes-embedded-resource")
    for name, each in named(schema, "properties"):
        below = context
        if resource and name in META_FIELDS:
            reason = f"in top-level {name}" if root else context.no_defaults
            below = replace(context, metadata=True, no_defaults=reason)
        found.add(_visit(each, f"{path}.properties[{name}]", below))


def _visit_nested(schema: JsonObject, path: str, context: Context, found: _Found) -> None:
    """Rules are not compiled there: those places say what is valid, not what is."""
    if _NESTED.isdisjoint(schema):
        return
    context = replace(context, compiles=False)
    negated = schema_of(schema.get("not"))
    if negated is not None:
        found.add(_visit(negated, f"{path}.not", context))
    for name in ("allOf", "oneOf", "anyOf"):
        for index, each in listed(schema, name):
            found.add(_visit(each, f"{path}.{name}[{index}]", context))
    for name in ("definitions", "dependencies"):
        for key, each in named(schema, name):
            found.add(_visit(each, f"{path}.{name}[{key}]", context))


def _visit_items(schema: JsonObject, path: str, context: Context, found: _Found) -> None:
    if "items" not in schema:
        return
    if schema.get("x-kubernetes-list-type") != "map":
        context = replace(context, uncorrelated=context.uncorrelated or path)
    context = context.below(schema)
    items = schema.get("items")
    if isinstance(items, dict):
        found.add(_visit(items, f"{path}.items", context))
    for index, each in listed(schema, "items"):
        found.add(_visit(each, f"{path}.items[{index}]", replace(context, compiles=False)))


def _rule_form_errors(rule: JsonObject, path: str, schema: JsonObject) -> Iterator[FieldError]:
    written, message, worded = text(rule, "rule"), text(rule, "message"), text(rule, "messageExpression")
    if not written.strip():
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _broken(message.strip()):
        yield invalid(f"{path}.message", message, "must not contain line breaks")
    elif _broken(written.strip()) and not message.strip():
        yield required(f"{path}.message", "message must be specified if rule contains line breaks")
    if worded and not worded.strip():
        yield required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(f"{path}.reason", reason, _REASONS)
    yield from _rule_path_errors(text(rule, "fieldPath"), f"{path}.fieldPath", schema)


def _rule_path_errors(written: str, path: str, schema: JsonObject) -> Iterator[FieldError]:
    if not written:
        return
    if not written.strip():
        yield invalid(path, written, "must be non-empty if specified")
    if _broken(written):
        yield invalid(path, written, "must not contain line breaks")
    try:
        schema_path(written, compiled_schema(schema))
    except BadFieldPath:
        yield invalid(path, written, "must be a valid path")


def _broken(words: str) -> bool:
    return "\n" in words or "\r" in words
