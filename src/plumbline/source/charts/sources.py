"""Everything that others need from repositories of charts: what a version means, and the files of a chart.

An index, or a list of tags, is asked for once for all who use it; an archive is fetched once, and kept under its digest.
What is known stays usable while the other side is not there.
"""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from plumbline.base.errors import GarbledReply, InvalidInput, NotFound
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree
from plumbline.base.versions import is_version
from plumbline.kernel.world import World
from plumbline.source.charts.archives import Unpacked, chart_of, unpacked
from plumbline.source.charts.digests import is_digest
from plumbline.source.charts.helm import HelmRemote
from plumbline.source.charts.index import Index, named
from plumbline.source.charts.kept import Kept
from plumbline.source.charts.lines import Lines
from plumbline.source.charts.listed import Listed
from plumbline.source.charts.metrics import OciMetrics
from plumbline.source.charts.oci import OciRemote, Place, Tools
from plumbline.source.charts.reaching import reach
from plumbline.source.charts.references import Reference, digest_for, version_for
from plumbline.source.charts.registry import Registry, content_layer
from plumbline.source.charts.store import Store
from plumbline.source.charts.trees import Archive, Trees
from plumbline.source.charts.values import MEDIA_TYPES, Moved, Pace
from plumbline.source.charts.wire import Ask, Wire
from plumbline.source.followed import Followed
from plumbline.source.lending import Permits, anything
from plumbline.source.polls import Polled, Polls
from plumbline.source.reach import Reach
from plumbline.source.repository import ANONYMOUS, Authorised, Connect, Repository, as_given
from plumbline.source.rhythm import Rhythm
from plumbline.source.state import State
from plumbline.source.urls import checked, host_of, mirror_key, redacted

log = logger(__name__)

T = TypeVar("T")

_OCI: Final = "oci://"
_FILE_BYTES: Final = 10 << 20
_key = lru_cache(maxsize=8192)(mirror_key)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What may be set beside the pace."""

    permits: Permits = anything
    """Asked about what no Application names, and for which there are credentials."""

    media_types: frozenset[str] = MEDIA_TYPES
    """Of layers that are read from registries."""
    seal: Plaintext | None = None
    """Seals what lies on disk and has no digest of its own. Without one it is made, and lies there as well."""


class ChartSources(Polled[Moved]):
    """Archives and indexes live in *folder*, which no other process may use. `run` polls; all else works without it."""

    def __init__(
        self,
        folder: Path,
        world: World,
        connect: Connect,
        *,
        authorised: Authorised = as_given,
        pace: Pace | None = None,
        options: Options | None = None,
    ) -> None:
        pace = pace or Pace()
        self._options = options or Options()
        self._store = Store(folder.absolute() / "archives")
        self._kept = Kept(folder.absolute() / "indexes", self._options.seal)
        self._trees = Trees(self._store, world.clock, pace.downloads)
        self._repositories: dict[str, Followed[HelmRemote]] = {}
        self._registries: dict[str, Followed[OciRemote]] = {}
        rhythm = Rhythm(pace.poll_s, pace.jitter_s)
        super().__init__(Polls(world, pace.lanes, rhythm, self._repositories, self._registries))
        self._shared = self._polls.shared(connect)
        self._authorised = authorised
        self.wire = Wire(pace.deadline_s, pace.quiet_s)
        self._metrics = OciMetrics(world.metrics.registry, world.clock)
        self._tools = Tools(Lines(self.wire, authorised), self._store, world.clock, self._moved, self._metrics)
        self._settling = asyncio.Lock()
        self._settled = False

    def refresh(self, url: str) -> None:
        """Something was pushed there, somebody says: ask now. Of many calls in a row one or two are heard."""
        for followed in self._at(url):
            self._polls.refresh(followed.key)

    def state(self, url: str) -> State:
        """How a repository was last seen; of several charts in a registry, the one that fares worst."""
        states = [followed.state for followed in self._at(url)]
        if not states:
            return State(redacted(url))
        worst = max(states, key=lambda state: state.failures)
        return worst._replace(known=sum(state.known for state in states))

    def lately(self, url: str) -> bool:
        """Whether it answered just now, and will be asked again in a moment."""
        found = self._at(url)
        return bool(found) and all(each.lately() for each in found)

    async def resolve(self, url: str, chart: str, version: str, *, project: str = "", fresh: bool = False) -> str:
        """The version that *version* means, as last seen; with *fresh*, as it is now. No version means the newest.

        A digest for what an OCI address names without a chart. Use the answer for all that follows: a second question
        may have another one.
        """
        repository = _connected(self._shared.connect, chart, url, project)
        if _in_registry(url, repository):
            seek = version_for if chart else digest_for
            return await seek(Reference(await self._registry(url, chart, repository), version), project, fresh=fresh)
        followed = await self._helm(url, chart)
        if is_version(version) and not fresh:
            return version
        await self._indexed(followed, project, fresh=fresh)
        return await _sought(followed, repository, chart, lambda index: index.resolved(chart, version), version)

    async def tree(
        self, url: str, chart: str, version: str, *, project: str = "", pass_credentials: bool = False
    ) -> Tree:
        """The files of a chart, with Chart.yaml at the root, or those of an OCI artefact. The same object for all.

        With *pass_credentials* other hosts, to which an index points for its archives, are told who we are as well.
        """
        repository = _connected(self._shared.connect, chart, url, project)
        if _in_registry(url, repository):
            return await self._pulled(Reference(await self._registry(url, chart, repository), version), chart, project)
        followed = await self._helm(url, chart)
        await self._indexed(followed, project, fresh=False)
        listed = await _sought(followed, repository, chart, lambda index: index.listed(chart, version), version)
        if listed.urls and listed.urls[0].startswith(_OCI):
            return await self._elsewhere(followed, listed, project)
        return await self._downloaded(followed, _passing(repository) if pass_credentials else repository, chart, listed)

    async def reach(self, repository: Repository, *, within_s: float) -> None:
        """Ask the other side as *repository* says, whoever else is known there, and keep nothing of it."""
        lines = Lines(Wire(within_s, within_s), self._authorised)
        registry = _in_registry(repository.url, repository)
        counted = self._metrics.question(redacted(repository.url), "test-repo") if registry else nullcontext()
        with counted:
            await reach(lines, repository, registry=registry)

    async def dependency(
        self, url: str, name: str, version: str, *, project: str = "", pass_credentials: bool = False
    ) -> Tree:
        """A chart that another one wants beside itself; *version* may be a constraint."""
        found = await self.resolve(url, name, version, project=project)
        return await self.tree(url, name, found, project=project, pass_credentials=pass_credentials)

    async def file(self, address: str, *, beside: str, project: str = "", limit_bytes: int = _FILE_BYTES) -> bytes:
        """What anybody gets at *address*: no credentials are shown there.

        It was not an operator who chose the address. So it has to be public, or in a network of the same kind as the
        repository *beside* which it is named.
        """
        what = f"Cannot read {redacted(address)}"
        if urlsplit(checked(address)).scheme.lower() not in {"http", "https"}:
            raise InvalidInput(what, why="files are fetched by https and http alone")
        known = self._shared.connect(address, project)
        anybody = msgspec.structs.replace(known, credentials=ANONYMOUS)
        own_url = f"https://{host_of(beside if '://' in beside or '@' in beside else _OCI + beside)}/"
        async with self._tools.lines.line(anybody, own_url, what) as line:
            return (await line.ask(Ask(address, limit_bytes))).body

    def _at(self, url: str) -> list[Followed[HelmRemote] | Followed[OciRemote]]:
        base = _key(url)
        found: list[Followed[HelmRemote] | Followed[OciRemote]] = [*self._repositories.values()]
        found += self._registries.values()
        return [followed for followed in found if followed.remote.base == base]

    async def _helm(self, url: str, chart: str) -> Followed[HelmRemote]:
        if not named(chart):
            raise _misnamed(url, chart)
        key = _key(url)
        followed = self._repositories.get(key)
        if followed is None:
            await self._settle()
            await self._polls.left(key)
            remote = HelmRemote(key, url, self._kept, self._tools.lines, self._moved)
            followed = self._repositories.setdefault(key, Followed(key, url, remote, self._shared))
        return followed

    async def _registry(self, url: str, chart: str, repository: Repository) -> Followed[OciRemote]:
        base = _key(url)
        key = f"{base} {chart} {'plainly' if repository.plain_http else ''}"
        followed = self._registries.get(key)
        if followed is None:
            if not (named(chart) if chart else url.startswith(_OCI)):
                raise _misnamed(url, chart)
            await self._settle()
            await self._polls.left(key)
            whole = f"{url.rstrip('/')}/{chart}" if chart else url
            registry = Registry(whole, self._tools.clock, plain_http=repository.plain_http)
            remote = OciRemote(Place(base, chart, f"Cannot read {redacted(url)}"), registry, self._tools)
            shared = self._shared._replace(connect=partial(_connected, self._shared.connect, chart))
            followed = self._registries.setdefault(key, Followed(key, url, remote, shared))
        return followed

    async def _settle(self) -> None:
        """Make the folders ready, without what a killed process left there."""
        async with self._settling:
            if not self._settled:
                await asyncio.to_thread(self._store.settle)
                await asyncio.to_thread(self._kept.settle)
                self._settled = True

    async def _indexed(self, followed: Followed[HelmRemote], project: str, *, fresh: bool) -> None:
        """Once there is an index, and *project* may read it."""
        if fresh:
            await followed.renewed(project)
            followed.remote.contents.clear()
        else:
            await followed.admitted(project)

    async def _downloaded(
        self, followed: Followed[HelmRemote], repository: Repository, chart: str, listed: Listed
    ) -> Tree:
        """From where the index says. Without a digest there, the one of what came the first time holds."""
        remote = followed.remote

        async def fetch() -> bytes:
            async with remote.line(repository) as line:
                return await remote.archive(line, listed)

        place = " ".join((followed.key, chart, listed.version, *listed.urls))
        digest = listed.digest or await self._trees.learned(place, remote.contents, fetch, of=remote.base)
        try:
            return await self._trees.tree(
                Archive(remote.base, f"{digest} {chart}", digest, fetch, partial(_chart, chart))
            )
        except GarbledReply:
            remote.contents.pop(place, None)
            raise

    async def _elsewhere(self, followed: Followed[HelmRemote], listed: Listed, project: str) -> Tree:
        """An index may point into a registry, with name and tag. Whoever reads there comes as settings have it."""
        what = f"Cannot read {redacted(followed.url)}"
        address, _, tag = listed.urls[0].rpartition(":")
        where, _, name = address.rpartition("/")
        if "/" in tag or not name:
            raise InvalidInput(what, why=f"its index names no tag in a registry for {listed.version}")
        try:
            await Reach(host_of(followed.remote.own_url)).permits(host_of(checked(where)))
        except OSError as away:
            raise InvalidInput(what, why=f"its index names a registry that is not reached from there: {away}") from away
        lent = _connected(self._shared.connect, name, where, project).credentials != ANONYMOUS
        if lent and not any(self._options.permits(each, project) for each in _spelt(where, address)):
            why = f"its index names {redacted(where)}, for which there are credentials, and which project {project} does not permit"
            raise InvalidInput(what, why=why, hint=f"Permit {redacted(where)} as a source of the project.")
        return await self.tree(where, name, tag.replace("_", "+"), project=project)

    async def _pulled(self, wanted: Reference, chart: str, project: str) -> Tree:
        repository, digest = await wanted.pinned(project, chart=chart)
        registry = wanted.remote.registry
        what = f"Cannot read {redacted(wanted.followed.url)}{chart and '/'}{chart}"

        async def manifest() -> bytes:
            with self._metrics.question(wanted.remote.repo, "digest-metadata", digest):
                async with wanted.remote.line(repository) as line:
                    found = await registry.manifest(line, digest)
                if found is None:
                    raise NotFound(what, why=f"the registry has no {digest}")
                return found[1]

        place = wanted.remote.kept_as
        body = await self._trees.content(place, digest, manifest)
        described, layer = content_layer(body, what, self._options.media_types)

        async def blob() -> bytes:
            with self._metrics.question(wanted.remote.repo, "extract", digest):
                async with wanted.remote.line(repository) as line:
                    return await registry.blob(line, layer)

        if not is_digest(layer.digest):
            raise InvalidInput(what, why="its manifest does not say which content it has")
        if described.helm:
            name = chart or registry.name
            return await self._trees.tree(
                Archive(place, f"{layer.digest} {name}", layer.digest, blob, partial(_chart, name))
            )
        unpack = partial(unpacked, compressed=not layer.media_type.endswith("tar"))
        return await self._trees.tree(Archive(place, f"{layer.digest} {layer.media_type}", layer.digest, blob, unpack))

    def _moved(self, moved: Moved) -> None:
        log.info("charts moved", repo=moved.url, charts=len(moved.charts))
        self._polls.tell(moved)


def _chart(name: str, content: bytes) -> Unpacked:
    return chart_of(unpacked(content), name)


def _passing(repository: Repository) -> Repository:
    credentials = msgspec.structs.replace(repository.credentials, pass_to_others=True)
    return msgspec.structs.replace(repository, credentials=credentials)


def _connected(connect: Connect, chart: str, url: str, project: str) -> Repository:
    """As settings have it for the address; in a registry also for its other spelling, and for that of the chart itself."""
    own = connect(url, project)
    if not _in_registry(url, own):
        return own
    whole = f"{url.rstrip('/')}/{chart}" if chart else url
    found = (own if place == url else connect(place, project) for place in _spelt(url, whole))
    known = next((each for each in found if each.credentials != ANONYMOUS or each.plain_http), own)
    return known if known is own else msgspec.structs.replace(known, url=url, oci=True)


def _spelt(*urls: str) -> dict[str, None]:
    """In every spelling, each once."""
    return dict.fromkeys(each for url in urls for each in (url, _respelt(url)))


def _respelt(url: str) -> str:
    """Some write the address of a registry without its scheme."""
    return url.removeprefix(_OCI) if url.startswith(_OCI) or "://" in url else f"{_OCI}{url}"


def _in_registry(url: str, repository: Repository) -> bool:
    return repository.oci or url.startswith(_OCI) or "://" not in url


async def _sought(
    followed: Followed[HelmRemote], repository: Repository, chart: str, find: Callable[[Index], T | None], version: str
) -> T:
    """What *find* finds in the index; where that is nothing, in one that is asked for now."""
    found = find(followed.remote.index)
    if found is None and await followed.look_again(repository):
        found = find(followed.remote.index)
    if found is None:
        raise _unresolved(followed.url, chart, version, len(followed.remote.index.versions(chart)))
    return found


def _misnamed(url: str, chart: str) -> InvalidInput:
    return InvalidInput(f"Cannot read {redacted(url)}", why=f"{chart[:250]!r} is not the name of a chart")


def _unresolved(url: str, chart: str, version: str, count: int) -> NotFound:
    what = f"Cannot find {chart} {version or 'at all'} in {redacted(url)}"
    if not count:
        return NotFound(what, why="there is no such chart", hint="Check the spelling; names are case-sensitive.")
    return NotFound(what, why=f"it is none of its {count} versions, and no constraint that one of them meets")
