"""What controllers write about objects (status, finalizers, events), through the door like everything else."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Intent
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import ClientRecords
from plumbline.kube.client import Client, Target
from plumbline.kube.names import Ref

Write: TypeAlias = Callable[[], Awaitable[bytes]]


class _Recording(NamedTuple):
    write: Write

    async def perform(self) -> bytes:
        return await self.write()

    async def rehearse(self) -> bytes:
        """A record has no effect on anything but itself: there is nothing to find out."""
        return b""


class GatedRecords:
    """`kernel.records.Records` for controllers whose installation may only observe."""

    def __init__(self, gate: Gate, client: Client, clock: Clock, component: str, *, cluster: str) -> None:
        self._gate = gate
        self._records = ClientRecords(client, clock, component)
        self._actor = Actor("controller", component)
        self._cluster = cluster

    async def write(self, target: Target, obj: JsonObject, change: JsonObject) -> bytes:
        return await self._through("update", obj, lambda: self._records.write(target, obj, change))

    async def write_finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> None:
        await self._through("patch", obj, lambda: self._finalizers(target, obj, finalizers))

    async def emit(self, obj: JsonObject, event: Event) -> None:
        await self._through("event", obj, lambda: self._event(obj, event))

    async def _finalizers(self, target: Target, obj: JsonObject, finalizers: list[str]) -> bytes:
        await self._records.write_finalizers(target, obj, finalizers)
        return b""

    async def _event(self, obj: JsonObject, event: Event) -> bytes:
        await self._records.emit(obj, event)
        return b""

    async def _through(self, verb: str, obj: JsonObject, write: Write) -> bytes:
        subject = LiveObject.at(self._cluster, Ref.of(obj))
        intent = Intent(actor=self._actor, subject=subject, verb=verb, why="Record what was found", minor=True)
        outcome = await self._gate.perform(intent, _Recording(write))
        return outcome.reply if isinstance(outcome, Performed) else b""
