"""What this room writes to a cluster: always through the gate, and always the version that was looked at."""

from typing import Final, NamedTuple

from plumbline.base.errors import Refused
from plumbline.base.json import JsonObject, encode
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.hands import Behalf, Door, Intended
from plumbline.gate.intents import Act
from plumbline.gate.writes import Creating, Deleting, Patching
from plumbline.journal.parties import Actor
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupKind, Ref

US: Final = Actor("controller", "terraform")
_KINDS: Final = {"secrets": GroupKind("", "Secret"), "leases": GroupKind("coordination.k8s.io", "Lease")}
_WRITING: Final = Writing(field_manager="plumbline-terraform")


class Note(NamedTuple):
    """What the journal gets to know."""

    why: str
    behalf: Ref | None
    """The object for which it is done."""
    minor: bool = False


class Pin(NamedTuple):
    """The version that was looked at."""

    uid: str
    resource_version: str


class Writer:
    def __init__(self, gate: Gate, client: Client, actor: Actor = US) -> None:
        self._door = Door(gate, actor)
        self._client = client

    async def create(self, target: Target, body: JsonObject, note: Note) -> bytes:
        metadata = {"name": target.name, "namespace": target.namespace, **body["metadata"]}
        kind = _KINDS[target.resource.resource].kind
        full = {**body, "apiVersion": target.resource.api_version, "kind": kind, "metadata": metadata}
        act = Creating(self._client, target.collection, encode(full), _WRITING)
        return await self._performed(act, target, "create", note)

    async def patch(self, target: Target, change: JsonObject, pin: Pin, note: Note) -> bytes:
        """A merge patch. Conflict where the object is not the one that *pin* means."""
        metadata = {**change.get("metadata", {}), "uid": pin.uid, "resourceVersion": pin.resource_version}
        act = Patching(self._client, target, encode({**change, "metadata": metadata}), "merge", _WRITING)
        return await self._performed(act, target, "patch", note)

    async def delete(self, target: Target, pin: Pin, note: Note) -> bytes:
        act = Deleting(self._client, target, pin.uid, pin.resource_version)
        return await self._performed(act, target, "delete", note)

    async def _performed(self, act: Act, target: Target, verb: str, note: Note) -> bytes:
        ref = Ref(*_KINDS[target.resource.resource], target.namespace, target.name)
        behalf = Behalf(note.behalf or ref, None)
        outcome = await self._door.perform(act, Intended(ref, verb, behalf, note.why, minor=note.minor))
        if isinstance(outcome, Performed):
            return outcome.reply
        raise Refused(
            f"{target} is not written",
            why=outcome.reason,
            hint=f"Hand {behalf.ref.kind} {behalf.ref.name} over with `plumb adopt` first.",
        )
