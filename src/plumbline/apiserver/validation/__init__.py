"""Whether an object of a built-in kind may be stored: every complaint the API server would have, in its order and words.

The object has its defaults and is prepared for the write (name generated, status reset, the old uid and times carried
over). There is one module per family of kinds, imported when the first of its objects comes. What it offers:

`CREATE`              kind -> function of the new object
`UPDATE`              kind -> function of the new and the old object
`STATUS_UPDATE`       kind -> function of the new and the old object, for /status
`SUBRESOURCE_UPDATE`  (kind, subresource) -> the same for any other subresource; may be absent

Such a function returns the list that upstream's *strategy* returns from Validate or ValidateUpdate. Complaints about
the metadata are its business too (`metadata.object_meta_errors` when created, `metadata.object_meta_update_errors`
when updated, both with `known_finalizers=True` where upstream calls those of pkg/apis/core), because kinds differ in
where they come. What the server checks of every object on update, whatever its kind says, is added here, in front.
A kind without a function gets the checks of its metadata only.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Final, TypeAlias

from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.validation.metadata import object_meta_errors, object_meta_update_errors
from plumbline.apiserver.validation.names import name_faults, path_segment_name
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

__all__ = [
    "CreateRule",
    "UpdateRule",
    "validated_create",
    "validated_status_update",
    "validated_subresource_update",
    "validated_update",
]

CreateRule: TypeAlias = Callable[[JsonObject], list[FieldError]]
UpdateRule: TypeAlias = Callable[[JsonObject, JsonObject], list[FieldError]]

_MODULES: Final = {
    "pods": {"": "Pod PodTemplate"},
    "workloads": {
        "": "ReplicationController",
        "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    },
    "jobs": {"batch": "CronJob Job"},
    "admissionpolicies": {
        "admissionregistration.k8s.io": (
            "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
            " ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"
        )
    },
    "autoscaling": {"autoscaling": "HorizontalPodAutoscaler Scale"},
    "certificates": {"certificates.k8s.io": "CertificateSigningRequest"},
    "config": {"": "Binding ConfigMap Namespace Secret ServiceAccount"},
    "csi": {
        "storage.k8s.io": ("CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass")
    },
    "devices": {"resource.k8s.io": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"},
    "endpoints": {"": "Endpoints", "discovery.k8s.io": "EndpointSlice"},
    "events": {"": "Event", "events.k8s.io": "Event"},
    "flowcontrol": {"flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration"},
    "ingresses": {"networking.k8s.io": "Ingress"},
    "misc": {
        "authentication.k8s.io": "TokenRequest",
        "authorization.k8s.io": "LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview",
        "coordination.k8s.io": "Lease",
        "scheduling.k8s.io": "PriorityClass",
    },
    "networking": {"networking.k8s.io": "IPAddress IngressClass NetworkPolicy ServiceCIDR"},
    "nodes": {"": "Node"},
    "policy": {"policy": "PodDisruptionBudget"},
    "quotas": {"": "LimitRange ResourceQuota"},
    "rbac": {"rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding"},
    "registration": {
        "admissionregistration.k8s.io": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
        "apiregistration.k8s.io": "APIService",
    },
    "runtimeclasses": {"node.k8s.io": "RuntimeClass"},
    "services": {"": "Service"},
    "storage": {"": "PersistentVolumeClaim"},
    "volumes": {"": "PersistentVolume"},
}


def validated_create(gvk: GroupVersionKind, obj: JsonObject) -> list[FieldError]:
    """Everything that speaks against storing the new *obj*."""
    if rule := _table(gvk, "CREATE").get(gvk.kind):
        namespaced = _namespaced(gvk.group, gvk.kind)
        # Not every kind looks at its metadata; what all have in common is asked of all, once nothing else is wrong.
        return rule(obj) or object_meta_errors(
            obj.get("metadata"), namespaced=namespaced, name_faults=path_segment_name
        )
    names = name_faults(gvk.group, gvk.kind)
    return object_meta_errors(obj.get("metadata"), namespaced=_namespaced(gvk.group, gvk.kind), name_faults=names)


def validated_update(gvk: GroupVersionKind, new: JsonObject, old: JsonObject) -> list[FieldError]:
    """Everything that speaks against storing *new* in the place of *old*."""
    return _updated(gvk, _table(gvk, "UPDATE").get(gvk.kind), new, old)


def validated_status_update(gvk: GroupVersionKind, new: JsonObject, old: JsonObject) -> list[FieldError]:
    """The same for a write to /status, which carries the old spec."""
    return _updated(gvk, _table(gvk, "STATUS_UPDATE").get(gvk.kind), new, old)


def validated_subresource_update(
    gvk: GroupVersionKind, subresource: str, new: JsonObject, old: JsonObject
) -> list[FieldError]:
    """The same for a write to any subresource that speaks the kind of its object."""
    if subresource == "status":
        return validated_status_update(gvk, new, old)
    return _updated(gvk, _table(gvk, "SUBRESOURCE_UPDATE").get((gvk.kind, subresource)), new, old)


def _updated(gvk: GroupVersionKind, rule: UpdateRule | None, new: JsonObject, old: JsonObject) -> list[FieldError]:
    metadata = new.get("metadata")
    namespaced = _namespaced(gvk.group, gvk.kind)
    errors = object_meta_errors(metadata, namespaced=namespaced, name_faults=path_segment_name)
    errors += object_meta_update_errors(metadata, old.get("metadata"))
    return errors + rule(new, old) if rule else errors


@cache
def _table(gvk: GroupVersionKind, name: str) -> Mapping[object, Callable[..., list[FieldError]]]:
    module = _module(gvk.group, gvk.kind)
    return getattr(module, name, {}) if module else {}


@cache
def _module(group: str, kind: str) -> ModuleType | None:
    for module, kinds in _MODULES.items():
        if kind in kinds.get(group, "").split():
            return import_module(f"{__name__}.{module}")
    return None


@cache
def _namespaced(group: str, kind: str) -> bool:
    scopes = (each.namespaced for each in builtin_resources() if (each.kind.group, each.kind.kind) == (group, kind))
    return next(scopes, True)
