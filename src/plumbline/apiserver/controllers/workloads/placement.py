"""Where a pod may run: node selectors, required node affinity, taints and tolerations."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.object import Object
from plumbline.kube.selectors.labels import Operator, Requirement

NO_SCHEDULE: Final = "NoSchedule"
NO_EXECUTE: Final = "NoExecute"
NAME_FIELD: Final = "metadata.name"
_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
    "Gt": Operator.GREATER_THAN,
    "Lt": Operator.LESS_THAN,
}
_ORDERED: Final = frozenset({Operator.GREATER_THAN, Operator.LESS_THAN})


def fits_affinity(spec: JsonObject, node: Object) -> bool:
    """Whether a pod of *spec* asks for a node like *node*."""
    wanted = spec.get("nodeSelector") or {}
    labels = node.labels
    if any(labels.get(name) != value for name, value in wanted.items()):
        return False
    required = required_affinity(spec)
    return required is None or any(_term_matches(term, node) for term in required.get("nodeSelectorTerms") or ())


def required_affinity(spec: JsonObject) -> JsonObject | None:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution")


def _term_matches(term: JsonObject, node: Object) -> bool:
    """A term that says nothing matches nothing."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    named = {NAME_FIELD: node.name}
    return all(_holds(each, node.labels) for each in expressions) and all(_holds(each, named) for each in fields)


def _holds(expression: JsonObject, values: Mapping[str, str]) -> bool:
    operator = _OPERATORS.get(str(expression.get("operator")))
    given = tuple(map(str, expression.get("values") or ()))
    if operator is None or (operator in _ORDERED and len(given) != 1):
        return False
    return Requirement(str(expression.get("key")), operator, given).matches(values)


def untolerated(node: Object, tolerations: Iterable[JsonObject], effects: Iterable[str]) -> Iterator[JsonObject]:
    """Taints with one of *effects* that keep the pod away."""
    accepted = list(tolerations)
    for taint in node.spec.get("taints") or ():
        if taint.get("effect") in effects and not any(tolerates(each, taint) for each in accepted):
            yield taint


def tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    for field in ("effect", "key"):
        if toleration.get(field) and toleration[field] != taint.get(field):
            return False
    operator = toleration.get("operator") or "Equal"
    same = (toleration.get("value") or "") == (taint.get("value") or "")
    return operator == "Exists" or (operator == "Equal" and same)
