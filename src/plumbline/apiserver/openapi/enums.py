"""Which strings a field of a built-in kind may hold, as far as Kubernetes declares it.

The catalog of definitions does not say it. A line with the values, then indented the fields that share them; `[]` is an
item of a list, `{}` a value of a map.
"""

from functools import cache
from typing import Final

_TABLE: Final = """\
Equivalent|Exact
  admissionregistration.v1.MatchResources.matchPolicy admissionregistration.v1.MutatingWebhook.matchPolicy
  admissionregistration.v1.ValidatingWebhook.matchPolicy
Fail|Ignore
  admissionregistration.v1.MutatingAdmissionPolicySpec.failurePolicy
  admissionregistration.v1.MutatingWebhook.failurePolicy
  admissionregistration.v1.ValidatingAdmissionPolicySpec.failurePolicy
  admissionregistration.v1.ValidatingWebhook.failurePolicy
IfNeeded|Never
  admissionregistration.v1.MutatingAdmissionPolicySpec.reinvocationPolicy
  admissionregistration.v1.MutatingWebhook.reinvocationPolicy
None|NoneOnDryRun|Some|Unknown
  admissionregistration.v1.MutatingWebhook.sideEffects admissionregistration.v1.ValidatingWebhook.sideEffects
ApplyConfiguration|JSONPatch
  admissionregistration.v1.Mutation.patchType
*|CONNECT|CREATE|DELETE|UPDATE
  admissionregistration.v1.NamedRuleWithOperations.operations[]
  admissionregistration.v1.RuleWithOperations.operations[]
*|Cluster|Namespaced
  admissionregistration.v1.NamedRuleWithOperations.scope admissionregistration.v1.RuleWithOperations.scope
Audit|Deny|Warn
  admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.validationActions[]
FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired
  apiextensions.v1.ValidationRule.reason
OnDelete|RollingUpdate
  apps.v1.DaemonSetUpdateStrategy.type apps.v1.StatefulSetUpdateStrategy.type
Recreate|RollingUpdate
  apps.v1.DeploymentStrategy.type
OrderedReady|Parallel
  apps.v1.StatefulSetSpec.podManagementPolicy
Allow|Forbid|Replace
  batch.v1.CronJobSpec.concurrencyPolicy
Indexed|NonIndexed
  batch.v1.JobSpec.completionMode
Failed|TerminatingOrFailed
  batch.v1.JobSpec.podReplacementPolicy
In|NotIn
  batch.v1.PodFailurePolicyOnExitCodesRequirement.operator
Count|FailIndex|FailJob|Ignore
  batch.v1.PodFailurePolicyRule.action
USAGES
  certificates.v1.CertificateSigningRequestSpec.usages[]
Localhost|RuntimeDefault|Unconfined
  core.v1.AppArmorProfile.type core.v1.SeccompProfile.type
None|ReadOnly|ReadWrite
  core.v1.AzureDiskVolumeSource.cachingMode
Dedicated|Managed|Shared
  core.v1.AzureDiskVolumeSource.kind
Always|IfNotPresent|Never
  core.v1.Container.imagePullPolicy core.v1.EphemeralContainer.imagePullPolicy
  core.v1.ImageVolumeSource.pullPolicy
FallbackToLogsOnError|File
  core.v1.Container.terminationMessagePolicy core.v1.EphemeralContainer.terminationMessagePolicy
SCTP|TCP|UDP
  core.v1.ContainerPort.protocol core.v1.EndpointPort.protocol core.v1.PortStatus.protocol
  core.v1.ServicePort.protocol discovery.v1.EndpointPort.protocol networking.v1.IngressPortStatus.protocol
  networking.v1.NetworkPolicyPort.protocol
SIGNALS
  core.v1.ContainerStatus.stopSignal core.v1.Lifecycle.stopSignal
HTTP|HTTPS
  core.v1.HTTPGetAction.scheme
|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
  core.v1.HostPathVolumeSource.type
InProgress|Infeasible|Pending
  core.v1.ModifyVolumeStatus.status
Active|Terminating
  core.v1.NamespaceStatus.phase
DoesNotExist|Exists|Gt|In|Lt|NotIn
  core.v1.NodeSelectorRequirement.operator
Pending|Running|Terminated
  core.v1.NodeStatus.phase
ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  core.v1.PersistentVolumeClaimSpec.accessModes[] core.v1.PersistentVolumeClaimStatus.accessModes[]
  core.v1.PersistentVolumeSpec.accessModes[]
Block|Filesystem
  core.v1.PersistentVolumeClaimSpec.volumeMode core.v1.PersistentVolumeSpec.volumeMode
ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending
  core.v1.PersistentVolumeClaimStatus.allocatedResourceStatuses{}
Bound|Lost|Pending
  core.v1.PersistentVolumeClaimStatus.phase
Delete|Recycle|Retain
  core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy storage.v1.StorageClass.reclaimPolicy
Available|Bound|Failed|Pending|Released
  core.v1.PersistentVolumeStatus.phase
Always|OnRootMismatch
  core.v1.PodSecurityContext.fsGroupChangePolicy
Merge|Strict
  core.v1.PodSecurityContext.supplementalGroupsPolicy
ClusterFirst|ClusterFirstWithHostNet|Default|None
  core.v1.PodSpec.dnsPolicy
Never|PreemptLowerPriority
  core.v1.PodSpec.preemptionPolicy scheduling.v1.PriorityClass.preemptionPolicy
Always|Never|OnFailure
  core.v1.PodSpec.restartPolicy
Failed|Pending|Running|Succeeded|Unknown
  core.v1.PodStatus.phase
BestEffort|Burstable|Guaranteed
  core.v1.PodStatus.qosClass
BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
  core.v1.ResourceQuotaSpec.scopes[] core.v1.ScopedResourceSelectorRequirement.scopeName
DoesNotExist|Exists|In|NotIn
  core.v1.ScopedResourceSelectorRequirement.operator
Default|Unmasked
  core.v1.SecurityContext.procMount
Cluster|Local
  core.v1.ServiceSpec.externalTrafficPolicy core.v1.ServiceSpec.internalTrafficPolicy
|IPv4|IPv6
  core.v1.ServiceSpec.ipFamilies[]
PreferDualStack|RequireDualStack|SingleStack
  core.v1.ServiceSpec.ipFamilyPolicy
ClientIP|None
  core.v1.ServiceSpec.sessionAffinity
ClusterIP|ExternalName|LoadBalancer|NodePort
  core.v1.ServiceSpec.type
NoExecute|NoSchedule|PreferNoSchedule
  core.v1.Taint.effect core.v1.Toleration.effect
Equal|Exists|Gt|Lt
  core.v1.Toleration.operator
Honor|Ignore
  core.v1.TopologySpreadConstraint.nodeAffinityPolicy core.v1.TopologySpreadConstraint.nodeTaintsPolicy
DoNotSchedule|ScheduleAnyway
  core.v1.TopologySpreadConstraint.whenUnsatisfiable
Bidirectional|HostToContainer|None
  core.v1.VolumeMount.mountPropagation
FQDN|IPv4|IPv6
  discovery.v1.EndpointSlice.addressType
Exact|ImplementationSpecific|Prefix
  networking.v1.HTTPIngressPath.pathType
Egress|Ingress
  networking.v1.NetworkPolicySpec.policyTypes[]
AlwaysAllow|IfHealthyBudget
  policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
FromClaim|FromClass
  resource.v1.DeviceAllocationConfiguration.source
All|ExactCount
  resource.v1.DeviceSubRequest.allocationMode resource.v1.ExactDeviceRequest.allocationMode
NoExecute|NoSchedule|None
  resource.v1.DeviceTaint.effect resource.v1.DeviceToleration.effect
Equal|Exists
  resource.v1.DeviceToleration.operator
Immediate|WaitForFirstConsumer
  storage.v1.StorageClass.volumeBindingMode
"""
_NUMBERED_SIGNALS: Final = (*(f"SIGRTMAX-{n}" for n in range(1, 15)), *(f"SIGRTMIN+{n}" for n in range(1, 16)))
_NAMED_SIGNALS: Final = """
ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT RTMAX RTMIN SEGV STKFLT STOP SYS TERM
TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ
"""
_USAGES: Final = (
    "any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|"
    "digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|"
    "key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping"
)


def enum_of(definition: str, field: str) -> list[str] | None:
    """The values of a field such as `type` (or `usages[]`) of a definition such as `core.v1.ServiceSpec`."""
    return _enums().get(f"{definition}.{field}")


@cache
def _enums() -> dict[str, list[str]]:
    long = {
        "SIGNALS": sorted([*(f"SIG{name}" for name in _NAMED_SIGNALS.split()), *_NUMBERED_SIGNALS]),
        "USAGES": _USAGES.split("|"),
    }
    found: dict[str, list[str]] = {}
    values: list[str] = []
    for line in _TABLE.splitlines():
        if line.startswith(" "):
            found |= dict.fromkeys(line.split(), values)
        else:
            values = long.get(line) or line.split("|")
    return found
