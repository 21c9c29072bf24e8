"""The sample controller on the real API server: leaders are killed and stopped at every step, and nobody can tell."""

import asyncio
import itertools
import os
import signal
import sys
import time
from collections import Counter
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.kernel.sample import CONFIG_MAPS, MIRROR, mirror

from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.kinds.crd import crd_manifest
from plumbline.kube.client import Client, Connection, Selection, Target, WatchEvent
from plumbline.kube.names import GroupVersionResource

pytestmark = pytest.mark.conformance

CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
STRIKES = int(os.environ.get("PLUMBLINE_FAILOVERS", "24"))
REPLICAS = 2
COINS = 10_000
DEADLINE_S = 1500


def faults():
    """Every way to strike, at every effect of a look in turn."""
    ways = itertools.product(range(1, 9), ("kill", "stop"), ("before", "after"))
    return itertools.islice(itertools.cycle(f"{how}:{side}:{number}" for number, how, side in ways), STRIKES)


class Crew:
    """Keeps replicas running, each with the next fault; wakes those that stopped once somebody else has taken over."""

    def __init__(self, kubeconfig):
        self._kubeconfig = kubeconfig
        self._faults = faults()
        self._names = itertools.count()
        self.left = STRIKES
        self._replicas = {}

    def man(self):
        while len(self._replicas) < REPLICAS:
            fault = next(self._faults, "none")
            script = Path(__file__).with_name("replica.py")
            arguments = [sys.executable, str(script), str(self._kubeconfig), f"replica-{next(self._names)}", fault]
            pid = os.posix_spawn(arguments[0], arguments, dict(os.environ), setsid=True)
            self._replicas[pid] = (fault, None)

    def look(self):
        """Whoever died is gone; whoever stopped goes on after others had time to lead, and is then sent home."""
        for pid, (fault, stopped_at) in list(self._replicas.items()):
            found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if found and os.WIFSTOPPED(status):
                self._replicas[pid] = (fault, time.monotonic())
                self.left -= 1
            elif found:
                del self._replicas[pid]
                self.left -= os.WIFSIGNALED(status) and fault.startswith("kill")
            elif stopped_at is not None and time.monotonic() - stopped_at > 4:
                os.kill(pid, signal.SIGCONT)
                self._replicas[pid] = (fault, None)
                self._retire(pid)

    def _retire(self, pid):
        """Give it a moment to do what it had in its hand, then end it."""
        time.sleep(0.5)
        os.kill(pid, signal.SIGKILL)

    def dismiss(self):
        for pid in self._replicas:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


async def test_no_effect_twice_and_none_lost(own_cluster):
    connection = Connection.load(own_cluster.kubeconfig)
    async with Client.connect(connection) as client, asyncio.timeout(DEADLINE_S):
        await client.create(Target(CRDS), encode(crd_manifest(MIRROR)))
        account = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "account"},
            "data": {"coins": str(COINS)},
        }
        await client.create(Target(CONFIG_MAPS, "default"), encode(account))
        made = Counter()
        crew = Crew(own_cluster.kubeconfig)
        async with task_group() as group:
            counting = group.create_task(count_births(client, made))
            try:
                created = await keep_busy(client, crew)
                await settled(client, crew, created)
            finally:
                crew.dismiss()
                counting.cancel()
        await check(client, created, made)


async def count_births(client, made):
    """How often a ConfigMap of each name came into being, by uid."""
    seen = set()
    async with aclosing(client.follow(Target(CONFIG_MAPS, "default"))) as events:
        async for event in events:
            if isinstance(event, WatchEvent) and event.type == "ADDED" and event.uid not in seen:
                seen.add(event.uid)
                made[event.name] += 1


async def keep_busy(client, crew):
    """Make Mirrors as long as strikes are left; every third one is deleted again once it is ready."""
    mirrors = Target(MIRROR.resource, "default")
    created = {}
    for number in itertools.count():
        crew.man()
        crew.look()
        if crew.left <= 0:
            return created
        if number % 4 == 0 and len(created) < 3 * STRIKES + 10:
            name = f"m{len(created)}"
            try:
                await client.create(mirrors, encode(mirror(name, "text", 2)))
            except Exception:  # noqa: BLE001 - the CRD may not be served yet in the first moments
                await asyncio.sleep(0.5)
                continue
            created[name] = "kept"
        for name in [name for name, fate in created.items() if fate == "kept" and int(name[1:]) % 3 == 2]:
            if await ready(client, name):
                await client.delete(mirrors._replace(name=name))
                created[name] = "deleted"
        await asyncio.sleep(0.1)
    return created


async def ready(client, name):
    live = decode(await client.get(Target(MIRROR.resource, "default", name)))
    conditions = {each["type"]: each["status"] for each in live.get("status", {}).get("conditions", [])}
    return conditions.get("Ready") == "True"


async def settled(client, crew, created):
    """The crew without faults brings everything to its end."""
    while True:
        crew.man()
        crew.look()
        left = [
            decode(raw)["metadata"]["name"] for raw in (await client.list(Target(MIRROR.resource, "default"))).items
        ]
        kept = {name for name, fate in created.items() if fate == "kept"}
        if set(left) == kept and all([await ready(client, name) for name in kept]):
            return
        await asyncio.sleep(0.5)


async def check(client, created, made):
    account = decode(await client.get(Target(CONFIG_MAPS, "default", "account")))
    assert int(account["data"]["coins"]) == COINS - len(created), "one coin for each Mirror"
    assert account["data"]["paid"].split() == sorted(created)
    copies = await client.list(Target(CONFIG_MAPS, "default"), Selection(labels="mirror"))
    names = sorted(decode(raw)["metadata"]["name"] for raw in copies.items)
    assert names == sorted(f"{name}-{index}" for name, fate in created.items() if fate == "kept" for index in range(2))
    expected = {f"{name}-{index}": 1 for name in created for index in range(2)}
    assert {name: count for name, count in made.items() if name in expected} == expected, "each copy was made once"
