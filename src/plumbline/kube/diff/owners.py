"""Who holds the fields of a live object, and which of them we put there."""

from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, SchemaViolation
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.apply.fieldset import SELF, FieldSet, difference, union
from plumbline.kube.apply.managers import APPLY, UPDATE, Managed, decode_managed
from plumbline.kube.apply.operations import LAST_APPLIED, UNTRACKED
from plumbline.kube.apply.walk import fields_of
from plumbline.kube.diff.differences import ABSENT, Absent
from plumbline.kube.schema.shape import Shape

CLIENT_SIDE: Final = frozenset({"kubectl-client-side-apply", "kubectl-last-applied", "before-first-apply"})
"""Managers under which an object stands that was applied on the client's side: the annotation says what is ours."""


class Owners(NamedTuple):
    ours: FieldSet
    """What we wrote last time: by server-side apply, else by the last-applied annotation."""
    names: frozenset[str]
    """Managers whose fields count as ours."""
    managed: Managed
    applied: JsonObject
    """What the last-applied annotation says was written; empty where there is none."""

    def holding(self, elements: tuple[str, ...]) -> tuple[str, ...]:
        """Managers that hold the value at *elements*, alone or within something atomic."""
        return tuple(
            dict.fromkeys(manager.name for manager, owned in self.managed.items() if _holds(owned.fields, elements))
        )

    def theirs(self, elements: tuple[str, ...]) -> bool:
        """Whether anybody else holds something at or below *elements*."""
        return any(
            manager.name not in self.names and _node(owned.fields, elements) is not None
            for manager, owned in self.managed.items()
        )

    def ours_alone(self, elements: tuple[str, ...]) -> bool:
        return all(name in self.names for name in self.holding(elements))

    def wrote(self, elements: tuple[str, ...]) -> bool:
        """Whether *elements* is among what we wrote last time."""
        return _holds(self.ours, elements)

    def last_value(self, elements: tuple[str, ...]) -> Json | Absent:
        """What the annotation says we wrote at *elements*."""
        value: Json | Absent = self.applied or ABSENT
        for element in elements:
            value = _child(value, element)
        return value


def owners_of(live: JsonObject, manager: str, shape: Shape) -> Owners:
    """Read managedFields; entries that cannot be read count as nobody's."""
    metadata = live.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    managed = _managed(metadata.get("managedFields"))
    applied = _last_applied(metadata)
    ours: FieldSet | None = None
    client_side = False
    for each, owned in managed.items():
        if each.operation == APPLY and each.name == manager:
            ours = owned.fields
        elif each.operation == UPDATE and (each.name == manager or each.name in CLIENT_SIDE):
            client_side = True
    if ours is not None and not client_side:
        return Owners(ours, frozenset({manager}), managed, applied)
    # What was applied on the client's side becomes ours with the next apply, so it is ours to give up as well.
    claimed = _claimed(applied, shape)
    both = union(ours, claimed) if ours and _is_field_set(ours) else claimed
    return Owners(both, CLIENT_SIDE | {manager}, managed, applied)


def _is_field_set(fields: Json) -> bool:
    return isinstance(fields, dict) and all(map(_is_field_set, fields.values()))


def _managed(entries: Json) -> Managed:
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        return {}
    try:
        return decode_managed(entries)
    except InvalidInput:
        return {}


def _is_entry(entry: Json) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("fieldsV1") or {}, dict)


def _last_applied(metadata: JsonObject) -> JsonObject:
    annotations = metadata.get("annotations")
    text = annotations.get(LAST_APPLIED) if isinstance(annotations, dict) else None
    if not isinstance(text, str) or not text:
        return {}
    try:
        applied = decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}  # an annotation that somebody broke says nothing about what is ours
    return applied if isinstance(applied, dict) else {}


def _claimed(applied: JsonObject, shape: Shape) -> FieldSet:
    try:
        return difference(fields_of(applied, shape), UNTRACKED) if applied else {}
    except SchemaViolation:
        return {}


def _holds(fields: FieldSet, elements: tuple[str, ...]) -> bool:
    node = _node(fields, elements)
    return node is not None and (not node or SELF in node)


def _node(fields: FieldSet, elements: tuple[str, ...]) -> FieldSet | None:
    """What *fields* has at *elements*; empty where it has it within something atomic, None where it has nothing."""
    if not fields:
        return None  # at the root, and only there, nothing means nothing
    for element in elements:
        if not fields:
            break
        child = fields.get(element)
        if not isinstance(child, dict):
            return None
        fields = child
    return fields


def _child(value: Json | Absent, element: str) -> Json | Absent:
    kind, name = element[0], element[2:]
    if kind == "f":
        return value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    if not isinstance(value, list):
        return ABSENT
    if kind == "i":
        return value[int(name)] if int(name) < len(value) else ABSENT
    keys = decode(name)
    if not isinstance(keys, dict):
        return keys if keys in value else ABSENT
    return next((item for item in value if isinstance(item, dict) and keys.items() <= item.items()), ABSENT)
