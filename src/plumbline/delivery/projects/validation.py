"""Whether an Application may be at all: its project, its sources, its destination. What is wrong becomes conditions."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import encode
from plumbline.delivery.projects.permits import permits_application_namespace, permits_destination, permits_source
from plumbline.delivery.projects.project import DEFAULT, Project
from plumbline.delivery.projects.refusals import destination_refusal, source_refusal
from plumbline.delivery.settings.clusters import Cluster, Clusters
from plumbline.kinds.application import ApplicationCondition, ApplicationSource, ApplicationSpec
from plumbline.kinds.application.sources import SourceHydrator
from plumbline.kinds.values import written

INVALID_SPEC: Final = "InvalidSpecError"
UNKNOWN: Final = "UnknownError"


def project_of(
    spec: ApplicationSpec, name: str, namespace: str, projects: Mapping[str, Project], control_namespace: str
) -> Project | ApplicationCondition:
    """The project that an Application may use, or why it may use none."""
    wanted = spec.project or DEFAULT
    project = projects.get(wanted)
    if project is None:
        return _invalid(f"Application referencing project {wanted} which does not exist")
    if not permits_application_namespace(project, namespace, control_namespace):
        said = f"application '{name}' in namespace '{namespace}' is not permitted to use project '{project.name}'"
        return ApplicationCondition(type=UNKNOWN, message=said)
    return project


def invalid_conditions(spec: ApplicationSpec, project: Project, clusters: Clusters) -> tuple[ApplicationCondition, ...]:
    """What keeps an Application from being synced; nothing if nothing does."""
    hydrator = spec.source_hydrator
    sources = _hydrator_faults(hydrator, project) if hydrator is not None else _source_faults(spec, project)
    if sources.malformed:
        return sources.conditions
    return (*sources.conditions, *_destination_conditions(spec, project, clusters))


class _Faults(NamedTuple):
    conditions: tuple[ApplicationCondition, ...]
    malformed: bool = False
    """Whether there is no point in looking further."""


def _source_faults(spec: ApplicationSpec, project: Project) -> _Faults:
    found: list[ApplicationCondition] = []
    for source in spec.sources or (spec.source or ApplicationSource(repo_url=""),):
        malformed = _malformed_source(source, several=bool(spec.sources))
        if malformed is not None:
            return _Faults((*found, malformed), malformed=True)
        if not permits_source(project, source.repo_url):
            found.append(_invalid(source_refusal(project, source.repo_url)))
    return _Faults(tuple(found))


def _hydrator_faults(hydrator: SourceHydrator, project: Project) -> _Faults:
    branch = "spec.sourceHydrator.hydrateTo"
    asked = (
        (hydrator.dry_source.repo_url, "spec.sourceHydrator.drySource.repoURL is required"),
        (hydrator.sync_source.target_branch, "spec.sourceHydrator.syncSource.targetBranch is required"),
        (
            hydrator.hydrate_to is None or hydrator.hydrate_to.target_branch,
            f"when {branch} is set, {branch}.targetBranch is required",
        ),
    )
    malformed = tuple(_invalid(said) for given, said in asked if not given)
    if malformed:
        return _Faults(malformed, malformed=True)
    dry = hydrator.dry_source.repo_url
    synced = hydrator.sync_source.repo_url or dry
    found = []
    if not permits_source(project, dry):
        found.append(_invalid(source_refusal(project, dry)))
    if synced != dry and not permits_source(project, synced):
        found.append(_invalid(f"sync source repo {synced} is not permitted in project '{project.name}'"))
    return _Faults(tuple(found))


def _malformed_source(source: ApplicationSource, *, several: bool) -> ApplicationCondition | None:
    somewhere = source.path or source.chart or (several and source.ref)
    if not source.repo_url or not somewhere:
        if several:
            shown = encode(written(source)).decode()
            return _invalid(
                f"spec.source.repoURL and either source.path, source.chart, or source.ref are required for source {shown}"
            )
        return _invalid("spec.source.repoURL and either spec.source.path or spec.source.chart are required")
    if source.chart and not source.target_revision:
        return _invalid("spec.source.targetRevision is required if the manifest source is a helm chart")
    return None


def _destination_conditions(
    spec: ApplicationSpec, project: Project, clusters: Clusters
) -> Iterator[ApplicationCondition]:
    destination = spec.destination
    try:
        cluster: Cluster = clusters.resolve(destination)
    except (InvalidInput, NotFound) as fault:
        yield _invalid(fault.what)
        return
    if not permits_destination(project, cluster, destination.namespace, clusters.scoped):
        shown = cluster.name if destination.name else cluster.server
        yield _invalid(destination_refusal(project, shown, destination.namespace))


def _invalid(message: str) -> ApplicationCondition:
    return ApplicationCondition(type=INVALID_SPEC, message=message)
