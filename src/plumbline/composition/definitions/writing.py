"""Writes that composition makes for an object that people wrote: each one an intent that goes through the gate."""

from typing import Final

from plumbline.base.errors import AlreadyExists, Conflict, NotFound, UnknownKind
from plumbline.base.json import JsonObject, decode, encode
from plumbline.composition import marks
from plumbline.gate.gate import Gate, Outcome, Performed
from plumbline.gate.hands import Behalf, Door, Intended, consents
from plumbline.gate.intents import Act, Destruction
from plumbline.gate.writes import Creating, Deleting, Patching, Replacing
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import Ref

AS_CROSSPLANE: Final = Writing(field_manager="crossplane")


class Hands:
    """Reads plainly, writes through the gate. What may not be written comes back as None."""

    def __init__(self, gate: Gate, client: Client) -> None:
        self._door = Door(gate, marks.ACTOR)
        self._client = client

    async def find(self, target: Target) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._client.get(target))
        except (NotFound, UnknownKind):
            return None
        return found

    async def list(self, target: Target, labels: str = "") -> list[JsonObject]:
        """What there is; nothing where the kind itself is not there."""
        try:
            page = await self._client.list(target, Selection(labels=labels))
        except (NotFound, UnknownKind):
            return []
        return [decode(item) for item in page.items]

    async def create(self, target: Target, obj: JsonObject, behalf: JsonObject, why: str) -> JsonObject | None:
        act = Creating(self._client, target.collection, encode(obj), AS_CROSSPLANE)
        try:
            return _reply(await self._perform(obj, "create", behalf, why, act))
        except AlreadyExists as error:
            raise Conflict(f"{Ref.of(obj)} was made by somebody else just now") from error

    async def replace(self, target: Target, obj: JsonObject, behalf: JsonObject, why: str) -> JsonObject | None:
        """*obj* carries the version that was looked at."""
        act = Replacing(self._client, target, encode(obj), AS_CROSSPLANE)
        return _reply(await self._perform(obj, "update", behalf, why, act))

    async def patch(
        self,
        target: Target,
        live: JsonObject,
        change: JsonObject,
        why: str,
        *,
        destroys: Destruction | None = None,
    ) -> JsonObject | None:
        """A merge patch of that version of *live* and no other."""
        metadata = {**change.get("metadata", {}), **_pins(live)}
        act = Patching(self._client, target, encode({**change, "metadata": metadata}), "merge", AS_CROSSPLANE)
        return _reply(await self._perform(live, "patch", live, why, act, destroys=destroys))

    async def delete(self, target: Target, live: JsonObject, behalf: JsonObject, why: str) -> bool:
        """Ask for the end of that very object; False where it may not be."""
        act = Deleting(self._client, target, live["metadata"]["uid"])
        try:
            outcome = await self._perform(live, "delete", behalf, why, act)
        except NotFound:
            return True
        return isinstance(outcome, Performed)

    async def _perform(
        self,
        obj: JsonObject,
        verb: str,
        behalf: JsonObject,
        why: str,
        act: Act,
        *,
        destroys: Destruction | None = None,
    ) -> Outcome:
        asked = Behalf(Ref.of(behalf), None, consents(behalf))
        return await self._door.perform(act, Intended(Ref.of(obj), verb, asked, why, destroys=destroys))


def controller_of(obj: JsonObject) -> JsonObject | None:
    """The owner reference of whoever controls *obj*."""
    references = obj["metadata"].get("ownerReferences") or ()
    return next((each for each in references if each.get("controller")), None)


def controlled_by(obj: JsonObject, uid: str) -> bool:
    controller = controller_of(obj)
    return controller is not None and controller.get("uid") == uid


def with_controller(metadata: JsonObject, reference: JsonObject) -> list[JsonObject]:
    """The owner references of *metadata*, with *reference* as the controller."""
    others = [each for each in metadata.get("ownerReferences") or () if not each.get("controller")]
    return [*(each for each in others if each.get("uid") != reference["uid"]), reference]


def _pins(live: JsonObject) -> JsonObject:
    return {"uid": live["metadata"]["uid"], "resourceVersion": live["metadata"]["resourceVersion"]}


def _reply(outcome: Outcome) -> JsonObject | None:
    return decode(outcome.reply) if isinstance(outcome, Performed) and outcome.reply else None
