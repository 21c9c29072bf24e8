"""Persistent volumes, claims to them, and the kinds that say how volumes come about."""

from typing import Final

from plumbline.apiserver.defaults.quantities import AMOUNTS
from plumbline.apiserver.defaults.rules import for_objects, record
from plumbline.apiserver.defaults.volumes import CLAIM_SPEC, SHARED_SOURCES
from plumbline.base.json import JsonObject

CLAIM: Final = record(
    fields={
        "spec": CLAIM_SPEC,
        "status": record(zero={"phase": "Pending"}, fields={"capacity": AMOUNTS, "allocatedResources": AMOUNTS}),
    }
)

_SOURCES: Final = {**SHARED_SOURCES, "capacity": AMOUNTS}
VOLUME: Final = record(
    fields={
        "spec": record(
            zero={"persistentVolumeReclaimPolicy": "Retain"}, absent={"volumeMode": "Filesystem"}, fields=_SOURCES
        ),
        "status": record(zero={"phase": "Pending"}),
    }
)
VOLUME_ATTACHMENT: Final = record(
    fields={"spec": record(fields={"source": record(fields={"inlineVolumeSpec": record(fields=_SOURCES)})})}
)
STORAGE_CLASS: Final = record(absent={"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})


@for_objects
def _lifecycle(spec: JsonObject) -> JsonObject:
    return spec if spec.get("volumeLifecycleModes") else {**spec, "volumeLifecycleModes": ["Persistent"]}


_DRIVER: Final = record(
    absent={
        "attachRequired": True,
        "podInfoOnMount": False,
        "storageCapacity": False,
        "fsGroupPolicy": "ReadWriteOnceWithFSType",
        "requiresRepublish": False,
        "seLinuxMount": False,
    }
)
CSI_DRIVER: Final = record(fields={"spec": lambda spec: _lifecycle(_DRIVER(spec))})
