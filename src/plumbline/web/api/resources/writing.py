"""Changes to live objects that people ask for: through the gate, on record with their name, of that very object."""

from typing import Literal

import msgspec

from plumbline.base.errors import InvalidInput, PlumblineError, WrongState
from plumbline.base.json import JsonObject, encode
from plumbline.delivery.actions import Impact
from plumbline.delivery.compare.masking import is_secret
from plumbline.gate.contents import held
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Act, Destruction, Intent, Loss
from plumbline.gate.writes import Creating, Deleting, Patching
from plumbline.journal.causes import Person
from plumbline.journal.parties import Actor, LiveObject, printable
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.kube.object import Object
from plumbline.kube.patch.merge_patch import create_merge_patch
from plumbline.web.api.applications.finding import Found
from plumbline.web.api.resources.asking import Place
from plumbline.web.api.resources.belonging import Owned
from plumbline.web.api.telling import DELETED, RAN, UPDATED, Deed, Herald
from plumbline.web.api.writing import AS_SERVER, CLUSTER


class Discreet(msgspec.Struct, frozen=True):
    """A change to a Secret: what the server says about it may have its values in it, and is said to nobody."""

    act: Act
    ref: Ref

    async def perform(self) -> bytes:
        try:
            return await self.act.perform()
        except PlumblineError:
            raise self._failed() from None

    async def rehearse(self) -> bytes:
        try:
            return await self.act.rehearse()
        except PlumblineError:
            raise self._failed() from None

    def _failed(self) -> InvalidInput:
        return InvalidInput(f"failed to patch Secret {self.ref.namespace}/{self.ref.name}")


class Hand:
    """Writes for one person to objects of one application."""

    def __init__(self, gate: Gate, herald: Herald | None, found: Found, place: Place) -> None:
        self._gate = gate
        self._herald = herald
        self._found = found
        self._place = place

    async def patch(self, owned: Owned, body: bytes, kind: Literal["merge", "json", "strategic"]) -> bytes:
        act: Act = Patching(self._place.client, owned.target, body, kind, AS_SERVER)
        if is_secret(owned.obj):
            act = Discreet(act, Ref.of(owned.obj))
        reply = await self._done("patch", owned.obj, act, "Patched")
        self._tell(Deed(UPDATED, f"patched resource {_quoted(owned)}"))
        return reply

    async def delete(self, owned: Owned, propagation: str, *, at_once: bool) -> None:
        ref = Ref.of(owned.obj)
        what = held(ref)
        loss = Destruction("deletion", (Loss(str(ref), what, stateful=bool(what), named=True),), requested=True)
        client, uid, grace_period_s = self._place.client, Object(owned.obj).uid, 0 if at_once else None
        act = Deleting(client, owned.target, uid, propagation=propagation, grace_period_s=grace_period_s)
        await self._done("delete", owned.obj, act, "Deleted", loss)
        self._tell(Deed(DELETED, f"deleted resource {_quoted(owned)}"))

    async def act(self, owned: Owned, target: Target, impact: Impact, action: str) -> None:
        """Carry out one outcome of an action, which was found to be permitted."""
        if impact.operation == "create":
            made = Creating(self._place.client, target.collection, encode(impact.obj), AS_SERVER)
            await self._done("create", impact.obj, made, f"Made by action {action}")
            return
        change = create_merge_patch(owned.obj, impact.obj)
        if not change:
            return
        apart = {"status": change.pop("status")} if _of_its_own(change, owned) else {}
        if change:  # first, since whoever follows the status would write it in between
            act = Patching(self._place.client, target, encode(_pinned(change, owned.obj)), "merge", AS_SERVER)
            await self._done("patch", impact.obj, act, f"Ran action {action}")
        if apart:
            below = target._replace(subresource="status")
            part = Patching(self._place.client, below, encode(apart), "merge", AS_SERVER)
            await self._done("patch", impact.obj, part, f"Ran action {action}")

    def ran(self, owned: Owned, action: str) -> None:
        """All of *action* is done: that is told beside the application, and beside the object."""
        ref = Ref.of(owned.obj)
        if ref == self._found.named.ref:
            self._tell(Deed(RAN, f"ran action {action}"))
            return
        self._tell(Deed(RAN, f"ran action {action} on resource {ref.group}/{ref.kind}/{ref.name}"))
        if self._herald is not None:
            # As ourselves: whom the application acts as is known for its objects, and need not be let write events.
            destination, deed = self._place.destination, Deed(RAN, f"ran action {action}")
            cluster = destination.journal_name or CLUSTER
            self._herald.tell_beyond(self._name, deed, owned.obj, destination.live.client, cluster)

    def _tell(self, deed: Deed) -> None:
        if self._herald is not None:
            self._herald.tell(self._name, deed, self._found.app, self._found.project.name)

    @property
    def _name(self) -> str:
        asker = self._found.asker
        return printable(asker.username or asker.name) or "anonymous"

    async def _done(self, verb: str, obj: JsonObject, act: Act, why: str, lost: Destruction | None = None) -> bytes:
        found, ref, name = self._found, Ref.of(obj), self._name
        intent = Intent(
            actor=Actor("person", name),
            subject=LiveObject.at(self._place.destination.journal_name or CLUSTER, ref),
            verb=verb,
            why=printable(f"{why} {ref} of application {found.named.name}"),
            cause=Person(name=name),
            project=found.project.name,
            behalf=LiveObject.at(CLUSTER, self._place.facts.ref),
            destroys=lost,
        )
        outcome = await self._gate.perform(intent, act)
        if not isinstance(outcome, Performed):
            raise WrongState(
                f"{ref} is not written",
                why=outcome.reason,
                hint="Hand the application over with `plumb adopt`, or write it where it is looked after.",
            )
        return outcome.reply


def _quoted(owned: Owned) -> str:
    ref = Ref.of(owned.obj)
    return f"{ref.group}/{ref.kind} '{ref.name}'"


def _of_its_own(change: JsonObject, owned: Owned) -> bool:
    """Whether there is a status among the changes, and it is written by itself."""
    return change.get("status") is not None and "status" in owned.resource.subresources


def _pinned(change: JsonObject, live: JsonObject) -> JsonObject:
    """Of the very version that the action has seen."""
    metadata = change.get("metadata")
    pin = {"resourceVersion": Object(live).resource_version}
    return {**change, "metadata": {**(metadata if isinstance(metadata, dict) else {}), **pin}}
