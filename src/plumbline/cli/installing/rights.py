"""Who the pods are for the cluster, and what they may do there: what the rooms that run need, and no more."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.installing.rules import BASE, EVERYTHING, OWN, READ_EVERYTHING, ROOMS, Rule, provided
from plumbline.cli.installing.wanted import NAME, Wanted, metadata
from plumbline.composition.foundation import people as composers
from plumbline.terraform.approvals.people import manifests as approvers

WHY: Final = "plumbline.dev/why"
"""Annotation of a role: why its rules are there."""
COMPOSED: Final = f"{NAME}-composed"
_RBAC: Final = "rbac.authorization.k8s.io"
_COMPOSED_WHY: Final = (
    "Composites, claims and what compositions are made of. Whoever lets Crossplane compose a kind says so in a ClusterRole "
    "with this label, and so for us."
)


def rights(wanted: Wanted) -> list[JsonObject]:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(wanted, NAME)}
    printed: list[JsonObject] = [{**account, "automountServiceAccountToken": False}]
    own = OWN if wanted.mode == "enforce" else [each for each in OWN if each.groups != ("argoproj.io",)]
    printed += [_role(wanted, "Role", NAME, own), _binding(wanted, "Role", NAME)]
    for name, rules in _everywhere(wanted).items():
        printed += [_role(wanted, "ClusterRole", name, rules), _binding(wanted, "ClusterRole", name)]
    if wanted.writes:
        printed += _composed(wanted) + _peoples(wanted)
    return printed


def _everywhere(wanted: Wanted) -> dict[str, tuple[Rule, ...]]:
    """Cluster roles by name. Where delivery writes, all others are part of what it has."""
    if "delivery" in wanted.only and wanted.writes:
        return {f"{NAME}-delivery": (EVERYTHING,)}
    if not wanted.writes and not wanted.only.isdisjoint({"delivery", "composition"}):
        return {f"{NAME}-observing": (READ_EVERYTHING,)}
    rooms = {f"{NAME}-{room}": rules for room, rules in ROOMS.items() if room in wanted.only}
    if "composition" in wanted.only:
        rooms[f"{NAME}-composition"] += (provided(),)
    found = {NAME: BASE, **rooms}
    return found if wanted.writes else {name: tuple(_reading(rules)) for name, rules in found.items()}


def _reading(rules: Iterable[Rule]) -> Iterable[Rule]:
    return (looking for rule in rules if (looking := rule.reading()) is not None)


def _composed(wanted: Wanted) -> list[JsonObject]:
    """What nobody can list beforehand is gathered by a label, as Crossplane does."""
    if "delivery" in wanted.only or "composition" not in wanted.only:
        return []
    chosen = {"matchLabels": {"rbac.crossplane.io/aggregate-to-crossplane": "true"}}
    role = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {**metadata(wanted, COMPOSED, namespaced=False), "annotations": {WHY: _COMPOSED_WHY}},
        "aggregationRule": {"clusterRoleSelectors": [chosen]},
    }
    return [role, _binding(wanted, "ClusterRole", COMPOSED)]


def _peoples(wanted: Wanted) -> list[JsonObject]:
    """Roles that the controllers make where they are missing; printed, they need no right to."""
    found = composers() if "composition" in wanted.only else ()
    return [*found, *(approvers() if "terraform" in wanted.only else ())]


def _role(wanted: Wanted, kind: str, name: str, rules: Iterable[Rule]) -> JsonObject:
    said = metadata(wanted, name, namespaced=kind == "Role")
    listed = list(rules)
    why = "\n".join(f"{', '.join(each.resources)}: {each.why}" for each in listed)
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": kind,
        "metadata": {**said, "annotations": {WHY: why}},
        "rules": [each.manifest() for each in listed],
    }


def _binding(wanted: Wanted, kind: str, name: str) -> JsonObject:
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata(wanted, name, namespaced=kind == "Role"),
        "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": wanted.namespace}],
    }
