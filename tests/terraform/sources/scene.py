"""GitRepositories on a control plane in this process: with real repositories, or with ones that exist in memory only."""

import asyncio
import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache

import msgspec

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tree import MemoryTree
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.installing import installed
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.records import ClientRecords
from plumbline.kernel.world import World
from plumbline.kinds.flux import FLUX_KINDS
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.source.git import GitSources, Moved, Pace, RawObject, Resolved, State
from plumbline.source.repository import Repository
from plumbline.source.urls import mirror_key
from plumbline.terraform.sources.accounts import Accounts
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.room import GitRepositories, Parts

URL = "https://forge.example/team/app.git"
BASE = "http://plumbline.example/artifacts"
BY_HAND = Writing(field_manager="kubectl", force=True)
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
SECRETS = GroupVersionResource("", "v1", "secrets")


def repository(name="app", namespace="shop", annotations=None, **spec):
    return {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations or {}},
        "spec": {"url": URL, "interval": "10m", "ref": {"branch": "main"}, **spec},
    }


def secret(name, namespace="shop", **content):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "stringData": {key.replace("__", "."): value for key, value in content.items()},
    }


async def inline(work, /):
    """Virtual time knows no threads."""
    return work()


class Memory:
    """Repositories that are in memory: what `GitSources` would say of them, and how often it was asked."""

    def __init__(self, clock):
        self._clock = clock
        self.refs_of = {}
        self.trees = {}
        self.raws = {}
        self.asked = []
        self.error = None
        self._states = {}
        self._seen = {}
        self.listener = lambda moved: None

    def push(self, files, ref="refs/heads/main", url=URL):
        tree = MemoryTree({path: content.encode() for path, content in files.items()})
        sha = hashlib.sha1(f"{ref} {tree.digest} {len(self.trees)}".encode(), usedforsecurity=False).hexdigest()
        self.trees[sha] = tree
        self.raws[sha] = RawObject("commit", b"tree x\n\nthe change " + str(len(self.trees)).encode())
        self.refs_of.setdefault(url, {})[ref] = sha
        return sha

    def poll(self, url=URL):
        """What the mirror does by itself from time to time."""
        before, now = dict(self._seen.get(url, {})), self._clock.now()
        self.asked.append(url)
        if self.error is not None:
            known = self._states.get(url, State(url))
            self._states[url] = known._replace(error=self.error, failed_at=now, next_try_at=now + timedelta(seconds=30))
            raise self.error.with_traceback(None)
        self._states[url] = State(url, now)
        self._seen[url] = dict(self.refs_of.get(url, {}))
        if self._seen[url] != before:
            self.listener(Moved(mirror_key(url), before, self._seen[url]))

    def state(self, url):
        return self._states.get(url, State(url))

    async def resolved(self, url, revision, *, project="", fresh=False):
        if fresh or url not in self._seen:
            self.poll(url)
        if revision not in self._seen[url]:
            raise NotFound(f"Cannot resolve {revision}", why="there is no such name")
        return Resolved(self._seen[url][revision])

    async def refs(self, url, *, project=""):
        return dict(self._seen.get(url, {}))

    async def tree(self, url, sha, *, project=""):
        if sha not in self.trees:
            raise NotFound(f"Cannot read the commit {sha:.12}")
        return self.trees[sha]

    async def raw(self, url, sha, *, project=None):
        return self.raws[sha]


class Scene:
    def __init__(self, client, world, room, parts):
        self.client, self.world, self.room, self.parts = client, world, room, parts

    def moved(self, moved):
        """The room may have come to life again since."""
        self.room.moved(moved)

    async def apply(self, obj):
        kinds = {"GitRepository": GIT_REPOSITORY.resource, "Secret": SECRETS}
        target = Target(kinds[obj["kind"]], obj["metadata"]["namespace"], obj["metadata"]["name"])
        return decode(await self.client.apply(target, encode(obj), BY_HAND))

    async def get(self, name="app", namespace="shop"):
        try:
            return decode(await self.client.get(Target(GIT_REPOSITORY.resource, namespace, name)))
        except NotFound:
            return None

    async def write_status(self, status, name="app", namespace="shop"):
        """As another controller would."""
        target = Target(GIT_REPOSITORY.resource, namespace, name, "status")
        await self.client.patch(target, encode({"status": status}), "merge", Writing(field_manager="another"))

    async def delete(self, name="app", namespace="shop"):
        await self.client.delete(Target(GIT_REPOSITORY.resource, namespace, name))

    async def until(self, true, *, within_s=20.0, every_s=0.02):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def ready(self, revision="", name="app"):
        """Wait until it is ready, at what begins with *revision*."""

        async def is_so():
            found = await self.get(name)
            current = (found.get("status") or {}).get("observedGeneration") == found["metadata"]["generation"]
            at = ((found.get("status") or {}).get("artifact") or {}).get("revision", "")
            return found if current and state(found, "Ready") == "True" and at.startswith(revision) else None

        return await self.until(is_so)

    async def failing(self, reason, name="app"):
        async def is_so():
            found = await self.get(name)
            ready = condition(found, "Ready")
            return found if (ready.get("status"), ready.get("reason")) == ("False", reason) else None

        return await self.until(is_so)

    async def events(self):
        target = Target(GroupVersionResource("", "v1", "events"), "shop")
        listed = [decode(bytes(each)) for each in (await self.client.list(target)).items]
        return [(each["reason"], each["message"]) for each in listed]

    async def version(self):
        """Of everything that is stored: another one after every write."""
        return (await self.client.list(Target(NAMESPACES))).resource_version


def condition(obj, type_):
    conditions = ((obj or {}).get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == type_), {})


def state(obj, type_):
    return condition(obj, type_).get("status", "")


def types(obj):
    return {each["type"]: each["status"] for each in obj["status"]["conditions"]}


@cache
def founded():
    """A plane that knows the kinds, as it is stored: set up once, loaded for every scene."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await installed(client, FLUX_KINDS, clock)
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
            await client.create(Target(NAMESPACES), encode(body))
            await asyncio.sleep(60)
            store = plane.store
            return Stored(store.revision, [each for name in store.collections for each in store.shelf(name).entries()])

    with ThreadPoolExecutor(1) as elsewhere:  # there may be a loop here already
        return elsewhere.submit(run_virtually, main).result()


@asynccontextmanager
async def staged(folder, commits, *, accounts=None, aside=None):
    """*commits* is made once there is a clock."""
    clock, ids = LoopClock(), Ids(7)
    world = World(clock, ids, Metrics())
    plane = Plane(clock, ids, stored=founded(), authority_pem="the authority")
    async with plane.running():
        client = Client(plane.transport(), clock=clock, ids=ids)
        parts = Parts(
            client=client,
            world=world,
            records=ClientRecords(client, clock, "source-controller"),
            commits=commits(world),
            accounts=accounts or Accounts(),
            artifacts=Artifacts(folder / "artifacts", BASE),
            downloads=Downloads(folder / "downloads", clock),
            **({"aside": aside} if aside else {}),
        )
        async with alive(Scene(client, world, None, parts)) as scene:
            yield scene


@asynccontextmanager
async def alive(scene):
    """The room at work; it may be brought to life again."""
    scene.room = GitRepositories(scene.parts)
    task = asyncio.create_task(scene.room.run())
    try:
        yield scene
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def with_git(folder, origins, *, pace=None):
    """*origins* are paths of real repositories by the addresses that they stand for."""
    accounts, chosen = Accounts(), []

    def connect(url, project):
        found = accounts.choose(url, project) or Repository(url)
        chosen.append((project, found))
        return msgspec.structs.replace(found, stands_at=str(origins[url]))

    calm = Pace(poll_s=3600, jitter_s=0, deadline_s=30, first_deadline_s=30, stalled_s=2)

    def commits(world):
        return GitSources(folder / "mirrors", world, connect, pace=pace or calm)

    async with staged(folder, commits, accounts=accounts) as scene:
        scene.chosen = chosen
        scene.parts.commits.subscribe(scene.moved)
        polling = asyncio.create_task(scene.parts.commits.run())
        try:
            yield scene
        finally:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)


@asynccontextmanager
async def in_memory(folder):
    async with staged(folder, lambda world: Memory(world.clock), aside=inline) as scene:
        scene.git = scene.parts.commits
        scene.git.listener = scene.moved
        yield scene
