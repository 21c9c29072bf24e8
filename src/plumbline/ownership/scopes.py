"""Which kinds live outside of namespaces, as far as that is known without asking a server."""

from collections.abc import Mapping
from typing import Final

from plumbline.kube.names import GroupKind

_CLUSTER_WIDE: Final[dict[str, frozenset[str]]] = {
    "": frozenset({"ComponentStatus", "Namespace", "Node", "PersistentVolume"}),
    "admissionregistration.k8s.io": frozenset(
        {
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        }
    ),
    "apiextensions.crossplane.io": frozenset(
        {
            "Composition",
            "CompositeResourceDefinition",
            "CompositionRevision",
            "EnvironmentConfig",
            "ManagedResourceActivationPolicy",
            "ManagedResourceDefinition",
            "Usage",
        }
    ),
    "apiextensions.k8s.io": frozenset({"CustomResourceDefinition"}),
    "apiregistration.k8s.io": frozenset({"APIService"}),
    "cert-manager.io": frozenset({"ClusterIssuer"}),
    "certificates.k8s.io": frozenset({"CertificateSigningRequest", "ClusterTrustBundle"}),
    "external-secrets.io": frozenset({"ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"}),
    "flowcontrol.apiserver.k8s.io": frozenset({"FlowSchema", "PriorityLevelConfiguration"}),
    "gateway.networking.k8s.io": frozenset({"GatewayClass"}),
    "kyverno.io": frozenset({"ClusterPolicy"}),
    "networking.k8s.io": frozenset({"IPAddress", "IngressClass", "ServiceCIDR"}),
    "node.k8s.io": frozenset({"RuntimeClass"}),
    "ops.crossplane.io": frozenset({"CronOperation", "Operation", "WatchOperation"}),
    "protection.crossplane.io": frozenset({"ClusterUsage"}),
    "rbac.authorization.k8s.io": frozenset({"ClusterRole", "ClusterRoleBinding"}),
    "resource.k8s.io": frozenset({"DeviceClass", "ResourceSlice"}),
    "scheduling.k8s.io": frozenset({"PriorityClass"}),
    "snapshot.storage.k8s.io": frozenset({"VolumeSnapshotClass", "VolumeSnapshotContent"}),
    "storage.k8s.io": frozenset({"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"}),
}
_MANAGED: Final = (".aws.upbound.io", ".gcp.upbound.io", ".azure.upbound.io", ".sql.crossplane.io")
_MANAGED_ROOTS: Final = frozenset({"azure.upbound.io", "kubernetes.crossplane.io", "tf.upbound.io"})
_PACKAGES: Final = frozenset({"pkg.crossplane.io"})


class Scopes:
    """What is built in, what its ecosystem is known for, and above both what *known* says of single kinds."""

    def __init__(self, known: Mapping[GroupKind, bool] | None = None) -> None:
        """*known* says of kinds whether they are namespaced: from discovery, or from definitions in the same files."""
        self._known = dict(known or {})

    def namespaced(self, kind: GroupKind) -> bool:
        """Kinds that nobody heard of are taken for namespaced, as most are."""
        known = self._known.get(kind)
        if known is not None:
            return known
        if kind.kind in _CLUSTER_WIDE.get(kind.group, ()) or kind.group in _PACKAGES | _MANAGED_ROOTS:
            return False
        # Crossplane's older kinds are cluster-wide; the namespaced ones have an m in their group.
        return not kind.group.endswith(_MANAGED)
