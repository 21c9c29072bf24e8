"""Delivery's own rooms, set up for one question: what Git asks for, and how what is there differs.

Nothing is written: neither to the cluster nor to mirrors that somebody else uses.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, Forbidden, InvalidInput, TimedOut
from plumbline.base.evaluator import Evaluator
from plumbline.base.json import JsonObject
from plumbline.base.log import configure
from plumbline.base.tree import Tree
from plumbline.cli.applications.folders import Folder
from plumbline.cli.running import holding
from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.text import difference_text
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.facts import sources_of
from plumbline.delivery.installation import Installation
from plumbline.delivery.integrity import KEYS, Integrity
from plumbline.delivery.named import Named
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.pins import held
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.state import At, Comparison, Target
from plumbline.delivery.steps.targeting import Targeting
from plumbline.delivery.targets import Charts, Commits, Targets
from plumbline.delivery.valuesfrom import Reading, ValueSources
from plumbline.delivery.valuesfrom.discretion import veiled
from plumbline.forge.local import LocalForge
from plumbline.kernel.reconciler import Run
from plumbline.kernel.world import World, real_world
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus
from plumbline.kinds.read import read
from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import Object
from plumbline.render.directory import Directory
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.tools import Toolbox
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.git.objects import RawObject
from plumbline.source.git.values import Resolved, State
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import mirror_key

_MIRRORS: Final = "cli"
_FORGE: Final = "git"
_READY_S: Final = 60.0
_LOCAL: Final = "local"
Look = Run[ApplicationSpec, ApplicationStatus]


class Wanted(NamedTuple):
    """The application, and what is asked for instead of what it says: revisions, or files at hand."""

    app: JsonObject
    revisions: tuple[str, ...] = ()
    folder: Folder | None = None
    fresh: bool = False


class Found(NamedTuple):
    """A target beside what is there."""

    at: At
    target: Target
    comparison: Comparison


class _Tools(NamedTuple):
    """What rendering takes."""

    commits: Commits
    charts: Charts
    renderer: Renderer
    keys: Callable[[], JsonObject | None]
    clock: Clock
    values: ValueSources

    def targeting(self) -> Targeting:
        integrity = Integrity(self.commits, self.keys, self.clock)
        targets = Targets(self.commits, self.charts, self.renderer)
        return Targeting(targets, integrity, Named(), self.clock, values=self.values)


class Workshop:
    def __init__(self, ruling: Ruling, comparing: Comparing, tools: _Tools) -> None:
        self._ruling = ruling
        self._comparing = comparing
        self._tools = tools

    async def target(self, wanted: Wanted) -> Target:
        """What is asked for. Raises what delivery would say in a condition."""
        run, at = await self._at(wanted.app)
        return await self._target(run, at, wanted)

    async def found(self, wanted: Wanted) -> Found:
        run, at = await self._at(wanted.app)
        target = await self._target(run, at, wanted)
        return Found(at, target, await self._comparing.comparison(run, at, target))

    async def _at(self, app: JsonObject) -> tuple[Look, At]:
        run: Look = Run(read(APPLICATION, app), generation=0, deleting=False)
        return run, await self._ruling.ruled(run, None)

    async def _target(self, run: Look, at: At, wanted: Wanted) -> Target:
        sources, tools = sources_of(run.spec), self._tools
        if wanted.folder is not None:
            if len(sources) != 1:
                raise InvalidInput("files at hand cannot stand for several sources", why="--local is for one source")
            path = wanted.folder.path
            sources = (msgspec.structs.replace(sources[0], path=path, chart="", target_revision=""),)
            tools = tools._replace(commits=_AtHand(wanted.folder.tree))
        # Somebody who went back stays there: then that is what a sync would sync.
        revisions = wanted.revisions or held(Object(run.object).annotations, tools.clock.now()).revisions
        return await tools.targeting().target(run, at, sources, revisions, fresh=wanted.fresh)


async def differences(found: Found) -> list[tuple[Ref, str]]:
    """What applying the target would change, object by object, as text without a secret value."""
    desired = {each.ref: each for each in found.target.desired}
    told: list[tuple[Ref, str]] = []
    for each in sorted(found.comparison.resources, key=lambda each: (each.group, each.kind, each.namespace, each.name)):
        if each.status != "OutOfSync" or each.hook:
            continue
        ref = Ref(each.group, each.kind, each.namespace, each.name)
        wanted, observed, compared = (
            desired.get(ref),
            found.comparison.observed.get(ref),
            found.comparison.compared.get(ref),
        )
        shape = await found.at.destination.live.kinds.shape(GroupVersionKind(each.group, each.version, each.kind))
        text = difference_text(
            *veiled(
                wanted.object() if wanted is not None else None,
                observed.live.object() if observed is not None else None,
                found.target.values,
            ),
            shape,
            found.at.rules,
            *((compared.answers,) if compared is not None else ()),
        )
        if text:
            told.append((ref, text))
    return told


def manifests(found: Found, *, live: bool) -> list[JsonObject]:
    """Everything that is asked for, or that is there, with values of Secrets masked."""
    sensitive = found.at.rules.options.sensitive_annotations
    desired = {each.ref: each.object() for each in found.target.desired}
    present = {ref: each.live.object() for ref, each in found.comparison.observed.items()}
    shown: Iterable[tuple[Ref, JsonObject]] = present.items() if live else desired.items()
    pairs = (
        masked(*veiled(desired.get(ref), present.get(ref), found.target.values), sensitive)
        for ref, _ in sorted(shown, key=lambda item: item[0])
    )
    chosen = (there if live else asked for asked, there in pairs)
    return [_without_managers(each) for each in chosen if each is not None]


def _without_managers(obj: JsonObject) -> JsonObject:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


@asynccontextmanager
async def workshop(client: Client, namespace: str, data: Path) -> AsyncIterator[Workshop]:
    """*data* is the folder of this user's installation, which may hold repositories that stand for others."""
    configure(level="warning")  # what servers write down is not what people asked for
    world = real_world()
    installation = Installation(client, namespace, world)
    destinations = Destinations(client, lambda: installation.clusters, lambda: installation.settings.tracking, world)
    with ExitStack() as kept:
        folder = _mirrors(data, kept)
        async with Evaluator() as evaluator, asyncio.TaskGroup() as group:
            tasks = [group.create_task(installation.run()), group.create_task(destinations.run())]
            try:
                await _ready(installation)
                connect, values = _Connected(installation, data, world), ValueSources(Reading(client))
                tools = _tools(folder, installation, evaluator, connect, values)
                ruling = Ruling(installation, destinations)
                orphans = Orphans(lambda _: True, world.clock)
                yield Workshop(
                    ruling, Comparing(Comparer(evaluator), evaluator, orphans, ruling.scoped, names=Named()), tools
                )
            finally:
                for task in tasks:
                    task.cancel()


def _tools(
    folder: Path, installation: Installation, evaluator: Evaluator, connect: "_Connected", values: ValueSources
) -> _Tools:
    world = connect.world
    authorised, toolbox = _Authorised(world), Toolbox()
    return _Tools(
        GitSources(folder / "git", world, connect, authorised=authorised),
        ChartSources(folder / "charts", world, connect, authorised=authorised),
        Renderer(
            {"Directory": Directory(evaluator), "Kustomize": Kustomize(toolbox), "Helm": Helm(toolbox)}, world.clock
        ),
        lambda: installation.config_map(KEYS),
        world.clock,
        values,
    )


async def _ready(installation: Installation) -> None:
    try:
        async with asyncio.timeout(_READY_S):
            await installation.synced()
    except TimeoutError as late:
        raise TimedOut(
            f"the settings in namespace {installation.namespace} could not be read within {_READY_S:g} s",
            hint="Check that you may list ConfigMaps, Secrets and AppProjects there, and that the namespace is right.",
        ) from late


def _mirrors(data: Path, kept: ExitStack) -> Path:
    """A folder for mirrors that is ours alone while it is *kept*: the usual one, or another where that is in use."""
    try:
        kept.enter_context(holding(data / _MIRRORS))
    except AlreadyExists:
        return Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="plumb-")))
    return data / _MIRRORS / "mirrors"


class _Connected:
    """As whom we come to a repository, and where it really is: `plumb up` on the same folder may hold it."""

    def __init__(self, installation: Installation, data: Path, world: World) -> None:
        self.world = world
        self._installation = installation
        forge = LocalForge(data / _FORGE, world.ids)
        self._here = {mirror_key(url): path for url, path in forge.stands_for().items()}

    def __call__(self, url: str, project: str) -> Repository:
        known = self._installation.repositories.choose(url, project)
        here = self._here.get(mirror_key(url))
        return known if here is None else msgspec.structs.replace(known, stands_at=str(here))


class _Authorised:
    def __init__(self, world: World) -> None:
        self._tokens = InstallationTokens(world.clock)

    async def __call__(self, repository: Repository) -> Credentials:
        if repository.credentials.github_app is None:
            return repository.credentials
        return Credentials(username="x-access-token", password=await self._tokens.token(repository))


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
        raise Forbidden("files at hand are not used", why="the project wants them signed, and they are not committed")

    def state(self, url: str) -> State:
        return State(url)


def revisions_for(
    app: JsonObject, revision: str, revisions: Sequence[str], positions: Sequence[int]
) -> tuple[str, ...]:
    """One revision for each source, empty where the source's own is meant. Positions count from one."""
    count = len((app.get("spec") or {}).get("sources") or []) or 1
    if revision:
        return (revision,)
    chosen = [""] * count if revisions else []
    for position, each in zip(positions, revisions, strict=True):
        if not 1 <= position <= count:
            raise InvalidInput(
                f"there is no source at position {position}", why=f"it has {count}", hint="Positions count from 1."
            )
        chosen[position - 1] = each
    return tuple(chosen)
