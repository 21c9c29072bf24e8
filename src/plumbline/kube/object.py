"""One Kubernetes object: a thin view over the dict it was decoded to, which stays as it is.

Reading is total: where the object holds garbage (a `metadata` that is a string, a label that is a number), the reader
sees it as absent, because refusing is the schema's work and a listing must not die of one bad object. Writing returns a
new object that shares all it did not change, and refuses to write over garbage.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref


class OwnerReference(NamedTuple):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool
    block_owner_deletion: bool


class Condition(NamedTuple):
    type: str
    status: str
    reason: str
    message: str
    last_transition_time: str
    observed_generation: int


@dataclass(frozen=True, slots=True, repr=False)
class Object:
    raw: JsonObject

    def __repr__(self) -> str:
        return f"<{self.ref}>"

    @property
    def api_version(self) -> str:
        return _text(self.raw, "apiVersion")

    @property
    def kind(self) -> str:
        return _text(self.raw, "kind")

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind.parse(self.api_version, self.kind)

    @property
    def group_kind(self) -> GroupKind:
        return self.gvk.group_kind

    @property
    def ref(self) -> Ref:
        group, _, kind = self.gvk
        metadata = self.metadata
        return Ref(group, kind, _text(metadata, "namespace"), _text(metadata, "name"))

    @property
    def metadata(self) -> JsonObject:
        return _mapping(self.raw, "metadata")

    @property
    def spec(self) -> JsonObject:
        return _mapping(self.raw, "spec")

    @property
    def status(self) -> JsonObject:
        return _mapping(self.raw, "status")

    @property
    def name(self) -> str:
        return _text(self.metadata, "name")

    @property
    def generate_name(self) -> str:
        return _text(self.metadata, "generateName")

    @property
    def namespace(self) -> str:
        return _text(self.metadata, "namespace")

    @property
    def uid(self) -> str:
        return _text(self.metadata, "uid")

    @property
    def resource_version(self) -> str:
        return _text(self.metadata, "resourceVersion")

    @property
    def generation(self) -> int:
        return _integer(self.metadata, "generation")

    @property
    def creation_timestamp(self) -> str:
        return _text(self.metadata, "creationTimestamp")

    @property
    def deletion_timestamp(self) -> str:
        """When it is to be gone; empty while nobody asked for that."""
        return _text(self.metadata, "deletionTimestamp")

    @property
    def labels(self) -> Mapping[str, str]:
        return _texts(self.metadata, "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        return _texts(self.metadata, "annotations")

    @property
    def finalizers(self) -> tuple[str, ...]:
        return tuple(item for item in _items(self.metadata, "finalizers") if isinstance(item, str))

    @property
    def owner_references(self) -> tuple[OwnerReference, ...]:
        return tuple(map(_owner_reference, _records(self.metadata, "ownerReferences")))

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, of which there is at most one."""
        return next((owner for owner in self.owner_references if owner.controller), None)

    @property
    def managed_fields(self) -> tuple[JsonObject, ...]:
        return tuple(_records(self.metadata, "managedFields"))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(map(_condition, _records(self.status, "conditions")))

    def condition(self, type_: str) -> Condition | None:
        return next((condition for condition in self.conditions if condition.type == type_), None)

    def with_label(self, key: str, value: str) -> "Object":
        return self._with_entry("labels", key, value)

    def without_label(self, key: str) -> "Object":
        return self._without_entry("labels", key)

    def with_annotation(self, key: str, value: str) -> "Object":
        return self._with_entry("annotations", key, value)

    def without_annotation(self, key: str) -> "Object":
        return self._without_entry("annotations", key)

    def with_finalizer(self, finalizer: str) -> "Object":
        """With *finalizer* last, unless it is there already."""
        if finalizer in self.finalizers:
            return self
        return self._with_metadata("finalizers", [*self._writable("finalizers", list), finalizer])

    def without_finalizer(self, finalizer: str) -> "Object":
        if finalizer not in self.finalizers:
            return self
        kept = [item for item in self._writable("finalizers", list) if item != finalizer]
        return self._with_metadata("finalizers", kept or None)

    def with_namespace(self, namespace: str) -> "Object":
        return self if self.namespace == namespace else self._with_metadata("namespace", namespace or None)

    def with_status(self, status: JsonObject) -> "Object":
        return Object({**self.raw, "status": status})

    def without_managed_fields(self) -> "Object":
        return self._with_metadata("managedFields", None) if "managedFields" in self.metadata else self

    def _with_entry(self, field: str, key: str, value: str) -> "Object":
        entries = self._writable(field, dict)
        return self if entries.get(key) == value else self._with_metadata(field, {**entries, key: value})

    def _without_entry(self, field: str, key: str) -> "Object":
        entries = self._writable(field, dict)
        if key not in entries:
            return self
        kept = {name: value for name, value in entries.items() if name != key}
        return self._with_metadata(field, kept or None)

    def _with_metadata(self, field: str, value: Json) -> "Object":
        metadata = {**_writable(self.raw, "metadata", dict, "")}
        if value is None:
            metadata.pop(field, None)
        else:
            metadata[field] = value
        return Object({**self.raw, "metadata": metadata})

    def _writable(self, field: str, form: type[Any]) -> Any:
        return _writable(_writable(self.raw, "metadata", dict, ""), field, form, "metadata.")


def _writable(parent: JsonObject, field: str, form: type[Any], path: str) -> Any:
    value = parent.get(field)
    if value is None:
        return form()
    if not isinstance(value, form):
        raise InvalidInput(f"cannot change {path}{field}", why=f"it is a {type(value).__name__}, not a {form.__name__}")
    return value


def _text(parent: JsonObject, field: str) -> str:
    value = parent.get(field)
    return value if isinstance(value, str) else ""


def _integer(parent: JsonObject, field: str) -> int:
    value = parent.get(field)
    return value if type(value) is int else 0


def _mapping(parent: JsonObject, field: str) -> JsonObject:
    value = parent.get(field)
    return value if isinstance(value, dict) else {}


def _texts(parent: JsonObject, field: str) -> Mapping[str, str]:
    entries = _mapping(parent, field)
    if all(isinstance(value, str) for value in entries.values()):
        return entries
    return {key: value for key, value in entries.items() if isinstance(value, str)}


def owner_reference(obj: JsonObject) -> JsonObject:
    """What makes *obj* an owner of whatever carries it."""
    view = Object(obj)
    return {"apiVersion": view.api_version, "kind": view.kind, "name": view.name, "uid": view.uid}


def controller_reference(obj: JsonObject) -> JsonObject:
    """What makes *obj* the one controller of whatever carries it."""
    return {**owner_reference(obj), "controller": True, "blockOwnerDeletion": True}


def _items(parent: JsonObject, field: str) -> list[Json]:
    value = parent.get(field)
    return value if isinstance(value, list) else []


def _records(parent: JsonObject, field: str) -> Iterator[JsonObject]:
    return (item for item in _items(parent, field) if isinstance(item, dict))


def _owner_reference(raw: JsonObject) -> OwnerReference:
    return OwnerReference(
        _text(raw, "apiVersion"),
        _text(raw, "kind"),
        _text(raw, "name"),
        _text(raw, "uid"),
        raw.get("controller") is True,
        raw.get("blockOwnerDeletion") is True,
    )


def _condition(raw: JsonObject) -> Condition:
    return Condition(
        _text(raw, "type"),
        _text(raw, "status"),
        _text(raw, "reason"),
        _text(raw, "message"),
        _text(raw, "lastTransitionTime"),
        _integer(raw, "observedGeneration"),
    )
