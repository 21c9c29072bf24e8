"""What a controller writes about an object: pinned to what it looked at, and not worth the server's time to search it."""

from plumbline.base.json import decode
from plumbline.base.virtualtime import LoopClock
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import ClientRecords
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource

GADGETS = Target(GroupVersionResource("test", "v1", "gadgets"), "shop", "a")
OBJECT = {
    "apiVersion": "test/v1",
    "kind": "Gadget",
    "metadata": {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "7"},
}


class Server:
    def __init__(self):
        self.written = []

    async def patch(self, target, body, kind, writing):
        self.written.append((target, decode(body), kind, writing))
        return b"{}"

    async def create(self, target, body, writing):
        self.written.append((str(target.resource), decode(body)["reason"], "create", writing))


async def test_records_are_pinned_to_what_was_looked_at_and_not_searched_for_unknown_fields():
    server = Server()
    records = ClientRecords(server, LoopClock(), "us")
    ours = Writing(field_manager="us", validation="Ignore")
    await records.write(GADGETS, OBJECT, {"status": {"phase": "Ready"}})
    await records.emit(OBJECT, Event("Made", "it is there"))
    pinned = {"status": {"phase": "Ready"}, "metadata": {"uid": "u", "resourceVersion": "7"}}
    assert server.written == [(GADGETS, pinned, "merge", ours), ("events", "Made", "create", ours)]
