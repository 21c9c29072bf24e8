"""A control plane in this process and in virtual time, with processes on it that can be killed, paused and cut off."""

import asyncio
import base64
import functools
import gzip
import inspect

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import sqlite
from plumbline.kernel.faults.transport import FaultyTransport, Process, Tally
from plumbline.kernel.faults.weather import Dice
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.state import Locks, Place, RunInfo
from plumbline.terraform.state.place import SECRETS
from plumbline.terraform.state.writing import Writer

PLACE = Place("shop", "default", "network")
REF = Ref("infra.contrib.fluxcd.io", "Terraform", "shop", "network")
LOCK_INFO = "app.terraform.io/lock-info"
BY_HAND = Writing(field_manager="terraform")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")


def run_of(number=1, operation="OperationTypeApply"):
    return RunInfo(f"{number:08x}-0000-4000-8000-000000000000", operation, "shop/network applies plan abc", REF)


def state_text(serial=1, lineage="one", resources=(), **fields):
    return encode(
        {
            "version": 4,
            "terraform_version": "1.11.4",
            "serial": serial,
            "lineage": lineage,
            "outputs": {},
            "resources": list(resources),
            "check_results": None,
            **fields,
        }
    )


def resource(name, *instances, type="terraform_data", module="", mode="managed"):  # noqa: A002 - as a state has it
    made = {"mode": mode, "type": type, "name": name, "provider": "p", "instances": list(instances) or [{}]}
    return {"module": module, **made} if module else made


class Replica:
    """One process of ours, with a network of its own."""

    def __init__(self, stage, tally=None, name="a"):
        self.process = Process()
        self.tally = tally or Tally()
        self.transport = FaultyTransport(stage.plane.transport(), self.process, Dice(7), self.tally)
        self.client = Client(self.transport, clock=stage.clock, ids=Ids(7))
        powers = Powers(lambda: stage.mandate, Ledger(), lambda: None)
        self.writer = Writer(Gate(powers, Live(stage.journal), stage.clock), self.client)
        self.locks = Locks(self.client, self.writer, stage.clock, host=name)


class Stage:
    def __init__(self, plane, clock, journal):
        self.plane, self.clock, self.journal = plane, clock, journal
        self.mandate = MandateSpec(mode="Enforce")
        self.client = Client(plane.transport(), clock=clock, ids=Ids(3))

    def replica(self, tally=None, name="a"):
        return Replica(self, tally, name)

    async def recorded(self):
        """What the journal says that was done to the state and its lock, the oldest first."""
        page = await self.journal.page()
        return sorted(f"{entry.verb}: {entry.summary}" for entry in page.entries if entry.kind == "performed")

    async def lease(self, place=PLACE):
        try:
            return decode(await self.client.get(place.lease))
        except NotFound:
            return None

    async def holder(self, place=PLACE):
        lease = await self.lease(place)
        return (lease or {}).get("spec", {}).get("holderIdentity")

    async def foreign(self, lock_id="foreign", text=None, **spec):
        """A lock as terraform takes it: without any heartbeat."""
        told = {"ID": lock_id, "Operation": "OperationTypePlan", "Who": "mia@laptop", "Created": "2026-01-01T00:00:00Z"}
        annotations = {LOCK_INFO: encode(told).decode() if text is None else text}
        name = PLACE.lease.name
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": "shop", "annotations": annotations},
            "spec": {"holderIdentity": lock_id, **spec},
        }
        lease = await self.lease()
        if lease is None:
            return await self.client.create(PLACE.lease.collection, encode(body), BY_HAND)
        body["metadata"] |= {"resourceVersion": lease["metadata"]["resourceVersion"]}
        body["spec"] = {**lease["spec"], **body["spec"]}
        body["metadata"]["annotations"] = {**lease["metadata"].get("annotations", {}), **annotations}
        return await self.client.update(PLACE.lease, encode(body), BY_HAND)

    async def put(self, name, content, labels=None, **data):
        """A Secret, made or changed."""
        metadata = {"name": name, "namespace": "shop", "labels": PLACE.labels if labels is None else labels}
        held = {} if content is None else {"tfstate": base64.b64encode(content).decode()}
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {**held, **data}}
        target = Target(SECRETS, "shop", name)
        try:
            return await self.client.create(target.collection, encode(body), BY_HAND)
        except Exception:  # noqa: BLE001 - it is there
            return await self.client.update(target, encode(body), BY_HAND)

    async def put_state(self, text, place=PLACE, labels=None):
        await self.put(place.name, gzip.compress(text), labels)


def virtually(story):
    """A test in virtual time, whose first parameter is the stage."""
    wants = list(inspect.signature(story).parameters.values())[1:]

    @functools.wraps(story)
    def run(**fixtures):
        async def main():
            clock, ids = LoopClock(), Ids(5)
            plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
            async with asyncio.timeout(100_000), plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
                stage = Stage(plane, clock, journal)
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
                await stage.client.create(Target(NAMESPACES), encode(body), BY_HAND)
                await story(stage, **fixtures)

        run_virtually(main)

    run.__signature__ = inspect.Signature(wants)
    return run
