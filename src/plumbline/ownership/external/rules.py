"""Looking things up in the tables, by Terraform's type, by Crossplane's kind and by ARN."""

import re
from functools import cache
from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.ownership.external import aws, azure, gcp, sql
from plumbline.ownership.external.shape import Rule

RULES: Final[tuple[Rule, ...]] = (*aws.RULES, *gcp.RULES, *azure.RULES, *sql.RULES)

_PREFIXES: Final = {"aws": "aws", "gcp": "google", "azure": "azurerm"}
_GROUP: Final = re.compile(r"(?:(?P<service>[a-z0-9]+)\.)?(?P<cloud>aws|gcp|azure)\.(?:m\.)?upbound\.io")
_WORDS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+")


def rule_of_type(type_: str) -> Rule | None:
    return _by_type().get(type_)


def rule_of_kind(kind: GroupKind) -> Rule | None:
    """The rule of a managed kind, cluster-scoped or namespaced."""
    return _by_kind().get(str(kind))


def rule_of_arn(service_and_resource: str) -> tuple[Rule, str] | None:
    """The rule whose ARNs go on like this after the account, and what is left: the name."""
    service, _, resource = service_and_resource.partition(":")
    for prefix, rule in _by_service().get(service, ()):
        if resource.startswith(prefix):
            return rule, resource[len(prefix) :]
    return None


def type_of_kind(kind: GroupKind) -> str:
    """Terraform's type for a managed kind, by the table or else by how upstream makes kinds of types; empty if neither."""
    if rule := rule_of_kind(kind):
        return rule.type
    match = _GROUP.fullmatch(kind.group)
    if match is None:
        return ""
    words = [_PREFIXES[match["cloud"]], *filter(None, (match["service"],)), *_WORDS.findall(kind.kind)]
    return "_".join(words).lower()


def camel(attribute: str) -> str:
    """A Terraform attribute as Crossplane spells the field: `node_group_name` is nodeGroupName."""
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _by_type() -> dict[str, Rule]:
    return {rule.type: rule for rule in RULES}


@cache
def _by_kind() -> dict[str, Rule]:
    found = {rule.kind: rule for rule in RULES if rule.kind}
    twins = {}
    for kind, rule in found.items():
        for root in ("upbound.io", "crossplane.io"):
            twins[kind.removesuffix(root) + f"m.{root}"] = rule
    return twins | found


@cache
def _by_service() -> dict[str, tuple[tuple[str, Rule], ...]]:
    """Longest beginning first: a queue's ARN has none at all and would fit everything."""
    found: dict[str, list[tuple[str, Rule]]] = {}
    for rule in RULES:
        if rule.arn and not rule.same_as:
            service, _, prefix = rule.arn.partition(":")
            found.setdefault(service, []).append((prefix, rule))
    return {service: tuple(sorted(each, key=lambda entry: -len(entry[0]))) for service, each in found.items()}
