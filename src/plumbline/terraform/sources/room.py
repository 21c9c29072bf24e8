"""GitRepositories of a cluster, looked after: what moves is looked at, and what is gone is tidied away."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.source.git import Moved
from plumbline.source.urls import mirror_key
from plumbline.terraform.sources.accounts import Accounts, ReadSecret
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.fetching import Commits
from plumbline.terraform.sources.reconciler import Around, GitRepositoryReconciler
from plumbline.terraform.sources.sources import Local, Sources
from plumbline.terraform.sources.trees import Trees

WORKERS: Final = 16
"""Most of the time they wait for a network."""

_SECRETS: Final = GroupVersionResource("", "v1", "secrets")


class Parts(NamedTuple):
    client: Client
    world: World
    records: Records
    commits: Commits
    """The same that Applications use, told by `accounts` as whom GitRepositories come."""
    accounts: Accounts
    artifacts: Artifacts
    downloads: Downloads
    aside: Aside = in_a_thread


class GitRepositories:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        secret = secrets_of(parts.client)
        trees = Trees(parts.commits, parts.aside)
        local = Local(parts.accounts, parts.artifacts, trees, secret, parts.aside)
        self.sources = Sources(parts.client, parts.downloads, local)
        around = Around(
            parts.commits, parts.accounts, parts.artifacts, trees, self.sources, secret, parts.world.clock, parts.aside
        )
        cache = Cache(Relevance(status=False), {"repository": _repository, "included": _included})
        self.informer = Informer(
            parts.client, Target(GIT_REPOSITORY.resource), cache=cache, metrics=parts.world.metrics
        )
        reconciler = GitRepositoryReconciler(around)
        self.controller = Controller(reconciler, self.informer, parts.records, parts.world, party=_namespace)
        self.informer.subscribe(self._changed)

    async def run(self) -> None:
        async with task_group() as group:
            group.create_task(self.informer.run())
            group.create_task(self._settled())
            group.create_task(self.controller.run(WORKERS))

    def moved(self, moved: Moved) -> None:
        """A repository moved: whoever means something in it has a look."""
        for each in self.informer.cache.indexed("repository", moved.url):
            self.controller.wake(each.meta.key, Priority.DRIFT)

    def names(self, repository: str) -> bool:
        """Whether some object means something in *repository*, which is a key of `mirror_key`; or might, for all we know."""
        return not self.informer.complete or bool(self.informer.cache.indexed("repository", repository))

    async def _settled(self) -> None:
        await self.informer.synced()
        keys = self.informer.cache.keys()
        await self._parts.aside(lambda: self._parts.artifacts.settle(keys))

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        """Whoever includes a repository has a look when that has other files."""
        present = after or before
        if present is None or (before is not None and after is not None and before.status == after.status):
            return
        namespace, name = present.meta.key
        if _digest(before) != _digest(after):
            for each in self.informer.cache.indexed("included", f"{namespace}/{name}"):
                self.controller.wake(each.meta.key, Priority.DRIFT)


def secrets_of(client: Client) -> ReadSecret:
    async def read(namespace: str, name: str) -> JsonObject | None:
        try:
            return decode(await client.get(Target(_SECRETS, namespace, name)))
        except NotFound:
            return None

    return read


def _namespace(key: Key) -> str:
    """Whose an object is: that of whoever may write there."""
    return key[0]


def _spec(entry: Cached) -> JsonObject:
    found = entry.object().get("spec")
    return found if isinstance(found, dict) else {}


def _repository(entry: Cached) -> Iterator[str]:
    url = str(_spec(entry).get("url", ""))
    yield mirror_key(url)
    if url.startswith("ssh://") and "@" not in url:
        yield mirror_key(url.replace("://", "://git@", 1))


def _included(entry: Cached) -> Iterator[str]:
    for each in _spec(entry).get("include") or ():
        yield f"{entry.meta.namespace}/{each['repository']['name']}"


def _digest(entry: Cached | None) -> str:
    status = entry.object().get("status") if entry is not None else None
    artifact = status.get("artifact") if isinstance(status, dict) else None
    return str(artifact.get("digest", "")) if isinstance(artifact, dict) else ""
