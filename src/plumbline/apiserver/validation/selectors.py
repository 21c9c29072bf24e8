"""Selectors inside objects: of labels, of nodes, of topologies, of fields."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required
from plumbline.apiserver.validation.metadata import faulty, label_errors
from plumbline.apiserver.validation.names import dns_subdomain, label_value, qualified_name
from plumbline.apiserver.validation.shapes import mappings, text, texts
from plumbline.base.json import Json, JsonObject

_SETS: Final = {"In", "NotIn"}
_UNARY: Final = {"Exists", "DoesNotExist"}
_ORDERED: Final = {"Gt", "Lt"}
_NO_OPERATOR: Final = "not a valid selector operator"


def label_selector_errors(selector: Json, field: str, *, old_values: bool = False) -> Iterator[FieldError]:
    """Complaints about a label selector; with *old_values* it may hold values that are none."""
    if not isinstance(selector, dict):
        return
    if labels := selector.get("matchLabels"):
        yield from label_errors(labels, f"{field}.matchLabels")
    for index, expression in enumerate(mappings(selector.get("matchExpressions"))):
        yield from label_requirement_errors(expression, f"{field}.matchExpressions[{index}]", old_values=old_values)


def label_requirement_errors(
    expression: JsonObject, field: str, *, old_values: bool = False, any_operator: bool = False
) -> Iterator[FieldError]:
    yield from _operator_errors(expression, field, any_operator=any_operator)
    key = text(expression.get("key"))
    yield from faulty(f"{field}.key", key, qualified_name(key))
    if not old_values:
        yield from _value_errors(expression, field)


def field_requirement_errors(expression: JsonObject, field: str) -> Iterator[FieldError]:
    """Complaints about a requirement that asks for fields, where operators of newer clients pass."""
    if not text(expression.get("key")):
        yield required(f"{field}.key", "must be specified")
    yield from _operator_errors(expression, field, any_operator=True)


def bad_label_selector(selector: Json) -> bool:
    """Whether a label selector that is stored already would not be let in now."""
    return any(label_selector_errors(selector, ""))


def node_selector_errors(selector: JsonObject, field: str, *, old_values: bool = False) -> Iterator[FieldError]:
    terms = mappings(selector.get("nodeSelectorTerms"))
    if not terms:
        yield required(f"{field}.nodeSelectorTerms", "must have at least one node selector term")
    for index, term in enumerate(terms):
        yield from node_selector_term_errors(term, f"{field}.nodeSelectorTerms[{index}]", old_values=old_values)


def node_selector_term_errors(term: JsonObject, field: str, *, old_values: bool = False) -> Iterator[FieldError]:
    for index, expression in enumerate(mappings(term.get("matchExpressions"))):
        yield from _node_requirement_errors(expression, f"{field}.matchExpressions[{index}]", old_values=old_values)
    for index, expression in enumerate(mappings(term.get("matchFields"))):
        yield from _node_field_errors(expression, f"{field}.matchFields[{index}]")


def bad_node_selector_values(selector: JsonObject) -> bool:
    """Whether a selector of nodes that is stored already holds values which no label can have."""
    expressions = (
        each for term in mappings(selector.get("nodeSelectorTerms")) for each in mappings(term.get("matchExpressions"))
    )
    return any(label_value(value) for each in expressions for value in texts(each.get("values")))


def topology_term_errors(term: JsonObject, field: str) -> Iterator[FieldError]:
    keys: set[str] = set()
    for index, expression in enumerate(mappings(term.get("matchLabelExpressions"))):
        at, key = f"{field}.matchLabelExpressions[{index}]", text(expression.get("key"))
        values = texts(expression.get("values"))
        if not values:
            yield required(f"{at}.values")
        for position, value in enumerate(values):
            if value in values[:position]:
                yield duplicate(f"{at}.values[{position}]", value)
        yield from faulty(f"{at}.key", key, qualified_name(key))
        if key in keys:
            yield duplicate(f"{at}.key", key)
        keys.add(key)


def _operator_errors(expression: JsonObject, field: str, *, any_operator: bool = False) -> Iterator[FieldError]:
    operator, values = text(expression.get("operator")), expression.get("values")
    if operator in _SETS:
        if not values:
            yield required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in _UNARY:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden(f"{field}.values", detail)
    elif not any_operator:
        yield invalid(f"{field}.operator", operator, _NO_OPERATOR)


def _value_errors(expression: JsonObject, field: str) -> Iterator[FieldError]:
    for index, value in enumerate(texts(expression.get("values"))):
        yield from faulty(f"{field}.values[{index}]", value, label_value(value))


def _node_requirement_errors(expression: JsonObject, field: str, *, old_values: bool) -> Iterator[FieldError]:
    if text(expression.get("operator")) in _ORDERED:
        if len(texts(expression.get("values"))) != 1:
            yield required(f"{field}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield from _operator_errors(expression, field)
    key = text(expression.get("key"))
    yield from faulty(f"{field}.key", key, qualified_name(key))
    if not old_values:
        yield from _value_errors(expression, field)


def _node_field_errors(expression: JsonObject, field: str) -> Iterator[FieldError]:
    operator, key = text(expression.get("operator")), text(expression.get("key"))
    values = texts(expression.get("values"))
    if operator not in _SETS:
        yield invalid(f"{field}.operator", operator, _NO_OPERATOR)
    elif len(values) != 1:
        detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(f"{field}.values", detail)
    if key != "metadata.name":
        yield invalid(f"{field}.key", key, "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from faulty(f"{field}.values[{index}]", value, dns_subdomain(value))
