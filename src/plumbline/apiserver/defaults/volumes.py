"""Volumes: of pods, and the sources that persistent volumes share with them."""

from typing import Final

from plumbline.apiserver.defaults.containers import FIELD_REF
from plumbline.apiserver.defaults.images import pull_policy
from plumbline.apiserver.defaults.quantities import REQUIREMENTS
from plumbline.apiserver.defaults.rules import Rule, each, for_objects, record
from plumbline.base.json import JsonObject

_MODE: Final = 0o644
_HOUR_S: Final = 3600

_FILES: Final = record(absent={"defaultMode": _MODE})
_DOWNWARD_ITEMS: Final = each(record(fields={"fieldRef": FIELD_REF}))
_PROJECTION: Final = record(
    fields={
        "downwardAPI": record(fields={"items": _DOWNWARD_ITEMS}),
        "serviceAccountToken": record(absent={"expirationSeconds": _HOUR_S}),
    }
)

CLAIM_SPEC: Final = record(absent={"volumeMode": "Filesystem"}, fields={"resources": REQUIREMENTS})
"""What a persistent volume claim asks for."""

SHARED_SOURCES: Final = {
    "hostPath": record(absent={"type": ""}),
    "iscsi": record(zero={"iscsiInterface": "default"}),
    "rbd": record(zero={"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"}),
    "azureDisk": record(absent={"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"}),
    "scaleIO": record(zero={"storageMode": "ThinProvisioned", "fsType": "xfs"}),
}
"""Sources that pods and persistent volumes have in common, by field."""


@for_objects
def _image(source: JsonObject) -> JsonObject:
    return source if source.get("pullPolicy") else {**source, "pullPolicy": pull_policy(source.get("reference"))}


_SOURCES: Final = record(
    fields={
        **SHARED_SOURCES,
        "configMap": _FILES,
        "secret": _FILES,
        "downwardAPI": record(absent={"defaultMode": _MODE}, fields={"items": _DOWNWARD_ITEMS}),
        "projected": record(absent={"defaultMode": _MODE}, fields={"sources": each(_PROJECTION)}),
        "ephemeral": record(fields={"volumeClaimTemplate": record(fields={"spec": CLAIM_SPEC})}),
        "image": _image,
    }
)


@for_objects
def _volume(volume: JsonObject) -> JsonObject:
    if any(name != "name" and source is not None for name, source in volume.items()):
        return _SOURCES(volume)
    return {**volume, "emptyDir": {}}


VOLUMES: Final[Rule] = each(_volume)
