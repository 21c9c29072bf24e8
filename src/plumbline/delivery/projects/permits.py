"""What a project permits: sources, destinations, kinds, and namespaces of Applications.

A pattern with `!` before it denies, and no order of a list changes that. A pattern that cannot be read permits nothing
and denies everything that it might be about: upstream passes it over, which opens what somebody meant to close.
"""

from collections.abc import Callable, Iterable

from plumbline.base.errors import InvalidInput
from plumbline.base.glob import Glob, glob, path_glob
from plumbline.delivery.projects.project import Project
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.settings.namespaces import listed
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kube.names import GroupKind, Ref
from plumbline.source.urls import mirror_key, normalised, roundabout


def permits_source(project: Project, url: str) -> bool:
    """`*` in a pattern stops at a slash, `**` does not; addresses are compared in their normal form.

    One that leads elsewhere than it seems is permitted where it is written out or anything is, and denied where
    anything is denied.
    """
    source, bare, elsewhere = normalised(url), normalised(mirror_key(url)), roundabout(url)
    permitted = False
    for pattern in project.spec.source_repos:
        if pattern.startswith("!"):
            denied = f"!{normalised(pattern[1:])}"
            if elsewhere or not (_holds(denied, source, "/") and _holds(denied, bare, "/")):
                return False
            permitted = True
        else:
            meant = normalised(pattern)
            permitted = permitted or meant in {"*", source} or (not elsewhere and _holds(meant, source, "/"))
    return permitted


def permits_destination(
    project: Project, cluster: Cluster, namespace: str, scoped: Callable[[str], Iterable[Cluster]] | None = None
) -> bool:
    """Whether *namespace* of *cluster* may be deployed to. *scoped* gives the clusters of a project alone."""
    target = ApplicationDestination(server=cluster.server, name=cluster.name, namespace=namespace)
    if not _permits_target(project, target):
        return False
    if not project.spec.permit_only_project_scoped_clusters:
        return True
    own = scoped(project.name) if scoped else ()
    return any(each.name == cluster.name or each.server == cluster.server for each in own)


def permits_kind(project: Project, kind: GroupKind, name: str, *, namespaced: bool) -> bool:
    spec = project.spec
    if namespaced:
        wanted = spec.namespace_resource_whitelist
        allowed = wanted is None or any(_names(each.group, each.kind, kind) for each in wanted)
        denied = any(_names(each.group, each.kind, kind, unreadable=True) for each in spec.namespace_resource_blacklist)
    else:
        allowed = any(
            _names(each.group, each.kind, kind) and (not each.name or _fits(path_glob, each.name, name))
            for each in spec.cluster_resource_whitelist
        )
        denied = any(
            _names(each.group, each.kind, kind, unreadable=True)
            and (not each.name or _fits(path_glob, each.name, name, unreadable=True))
            for each in spec.cluster_resource_blacklist
        )
    return allowed and not denied


def permits_object(
    project: Project, ref: Ref, cluster: Cluster, scoped: Callable[[str], Iterable[Cluster]] | None = None
) -> bool:
    """Whether an object that is there may be seen, pruned and deleted by the project's applications."""
    namespaced = bool(ref.namespace)
    if not permits_kind(project, GroupKind(ref.group, ref.kind), ref.name, namespaced=namespaced):
        return False
    return not namespaced or permits_destination(project, cluster, ref.namespace, scoped)


def permits_application_namespace(project: Project, namespace: str, control_namespace: str) -> bool:
    """Whether Applications in *namespace* may use the project. Where the installation is, they always may."""
    return namespace in {"", control_namespace} or listed(namespace, project.spec.source_namespaces)


def _permits_target(project: Project, target: ApplicationDestination) -> bool:
    permitted = False
    for item in project.spec.destinations:
        by_name = bool(target.name) and _holds(item.name, target.name)
        by_server = bool(target.server) and _holds(item.server, target.server)
        by_namespace = _holds(item.namespace, target.namespace)
        if (by_server or by_name) and by_namespace:
            permitted = True
        # As upstream has it: a denied name denies whatever the namespace, a denied address only in that namespace.
        elif (
            (not by_name and item.name.startswith("!"))
            or (not by_server and item.server.startswith("!") and by_namespace)
            or (not by_namespace and item.namespace.startswith("!") and by_server)
        ):
            return False
    return permitted


def _holds(pattern: str, text: str, separators: str = "") -> bool:
    """Whether *text* is what *pattern* permits; one that denies permits everything else."""
    if pattern.startswith("!"):
        return not _fits(lambda glob_: glob(glob_, separators), pattern[1:], text, unreadable=True)
    return pattern == "*" or _fits(lambda glob_: glob(glob_, separators), pattern, text)


def _names(group: str, kind: str, wanted: GroupKind, *, unreadable: bool = False) -> bool:
    return _fits(path_glob, kind, wanted.kind, unreadable=unreadable) and _fits(
        path_glob, group, wanted.group, unreadable=unreadable
    )


def _fits(read: Callable[[str], Glob], pattern: str, text: str, *, unreadable: bool = False) -> bool:
    """Whether *pattern* stands for *text*, or *unreadable* where it cannot be read."""
    try:
        return read(pattern).matches(text)
    except InvalidInput:
        return unreadable
