"""Collections as rows: what is wrong with one object is nobody else's matter."""

import asyncio

from tests.access.places import until

from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.ours.shelves import Shelves

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
HERE = Target(CONFIG_MAPS, "default")


def length(entry):
    return len(entry.object()["data"]["said"])


async def test_an_object_of_which_no_row_can_be_made_hides_no_other():
    plane = Plane(SystemClock(), Ids(1), controllers=False)
    async with plane.running():
        client = Client(plane.transport())

        async def write(name, **data):
            await client.create(HERE, encode({"metadata": {"name": name}, "data": data}))

        await write("a", said="one")
        await write("b")
        shelves = Shelves(client, Metrics())
        async with task_group() as tasks:
            running = tasks.create_task(shelves.run())
            shelf = await shelves.shelf(CONFIG_MAPS, length)
            assert shelf.row(("default", "a")) == 3
            assert shelf.row(("default", "b")) is None
            told = []
            shelf.follow(lambda was, now: told.append((was, now)))
            await write("c", said="three")
            await until(lambda: shelf.row(("default", "c")) == 5)
            for name, data, row in (("c", None, None), ("b", {"said": "now"}, 3), ("a", {"said": "other"}, 5)):
                await client.patch(HERE._replace(name=name), encode({"data": data}), "merge")
                await until(lambda name=name, row=row: shelf.row(("default", name)) == row)
            assert told == [(None, 5), (5, None), (None, 3), (3, 5)]
            assert not running.done()
            running.cancel()
            await asyncio.sleep(0)


async def test_whoever_follows_and_fails_keeps_nobody_else_from_hearing():
    plane = Plane(SystemClock(), Ids(1), controllers=False)
    async with plane.running():
        client = Client(plane.transport())
        shelves = Shelves(client, Metrics())
        async with task_group() as tasks:
            running = tasks.create_task(shelves.run())
            shelf = await shelves.shelf(CONFIG_MAPS, length)
            told = []

            def failing(was, now):
                raise RuntimeError("no")

            shelf.follow(failing)
            shelf.follow(lambda was, now: told.append(now))
            await client.create(HERE, encode({"metadata": {"name": "a"}, "data": {"said": "one"}}))
            await until(lambda: told == [3])
            assert not running.done()
            running.cancel()
            await asyncio.sleep(0)
