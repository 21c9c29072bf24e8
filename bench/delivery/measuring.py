"""One engine on one cluster, from its first application to its last quiet second. The same code for every engine."""

import asyncio
import subprocess
import time
import urllib.request
from typing import NamedTuple

from bench.delivery.engines import FLOOR
from bench.delivery.progress import APPLICATIONS, Applications, Goal
from bench.delivery.repository import NAMESPACE, OBJECTS, PAYLOAD, application, name_of
from bench.delivery.values import CONFIGMAPS, values_of
from plumbline.base.errors import AlreadyExists, PlumblineError
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

ENGINE_NAMESPACE = "argocd"
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
PROJECTS = GroupVersionResource("argoproj.io", "v1alpha1", "appprojects")
PUSHES, HEALS = 3, 5
SETTLE_START_S, SETTLE_SYNC_S, SETTLE_PUSH_S, SETTLE_HEAL_S = 5, 15, 8, 3
READY_S, PUSH_S, HEAL_S = 60, 400, 120
DRIFTED = "drifted"
_CREATES_IN_FLIGHT = 16


class Stage(NamedTuple):
    """Everything that one measurement takes."""

    engine: object
    cluster: object
    repository: object
    meter: object
    shape: str
    apps: int
    quiet_s: float
    create: str
    """How Applications are made: by `kubectl`, one after the other, or through the `api`."""


class Stopped(Exception):
    """The engine did not get where it should; what follows would say nothing."""


async def namespaces_made(cluster):
    async with Client.connect(Connection.load(cluster.kubeconfig)) as client:
        for name in (ENGINE_NAMESPACE, NAMESPACE):
            try:
                await client.create(Target(NAMESPACES), encode({"metadata": {"name": name}}))
            except AlreadyExists:
                continue


async def measure(stage, emit):
    """Every phase in turn, each figure given to *emit* as it is known. Raises Stopped."""
    async with Client.connect(Connection.load(stage.cluster.kubeconfig)) as client:
        await ready(client)
        await asyncio.to_thread(described, stage)
        await asyncio.sleep(SETTLE_START_S)
        applications = Applications()
        async with task_group() as group:
            following = group.create_task(applications.follow(client, ENGINE_NAMESPACE))
            try:
                await applications.synced.wait()
                await Phases(stage, client, applications, emit).run()
            finally:
                following.cancel()


async def ready(client):
    """An engine is ready when its kinds are served and the default project is there."""
    until = time.perf_counter() + READY_S
    while True:
        try:
            await client.list(Target(APPLICATIONS, ENGINE_NAMESPACE))
            await client.get(Target(PROJECTS, ENGINE_NAMESPACE, "default"))
        except PlumblineError as missing:
            if time.perf_counter() > until:
                raise Stopped(f"not ready within {READY_S} s: {missing}") from missing
            await asyncio.sleep(0.2)
        else:
            return


def described(stage):
    """The API server says what its kinds look like.

    That text is made anew after CRDs, when somebody asks: 0.5 s and 0.8 CPU-s of the first `kubectl create`, unless
    the engine has asked before (Argo CD does).
    """
    example = application(stage.repository.url, stage.shape, 0, ENGINE_NAMESPACE)
    document = encode({"apiVersion": "v1", "kind": "List", "items": [example]})
    command = stage.cluster.kubectl("create", "--dry-run=client", "-f", "-")
    subprocess.run(command, input=document, check=True, capture_output=True)


class Phases:
    def __init__(self, stage, client, applications, emit):
        self._stage = stage
        self._client = client
        self._applications = applications
        self._emit = emit
        self._meter = stage.meter

    async def run(self):
        self._emit("start", **self._meter.memory())
        await self.first_sync()
        if self._stage.engine.name == FLOOR:
            return
        for trial in range(1, PUSHES + 1):
            await self.push_one(trial)
            await asyncio.sleep(SETTLE_PUSH_S)
        for trial in range(HEALS):
            await self.drift_heal(trial)
            await asyncio.sleep(SETTLE_HEAL_S)
        await self.quiet()

    async def first_sync(self):
        apps, repository = self._stage.apps, self._stage.repository
        goal = self._applications.aim(Goal(repository.revision, apps, OBJECTS))
        wanted = [application(repository.url, self._stage.shape, each, ENGINE_NAMESPACE) for each in range(apps)]
        start = self._meter.mark()
        create_s = await self._created(wanted)
        if await self._within(300 + 2 * apps, self._applications.delivered()):
            self._emit("first-sync-delivered", **self._meter.since(start))
        if self._stage.engine.name == FLOOR:
            self._finish("first-sync", done=goal.delivered_at_s, create_s=create_s, **_delivered(goal, start))
            return
        done = await self._within(300 + 2 * apps, self._applications.reached())
        cost = self._meter.since(start) | self._meter.memory()
        events = self._applications.events
        self._finish("first-sync", done=done, create_s=create_s, events=events, **_times(goal, start), **cost)
        start = self._meter.mark()
        await asyncio.sleep(SETTLE_SYNC_S)
        self._emit("first-sync-settled", **self._meter.since(start), **self._meter.memory())

    async def push_one(self, trial):
        """Seconds are from before `git push`, so that they hold what a person waits for."""
        repository, number = self._stage.repository, trial * 7 % self._stage.apps
        async with values_of(self._client, NAMESPACE, f"{name_of(number)}-cm-0") as values:
            await asyncio.to_thread(repository.change, number, trial)
            goal = self._applications.aim(Goal(repository.revision, self._stage.apps))
            start = self._meter.mark()
            await asyncio.to_thread(repository.push)
            pushed_s = time.perf_counter() - start.at_s
            await asyncio.to_thread(posted, f"{self._stage.engine.url}/api/webhook", repository.webhook(number))
            told_s = time.perf_counter() - start.at_s
            live_at_s = await self._within(PUSH_S, values.until(lambda seen: seen.get("rev") == str(trial)))
        done = live_at_s and await self._within(PUSH_S, self._applications.reached())
        times = {"live_s": round(live_at_s - start.at_s, 3)} if live_at_s else {}
        if done:
            times["all_at_revision_s"] = round(goal.done_at_s - start.at_s, 3)
        cost = self._meter.since(start)
        self._finish(
            "push-one", done=done, trial=trial, pushed_s=round(pushed_s, 3), told_s=round(told_s, 3), **times, **cost
        )

    async def drift_heal(self, trial):
        """From the drifting write to the one that undoes it, both as one watch saw them."""
        name = f"{name_of((trial * 11 + 1) % self._stage.apps)}-cm-1"
        async with values_of(self._client, NAMESPACE, name) as values:
            start = self._meter.mark()
            patch = encode({"data": {"payload": DRIFTED}})
            await self._client.patch(Target(CONFIGMAPS, NAMESPACE, name), patch, "merge")
            drifted_at_s = await self._within(HEAL_S, values.until(lambda seen: seen.get("payload") == DRIFTED))
            healed_at_s = await self._within(HEAL_S, values.until(lambda seen: seen.get("payload") == PAYLOAD))
        times = {"healed_s": round(healed_at_s - drifted_at_s, 3)} if healed_at_s else {}
        self._finish("drift-heal", done=healed_at_s, trial=trial, **times, **self._meter.since(start))

    async def quiet(self):
        start, events = self._meter.mark(), self._applications.events
        await asyncio.sleep(self._stage.quiet_s)
        events = self._applications.events - events
        self._emit("quiet", done=True, events=events, **self._meter.since(start), **self._meter.memory())

    def _finish(self, phase, *, done, **figures):
        self._emit(phase, done=bool(done), **figures)
        if not done:
            behind = "".join(f"\n  {name}: {said[:600]}" for name, said in self._applications.behind().items())
            ended = "".join(f"\n  {name} has ended" for name in self._meter.ended())
            raise Stopped(f"{phase} was not done in time{ended}{behind}")

    async def _created(self, wanted):
        start_s = time.perf_counter()
        if self._stage.create == "kubectl":
            document = encode({"apiVersion": "v1", "kind": "List", "items": wanted})
            command = self._stage.cluster.kubectl("create", "-f", "-")
            await asyncio.to_thread(subprocess.run, command, input=document, check=True, capture_output=True)
        else:
            await self._created_through_the_api(iter(wanted))
        return round(time.perf_counter() - start_s, 2)

    async def _created_through_the_api(self, waiting):
        async def some():
            for each in waiting:
                await self._client.create(Target(APPLICATIONS, ENGINE_NAMESPACE), encode(each))

        async with task_group() as group:
            for _ in range(_CREATES_IN_FLIGHT):
                group.create_task(some())

    async def _within(self, limit_s, awaited):
        """What *awaited* gives, or True where that is nothing; None where the time is up or the engine has ended."""
        task = asyncio.ensure_future(awaited)
        until = time.perf_counter() + limit_s
        while time.perf_counter() < until and not self._meter.ended():
            done, _ = await asyncio.wait({task}, timeout=min(1.0, limit_s))
            if done:
                return True if task.result() is None else task.result()
        task.cancel()
        return None


def _times(goal, start):
    if goal.done_at_s is None:
        return {"reached": goal.reached}
    moments = {"first": goal.first_at_s, "half": goal.half_at_s, "all": goal.done_at_s}
    times = {f"{name}_synced_s": round(at_s - start.at_s, 2) for name, at_s in moments.items()}
    return times | _delivered(goal, start)


def _delivered(goal, start):
    return {} if goal.delivered_at_s is None else {"all_delivered_s": round(goal.delivered_at_s - start.at_s, 2)}


def posted(url, body):
    headers = {"Content-Type": "application/json", "X-GitHub-Event": "push"}
    asked = urllib.request.Request(url, encode(body), headers)  # noqa: S310 - an engine that was started here
    with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 - same
        answer.read()
