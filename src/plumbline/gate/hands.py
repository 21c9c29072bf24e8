"""Hands for rooms that write objects on behalf of others: every effect is an intent that goes through the gate."""

from typing import Final, NamedTuple

from plumbline.base.errors import NeedsConsent, Refused
from plumbline.base.json import JsonObject, decode, encode
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.gate.gate import Gate, Outcome, Performed
from plumbline.gate.intents import Act, Destruction, Intent
from plumbline.gate.writes import Applying, Creating, Deleting, Patching, Replacing
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import Ref
from plumbline.ownership.values import Claim, ClusterObject, Engine, Owner, Source

CLUSTER: Final = "in-cluster"
_IMAGINED: Final = Writing(dry_run=True)


class Behalf(NamedTuple):
    """For whom something is done."""

    ref: Ref
    owner: Owner | None
    """Who owns what comes of it."""
    consents: frozenset[str] = frozenset()

    @classmethod
    def of(cls, engine: Engine, obj: JsonObject) -> "Behalf":
        ref = Ref.of(obj)
        return cls(ref, Owner.of(engine, ref), consents(obj))


def consents(obj: JsonObject) -> frozenset[str]:
    """What people have agreed to lose, as the object's annotation says."""
    annotations = obj["metadata"].get("annotations") or {}
    agreed = str(annotations.get(CONSENT_ANNOTATION, ""))
    return frozenset(filter(None, (each.strip() for each in agreed.split(","))))


def agreeing(needed: NeedsConsent, ref: Ref) -> str:
    """What would be lost, and how somebody says that it may be."""
    return f"{needed}. If it may be, annotate the {ref.kind} {ref.name} with {CONSENT_ANNOTATION}={needed.token}"


class Intended(NamedTuple):
    ref: Ref
    verb: str
    behalf: Behalf
    why: str
    owned: bool = False
    """Whether what is written is from now on *behalf*'s."""
    destroys: Destruction | None = None
    minor: bool = False


class Door:
    """How everything that *actor* does goes through the gate. *said* is how it comes to own what it makes."""

    def __init__(self, gate: Gate, actor: Actor, said: str = "composed") -> None:
        self._gate, self._actor, self._said = gate, actor, said

    async def perform(self, act: Act, intended: Intended) -> Outcome:
        ref, verb, behalf, why, owned, destroys, minor = intended
        claim = None
        if owned and behalf.owner is not None:
            claim = Claim(ClusterObject(ref), behalf.owner, Source(object=ClusterObject(behalf.ref), said=self._said))
        intent = Intent(
            actor=self._actor,
            subject=LiveObject.at(CLUSTER, ref),
            verb=verb,
            why=why,
            behalf=LiveObject.at(CLUSTER, behalf.ref),
            claim=claim,
            destroys=destroys,
            consents=behalf.consents,
            minor=minor,
        )
        return await self._gate.perform(intent, act)


class Hands:
    """Each method returns what the server answered; None where this installation only observes."""

    def __init__(self, gate: Gate, client: Client, actor: Actor, said: str = "composed") -> None:
        self._door = Door(gate, actor, said)
        self._client = client

    async def apply(self, target: Target, body: JsonObject, writing: Writing, behalf: Behalf, why: str) -> bytes | None:
        act = Applying(self._client, target, encode(body), writing)
        return await self._done(act, Intended(Ref.of(body), "apply", behalf, why, owned=True))

    async def imagine(self, target: Target, body: JsonObject) -> JsonObject | None:
        """*body* as the server would keep it if it were made: with all defaults, and without making it. None if it would not."""
        try:
            return decode(await self._client.create(target, encode(body), _IMAGINED))
        except Refused:
            return None

    async def create(
        self, target: Target, body: JsonObject, writing: Writing, behalf: Behalf, why: str
    ) -> bytes | None:
        act = Creating(self._client, target, encode(body), writing)
        return await self._done(act, Intended(Ref.of(body), "create", behalf, why, owned=True))

    async def patch(
        self, target: Target, obj: JsonObject, change: JsonObject, writing: Writing, behalf: Behalf
    ) -> bytes | None:
        """A merge patch of the very version that was looked at."""
        metadata = obj["metadata"]
        pins = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
        body = {**change, "metadata": {**change.get("metadata", {}), **pins}}
        act = Patching(self._client, target, encode(body), "merge", writing)
        return await self._done(act, Intended(Ref.of(obj), "patch", behalf, "Record what was decided", minor=True))

    async def replace(
        self, target: Target, body: JsonObject, writing: Writing, behalf: Behalf, why: str
    ) -> bytes | None:
        """The whole object, in the version that was looked at."""
        act = Replacing(self._client, target, encode(body), writing)
        return await self._done(act, Intended(Ref.of(body), "update", behalf, why, owned=True))

    async def rewrite(
        self, target: Target, obj: JsonObject, change: bytes, writing: Writing, behalf: Behalf
    ) -> bytes | None:
        """A JSON patch, which pins the version itself."""
        act = Patching(self._client, target, change, "json", writing)
        why = "Take over what was applied before"
        return await self._done(act, Intended(Ref.of(obj), "patch", behalf, why, minor=True))

    async def delete(
        self, target: Target, obj: JsonObject, behalf: Behalf, destroys: Destruction, propagation: str
    ) -> bytes | None:
        act = Deleting(self._client, target, obj["metadata"]["uid"], propagation=propagation)
        intended = Intended(Ref.of(obj), "delete", behalf, "No longer asked for", destroys=destroys)
        return await self._done(act, intended)

    async def _done(self, act: Act, intended: Intended) -> bytes | None:
        outcome = await self._door.perform(act, intended)
        return outcome.reply if isinstance(outcome, Performed) else None
