"""PersistentVolumeClaims: what is asked for, and how little of it may change."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    annotation,
    collected,
    immutable,
    meta,
    meta_update,
)
from plumbline.apiserver.validation.claimspecs import claim_spec_errors
from plumbline.apiserver.validation.goform import go_diff, go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, faulty, metadata_of
from plumbline.apiserver.validation.names import qualified_name
from plumbline.apiserver.validation.resourcenames import (
    basic_quantity_errors,
    native,
    quantity,
    quantity_errors,
)
from plumbline.apiserver.validation.selectors import bad_label_selector
from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

_RESIZE_STATES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_SOURCES: Final = ("dataSource", "dataSourceRef")


@collected
def claim_created(claim: JsonObject) -> Iterator[FieldError]:
    yield from meta(claim, namespaced=True)
    yield from claim_spec_errors(mapping(claim.get("spec")), "spec")


@collected
def claim_updated(claim: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, old_spec = mapping(claim.get("spec")), mapping(old.get("spec"))
    yield from meta_update(claim, old)
    yield from meta(claim, namespaced=True)
    yield from claim_spec_errors(
        spec,
        "spec",
        old_values=bad_label_selector(old_spec.get("selector")),
        old_groups=any(mapping(old_spec.get(name)).get("apiGroup") is not None for name in _SOURCES),
    )
    upgraded = _upgraded_from_annotation(claim, old)
    if not upgraded:
        class_, former = annotation(claim, _CLASS_ANNOTATION) or "", annotation(old, _CLASS_ANNOTATION) or ""
        if class_ != former:
            yield invalid(f"metadata.annotations.{_CLASS_ANNOTATION}", class_, IMMUTABLE)
    yield from _fixed_spec_errors(claim, old, upgraded=upgraded)
    yield from _resize_errors(spec, old_spec, mapping(old.get("status")))
    yield from immutable("volumeMode", spec.get("volumeMode"), old_spec.get("volumeMode"))
    yield from _attributes_class_errors(spec, old)


def _upgraded_from_annotation(claim: JsonObject, old: JsonObject) -> bool:
    """Whether the class moves from the annotation it was once written in to its field."""
    former = annotation(old, _CLASS_ANNOTATION)
    if former is None or mapping(old.get("spec")).get("storageClassName") is not None:
        return False
    named = mapping(claim.get("spec")).get("storageClassName") == former
    return named and annotation(claim, _CLASS_ANNOTATION) in (None, former)


def _fixed_spec_errors(claim: JsonObject, old: JsonObject, *, upgraded: bool) -> Iterator[FieldError]:
    spec, before = dict(mapping(claim.get("spec"))), dict(mapping(old.get("spec")))
    if not before.get("volumeName"):
        before["volumeName"] = spec.get("volumeName")
    class_ = spec.get("storageClassName")
    if upgraded:
        spec["storageClassName"] = None
    elif class_ is not None and before.get("storageClassName") is None:
        noted = annotation(old, _CLASS_ANNOTATION)
        if noted is None or noted == class_:
            spec["storageClassName"] = None
    if mapping(claim.get("status")).get("phase") == "Bound":
        spec["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
        spec["resources"] = _with_storage_of(spec.get("resources"), before.get("resources"))
    if _claimed(spec) != _claimed(before):
        detail = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n"
        yield forbidden("spec", detail + go_diff(before, spec, "PersistentVolumeClaimSpec"))


def _with_storage_of(resources: Json, former: Json) -> Json:
    requests = mapping(resources).get("requests")
    if not isinstance(requests, dict):
        return resources
    size = mapping(mapping(former).get("requests")).get("storage", "0")
    return {**mapping(resources), "requests": {**requests, "storage": size}}


def _claimed(spec: JsonObject) -> Json:
    """What of a claim's spec must stay, with amounts as numbers: how they are spelled may change."""
    resources = mapping(spec.get("resources"))
    amounts = {
        name: {key: quantity(value) for key, value in mapping(resources.get(name)).items()}
        for name in ("limits", "requests")
    }
    return {**go_form({**spec, "resources": {}}, "PersistentVolumeClaimSpec"), "Resources": amounts}


def _resize_errors(spec: JsonObject, old_spec: JsonObject, old_status: JsonObject) -> Iterator[FieldError]:
    size, former = (_storage(mapping(each.get("resources")).get("requests")) for each in (spec, old_spec))
    if size < former and size <= _storage(old_status.get("capacity")):
        yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")


def _storage(amounts: Json) -> Quantity:
    return quantity(mapping(amounts).get("storage"))


def _attributes_class_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    class_, former = (each.get("volumeAttributesClassName") for each in (spec, mapping(old.get("spec"))))
    if class_ == former or mapping(old.get("status")).get("currentVolumeAttributesClassName") is None:
        return
    if not class_:
        to = "nil" if class_ is None else "empty string"
        detail = f"update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
        yield forbidden("spec.volumeAttributesClassName", detail)


@collected
def claim_status_updated(claim: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    status = mapping(claim.get("status"))
    yield from meta_update(claim, old)
    if not metadata_of(claim).get("resourceVersion"):
        yield required("resourceVersion")
    if not mapping(claim.get("spec")).get("accessModes"):
        yield required("Spec.accessModes")
    for name, amount in mapping(status.get("capacity")).items():
        yield from basic_quantity_errors(f"status.capacity[{name}]", amount)
    field = "status.allocatedResourceStatuses"
    for name, state in mapping(status.get("allocatedResourceStatuses")).items():
        yield from _claim_resource_errors(field, name)
        if state not in _RESIZE_STATES:
            yield not_supported(field, Word(name), _RESIZE_STATES)
    for name, amount in mapping(status.get("allocatedResources")).items():
        at = f"status.allocatedResources[{name}]"
        yield from (
            list(_claim_resource_errors("status.allocatedResources", name))
            or list(basic_quantity_errors(at, amount))
            or quantity_errors(at, "storage", amount)
        )


def _claim_resource_errors(field: str, name: str) -> Iterator[FieldError]:
    if faults := qualified_name(name):
        yield from faulty(field, name, faults)
    elif native(name) and name != "storage":
        yield not_supported(field, name, ("storage",))


CREATE: Final = {"PersistentVolumeClaim": claim_created}
UPDATE: Final = {"PersistentVolumeClaim": claim_updated}
STATUS_UPDATE: Final = {"PersistentVolumeClaim": claim_status_updated}
