"""Watches of the real API server, and a copy that stays right while the server is stopped, started and replaced."""

import asyncio
import http.client
import os
import shutil
import socket
from contextlib import aclosing
from urllib.parse import urlsplit

import pytest

from plumbline.base.errors import Expired, InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.kube.client import (
    Client,
    Connection,
    Interrupted,
    Selection,
    Synced,
    Target,
    WatchEvent,
    Writing,
    listing,
    watching,
)
from plumbline.kube.names import GroupVersionResource

from .real import CLUSTER, RealCluster, _run

pytestmark = pytest.mark.conformance

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")


def configmap(name, /, labels=None, **data):
    meta = {"name": name} | ({"labels": labels} if labels else {})
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data})


@pytest.fixture
async def client(real_cluster):
    async with Client.connect(Connection.load(real_cluster.kubeconfig), ids=Ids(1)) as made:
        yield made


async def take(events, count):
    return [await anext(events) for _ in range(count)]


async def first(events):
    async with aclosing(events):
        return await anext(events)


async def test_changes_come_as_they_happen(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    since = (await client.list(target)).resource_version
    async with aclosing(client.watch(target.collection, Selection(resource_version=since))) as events:
        await client.create(target.collection, configmap("a"))
        await client.patch(target, b'{"data":{"k":"1"}}', "merge")
        await client.delete(target)
        seen = await take(events, 3)
    assert [event.type for event in seen] == ["ADDED", "MODIFIED", "DELETED"]
    assert {event.key for event in seen} == {(namespace, "a")}
    versions = [int(event.resource_version) for event in seen]
    assert versions == sorted(set(versions))
    assert decode(seen[1].raw)["data"] == {"k": "1"}


async def test_leaving_a_selector_looks_like_a_deletion(client, namespace):
    target = Target(CONFIGMAPS, namespace, "a")
    async with aclosing(client.watch(target.collection, Selection(labels="app=x"), initial=True)) as events:
        assert (await anext(events)).completes
        await client.create(target.collection, configmap("a", {"app": "x"}))
        await client.patch(target, b'{"metadata":{"labels":{"app":"y"}}}', "merge")
        assert [event.type for event in await take(events, 2)] == ["ADDED", "DELETED"]


async def test_the_state_can_come_through_the_watch(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    for name in ("a", "b"):
        await client.create(target, configmap(name))
    async with aclosing(client.watch(target, initial=True)) as events:
        seen = await take(events, 3)
    assert [(event.type, event.name, event.completes) for event in seen] == [
        ("ADDED", "a", False),
        ("ADDED", "b", False),
        ("BOOKMARK", "", True),
    ]


async def test_metadata_alone_can_be_watched(client, namespace):
    target = Target(CONFIGMAPS, namespace)
    await client.create(target, configmap("a", k="x"))
    async with aclosing(client.watch(target, Selection(metadata_only=True), initial=True)) as events:
        event = await anext(events)
    assert (decode(event.raw)["kind"], "data" in decode(event.raw), event.name) == ("PartialObjectMetadata", False, "a")


async def test_a_watch_ends_when_its_time_is_up(client, namespace):
    """With a bookmark shortly before, so that whoever goes on starts from now."""
    selection = Selection(resource_version=(await client.list(Target(CONFIGMAPS, namespace))).resource_version)
    request = watching.watch_request(Target(CONFIGMAPS, namespace), selection, initial=False, timeout_s=2)
    seen = [event async for event in watching.watch(client._caller, request)]
    assert {event.type for event in seen} <= {"BOOKMARK"}


async def test_nonsense_is_refused(client, namespace):
    with pytest.raises(InvalidInput):
        await first(client.watch(Target(CONFIGMAPS, namespace), Selection(fields="data.k=1")))


class Copy:
    """The least that anybody who follows has to do."""

    def __init__(self):
        self.objects = {}
        self.synced = 0
        self.interrupted = []
        self.changed = asyncio.Event()

    def hear(self, told):
        match told:
            case Synced():
                for key in self.objects.keys() - told.present:
                    del self.objects[key]
                self.synced += 1
            case Interrupted():
                self.interrupted.append(told.error.code)
            case WatchEvent(type="DELETED"):
                self.objects.pop(told.key, None)
            case WatchEvent(type="ADDED" | "MODIFIED"):
                self.objects[told.key] = decode(told.raw).get("data") or {}
        self.changed.set()

    async def run(self, client, target):
        async with aclosing(client.follow(target)) as told:
            async for each in told:
                self.hear(each)

    async def until(self, condition, seconds=60):
        async with asyncio.timeout(seconds):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


@pytest.fixture
async def mirrored(client, namespace):
    copy = Copy()
    async with task_group() as tasks:
        task = tasks.create_task(copy.run(client, Target(CONFIGMAPS, namespace)))
        await copy.until(lambda: copy.synced)
        yield copy
        task.cancel()


async def test_a_copy_follows_a_hundred_changes(client, namespace, mirrored):
    target = Target(CONFIGMAPS, namespace)
    writing = Writing(field_manager="us")
    for number in range(100):
        name = f"c{number % 10}"
        if number % 7 == 3 and (namespace, name) in mirrored.objects:
            await client.delete(target._replace(name=name))
        else:
            await client.apply(target._replace(name=name), configmap(name, n=str(number)), writing)
    listed = {
        (namespace, decode(raw)["metadata"]["name"]): decode(raw)["data"] for raw in (await client.list(target)).items
    }
    await mirrored.until(lambda: mirrored.objects == listed)
    assert (mirrored.synced, mirrored.interrupted) == (1, [])


class Restartable(RealCluster):
    """A cluster of one test's own, which comes back at the same address."""

    def restart(self):
        said = _run(
            [
                str(CLUSTER),
                "start",
                str(self.folder),
                "--port",
                str(urlsplit(self.url).port),
                "--owner",
                str(os.getpid()),
            ],
            timeout_s=90,
        )
        assert said.code == 0, said.err

    def stop(self):
        super().stop()
        self._connection = None

    def forget(self):
        """Make etcd drop all of its history."""
        revision = self._etcd("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        self._etcd("/v3/kv/compaction", {"revision": revision, "physical": True})

    def _etcd(self, path, body):
        line = http.client.HTTPConnection("localhost", timeout=10)
        line.sock = socket.socket(socket.AF_UNIX)
        line.sock.connect(str(self.folder / "etcd.sock:0"))
        line.request("POST", path, encode(body), {"Content-Type": "application/json"})
        answer = decode(line.getresponse().read())
        line.close()
        return answer


@pytest.fixture
def own_cluster(tmp_path):
    cluster = Restartable(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


async def test_a_copy_survives_a_restart_and_a_server_restored_from_nothing(own_cluster):
    target = Target(CONFIGMAPS, "default")
    async with Client.connect(Connection.load(own_cluster.kubeconfig), ids=Ids(1)) as client:
        copy = Copy()
        async with task_group() as tasks:
            following = tasks.create_task(copy.run(client, target))
            await copy.until(lambda: copy.synced)
            for number in range(200):
                await client.create(target, configmap(f"old-{number}"))
            await copy.until(lambda: len(copy.objects) == 200)
            before = (await client.list(target)).resource_version

            # Compacted, so that the watch below is refused by etcd too: until a new server has filled its cache it asks there.
            await asyncio.to_thread(own_cluster.forget)
            await asyncio.to_thread(own_cluster.stop)
            await copy.until(lambda: copy.interrupted)
            await asyncio.to_thread(own_cluster.restart)
            await client.delete(target._replace(name="old-0"))
            await copy.until(lambda: len(copy.objects) == 199)

            with pytest.raises(Expired):
                await first(client.watch(target, Selection(resource_version="1")))

            await asyncio.to_thread(own_cluster.stop)
            shutil.rmtree(own_cluster.folder / "etcd")
            await asyncio.to_thread(own_cluster.restart)
            await client.create(target, configmap("new"))
            assert int((await client.list(target)).resource_version) < int(before), "history went back"
            await copy.until(lambda: set(copy.objects) == {("default", "new")})
            following.cancel()
    assert copy.synced >= 2


async def test_a_list_whose_snapshot_is_forgotten_half_way(own_cluster):
    target = Target(CONFIGMAPS, "default")
    names = [f"c{number:02}" for number in range(9)]
    async with Client.connect(Connection.load(own_cluster.kubeconfig), ids=Ids(1)) as client:
        for name in names:
            await client.create(target, configmap(name))
        async with aclosing(client.pages(target, Selection(limit=4))) as pages:
            first = await anext(pages)
            await client.create(target, configmap("c99"))
            await asyncio.to_thread(own_cluster.forget)
            await asyncio.to_thread(own_cluster.stop)
            await asyncio.to_thread(own_cluster.restart)
            rest = [page async for page in pages]
            with pytest.raises(Expired) as caught:
                await listing.fetch(client._caller, target, Selection(limit=4), first.continue_token)
    seen = [decode(raw)["metadata"]["name"] for page in (first, *rest) for raw in page.items]
    assert seen == [*names, "c99"]
    assert [page.consistent for page in (first, *rest)] == [True, False, False]
    assert caught.value.continue_token
