"""Which kind has which defaults. A kind that is not listed has none."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from plumbline.apiserver.defaults import (
    access,
    admission,
    autoscaling,
    cluster,
    devices,
    flowcontrol,
    jobs,
    networking,
    pods,
    secrets,
    services,
    storage,
    workloads,
)
from plumbline.apiserver.defaults.rules import Rule, chain
from plumbline.apiserver.defaults.structs import struct_of
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_TABLE: Final[Mapping[tuple[str, str], Mapping[str, Rule]]] = {
    ("", "v1"): {
        "Endpoints": services.ENDPOINTS,
        "LimitRange": cluster.LIMIT_RANGE,
        "Namespace": cluster.NAMESPACE,
        "Node": cluster.NODE,
        "PersistentVolume": storage.VOLUME,
        "PersistentVolumeClaim": storage.CLAIM,
        "Pod": pods.POD,
        "PodTemplate": pods.POD_TEMPLATE_KIND,
        "ReplicationController": workloads.REPLICATION_CONTROLLER,
        "ResourceQuota": cluster.RESOURCE_QUOTA,
        "Secret": secrets.SECRET,
        "Service": services.SERVICE,
    },
    ("admissionregistration.k8s.io", "v1"): {
        "MutatingAdmissionPolicy": admission.ADMISSION_POLICY,
        "MutatingAdmissionPolicyBinding": admission.ADMISSION_POLICY_BINDING,
        "MutatingWebhookConfiguration": admission.MUTATING_WEBHOOKS,
        "ValidatingAdmissionPolicy": admission.ADMISSION_POLICY,
        "ValidatingAdmissionPolicyBinding": admission.ADMISSION_POLICY_BINDING,
        "ValidatingWebhookConfiguration": admission.VALIDATING_WEBHOOKS,
    },
    ("apiextensions.k8s.io", "v1"): {"CustomResourceDefinition": admission.CUSTOM_RESOURCE_DEFINITION},
    ("apiregistration.k8s.io", "v1"): {"APIService": admission.API_SERVICE},
    ("apps", "v1"): {
        "DaemonSet": workloads.DAEMON_SET,
        "Deployment": workloads.DEPLOYMENT,
        "ReplicaSet": workloads.REPLICA_SET,
        "StatefulSet": workloads.STATEFUL_SET,
    },
    ("authentication.k8s.io", "v1"): {"TokenRequest": cluster.TOKEN_REQUEST},
    ("autoscaling", "v1"): {"HorizontalPodAutoscaler": autoscaling.FIRST_AUTOSCALER},
    ("autoscaling", "v2"): {"HorizontalPodAutoscaler": autoscaling.AUTOSCALER},
    ("batch", "v1"): {"CronJob": jobs.CRON_JOB, "Job": jobs.JOB},
    ("discovery.k8s.io", "v1"): {"EndpointSlice": services.ENDPOINT_SLICE},
    ("flowcontrol.apiserver.k8s.io", "v1"): {
        "FlowSchema": flowcontrol.FLOW_SCHEMA,
        "PriorityLevelConfiguration": flowcontrol.PRIORITY_LEVEL,
    },
    ("networking.k8s.io", "v1"): {
        "IngressClass": networking.INGRESS_CLASS,
        "NetworkPolicy": networking.NETWORK_POLICY,
    },
    ("policy", "v1"): {"PodDisruptionBudget": access.DISRUPTION_BUDGET},
    ("rbac.authorization.k8s.io", "v1"): {
        "ClusterRoleBinding": access.ROLE_BINDING,
        "RoleBinding": access.ROLE_BINDING,
    },
    ("resource.k8s.io", "v1"): {
        "ResourceClaim": devices.RESOURCE_CLAIM,
        "ResourceClaimTemplate": devices.RESOURCE_CLAIM_TEMPLATE,
        "ResourceSlice": devices.RESOURCE_SLICE,
    },
    ("scheduling.k8s.io", "v1"): {"PriorityClass": cluster.PRIORITY_CLASS},
    ("storage.k8s.io", "v1"): {
        "CSIDriver": storage.CSI_DRIVER,
        "StorageClass": storage.STORAGE_CLASS,
        "VolumeAttachment": storage.VOLUME_ATTACHMENT,
    },
}
_RULES: Final = {
    GroupVersionKind(*group_version, kind): rule
    for group_version, kinds in _TABLE.items()
    for kind, rule in kinds.items()
}
_SLICE: Final = GroupVersionKind("resource.k8s.io", "v1", "ResourceSlice")


def defaulted(gvk: GroupVersionKind, obj: JsonObject, *, now: str = "") -> JsonObject:
    """*obj* of the kind *gvk*, in its typed form, with what the server makes of it before any strategy or admission.

    One default is a moment: when a device was tainted. It is *now*, in RFC 3339, or left out where that is not told.
    """
    held: JsonObject = _rule_of(gvk)(obj)
    return devices.dated(now)(held) if now and gvk == _SLICE else held


@lru_cache(maxsize=256)
def _rule_of(gvk: GroupVersionKind) -> Rule:
    struct, defaults = struct_of(gvk), _RULES.get(gvk)
    return chain(struct, defaults) if defaults else struct
