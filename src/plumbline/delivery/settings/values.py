"""Settings as values, each with upstream's default."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.settings.customizations import CompareOptions, Customizations
from plumbline.delivery.settings.filters import ResourceFilter
from plumbline.delivery.settings.namespaces import listed
from plumbline.delivery.settings.problems import Problem
from plumbline.kube.health.overrides import NO_OVERRIDES
from plumbline.kube.selectors import LabelSelector
from plumbline.ownership.learn.tracking import Tracking


class SelfHeal(msgspec.Struct, frozen=True, kw_only=True):
    """How long self-healing waits before it tries again: initial_s, times factor each time, at most cap_s."""

    fixed_s: int = 0
    """Counts where initial_s is zero: then every wait is the same."""
    initial_s: int = 2
    factor: int = 3
    cap_s: int = 300


NEVER_S: Final = 10 * 365 * 86400.0


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    reconciliation_s: float = 120
    """How often sources are asked for news; zero for never."""
    reconciliation_jitter_s: float = 60
    hard_reconciliation_s: float = 0
    repository_grace_s: float = 180
    """How long the last good state is shown while a repository fails."""
    sync_timeout_s: int = 0
    """After which a sync is ended; zero for never."""
    sync_wave_delay_s: int = 2
    git_request_s: float = 15
    render_s: int = 60
    jq_s: float = 1
    self_heal: SelfHeal = SelfHeal()

    @property
    def poll_s(self) -> float:
        """Between two questions to a repository whether it moved."""
        return self.reconciliation_s or NEVER_S


class KustomizeVersion(msgspec.Struct, frozen=True):
    path: str
    build_options: str = ""


class Kustomize(msgspec.Struct, frozen=True, kw_only=True):
    enabled: bool = True
    build_options: str = ""
    versions: Mapping[str, KustomizeVersion] = {}
    remote: bool = False
    """Whether bases and charts elsewhere are fetched. Upstream always does; there is no such key there."""


class Helm(msgspec.Struct, frozen=True, kw_only=True):
    enabled: bool = True
    value_file_schemes: tuple[str, ...] = ("https", "http")


class Rendering(msgspec.Struct, frozen=True, kw_only=True):
    kustomize: Kustomize = Kustomize()
    helm: Helm = Helm()
    jsonnet: bool = True
    submodules: bool = True
    hidden_directories: bool = False
    links_outside: bool = False
    """Whether links that leave a repository are followed: read, so that it can be told that they never are."""
    directory_bytes: int = 10 * 1000 * 1000
    """The most that the manifests of one directory may have together."""


class Impersonation(msgspec.Struct, frozen=True, kw_only=True):
    enabled: bool = False
    enforced: bool = True
    """Whether a destination without a service account is refused, instead of synced as ourselves."""


class Webhooks(msgspec.Struct, frozen=True, kw_only=True):
    max_payload_bytes: int = 50 * MIB
    refresh_jitter_s: float = 0
    jitter_threshold: int = 10
    github: Plaintext | None = None
    gitlab: Plaintext | None = None
    bitbucket_uuid: Plaintext | None = None
    bitbucket_server: Plaintext | None = None
    gogs: Plaintext | None = None
    harbor: Plaintext | None = None
    azure_devops_username: Plaintext | None = None
    azure_devops_password: Plaintext | None = None
    generic: Plaintext | None = None
    """Of senders that are no forge that is known."""
    unresolved: frozenset[str] = frozenset()
    """Secrets that are set but lead nowhere. Whoever they are for is refused: the secret is not absent."""


class Hydrating(msgspec.Struct, frozen=True, kw_only=True):
    """Writing rendered manifests to branches."""

    enabled: bool = False
    commit_message: str = ""
    """A template; empty for the usual one."""
    readme: str = ""
    """The same."""
    author_name: str = "Argo CD"
    author_email: str = "argo-cd@example.com"


class Link(msgspec.Struct, frozen=True):
    """A link that people see beside an application, a project or an object; its parts are templates."""

    url: str
    title: str
    description: str | None = None
    icon: str | None = msgspec.field(name="icon.class", default=None)
    condition: str | None = msgspec.field(name="if", default=None)


class Links(msgspec.Struct, frozen=True):
    application: tuple[Link, ...] = ()
    project: tuple[Link, ...] = ()
    resource: tuple[Link, ...] = ()


class GlobalProject(msgspec.Struct, frozen=True):
    """A project whose rules count in all that *selector* selects."""

    project: str
    selector: LabelSelector


class Display(msgspec.Struct, frozen=True, kw_only=True):
    """What people see."""

    url: str = ""
    additional_urls: tuple[str, ...] = ()
    status_badge: bool = False
    status_badge_url: str = ""
    custom_labels: tuple[str, ...] = ()
    node_labels: tuple[str, ...] = ()
    event_labels: tuple[str, ...] = ()
    """Labels of an Application or its project that its events carry; patterns."""
    hidden_event_labels: tuple[str, ...] = ()
    masked_annotations: frozenset[str] = frozenset()
    """Annotations of Secrets whose values are never shown."""
    links: Links = Links()


_ALL: Final = CompareOptions()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings at one time. What could not be read is at its default, and among the problems."""

    namespace: str = "argocd"
    """Where the settings are, and Applications that are named without a namespace."""
    tracking: Tracking = Tracking()
    filter: ResourceFilter = ResourceFilter()
    customizations: Customizations = Customizations(NO_OVERRIDES)
    compare: CompareOptions = _ALL
    ignore_resource_updates: bool = True
    """Whether `customizations.ignored_updates` counts."""
    respect_rbac: Literal["", "normal", "strict"] = ""
    timing: Timing = Timing()
    rendering: Rendering = Rendering()
    display: Display = Display()
    webhooks: Webhooks = Webhooks()
    impersonation: Impersonation = Impersonation()
    hydrating: Hydrating = Hydrating()
    global_projects: tuple[GlobalProject, ...] = ()
    application_namespaces: tuple[str, ...] = ()
    in_cluster_enabled: bool = True
    server_side_diff: bool = False
    persist_resource_health: bool = False
    replace_allowed: bool = True
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies that are believed when they say for whom, and over what, they ask."""
    revision_needs_override: bool = False
    """Whether to sync another revision than the one in the spec takes the right to override."""
    notifications: Mapping[str, str] = {}
    """argocd-notifications-cm as it is."""
    problems: tuple[Problem, ...] = ()

    def applications_in(self, namespace: str) -> bool:
        """Whether Applications in *namespace* are looked at."""
        return namespace == self.namespace or listed(namespace, self.application_namespaces)
