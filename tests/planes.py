"""The embedded control plane, as tests begin with it, and as the kernel's simulator wants to see a cluster."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.faults.store import Change
from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionResource


class Objects(Mapping):
    """By place. Each is read when it is looked at: most of a plane is the same every day, and nobody's concern."""

    def __init__(self, entries, told):
        self._entries = {(_resource(each.key.collection), each.key.namespace, each.key.name): each for each in entries}
        self._told = told

    def __getitem__(self, place):
        return self._told(self._entries[place].object())

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)


class PlaneCluster:
    """Remembers everything that happens. *told* leaves out what differs between any two days on which nothing goes wrong."""

    def __init__(self, plane, journal, told=lambda obj: obj):
        self.plane, self.journal, self.history = plane, journal, []
        self._told = told
        self._transport = plane.transport()
        plane.store.listen(self._remember)

    async def send(self, request):
        return await self._transport.send(request)

    async def close(self): ...

    @property
    def objects(self):
        store = self.plane.store
        entries = (entry for collection in store.collections for entry in store.shelf(collection).entries())
        return Objects(entries, self._told)

    def _remember(self, change):
        entry = change.entry
        self.history.append(Change(entry.revision, change.type.value, _resource(entry.key.collection), entry.object()))


def _resource(collection):
    return GroupVersionResource(collection.group, "", collection.resource)


def founded(found, **options):
    """A plane as it is stored once *found* has been at work and all is quiet: made once, loaded by every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, **options)
        async with plane.running():
            await found(Client(plane.transport(), clock=clock, ids=ids))
            await asyncio.sleep(60)
            store = plane.store
            entries = [entry for each in store.collections for entry in store.shelf(each).entries()]
            return Stored(store.revision, entries)

    # In a thread, because a test that asks first may run a loop of its own here.
    with ThreadPoolExecutor(1) as other:
        return other.submit(run_virtually, main).result()
