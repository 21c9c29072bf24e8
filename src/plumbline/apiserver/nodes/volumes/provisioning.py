"""Volumes that are made for claims, and the class that makes them. There is no storage behind them.

The class that comes with the control plane binds at once rather than with the first pod, so that a claim nobody uses
yet is healthy too; classes that wait for a pod work as well.
"""

from typing import Final

from plumbline.apiserver.nodes.settings import SIMULATED
from plumbline.apiserver.nodes.volumes.matching import DEFAULT_CLASS, claim_ref, class_of, requested, spec_of
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.base.json import JsonObject

PROVISIONER: Final = "plumbline.dev/simulated"
DRIVER: Final = "simulated.plumbline.dev"
NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
PV_PROTECTION: Final = "kubernetes.io/pv-protection"


def standard_class() -> JsonObject:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "standard", "annotations": {DEFAULT_CLASS: "true", SIMULATED: "true"}},
        "provisioner": PROVISIONER,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "allowVolumeExpansion": True,
    }


def provisioned_volume(claim: JsonObject, class_: JsonObject) -> JsonObject:
    """Made for the claim whatever the class's provisioner is: it is simulated, and marked so."""
    name = f"pvc-{metadata_of(claim).get('uid')}"
    provisioner = str(class_.get("provisioner") or PROVISIONER)
    spec: JsonObject = {
        "accessModes": spec_of(claim).get("accessModes") or [],
        "capacity": {"storage": str(requested(claim))},
        "claimRef": claim_ref(claim),
        "persistentVolumeReclaimPolicy": class_.get("reclaimPolicy") or "Delete",
        "storageClassName": class_of(claim),
        "volumeMode": spec_of(claim).get("volumeMode") or "Filesystem",
        "csi": {"driver": DRIVER, "volumeHandle": name},
    }
    if class_.get("mountOptions"):
        spec["mountOptions"] = class_["mountOptions"]
    annotations = {PROVISIONED_BY: provisioner, SIMULATED: "true"}
    metadata = {"name": name, "annotations": annotations, "finalizers": [PV_PROTECTION]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
