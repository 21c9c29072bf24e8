"""Whether the defaults of a schema are valid under it."""

from collections.abc import Iterator

from plumbline.apiserver.crds.definitions.reading import anywhere
from plumbline.apiserver.crds.embedded import coerced_value, embedded_value_errors
from plumbline.apiserver.crds.pruning import pruned, pruned_value
from plumbline.apiserver.crds.structural import META_FIELDS, Node, compiled_schema
from plumbline.apiserver.crds.validation import schema_errors
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical


def has_defaults(schema: JsonObject) -> bool:
    return anywhere(schema, lambda each: each.get("default") is not None)


def unpruned_defaults(schema: JsonObject) -> bool:
    """Whether a default holds fields that its own schema does not know."""
    return has_defaults(schema) and any(_unpruned(node) for node, _ in _defaulted(compiled_schema(schema), ""))


def default_errors(schema: JsonObject, path: str, *, pruned_defaults: bool) -> list[FieldError]:
    """What is wrong with the defaults under a root schema."""
    errors: list[FieldError] = []
    if not has_defaults(schema):
        return errors
    root = compiled_schema(schema)
    for node, place in _defaulted(root, path):
        at = f"{place}.default"
        if pruned_defaults and _unpruned(node):
            errors.append(invalid(at, node.default, "must not have unknown fields"))
        errors += _value_errors(node, at, resource=node is root or node.embedded)
    return errors


def _defaulted(node: Node, path: str, *, root: bool = True) -> Iterator[tuple[Node, str]]:
    """Nodes with a default; those about metadata, and those of free keys, are refused elsewhere."""
    if node.has_default:
        yield node, path
    if node.items is not None:
        yield from _defaulted(node.items, f"{path}.items", root=False)
    for name, below in node.properties.items():
        if not ((root or node.embedded) and name in META_FIELDS):
            yield from _defaulted(below, f"{path}.properties[{name}]", root=False)


def _unpruned(node: Node) -> bool:
    value = node.default
    kept = pruned(value, node) if node.embedded and isinstance(value, dict) else pruned_value(value, node)
    return not identical(kept, value)


def _value_errors(node: Node, path: str, *, resource: bool) -> list[FieldError]:
    value: Json = node.default
    try:
        value = coerced_value(value, node, path)
    except SchemaViolation as bad:
        field, _, message = bad.what.partition(": ")
        return [FieldError("FieldValueInvalid", field, message)]
    errors = embedded_value_errors(value, node, path) or schema_errors(value, node, prefix=path)
    if errors or not node.traits.rules:
        return errors
    from plumbline.apiserver.crds.rule_checking import rule_errors  # noqa: PLC0415 - few CRDs have rules
    from plumbline.apiserver.crds.rules import Rules  # noqa: PLC0415 - same

    rules = Rules.of_node(node, resource=resource)
    return rule_errors(rules, value, value, prefix=path) or rule_errors(rules, value, None, prefix=path)
