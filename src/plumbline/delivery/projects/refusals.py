"""Why something is not permitted, in the words that people and tools know from upstream."""

from collections.abc import Callable, Iterable

from plumbline.delivery.projects.permits import permits_destination, permits_kind
from plumbline.delivery.projects.project import Project
from plumbline.delivery.settings.clusters import Cluster
from plumbline.kube.names import GroupKind, Ref
from plumbline.source.urls import redacted

WINDOW_CLOSED = "Sync operation blocked by sync window"


def source_refusal(project: Project, url: str) -> str:
    return f"application repo {url} is not permitted in project '{project.name}'"


def charts_refusal(project: Project, urls: Iterable[str]) -> str:
    """Of what a chart wants beside itself."""
    told = ", ".join(redacted(url).removeprefix("oci://") for url in urls)
    return f"helm repos {told} are not permitted in project '{project.name}'"


def destination_refusal(project: Project, cluster: str, namespace: str) -> str:
    """*cluster* is its name or its address, whichever the application says."""
    return (
        f"application destination server '{cluster}' and namespace '{namespace}' do not match any of the allowed"
        f" destinations in project '{project.name}'"
    )


def object_refusal(
    project: Project,
    ref: Ref,
    cluster: Cluster,
    *,
    namespaced: bool | None,
    scoped: Callable[[str], Iterable[Cluster]] | None = None,
) -> str:
    """Why *ref* may not be applied; empty if it may. *namespaced* is None for a kind that nobody knows."""
    if namespaced is None:
        return f"failed to get API resource info for {ref.group}/{ref.kind}: unable to verify permissions"
    if not permits_kind(project, GroupKind(ref.group, ref.kind), ref.name, namespaced=namespaced):
        return f"resource {ref.group}:{ref.kind} is not permitted in project {project.name}"
    if namespaced and not permits_destination(project, cluster, ref.namespace, scoped):
        return f"namespace {ref.namespace} is not permitted in project '{project.name}'"
    return ""
