"""Delivery's own rooms, asked one question. Nothing is written, neither to the cluster nor to what anybody remembers."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.tree import Tree
from plumbline.delivery.compare.foreseer import asking
from plumbline.delivery.facts import sources_of
from plumbline.delivery.integrity import Integrity
from plumbline.delivery.named import Named
from plumbline.delivery.projects.project import Project
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.handed import handed_over, refuse_unsigned, wants_signatures
from plumbline.delivery.steps.pins import held
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.state import At, Comparison, Target
from plumbline.delivery.steps.targeting import Asking, Targeting
from plumbline.delivery.targets import Charts, Commits, Located, Targets
from plumbline.delivery.valuesfrom import ValueSources
from plumbline.kernel.reconciler import Run
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus
from plumbline.kinds.read import read
from plumbline.kube.object import Object
from plumbline.render.renderer import Renderer
from plumbline.source.git.objects import RawObject
from plumbline.source.git.values import Resolved
from plumbline.source.state import State

_LOCAL: Final = "local"

Look = Run[ApplicationSpec, ApplicationStatus]


class Folder(Protocol):
    """A folder of manifests in a tree that may hold more: bases, charts, libraries."""

    @property
    def tree(self) -> Tree: ...

    @property
    def path(self) -> str | None:
        """Where they are in it; None where the tree is all of a repository, in which the application says where."""


class Wanted(NamedTuple):
    """The application, and what is asked for instead of what it says: revisions, or files at hand."""

    app: JsonObject
    revisions: tuple[str, ...] = ()
    folder: Folder | None = None
    fresh: bool = False
    server_side: bool | None = None
    """Whether the destination is asked what it would make of each object, whatever the application says about that."""
    by_hand: bool = False
    """Whether manifests at hand that it was last synced to count instead of Git, as they do in its status."""


class Found(NamedTuple):
    """A target beside what is there."""

    run: Look
    at: At
    target: Target
    comparison: Comparison


class Tools(NamedTuple):
    """What rendering takes."""

    commits: Commits
    charts: Charts
    renderer: Renderer
    keys: Callable[[], JsonObject | None]
    clock: Clock
    values: ValueSources
    integrity: Integrity | None = None
    """Whoever looks at signatures, if it is not the usual one."""

    def targeting(self) -> Targeting:
        integrity = self.integrity or Integrity(self.commits, self.keys, self.clock)
        targets = Targets(self.commits, self.charts, self.renderer)
        return Targeting(targets, integrity, Named(), self.clock, values=self.values)


class Looking:
    def __init__(self, ruling: Ruling, comparing: Comparing, tools: Tools) -> None:
        self.ruling = ruling
        self._comparing = comparing
        self._tools = tools

    async def target(self, wanted: Wanted) -> Target:
        """What is asked for. Raises what delivery would say in a condition."""
        run, at = await self._at(wanted.app)
        return await self._target(run, at, wanted)

    async def tried(self, run: Look, at: At) -> None:
        """Have the sources of an application rendered that nobody has written yet. Raises what keeps them from it."""
        await self._tools.targeting().tried(run, at)

    async def found(self, wanted: Wanted) -> Found:
        """What is asked for beside what is there, also where it lacks a signature: `target.objection` says so then."""
        app = wanted.app if wanted.server_side is None else asking(wanted.app, server_side=wanted.server_side)
        run, at = await self._at(app)
        target = await self._target(run, at, wanted, shown=True)
        return Found(run, at, target, await self._comparing.comparison(run, at, target))

    async def _at(self, app: JsonObject) -> tuple[Look, At]:
        run: Look = Run(read(APPLICATION, app), generation=0, deleting=False)
        return run, await self.ruling.ruled(run, None)

    async def _target(self, run: Look, at: At, wanted: Wanted, *, shown: bool = False) -> Target:
        sources, tools = sources_of(run.spec), self._tools
        if wanted.folder is not None:
            if len(sources) != 1:
                raise InvalidInput("files at hand cannot stand for several sources", why="--local is for one source")
            refuse_unsigned(at.project, sources)
            path = sources[0].path if wanted.folder.path is None else wanted.folder.path
            url = sources[0].repo_url.removeprefix("oci://")  # no registry is asked for what is at hand
            sources = (msgspec.structs.replace(sources[0], repo_url=url, path=path, chart="", target_revision=""),)
            commits = _AtHand(wanted.folder.tree)
            tools = tools._replace(commits=commits, integrity=_Unsigned(commits, tools.keys, tools.clock))
        # Somebody who went back stays there: then that is what a sync would sync.
        revisions = wanted.revisions or held(Object(run.object).annotations, tools.clock.now()).revisions
        targeting = tools.targeting()
        target = await targeting.target(run, at, sources, revisions, Asking(wanted.fresh, shown=shown))
        handed = handed_over(run) if wanted.by_hand and wanted.folder is None and not wanted.revisions else None
        if handed is None or wants_signatures(at.project, sources):
            return target
        return await targeting.local(run, at, target, handed.manifests)


class _Unsigned(Integrity):
    """Of files at hand, which have no commits. Whether what they stand for has to be signed was asked before."""

    async def objection(self, project: Project, located: Sequence[Located]) -> str:
        del project, located
        return ""


class _AtHand:
    """Files at hand, whatever repository and revision is asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    async def resolved(
        self, url: str, revision: str, *, project: str = "", tag_prefix: str = "", fresh: bool = False
    ) -> Resolved:
        del url, revision, project, tag_prefix, fresh
        return Resolved(_LOCAL)

    async def tree(self, url: str, sha: str, *, project: str = "") -> Tree:
        del url, sha, project
        return self._tree

    async def touched(self, url: str, before_sha: str, after_sha: str) -> frozenset[str] | None:
        del url, before_sha, after_sha
        return None

    async def raw(self, url: str, sha: str, *, project: str | None = None) -> RawObject:
        del url, sha, project
        raise NotFound("files at hand have no history")

    def state(self, url: str) -> State:
        return State(url)

    def lately(self, url: str) -> bool:
        del url
        return True
