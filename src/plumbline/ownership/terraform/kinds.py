"""Terraform's types for Kubernetes objects; those that end in `_v1` mean the same kinds."""

from typing import Final

from plumbline.kube.names import GroupKind

_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "": (
        "ConfigMap", "LimitRange", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod",
        "ReplicationController", "ResourceQuota", "Secret", "Service", "ServiceAccount",
    ),
    "apps": ("DaemonSet", "Deployment", "StatefulSet"),
    "autoscaling": ("HorizontalPodAutoscaler",),
    "batch": ("CronJob", "Job"),
    "networking.k8s.io": ("Ingress", "IngressClass", "NetworkPolicy"),
    "policy": ("PodDisruptionBudget",),
    "rbac.authorization.k8s.io": ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "scheduling.k8s.io": ("PriorityClass",),
    "storage.k8s.io": ("CSIDriver", "StorageClass"),
    "admissionregistration.k8s.io": ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    "apiregistration.k8s.io": ("APIService",),
}  # fmt: skip
_SPELLED: Final = {"APIService": "api_service", "CSIDriver": "csi_driver"}


def _spelled(kind: str) -> str:
    return _SPELLED.get(kind) or "".join(f"_{c.lower()}" if c.isupper() else c for c in kind).removeprefix("_")


_BY_TYPE: Final = {
    f"kubernetes_{_spelled(kind)}": GroupKind(group, kind) for group, kinds in _KINDS.items() for kind in kinds
}


def kind_of_type(type_: str) -> GroupKind | None:
    plain = type_.removesuffix("_v1").removesuffix("_v2").removesuffix("_v2beta2")
    return _BY_TYPE.get(plain)
