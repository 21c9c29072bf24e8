"""The embedded control plane as the kernel's simulator wants to see a cluster."""

from collections.abc import Mapping

from plumbline.kernel.faults.store import Change
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
