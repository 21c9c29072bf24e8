"""What objects of a kind look like: as its definition says now."""

import asyncio
from types import SimpleNamespace

from plumbline.base.json import encode
from plumbline.kernel.kinds import Kinds
from plumbline.kube.client.catalog import Catalog, Resource
from plumbline.kube.names import GroupVersionKind

WIDGET = GroupVersionKind("example.org", "v1", "Widget")
RESOURCE = Resource(group="example.org", version="v1", name="widgets", kind="Widget", namespaced=True)


DEFINITION = encode({"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]}})


class Server:
    """Its answers come late."""

    def __init__(self):
        self.now = Catalog([RESOURCE])
        self.answers = []
        self.discovery = SimpleNamespace(catalog=self.catalog)

    async def catalog(self):
        return self.now

    async def get(self, target):
        del target
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


async def test_a_definition_that_comes_late_does_not_take_the_place_of_a_newer_one():
    server = Server()
    kinds = Kinds(server)
    first = asyncio.create_task(kinds.shape(WIDGET))
    await asyncio.sleep(0)
    server.now = Catalog([RESOURCE])
    second = asyncio.create_task(kinds.shape(WIDGET))
    await asyncio.sleep(0)
    older, newer = server.answers
    newer.set_result(DEFINITION)
    shape = await second
    older.set_result(DEFINITION)
    assert await first is not shape
    assert await kinds.shape(WIDGET) is shape
