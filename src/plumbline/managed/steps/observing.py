"""What is there, and what has to be written down before anything else is done."""

from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Held, Rest, held
from plumbline.managed.creation import SUCCEEDED, incomplete, settling
from plumbline.managed.external import Observed
from plumbline.managed.hands import timed
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.spec import EXTERNAL_NAME, FINALIZER
from plumbline.managed.state import Connected, Look, Looked, grown
from plumbline.managed.steps.kit import Kit, place_of

_AGAIN_S: Final = 60.0
_MISSING: Final = "observe failed: external resource does not exist"
_UNCONFIRMED: Final = "Waiting for external resource existence to be confirmed"


class Observing:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotObserveExternalResource")
    async def observed(self, run: Look, at: Connected) -> Looked | Held:
        found = await self._observe(run, at)
        if not found.exists and not run.deleting and not at.policies.creates:
            return held("CannotObserveExternalResource", _MISSING, _AGAIN_S)
        return grown(at, Looked, observed=found)

    async def kept(self, run: Look, at: Looked) -> Looked | Rest:
        """Its name as the provider knows it, that it was made after all, and our finalizer: whatever is missing, at once."""
        if not at.observed.exists:
            return at
        annotations = Object(run.object).annotations
        name = at.observed.external_name or at.name
        notes: JsonObject = {}
        if name and annotations.get(EXTERNAL_NAME) != name:
            notes[EXTERNAL_NAME] = name
        if incomplete(annotations):
            notes[SUCCEEDED] = settling(annotations, self._kit.world.clock.now())
        metadata: JsonObject = {"annotations": notes} if notes else {}
        finalizers = Object(run.object).finalizers
        if not run.deleting and FINALIZER not in finalizers:
            metadata["finalizers"] = [*finalizers, FINALIZER]
        if metadata and not await self._kit.notes.patch(self._kind.resource, run, {"metadata": metadata}):
            return Rest()
        managed = msgspec.structs.replace(at.managed, external_name=name, object=run.object)
        return msgspec.structs.replace(at, name=name, managed=managed)

    @reports("CannotObserveExternalResource")
    async def confirmed(self, run: Look, at: Looked) -> Looked | Held:
        """What was just made is looked at in the same look: most things are there at once."""
        if at.created is None:
            return at
        found = await self._observe(run, at)
        if found.exists:
            return msgspec.structs.replace(at, observed=found)
        after_s = self._kit.haste.next_s(place_of(self._kind, run), "Creating")
        creating = msgspec.structs.replace(told.CREATING, message=_UNCONFIRMED)
        return Held("Creating", _UNCONFIRMED, after_s, (creating, told.SUCCESS))

    async def _observe(self, run: Look, at: Connected) -> Observed:
        place = place_of(self._kind, run)
        async with self._kit.calling(run, at.config.ref, place):
            found = await timed(at.external.observe(at.managed), f"observing {at.managed.ref}")
        if found.exists:
            self._kit.memory.present(place)
        return found
