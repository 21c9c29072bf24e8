"""Whether this Application may be at all, and where it goes: its project and its destination."""

from typing import Final, Literal

from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.delivery.compare.rules import KnownTypeField, Options, Override, Rules
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.facts import AppFacts
from plumbline.delivery.installation import Installation
from plumbline.delivery.projects.project import Project
from plumbline.delivery.projects.validation import invalid_conditions, project_of
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.status import skipped
from plumbline.delivery.steps.state import At
from plumbline.delivery.sync.options import parsed
from plumbline.kernel.reconciler import Run, reports
from plumbline.kinds.application import ApplicationCondition, ApplicationSpec, ApplicationStatus
from plumbline.kinds.appproject import ApplicationDestination

_REMEMBERED: Final = 4096
_STATUS: Final[dict[str, Literal["all", "crd", "none"]]] = {"all": "all", "crd": "crd", "none": "none"}


class Ruling:
    def __init__(self, installation: Installation, destinations: Destinations) -> None:
        self._installation = installation
        self._destinations = destinations
        self._rules: dict[tuple[object, ...], Rules] = {}
        self._rules_of: Settings | None = None
        """The settings that all of these are of."""

    def scoped(self, project: str) -> tuple[Cluster, ...]:
        """Clusters that are for one project only."""
        return self._installation.clusters.scoped(project)

    async def destined(self, run: Run[ApplicationSpec, ApplicationStatus]) -> None:
        """Raise InvalidInput or NotFound where there is no such destination."""
        await self._destinations.find(run.spec.destination)

    @reports("InvalidSpecError")
    async def ruled(self, run: Run[ApplicationSpec, ApplicationStatus], at: None) -> At:
        del at
        facts, project = self._facts(run), self._project(run)
        faults = invalid_conditions(run.spec, project, self._installation.clusters)
        if faults:
            raise InvalidInput("; ".join(fault.message for fault in faults))
        return await self._placed(run, facts, project)

    def permits(self, run: Run[ApplicationSpec, ApplicationStatus]) -> bool:
        """Whether its project permits what it says."""
        try:
            project = self._project(run)
        except (Forbidden, InvalidInput):
            return False
        return not invalid_conditions(run.spec, project, self._installation.clusters)

    async def leaving(self, run: Run[ApplicationSpec, ApplicationStatus]) -> At:
        """The same for one that is deleted: what its project does not permit any more, or it says wrong, keeps it no longer.

        What may be deleted with it is asked object by object.
        """
        return await self._placed(run, self._facts(run), self._project(run))

    def left_alone(self, destination: ApplicationDestination) -> bool:
        """Whether somebody wants everything left alone that goes to its cluster."""
        try:
            return skipped(self._installation.clusters.resolve(destination).annotations)
        except (InvalidInput, NotFound):
            return False

    def _facts(self, run: Run[ApplicationSpec, ApplicationStatus]) -> AppFacts:
        return AppFacts(run.read.ref.namespace, run.read.ref.name, self._installation.namespace)

    def _project(self, run: Run[ApplicationSpec, ApplicationStatus]) -> Project:
        installation, facts = self._installation, self._facts(run)
        if not installation.settings.applications_in(facts.namespace):
            raise Forbidden(
                f"Applications in namespace {facts.namespace} are not looked at", why="no setting allows it"
            )
        project = project_of(run.spec, facts.name, facts.namespace, installation.projects, installation.namespace)
        if isinstance(project, ApplicationCondition):
            broken = installation.unreadable_projects.get(run.spec.project or "default")
            raise InvalidInput(project.message, why=broken or "")
        return project

    async def _placed(self, run: Run[ApplicationSpec, ApplicationStatus], facts: AppFacts, project: Project) -> At:
        settings = self._installation.settings
        destination = await self._destinations.find(run.spec.destination)
        return At(facts, settings, project, destination, self._rules_for(run.spec, settings))

    def _rules_for(self, spec: ApplicationSpec, settings: Settings) -> Rules:
        """Applications with the same words have the same rules, worked out once."""
        if settings is not self._rules_of or len(self._rules) >= _REMEMBERED:
            self._rules.clear()
            self._rules_of = settings
        key = (spec.ignore_differences, _validating(spec))
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = rules_for(spec, settings)
        return found


def rules_for(spec: ApplicationSpec, settings: Settings) -> Rules:
    """What an application and its installation say about comparing."""
    said = settings.customizations
    overrides = {
        kind: Override(known_type_fields=tuple(KnownTypeField(each.field, each.type) for each in fields))
        for kind, fields in said.known_type_fields.items()
    }
    options = Options(
        ignore_aggregated_roles=settings.compare.ignore_aggregated_roles,
        ignore_status=_STATUS[settings.compare.ignore_resource_status_field],
        sensitive_annotations=settings.display.masked_annotations,
    )
    ignored = (*spec.ignore_differences, *said.ignored_differences)
    return Rules(ignored, overrides, options, settings.tracking, validating=_validating(spec))


def _validating(spec: ApplicationSpec) -> bool:
    policy = spec.sync_policy
    return policy is None or parsed(policy.sync_options).get("Validate") != "false"
