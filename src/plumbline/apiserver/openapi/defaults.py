"""Defaults that the documents of built-in kinds declare, and the rules by which most of them follow.

Go's zero values: a field that is always written has the zero value of its type as its default. Which fields those are
follows from `required`, but for the exceptions in this table.
"""

from functools import cache
from typing import Final

from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.schema.builtin import short_name

_NO_DEFAULT: Final = """\
admissionregistration.v1.MutatingWebhook.sideEffects
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.policyName
admissionregistration.v1.ValidatingWebhook.sideEffects apps.v1.DaemonSetSpec.selector
apps.v1.DeploymentSpec.selector apps.v1.ReplicaSetSpec.selector apps.v1.StatefulSetSpec.selector
authentication.v1.TokenReviewSpec.token core.v1.ContainerRestartRule.action
core.v1.ContainerRestartRuleOnExitCodes.operator core.v1.ImageVolumeStatus.imageRef
core.v1.PodCertificateProjection.keyType core.v1.PodCertificateProjection.signerName
core.v1.ScaleIOPersistentVolumeSource.secretRef core.v1.ScaleIOVolumeSource.secretRef
networking.v1.HTTPIngressPath.pathType networking.v1.IPAddressSpec.parentRef networking.v1.ParentReference.name
networking.v1.ParentReference.resource
"""
"""Required, yet pointers in Go: they have no zero value."""

_DEFAULTS: Final = """\
{}
  apps.v1.DaemonSetSpec.updateStrategy apps.v1.DeploymentSpec.strategy apps.v1.ReplicaSetSpec.template
  apps.v1.StatefulSetSpec.updateStrategy authentication.v1.SelfSubjectReviewStatus.userInfo
  authentication.v1.TokenReviewStatus.user batch.v1.JobTemplateSpec.metadata batch.v1.JobTemplateSpec.spec
  core.v1.Container.resources core.v1.ContainerStatus.lastState core.v1.ContainerStatus.state
  core.v1.EphemeralContainer.resources core.v1.Event.source core.v1.NodeDaemonEndpoints.kubeletEndpoint
  core.v1.NodeStatus.daemonEndpoints core.v1.NodeStatus.nodeInfo core.v1.PersistentVolumeClaimSpec.resources
  core.v1.PersistentVolumeClaimTemplate.metadata core.v1.PodTemplate.template core.v1.PodTemplateSpec.metadata
  core.v1.PodTemplateSpec.spec core.v1.ServiceStatus.loadBalancer discovery.v1.Endpoint.conditions
  events.v1.Event.deprecatedSource events.v1.Event.regarding
  flowcontrol.v1.LimitedPriorityLevelConfiguration.limitResponse networking.v1.IngressServiceBackend.port
  networking.v1.IngressStatus.loadBalancer networking.v1.NetworkPolicySpec.podSelector
  resource.v1.AllocationResult.devices resource.v1.ResourceClaimSpec.devices
  resource.v1.ResourceClaimTemplateSpec.metadata apiextensions.v1.CustomResourceDefinitionStatus.acceptedNames
  meta.v1.APIGroup.preferredVersion
0
  apps.v1.StatefulSetOrdinals.start apps.v1.StatefulSetStatus.availableReplicas autoscaling.v1.ScaleSpec.replicas
  core.v1.ReplicationControllerSpec.minReadySeconds flowcontrol.v1.FlowSchemaSpec.matchingPrecedence
  flowcontrol.v1.QueuingConfiguration.handSize flowcontrol.v1.QueuingConfiguration.queueLengthLimit
  flowcontrol.v1.QueuingConfiguration.queues policy.v1.PodDisruptionBudgetStatus.currentHealthy
  policy.v1.PodDisruptionBudgetStatus.desiredHealthy policy.v1.PodDisruptionBudgetStatus.disruptionsAllowed
  policy.v1.PodDisruptionBudgetStatus.expectedPods scheduling.v1.PriorityClass.value
""
  apps.v1.StatefulSetSpec.serviceName authentication.v1.TokenRequestStatus.token
  batch.v1.PodFailurePolicyOnPodConditionsPattern.status core.v1.ConfigMapEnvSource.name
  core.v1.ConfigMapKeySelector.name core.v1.ConfigMapProjection.name core.v1.ConfigMapVolumeSource.name
  core.v1.Event.reportingComponent core.v1.Event.reportingInstance core.v1.GRPCAction.service
  core.v1.LocalObjectReference.name core.v1.NodeRuntimeHandler.name core.v1.SecretEnvSource.name
  core.v1.SecretKeySelector.name core.v1.SecretProjection.name rbac.v1.RoleRef.apiGroup
"ReadWrite"
  core.v1.AzureDiskVolumeSource.cachingMode
"ext4"
  core.v1.AzureDiskVolumeSource.fsType
"Shared"
  core.v1.AzureDiskVolumeSource.kind
false
  core.v1.AzureDiskVolumeSource.readOnly core.v1.FileKeySelector.optional
"TCP"
  core.v1.ContainerPort.protocol core.v1.ServicePort.protocol
"default"
  core.v1.ISCSIPersistentVolumeSource.iscsiInterface core.v1.ISCSIVolumeSource.iscsiInterface
"/etc/ceph/keyring"
  core.v1.RBDPersistentVolumeSource.keyring core.v1.RBDVolumeSource.keyring
"rbd"
  core.v1.RBDPersistentVolumeSource.pool core.v1.RBDVolumeSource.pool
"admin"
  core.v1.RBDPersistentVolumeSource.user core.v1.RBDVolumeSource.user
1
  core.v1.ReplicationControllerSpec.replicas
"xfs"
  core.v1.ScaleIOPersistentVolumeSource.fsType core.v1.ScaleIOVolumeSource.fsType
"ThinProvisioned"
  core.v1.ScaleIOPersistentVolumeSource.storageMode core.v1.ScaleIOVolumeSource.storageMode
"Equal"
  resource.v1.DeviceToleration.operator
"""
"""A default as JSON, then indented the optional fields that declare it."""
_ZEROS: Final = {"string": "", "integer": 0, "number": 0, "boolean": False}
_OF_EVERY_KIND: Final = ("metadata", "spec", "status")
SCALARS: Final = frozenset(
    {
        "api.resource.Quantity",
        "apiextensions.v1.CustomResourceSubresourceStatus",
        "apiextensions.v1.JSON",
        "apiextensions.v1.JSONSchemaPropsOrArray",
        "apiextensions.v1.JSONSchemaPropsOrBool",
        "apiextensions.v1.JSONSchemaPropsOrStringArray",
        "meta.v1.FieldsV1",
        "meta.v1.MicroTime",
        "meta.v1.Patch",
        "meta.v1.Time",
        "runtime.RawExtension",
        "util.intstr.IntOrString",
    }
)
"""Definitions without properties: they have no empty object as their zero value."""


class Absent:
    """No default, where null would be one."""


ABSENT: Final = Absent()


def default_of(definition: str, name: str, schema: JsonObject, record: JsonObject) -> Json | Absent:
    """The default of the field *name* with *schema*, in the *record* that is called *definition*."""
    field = f"{definition}.{name}"
    declared = _defaults().get(field, ABSENT)
    if not isinstance(declared, Absent):
        return declared
    written = name in record.get("required", ()) or (
        name in _OF_EVERY_KIND and "$ref" in schema and "x-kubernetes-group-version-kind" in record
    )
    return zero_of(schema) if written and field not in _pointers() else ABSENT


def zero_of(schema: JsonObject) -> Json | Absent:
    """The zero value of what *schema* (in the form of the catalog) describes. Collections have none."""
    reference = schema.get("$ref")
    if reference is not None:
        return ABSENT if _short(reference) in SCALARS else {}
    if schema.get("format") == "byte":
        return ABSENT
    return _ZEROS.get(str(bare_type(schema)), ABSENT)


def bare_type(schema: JsonObject) -> str | None:
    """The type without the null that the catalog adds to what is optional."""
    declared = schema.get("type")
    return next((each for each in declared if each != "null"), None) if isinstance(declared, list) else declared


def _short(reference: str) -> str:
    return short_name(reference.rpartition("/")[2])


@cache
def _pointers() -> frozenset[str]:
    return frozenset(_NO_DEFAULT.split())


@cache
def _defaults() -> dict[str, Json]:
    found: dict[str, Json] = {}
    value: Json = None
    for line in _DEFAULTS.splitlines():
        if line.startswith(" "):
            found |= dict.fromkeys(line.split(), value)
        else:
            value = decode(line)
    return found
