"""Whoever is killed between two writes, or whose write fails, ends where everybody ends, with nothing doubled."""

import asyncio

import pytest
from tests.apiserver.controllers.workloads.world import NODE, World, job, kinds, node, template, virtually, workload

from plumbline.apiserver.objects.admission import NoAdmission
from plumbline.base.errors import StorageFailed
from plumbline.base.tasks import task_group

CLAIMS = [
    {
        "metadata": {"name": "disk"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
]
KINDS = (
    kinds.DEPLOYMENT,
    kinds.REPLICA_SET,
    kinds.STATEFUL_SET,
    kinds.DAEMON_SET,
    kinds.REVISION,
    kinds.CLAIM,
    kinds.JOB,
    kinds.CRON_JOB,
    kinds.POD,
)


class Killed(BaseException):
    """The process is gone, in the middle of whatever it did."""


class Fault:
    """Lets so many writes of controllers pass, then strikes once: before the write, or after it."""

    def __init__(self, world: World, after: int, how: str) -> None:
        self.left = after
        self.seen = 0
        self.counted = 0
        self._how = how
        self._put, self._remove = world.store.put, world.store.remove
        world.store.put, world.store.remove = self._struck(self._put), self._struck(self._remove)

    def _struck(self, write):
        async def attempt(key, *rest):
            if key.collection.resource == "events":
                return await write(key, *rest)
            self.seen += 1
            self.left -= 1
            if self.left == 0 and self._how == "fails":
                raise StorageFailed("the disk is full")
            written = await write(key, *rest)
            if self.left == 0 and self._how == "dies":
                raise Killed
            return written

        return attempt


async def roll_out(at):
    await at.create(workload("Deployment", replicas=2))
    yield
    await at.spec(kinds.DEPLOYMENT, "web", template=template("nginx:2"))
    yield


async def one_by_one(at):
    await at.create(workload("StatefulSet", replicas=2, serviceName="web", volumeClaimTemplates=CLAIMS))
    yield
    await at.spec(kinds.STATEFUL_SET, "web", template=template("nginx:2"))
    yield
    await at.spec(kinds.STATEFUL_SET, "web", replicas=1)
    yield


async def everywhere(at):
    await at.create(workload("DaemonSet"))
    yield
    await at.spec(kinds.DAEMON_SET, "web", template=template("nginx:2"))
    yield


async def to_the_end(at):
    await at.create(job(completions=3, parallelism=2))
    yield


async def to_the_bitter_end(at):
    bad = template(labels={"x": "y"}, behaviour="fail", restartPolicy="Never")
    await at.create(job(completions=2, parallelism=2, completionMode="Indexed", backoffLimitPerIndex=1, template=bad))
    yield


async def on_time(at):
    await at.clock.sleep(61 - at.clock.now().timestamp() % 60)
    spec = {"schedule": "*/1 * * * *", "jobTemplate": {"spec": job()["spec"]}, "concurrencyPolicy": "Forbid"}
    await at.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cron"}, "spec": spec})
    yield
    await at.clock.sleep(65)
    await at.spec(kinds.CRON_JOB, "cron", suspend=True)
    yield


async def _play(scene, after, how):
    """Run *scene* with a fault at its n-th write; gives what is left, and how many writes there were."""
    at = World(NoAdmission())
    await at.cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    await at.create(node(NODE))
    running = asyncio.Event()
    done = asyncio.Event()
    fault = Fault(at, -1, how)

    async def live():
        while not done.is_set():
            running.set()
            try:
                await at.controllers.run()
            except* Killed:
                at.start()

    async with task_group() as tasks:
        tasks.create_task(live())
        await running.wait()
        async for _ in _armed(scene, at, fault, after):
            await at.rest(100)
        done.set()
        at.controllers.stop()
    return _left(at), fault.counted


async def _armed(scene, at, fault, after):
    """The scene's own writes are not counted: those who write there are not who is killed."""
    steps = scene(at)
    left = after
    while True:
        fault.left = -1
        try:
            await anext(steps)
        except StopAsyncIteration:
            return
        fault.left, before = left, fault.seen
        yield
        fault.counted += fault.seen - before
        left = fault.left if fault.left > 0 else -1


def _left(at):
    """How many there are of each kind, and what their statuses say."""
    counts = {kind.kind: len(at.all(kind)) for kind in KINDS}
    statuses = {}
    for kind in KINDS[:-1]:
        for obj in at.all(kind):
            told = {name: value for name, value in (obj.get("status") or {}).items() if isinstance(value, int)}
            told.pop("observedGeneration", None)
            conditions = sorted(
                (each["type"], each["reason"]) for each in (obj.get("status") or {}).get("conditions") or ()
            )
            statuses[kind.kind, len(statuses)] = (sorted(told.items()), conditions)
    return counts, sorted(map(repr, statuses.values()))


SCENES = [roll_out, one_by_one, everywhere, to_the_end, to_the_bitter_end, on_time]


@pytest.mark.parametrize("how", ["fails", "dies"])
@pytest.mark.parametrize("scene", SCENES, ids=[scene.__name__ for scene in SCENES])
@virtually
async def test_a_fault_at_any_write_changes_nothing_in_the_end(scene, how):
    expected, writes = await _play(scene, -1, how)
    assert writes > 5
    for after in range(1, writes + 1):
        left, _ = await _play(scene, after, how)
        assert left == expected, f"{scene.__name__} {how} at write {after} of {writes}"
