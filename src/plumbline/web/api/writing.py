"""What people have written for them: through the gate, on record with their name, and with what they asked for."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from plumbline.base.errors import WrongState
from plumbline.base.json import JsonObject, encode
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Act, Destruction, Intent, Loss
from plumbline.gate.writes import Creating, Deleting, Patching, Replacing
from plumbline.journal.parties import Actor, LiveObject, printable
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import Ref
from plumbline.web.api.rights import Asker
from plumbline.web.api.telling import Deed, Herald

CLUSTER: Final = "in-cluster"
AS_SERVER: Final = Writing(field_manager="argocd-server")


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """Something that somebody has asked for."""

    asker: Asker
    ref: Ref
    why: str
    """One sentence for people, without the name of whoever asked."""
    project: str = ""
    minor: bool = False
    """Whether it asks for a look and changes nothing."""
    details: JsonObject = {}
    """With which options. Never a secret."""
    deed: Deed | None = None
    """What is told of it beside the object."""
    labels: dict[str, str] = {}
    """The object's, where there may be none to read them from afterwards."""

    @property
    def name(self) -> str:
        """Of whoever asks, for people."""
        return printable(self.asker.username or self.asker.name) or "anonymous"


class _Identity(msgspec.Struct, rename="camel"):
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = {}


class _Written(msgspec.Struct):
    """What is read of a reply; where something is gone, it is about nothing."""

    metadata: _Identity = msgspec.field(default_factory=_Identity)


_WRITTEN: Final = msgspec.json.Decoder(_Written)


Learn: TypeAlias = Callable[[Target, bytes], None]
"""Hears of an object as it was written, before any watch tells of it."""


def _unheard(_: Target, __: bytes) -> None:
    """Nobody wants to know."""


class Pen:
    """Each method returns what the server answered."""

    def __init__(self, gate: Gate, client: Client, herald: Herald | None = None, learn: Learn = _unheard) -> None:
        self._gate = gate
        self._client = client
        self._learn = learn
        self.herald = herald

    async def create(self, target: Target, body: JsonObject, errand: Errand) -> bytes:
        act = Creating(self._client, target.collection, encode(body), AS_SERVER)
        return self._written(target, errand, await self._done("create", act, errand))

    async def update(self, target: Target, body: JsonObject, errand: Errand) -> bytes:
        """Of the very version that was looked at, where *body* has its resourceVersion."""
        act = Replacing(self._client, target, encode(body), AS_SERVER)
        return self._written(target, errand, await self._done("update", act, errand))

    async def patch(self, target: Target, change: JsonObject, errand: Errand) -> bytes:
        act = Patching(self._client, target, encode(change), "merge", AS_SERVER)
        return self._written(target, errand, await self._done("patch", act, errand))

    async def delete(self, target: Target, uid: str, errand: Errand) -> bytes:
        """Of that very object. It was asked for by name, so that nothing has to be agreed to once more."""
        loss = Destruction("deletion", (Loss(str(errand.ref), named=True),), requested=True)
        return self._told(
            target, errand, await self._done("delete", Deleting(self._client, target, uid), errand, loss), uid
        )

    def _written(self, target: Target, errand: Errand, reply: bytes) -> bytes:
        self._learn(target, reply)
        return self._told(target, errand, reply)

    def _told(self, target: Target, errand: Errand, reply: bytes, uid: str = "") -> bytes:
        if self.herald is None or errand.deed is None:
            return reply
        ref, found = errand.ref, _WRITTEN.decode(reply).metadata
        about: JsonObject = {
            "apiVersion": target.resource.api_version,
            "kind": ref.kind,
            "metadata": {
                "name": ref.name,
                "namespace": ref.namespace,
                "uid": uid or found.uid,
                "resourceVersion": found.resource_version,
                "labels": found.labels or errand.labels,
            },
        }
        self.herald.tell(errand.name, errand.deed, about, errand.project)
        return reply

    async def _done(self, verb: str, act: Act, errand: Errand, destroys: Destruction | None = None) -> bytes:
        subject = LiveObject.at(CLUSTER, errand.ref)
        intent = Intent(
            actor=Actor("person", errand.name),
            subject=subject,
            verb=verb,
            why=errand.why,
            project=errand.project,
            destroys=destroys,
            details=errand.details,
            minor=errand.minor,
        )
        outcome = await self._gate.perform(intent, act)
        if not isinstance(outcome, Performed):
            raise WrongState(
                f"{errand.ref} is not written",
                why=outcome.reason,
                hint="Hand it over with `plumb adopt`, or write it where it is looked after.",
            )
        return outcome.reply
