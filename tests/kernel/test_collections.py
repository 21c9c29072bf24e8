import asyncio
from contextlib import asynccontextmanager

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import TimedOut
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.cache import Cache
from plumbline.kernel.collections import Collections
from plumbline.kernel.fleet import Fleet
from plumbline.kernel.installing import installed, served
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

MAPS = GroupVersionResource("", "v1", "configmaps")


def config_map(name, **labels):
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}})


@asynccontextmanager
async def plane():
    clock, ids = LoopClock(), Ids(3)
    made = Plane(clock, ids, authority_pem="the authority")
    async with made.running():
        yield Client(made.transport(), clock=clock, ids=ids), clock


@asynccontextmanager
async def running(room):
    task = asyncio.create_task(room.run())
    try:
        yield room
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def test_a_collection_is_followed_once_however_many_ask():
    async def main():
        async with plane() as (client, _), running(Collections(client, Metrics())) as collections:
            await client.create(Target(MAPS, "default"), config_map("a"))
            mine = Cache()
            first, begun = await collections.follow(MAPS, cache=mine)
            again, begun_again = await collections.follow(MAPS)
            assert (begun, begun_again) == (True, False)
            assert first is again is collections.followed(MAPS)
            assert first.cache is mine
            await first.synced()
            assert mine.get(("default", "a")) is not None

    run_virtually(main)


def test_a_part_of_a_collection_is_another_collection():
    async def main():
        async with plane() as (client, _), running(Collections(client, Metrics())) as collections:
            await client.create(Target(MAPS, "default"), config_map("a", team="x"))
            await client.create(Target(MAPS, "default"), config_map("b"))
            part, _begun = await collections.follow(MAPS, labels="team")
            named, _begun = await collections.follow(MAPS, fields="metadata.name=b")
            for informer in (part, named):
                await informer.synced()
            assert {each.meta.name for each in part.cache} == {"a"}
            assert {each.meta.name for each in named.cache} == {"b"}

    run_virtually(main)


def test_whoever_leaves_a_collection_may_begin_it_anew():
    async def main():
        async with plane() as (client, _), running(Collections(client, Metrics())) as collections:
            first, _begun = await collections.follow(MAPS)
            collections.leave(MAPS)
            assert collections.followed(MAPS) is None
            second, begun = await collections.follow(MAPS)
            assert begun
            assert second is not first
            await second.synced()

    run_virtually(main)


class _Controller:
    def __init__(self):
        self.ended = asyncio.Event()
        self.workers = 0

    async def run(self, workers):
        self.workers = workers
        await self.ended.wait()

    def drain(self):
        self.ended.set()


def test_controllers_come_and_go_while_others_run():
    async def main():
        async with running(Fleet()) as fleet:
            first, second = _Controller(), _Controller()
            await fleet.launch("first", first, 3)
            await fleet.launch("second", second, 1)
            await asyncio.sleep(1)
            assert (first.workers, second.workers) == (3, 1)
            assert fleet.get("first") is first
            await fleet.recall("first")
            assert first.ended.is_set()
            assert fleet.get("first") is None
            assert not second.ended.is_set()
            await fleet.recall("first")

    run_virtually(main)


def test_a_kind_is_served_when_it_is_installed_and_installed_once():
    async def main():
        async with plane() as (client, clock):
            await installed(client, (APP_PROJECT,), clock)
            before = (await client.list(Target(MAPS))).resource_version
            await installed(client, (APP_PROJECT,), clock)
            assert (await client.list(Target(MAPS))).resource_version == before

    run_virtually(main)


def test_a_kind_that_is_never_served_is_not_waited_for_in_vain():
    async def main():
        async with plane() as (client, clock):
            with pytest.raises(TimedOut, match="not served after 5 s"):
                await served(client, Target(APP_PROJECT.resource), clock)

    run_virtually(main)
