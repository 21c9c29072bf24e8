"""What a look at an Application has found out so far. Each step adds to it and changes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.delivery.compare.comparer import Compared
from plumbline.delivery.compare.rules import Rules
from plumbline.delivery.destinations import Destination
from plumbline.delivery.facts import AppFacts
from plumbline.delivery.projects.project import Project
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.status import Condition, Summary
from plumbline.delivery.values import Desired, Observed
from plumbline.kinds.application import ApplicationSource, OperationState, ResourceStatus, RevisionHistory
from plumbline.kube.health import Status
from plumbline.kube.names import Ref
from plumbline.render.values import Values


class Target(NamedTuple):
    """What Git asks for, at one revision of each source."""

    sources: tuple[ApplicationSource, ...]
    revisions: tuple[str, ...]
    keys: tuple[str, ...]
    """Of what was rendered: targets with equal keys ask for the same."""
    source_types: tuple[str, ...]
    desired: tuple[Desired, ...]
    summary: Summary = Summary()
    conditions: tuple[Condition, ...] = ()
    repositories: tuple[Condition, ...] = ()
    """Those that cannot be asked just now."""
    values: Values | None = None
    """What it was rendered with besides what is in Git."""
    objection: str = ""
    """What the project demands of its sources and they lack: then it is there to be looked at, and nothing of it is used."""


class Comparison(NamedTuple):
    """A target beside what is there."""

    status: str
    resources: tuple[ResourceStatus, ...]
    health: Status
    health_message: str
    observed: Mapping[Ref, Observed]
    """Objects that are tracked as the application's, hooks among them, and those that Git names."""
    compared: Mapping[Ref, Compared]
    """Of those that are both there and in Git."""
    conditions: tuple[Condition, ...] = ()
    again_in_s: float | None = None
    """When what could not be compared is worth another try."""
    passing: bool = False
    """Whether it may be another the next time without a word: something could not be compared, or nobody watches it."""

    def in_sync(self, ref: Ref) -> bool:
        found = self.compared.get(ref)
        return found is not None and not found.differences and not found.failure


class Faring(NamedTuple):
    """How what is live of an application fares, whatever Git asks for."""

    health: Status
    message: str


class Operated(NamedTuple):
    """What became of the operation: *state* is how it stands now, *taken* whether its slot in the object is free again."""

    state: OperationState
    history: tuple[RevisionHistory, ...] | None = None
    taken: bool = False


@dataclass(frozen=True)
class At:
    facts: AppFacts
    settings: Settings
    project: Project
    destination: Destination
    rules: Rules
    target: Target | None = None
    comparison: Comparison | None = None
    operated: Operated | None = None
    broken: PlumblineError | None = None
    """Why nobody knows what Git asks for; the look ends with it once it is known how the application fares."""
    faring: Faring | None = None
    conditions: tuple[Condition, ...] = ()
    again_in_s: float | None = None
    """When to look again, where no event will say so."""
    waiting_for: str = ""
