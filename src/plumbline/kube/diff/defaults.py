"""What the server itself writes into values that are owned as a whole, where field ownership cannot tell.

Everywhere else ownership says whose a field is. Inside of an atomic list or map nobody is named, so that a field which
Git no longer has would look like one that the server added. For built-in kinds the server's additions are known:
facts of Kubernetes 1.36 (`pkg/apis/*/defaults.go`), by the name of the type.
"""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json
from plumbline.kube.schema.shape import Shape

_RBAC: Final = "rbac.authorization.k8s.io"
_ANY: Final = object()
"""The server's value depends on the rest of the object."""

_WRITTEN: Final[Mapping[str, Mapping[str, Json]]] = {
    "DeviceSubRequest": {"allocationMode": "ExactCount", "count": 1},
    "DeviceTaint": {"timeAdded": _ANY},
    "EndpointPort": {"name": "", "protocol": "TCP"},
    "ExactDeviceRequest": {"allocationMode": "ExactCount", "count": 1},
    "HTTPGetAction": {"scheme": "HTTP"},
    "LimitRangeItem": {"default": _ANY, "defaultRequest": _ANY},
    "MatchResources": {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}},
    "NamedRuleWithOperations": {"scope": "*"},
    "NetworkPolicyPort": {"protocol": "TCP"},
    "NodeAllocatableResourceMapping": {"allocationMultiplier": "1"},
    "ObjectFieldSelector": {"apiVersion": "v1"},
    "PersistentVolumeClaim": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": _ANY},
    "PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
    "ResourceFieldSelector": {"divisor": "0"},
    "RoleRef": {"apiGroup": _RBAC},
    "RuleWithOperations": {"scope": "*"},
    "ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "Subject": {"apiGroup": _RBAC},
}
_NOTHING: Final[Mapping[str, Json]] = {}

_POINTED_AT: Final[Mapping[str, frozenset[str]]] = {
    type_name: frozenset(fields.split())
    for type_name, fields in {
        "ClusterTrustBundleProjection": "name optional signerName",
        "ConfigMapEnvSource": "optional",
        "ConfigMapKeySelector": "optional",
        "ConfigMapProjection": "optional",
        "CustomResourceDefinitionVersion": "deprecationWarning",
        "CustomResourceSubresourceScale": "labelSelectorPath",
        "Device": "allNodes allowMultipleAllocations bindsToNode nodeName",
        "DeviceAttribute": "bool int string version",
        "DeviceToleration": "tolerationSeconds",
        "DownwardAPIVolumeFile": "mode",
        "Endpoint": "hostname nodeName zone",
        "EndpointAddress": "nodeName",
        "EndpointConditions": "ready serving terminating",
        "EndpointPort": "appProtocol name port",
        "ExactDeviceRequest": "adminAccess",
        "FileKeySelector": "optional",
        "JSONSchemaProps": "maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf"
        " x-kubernetes-preserve-unknown-fields",
        "KeyToPath": "mode",
        "MetricTarget": "averageUtilization",
        "PersistentVolumeClaimSpec": "storageClassName volumeAttributesClassName",
        "PodDNSConfigOption": "value",
        "PodFailurePolicyOnExitCodesRequirement": "containerName",
        "SecretEnvSource": "optional",
        "SecretKeySelector": "optional",
        "SecretProjection": "optional",
        "SuccessPolicyRule": "succeededCount succeededIndexes",
        "Toleration": "tolerationSeconds",
        "TypedLocalObjectReference": "apiGroup",
        "TypedObjectReference": "apiGroup namespace",
        "ValidationRule": "optionalOldSelf",
    }.items()
}
"""Fields in atomic values that the server's own types point at, so that zero is not the same as absent."""
_NONE: Final[frozenset[str]] = frozenset()


def written_by_server(name: str, value: Json, shape: Shape) -> bool:
    """Whether *value* is what the server puts under *name* in a record of *shape* where nobody wrote anything."""
    written = _WRITTEN.get(shape.name, _NOTHING)
    if name in written and (written[name] is _ANY or written[name] == value):
        return True
    if name in shape.embedded and isinstance(value, dict):
        inner = shape.fields[name]
        return all(each is None or written_by_server(field, each, inner) for field, each in value.items())
    return name in shape.zeros and shape.zeros[name] == value


def is_zero(value: Json) -> bool:
    """Empty text, 0 and false: what the server's own types leave out unless they point at it."""
    return value is False or value == "" or (value == 0 and not isinstance(value, bool))


def counts_as_absent(name: str, value: Json, shape: Shape) -> bool:
    """Whether, in an atomic record of a built-in kind, writing *value* is the same as writing nothing."""
    return is_zero(value) and name not in _POINTED_AT.get(shape.name, _NONE)
