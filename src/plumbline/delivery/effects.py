"""What a sync does to a cluster. Every effect is an intent that goes through the gate, and can be repeated."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    FieldClaim,
    InvalidInput,
    NotFound,
    OwnedElsewhere,
    Refused,
    SchemaViolation,
)
from plumbline.base.json import JsonObject, encode
from plumbline.delivery.compare.rules import MANAGER
from plumbline.delivery.facts import AppFacts
from plumbline.delivery.leniency import let_through
from plumbline.delivery.live import LiveCluster
from plumbline.delivery.sync.hooks import role
from plumbline.delivery.sync.tasks import Manner
from plumbline.delivery.values import Desired
from plumbline.gate.gate import Gate, Outcome, Withheld
from plumbline.gate.intents import Act, Destruction, Intent
from plumbline.gate.writes import Applying, Creating, Deleting, Patching, Replacing
from plumbline.journal.causes import Cause
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cached
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.ownership.values import Claim, ClusterObject, Source

_ACTOR: Final = Actor("controller", "delivery")


class Suit(NamedTuple):
    """What is applied, as it suits the live object: fields that others look after stay theirs."""

    body: bytes
    heals: tuple[FieldClaim, ...] = ()
    """Fields that are taken back, and from whom."""


class Acting(msgspec.Struct, frozen=True):
    """On whose behalf and why."""

    app: AppFacts
    project: str
    why: str
    cause: Cause | None = None
    change: str = ""
    consents: frozenset[str] = frozenset()
    policy: str = "enforce"
    cluster: str = ""
    """The destination, as the journal and the ledger call it; empty for the cluster at hand."""


class Done(NamedTuple):
    message: str
    now: Cached | None = None
    """The object as it is now."""


class Observing(NamedTuple):
    """This installation may not touch it."""

    reason: str


class Effects:
    """Effects for one application on one cluster."""

    def __init__(self, gate: Gate, live: LiveCluster, acting: Acting, client: Client | None = None) -> None:
        """*client* is who writes, where that is somebody else than who watches."""
        self._gate = gate
        self._live = live
        self._acting = acting
        self._client = client or live.client

    def foreign(self, gvk: GroupVersionKind, ref: Ref, live: Cached | None, *, hook: bool) -> Refused | None:
        """Why the object is not this application's to write: it is another's or, where it is to be a hook, a person's."""
        try:
            self._gate.permit(self._claim(ref))
        except OwnedElsewhere as refused:
            return refused
        if (
            live is None
            or not hook
            or leftover(live.meta.annotations, self._live.instance(gvk, live), self._acting.app)
        ):
            return None
        owner = self._acting.app.owner
        return AlreadyExists(
            f"{ref} is there already, and it is not a hook of {owner}",
            why="nobody has marked it as that: somebody made it by hand, or with another tool",
            hint="Give the hook another name, or delete what is there.",
        )

    async def apply(self, desired: Desired, suit: Suit, live: Cached | None, manner: Manner) -> Done | Observing:
        """Make the object as *suit* says, which is the desired one as it suits the live one."""
        target = await self._target(desired.gvk, desired.ref)

        async def send(body: bytes) -> Done | Observing:
            act = Applying(self._client, target, body, _applying(manner))
            return await self._written(desired, act, live, manner, heals=suit.heals)

        if manner.validate:
            return await send(suit.body)
        return await let_through(send, suit.body, await self._live.kinds.shape(desired.gvk))

    async def create(self, desired: Desired, manner: Manner) -> Done | Observing:
        target = await self._target(desired.gvk, desired.ref)
        act = Creating(self._client, target.collection, desired.body, _writing(manner))
        return await self._written(desired, act, None, manner)

    async def replace(self, desired: Desired, live: Cached, manner: Manner) -> Done | Observing:
        """Put the desired object in the place of the live one, of that version and no other."""
        target = await self._target(desired.gvk, desired.ref)
        act = Replacing(self._client, target, encode(_pinned(desired.object(), live)), _writing(manner))
        return await self._written(desired, act, live, manner)

    async def delete(
        self, gvk: GroupVersionKind, ref: Ref, live: Cached, destroys: Destruction | None, propagation: str
    ) -> Done | Observing:
        """Ask for the end of that very object."""
        target = await self._target(gvk, ref)
        act = Deleting(self._client, target, live.meta.uid, propagation=propagation)
        try:
            outcome = await self._gate.perform(self._intent(ref, "delete", destroys), act)
        except NotFound:
            return Done("pruned", self._live.learn_end(gvk, ref, live.meta.uid, b""))
        if isinstance(outcome, Withheld):
            return Observing(outcome.reason)
        return Done("pruned", self._live.learn_end(gvk, ref, live.meta.uid, outcome.reply))

    async def patch(self, gvk: GroupVersionKind, ref: Ref, body: bytes, kind: str) -> Done | Observing:
        """Change a detail of the object that is not in Git: finalizers of hooks, managers of fields."""
        target = await self._target(gvk, ref)
        act = Patching(self._client, target, body, kind, Writing(field_manager=MANAGER))  # type: ignore[arg-type]  # one of three texts
        with self._live.writing(gvk, ref):
            outcome = await self._gate.perform(self._intent(ref, "patch", None), act)
            if isinstance(outcome, Withheld):
                return Observing(outcome.reason)
            return Done("patched", self._live.learn(gvk, outcome.reply))

    async def strip(self, gvk: GroupVersionKind, ref: Ref, live: Cached, finalizer: str) -> Done | Observing:
        """Take a finalizer of ours off that very object, which may be gone by then."""
        meta = live.meta
        kept = [each for each in meta.finalizers if each != finalizer]
        pins = {"uid": meta.uid, "resourceVersion": meta.resource_version}
        try:
            return await self.patch(gvk, ref, encode({"metadata": {**pins, "finalizers": kept or None}}), "merge")
        except NotFound:
            return Done("gone")

    async def _written(
        self, desired: Desired, act: Act, live: Cached | None, manner: Manner, *, heals: tuple[FieldClaim, ...] = ()
    ) -> Done | Observing:
        verb = "create" if live is None else "apply"
        intent = msgspec.structs.replace(self._intent(desired.ref, verb, None), heals=heals)
        if manner.dry:
            intent = msgspec.structs.replace(intent, minor=True)  # it changes nothing, so there is nothing to remember
        with self._live.writing(desired.gvk, desired.ref):
            outcome = await self._performed(intent, act, desired)
            if isinstance(outcome, Withheld):
                return Observing(outcome.reason)
            if manner.dry:
                return Done(f"{_named(desired.ref)} {'created' if live is None else 'configured'} (dry run)")
            now = self._live.learn(desired.gvk, outcome.reply)
        return Done(_told(desired.ref, now, live, manner), now)

    async def _performed(self, intent: Intent, act: Act, desired: Desired) -> Outcome:
        try:
            return await self._gate.perform(intent, act)
        except Conflict:
            # Our copy is old, be it by a write of our own whose answer was lost: the next look is at what is there.
            if desired.ref.name:
                await self._live.looked_for(desired.gvk, desired.ref)
            raise

    async def _target(self, gvk: GroupVersionKind, ref: Ref) -> Target:
        resource = await self._live.kinds.resource(gvk)
        if resource is None:
            raise InvalidInput(
                f"The Kubernetes API could not find {gvk.group}/{gvk.kind} for requested resource {ref.namespace}/{ref.name}",
                hint=f'Make sure the "{gvk.kind}" CRD is installed on the destination cluster.',
            )
        return _place(resource, ref)

    def _intent(self, ref: Ref, verb: str, destroys: Destruction | None) -> Intent:
        acting = self._acting
        return Intent(
            actor=_ACTOR,
            subject=LiveObject.at(acting.cluster or "in-cluster", ref),
            verb=verb,
            why=acting.why,
            cause=acting.cause,
            change=acting.change,
            project=acting.project,
            behalf=LiveObject.at("in-cluster", acting.app.ref),
            claim=self._claim(ref),
            destroys=destroys,
            consents=acting.consents,
            namespace_policy=acting.policy,  # type: ignore[arg-type]  # read from an annotation, checked there
        )

    def _claim(self, ref: Ref) -> Claim:
        app = self._acting.app
        said = Source(object=ClusterObject(app.ref), said="what it delivers")
        return Claim(ClusterObject(ref, self._acting.cluster), app.owner, said)


def leftover(annotations: Mapping[str, str], instance: str, app: AppFacts) -> bool:
    """Whether an object may be what is left of a hook of *app*: it is marked as its own, or it is a hook and nobody's.

    Those of other engines, or with the marks of another method, are nobody's.
    """
    return instance == app.instance or (not instance and role(annotations) == "hook")


def _place(resource: Resource, ref: Ref) -> Target:
    if resource.namespaced and not ref.namespace:
        raise SchemaViolation(
            f"{ref} has no namespace", why="its kind lives in namespaces, and the destination names none"
        )
    return resource.target(ref.namespace, ref.name)


def _applying(manner: Manner) -> Writing:
    """Whether or not it is to be validated: an apply always is, and what is let through is taken off before."""
    return Writing(field_manager=MANAGER, force=True, dry_run=manner.dry)


def _writing(manner: Manner) -> Writing:
    validation = "Strict" if manner.validate else "Ignore"
    return Writing(field_manager=MANAGER, force=True, dry_run=manner.dry, validation=validation)


def _pinned(desired: JsonObject, live: Cached) -> JsonObject:
    return {**desired, "metadata": {**desired["metadata"], "resourceVersion": live.meta.resource_version}}


def _told(ref: Ref, now: Cached, live: Cached | None, manner: Manner) -> str:
    """As kubectl words it."""
    if manner.server_side and not manner.replace:
        return f"{_named(ref)} serverside-applied"
    if manner.replace and live is not None:
        return f"{_named(ref)} replaced"
    if live is None:
        return f"{_named(ref)} created"
    same = now.meta.resource_version == live.meta.resource_version
    return f"{_named(ref)} {'unchanged' if same else 'configured'}"


def _named(ref: Ref) -> str:
    return f"{ref.kind.lower()}.{ref.group}/{ref.name}" if ref.group else f"{ref.kind.lower()}/{ref.name}"
