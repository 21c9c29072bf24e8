"""ObjectMeta: what it may hold in a new object, and what of it may change.

Kinds of custom resources are validated with the same functions. Built-in kinds other than those of the admission
and coordination groups also refuse finalizers that are neither known nor qualified (`known_finalizers`).
"""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, required, too_long
from plumbline.apiserver.validation.names import (
    NameFaults,
    byte_count,
    label_name,
    label_value,
    qualified_name,
)
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

IMMUTABLE: Final = "field is immutable"
NEGATIVE: Final = "must be greater than or equal to 0"
ANNOTATIONS_BYTES: Final = 256 * 1024
_MANAGER_BYTES: Final = 128
_SUBRESOURCE_BYTES: Final = 256
_KNOWN_FINALIZERS: Final = {"kubernetes", "orphan", "foregroundDeletion"}
_FIXED: Final = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_TEXTS: Final = {"name", "namespace", "uid"}


def metadata_of(obj: JsonObject) -> JsonObject:
    return mapping(obj.get("metadata"))


def object_meta_errors(
    metadata: Json,
    *,
    namespaced: bool,
    name_faults: NameFaults,
    prefix: str = "metadata",
    known_finalizers: bool = False,
) -> list[FieldError]:
    """What is wrong with the metadata of an object, whether it is new or was there before."""
    meta = mapping(metadata)
    errors: list[FieldError] = []
    if generated := text(meta.get("generateName")):
        errors += faulty(f"{prefix}.generateName", generated, name_faults(generated, True))
    if name := text(meta.get("name")):
        errors += faulty(f"{prefix}.name", name, name_faults(name, False))
    else:
        errors.append(required(f"{prefix}.name", "name or generateName is required"))
    errors += _scope_errors(text(meta.get("namespace")), prefix, namespaced=namespaced)
    generation = meta.get("generation")
    if isinstance(generation, int) and generation < 0:
        errors.append(invalid(f"{prefix}.generation", generation, NEGATIVE))
    errors += _described_errors(meta, prefix)
    if finalizers := texts(meta.get("finalizers")):
        errors += _finalizer_errors(finalizers, f"{prefix}.finalizers")
    errors += _managed_fields_errors(meta.get("managedFields"), f"{prefix}.managedFields")
    if known_finalizers and finalizers:
        errors += _unknown_finalizer_errors(finalizers, f"{prefix}.finalizers")
    return errors


def object_meta_update_errors(
    new: Json, old: Json, *, prefix: str = "metadata", known_finalizers: bool = False
) -> list[FieldError]:
    """What may not change in the metadata of an object, and what is wrong with the parts that may."""
    meta, before = mapping(new), mapping(old)
    errors: list[FieldError] = []
    finalizers = texts(meta.get("finalizers"))
    if before.get("deletionTimestamp") and finalizers:
        errors += _added_finalizer_errors(finalizers, texts(before.get("finalizers")), prefix)
    if not meta.get("resourceVersion"):
        errors.append(invalid(f"{prefix}.resourceVersion", "", "must be specified for an update"))
    generation, former = meta.get("generation") or 0, before.get("generation") or 0
    if generation != former and isinstance(generation, int) and isinstance(former, int) and generation < former:
        errors.append(invalid(f"{prefix}.generation", generation, "must not be decremented"))
    for name in _FIXED:
        value = meta.get(name)
        if value != before.get(name) and (value or before.get(name)):
            shown = (value or "") if name in _TEXTS else value
            errors.append(invalid(f"{prefix}.{name}", shown, IMMUTABLE))
    errors += _described_errors(meta, prefix)
    errors += _managed_fields_errors(meta.get("managedFields"), f"{prefix}.managedFields")
    if known_finalizers and finalizers:
        errors += _unknown_finalizer_errors(finalizers, f"{prefix}.finalizers")
    return errors


def label_errors(labels: Json, field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, value in mapping(labels).items():
        if faults := qualified_name(key):
            errors += faulty(field, key, faults)
        if faults := label_value(text(value)):
            errors += faulty(field, value, faults)
    return errors


def annotation_errors(annotations: Json, field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    size = 0
    for key, value in mapping(annotations).items():
        if faults := qualified_name(key.lower()):
            errors += faulty(field, key, faults)
        size += byte_count(key) + byte_count(text(value))
    if size > ANNOTATIONS_BYTES:
        errors.append(too_long(field, ANNOTATIONS_BYTES))
    return errors


def _described_errors(meta: JsonObject, prefix: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := meta.get("labels"):
        errors += label_errors(labels, f"{prefix}.labels")
    if annotations := meta.get("annotations"):
        errors += annotation_errors(annotations, f"{prefix}.annotations")
    if owners := meta.get("ownerReferences"):
        errors += _owner_errors(mappings(owners), f"{prefix}.ownerReferences")
    return errors


def _scope_errors(namespace: str, prefix: str, *, namespaced: bool) -> list[FieldError]:
    field = f"{prefix}.namespace"
    if namespaced:
        return faulty(field, namespace, label_name(namespace, False)) if namespace else [required(field)]
    return [forbidden(field, "not allowed on this type")] if namespace else []


def _owner_errors(owners: list[JsonObject], field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = ""
    for owner in owners:
        errors += _owner_fault_errors(owner, field)
        if owner.get("controller") is not True:
            continue
        name = f"{owner.get('kind') or ''}/{owner.get('name') or ''}"
        if controller:
            found = f'Found "true" in references for {controller} and {name}'
            detail = f"Only one reference can have Controller set to true. {found}"
            errors.append(invalid(field, [_owner(each) for each in owners], detail))
        else:
            controller = name
    return errors


def _owner_fault_errors(owner: JsonObject, field: str) -> Iterator[FieldError]:
    api_version, kind = text(owner.get("apiVersion")), text(owner.get("kind"))
    if not api_version or api_version == "/":
        yield invalid(f"{field}.apiVersion", api_version, "version must not be empty")
    if not kind:
        yield invalid(f"{field}.kind", "", "must not be empty")
    for name in ("name", "uid"):
        if not owner.get(name):
            yield invalid(f"{field}.{name}", "", "must not be empty")
    if (api_version, kind) == ("v1", "Event"):
        yield invalid(field, _owner(owner), "/v1, Kind=Event is disallowed from being an owner")


def _owner(owner: JsonObject) -> JsonObject:
    """*owner* in the order in which the server prints it."""
    shown = {name: owner.get(name) or "" for name in ("apiVersion", "kind", "name", "uid")}
    flags = ("controller", "blockOwnerDeletion")
    return shown | {name: owner[name] for name in flags if owner.get(name) is not None}


def _finalizer_errors(finalizers: list[str], field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for finalizer in finalizers:
        errors += faulty(field, finalizer, qualified_name(finalizer))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid(field, finalizers, detail))
    return errors


def _unknown_finalizer_errors(finalizers: list[str], field: str) -> Iterator[FieldError]:
    for index, finalizer in enumerate(finalizers):
        if "/" not in finalizer and finalizer not in _KNOWN_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid(f"{field}[{index}]", finalizer, detail)


def _added_finalizer_errors(finalizers: list[str], before: list[str], prefix: str) -> Iterator[FieldError]:
    added = sorted(set(finalizers) - set(before))
    if added:
        names = ", ".join(map(quoted, added))
        detail = (
            f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{names}}}"
        )
        yield forbidden(f"{prefix}.finalizers", detail)


def _managed_fields_errors(entries: Json, field: str) -> Iterator[FieldError]:
    for index, entry in enumerate(mappings(entries)):
        at = f"{field}[{index}]"
        operation, fields = text(entry.get("operation")), text(entry.get("fieldsType"))
        if operation not in {"Apply", "Update"}:
            yield invalid(f"{at}.operation", operation, "must be `Apply` or `Update`")
        if fields not in {"", "FieldsV1"}:
            yield invalid(f"{at}.fieldsType", fields, "must be `FieldsV1`")
        yield from _manager_errors(text(entry.get("manager")), f"{at}.manager")
        if byte_count(text(entry.get("subresource"))) > _SUBRESOURCE_BYTES:
            yield too_long(f"{at}.subresource", _SUBRESOURCE_BYTES)


def _manager_errors(manager: str, field: str) -> Iterator[FieldError]:
    if byte_count(manager) > _MANAGER_BYTES:
        yield too_long(field, _MANAGER_BYTES)
    if manager.isprintable():
        return
    position = 0
    for char in manager:
        if not char.isprintable():
            yield invalid(field, manager, f"invalid character U+{ord(char):04X} (at position {position})")
        position += byte_count(char)


def faulty(field: str, value: Json, faults: list[str]) -> list[FieldError]:
    """A complaint per fault of one field."""
    return [invalid(field, value, fault) for fault in faults]
