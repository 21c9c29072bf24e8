"""Making composed resources so, and dropping what is no longer wanted. Nothing is sent where nothing would change."""

import asyncio
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NeedsConsent, NotFound, OwnedElsewhere, SchemaViolation, UnknownKind
from plumbline.base.json import JsonObject, decode, encode, encode_sorted
from plumbline.composition import marks
from plumbline.composition.composites.observing import Composed
from plumbline.composition.composites.planning import Observation, Wanted
from plumbline.composition.hands import Behalf, Hands, agreeing
from plumbline.gate.contents import held
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.kinds import Kinds
from plumbline.kube.apply.handover import entries_of, handed_over, handover
from plumbline.kube.client import Writing
from plumbline.kube.client.catalog import Resource
from plumbline.kube.diff import diff
from plumbline.kube.names import GroupVersionKind, Ref

NATIVE_MANAGER: Final = "crossplane"
"""Who applied what Crossplane composed without functions, on the client's side."""
_AGAIN: Final = Writing(field_manager=NATIVE_MANAGER)


class Unsynced(NamedTuple):
    """A composed resource that is not as it should be, and why."""

    name: str
    why: str


class _Left(NamedTuple):
    """How a composed resource was left, so that the next look can tell that nothing happened."""

    body: int
    live: int


class Applier:
    def __init__(self, hands: Hands, composed: Composed, kinds: Kinds) -> None:
        self._hands = hands
        self._composed = composed
        self._kinds = kinds
        self._left: dict[tuple[str, str], _Left] = {}

    async def apply(self, composite: JsonObject, wanted: tuple[Wanted, ...]) -> list[Unsynced]:
        """Everything at once; what one of them suffers from keeps none of the others."""
        behalf = Behalf.of("composite", composite)
        uid = composite["metadata"]["uid"]
        found = await asyncio.gather(*(self._applied(uid, behalf, each) for each in wanted))
        return [each for each in found if each is not None]

    async def _applied(self, uid: str, behalf: Behalf, wanted: Wanted) -> Unsynced | None:
        body = hash(encode_sorted(wanted.body))
        key = uid, wanted.name
        if wanted.live is not None and self._left.get(key) == _Left(body, wanted.live.entry.relevant):
            return None
        try:
            live = await self._made(behalf, wanted)
        except (InvalidInput, SchemaViolation, OwnedElsewhere, UnknownKind) as error:
            return Unsynced(wanted.name, f"cannot apply composed resource {wanted.name!r}: {error}")
        if live is not None:
            self._left[key] = _Left(body, live)
        return None

    async def _made(self, behalf: Behalf, wanted: Wanted) -> int | None:
        """Apply it where that would change anything; returns the mark of what is there then."""
        resource = await self.resource(wanted.gvk)
        manager = marks.composed_manager(behalf.ref)
        if wanted.live is not None:
            live = await self._taken_over(resource, wanted.live.object, behalf, manager)
            shape = await self._kinds.shape(wanted.gvk)
            if not diff(wanted.body, live, shape, manager=manager):
                return wanted.live.entry.relevant
        ref = wanted.ref
        if resource.namespaced and not ref.namespace:
            raise InvalidInput(
                f"{ref.kind} {ref.name} has no namespace",
                hint="Set metadata.namespace in the composition: a cluster-scoped composite has none to give.",
            )
        writing = Writing(field_manager=manager, force=True)
        target = resource.target(ref.namespace, ref.name)
        reply = await self._hands.apply(target, wanted.body, writing, behalf, f"Compose {wanted.name}")
        informer = await self._composed.informer(wanted.gvk)
        if reply is None or informer is None:
            return None
        return informer.learn(reply, lambda *_: None).relevant

    async def resource(self, gvk: GroupVersionKind) -> Resource:
        found = await self._kinds.resource(gvk)
        if found is None:
            raise UnknownKind(
                f"{gvk.kind} in {gvk.api_version} is not served here",
                why="neither a CRD nor a provider of this installation has it",
                hint="Install the CRD, or correct apiVersion and kind in the composition.",
            )
        return found

    async def _taken_over(self, resource: Resource, live: JsonObject, behalf: Behalf, manager: str) -> JsonObject:
        """What was applied on the client's side becomes ours: else fields that the composition drops would stay."""
        entries = entries_of(live) or []
        moved = handed_over(entries, (NATIVE_MANAGER,), manager)
        if moved == entries:
            return live
        ref = Ref.of(live)
        target = resource.target(ref.namespace, ref.name)
        reply = await self._hands.rewrite(target, live, encode(handover(live, moved)), _AGAIN, behalf)
        return live if reply is None else decode(reply)

    async def drop(
        self, composite: JsonObject, dropped: tuple[tuple[str, Observation], ...]
    ) -> tuple[list[Observation], list[Unsynced]]:
        """Let go of what is no longer wanted. Returns what lingers because nobody has agreed to its loss, and says so."""
        behalf = Behalf.of("composite", composite)
        lingering: list[Observation] = []
        told: list[Unsynced] = []
        for name, each in dropped:
            self._left.pop((composite["metadata"]["uid"], name), None)
            try:
                await self._dropped(behalf, each)
            except NeedsConsent as needed:
                lingering.append(each)
                told.append(Unsynced(name, agreeing(needed, behalf.ref)))
        return lingering, told

    async def _dropped(self, behalf: Behalf, each: Observation) -> None:
        ref = Ref.of(each.object)
        what = held(ref)
        losses = (Loss(str(ref), what, stateful=True),) if what else ()
        resource = await self._kinds.resource(each.gvk)
        if resource is None or each.entry.meta.deletion_timestamp:
            return
        target = resource.target(ref.namespace, ref.name)
        try:
            await self._hands.delete(target, each.object, behalf, Destruction("drop", losses), "Foreground")
        except NotFound:
            return

    def forget(self, uid: str) -> None:
        for key in [key for key in self._left if key[0] == uid]:
            del self._left[key]
