"""A small controller with one effect of every sort, and the scenario that the simulator runs it through.

A Mirror asks for copies of a text. Its controller makes them, takes one coin from a shared account for each Mirror, once,
and takes the copies away again when the Mirror goes.
"""

from plumbline.base.errors import NotFound
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.conditions import Conditions
from plumbline.kernel.controller import Controller
from plumbline.kernel.election import Election
from plumbline.kernel.faults.store import Resource
from plumbline.kernel.informer import Informer
from plumbline.kernel.leases import LEASES
from plumbline.kernel.membership import Membership
from plumbline.kernel.outcomes import Wait
from plumbline.kernel.reconciler import Reconciler, reports
from plumbline.kernel.records import ClientRecords
from plumbline.kinds.fields import Fields, Int32
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.status import ObservedStatus
from plumbline.kube.client import Selection, Target, Writing
from plumbline.kube.names import GroupVersionKind, GroupVersionResource
from plumbline.kube.schema import builtin_shape

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
EVENTS = GroupVersionResource("", "v1", "events")
NAME = "mirror-controller"
AS_US = Writing(field_manager=NAME, force=True)


class MirrorSpec(Fields):
    text: str
    copies: Int32


class MirrorStatus(ObservedStatus):
    copies: int = 0


MIRROR = Kind(
    group="sample.plumbline.dev",
    kind="Mirror",
    plural="mirrors",
    description="Copies of a text.",
    versions=(Version(name="v1", spec=MirrorSpec, status=MirrorStatus),),
)


class MirrorReconciler(Reconciler):
    name = "mirror"
    kind = MIRROR
    owns = Conditions(reports=("Paid", "Copied"))
    finalizer = "sample.plumbline.dev/copies"

    def __init__(self, client):
        self._client = client
        self.steps = (self.pay, self.copy)
        self.teardown = (self.erase,)

    def status(self, run, at):
        return {"copies": at} if at is not None else {}

    @reports("Paid")
    async def pay(self, run, at):
        """Take a coin, once: that it was taken is written with the new balance, in one write that only fits one balance."""
        account = Target(CONFIG_MAPS, run.read.ref.namespace, "account")
        try:
            live = decode(await self._client.get(account))
        except NotFound:
            return Wait("NoAccount", "There is no account to take a coin from", after_s=5.0)
        paid = live["data"].get("paid", "").split()
        if run.read.ref.name in paid:
            return 0
        coins = int(live["data"]["coins"]) - 1
        data = {"coins": str(coins), "paid": " ".join(sorted([*paid, run.read.ref.name]))}
        await self._client.update(account, encode({**live, "data": data}), AS_US)
        run.tell("Paid", "Took a coin")
        return 0

    @reports("Copied")
    async def copy(self, run, at):
        namespace, name = run.read.ref.namespace, run.read.ref.name
        for index in range(run.spec.copies):
            body = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": f"{name}-{index}", "namespace": namespace, "labels": {"mirror": name}},
                "data": {"text": run.spec.text},
            }
            await self._client.apply(Target(CONFIG_MAPS, namespace, f"{name}-{index}"), encode(body), AS_US)
        await self._prune(run, keep=run.spec.copies)
        return run.spec.copies

    async def erase(self, run, at):
        await self._prune(run, keep=0)
        return 0

    async def _prune(self, run, keep):
        namespace, name = run.read.ref.namespace, run.read.ref.name
        wanted = {f"{name}-{index}" for index in range(keep)}
        found = await self._client.list(Target(CONFIG_MAPS, namespace), Selection(labels=f"mirror={name}"))
        for raw in found.items:
            metadata = decode(raw)["metadata"]
            if metadata["name"] not in wanted:
                await self._delete(Target(CONFIG_MAPS, namespace, metadata["name"]), metadata)

    async def _delete(self, target, metadata):
        try:
            await self._client.delete(target, uid=metadata["uid"], resource_version=metadata["resourceVersion"])
        except NotFound:
            return


async def run_replica(client, world, name, reconciler=MirrorReconciler, terms=None):
    """One process: leads if it can, and while it leads keeps Mirrors."""

    async def lead(fence):
        cache = Cache(Relevance(status=False))
        informer = Informer(client, Target(MIRROR.resource), cache=cache)
        leading = client.guarded(fence.check)
        records = ClientRecords(leading, world.clock, NAME)
        controller = Controller(reconciler(leading), informer, records, world)
        async with task_group() as group:
            group.create_task(informer.run())
            group.create_task(controller.run(workers=2))

    lease = Target(LEASES, "default", "mirror-controller")
    await Election(client, lease, name, world, terms=terms).campaign(lead)


async def run_sharded_replica(client, world, name, reconciler=MirrorReconciler):
    """One process among several that share the Mirrors."""
    group = Target(LEASES, "default", "mirrors")
    informer = Informer(client, Target(MIRROR.resource), cache=Cache(Relevance(status=False)))
    membership = Membership(client, group, name, world)
    leading = client.guarded(membership.check)
    records = ClientRecords(leading, world.clock, NAME)
    controller = Controller(reconciler(leading), informer, records, world, mine=membership.mine)
    async with task_group() as tasks:
        tasks.create_task(informer.run())
        tasks.create_task(membership.run(controller))
        tasks.create_task(controller.run(workers=2))


def mirror(name, text, copies):
    return {
        "apiVersion": "sample.plumbline.dev/v1",
        "kind": "Mirror",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"text": text, "copies": copies},
    }


class MirrorScenario:
    resources = (
        Resource(MIRROR.resource, "Mirror"),
        Resource(CONFIG_MAPS, "ConfigMap", builtin_shape(GroupVersionKind("", "v1", "ConfigMap"))),
        Resource(LEASES, "Lease"),
        Resource(EVENTS, "Event"),
    )
    counted = ("mirrors", "configmaps")
    replicas = 2
    reconciler = MirrorReconciler

    async def replica(self, client, world, name):
        await run_replica(client, world, name, self.reconciler)

    async def people(self, client, world):
        mirrors = Target(MIRROR.resource, "default")
        await client.create(mirrors, encode(mirror("a", "one", 2)))
        await world.clock.sleep(10)
        account = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "account"}, "data": {"coins": "10"}}
        await client.create(Target(CONFIG_MAPS, "default"), encode(account))
        await client.create(mirrors, encode(mirror("b", "two", 3)))
        await client.create(mirrors, encode(mirror("gone", "three", 2)))
        await self._ready(client, world, "gone", "a")
        await client.patch(mirrors._replace(name="a"), encode({"spec": {"text": "ONE", "copies": 1}}), "merge")
        await client.delete(mirrors._replace(name="gone"))

    async def _ready(self, client, world, *names):
        for name in names:
            while not await self._is_ready(client, name):
                await world.clock.sleep(1)

    async def _is_ready(self, client, name):
        live = decode(await client.get(Target(MIRROR.resource, "default", name)))
        conditions = {each["type"]: each["status"] for each in live.get("status", {}).get("conditions", [])}
        return conditions.get("Ready") == "True"


class ShardedScenario(MirrorScenario):
    replicas = 3

    async def replica(self, client, world, name):
        await run_sharded_replica(client, world, name, self.reconciler)
