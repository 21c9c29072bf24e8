"""Who may do what, and how many pods may be gone meanwhile."""

from typing import Final

from plumbline.apiserver.defaults.rules import Rule, each, for_objects, record
from plumbline.base.json import Json, JsonObject

_RBAC: Final = "rbac.authorization.k8s.io"
_PEOPLE: Final = ("User", "Group")


@for_objects
def _subject(subject: JsonObject) -> JsonObject:
    return {**subject, "apiGroup": _RBAC} if subject.get("kind") in _PEOPLE and not subject.get("apiGroup") else subject


ROLE_BINDING: Final[Rule] = record(fields={"roleRef": record(zero={"apiGroup": _RBAC}), "subjects": each(_subject)})
"""Of a namespace and of the cluster."""

_EMPTY_SELECTOR_MARK: Final = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def _marked(expression: Json) -> bool:
    return type(expression) is dict and expression.get("key") == _EMPTY_SELECTOR_MARK


@for_objects
def _unmarked(selector: JsonObject) -> JsonObject:
    """Without the mark for a selector of nothing, unless it is all there is."""
    expressions = selector.get("matchExpressions")
    if type(expressions) is not list or not any(map(_marked, expressions)):
        return selector
    if not selector.get("matchLabels") and expressions == [{"key": _EMPTY_SELECTOR_MARK, "operator": "Exists"}]:
        return selector
    kept = [expression for expression in expressions if not _marked(expression)]
    rest = {name: child for name, child in selector.items() if name != "matchExpressions"}
    return {**rest, "matchExpressions": kept} if kept else rest


DISRUPTION_BUDGET: Final[Rule] = record(fields={"spec": record(fields={"selector": _unmarked})})
