"""What an Application is: sources, a destination, and how the one is brought to the other."""

from msgspec import field

from plumbline.kinds.application.operation import RetryStrategy
from plumbline.kinds.application.sources import ApplicationSource, NameValue, SourceHydrator
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kinds.fields import Fields, Int64


class ResourceIgnoreDifferences(Fields):
    """Fields of some objects in which Git and the cluster may differ."""

    group: str = ""
    kind: str
    name: str = ""
    namespace: str = ""
    json_pointers: tuple[str, ...] = ()
    """Fields by JSON pointer, such as /spec/replicas."""
    jq_path_expressions: tuple[str, ...] = ()
    """Fields by jq path, such as .spec.template.spec.initContainers[] | select(.name == "a")."""
    managed_fields_managers: tuple[str, ...] = ()
    """Field managers whose fields are theirs."""


class SyncPolicyAutomated(Fields):
    """What is synced without being asked for. An absent field is kept apart from a false one: it is not written back."""

    prune: bool | None = None
    """Whether objects that are no longer in Git are deleted."""
    self_heal: bool | None = None
    """Whether changes that are made elsewhere are undone."""
    allow_empty: bool | None = None
    """Whether everything may be deleted."""
    enabled: bool | None = None
    """Whether any of this applies; it does if absent."""


class ManagedNamespaceMetadata(Fields):
    """Labels and annotations of the namespace that CreateNamespace makes."""

    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)


class SyncPolicy(Fields):
    """When and how syncs happen."""

    automated: SyncPolicyAutomated | None = None
    sync_options: tuple[str, ...] = ()
    """Options such as CreateNamespace=true."""
    retry: RetryStrategy | None = None
    managed_namespace_metadata: ManagedNamespaceMetadata | None = None


class ApplicationSpec(Fields):
    """What is deployed, where, and how."""

    source: ApplicationSource | None = None
    destination: ApplicationDestination
    project: str
    """AppProject that the application belongs to; default if empty."""
    sync_policy: SyncPolicy | None = None
    ignore_differences: tuple[ResourceIgnoreDifferences, ...] = ()
    info: tuple[NameValue, ...] = ()
    """Names and values for people, such as links."""
    revision_history_limit: Int64 | None = None
    """How many past syncs are remembered; 10 if absent."""
    sources: tuple[ApplicationSource, ...] = ()
    """Several sources; where there is one here, source is not used."""
    source_hydrator: SourceHydrator | None = None
