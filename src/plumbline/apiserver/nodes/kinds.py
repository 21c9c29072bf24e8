"""The kinds that this room reads and writes, each named once."""

from typing import Final

from plumbline.kube.names import GroupKind

CLAIM: Final = GroupKind("", "PersistentVolumeClaim")
CONFIG_MAP: Final = GroupKind("", "ConfigMap")
ENDPOINTS: Final = GroupKind("", "Endpoints")
ENDPOINT_SLICE: Final = GroupKind("discovery.k8s.io", "EndpointSlice")
EVENT: Final = GroupKind("", "Event")
AUTOSCALER: Final = GroupKind("autoscaling", "HorizontalPodAutoscaler")
INGRESS: Final = GroupKind("networking.k8s.io", "Ingress")
INGRESS_CLASS: Final = GroupKind("networking.k8s.io", "IngressClass")
LEASE: Final = GroupKind("coordination.k8s.io", "Lease")
NAMESPACE: Final = GroupKind("", "Namespace")
NODE: Final = GroupKind("", "Node")
POD: Final = GroupKind("", "Pod")
POD_DISRUPTION_BUDGET: Final = GroupKind("policy", "PodDisruptionBudget")
SECRET: Final = GroupKind("", "Secret")
SERVICE: Final = GroupKind("", "Service")
STORAGE_CLASS: Final = GroupKind("storage.k8s.io", "StorageClass")
VOLUME: Final = GroupKind("", "PersistentVolume")
