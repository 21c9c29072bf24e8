"""The applications of one group, read, and what keeps some of them from being hydrated at all."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.delivery.facts import generate_paths, project_of
from plumbline.delivery.hydrating.needs import Asked, Need, asked, need
from plumbline.delivery.hydrating.paths import folder, named
from plumbline.delivery.hydrations import Group
from plumbline.delivery.status import HYDRATE, REFRESH
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.state import At
from plumbline.delivery.valuesfrom import VALUES_FROM
from plumbline.kernel.cache import Key
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus
from plumbline.kinds.application.sources import SourceHydrator
from plumbline.kinds.read import read
from plumbline.kube.object import Object

Look = Run[ApplicationSpec, ApplicationStatus]


class Member(NamedTuple):
    key: Key
    run: Look
    hydrator: SourceHydrator

    @property
    def name(self) -> str:
        return named(self.key)

    @property
    def project(self) -> str:
        return project_of(self.run.spec)

    @property
    def asked(self) -> Asked:
        """Who asks for a look at the application means where it comes from too."""
        annotations = Object(self.run.object).annotations
        return asked(annotations.get(HYDRATE, annotations.get(REFRESH)))

    @property
    def generate_paths(self) -> tuple[str, ...]:
        return generate_paths(Object(self.run.object).annotations)

    def is_behind(self, dry_sha: str) -> bool:
        """Whether its status says another commit than *dry_sha*, where that is known and was of interest."""
        last = self.run.read.status.source_hydrator.last_compared_dry_revision
        return bool(dry_sha) and bool(last) and last != dry_sha

    def need(self, now: datetime) -> Need:
        return need(self.hydrator, self.run.read.status.source_hydrator, self.asked, now)


class Ruled(NamedTuple):
    """A member that may be hydrated, and where to."""

    member: Member
    at: At
    path: str


def member(key: Key, obj: JsonObject) -> Member | None:
    """None for what cannot be read, or is hydrated no longer."""
    try:
        run: Look = Run(read(APPLICATION, obj), generation=0, deleting=False)
    except PlumblineError:
        return None  # a look at it says what is wrong
    hydrator = run.spec.source_hydrator
    return None if hydrator is None else Member(key, run, hydrator)


async def ruled(
    members: list[Member], group: Group, crowded: Mapping[Key, PlumblineError], ruling: Ruling
) -> list[Ruled] | dict[Key, str]:
    """All of them, or what is wrong with those that are wrong: a commit is for all of a group or for none.

    *crowded* are those whose folder is another's too.
    """
    found: list[Ruled] = []
    faults: dict[Key, str] = {}
    for each in members:
        try:
            found.append(await _ruled(each, group, ruling))
            if each.key in crowded:  # said only to those who may write there at all
                raise crowded[each.key]
        except PlumblineError as error:
            faults[each.key] = str(error)
    return faults or found


async def _ruled(each: Member, group: Group, ruling: Ruling) -> Ruled:
    path = folder(each.hydrator.sync_source.path, group.branch)
    if VALUES_FROM in Object(each.run.object).annotations:
        raise InvalidInput(
            f"the annotation {VALUES_FROM} does not go with sourceHydrator",
            why="values that are kept out of Git would be written to it",
        )
    return Ruled(each, await ruling.ruled(each.run, None), path)
