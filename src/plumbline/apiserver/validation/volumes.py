"""PersistentVolumes, also those that a VolumeAttachment holds within."""

from collections.abc import Iterator
from posixpath import normpath
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import (
    annotation,
    choice_errors,
    collected,
    immutable,
    meta,
    meta_update,
    name_of,
    subdomain_errors,
)
from plumbline.apiserver.validation.goform import go_diff, go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, metadata_of
from plumbline.apiserver.validation.resourcenames import basic_quantity_errors, positive_quantity_errors
from plumbline.apiserver.validation.selectors import bad_node_selector_values, node_selector_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.apiserver.validation.volumesources import SOURCE_NAMES, source_errors
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical

VOLUME_MODES: Final = ("Block", "Filesystem")
_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_RECLAIM_POLICIES: Final = ("Delete", "Recycle", "Retain")
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_MOUNTABLE: Final = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
]
_GA_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}


def access_mode_errors(field: str, modes: list[str]) -> Iterator[FieldError]:
    for mode in modes:
        yield from choice_errors(field, mode, _ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES and mode != "ReadWriteOncePod" for mode in modes):
        yield forbidden(field, "may not use ReadWriteOncePod with other access modes")


def class_name_errors(field: str, name: Json) -> Iterator[FieldError]:
    if isinstance(name, str) and name:
        yield from subdomain_errors(field, name)


def _volume_spec_errors(spec: JsonObject, volume: str, field: str, *, old_values: bool) -> Iterator[FieldError]:
    modes = texts(spec.get("accessModes"))
    if not modes:
        yield required(f"{field}.accessModes")
    yield from access_mode_errors(f"{field}.accessModes", modes)
    yield from _capacity_errors(mapping(spec.get("capacity")), f"{field}.capacity")
    if policy := text(spec.get("persistentVolumeReclaimPolicy")):
        yield from choice_errors(f"{field}.persistentVolumeReclaimPolicy", policy, _RECLAIM_POLICIES)
    if isinstance(affinity := spec.get("nodeAffinity"), dict):
        yield from _affinity_errors(affinity, f"{field}.nodeAffinity", old_values=old_values)
    yield from _source_errors(spec, volume, field)
    yield from class_name_errors(f"{field}.storageClassName", spec.get("storageClassName"))
    yield from choice_errors(f"{field}.volumeMode", spec.get("volumeMode"), VOLUME_MODES)
    attributes_class = spec.get("volumeAttributesClassName")
    if attributes_class is None:
        return
    if attributes_class == "":
        yield required(f"{field}.volumeAttributesClassName", "an empty string is disallowed")
    yield from class_name_errors(f"{field}.volumeAttributesClassName", attributes_class)
    if spec.get("csi") is None:
        yield required(f"{field}.csi", "has to be specified when using volumeAttributesClassName")


def _capacity_errors(capacity: JsonObject, field: str) -> Iterator[FieldError]:
    if not capacity:
        yield required(field)
    if list(capacity) != ["storage"]:
        yield not_supported(field, go_form(capacity or None, "{q"), ("storage",))
    for name, amount in capacity.items():
        yield from basic_quantity_errors(f"{field}[{name}]", amount)
        yield from positive_quantity_errors(f"{field}[{name}]", amount)


def _affinity_errors(affinity: JsonObject, field: str, *, old_values: bool) -> Iterator[FieldError]:
    if isinstance(needed := affinity.get("required"), dict):
        yield from node_selector_errors(needed, f"{field}.required", old_values=old_values)
    else:
        yield required(f"{field}.required", "must specify required node constraints")


def _source_errors(spec: JsonObject, volume: str, field: str) -> Iterator[FieldError]:
    yield from source_errors(spec, volume, field)
    path = mapping(spec.get("hostPath")).get("path")
    everything = isinstance(path, str) and bool(path) and normpath(path) in {"/", "//"}
    if everything and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        yield forbidden(f"{field}.persistentVolumeReclaimPolicy", detail)


def inline_volume_errors(spec: JsonObject, field: str) -> Iterator[FieldError]:
    """Complaints about a volume that has no object of its own, and so less to say."""
    alone = "may not be specified in the context of inline volumes"
    for name in ("claimRef", "capacity"):
        if spec.get(name):
            yield forbidden(f"{field}.{name}", alone)
    if spec.get("csi") is None:
        yield required(f"{field}.csi", "has to be specified in the context of inline volumes")
    modes = texts(spec.get("accessModes"))
    if not modes:
        yield required(f"{field}.accessModes")
    yield from access_mode_errors(f"{field}.accessModes", modes)
    if spec.get("persistentVolumeReclaimPolicy") not in (None, "", "Retain"):
        detail = "may only be Retain in the context of inline volumes"
        yield forbidden(f"{field}.persistentVolumeReclaimPolicy", detail)
    if spec.get("nodeAffinity") is not None:
        yield forbidden(f"{field}.nodeAffinity", alone)
    yield from _source_errors(spec, "", field)
    if spec.get("storageClassName"):
        yield forbidden(f"{field}.storageClassName", alone)
    if spec.get("volumeMode") not in (None, "Filesystem"):
        detail = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        yield forbidden(f"{field}.volumeMode", detail)


def _mount_option_errors(volume: JsonObject) -> Iterator[FieldError]:
    spec = mapping(volume.get("spec"))
    if annotation(volume, _MOUNT_OPTIONS) is not None and all(spec.get(name) is None for name in _MOUNTABLE):
        field = f"metadata.annotations.{_MOUNT_OPTIONS}"
        yield forbidden(field, "may not specify mount options for this volume type")


def _volume_errors(volume: JsonObject, *, old_values: bool = False) -> list[FieldError]:
    errors = meta(volume, namespaced=False)
    spec = mapping(volume.get("spec"))
    errors += _volume_spec_errors(spec, name_of(volume), "spec", old_values=old_values)
    return errors


@collected
def volume_created(volume: JsonObject) -> Iterator[FieldError]:
    yield from _volume_errors(volume)
    yield from _mount_option_errors(volume)


@collected
def volume_updated(volume: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, old_spec = mapping(volume.get("spec")), mapping(old.get("spec"))
    affinity = mapping(old_spec.get("nodeAffinity"))
    errors = _volume_errors(volume, old_values=bad_node_selector_values(mapping(affinity.get("required"))))
    yield from errors
    yield from _mount_option_errors(volume)
    yield from errors
    yield from _fixed_source_errors(spec, old_spec)
    yield from immutable("volumeMode", spec.get("volumeMode"), old_spec.get("volumeMode"))
    yield from _fixed_affinity_errors(spec.get("nodeAffinity"), old_spec.get("nodeAffinity"))
    former = old_spec.get("volumeAttributesClassName")
    if former is not None and spec.get("volumeAttributesClassName") is None:
        yield forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")


def _fixed_source_errors(spec: JsonObject, old_spec: JsonObject) -> Iterator[FieldError]:
    sources, before = ({name: each.get(name) for name in SOURCE_NAMES} for each in (spec, old_spec))
    driver, former = sources["csi"], before["csi"]
    if isinstance(driver, dict) and isinstance(former, dict) and former.get("controllerExpandSecretRef") is None:
        sources["csi"] = {**driver, "controllerExpandSecretRef": None}
    forms = [go_form(each, "PersistentVolumeSource") for each in (sources, before)]
    if not identical(*forms):
        detail = "spec.persistentvolumesource is immutable after creation\n"
        yield forbidden("spec.persistentvolumesource", detail + go_diff(before, sources, "PersistentVolumeSource"))


def _fixed_affinity_errors(affinity: Json, former: Json) -> Iterator[FieldError]:
    if isinstance(former, dict) and not identical(_renamed(affinity, former), go_form(former, "*VolumeNodeAffinity")):
        detail = f"{IMMUTABLE}, except for updating from beta label to GA"
        yield invalid("nodeAffinity", go_form(affinity, "*VolumeNodeAffinity"), detail)


def _renamed(affinity: Json, former: JsonObject) -> Json:
    """*affinity* with keys named as before, where they only took the names that replaced those."""
    form = go_form(affinity, "*VolumeNodeAffinity")
    before = go_form(former, "*VolumeNodeAffinity")
    for now, then in zip(_requirements(form), _requirements(before), strict=False):
        if _GA_LABELS.get(text(then["Key"])) == now["Key"]:
            now["Key"] = then["Key"]
    return form


def _requirements(form: Json) -> Iterator[JsonObject]:
    terms = mappings(mapping(mapping(form).get("Required")).get("NodeSelectorTerms"))
    for term in terms:
        for name in ("MatchExpressions", "MatchFields"):
            yield from mappings(term.get(name))


@collected
def volume_status_updated(volume: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(volume, old)
    if not metadata_of(volume).get("resourceVersion"):
        yield required("resourceVersion")


CREATE: Final = {"PersistentVolume": volume_created}
UPDATE: Final = {"PersistentVolume": volume_updated}
STATUS_UPDATE: Final = {"PersistentVolume": volume_status_updated}
