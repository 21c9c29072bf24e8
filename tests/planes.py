"""The embedded control plane as the kernel's simulator wants to see a cluster."""

from plumbline.kernel.faults.store import Change
from plumbline.kube.names import GroupVersionResource


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
        return {
            (_resource(collection), entry.key.namespace, entry.key.name): self._told(entry.object())
            for collection in store.collections
            for entry in store.shelf(collection).entries()
        }

    def _remember(self, change):
        entry = change.entry
        self.history.append(Change(entry.revision, change.type.value, _resource(entry.key.collection), entry.object()))


def _resource(collection):
    return GroupVersionResource(collection.group, "", collection.resource)
