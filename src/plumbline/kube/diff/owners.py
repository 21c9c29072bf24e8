"""Who holds the fields of a live object, and which of them we put there."""

from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, SchemaViolation
from plumbline.base.json import JsonObject, decode
from plumbline.kube.apply.fieldset import SELF, FieldSet, difference
from plumbline.kube.apply.managers import APPLY, Managed, decode_managed
from plumbline.kube.apply.operations import LAST_APPLIED, UNTRACKED
from plumbline.kube.apply.walk import fields_of
from plumbline.kube.schema.shape import Shape

_CLIENT_SIDE: Final = frozenset({"kubectl-client-side-apply", "kubectl-last-applied", "before-first-apply"})
"""Managers under which an object stands that was applied on the client's side: the annotation says what is ours."""


class Owners(NamedTuple):
    ours: FieldSet
    """What we wrote last time: by server-side apply, else by the last-applied annotation."""
    names: frozenset[str]
    """Managers whose fields count as ours."""
    managed: Managed

    def holding(self, elements: tuple[str, ...]) -> tuple[str, ...]:
        """Managers that hold the value at *elements*, alone or within something atomic."""
        return tuple(
            dict.fromkeys(manager.name for manager, owned in self.managed.items() if _holds(owned.fields, elements))
        )

    def theirs(self, elements: tuple[str, ...]) -> bool:
        """Whether anybody else holds something at or below *elements*."""
        return any(
            manager.name not in self.names and _reaches(owned.fields, elements)
            for manager, owned in self.managed.items()
        )

    def ours_alone(self, elements: tuple[str, ...]) -> bool:
        return all(name in self.names for name in self.holding(elements))


def owners_of(live: JsonObject, manager: str, shape: Shape) -> Owners:
    """Read managedFields; entries that cannot be read count as nobody's."""
    metadata = live.get("metadata") or {}
    try:
        managed = decode_managed(metadata.get("managedFields") or ())
    except InvalidInput:
        managed = {}
    applied = [owned.fields for each, owned in managed.items() if each.name == manager and each.operation == APPLY]
    if applied:
        return Owners(applied[0], frozenset({manager}), managed)
    return Owners(_last_applied(metadata, shape), _CLIENT_SIDE | {manager}, managed)


def _last_applied(metadata: JsonObject, shape: Shape) -> FieldSet:
    annotation = (metadata.get("annotations") or {}).get(LAST_APPLIED)
    if not annotation:
        return {}
    try:
        applied = decode(annotation)
        return difference(fields_of(applied, shape), UNTRACKED) if isinstance(applied, dict) else {}
    except (msgspec.DecodeError, SchemaViolation):
        return {}  # an annotation that somebody broke says nothing about what is ours


def _holds(fields: FieldSet, elements: tuple[str, ...]) -> bool:
    node = _node(fields, elements)
    return node is not None and (not node or SELF in node)


def _reaches(fields: FieldSet, elements: tuple[str, ...]) -> bool:
    return _node(fields, elements) is not None


def _node(fields: FieldSet, elements: tuple[str, ...]) -> FieldSet | None:
    """What *fields* has at *elements*; empty where it has it within something atomic, None where it has nothing."""
    for element in elements:
        if not fields:
            break
        child = fields.get(element)
        if child is None:
            return None
        fields = child
    return fields
