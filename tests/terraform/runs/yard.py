"""Runs in Jobs, in virtual time: the embedded plane makes their pods, and in each of them the runner's own function works.

A simulated container ends when its annotations say so. Whoever is still at work in it then is gone as by SIGKILL: nothing
that it says arrives any more.
"""

import asyncio
from contextlib import asynccontextmanager

from tests.terraform import works
from tests.terraform.works import HOME, Scene, Toolroom, Wire, assembled

from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.hands import Hands
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Selection, Target
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.guarding import guards_in
from plumbline.terraform.identity import Identities, Reach
from plumbline.terraform.runs.carrying import Workshop
from plumbline.terraform.runs.jobs import JobRuns, Parts
from plumbline.terraform.runs.manifests import JOBS, PODS, RUN, SECRETS
from plumbline.terraform.runs.runner import Bench, performed
from plumbline.terraform.state import Locks
from plumbline.terraform.state.writing import Writer
from plumbline.terraform.terraform import ACTOR, Terraforms

IMAGE = "registry.example.org/plumbline:1"
ARTIFACT = {
    "path": "gitrepository/infra/infrastructure/0.tar.gz",
    "url": "http://plumbline/artifacts/gitrepository/infra/infrastructure/0.tar.gz",
    "digest": "sha256:" + "0" * 64,
    "lastUpdateTime": "2026-11-15T00:00:00Z",
}


def terraform(name="network", behavior="", run_for="5s", **spec):
    """One whose pods run for so long, and end as *behavior* says."""
    annotations = {"sim.plumbline.dev/run-for": run_for}
    if behavior:
        annotations["sim.plumbline.dev/behavior"] = behavior
    return works.terraform(name, runnerPodTemplate={"metadata": {"annotations": annotations}}, **spec)


class Sources(works.Sources):
    artifact = ARTIFACT

    async def tree(self, ref, namespace):
        found = await super().tree(ref, namespace)
        return found._replace(artifact={**self.artifact, "revision": found.revision})


class Node:
    """A kubelet for the pods of runs."""

    def __init__(self, transport, world, scene):
        self._transport, self._world, self._scene = transport, world, scene
        self._client = Client(transport, clock=world.clock, ids=world.ids)
        self.logs, self._begun = {}, {}
        self.failing, self.fetched, self.before = None, 0, None

    async def run(self):
        async with task_group() as group:
            while True:
                await self._look(group)
                await asyncio.sleep(0.2)

    async def _look(self, group):
        page = await self._client.list(Target(PODS), Selection(labels=RUN))
        pods = {pod["metadata"]["uid"]: pod for pod in (decode(bytes(each)) for each in page.items)}
        for uid, pod in pods.items():
            state = _state(pod)
            if "running" in state and uid not in self._begun:
                wire, stopping = Wire(self._transport), asyncio.Event()
                task = group.create_task(self._perform(pod, wire, stopping))
                self._begun[uid] = wire, stopping, task
            if uid in self._begun and pod["metadata"].get("deletionTimestamp"):
                self._begun[uid][1].set()
        for uid, (wire, _, task) in self._begun.items():
            if (uid not in pods or "terminated" in _state(pods[uid])) and not task.done():
                wire.cut = True
                task.cancel()

    async def _perform(self, pod, wire, stopping):
        world, scene = self._world, self._scene
        container = pod["spec"]["containers"][0]
        namespace, name = container["command"][container["command"].index("--order") + 1].split("/")
        client = Client(wire, clock=world.clock, ids=world.ids)
        gate = Gate(
            Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(scene.journal), world.clock
        )
        locks = Locks(client, Writer(gate, client), world.clock, host=pod["metadata"]["name"])
        lines = self.logs.setdefault(pod["metadata"]["labels"][RUN], [])
        bench = Bench(
            client=client,
            clock=world.clock,
            shop=Workshop(Toolroom(scene.cloud, client), client, locks, works.Identities()),
            fetch=self._fetched,
            name=pod["metadata"]["uid"],
            say=lines.append,
            guards=guards_in,
            aside=works._at_once,
        )
        try:
            await performed(Target(SECRETS, namespace, name), bench, stopping)
        except Exception as error:  # noqa: BLE001 - a process that fails ends, and nothing else does
            lines.append(f"failed: {error}")

    async def _fetched(self, artifact):
        assert artifact.digest == ARTIFACT["digest"]
        self.fetched += 1
        if self.failing:
            raise self.failing
        if self.before:
            await self.before()
        return works.MemoryTree(self._scene.sources.files)


def _state(pod):
    statuses = (pod.get("status") or {}).get("containerStatuses") or [{}]
    return statuses[0].get("state") or {}


def in_jobs(room, collections):
    """The same room, whose runs are Jobs."""
    parts = room._parts
    runs = JobRuns(
        Parts(
            client=parts.client,
            hands=Hands(parts.gate, parts.client, ACTOR, "published"),
            collections=collections,
            clock=parts.world.clock,
            accounts=Identities(parts.client, parts.gate, Reach("https://plane", b"")),
            image=IMAGE,
        )
    )
    return Terraforms(parts._replace(runs=runs))


class Yard(works.Works):
    node = None

    async def jobs(self):
        return await self._all(JOBS)

    async def left(self):
        """Secrets of runs."""
        return [each["metadata"]["name"] for each in await self._all(SECRETS)]

    async def pods(self):
        return await self._all(PODS)

    async def _all(self, resource):
        page = await self.client.list(Target(resource, HOME), Selection(labels=RUN))
        return [decode(bytes(each)) for each in page.items]

    async def swept(self):
        await self.until(self._nothing_left)

    async def _nothing_left(self):
        return not await self.jobs() and not await self.left()


@asynccontextmanager
async def yard():
    async with works.works(reached=None) as place:
        await place.crash()
        place.__class__ = Yard
        place.sources = Sources()
        scene = Scene(place.cloud, place.sources, place.copies, place.journal, place.client)
        place.node = Node(place.plane.transport(), place.world, scene)
        node = asyncio.create_task(place.node.run())
        try:
            async with controlling(place):
                yield place
        finally:
            node.cancel()
            await asyncio.gather(node, return_exceptions=True)


@asynccontextmanager
async def controlling(place, host="here"):
    """A controller whose runs are Jobs."""
    place.wire = Wire(place.plane.transport())
    client = Client(place.wire, clock=place.world.clock, ids=place.world.ids)
    scene = Scene(place.cloud, place.sources, place.copies, place.journal, client)
    made, collections, _ = assembled(client, place.world, scene, host=host)
    place.room = in_jobs(made, collections)
    place.tasks = tasks = [asyncio.create_task(collections.run()), asyncio.create_task(place.room.run())]
    try:
        yield place
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(outcome, asyncio.CancelledError):
                raise outcome


def story(test):
    """Run an async test with a yard as its argument, in virtual time."""

    def told():
        works.stored()

        async def within():
            async with yard() as place:
                await test(place)

        run_virtually(within)

    told.__name__ = test.__name__
    return told
