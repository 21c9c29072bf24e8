"""What a controller writes about an object: pinned to what it looked at, and not worth the server's time to search it."""

import asyncio

from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import ClientRecords
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource

GADGETS = Target(GroupVersionResource("test", "v1", "gadgets"), "shop", "a")
OBJECT = {
    "apiVersion": "test/v1",
    "kind": "Gadget",
    "metadata": {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "7", "managedFields": [{}]},
    "spec": {"size": 3},
    "status": {"phase": "Waiting", "why": "no room"},
}


class Server:
    def __init__(self):
        self.written = []

    async def update(self, target, body, writing):
        self.written.append((target, decode(body), "update", writing))
        return b"{}"

    async def patch(self, target, body, kind, writing):
        self.written.append((target, decode(body), kind, writing))
        return b"{}"

    async def create(self, target, body, writing):
        self.written.append((str(target.resource), decode(body)["reason"], "create", writing))


class Names(Server):
    """Remembers what events are called."""

    def __init__(self):
        super().__init__()
        self.names = []

    async def create(self, target, body, writing):
        self.names.append(decode(body)["metadata"]["name"])


async def test_records_are_pinned_to_what_was_looked_at_and_not_searched_for_unknown_fields():
    server = Server()
    records = ClientRecords(server, LoopClock(), "us")
    await records.write(GADGETS, OBJECT, {"status": {"phase": "Ready", "why": None}})
    await records.write_finalizers(GADGETS, OBJECT, ["us"])
    await records.emit(OBJECT, Event("Made", "it is there"))
    pins = {"uid": "u", "resourceVersion": "7"}
    whole = {**OBJECT, "metadata": {"name": "a", "namespace": "shop", **pins}, "status": {"phase": "Ready"}}
    held = {"metadata": {"finalizers": ["us"], **pins}}
    ours = Writing(field_manager="us", validation="Ignore")
    assert server.written == [
        (GADGETS, whole, "update", ours),
        (GADGETS, held, "merge", ours),
        ("events", "Made", "create", ours),
    ]


async def test_what_may_happen_again_is_told_again_and_the_rest_once():
    server = Names()
    records = ClientRecords(server, LoopClock(), "us")
    for at in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"):
        await records.emit(OBJECT, Event("Made", "it is there", at=at))
        await records.emit(OBJECT, Event("Ran", "ada ran it", at=at, recurs=True))
    made, ran, made_again, ran_again = server.names
    assert made == made_again
    assert len({made, ran, ran_again}) == 3


async def test_what_was_looked_at_stays_as_it_is():
    looked_at = decode(encode(OBJECT))
    await ClientRecords(Server(), LoopClock(), "us").write(
        GADGETS, looked_at, {"metadata": {"annotations": {"a": "b"}}}
    )
    assert looked_at == OBJECT


async def test_records_leave_room_for_what_people_wait_for():
    begun, goes_on = [], asyncio.Event()

    class Slow(Server):
        async def update(self, target, body, writing):
            begun.append(target)
            await goes_on.wait()
            return b"{}"

    records = ClientRecords(Slow(), LoopClock(), "us")
    async with task_group() as writing:
        for _ in range(20):
            writing.create_task(records.write(GADGETS, OBJECT, {"status": {"phase": "Ready"}}))
        await asyncio.sleep(0.01)
        at_once = len(begun)
        goes_on.set()
    assert (at_once, len(begun)) == (8, 20)
