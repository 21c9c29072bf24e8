"""Volumes, claims of them, and what drivers say about themselves."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.strategies.parts import (
    STATUS_METADATA,
    chain_update,
    counting,
    fresh_status,
    keep_status,
    only_status,
    with_field,
    zero_status,
)
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.claims import claim_warnings, volume_warnings
from plumbline.apiserver.strategies.warnings.nodes import DEPRECATED_LABELS, label_selector_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_CLAIM: Final = GroupVersionKind("", "v1", "PersistentVolumeClaim")
_VOLUME: Final = GroupVersionKind("", "v1", "PersistentVolume")
_ATTACHMENT: Final = GroupVersionKind("storage.k8s.io", "v1", "VolumeAttachment")
_COPIED: Final = (("PersistentVolumeClaim", ""), ("VolumeSnapshot", "snapshot.storage.k8s.io"))
_TOKENS_IN_SECRETS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)


def _with_sources(spec: JsonObject, old: JsonObject) -> JsonObject:
    """A claim says twice what it is filled from, in the old field and in the new one."""
    reference = spec.get("dataSourceRef")
    if mapping(reference).get("namespace") and "dataSourceRef" not in old:
        spec = with_field(spec, "dataSourceRef", None)
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    known = "dataSource" in old or "dataSourceRef" in old
    if source is not None and reference is None and not known and not _copied(mapping(source)):
        spec, source = with_field(spec, "dataSource", None), None
    if source is not None and reference is None:
        return {**spec, "dataSourceRef": _picked(mapping(source))}
    if reference is not None and source is None and not mapping(reference).get("namespace"):
        return {**spec, "dataSource": _picked(mapping(reference))}
    return spec


def _copied(source: JsonObject) -> bool:
    return (source.get("kind"), text(source.get("apiGroup"))) in _COPIED


def _picked(source: JsonObject) -> JsonObject:
    # The server writes an absent group as null in both.
    return {"apiGroup": source.get("apiGroup"), "kind": text(source.get("kind")), "name": text(source.get("name"))}


def _prepare_claim(claim: JsonObject, _: Writing) -> JsonObject:
    return {**claim, "spec": _with_sources(mapping(claim.get("spec")), {}), "status": zero_status(_CLAIM)}


def _prepare_claim_update(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    spec = _with_sources(mapping(new.get("spec")), mapping(old.get("spec")))
    return {**keep_status(new, old, writing), "spec": spec}


CLAIM: Final = Strategy(
    answers_deleted=True,
    prepare_create=_prepare_claim,
    prepare_update=_prepare_claim_update,
    prepare_subresource={"status": only_status()},
    create_warnings=claim_warnings,
    update_warnings=lambda new, _: claim_warnings(new),
)


def _prepare_volume(volume: JsonObject, writing: Writing) -> JsonObject:
    return {**volume, "status": {"phase": "Pending", "lastPhaseTransitionTime": writing.now}}


def _prepare_volume_status(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    volume = only_status()(new, old, writing)
    status, before = mapping(volume.get("status")), mapping(old.get("status"))
    moved, since = status.get("phase") != before.get("phase"), status.get("lastPhaseTransitionTime")
    earlier = before.get("lastPhaseTransitionTime")
    if not moved and since is None:
        return {**volume, "status": with_field(status, "lastPhaseTransitionTime", earlier)}
    if moved and since in (None, earlier):
        return {**volume, "status": {**status, "lastPhaseTransitionTime": writing.now}}
    return volume


VOLUME: Final = Strategy(
    answers_deleted=True,
    prepare_create=_prepare_volume,
    prepare_update=keep_status,
    prepare_subresource={"status": _prepare_volume_status},
    create_warnings=volume_warnings,
    update_warnings=lambda new, _: volume_warnings(new),
)


def _class_warnings(storage_class: JsonObject) -> Sequence[str]:
    return [
        f"allowedTopologies[{index}].matchLabelExpressions[{place}].key: {DEPRECATED_LABELS[key]}"
        for index, topology in enumerate(mappings(storage_class.get("allowedTopologies")))
        for place, expression in enumerate(mappings(topology.get("matchLabelExpressions")))
        if (key := text(expression.get("key"))) in DEPRECATED_LABELS
    ]


STORAGE_CLASS: Final = Strategy(
    answers_deleted=True, create_warnings=_class_warnings, update_warnings=lambda new, _: _class_warnings(new)
)
ATTRIBUTES_CLASS: Final = Strategy(answers_deleted=True)
ATTACHMENT: Final = Strategy(
    answers_deleted=True,
    unconditional_update=False,
    prepare_create=fresh_status(_ATTACHMENT),
    prepare_update=keep_status,
    prepare_subresource={"status": only_status(*STATUS_METADATA)},
)
NODE: Final = Strategy(answers_deleted=True, unconditional_update=False)


def _capacity_warnings(capacity: JsonObject) -> Sequence[str]:
    return list(label_selector_warnings("nodeTopology", capacity.get("nodeTopology")))


CAPACITY: Final = Strategy(
    unconditional_update=False,
    create_warnings=_capacity_warnings,
    update_warnings=lambda new, _: _capacity_warnings(new),
)


def _enabled_driver(new: JsonObject, old: JsonObject) -> JsonObject:
    spec, field = mapping(new.get("spec")), "preventPodSchedulingIfMissing"
    if field not in spec or field in mapping(old.get("spec")):
        return new
    return {**new, "spec": with_field(spec, field, None)}


def _driver_warnings(driver: JsonObject) -> Sequence[str]:
    spec = mapping(driver.get("spec"))
    plain = bool(spec.get("tokenRequests")) and spec.get("serviceAccountTokenInSecrets") is None
    return [_TOKENS_IN_SECRETS] if plain else []


def _driver_update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    same = mapping(new.get("spec")).get("tokenRequests") == mapping(old.get("spec")).get("tokenRequests")
    return () if same else _driver_warnings(new)


DRIVER: Final = Strategy(
    answers_deleted=True,
    unconditional_update=False,
    prepare_create=lambda obj, _: _enabled_driver(obj, {}),
    prepare_update=chain_update(lambda new, old, _: _enabled_driver(new, old), counting("spec")),
    create_warnings=_driver_warnings,
    update_warnings=_driver_update_warnings,
)
