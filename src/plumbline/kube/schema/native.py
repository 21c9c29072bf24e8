"""What the schemas of built-in kinds do not say about the server's own types.

The server holds built-in objects as typed structures. A structure embedded by value is always there, even when nobody
wrote it, and counts as present when changes are tracked; a few list keys have defaults. Facts of Kubernetes 1.36,
checked against its OpenAPI documents by the conformance tests.
"""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json, JsonObject

ALWAYS_IN_KINDS: Final = ("metadata", "spec", "status")

EMBEDDED: Final[Mapping[str, tuple[str, ...]]] = {
    "admissionregistration.v1.MutatingWebhook": ("clientConfig",),
    "admissionregistration.v1.ValidatingWebhook": ("clientConfig",),
    "apiextensions.v1.CustomResourceDefinitionSpec": ("names",),
    "apiextensions.v1.CustomResourceDefinitionStatus": ("acceptedNames",),
    "apps.v1.DaemonSetSpec": ("template", "updateStrategy"),
    "apps.v1.DeploymentSpec": ("strategy", "template"),
    "apps.v1.ReplicaSetSpec": ("template",),
    "apps.v1.StatefulSetSpec": ("template", "updateStrategy"),
    "authentication.v1.SelfSubjectReviewStatus": ("userInfo",),
    "authentication.v1.TokenReviewStatus": ("user",),
    "autoscaling.v1.HorizontalPodAutoscalerSpec": ("scaleTargetRef",),
    "autoscaling.v2.ContainerResourceMetricSource": ("target",),
    "autoscaling.v2.ContainerResourceMetricStatus": ("current",),
    "autoscaling.v2.ExternalMetricSource": ("metric", "target"),
    "autoscaling.v2.ExternalMetricStatus": ("current", "metric"),
    "autoscaling.v2.HorizontalPodAutoscalerSpec": ("scaleTargetRef",),
    "autoscaling.v2.ObjectMetricSource": ("describedObject", "metric", "target"),
    "autoscaling.v2.ObjectMetricStatus": ("current", "describedObject", "metric"),
    "autoscaling.v2.PodsMetricSource": ("metric", "target"),
    "autoscaling.v2.PodsMetricStatus": ("current", "metric"),
    "autoscaling.v2.ResourceMetricSource": ("target",),
    "autoscaling.v2.ResourceMetricStatus": ("current",),
    "batch.v1.CronJobSpec": ("jobTemplate",),
    "batch.v1.JobSpec": ("template",),
    "batch.v1.JobTemplateSpec": ("metadata", "spec"),
    "core.v1.Binding": ("target",),
    "core.v1.Container": ("resources",),
    "core.v1.ContainerStatus": ("lastState", "state"),
    "core.v1.EphemeralContainer": ("resources",),
    "core.v1.Event": ("involvedObject", "source"),
    "core.v1.NodeDaemonEndpoints": ("kubeletEndpoint",),
    "core.v1.NodeStatus": ("daemonEndpoints", "nodeInfo"),
    "core.v1.PersistentVolumeClaimSpec": ("resources",),
    "core.v1.PersistentVolumeClaimTemplate": ("metadata", "spec"),
    "core.v1.PodTemplate": ("template",),
    "core.v1.PodTemplateSpec": ("metadata", "spec"),
    "core.v1.PreferredSchedulingTerm": ("preference",),
    "core.v1.ServiceStatus": ("loadBalancer",),
    "core.v1.WeightedPodAffinityTerm": ("podAffinityTerm",),
    "discovery.v1.Endpoint": ("conditions",),
    "events.v1.Event": ("deprecatedSource", "regarding"),
    "flowcontrol.v1.FlowSchemaSpec": ("priorityLevelConfiguration",),
    "flowcontrol.v1.LimitedPriorityLevelConfiguration": ("limitResponse",),
    "networking.v1.HTTPIngressPath": ("backend",),
    "networking.v1.IngressServiceBackend": ("port",),
    "networking.v1.IngressStatus": ("loadBalancer",),
    "networking.v1.NetworkPolicySpec": ("podSelector",),
    "rbac.v1.ClusterRoleBinding": ("roleRef",),
    "rbac.v1.RoleBinding": ("roleRef",),
    "resource.v1.AllocationResult": ("devices",),
    "resource.v1.ResourceClaimSpec": ("devices",),
    "resource.v1.ResourceClaimTemplateSpec": ("metadata", "spec"),
    "resource.v1.ResourceSliceSpec": ("pool",),
    "storage.v1.VolumeAttachmentSpec": ("source",),
}

NULLS: Final[Mapping[str, tuple[str, ...]]] = {
    "apiextensions.v1.CustomResourceDefinitionCondition": ("lastTransitionTime",),
    "apiregistration.v1.APIServiceCondition": ("lastTransitionTime",),
    "apps.v1.DaemonSetCondition": ("lastTransitionTime",),
    "apps.v1.DeploymentCondition": ("lastUpdateTime", "lastTransitionTime"),
    "apps.v1.ReplicaSetCondition": ("lastTransitionTime",),
    "apps.v1.StatefulSetCondition": ("lastTransitionTime",),
    "authentication.v1.TokenRequestStatus": ("expirationTimestamp",),
    "autoscaling.v2.HorizontalPodAutoscalerCondition": ("lastTransitionTime",),
    "autoscaling.v2.HorizontalPodAutoscalerStatus": ("currentMetrics",),
    "batch.v1.JobCondition": ("lastProbeTime", "lastTransitionTime"),
    "certificates.v1.CertificateSigningRequestCondition": ("lastUpdateTime", "lastTransitionTime"),
    "core.v1.ContainerImage": ("names",),
    "core.v1.ContainerStateRunning": ("startedAt",),
    "core.v1.ContainerStateTerminated": ("startedAt", "finishedAt"),
    "core.v1.Event": ("firstTimestamp", "lastTimestamp", "eventTime"),
    "core.v1.EventSeries": ("lastObservedTime",),
    "core.v1.NamespaceCondition": ("lastTransitionTime",),
    "core.v1.NodeCondition": ("lastHeartbeatTime", "lastTransitionTime"),
    "core.v1.PersistentVolumeClaimCondition": ("lastProbeTime", "lastTransitionTime"),
    "core.v1.PodCondition": ("lastProbeTime", "lastTransitionTime"),
    "core.v1.ProjectedVolumeSource": ("sources",),
    "core.v1.ReplicationControllerCondition": ("lastTransitionTime",),
    "core.v1.TypedLocalObjectReference": ("apiGroup",),
    "core.v1.TypedObjectReference": ("apiGroup",),
    "discovery.v1.EndpointSlice": ("endpoints", "ports"),
    "events.v1.Event": ("deprecatedFirstTimestamp", "deprecatedLastTimestamp"),
    "flowcontrol.v1.FlowSchemaCondition": ("lastTransitionTime",),
    "flowcontrol.v1.PriorityLevelConfigurationCondition": ("lastTransitionTime",),
    "networking.v1.IngressClassParametersReference": ("scope",),
    "rbac.v1.ClusterRole": ("rules",),
    "rbac.v1.Role": ("rules",),
    "storage.v1.CSINodeDriver": ("topologyKeys",),
    "storage.v1.VolumeError": ("time",),
}
"""Optional fields that the server writes as null where nobody wrote them."""

KEY_DEFAULTS: Final[Mapping[str, Mapping[str, Json]]] = {
    "core.v1.ContainerPort": {"protocol": "TCP"},
    "core.v1.LocalObjectReference": {"name": ""},
    "core.v1.ServicePort": {"protocol": "TCP"},
}

_STATUS: Final[JsonObject] = {"f:status": {}}
_SPEC: Final[JsonObject] = {"f:spec": {}}
_ALL_BUT_STATUS: Final[JsonObject] = {"f:metadata": {}, "f:spec": {}}

CUSTOM_RESETS: Final[Mapping[str, JsonObject]] = {"": _STATUS, "status": _ALL_BUT_STATUS}
"""Of custom resources with a status subresource."""

_STATUS_RESETS: Final[Mapping[str, JsonObject]] = {
    "admissionregistration.v1.ValidatingAdmissionPolicy": _ALL_BUT_STATUS,
    "apps.v1.Deployment": {"f:spec": {}, "f:metadata": {"f:labels": {}}},
    "certificates.v1.CertificateSigningRequest": {"f:spec": {}, "f:status": {"f:conditions": {}}},
    "core.v1.Pod": {"f:spec": {}, "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}}},
    "flowcontrol.v1.FlowSchema": _ALL_BUT_STATUS,
    "flowcontrol.v1.PriorityLevelConfiguration": _ALL_BUT_STATUS,
    "networking.v1.ServiceCIDR": _ALL_BUT_STATUS,
    "resource.v1.ResourceClaim": _ALL_BUT_STATUS,
    "storage.v1.VolumeAttachment": _ALL_BUT_STATUS,
}


def resets_of(name: str, fields: Mapping[str, object]) -> Mapping[str, JsonObject]:
    """Per subresource, what a writer of the built-in kind *name* never owns."""
    if "status" not in fields:
        return {}
    if name == "certificates.v1.CertificateSigningRequest":
        return {"": {"f:spec": {}, "f:status": {}}, "status": _STATUS_RESETS[name]}
    resets = {"": _STATUS, "status": _STATUS_RESETS.get(name, _SPEC)}
    return {**resets, "finalize": _STATUS} if name == "core.v1.Namespace" else resets
