"""A whole installation in one process and in virtual time: a control plane, repositories in memory, and delivery."""

import asyncio
import hashlib
from collections.abc import Mapping
from contextlib import asynccontextmanager

import jq
from tests.delivery.founding import found, founded

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tree import MemoryTree
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.delivery.delivery import Delivery, Parts
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.renderer import Renderer
from plumbline.source.git.values import Moved, Resolved
from plumbline.source.state import State
from plumbline.source.urls import mirror_key

REPO = "https://git.example.org/shop.git"
SERVER = "https://kubernetes.default.svc"
BY_HAND = Writing(field_manager="kubectl")


class Repository:
    """One branch of commits, kept in memory, as `GitSources` would give them."""

    def __init__(self):
        self.commits = {}
        self.head = ""
        self.asked = self.fresh = 0
        self.silent = None
        """Raised where somebody wants to know what is there now."""
        self.broken = None
        self.paces = []
        """What it was told of how often to ask."""
        self._listeners = []

    def push(self, files: Mapping[str, str]) -> str:
        tree = MemoryTree({path: text.encode() for path, text in files.items()})
        sha = self.sha(tree)
        before, self.head = self.head, sha
        self.commits[sha] = (tree, dict(files))
        for listener in self._listeners:
            listener(Moved(mirror_key(REPO), {"refs/heads/main": before} if before else {}, {"refs/heads/main": sha}))
        return sha

    def sha(self, tree) -> str:
        """What a new commit of *tree* is called."""
        return hashlib.sha1(f"{len(self.commits)} {tree.digest}".encode(), usedforsecurity=False).hexdigest()

    def change(self, **files: str | None) -> str:
        """The newest commit with some files changed; None removes one. `__` stands for a slash, `_yaml` for `.yaml`."""
        named = {name.replace("__", "/").replace("_yaml", ".yaml"): text for name, text in files.items()}
        merged = {**self.commits[self.head][1], **named}
        return self.push({path: text for path, text in merged.items() if text is not None})

    def subscribe(self, listener):
        self._listeners.append(listener)

    def state(self, url):
        return State(url, error=self.broken if self.head else None)

    def lately(self, url):
        del url
        return False

    async def raw(self, url, sha, *, project=None):
        raise NotFound(f"{sha} is nowhere")

    async def resolved(self, url, revision, *, project="", tag_prefix="", fresh=False):
        self.asked += 1
        self.fresh += fresh
        if fresh and self.silent is not None:
            raise self.silent
        if self.broken is not None and not self.head:
            raise self.broken
        if revision in self.commits:
            return Resolved(revision)
        if revision in {"", "HEAD", "main"} and self.head:
            return Resolved(self.head)
        raise NotFound(f"unable to resolve {revision!r} to a commit")

    async def tree(self, url, sha, *, project=""):
        return self.commits[sha][0]

    async def touched(self, url, before_sha, after_sha):
        before, after = (self.commits[sha][1] if sha else {} for sha in (before_sha, after_sha))
        return frozenset(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Town:
    def __init__(self, plane, client, world, delivery, journal, repository, renderer):
        self.plane, self.client, self.world, self.delivery = plane, client, world, delivery
        self.journal, self.repository, self.renderer = journal, repository, renderer

    async def create(self, gvr: str, obj, namespace=""):
        return decode(await self.client.create(Target(_gvr(gvr), namespace), encode(obj), BY_HAND))

    async def get(self, gvr: str, name: str, namespace="shop"):
        try:
            return decode(await self.client.get(Target(_gvr(gvr), namespace, name)))
        except NotFound:
            return None

    async def patch(self, gvr: str, name: str, change, namespace="shop", writing=BY_HAND):
        target = Target(_gvr(gvr), namespace, name)
        return decode(await self.client.patch(target, encode(change), "merge", writing))

    async def delete(self, gvr: str, name: str, namespace="shop"):
        await self.client.delete(Target(_gvr(gvr), namespace, name))

    async def app(self, name="web", namespace="argocd"):
        return await self.get("argoproj.io/v1alpha1/applications", name, namespace)

    async def deploy(self, name="web", *, namespace="argocd", **spec):
        """An Application of the folder of its name."""
        metadata = spec.pop("metadata", {})
        return await self.create(
            "argoproj.io/v1alpha1/applications", application(name, metadata=metadata, **spec), namespace
        )

    async def sync(self, name="web", **sync):
        operation = {"sync": sync, "initiatedBy": {"username": "ada"}}
        await self.patch("argoproj.io/v1alpha1/applications", name, {"operation": operation}, "argocd")

    async def until(self, true, *, within_s=120.0, every_s=0.25):
        """Wait, in virtual time, for something to be so; returns what it was."""
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def synced(self, name="web", revision=None, **more):
        wanted = revision or self.repository.head

        async def arrived():
            app = await self.app(name)
            status = (app or {}).get("status", {})
            sync = status.get("sync", {})
            state = status.get("operationState", {})
            ready = (
                sync.get("status") == "Synced" and sync.get("revision") == wanted and state.get("phase") != "Running"
            )
            return app if ready else None

        return await self.until(arrived, **more)

    async def settle(self, seconds=5.0):
        await asyncio.sleep(seconds)

    async def effects(self):
        """What was done to the cluster so far, in order: verb and name."""
        page = await self.journal.page(limit=500)
        done = [entry for entry in page.entries if entry.kind == "performed"]
        return [(entry.verb, entry.subject.name) for entry in sorted(done, key=lambda entry: entry.seq)]


def application(name="web", *, metadata=None, path=None, automated=True, options=(), namespace="shop", **spec):
    policy = {"syncOptions": list(options)} if options else {}
    if automated:
        policy["automated"] = automated if isinstance(automated, dict) else {"prune": True, "selfHeal": True}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {
            "project": "default",
            "source": {"repoURL": REPO, "path": path or name, "targetRevision": "main"},
            "destination": {"server": SERVER, "namespace": namespace},
            "syncPolicy": policy,
            **spec,
        },
    }


def _gvr(text: str) -> GroupVersionResource:
    group, _, rest = (
        text.rpartition("/")
        if text.count("/") == 1
        else (text.split("/", maxsplit=1)[0], "", "/".join(text.split("/")[1:]))
    )
    if text.count("/") == 1:
        version, resource = text.split("/")
        return GroupVersionResource("", version, resource)
    version, resource = rest.split("/")
    return GroupVersionResource(group, version, resource)


@asynccontextmanager
async def town(*, files=None, mandate=None, workers=8, project=None, repository=None):
    clock, ids = LoopClock(), Ids(7)
    stored = None if project else founded()
    plane = Plane(clock, ids, stored=stored, authority_pem="the authority", workloads=True)
    async with plane.running():
        if project:
            await found(Client(plane.transport(), clock=clock, ids=ids), project)
        made = repository() if repository is not None else None
        async with on_plane(plane, clock, ids, files=files, mandate=mandate, workers=workers, repository=made) as place:
            yield place


@asynccontextmanager
async def on_plane(plane, clock, ids, *, files=None, mandate=None, workers=8, repository=None, **parts):
    """A town on a control plane that runs already, and is `found`ed."""
    world = World(clock, ids, Metrics())
    repository = repository or Repository()
    if files is not None:
        repository.push(files)
    evaluator = AtHand()
    async with sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        ledger = Ledger()
        allowed = mandate or MandateSpec(mode="Enforce")
        gate = Gate(Powers(lambda: allowed, ledger, lambda: None), Live(journal), clock)
        renderer = Renderer({"Directory": Directory(evaluator)}, clock)
        records = GatedRecords(gate, client, clock, "plumbline-delivery", cluster="in-cluster")
        made = Parts(
            client,
            world,
            "argocd",
            gate,
            lambda: allowed,
            ledger,
            records,
            repository,
            _NoCharts(),
            renderer,
            evaluator,
            journal,
            paced=lambda *pace: repository.paces.append(pace),
            branches=repository if hasattr(repository, "publish") else None,
            **parts,
        )
        delivery = Delivery(made)
        repository.subscribe(delivery.moved)
        task = asyncio.create_task(delivery.run(workers))
        try:
            yield Town(plane, client, world, delivery, journal, repository, renderer)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class AtHand:
    """jq in this very process, because virtual time knows no others. What is asked here is harmless."""

    def __init__(self):
        self.asked = 0

    async def jq_many(self, program, values, *, deadline_s=1.0):
        self.asked += 1
        return [jq.compile(program).input_value(value).all() for value in values]


class _NoCharts:
    def lately(self, url):
        del url
        return True

    async def resolve(self, url, chart, version, *, project="", fresh=False):
        raise NotFound(f"there is no chart {chart}")

    async def tree(self, url, chart, version, *, project="", pass_credentials=False):
        raise NotFound(f"there is no chart {chart}")


def story(**town_arguments):
    """Tells an async function a town, in virtual time."""

    def told(function):
        def test():
            async def main():
                async with town(**town_arguments) as place:
                    await function(place)

            run_virtually(main)

        test.__name__ = function.__name__
        test.__doc__ = function.__doc__
        return test

    return told


def config_map(name, value="1", **metadata):
    annotations = "".join(f'\n    {key}: "{text}"' for key, text in metadata.items())
    noted = f"\n  annotations:{annotations}" if annotations else ""
    return f'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}{noted}\ndata:\n  value: "{value}"\n'
