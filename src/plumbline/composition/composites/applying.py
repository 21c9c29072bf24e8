"""Making composed resources so, and dropping what is no longer wanted. Nothing is sent where nothing would change."""

import asyncio
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NeedsConsent, NotFound, Refused, UnknownKind
from plumbline.base.json import JsonObject, encode, encode_sorted
from plumbline.composition import marks
from plumbline.composition.composites.observing import Composed
from plumbline.composition.composites.planning import Observation, Wanted
from plumbline.composition.composites.takeover import NATIVE_MANAGER, taken_over
from plumbline.gate.contents import held
from plumbline.gate.hands import Behalf, Hands, agreeing
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.kinds import Kinds
from plumbline.kube.apply.handover import entries_of, handover
from plumbline.kube.client import Writing
from plumbline.kube.client.catalog import Resource
from plumbline.kube.diff import Change, diff
from plumbline.kube.names import GroupVersionKind, Ref

_AGAIN: Final = Writing(field_manager=NATIVE_MANAGER)
_IMAGINED_NAME: Final = 40


DEEPEST: Final = 8
"""Composites of composites that are asked what would be lost with them."""


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
        found = await asyncio.gather(*(self._applied(uid, behalf, each) for each in wanted), return_exceptions=True)
        for each in found:  # only now: else some of them would still be under way when the next look begins
            if isinstance(each, BaseException):
                raise each
        return [each for each in found if isinstance(each, Unsynced)]

    async def _applied(self, uid: str, behalf: Behalf, wanted: Wanted) -> Unsynced | None:
        body = hash(encode_sorted(wanted.body))
        key = uid, wanted.name
        if wanted.live is not None and self._left.get(key) == _Left(body, wanted.live.entry.relevant):
            return None
        try:
            live = await self._made(behalf, wanted)
        except Refused as error:
            why = await self._held_elsewhere(uid, wanted) or str(error)
            return Unsynced(wanted.name, f"cannot apply composed resource {wanted.name!r}: {why}")
        if live is not None:
            self._left[key] = _Left(body, live)
        return None

    async def _made(self, behalf: Behalf, wanted: Wanted) -> int | None:
        """Apply it where that would change anything; returns the mark of what is there then."""
        resource = await self.resource(wanted.gvk)
        manager = marks.composed_manager(behalf.ref)
        if wanted.live is not None:
            if await self._is_so(resource, wanted, wanted.live, manager):
                return wanted.live.entry.relevant
            await self._take_over(resource, wanted.live.object, behalf, manager)
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
        return informer.learn(reply).relevant  # whose composite looks again: what came of it may be ready, or say more

    async def _is_so(self, resource: Resource, wanted: Wanted, there: Observation, manager: str) -> bool:
        """Whether applying would change nothing."""
        shape = await self._kinds.shape(wanted.gvk)
        live = _as_ours(there.object, manager)
        found = diff(wanted.body, live, shape, manager=manager)
        if live is there.object or not found or any(each.change is not Change.REMOVE for each in found):
            return not found
        # Whoever makes something on the client's side is recorded to hold its defaults too, which nobody ever wanted.
        metadata = {**wanted.body["metadata"], "generateName": f"{wanted.ref.name[:_IMAGINED_NAME]}-"}
        del metadata["name"]
        target = resource.target(wanted.ref.namespace)
        made = await self._hands.imagine(target, {**wanted.body, "metadata": metadata})
        return made is not None and not diff(made, live, shape, manager=manager)

    async def _held_elsewhere(self, uid: str, wanted: Wanted) -> str:
        """Who else controls what has the name of *wanted*, and the way out; empty for nobody."""
        if wanted.live is not None:
            return ""
        found = await self._composed.find(wanted.gvk, wanted.ref.namespace, wanted.ref.name)
        if found is None:
            return ""
        holders = [f"{each.kind} {each.name}" for each in found.meta.owner_references if each.controller and each.uid != uid]  # fmt: skip
        taken = f"{wanted.gvk.kind} {wanted.ref.name} is there already, and controlled by"
        return f"{taken} {holders[0]}. Give it another name in the composition" if holders else ""

    async def resource(self, gvk: GroupVersionKind) -> Resource:
        found = await self._kinds.resource(gvk)
        if found is None:
            raise UnknownKind(
                f"{gvk.kind} in {gvk.api_version} is not served here",
                why="neither a CRD nor a provider of this installation has it",
                hint="Install the CRD, or correct apiVersion and kind in the composition.",
            )
        return found

    async def _take_over(self, resource: Resource, live: JsonObject, behalf: Behalf, manager: str) -> None:
        """What was applied on the client's side becomes ours: else fields that the composition drops would stay."""
        entries = entries_of(live) or []
        moved = taken_over(entries, manager)
        if moved == entries:
            return
        ref = Ref.of(live)
        target = resource.target(ref.namespace, ref.name)
        await self._hands.rewrite(target, live, encode(handover(live, moved)), _AGAIN, behalf)

    async def drop(
        self, composite: JsonObject, dropped: tuple[tuple[str, Observation], ...]
    ) -> tuple[list[tuple[str, Observation]], list[Unsynced]]:
        """Let go of what is no longer wanted. Returns what lingers because nobody has agreed to its loss, and says so."""
        behalf = Behalf.of("composite", composite)
        lingering: list[tuple[str, Observation]] = []
        told: list[Unsynced] = []
        for name, each in dropped:
            self._left.pop((composite["metadata"]["uid"], name), None)
            try:
                await self._dropped(behalf, each)
            except NeedsConsent as needed:
                lingering.append((name, each))
                told.append(Unsynced(name, agreeing(needed, behalf.ref)))
        return lingering, told

    async def _dropped(self, behalf: Behalf, each: Observation) -> None:
        ref = Ref.of(each.object)
        losses = tuple(self._losses(each.object, DEEPEST))
        resource = await self._kinds.resource(each.gvk)
        if resource is None or each.entry.meta.deletion_timestamp:
            return
        target = resource.target(ref.namespace, ref.name)
        try:
            await self._hands.delete(target, each.object, behalf, Destruction("drop", losses), "Foreground")
        except NotFound:
            return

    def _losses(self, obj: JsonObject, levels: int) -> Iterator[Loss]:
        """What is lost with an object that is composed: itself, or what it is made of in its turn."""
        ref = Ref.of(obj)
        if what := held(ref):
            yield Loss(str(ref), what, stateful=True)
            return
        spec = obj.get("spec") or {}
        parts = spec.get("resourceRefs") or (spec.get("crossplane") or {}).get("resourceRefs") or ()
        for part in parts if levels and isinstance(parts, list) else ():
            gvk = GroupVersionKind.parse(str(part.get("apiVersion") or ""), str(part.get("kind") or ""))
            namespace = str(part.get("namespace") or ref.namespace)
            informer = self._composed.known(gvk)
            entry = informer.cache.get((namespace, str(part.get("name")))) if informer is not None else None
            known = (
                entry.object()
                if entry is not None
                else {**part, "metadata": {"name": part.get("name", ""), "namespace": namespace}}
            )
            yield from self._losses(known, levels - 1)

    def forget(self, uid: str) -> None:
        for key in [key for key in self._left if key[0] == uid]:
            del self._left[key]


def _as_ours(live: JsonObject, manager: str) -> JsonObject:
    """*live* as it would be once it is taken over: as long as nothing else is to be changed, that need not be written."""
    entries = entries_of(live) or []
    moved = taken_over(entries, manager)
    return live if moved == entries else {**live, "metadata": {**live["metadata"], "managedFields": moved}}
