"""From an application's sources to the objects that they ask for: resolve, read, render, prepare; each only if it must."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Tree
from plumbline.kinds.application import ApplicationSource
from plumbline.render.renderer import Renderer
from plumbline.render.requests import App, Capabilities, Rendered, Request, Settings
from plumbline.render.values import Values
from plumbline.source.git.objects import RawObject
from plumbline.source.git.values import Resolved
from plumbline.source.state import State


class Commits(Protocol):
    """Git repositories, as delivery uses them."""

    async def resolved(
        self, url: str, revision: str, *, project: str = "", tag_prefix: str = "", fresh: bool = False
    ) -> Resolved:
        """The commit that *revision* stands for, and the annotated tag that says so."""

    async def tree(self, url: str, sha: str, *, project: str = "") -> Tree: ...

    async def touched(self, url: str, before_sha: str, after_sha: str) -> frozenset[str] | None:
        """Paths that differ between two commits; None where that is not known."""

    async def raw(self, url: str, sha: str, *, project: str | None = None) -> RawObject: ...

    def state(self, url: str) -> State:
        """How the repository was last seen."""

    def lately(self, url: str) -> bool:
        """Whether it answered just now, and will be asked again in a moment."""


class Charts(Protocol):
    """Helm and OCI repositories, as delivery uses them."""

    async def resolve(self, url: str, chart: str, version: str, *, project: str = "", fresh: bool = False) -> str:
        """The version, or digest, that *version* stands for."""

    async def tree(
        self, url: str, chart: str, version: str, *, project: str = "", pass_credentials: bool = False
    ) -> Tree:
        """The chart; with *pass_credentials* also from hosts that have to be told who we are, though it is not theirs."""

    def lately(self, url: str) -> bool:
        """Whether it answered just now, and will be asked again in a moment."""


class Wanted(NamedTuple):
    """What is to be rendered, for whom."""

    sources: tuple[ApplicationSource, ...]
    revisions: tuple[str, ...]
    """Instead of the sources' own, where one is given for a source."""
    app: App
    capabilities: Capabilities
    settings: Settings
    fresh: bool = False
    """Ask the repositories now, whatever was heard from them before."""
    values: Values | None = None
    """From outside of Git and of the Application."""


class Located(NamedTuple):
    source: ApplicationSource
    revision: str
    tree: Tree
    commit: Resolved | None = None
    """None for charts."""


class Sourced(NamedTuple):
    """Everything that rendering needs, at hand."""

    revisions: tuple[str, ...]
    located: tuple[Located, ...]
    requests: tuple[Request, ...]
    keys: tuple[str, ...]
    """Equal keys mean equal manifests: whoever has rendered for these need not do it again."""
    values: Values | None = None
    values_unused: bool = False
    """There are values from outside, and none of the sources can take any."""


class Targets:
    def __init__(self, commits: Commits, charts: Charts, renderer: Renderer) -> None:
        self._commits = commits
        self._charts = charts
        self._renderer = renderer

    async def sourced(self, wanted: Wanted) -> Sourced:
        """Where the sources are now. Reads from mirrors and caches; no tool runs, but plugins may be asked what they want."""
        located = [await self._located(wanted, index) for index in range(len(wanted.sources))]
        refs = _refs(located)
        asked = [_request(wanted, each, refs) for each in located if renders(each.source)]
        requests = tuple([await self._renderer.claimed(each) for each in asked])
        revisions = tuple(each.revision for each in located)
        keys = tuple(self._renderer.key(each) for each in requests)
        unused = wanted.values is not None and keys == self._keys_without_values(requests)
        return Sourced(revisions, tuple(located), requests, keys, wanted.values, unused)

    def trouble(self, url: str) -> str:
        """What is wrong with a repository that could not be asked lately; empty if nothing is."""
        state = self._commits.state(url)
        if state.error is None:
            return ""
        since = (
            f"what it held at {rfc3339(state.succeeded_at)} is used" if state.succeeded_at else "nothing of it is known"
        )
        return f"{state.url} cannot be reached, {since}: {state.error}"

    def lately(self, sources: Sequence[ApplicationSource]) -> bool:
        """Whether all that is known of their repositories was said just now; these will be asked again in a moment."""
        sides = (self._charts if each.charted else self._commits for each in sources)
        return all(side.lately(each.repo_url) for side, each in zip(sides, sources, strict=True))

    async def rendered(self, sourced: Sourced) -> tuple[Rendered, ...]:
        return tuple([await self._renderer.render(each) for each in sourced.requests])

    def forget(self, sourced: Sourced) -> None:
        """Have it rendered anew when it is next wanted, whatever was made of the same files before."""
        for key in sourced.keys:
            self._renderer.forget(key)

    def _keys_without_values(self, requests: tuple[Request, ...]) -> tuple[str, ...]:
        """Whose keys are the same without them does not take them."""
        return tuple(self._renderer.key(msgspec.structs.replace(each, values=None)) for each in requests)

    async def _located(self, wanted: Wanted, index: int) -> Located:
        source = wanted.sources[index]
        asked = wanted.revisions[index] if index < len(wanted.revisions) else ""
        project, url = wanted.app.project, source.repo_url
        version = asked or source.target_revision
        if source.charted:
            revision = await self._charts.resolve(url, source.chart, version, project=project, fresh=wanted.fresh)
            passed = source.helm is not None and source.helm.pass_credentials
            tree = await self._charts.tree(url, source.chart, revision, project=project, pass_credentials=passed)
            return Located(source, revision, tree)
        prefix = "" if asked else source.tag_prefix
        found = await self._commits.resolved(url, version, project=project, tag_prefix=prefix, fresh=wanted.fresh)
        return Located(source, found.commit, await self._commits.tree(url, found.commit, project=project), found)


def _refs(located: Sequence[Located]) -> Mapping[str, Tree]:
    refs: dict[str, Tree] = {}
    named: set[str] = set()
    for each in located:
        name = each.source.ref
        if not name:
            continue
        if name in named:
            raise InvalidInput(f"Two sources are called {name}", hint="Give each a ref of its own.")
        named.add(name)
        if not each.source.chart:  # whoever refers to one of those is told that it cannot be
            refs[name] = each.tree
    return refs


def renders(source: ApplicationSource) -> bool:
    """A source that others only take files from renders nothing itself."""
    return not source.ref or bool(source.path or source.chart)


def _request(wanted: Wanted, located: Located, refs: Mapping[str, Tree]) -> Request:
    source = located.source
    app = msgspec.structs.replace(wanted.app, revision=located.revision, repo_url=source.repo_url)
    return Request(
        source=source,
        tree=located.tree,
        app=app,
        refs=refs,
        capabilities=wanted.capabilities,
        settings=wanted.settings,
        values=wanted.values,
    )
