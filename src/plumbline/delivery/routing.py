"""Who has to look again when something happened: from repositories, objects and settings to Applications. No IO."""

import sys
from collections.abc import Hashable, Iterable, Mapping
from typing import Final, NamedTuple, TypeVar

import msgspec

from plumbline.delivery.hydrations import Hydration, Hydrations
from plumbline.delivery.projects.project import DEFAULT
from plumbline.kernel.cache import Cached, Key
from plumbline.source.urls import mirror_key

T = TypeVar("T", bound=Hashable)

DEPENDS_ON: Final = "plumbline.dev/depends-on"


class _Source(msgspec.Struct, frozen=True, gc=False):
    repo_url: str = msgspec.field(name="repoURL", default="")
    path: str = ""


class _Branch(msgspec.Struct, frozen=True, gc=False):
    target_branch: str = msgspec.field(name="targetBranch", default="")
    repo_url: str = msgspec.field(name="repoURL", default="")
    path: str = ""


class _Dry(msgspec.Struct, frozen=True, gc=False):
    repo_url: str = msgspec.field(name="repoURL", default="")
    target_revision: str = msgspec.field(name="targetRevision", default="")
    path: str = ""


class _Hydrator(msgspec.Struct, frozen=True, rename="camel"):
    dry_source: _Dry = _Dry()
    sync_source: _Branch = _Branch()
    hydrate_to: _Branch | None = None

    def hydration(self, project: str) -> Hydration:
        synced, to = self.sync_source, self.hydrate_to or self.sync_source
        dry = (self.dry_source.repo_url, self.dry_source.target_revision)
        return Hydration.of(project, dry, (synced.repo_url, to.target_branch), synced.path)


class _Spec(msgspec.Struct, frozen=True):
    project: str = ""
    source: _Source | None = None
    sources: tuple[_Source, ...] = ()
    hydrator: _Hydrator | None = msgspec.field(name="sourceHydrator", default=None)


class _Application(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


_decoder: Final = msgspec.json.Decoder(_Application)


class Place(NamedTuple):
    """A folder of a repository that an application is rendered from."""

    repository: str
    path: str


class Routes:
    """Which applications use which repositories, and which depend on which. Follows the collection of Applications."""

    def __init__(self) -> None:
        self._places: dict[Key, tuple[Place, ...]] = {}
        self._users: dict[str, set[Key]] = {}
        self._dependents: dict[Key, set[Key]] = {}
        self._dependencies: dict[Key, tuple[Key, ...]] = {}
        self._projects: dict[Key, str] = {}
        self.hydrations = Hydrations()
        """Of applications whose manifests are written to a branch first."""

    def follow(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None:
            return
        key = present.meta.key
        if after is None:
            self._replace(key, (), ())
            self._projects.pop(key, None)
            self.hydrations.replace(key, None)
        elif before is None or before.meta.generation != after.meta.generation or _wants(before) != _wants(after):
            spec = _spec(after)
            self._projects[key] = sys.intern(spec.project or DEFAULT)
            self._replace(key, _places(spec), dependencies(after.meta.annotations, after.meta.namespace))
            self.hydrations.replace(key, _hydration(spec))

    def project(self, key: Key) -> str:
        """Of an application; empty for one that is not there."""
        return self._projects.get(key, "")

    def repositories(self) -> frozenset[str]:
        return frozenset(self._users)

    def users(self, repository: str) -> frozenset[Key]:
        return frozenset(self._users.get(repository, ()))

    def dependents(self, key: Key) -> frozenset[Key]:
        """Applications that wait for *key*."""
        return frozenset(self._dependents.get(key, ()))

    def cycle(self, key: Key) -> tuple[Key, ...]:
        """A way from *key* back to itself along what it depends on; empty where there is none."""
        way: list[Key] = []
        seen: set[Key] = set()

        def leads_back(at: Key) -> bool:
            for each in self._dependencies.get(at, ()):
                if each == key:
                    return True
                if each not in seen:
                    seen.add(each)
                    way.append(each)
                    if leads_back(each):
                        return True
                    way.pop()
            return False

        return (key, *way, key) if leads_back(key) else ()

    def nearest(self, repository: str, touched: Iterable[str] | None) -> tuple[frozenset[Key], frozenset[Key]]:
        """Users of *repository* whose folders are nearest to what was *touched*, and the others: those go first."""
        users = self.users(repository)
        if touched is None or not users:
            return frozenset(), users
        folders = {folder for path in touched for folder in _folders(path)}
        depths: Mapping[Key, int] = {key: self._depth(key, repository, folders) for key in users}
        deepest = max(depths.values())
        first = frozenset(key for key, depth in depths.items() if depth == deepest) if deepest else frozenset()
        return first, users - first

    def _depth(self, key: Key, repository: str, folders: set[str]) -> int:
        """How many parts of a path of the application lead towards something that was touched."""
        depth = 0
        for place in self._places.get(key, ()):
            if place.repository == repository:
                near = next((each for each in reversed(_folders(f"{place.path}/")) if each in folders), "")
                depth = max(depth, near.count("/") + 1 if near else 0)
        return depth

    def _replace(self, key: Key, places: tuple[Place, ...], depends_on: tuple[Key, ...]) -> None:
        if places == self._places.get(key, ()) and depends_on == self._dependencies.get(key, ()):
            return  # every status that is written makes a new generation
        _refiled(self._users, key, (each.repository for each in self._places.get(key, ())), (each.repository for each in places))  # fmt: skip
        _refiled(self._dependents, key, self._dependencies.get(key, ()), depends_on)
        self._places[key], self._dependencies[key] = places, depends_on
        if not places:
            del self._places[key]
        if not depends_on:
            del self._dependencies[key]


def dependencies(annotations: Mapping[str, str], namespace: str) -> tuple[Key, ...]:
    """What an Application waits for: NAME or NAMESPACE/NAME, separated by commas."""
    named = (each.strip() for each in annotations.get(DEPENDS_ON, "").split(","))
    return tuple((each.rpartition("/")[0] or namespace, each.rpartition("/")[2]) for each in named if each)


def _wants(entry: Cached) -> str:
    return entry.meta.annotations.get(DEPENDS_ON, "")


def _spec(entry: Cached) -> _Spec:
    try:
        return _decoder.decode(entry.raw).spec
    except msgspec.DecodeError:
        return _Spec()  # what is wrong with it, a look at it will say


def _hydration(spec: _Spec) -> Hydration | None:
    return None if spec.hydrator is None else spec.hydrator.hydration(spec.project or DEFAULT)


def _places(spec: _Spec) -> tuple[Place, ...]:
    if spec.hydrator is not None:
        dry, synced = spec.hydrator.dry_source, spec.hydrator.sync_source
        sources: tuple[_Source, ...] = (
            _Source(synced.repo_url or dry.repo_url, synced.path),
            _Source(dry.repo_url, dry.path),
        )
    else:
        sources = spec.sources or ((spec.source,) if spec.source is not None else ())
    return tuple(Place(mirror_key(each.repo_url), each.path.strip("/")) for each in sources)


def _folders(path: str) -> list[str]:
    """Every folder that *path* is in, the nearest last, without the root."""
    parts = [part for part in path.split("/")[:-1] if part not in {"", "."}]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _refiled(index: dict[T, set[Key]], key: Key, before: Iterable[T], after: Iterable[T]) -> None:
    for each in before:
        held = index.get(each)
        if held is not None:
            held.discard(key)
            if not held:
                del index[each]
    for each in after:
        index.setdefault(each, set()).add(key)
