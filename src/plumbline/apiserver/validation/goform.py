"""How the API server prints its own structures where a complaint quotes a whole one.

It validates internal types, which know no JSON names: a quoted structure shows Go's field names in declared order, null
for what is absent and zeros for what is empty. The table holds one type per line, then its fields as `GoName=json:type`
(the JSON name left out where it is the Go name with a small first letter):

`s` string, `i` integer, `b` boolean, `q` quantity, `o` integer or string, `t` time, `B` bytes, `v` any JSON as it is,
`*T` pointer, `[T` list, `{T` map of strings, `+T` the fields of T inlined (`+json:T` those of one field), `@T` a type that has JSON names and leaves out
what is empty; `^` before a type of such a field: not left out.
"""

import difflib
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import as_json
from plumbline.apiserver.validation.gotypes import WORKLOAD_TYPES
from plumbline.base.json import Json

_TABLE: Final = """\
AWSElasticBlockStoreVolumeSource VolumeID:s FSType=fsType:s Partition:i ReadOnly:b
AllocationResult Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp:*t
AuditAnnotation Key:s ValueExpression:s
AzureDiskVolumeSource DiskName:s DataDiskURI=diskURI:s CachingMode:*s FSType=fsType:*s ReadOnly:*b Kind:*s
AzureFilePersistentVolumeSource SecretName:s ShareName:s ReadOnly:b SecretNamespace:*s
CELDeviceSelector Expression:s
CSINodeDriver Name:s NodeID:s TopologyKeys:[s Allocatable:*VolumeNodeResources
CSIPersistentVolumeSource Driver:s VolumeHandle:s ReadOnly:b FSType=fsType:s VolumeAttributes:{s ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference
CapacityRequirements Requests:{q
CephFSPersistentVolumeSource Monitors:[s Path:s User:s SecretFile:s SecretRef:*SecretReference ReadOnly:b
CertificateSigningRequestCondition Type:s Status:s Reason:s Message:s LastUpdateTime:t LastTransitionTime:t
CinderPersistentVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*SecretReference
ConfigMapNodeConfigSource Namespace:s Name:s UID=uid:s ResourceVersion:s KubeletConfigKey:s
DeviceAllocationConfiguration Source:s Requests:[s +DeviceConfiguration
DeviceAllocationResult Results:[DeviceRequestAllocationResult Config:[DeviceAllocationConfiguration
DeviceClaim Requests:[DeviceRequest Constraints:[DeviceConstraint Config:[DeviceClaimConfiguration
DeviceClaimConfiguration Requests:[s +DeviceConfiguration
DeviceConfiguration Opaque:*OpaqueDeviceConfiguration
DeviceConstraint Requests:[s MatchAttribute:*s DistinctAttribute:*s
DeviceRequest Name:s Exactly:*ExactDeviceRequest FirstAvailable:[DeviceSubRequest
DeviceRequestAllocationResult Request:s Driver:s Pool:s Device:s AdminAccess:*b Tolerations:[DeviceToleration BindingConditions:[s BindingFailureConditions:[s ShareID:*s ConsumedCapacity:{q
DeviceSelector CEL=cel:*CELDeviceSelector
DeviceSubRequest Name:s DeviceClassName:s Selectors:[DeviceSelector AllocationMode:s Count:i Tolerations:[DeviceToleration Capacity:*CapacityRequirements
DeviceToleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
EventSource Component:s Host:s
ExactDeviceRequest DeviceClassName:s Selectors:[DeviceSelector AllocationMode:s Count:i AdminAccess:*b Tolerations:[DeviceToleration Capacity:*CapacityRequirements
ExemptPriorityLevelConfiguration NominalConcurrencyShares:*i LendablePercent:*i
FCVolumeSource TargetWWNs:[s Lun:*i FSType=fsType:s ReadOnly:b WWIDs=wwids:[s
FlexPersistentVolumeSource Driver:s FSType=fsType:s SecretRef:*SecretReference ReadOnly:b Options:{s
FlockerVolumeSource DatasetName:s DatasetUUID:s
FlowDistinguisherMethod Type:s
FlowSchemaSpec PriorityLevelConfiguration:PriorityLevelConfigurationReference MatchingPrecedence:i DistinguisherMethod:*FlowDistinguisherMethod Rules:[PolicyRulesWithSubjects
GCEPersistentDiskVolumeSource PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b
GlusterfsPersistentVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b EndpointsNamespace:*s
GroupSubject Name:s
HostPathVolumeSource Path:s Type:*s
ISCSIPersistentVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals:[s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*SecretReference InitiatorName:*s
LabelSelector MatchLabels:{s MatchExpressions:[@LabelSelectorRequirement
LabelSelectorRequirement Key:^s Operator:^s Values:[s
LimitResponse Type:s Queuing:*QueuingConfiguration
LimitedPriorityLevelConfiguration NominalConcurrencyShares:i LimitResponse:LimitResponse LendablePercent:*i BorrowingLimitPercent:*i
LocalVolumeSource Path:s FSType=fsType:*s
NFSVolumeSource Server:s Path:s ReadOnly:b
NodeAddress Type:s Address:s
NodeConfigSource ConfigMap:*ConfigMapNodeConfigSource
NodeSelector NodeSelectorTerms:[NodeSelectorTerm
NodeSelectorRequirement Key:s Operator:s Values:[s
NodeSelectorTerm MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement
NonResourceAttributes Path:s Verb:s
NonResourcePolicyRule Verbs:[s NonResourceURLs:[s
ObjectReference Kind:s Namespace:s Name:s UID=uid:s APIVersion=apiVersion:s ResourceVersion:s FieldPath:s
OpaqueDeviceConfiguration Driver:s Parameters:v
ParentReference Group:s Resource:s Namespace:s Name:s
PersistentVolumeClaimSpec AccessModes:[s Selector:*@LabelSelector Resources:VolumeResourceRequirements VolumeName:s StorageClassName:*s VolumeMode:*s DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*s
PersistentVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS=nfs:*NFSVolumeSource RBD=rbd:*RBDPersistentVolumeSource Quobyte:*QuobyteVolumeSource ISCSI=iscsi:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC=fc:*FCVolumeSource Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource CSI=csi:*CSIPersistentVolumeSource
PersistentVolumeSpec Capacity:{q +PersistentVolumeSource AccessModes:[s ClaimRef:*ObjectReference PersistentVolumeReclaimPolicy:s StorageClassName:s MountOptions:[s VolumeMode:*s NodeAffinity:*VolumeNodeAffinity VolumeAttributesClassName:*s
PhotonPersistentDiskVolumeSource PdID:s FSType=fsType:s
PodDisruptionBudgetSpec MinAvailable:*o Selector:*@LabelSelector MaxUnavailable:*o UnhealthyPodEvictionPolicy:*s
PolicyRulesWithSubjects Subjects:[Subject ResourceRules:[ResourcePolicyRule NonResourceRules:[NonResourcePolicyRule
PortworxVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b
PriorityLevelConfigurationReference Name:s
PriorityLevelConfigurationSpec Type:s Limited:*LimitedPriorityLevelConfiguration Exempt:*ExemptPriorityLevelConfiguration
QueuingConfiguration Queues:i HandSize:i QueueLengthLimit:i
QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
RBDPersistentVolumeSource CephMonitors=monitors:[s RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*SecretReference ReadOnly:b
ResourceClaimSpec Devices:DeviceClaim
ResourceClaimTemplateSpec +metadata:@ObjectMeta Spec:ResourceClaimSpec
ResourcePolicyRule Verbs:[s APIGroups=apiGroups:[s Resources:[s ClusterScope:b Namespaces:[s
RoleRef APIGroup=apiGroup:s Kind:s Name:s
ScaleIOPersistentVolumeSource Gateway:s System:s SecretRef:*SecretReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
ScopeSelector MatchExpressions:[ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement ScopeName:s Operator:s Values:[s
SecretReference Name:s Namespace:s
ServiceAccountSubject Namespace:s Name:s
ServiceCIDRSpec CIDRs=cidrs:[s
StorageOSPersistentVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*ObjectReference
Subject Kind:s User:*UserSubject Group:*GroupSubject ServiceAccount:*ServiceAccountSubject
Taint Key:s Value:s Effect:s TimeAdded:*t
Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds:*i
TypedLocalObjectReference APIGroup=apiGroup:*s Kind:s Name:s
TypedObjectReference APIGroup=apiGroup:*s Kind:s Name:s Namespace:*s
UserSubject Name:s
VolumeAttachmentSource PersistentVolumeName:*s InlineVolumeSpec:*PersistentVolumeSpec
VolumeAttachmentSpec Attacher:s Source:VolumeAttachmentSource NodeName:s
VolumeNodeAffinity Required:*NodeSelector
VolumeNodeResources Count:*i
VolumeResourceRequirements Limits:{q Requests:{q
VsphereVirtualDiskVolumeSource VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s
"""
_ZEROS: Final[dict[str, Json]] = {"s": "", "i": 0, "b": False, "q": "0", "o": 0}


class _Field(NamedTuple):
    go: str
    json: str
    type: str


def go_form(value: Json, type_name: str) -> Json:
    """*value*, which JSON spells, as the internal type *type_name* prints itself."""
    return _form(value, type_name)


def go_diff(old: Json, new: Json, type_name: str) -> str:
    """The lines by which two values differ, as the server adds them to a complaint."""
    before = _pretty(go_form(old, type_name), "").splitlines(keepends=True)
    after = _pretty(go_form(new, type_name), "").splitlines(keepends=True)
    before[-1] += "\n"
    after[-1] += "\n"
    # The first two lines name files, of which there are none.
    return "".join(list(difflib.unified_diff(before, after))[2:])


@cache
def _types() -> dict[str, tuple[_Field, ...]]:
    rows = (line.split() for line in (_TABLE + WORKLOAD_TYPES).splitlines())
    return {name: tuple(map(_field, columns)) for name, *columns in rows}


def _field(column: str) -> _Field:
    if column.startswith("+"):
        json, _, type_name = column[1:].rpartition(":")
        return _Field("", json, type_name)
    names, _, type_name = column.partition(":")
    go, _, json = names.partition("=")
    return _Field(go, json or go[:1].lower() + go[1:], type_name)


def _form(value: Json, type_name: str) -> Json:
    head, rest = type_name[0], type_name[1:]
    if head == "*":
        return None if value is None else _form(value, rest)
    if head == "[":
        return [_form(each, rest) for each in value] if isinstance(value, list) else None
    if head == "{":
        return {key: _form(value[key], rest) for key in sorted(value)} if isinstance(value, dict) else None
    if head == "@":
        return _tagged(value, rest)
    if type_name in _types():
        return _struct(value, type_name)
    return _ZEROS.get(type_name) if value is None else value


def _struct(value: Json, type_name: str) -> Json:
    held = value if isinstance(value, dict) else {}
    form: dict[str, Json] = {}
    for go, json, kind in _types()[type_name]:
        if go:
            form[go] = _form(held.get(json), kind)
        else:
            form.update(_form(held.get(json) if json else held, kind))
    return form


def _tagged(value: Json, type_name: str) -> Json:
    held = value if isinstance(value, dict) else {}
    fields = ((json, kind.removeprefix("^"), kind[0] == "^") for _, json, kind in _types()[type_name])
    formed = ((json, _form(held.get(json), kind), kept) for json, kind, kept in fields)
    return {json: form for json, form, kept in formed if kept or form not in (None, "", 0, False, [], {})}


def _pretty(value: Json, indent: str) -> str:
    inner = indent + " "
    if isinstance(value, dict) and value:
        return "{\n" + ",\n".join(_pretty_entries(value, inner)) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + _pretty(each, inner) for each in value) + f"\n{indent}]"
    return as_json(value)


def _pretty_entries(value: dict[str, Json], inner: str) -> Iterator[str]:
    for key, each in value.items():
        yield f"{inner}{as_json(key)}: {_pretty(each, inner)}"
