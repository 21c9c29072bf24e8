"""What was found out about an Application."""

from typing import Annotated, TypeAlias

from msgspec import Meta, field

from plumbline.kinds.application.operation import Operation, OperationInitiator
from plumbline.kinds.application.sources import ApplicationSource, SourceHydrator
from plumbline.kinds.application.spec import ManagedNamespaceMetadata, ResourceIgnoreDifferences
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kinds.fields import Fields, Int64

Moment: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class ApplicationCondition(Fields):
    """Something that is wrong, or may be."""

    type: str
    """What it is about; the ending, Error or Warning, says how bad it is."""
    message: str
    last_transition_time: Moment = ""


class HealthStatus(Fields):
    status: str = ""
    """One of Healthy, Suspended, Progressing, Missing, Degraded and Unknown."""
    message: str = ""
    last_transition_time: Moment = ""


class ComparedTo(Fields):
    """The part of the spec that was compared."""

    source: ApplicationSource | None = None
    destination: ApplicationDestination
    sources: tuple[ApplicationSource, ...] = ()
    ignore_differences: tuple[ResourceIgnoreDifferences, ...] = ()


class SyncStatus(Fields):
    status: str
    """One of Synced, OutOfSync and Unknown."""
    compared_to: ComparedTo | None = None
    revision: str = ""
    revisions: tuple[str, ...] = ()


class ResourceStatus(Fields):
    """One object of the application."""

    group: str = ""
    version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    status: str = ""
    health: HealthStatus | None = None
    hook: bool = False
    requires_pruning: bool = False
    sync_wave: Int64 = 0
    requires_deletion_confirmation: bool = False


class ResourceResult(Fields):
    """What a sync did with one object."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str
    status: str = ""
    message: str = ""
    hook_type: str = ""
    hook_phase: str = ""
    sync_phase: str = ""
    images: tuple[str, ...] = ()


class SyncOperationResult(Fields):
    """What a sync has done so far."""

    resources: tuple[ResourceResult, ...] = ()
    revision: str
    source: ApplicationSource | None = None
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    managed_namespace_metadata: ManagedNamespaceMetadata | None = None


class OperationState(Fields):
    """The operation that runs, or the last one that did."""

    operation: Operation
    phase: str
    """One of Running, Terminating, Failed, Error and Succeeded."""
    message: str = ""
    sync_result: SyncOperationResult | None = None
    started_at: Moment
    finished_at: Moment = ""
    retry_count: Int64 = 0


class RevisionHistory(Fields):
    """A sync that succeeded."""

    revision: str = ""
    deployed_at: Moment
    id: Int64
    source: ApplicationSource | None = None
    deploy_started_at: Moment = ""
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    initiated_by: OperationInitiator = field(default=OperationInitiator())


class ApplicationSummary(Fields):
    """What is in the application, for people."""

    external_urls: tuple[str, ...] = field(name="externalURLs", default=())
    images: tuple[str, ...] = ()
    is_app_of_apps: bool = False


class HydrateOperation(Fields):
    """One run of writing rendered manifests to a branch."""

    started_at: Moment = ""
    finished_at: Moment = ""
    phase: Annotated[str, Meta(extra_json_schema={"enum": ["Hydrating", "Failed", "Hydrated"]})]
    message: str
    dry_sha: str = field(name="drySHA", default="")
    hydrated_sha: str = field(name="hydratedSHA", default="")
    source_hydrator: SourceHydrator | None = None


class SuccessfulHydrateOperation(Fields):
    dry_sha: str = field(name="drySHA", default="")
    hydrated_sha: str = field(name="hydratedSHA", default="")
    source_hydrator: SourceHydrator | None = None


class SourceHydratorStatus(Fields):
    last_successful_operation: SuccessfulHydrateOperation | None = None
    current_operation: HydrateOperation | None = None
    last_compared_dry_revision: str = ""


class ApplicationStatus(Fields):
    """What was found out about the application."""

    resources: tuple[ResourceStatus, ...] = ()
    sync: SyncStatus = SyncStatus(status="")
    health: HealthStatus = HealthStatus()
    history: tuple[RevisionHistory, ...] = ()
    conditions: tuple[ApplicationCondition, ...] = ()
    reconciled_at: Moment = ""
    operation_state: OperationState | None = None
    observed_at: Moment = ""
    source_type: str = ""
    summary: ApplicationSummary = ApplicationSummary()
    resource_health_source: str = ""
    source_types: tuple[str, ...] = ()
    controller_namespace: str = ""
    source_hydrator: SourceHydratorStatus = SourceHydratorStatus()
