"""Application (argoproj.io/v1alpha1): what is deployed where, and how far that has come.

Texts with a grammar of their own (durations, revisions, patterns) stay texts here, and what upstream leaves unchecked is
left unchecked: an Application that cannot be used says so itself, in a condition.
"""

from typing import Final

from plumbline.kinds.application.operation import (
    Backoff,
    Operation,
    OperationInitiator,
    RetryStrategy,
    SyncOperation,
    SyncOperationResource,
    SyncStrategy,
)
from plumbline.kinds.application.sources import (
    ApplicationSource,
    ApplicationSourceDirectory,
    ApplicationSourceHelm,
    ApplicationSourceJsonnet,
    ApplicationSourceKustomize,
    ApplicationSourcePlugin,
    HelmFileParameter,
    HelmParameter,
    JsonnetVar,
    KustomizePatch,
    KustomizeReplica,
    KustomizeSelector,
    NameValue,
)
from plumbline.kinds.application.spec import (
    ApplicationSpec,
    ManagedNamespaceMetadata,
    ResourceIgnoreDifferences,
    SyncPolicy,
    SyncPolicyAutomated,
)
from plumbline.kinds.application.status import (
    ApplicationCondition,
    ApplicationStatus,
    ApplicationSummary,
    ComparedTo,
    HealthStatus,
    OperationState,
    ResourceResult,
    ResourceStatus,
    RevisionHistory,
    SyncOperationResult,
    SyncStatus,
)
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kinds.kind import Column, Kind, Version

__all__ = [
    "APPLICATION",
    "ApplicationCondition",
    "ApplicationDestination",
    "ApplicationSource",
    "ApplicationSourceDirectory",
    "ApplicationSourceHelm",
    "ApplicationSourceJsonnet",
    "ApplicationSourceKustomize",
    "ApplicationSourcePlugin",
    "ApplicationSpec",
    "ApplicationStatus",
    "ApplicationSummary",
    "Backoff",
    "ComparedTo",
    "HealthStatus",
    "HelmFileParameter",
    "HelmParameter",
    "JsonnetVar",
    "KustomizePatch",
    "KustomizeReplica",
    "KustomizeSelector",
    "ManagedNamespaceMetadata",
    "NameValue",
    "Operation",
    "OperationInitiator",
    "OperationState",
    "ResourceIgnoreDifferences",
    "ResourceResult",
    "ResourceStatus",
    "RetryStrategy",
    "RevisionHistory",
    "SyncOperation",
    "SyncOperationResource",
    "SyncOperationResult",
    "SyncPolicy",
    "SyncPolicyAutomated",
    "SyncStatus",
    "SyncStrategy",
]

APPLICATION: Final = Kind(
    group="argoproj.io",
    kind="Application",
    plural="applications",
    short_names=("app", "apps"),
    description="Manifests from Git, a chart or a registry, kept live in a cluster.",
    versions=(
        Version(
            name="v1alpha1",
            spec=ApplicationSpec,
            status=ApplicationStatus,
            also=(("operation", Operation),),
            status_apart=False,
            status_depth=1,
            columns=(
                Column(name="Sync Status", path=".status.sync.status"),
                Column(name="Health Status", path=".status.health.status"),
                Column(name="Revision", path=".status.sync.revision", priority=10),
                Column(name="Project", path=".spec.project", priority=10),
            ),
        ),
    ),
    keep_unknown=True,
)
