"""What counts where there is no argocd-cm at all: what upstream installs, said as its ConfigMap says it.

A ConfigMap that is there counts as it is. Whoever took the exclusions out of it wanted to see those kinds.
"""

from typing import Final

from plumbline.base.json import encode

_UPDATES: Final = "resource.customizations.ignoreResourceUpdates"
_EXCLUDED: Final = (
    (("", "discovery.k8s.io"), ("Endpoints", "EndpointSlice")),
    (("coordination.k8s.io",), ("Lease",)),
    (
        ("authentication.k8s.io", "authorization.k8s.io"),
        (
            "SelfSubjectReview",
            "TokenReview",
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ),
    ),
    (("certificates.k8s.io",), ("CertificateSigningRequest",)),
    (("cert-manager.io",), ("CertificateRequest",)),
    (("cilium.io",), ("CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice")),
    (
        ("kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"),
        (
            "PolicyReport",
            "ClusterPolicyReport",
            "EphemeralReport",
            "ClusterEphemeralReport",
            "AdmissionReport",
            "ClusterAdmissionReport",
            "BackgroundScanReport",
            "ClusterBackgroundScanReport",
            "UpdateRequest",
        ),
    ),
)
_POINTERS: Final = {
    "all": ("/status",),
    "discovery.k8s.io_EndpointSlice": ("/metadata", "/endpoints", "/ports"),
    "Endpoints": ("/metadata", "/subsets"),
}
_NOTIFIED: Final = "notified.notifications.argoproj.io"
_ANNOTATIONS: Final = {
    "argoproj.io_Application": (_NOTIFIED, "argocd.argoproj.io/refresh", "argocd.argoproj.io/hydrate"),
    "argoproj.io_Rollout": (_NOTIFIED,),
    "autoscaling_HorizontalPodAutoscaler": tuple(
        f"autoscaling.alpha.kubernetes.io/{name}" for name in ("behavior", "conditions", "metrics", "current-metrics")
    ),
    "ConfigMap": ("cluster-autoscaler.kubernetes.io/last-updated", "control-plane.alpha.kubernetes.io/leader"),
    "apps_ReplicaSet": (
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "rollout.argoproj.io/desired-replicas",
    ),
}
_FIELDS: Final = {"argoproj.io_Application": (".operation",)}


def _entries() -> dict[str, str]:
    excluded = [{"apiGroups": groups, "kinds": kinds} for groups, kinds in _EXCLUDED]
    entries = {"resource.exclusions": encode(excluded).decode()}
    for kind, pointers in _POINTERS.items():
        entries[f"{_UPDATES}.{kind}"] = encode({"jsonPointers": pointers}).decode()
    for kind, annotations in _ANNOTATIONS.items():
        paths = (*(f'.metadata.annotations."{each}"' for each in annotations), *_FIELDS.get(kind, ()))
        entries[f"{_UPDATES}.{kind}"] = encode({"jqPathExpressions": paths}).decode()
    return entries


STOCK: Final = _entries()
