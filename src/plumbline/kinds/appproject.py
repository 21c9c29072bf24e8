"""AppProject (argoproj.io/v1alpha1): which sources, destinations, kinds and people a group of applications may use.

Texts with a grammar of their own (schedules, durations, policies, patterns) stay texts here: upstream stores any of
them, and one that cannot be read must stop what uses it, not the whole project. `None` and an empty list differ where
upstream tells them apart.
"""

from typing import Annotated, Final

from msgspec import Meta, field

from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import Fields, Int64
from plumbline.kinds.kind import Kind, Version


class ApplicationDestination(Fields):
    """A cluster, by address or by name, and a namespace in it; each may be a pattern, and `!` before it denies."""

    server: str = ""
    """Address of the cluster's API. Give this or name."""
    namespace: str = ""
    """Namespace for objects that do not name one themselves."""
    name: str = ""
    """Name under which the cluster is registered. Give this or server."""


class GroupKind(Fields):
    """A group and a kind, both of which may be patterns; every version is meant."""

    group: str
    kind: str


class ClusterResource(Fields):
    """A group, a kind and optionally a name of objects that live outside of namespaces."""

    group: str
    kind: str
    name: str = ""
    """Pattern for the object's name; without one every name matches."""


class JwtToken(Fields):
    """The record of a token that was issued for a role. Removing it revokes the token."""

    issued_at: Int64 = field(name="iat")
    """When it was issued, in seconds since 1970."""
    expires_at: Int64 = field(name="exp", default=0)
    """When it ends, in seconds since 1970; 0 means never."""
    id: str = ""


class JwtTokens(Fields):
    """Tokens of one role."""

    items: tuple[JwtToken, ...] = ()


class ProjectRole(Fields):
    """A role inside the project, for people and for automation."""

    name: str
    """Name of the role; its subject in policies is proj:PROJECT:NAME."""
    description: str = ""
    """What the role is for."""
    policies: tuple[str, ...] = ()
    """Policy lines, such as `p, proj:shop:deployer, applications, sync, shop/*, allow`."""
    jwt_tokens: tuple[JwtToken, ...] = ()
    """Tokens issued for this role."""
    groups: tuple[str, ...] = ()
    """Groups of the identity provider whose members have this role."""


class OrphanedResource(Fields):
    """Objects that may belong to no application; an empty field matches everything."""

    group: str = ""
    kind: str = ""
    name: str = ""


class OrphanedResources(Fields):
    """Watching for objects in the project's namespaces that belong to no application."""

    warn: bool | None = None
    """Whether applications show a warning about them."""
    ignore: tuple[OrphanedResource, ...] = ()
    """Objects that are not counted."""


class SyncWindow(Fields):
    """A recurring time in which syncs are allowed, or denied."""

    kind: str = ""
    """Either allow or deny."""
    schedule: str = ""
    """When the window opens, in cron form."""
    duration: str = ""
    """How long it stays open, such as 30m or 1h30m."""
    applications: tuple[str, ...] = ()
    """Patterns for names of applications that it is about."""
    namespaces: tuple[str, ...] = ()
    """Patterns for destination namespaces that it is about."""
    clusters: tuple[str, ...] = ()
    """Patterns for destination clusters that it is about."""
    manual_sync: bool = False
    """Whether people may still sync by hand when the window says no."""
    time_zone: str = ""
    """Time zone of the schedule, such as Europe/Berlin; UTC if empty."""
    and_operator: bool = False
    """Whether applications, namespaces and clusters must all match; otherwise one of them is enough."""
    description: str = ""
    """Why there is this window, for instance a ticket."""
    sync_overrun: bool = False
    """Whether a sync that began while it was allowed may go on after the window has changed."""

    def length(self) -> Duration:
        """How long it stays open, or InvalidInput; read when the window matters and not before."""
        return Duration.parse(self.duration)


class SignatureKey(Fields):
    """A key whose signature a commit may carry."""

    key_id: str = field(name="keyID")
    """Id of the key, in hexadecimal."""


class GpgPolicy(Fields):
    """Which signatures are asked for."""

    mode: str
    """One of none, head (the commit or tag that is synced) and strict (all of its history)."""
    keys: tuple[str, ...]
    """Ids of the keys to trust."""


class GitRepository(Fields):
    """Repositories, by address."""

    url: str
    """Pattern for the address."""


class GitPolicy(Fields):
    """What commits of some repositories must carry."""

    repos: tuple[GitRepository, ...]
    """Repositories that the policy is about."""
    gpg: GpgPolicy
    """Signatures of commits and tags."""


class GitIntegrity(Fields):
    """Policies for Git repositories."""

    policies: tuple[GitPolicy, ...]


class SourceIntegrity(Fields):
    """What a source must prove before it is used."""

    git: GitIntegrity
    """Policies for Git repositories."""


class DestinationServiceAccount(Fields):
    """The service account as which applications are synced to a destination."""

    server: str
    """Address of the cluster's API, or a pattern for it."""
    namespace: str = ""
    """Namespace in it, or a pattern for it."""
    default_service_account: str
    """Name of the service account, or NAMESPACE:NAME."""


class AppProjectSpec(Fields):
    """What applications in this project may do, and who may do something with them."""

    source_repos: tuple[str, ...] = ()
    """Patterns for addresses of repositories that may be used; `!` before one denies."""
    destinations: tuple[ApplicationDestination, ...] = ()
    """Clusters and namespaces that may be deployed to."""
    description: Annotated[str, Meta(max_length=255)] = ""
    """What the project is for."""
    roles: tuple[ProjectRole, ...] = ()
    """Roles inside the project."""
    cluster_resource_whitelist: tuple[ClusterResource, ...] = ()
    """Objects outside of namespaces that may be deployed; nothing if empty."""
    cluster_resource_blacklist: tuple[ClusterResource, ...] = ()
    """Objects outside of namespaces that may not be deployed, whatever else allows them."""
    namespace_resource_whitelist: tuple[GroupKind, ...] | None = None
    """Kinds in namespaces that may be deployed; everything if absent, nothing if empty."""
    namespace_resource_blacklist: tuple[GroupKind, ...] = ()
    """Kinds in namespaces that may not be deployed, whatever else allows them."""
    orphaned_resources: OrphanedResources | None = None
    """Whether to watch for objects that belong to no application."""
    sync_windows: tuple[SyncWindow, ...] = ()
    """When syncs may run."""
    signature_keys: tuple[SignatureKey, ...] = ()
    """Keys that commits must be signed with. Deprecated upstream: use sourceIntegrity."""
    source_integrity: SourceIntegrity | None = None
    """What sources must prove before they are used."""
    source_namespaces: tuple[str, ...] = ()
    """Patterns for namespaces in which applications of this project may be created."""
    permit_only_project_scoped_clusters: bool = False
    """Whether only clusters registered for this project may be deployed to."""
    destination_service_accounts: tuple[DestinationServiceAccount, ...] = ()
    """Service accounts as which applications are synced, by destination; the first match counts."""


class AppProjectStatus(Fields):
    """What was recorded about the project."""

    jwt_tokens_by_role: dict[str, JwtTokens] = field(default_factory=dict)
    """Tokens issued for each role."""


APP_PROJECT: Final = Kind(
    group="argoproj.io",
    kind="AppProject",
    plural="appprojects",
    short_names=("appproj", "appprojs"),
    description="A group of applications, and the limits of what they and the people around them may do.",
    versions=(Version(name="v1alpha1", spec=AppProjectSpec, status=AppProjectStatus, status_apart=False),),
    keep_unknown=True,
)
