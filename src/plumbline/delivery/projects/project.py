"""A project with everything that counts in it: its own rules, those of global projects, and what is registered for it."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.settings.values import GlobalProject
from plumbline.kinds.appproject import ApplicationDestination, AppProjectSpec, AppProjectStatus
from plumbline.kinds.read import Read
from plumbline.kube.object import Object

T = TypeVar("T")

DEFAULT = "default"


class Project(msgspec.Struct, frozen=True):
    """An AppProject, as far as it permits anything."""

    name: str
    spec: AppProjectSpec
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}

    @classmethod
    def of(cls, read: Read[AppProjectSpec, AppProjectStatus]) -> "Project":
        obj = Object(read.raw)
        return cls(read.ref.name, read.spec, obj.labels, obj.annotations)


def effective(
    project: Project,
    *,
    repositories: Iterable[str] = (),
    clusters: Iterable[Cluster] = (),
    global_projects: Iterable[Project] = (),
) -> Project:
    """*project* with the *repositories* and *clusters* that are registered for it alone, and with *global_projects*.

    Once for each version of these, not once for each application.
    """
    destinations = [
        ApplicationDestination(server=cluster.server, namespace=namespace)
        for cluster in clusters
        for namespace in cluster.namespaces or ("*",)
    ]
    spec = msgspec.structs.replace(
        project.spec,
        source_repos=(*project.spec.source_repos, *repositories),
        destinations=(*project.spec.destinations, *destinations),
    )
    for other in global_projects:
        spec = _merged(spec, other.spec)
    return msgspec.structs.replace(project, spec=spec)


def global_projects_of(
    project: Project, rules: Iterable[GlobalProject], projects: Mapping[str, Project]
) -> list[Project]:
    """Those whose rules count in *project*, in the order of *rules*. None is its own; a name without a project is none."""
    selected = [
        rule.project for rule in rules if rule.project != project.name and rule.selector.matches(project.labels)
    ]
    return [projects[name] for name in selected if name in projects]


def _merged(spec: AppProjectSpec, other: AppProjectSpec) -> AppProjectSpec:
    return msgspec.structs.replace(
        spec,
        cluster_resource_whitelist=spec.cluster_resource_whitelist + other.cluster_resource_whitelist,
        cluster_resource_blacklist=spec.cluster_resource_blacklist + other.cluster_resource_blacklist,
        namespace_resource_whitelist=_joined(spec.namespace_resource_whitelist, other.namespace_resource_whitelist),
        namespace_resource_blacklist=spec.namespace_resource_blacklist + other.namespace_resource_blacklist,
        sync_windows=spec.sync_windows + other.sync_windows,
        source_repos=spec.source_repos + other.source_repos,
        destinations=spec.destinations + other.destinations,
        destination_service_accounts=spec.destination_service_accounts + other.destination_service_accounts,
    )


def _joined(own: tuple[T, ...] | None, other: tuple[T, ...] | None) -> tuple[T, ...] | None:
    """An absent list permits everything; joined with one that names something, only that remains."""
    return None if own is None and not other else (own or ()) + (other or ())
