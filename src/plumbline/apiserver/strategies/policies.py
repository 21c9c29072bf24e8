"""Objects by which the cluster is told how to behave: admission, flow control, autoscaling, definitions of kinds."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.strategies.parts import (
    STATUS_METADATA,
    chain,
    chain_update,
    counting,
    fresh_status,
    generation_one,
    keep_status,
    only_status,
    with_field,
    zero_status,
)
from plumbline.apiserver.strategies.strategy import PrepareUpdate, Strategy
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.apiserver.versions.conversion import converted
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

_DEFINITION: Final = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
_AUTOSCALER: Final = GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler")
_FIRST_AUTOSCALER: Final = GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")
_STATIC: Final = ".static.k8s.io"
_STATIC_WARNING: Final = (
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and '
    "cannot be managed via the API"
)
_LISTED_VALUES: Final = ("boolValues", "intValues", "stringValues", "versionValues")


def _static_warnings(obj: JsonObject) -> Sequence[str]:
    return [_STATIC_WARNING] if text(mapping(obj.get("metadata")).get("name")).endswith(_STATIC) else []


def _admission(*fields: str) -> Strategy:
    return Strategy(
        unconditional_update=False,
        prepare_create=generation_one,
        prepare_update=counting(*fields),
        create_warnings=_static_warnings,
        update_warnings=lambda new, _: _static_warnings(new),
    )


WEBHOOKS: Final = _admission("webhooks")
ADMISSION_POLICY: Final = _admission("spec")
VALIDATING_POLICY: Final = Strategy(
    unconditional_update=False,
    prepare_create=chain(
        fresh_status(GroupVersionKind("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy")),
        generation_one,
    ),
    prepare_update=chain_update(keep_status, counting("spec")),
    prepare_subresource={"status": only_status(*STATUS_METADATA)},
    create_warnings=_static_warnings,
    update_warnings=lambda new, _: _static_warnings(new),
)


def _flow(kind: str) -> Strategy:
    return Strategy(
        prepare_create=chain(
            fresh_status(GroupVersionKind("flowcontrol.apiserver.k8s.io", "v1", kind)), generation_one
        ),
        prepare_update=chain_update(keep_status, counting("spec")),
        prepare_subresource={"status": only_status(*STATUS_METADATA)},
    )


FLOW_SCHEMA: Final = _flow("FlowSchema")
PRIORITY_LEVEL: Final = _flow("PriorityLevelConfiguration")


def _in_second_version(prepare: PrepareUpdate) -> PrepareUpdate:
    """The first version keeps parts of spec and status in annotations: what belongs where is seen in the second."""

    def prepared(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
        made = prepare(converted(new, _AUTOSCALER), converted(old, _AUTOSCALER), writing)
        return converted(made, _FIRST_AUTOSCALER)

    return prepared


def _prepare_first_autoscaler(obj: JsonObject, writing: Writing) -> JsonObject:
    return converted(AUTOSCALER.prepare_create(converted(obj, _AUTOSCALER), writing), _FIRST_AUTOSCALER)


AUTOSCALER: Final = Strategy(
    prepare_create=fresh_status(_AUTOSCALER),
    prepare_update=keep_status,
    prepare_subresource={"status": only_status()},
)
FIRST_AUTOSCALER: Final = Strategy(
    prepare_create=_prepare_first_autoscaler,
    prepare_update=_in_second_version(keep_status),
    prepare_subresource={"status": _in_second_version(only_status())},
)
DISRUPTION_BUDGET: Final = Strategy(
    unconditional_update=False,
    prepare_create=chain(fresh_status(GroupVersionKind("policy", "v1", "PodDisruptionBudget")), generation_one),
    prepare_update=chain_update(keep_status, counting("spec")),
    prepare_subresource={"status": only_status()},
)
PRIORITY_CLASS: Final = Strategy(prepare_create=generation_one)
ACCESS: Final = Strategy(create_on_update=True)
"""Roles and bindings of them."""


def _with_stored_version(definition: JsonObject) -> JsonObject:
    """Noted for good: objects may be stored in every version that was ever the one."""
    status, versions = mapping(definition.get("status")), mappings(mapping(definition.get("spec")).get("versions"))
    storage = next((text(each.get("name")) for each in versions if each.get("storage")), "")
    stored = texts(status.get("storedVersions"))
    if not storage or storage in stored:
        return definition
    return {**definition, "status": {**status, "storedVersions": [*stored, storage]}}


def _prepare_definition(definition: JsonObject, writing: Writing) -> JsonObject:
    fresh = {**definition, "status": zero_status(_DEFINITION)}
    return _with_stored_version(generation_one(fresh, writing))


DEFINITION: Final = Strategy(
    unconditional_update=False,
    prepare_create=_prepare_definition,
    prepare_update=chain_update(keep_status, counting("spec"), lambda new, _, __: _with_stored_version(new)),
    prepare_subresource={"status": only_status()},
)
DEVICE_CLASS: Final = Strategy(answers_deleted=True, prepare_create=generation_one, prepare_update=counting("spec"))
CLAIM_TEMPLATE: Final = Strategy(answers_deleted=True)


def _prepare_claim_status(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    """Devices that are no longer allocated have nothing more to say."""
    claim = only_status(*STATUS_METADATA)(new, old, writing)
    status = mapping(claim.get("status"))
    gone = _allocated(old.get("status")) - _allocated(status)
    kept = [each for each in mappings(status.get("devices")) if _device(each) not in gone]
    return {**claim, "status": with_field(status, "devices", kept or None)}


def _allocated(status: Json) -> set[tuple[str, ...]]:
    devices = mapping(mapping(mapping(status).get("allocation")).get("devices"))
    return {_device(result) for result in mappings(devices.get("results"))}


def _device(named: JsonObject) -> tuple[str, ...]:
    return tuple(text(named.get(field)) for field in ("driver", "pool", "device", "shareID"))


RESOURCE_CLAIM: Final = Strategy(
    answers_deleted=True,
    prepare_create=fresh_status(GroupVersionKind("resource.k8s.io", "v1", "ResourceClaim")),
    prepare_update=keep_status,
    prepare_subresource={"status": _prepare_claim_status},
)


def _dated(resources: JsonObject, writing: Writing) -> JsonObject:
    """A device is tainted since somebody wrote that it is, unless they say since when."""
    spec = mapping(resources.get("spec"))
    devices = mappings(spec.get("devices"))
    if not any("timeAdded" not in taint for each in devices for taint in mappings(each.get("taints"))):
        return resources
    dated = [
        with_field(
            each, "taints", [{"timeAdded": writing.now, **taint} for taint in mappings(each.get("taints"))] or None
        )
        for each in devices
    ]
    return {**resources, "spec": {**spec, "devices": dated}}


def _enabled_slice(new: JsonObject, old: JsonObject) -> JsonObject:
    spec, before = mapping(new.get("spec")), mappings(mapping(old.get("spec")).get("devices"))
    devices = mappings(spec.get("devices"))
    if not devices:
        return new
    mapped, listed = any("nodeAllocatableResourceMappings" in each for each in before), any(map(_lists_values, before))
    kept = [_enabled_device(each, mapped=mapped, listed=listed) for each in devices]
    return new if kept == devices else {**new, "spec": {**spec, "devices": kept}}


def _lists_values(device: JsonObject) -> bool:
    attributes = mapping(device.get("attributes")).values()
    return any(name in mapping(attribute) for attribute in attributes for name in _LISTED_VALUES)


def _enabled_device(device: JsonObject, *, mapped: bool, listed: bool) -> JsonObject:
    if not mapped:
        device = with_field(device, "nodeAllocatableResourceMappings", None)
    if listed or not _lists_values(device):
        return device
    attributes = {
        name: {field: value for field, value in mapping(attribute).items() if field not in _LISTED_VALUES}
        for name, attribute in mapping(device.get("attributes")).items()
    }
    return {**device, "attributes": attributes}


def _slice_warnings(resources: JsonObject) -> Sequence[str]:
    driver = text(mapping(resources.get("spec")).get("driver"))
    if driver == driver.lower():
        return ()
    return [f'spec.driver: driver names should be lowercase; "{driver}" contains uppercase characters']


RESOURCE_SLICE: Final = Strategy(
    answers_deleted=True,
    prepare_create=chain(_dated, generation_one, lambda obj, _: _enabled_slice(obj, {})),
    prepare_update=chain_update(
        lambda new, _, writing: _dated(new, writing), counting("spec"), lambda new, old, _: _enabled_slice(new, old)
    ),
    create_warnings=_slice_warnings,
    update_warnings=lambda new, _: _slice_warnings(new),
)
