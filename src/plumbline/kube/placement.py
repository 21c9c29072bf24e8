"""Where a pod may run: what it asks of a node's labels and name, and which taints it tolerates."""

from collections.abc import Mapping, Sequence
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.selectors.labels import Operator, Requirement

_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
    "Gt": Operator.GREATER_THAN,
    "Lt": Operator.LESS_THAN,
}
_ORDERED: Final = frozenset({Operator.GREATER_THAN, Operator.LESS_THAN})


def wants_node(spec: JsonObject, labels: Mapping[str, str], name: str) -> bool:
    """By its nodeSelector and by what its node affinity requires."""
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or node_matches(required, labels, name)


def node_matches(selector: JsonObject, labels: Mapping[str, str], name: str) -> bool:
    """One of the terms must hold; one that says nothing never does."""
    return any(_term_matches(term, labels, name) for term in selector.get("nodeSelectorTerms") or ())


def _term_matches(term: JsonObject, labels: Mapping[str, str], name: str) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    return _all_hold(expressions, labels) and _all_hold(fields, {"metadata.name": name})


def _all_hold(expressions: Sequence[JsonObject], values: Mapping[str, str]) -> bool:
    return all(_holds(each, values) for each in expressions)


def _holds(expression: JsonObject, values: Mapping[str, str]) -> bool:
    operator = _OPERATORS.get(str(expression.get("operator")))
    given = tuple(map(str, expression.get("values") or ()))
    if operator is None or (operator in _ORDERED and len(given) != 1):
        return False
    return Requirement(str(expression.get("key")), operator, given).matches(values)


def tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    for field in ("effect", "key"):
        if toleration.get(field) and toleration[field] != taint.get(field):
            return False
    operator = toleration.get("operator") or "Equal"
    same = (toleration.get("value") or "") == (taint.get("value") or "")
    return operator == "Exists" or (operator == "Equal" and same)
