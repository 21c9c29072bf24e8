"""ClusterRoles that are made of others: all rules of those that a selector finds."""

from collections.abc import Iterable

from plumbline.apiserver.rbac.rules import Rule, rule_from
from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.selectors import LabelSelector


def aggregated(role: JsonObject, roles: Iterable[JsonObject]) -> list[Json]:
    """The rules that *role* has to have; those it has where it does not aggregate, or its selectors are bad.

    Roles come in the order of their names within each selector, and no rule comes twice.
    """
    aggregation = role.get("aggregationRule")
    present = role.get("rules")
    present = present if isinstance(present, list) else []
    if not isinstance(aggregation, dict):
        return present
    selectors = aggregation.get("clusterRoleSelectors")
    try:
        found = [LabelSelector.from_object(each) for each in selectors] if isinstance(selectors, list) else []
    except BadSelector:
        return present
    name = _metadata(role).get("name")
    others = sorted((each for each in roles if _metadata(each).get("name") != name), key=_name)
    rules: dict[Rule, Json] = {}
    for selector in found:
        for other in others:
            if selector.matches(_labels(other)):
                _add(rules, other)
    return list(rules.values())


def _add(rules: dict[Rule, Json], role: JsonObject) -> None:
    listed = role.get("rules")
    for each in listed if isinstance(listed, list) else ():
        rules.setdefault(rule_from(each), each)


def _metadata(role: JsonObject) -> JsonObject:
    metadata = role.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _name(role: JsonObject) -> str:
    return str(_metadata(role).get("name"))


def _labels(role: JsonObject) -> dict[str, str]:
    labels = _metadata(role).get("labels")
    return labels if isinstance(labels, dict) else {}
