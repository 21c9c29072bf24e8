"""Whether rules compile, and what they may cost. Loaded with the first CRD that has any."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.cel.estimating import worst_cost
from plumbline.apiserver.crds.definitions.costs import EXPRESSION_LIMIT, exceeded, multiplied
from plumbline.apiserver.crds.definitions.descent import Context
from plumbline.apiserver.crds.definitions.reading import text
from plumbline.apiserver.crds.definitions.shown import shown_rule
from plumbline.apiserver.crds.rule_sizes import REQUEST_BYTES, rule_size
from plumbline.apiserver.crds.rules import Rule, Rules
from plumbline.apiserver.crds.structural import compiled_schema
from plumbline.apiserver.fielderrors import FieldError, forbidden, internal, invalid
from plumbline.base.json import JsonObject

_RULES: Final = "x-kubernetes-validations"
_UNSEEN: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: "
    "unable to convert structural schema to CEL declarations"
)


def compile_errors(schema: JsonObject, path: str, context: Context, *, root: bool) -> Iterator[FieldError]:
    node = compiled_schema(schema)
    resource = root or node.embedded
    size = rule_size(node, resource=resource)
    if size is None:
        yield internal(f"{path}.{_RULES}", _UNSEEN)
        return
    for index, rule in enumerate(Rules.of_node(node, resource=resource).compiled):
        place = f"{path}.{_RULES}[{index}]"
        if rule.program is not None:
            most = REQUEST_BYTES // (size.least_bytes + 1) if context.count is None else context.count
            cost = multiplied(worst_cost(rule.program, size), most)
            yield from _cost_errors("estimated rule cost", cost, f"{place}.rule", context)
        if rule.message is not None:
            cost = worst_cost(rule.message, size)
            yield from _cost_errors("estimated messageExpression cost", cost, f"{place}.messageExpression", context)
        yield from _compiled_errors(rule, place, context)


def _cost_errors(title: str, cost: int, path: str, context: Context) -> Iterator[FieldError]:
    context.costs.observe(path, cost)
    if cost > EXPRESSION_LIMIT and not context.options.any_cost:
        yield forbidden(path, exceeded(title, cost, EXPRESSION_LIMIT))


def _compiled_errors(rule: Rule, path: str, context: Context) -> Iterator[FieldError]:
    if rule.fault:
        yield invalid(f"{path}.rule", shown_rule(rule.source), rule.fault)
    if rule.message_fault:
        yield invalid(f"{path}.messageExpression", shown_rule(rule.source), rule.message_fault)
    if rule.uses_old_self:
        if context.uncorrelated:
            said = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {context.uncorrelated}"
            yield invalid(f"{path}.rule", text(rule.source, "rule"), said)
    elif rule.source.get("optionalOldSelf") is not None:
        said = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{path}.optionalOldSelf", rule.source["optionalOldSelf"], said)
