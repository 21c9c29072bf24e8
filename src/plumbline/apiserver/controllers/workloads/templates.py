"""Pods from the templates of those who own them."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.object import Object

_LONGEST_NAME: Final = 253


def controller_reference(owner: Object) -> JsonObject:
    return {
        "apiVersion": owner.api_version,
        "kind": owner.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def pod_from_template(template: JsonObject, owner: Object, *, generate_name: str = "") -> JsonObject:
    """A pod of *owner*, to be created; its name is generated unless somebody gives it one."""
    described = template.get("metadata") or {}
    metadata = {
        "namespace": owner.namespace,
        "generateName": generate_name or _prefix(owner.name),
        "ownerReferences": [controller_reference(owner)],
    }
    for field in ("labels", "annotations", "finalizers"):
        if described.get(field):
            metadata[field] = described[field]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}


def _prefix(name: str) -> str:
    return f"{name}-" if len(name) < _LONGEST_NAME else name
