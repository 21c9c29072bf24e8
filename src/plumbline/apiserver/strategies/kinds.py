"""Which kind has which strategy. A kind that is not listed is stored as it is sent."""

from collections.abc import Mapping
from typing import Final

from plumbline.apiserver.strategies import (
    certificates,
    cluster,
    jobs,
    networking,
    pods,
    policies,
    storage,
    workloads,
)
from plumbline.apiserver.strategies.services.strategy import SERVICE
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.kube.names import GroupVersionKind

_TABLE: Final[Mapping[tuple[str, str], Mapping[str, Strategy]]] = {
    ("", "v1"): {
        "ComponentStatus": Strategy(deprecation="v1 ComponentStatus is deprecated in v1.19+"),
        "Endpoints": networking.ENDPOINTS,
        "Event": Strategy(create_on_update=True),
        "LimitRange": cluster.LIMIT_RANGE,
        "Namespace": cluster.NAMESPACE,
        "Node": cluster.NODE,
        "PersistentVolume": storage.VOLUME,
        "PersistentVolumeClaim": storage.CLAIM,
        "Pod": pods.POD,
        "PodTemplate": workloads.POD_TEMPLATE,
        "ReplicationController": workloads.REPLICATION_CONTROLLER,
        "ResourceQuota": cluster.QUOTA,
        "Secret": cluster.SECRET,
        "Service": SERVICE,
        "ServiceAccount": cluster.SERVICE_ACCOUNT,
    },
    ("admissionregistration.k8s.io", "v1"): {
        "MutatingAdmissionPolicy": policies.ADMISSION_POLICY,
        "MutatingAdmissionPolicyBinding": policies.ADMISSION_POLICY,
        "MutatingWebhookConfiguration": policies.WEBHOOKS,
        "ValidatingAdmissionPolicy": policies.VALIDATING_POLICY,
        "ValidatingAdmissionPolicyBinding": policies.ADMISSION_POLICY,
        "ValidatingWebhookConfiguration": policies.WEBHOOKS,
    },
    ("apiextensions.k8s.io", "v1"): {"CustomResourceDefinition": policies.DEFINITION},
    ("apiregistration.k8s.io", "v1"): {"APIService": cluster.API_SERVICE},
    ("apps", "v1"): {
        "DaemonSet": workloads.DAEMON_SET,
        "Deployment": workloads.DEPLOYMENT,
        "ReplicaSet": workloads.REPLICA_SET,
        "StatefulSet": workloads.STATEFUL_SET,
    },
    ("autoscaling", "v1"): {"HorizontalPodAutoscaler": policies.FIRST_AUTOSCALER},
    ("autoscaling", "v2"): {"HorizontalPodAutoscaler": policies.AUTOSCALER},
    ("batch", "v1"): {"CronJob": jobs.CRON_JOB, "Job": jobs.JOB},
    ("certificates.k8s.io", "v1"): {"CertificateSigningRequest": certificates.REQUEST},
    ("coordination.k8s.io", "v1"): {"Lease": cluster.LEASE},
    ("discovery.k8s.io", "v1"): {"EndpointSlice": networking.ENDPOINT_SLICE},
    ("events.k8s.io", "v1"): {"Event": Strategy(create_on_update=True)},
    ("flowcontrol.apiserver.k8s.io", "v1"): {
        "FlowSchema": policies.FLOW_SCHEMA,
        "PriorityLevelConfiguration": policies.PRIORITY_LEVEL,
    },
    ("networking.k8s.io", "v1"): {
        "Ingress": networking.INGRESS,
        "IngressClass": networking.COUNTED,
        "NetworkPolicy": networking.NETWORK_POLICY,
        "ServiceCIDR": networking.SERVICE_RANGE,
    },
    ("node.k8s.io", "v1"): {"RuntimeClass": cluster.RUNTIME_CLASS},
    ("policy", "v1"): {"PodDisruptionBudget": policies.DISRUPTION_BUDGET},
    ("rbac.authorization.k8s.io", "v1"): {
        "ClusterRole": policies.ACCESS,
        "ClusterRoleBinding": policies.ACCESS,
        "Role": policies.ACCESS,
        "RoleBinding": policies.ACCESS,
    },
    ("resource.k8s.io", "v1"): {
        "DeviceClass": policies.DEVICE_CLASS,
        "ResourceClaim": policies.RESOURCE_CLAIM,
        "ResourceClaimTemplate": policies.CLAIM_TEMPLATE,
        "ResourceSlice": policies.RESOURCE_SLICE,
    },
    ("scheduling.k8s.io", "v1"): {"PriorityClass": policies.PRIORITY_CLASS},
    ("storage.k8s.io", "v1"): {
        "CSIDriver": storage.DRIVER,
        "CSINode": storage.NODE,
        "CSIStorageCapacity": storage.CAPACITY,
        "StorageClass": storage.STORAGE_CLASS,
        "VolumeAttachment": storage.ATTACHMENT,
        "VolumeAttributesClass": storage.ATTRIBUTES_CLASS,
    },
}
_PLAIN: Final = Strategy()


def strategy_of(kind: GroupVersionKind) -> Strategy:
    return _TABLE.get((kind.group, kind.version), {}).get(kind.kind, _PLAIN)
