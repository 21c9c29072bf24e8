"""Volumes, their claims, and those who provide them."""

from typing import Final

from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.reading import (
    NONE,
    UNSET,
    age,
    at,
    flag,
    items,
    mapping,
    name,
    optional,
    quantity,
    records,
    text,
    texts,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_VOLUME: Final = """
    Name
    Capacity | @core.v1.PersistentVolumeSpec.capacity
    Access Modes | @core.v1.PersistentVolumeSpec.accessModes
    Reclaim Policy | @core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy
    Status | @core.v1.PersistentVolumeStatus.phase
    Claim | @core.v1.PersistentVolumeSpec.claimRef
    StorageClass | StorageClass of the pv
    VolumeAttributesClass | VolumeAttributesClass of the pv
    Reason | @core.v1.PersistentVolumeStatus.reason
    Age
    VolumeMode* | @core.v1.PersistentVolumeSpec.volumeMode
"""
_CLAIM: Final = """
    Name
    Status | @core.v1.PersistentVolumeClaimStatus.phase
    Volume | @core.v1.PersistentVolumeClaimSpec.volumeName
    Capacity | @core.v1.PersistentVolumeClaimStatus.capacity
    Access Modes | @core.v1.PersistentVolumeClaimStatus.accessModes
    StorageClass | StorageClass of the pvc
    VolumeAttributesClass | VolumeAttributesClass of the pvc
    Age
    VolumeMode* | @core.v1.PersistentVolumeClaimSpec.volumeMode
"""
_STORAGE_CLASS: Final = """
    Name
    Provisioner | @storage.v1.StorageClass.provisioner
    ReclaimPolicy | @storage.v1.StorageClass.reclaimPolicy
    VolumeBindingMode | @storage.v1.StorageClass.volumeBindingMode
    AllowVolumeExpansion | @storage.v1.StorageClass.allowVolumeExpansion
    Age
"""
_ATTRIBUTES_CLASS: Final = """
    Name
    DriverName | @storage.v1.VolumeAttributesClass.driverName
    Age
"""
_ATTACHMENT: Final = """
    Name
    Attacher (name) | @storage.v1.VolumeAttachmentSpec.attacher
    PV | @storage.v1.VolumeAttachmentSource.persistentVolumeName
    Node | @storage.v1.VolumeAttachmentSpec.nodeName
    Attached:boolean | @storage.v1.VolumeAttachmentStatus.attached
    Age
"""
_CSI_NODE: Final = """
    Name
    Drivers:integer | Drivers indicates the number of CSI drivers registered on the node
    Age
"""
_CSI_DRIVER: Final = """
    Name
    AttachRequired:boolean | @storage.v1.CSIDriverSpec.attachRequired
    PodInfoOnMount:boolean | @storage.v1.CSIDriverSpec.podInfoOnMount
    StorageCapacity:boolean | @storage.v1.CSIDriverSpec.storageCapacity
    TokenRequests | @storage.v1.CSIDriverSpec.tokenRequests
    RequiresRepublish:boolean | @storage.v1.CSIDriverSpec.requiresRepublish
    Modes | @storage.v1.CSIDriverSpec.volumeLifecycleModes
    Age
"""
_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULT_CLASS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _volume(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    claim = at(spec, "claimRef")
    return [
        name(obj),
        quantity(at(spec, "capacity", "storage")),
        _access_modes(spec),
        text(spec, "persistentVolumeReclaimPolicy"),
        _phase(obj),
        f"{text(claim, 'namespace')}/{text(claim, 'name')}" if isinstance(claim, dict) else "",
        _class(obj),
        optional(spec, "volumeAttributesClassName", absent=UNSET),
        text(obj, "status", "reason"),
        age(obj, now_s),
        optional(spec, "volumeMode", absent=UNSET),
    ]


def _claim(obj: JsonObject, now_s: float) -> list[Json]:
    spec, volume = at(obj, "spec"), text(obj, "spec", "volumeName")
    return [
        name(obj),
        _phase(obj),
        volume,
        quantity(at(obj, "status", "capacity", "storage")) if volume else "",
        _access_modes(at(obj, "status")) if volume else "",
        _class(obj),
        optional(spec, "volumeAttributesClassName", absent=UNSET),
        age(obj, now_s),
        optional(spec, "volumeMode", absent=UNSET),
    ]


def _phase(obj: JsonObject) -> str:
    return text(obj, "status", "phase") if at(obj, "metadata", "deletionTimestamp") is None else "Terminating"


def _access_modes(holder: Json) -> str:
    modes = texts(holder, "accessModes")
    return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in modes)


def _class(obj: JsonObject) -> str:
    annotations = mapping(obj, "metadata", "annotations")
    return text(annotations, _OLD_CLASS) if _OLD_CLASS in annotations else text(obj, "spec", "storageClassName")


def _storage_class(obj: JsonObject, now_s: float) -> list[Json]:
    annotations = mapping(obj, "metadata", "annotations")
    default = any(annotations.get(each) == "true" for each in _DEFAULT_CLASS)
    return [
        f"{name(obj)} (default)" if default else name(obj),
        text(obj, "provisioner"),
        optional(obj, "reclaimPolicy", absent="Delete"),
        optional(obj, "volumeBindingMode", absent="Immediate"),
        flag(obj, "allowVolumeExpansion"),
        age(obj, now_s),
    ]


def _attributes_class(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), text(obj, "driverName"), age(obj, now_s)]


def _attachment(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    return [
        name(obj),
        text(spec, "attacher"),
        text(spec, "source", "persistentVolumeName"),
        text(spec, "nodeName"),
        flag(obj, "status", "attached"),
        age(obj, now_s),
    ]


def _csi_node(obj: JsonObject, now_s: float) -> list[Json]:
    return [name(obj), len(items(obj, "spec", "drivers")), age(obj, now_s)]


def _csi_driver(obj: JsonObject, now_s: float) -> list[Json]:
    spec = at(obj, "spec")
    requests = at(spec, "tokenRequests")
    return [
        name(obj),
        at(spec, "attachRequired") is not False,
        flag(spec, "podInfoOnMount"),
        flag(spec, "storageCapacity"),
        UNSET if requests is None else ",".join(text(each, "audience") for each in records(spec, "tokenRequests")),
        flag(spec, "requiresRepublish"),
        ",".join(texts(spec, "volumeLifecycleModes")) or NONE,
        age(obj, now_s),
    ]


PRINTERS: Final = {
    GroupKind("", "PersistentVolume"): BuiltinPrinter(_VOLUME, _volume),
    GroupKind("", "PersistentVolumeClaim"): BuiltinPrinter(_CLAIM, _claim),
    GroupKind("storage.k8s.io", "CSIDriver"): BuiltinPrinter(_CSI_DRIVER, _csi_driver),
    GroupKind("storage.k8s.io", "CSINode"): BuiltinPrinter(_CSI_NODE, _csi_node),
    GroupKind("storage.k8s.io", "StorageClass"): BuiltinPrinter(_STORAGE_CLASS, _storage_class),
    GroupKind("storage.k8s.io", "VolumeAttachment"): BuiltinPrinter(_ATTACHMENT, _attachment),
    GroupKind("storage.k8s.io", "VolumeAttributesClass"): BuiltinPrinter(_ATTRIBUTES_CLASS, _attributes_class),
}
