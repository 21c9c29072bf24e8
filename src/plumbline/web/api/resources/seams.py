"""What these endpoints are given."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from plumbline.base.tree import Tree
from plumbline.delivery.actions.acting import Lua
from plumbline.delivery.compare.comparer import Jq
from plumbline.delivery.destinations import Destination
from plumbline.delivery.looks import Found, Wanted
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.steps.state import Target
from plumbline.gate.gate import Gate
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.source.git.values import Commit
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import Links
from plumbline.web.api.rights import Asker

T = TypeVar("T")


class Places(Protocol):
    """Clusters that applications are deployed to (`delivery.destinations`)."""

    async def find(self, wanted: ApplicationDestination) -> Destination: ...


class Rendering(Protocol):
    """Where delivery runs: what Git asks for, and how what is there differs (`delivery.looks.Looking`)."""

    async def target(self, wanted: Wanted) -> Target: ...

    async def found(self, wanted: Wanted) -> Found: ...


class Commits(Protocol):
    """Git repositories (`source.git.GitSources`)."""

    async def commit(self, url: str, sha: str, *, project: str | None = None) -> Commit: ...


class Charts(Protocol):
    """Repositories of charts (`source.charts.ChartSources`)."""

    async def tree(self, url: str, chart: str, version: str, *, project: str = "") -> Tree: ...


class Elsewhere(Protocol):
    """Runs what blocks where it holds nobody up."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]: ...


@dataclass(frozen=True, slots=True)
class Origins:
    """Where revisions are described."""

    commits: Commits
    charts: Charts


def _nowhere() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    desk: Desk
    destinations: Places
    gate: Gate
    lua: Lua
    jq: Jq
    links: Links
    still_valid: Callable[[Asker], Awaitable[bool]]
    """Whether who asked a while ago would still be who they were."""
    rendering: Callable[[], Rendering | None] = _nowhere
    """None where this replica does not render."""
    elsewhere: Elsewhere = asyncio.to_thread
    origins: Callable[[], Origins | None] = _nowhere

    def scoped(self, project: str) -> Iterable[Cluster]:
        """Clusters that are for one project only."""
        return self.desk.installation.clusters.scoped(project)
