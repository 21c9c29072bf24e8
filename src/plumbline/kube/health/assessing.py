"""The order in which an object's health is decided, in one place."""

from functools import lru_cache
from typing import Final, overload

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import JsonObject
from plumbline.kube.health import builtin, generic, tables
from plumbline.kube.health.hooks import FINALIZER
from plumbline.kube.health.overrides import NO_OVERRIDES, Overrides, Script, override_for
from plumbline.kube.health.reading import items
from plumbline.kube.health.rules import Rule, evaluate
from plumbline.kube.health.status import Health, Status
from plumbline.kube.names import GroupKind

_PENDING_DELETION: Final = Health(Status.PROGRESSING, "Pending deletion")
_RULES: Final = {**tables.RULES, **builtin.RULES}


@overload
def assess(obj: JsonObject, *, generic_rule: bool = True) -> Health | None: ...


@overload
def assess(obj: JsonObject, overrides: Overrides, *, generic_rule: bool = True) -> Health | Script | None: ...


def assess(
    obj: JsonObject, overrides: Overrides = NO_OVERRIDES, *, generic_rule: bool = True
) -> Health | Script | None:
    """The object's health, None for no opinion, or the user's own script that has to be asked instead.

    Decided by the first of these that applies: it is being deleted; a user's override; the rule for its kind; and,
    unless *generic_rule* is off, its conditions. Total: an object that breaks its schema is Unknown.
    """
    metadata = obj.get("metadata")
    deleting = isinstance(metadata, dict) and metadata.get("deletionTimestamp") is not None
    if deleting and FINALIZER not in items(metadata, "finalizers"):
        return _PENDING_DELETION
    kind = _group_kind(obj)
    script = override_for(kind, overrides) if overrides else None
    if script:
        return script
    rule = rule_for(kind)
    if rule is not None:
        return by_rule(rule, obj)
    return generic.by_conditions(obj) if generic_rule else None


def by_rule(rule: Rule, obj: JsonObject) -> Health | None:
    try:
        return evaluate(rule, obj)
    except SchemaViolation as violation:
        return Health(Status.UNKNOWN, str(violation))


@lru_cache(maxsize=4096)
def rule_for(kind: GroupKind) -> Rule | None:
    """The rule for a kind: its own, that of all kinds in its group, or that of a group it is under."""
    group, name = kind
    found = _RULES.get(f"{group}/{name}")
    if found is None:
        found = _RULES.get(f"{group}/*")
    while found is None and group:
        _, _, group = group.partition(".")
        found = _RULES.get(f"*.{group}/*")
    return found


def _group_kind(obj: JsonObject) -> GroupKind:
    version, kind = obj.get("apiVersion"), obj.get("kind")
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    return GroupKind(group, kind if isinstance(kind, str) else "")
