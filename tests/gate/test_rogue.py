"""A controller on the kernel against a rogue that keeps writing the same field: seen, named, and no loop."""

from tests.kernel.sample import CONFIG_MAPS, EVENTS, MIRROR, mirror

from plumbline.base.errors import FieldClaim
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Powers, Record
from plumbline.gate.intents import Intent
from plumbline.gate.writes import Applying
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.faults.store import MemoryCluster, Resource
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.reconciler import Reconciler
from plumbline.kernel.records import ClientRecords
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.diff import diff
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.schema import builtin_shape
from plumbline.ownership.ledger import Ledger

SHAPE = builtin_shape(GroupVersionKind("", "v1", "ConfigMap"))
US = "healer"
COPY = Target(CONFIG_MAPS, "default", "copy")


def desired():
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "copy", "namespace": "default"},
        "data": {"text": "ours"},
    }


class Healer(Reconciler):
    name = "healer"
    kind = MIRROR

    def __init__(self, client, gate):
        self._client, self._gate = client, gate
        self.steps = (self.heal,)

    async def heal(self, run, at):
        live = decode(await self._client.get(COPY))
        drift = diff(desired(), live, SHAPE, manager=US)
        if not drift:
            return 0
        heals = tuple(FieldClaim(manager, each.path) for each in drift for manager in each.managers)
        subject = LiveObject.at("here", Ref.of(live))
        intent = Intent(actor=Actor("controller", US), subject=subject, verb="apply", why="Heal drift", heals=heals)
        writing = Writing(field_manager=US, force=True)
        await self._gate.perform(intent, Applying(self._client, COPY, encode(desired()), writing))
        return 0


class Performing(Record):
    async def act(self, intent, act):
        self.intents.append(intent)
        return await act.perform()


def test_a_rogue_is_named_within_a_minute_and_does_not_become_a_loop():
    async def main():
        clock = LoopClock()
        served = (
            Resource(MIRROR.resource, "Mirror"),
            Resource(CONFIG_MAPS, "ConfigMap", SHAPE),
            Resource(EVENTS, "Event"),
        )
        cluster = MemoryCluster(served, clock, Ids(1))
        client, world = Client(cluster, clock=clock, ids=Ids(1)), World(clock, Ids(1), Metrics())
        door = Performing()
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), door, clock)
        mirrors = Informer(client, Target(MIRROR.resource), cache=Cache(Relevance(status=False)))
        copies = Informer(client, Target(CONFIG_MAPS))
        controller = Controller(Healer(client, gate), mirrors, ClientRecords(client, clock, US), world)
        copies.subscribe(lambda _before, _after: controller.wake(("default", "m")))
        await client.apply(COPY, encode(desired()), Writing(field_manager=US))
        await client.create(Target(MIRROR.resource, "default"), encode(mirror("m", "t", 1)))
        async with task_group() as group:
            tasks = [group.create_task(each) for each in (mirrors.run(), copies.run(), controller.run(workers=1))]
            named_at = await rogue(client, clock, seconds=600)
            [task.cancel() for task in tasks]
        assert named_at < 60
        assert len(door.intents) <= 12, "ten minutes of fighting every second"

    run_virtually(main)


async def rogue(client, clock, seconds):
    """Write the field every second; returns when the object first said who does."""
    named_at = None
    for second in range(seconds):
        await client.patch(COPY, encode({"data": {"text": f"mine {second}"}}), "merge", Writing(field_manager="rogue"))
        await clock.sleep(1)
        live = decode(await client.get(Target(MIRROR.resource, "default", "m")))
        said = str(live.get("status", {}).get("conditions", []))
        if named_at is None and "Contested" in said and "rogue keeps writing .data.text" in said:
            named_at = second
    return named_at
