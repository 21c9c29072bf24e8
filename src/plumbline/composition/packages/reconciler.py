"""A look at a Provider, Function or Configuration: whether something here does what the package would do.

Nothing is fetched and none of a package's programs is run. What is served says so in the words of upstream's conditions, and
what is not says what to do about it.
"""

from typing import Any, Final, NamedTuple

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.json import JsonObject
from plumbline.composition.definitions.reporting import condition, status_patch
from plumbline.composition.definitions.writing import Hands
from plumbline.composition.packages.revisions import PACKAGE_LABEL, Plan, plan_revisions
from plumbline.composition.packages.values import Activate, PackageKind, Served, Serving, repository_of
from plumbline.gate.gate import Gate
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done, Stuck
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kinds.crossplane.packages import (
    CONFIGURATION,
    CONFIGURATION_REVISION,
    FUNCTION,
    FUNCTION_REVISION,
    PROVIDER,
    PROVIDER_REVISION,
    ConfigurationSpec,
    PackageStatus,
)
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target

Look = Run[ConfigurationSpec, PackageStatus]

UNSERVED: Final = "UnservedPackage"
_KINDS: Final[dict[PackageKind, tuple[Kind[Any, PackageStatus], Kind[Any, Any]]]] = {
    "Provider": (PROVIDER, PROVIDER_REVISION),
    "Function": (FUNCTION, FUNCTION_REVISION),
    "Configuration": (CONFIGURATION, CONFIGURATION_REVISION),
}
_ADVICE: Final[dict[PackageKind, str]] = {
    "Provider": "Its kinds are not served here; leave them to a Crossplane that runs it, or use a provider that is built in",
    "Function": "Pipelines that name it cannot run; use a function that is built in, or give the address of one that runs",
    "Configuration": "Packages are not fetched here; keep the definitions and compositions that it holds in Git",
}
_HEALTHY: Final = "HealthyPackageRevision"


class At(NamedTuple):
    served: Served
    plan: Plan


class PackageReconciler(Reconciler[Any, PackageStatus]):
    """One for each of the three kinds."""

    def __init__(self, package: PackageKind, client: Client, gate: Gate, clock: Clock, serving: Serving) -> None:
        self.kind, self._revisions = _KINDS[package]
        self.name = package.lower()
        self.activate: Activate | None = None
        """For what a package brings besides itself."""
        self._package = package
        self._serving = serving
        self._hands = Hands(gate, client)
        self._clock = clock
        self.steps = (self.known, self.revised, self.activated, self.reported)

    async def known(self, run: Look, at: None) -> Served | Stuck:
        del at
        served = self._serving(run.spec.package, self._package)
        if served is None:
            repository = repository_of(run.spec.package)
            return Stuck(UNSERVED, f"Nothing here stands in for {repository}. {_ADVICE[self._package]}")
        return served

    async def revised(self, run: Look, at: Served) -> At | Stuck:
        label = f"{PACKAGE_LABEL}={run.read.ref.name}"
        live = await self._hands.list(Target(self._revisions.resource), label)
        plan = plan_revisions({**run.object, "kind": self._package}, live)
        why = f"Keep the revisions of {run.read.ref.name}"
        for revision in plan.changed:
            await self._hands.replace(self._target(revision), _unread(revision), run.object, why)
        for revision in plan.old:
            await self._hands.delete(self._target(revision), revision, run.object, why)
        if plan.new is not None and await self._hands.create(self._target(plan.new), plan.new, run.object, why) is None:
            return Stuck("Observed", f"This installation only observes {run.read.ref.name}")
        return At(at, plan)

    async def activated(self, run: Look, at: At) -> At:
        del run
        if at.plan.active and self.activate is not None:
            await self.activate(at.served)
        return at

    async def reported(self, run: Look, at: At) -> At:
        """The revision says how it is, as the package does."""
        del run
        target = Target(self._revisions.resource, name=at.plan.name)
        live = await self._hands.find(target)
        if live is None:
            return at
        generation = live["metadata"].get("generation") or 0
        fields: JsonObject = {"capabilities": list(at.served.capabilities)} if at.served.capabilities else {}
        types = ("Healthy", "RevisionHealthy") if self._package == "Configuration" else ("Healthy", "RevisionHealthy", "RuntimeHealthy")  # fmt: skip
        conditions = [condition(each, "True", _HEALTHY, generation=generation) for each in types]
        change = status_patch(live, conditions, rfc3339(self._clock.now()), fields=fields)
        if change:
            await self._hands.patch(target._replace(subresource="status"), live, change, "Say how the revision is")
        return at

    def change(self, seen: Seen[Any, PackageStatus], executed: Executed, now: str) -> Change:
        obj, outcome = seen.object, executed.reported.outcome
        generation = obj["metadata"].get("generation") or 0
        if isinstance(outcome, Done) and isinstance(executed.state, At):
            return self._installed(obj, executed.state, now)
        if isinstance(outcome, Done):
            return Change({})
        told = outcome.message
        conditions = (
            condition("Installed", "False", "UnpackingPackage", told, generation),
            condition("Healthy", "False", "UnhealthyPackageRevision", told, generation),
        )
        patch = status_patch(obj, conditions, now)
        return Change(patch, (Event("InstallPackageRevision", told, warning=True),) if patch else ())

    def _installed(self, obj: JsonObject, at: At, now: str) -> Change:
        generation, package = obj["metadata"].get("generation") or 0, obj["spec"]["package"]
        fields: JsonObject = {
            "currentRevision": at.plan.name,
            "currentIdentifier": package,
            "resolvedPackage": package,
        }
        patch = status_patch(obj, _conditions(at, generation), now, fields=fields)
        known = (obj.get("status") or {}).get("currentRevision") == at.plan.name
        news = Event("InstallPackageRevision", f"{at.served.name} stands in for {repository_of(package)}")
        return Change(patch, () if known or not at.plan.active else (news,))

    def _target(self, revision: JsonObject) -> Target:
        return Target(self._revisions.resource, name=revision["metadata"]["name"])


def package_of(revision: Cached) -> Key | None:
    """The package that a revision is of: it wants a look when the revision changes."""
    name = revision.meta.labels.get(PACKAGE_LABEL)
    return ("", name) if name else None


def _conditions(at: At, generation: int) -> tuple[Condition, Condition]:
    healthy = condition("Healthy", "True", _HEALTHY, generation=generation)
    if at.plan.active:
        return condition("Installed", "True", "ActivePackageRevision", generation=generation), healthy
    told = f"Set desiredState of {at.plan.name} to Active to use it"
    return condition("Installed", "False", "InactivePackageRevision", told, generation), healthy


def _unread(revision: JsonObject) -> JsonObject:
    metadata = {key: value for key, value in revision["metadata"].items() if key != "managedFields"}
    return {**revision, "metadata": metadata}
