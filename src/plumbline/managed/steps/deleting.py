"""Taking it away with the object that stands for it, if that is what was asked for."""

from typing import Final

import msgspec

from plumbline.base.errors import NeedsConsent, OwnedElsewhere
from plumbline.kernel.conditions import Condition
from plumbline.kernel.outcomes import Done
from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Halted, Held, held, words
from plumbline.managed.creation import GRACE_S, begun, failed, incomplete, succeeded_lately
from plumbline.managed.descent import Asked
from plumbline.managed.hands import agreeing, timed
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.spec import FINALIZER
from plumbline.managed.state import Look, Looked
from plumbline.managed.steps.kit import Kit, place_of

_OTHERS_S: Final = 30.0
_PROTECTED_S: Final = 60.0
_CONSENT_S: Final = 300.0
_UNSEEN_S: Final = 5.0
_PROTECTION: Final = "rotection"
"""As in `deletionProtection`, and in `deletionProtectionEnabled`."""
_UNSEEN: Final = "Waiting for what was just made to show itself"
_DIRECT: Final = Asked("deletion")


class Deleting:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotDeleteExternalResource")
    async def deleted(self, run: Look, at: Looked) -> Done | Held | Halted:
        others = sorted(set(Object(run.object).finalizers) - {FINALIZER})
        if others:
            message = f"Waiting until {', '.join(others)} let go of it"
            return Held("Deleting", message, _OTHERS_S, (_deleting(message),))
        if not at.observed.exists:
            return self._gone(run)
        if at.observed.protected:
            return await self._protected(run, at)
        if at.observed.state == "Deleting":
            return self._going(run, at.observed.message)
        try:
            asked = await self._asked_for(run, at)
        except NeedsConsent as needed:
            message = agreeing(needed, at.managed)
            return held("CannotDeleteExternalResource", message, _CONSENT_S, told.DELETING, reason="NeedsConsent")
        except OwnedElsewhere as refused:
            return held(
                "CannotDeleteExternalResource", words(refused), _PROTECTED_S, told.DELETING, reason="OwnedElsewhere"
            )
        return await self._confirmed(run, at) if asked else Halted("Observing", "This installation only observes it")

    async def _protected(self, run: Look, at: Looked) -> Held:
        """Protection stays until the manifest takes it off, which may be after the deletion was asked for."""
        lifted = tuple(each for each in at.observed.differences if _PROTECTION in each.path and each.wanted is False)
        if not lifted or not at.policies.updates:
            message = f"delete failed: {at.observed.protected}"
            after_s = self._unprotected_s(run) if at.observed.after_s else _PROTECTED_S
            return held("CannotDeleteExternalResource", message, after_s, told.DELETING, reason="Protected")
        async with self._kit.calling(run, at.config.ref, place_of(self._kind, run)):
            await self._kit.hands.update(self._kind, at, msgspec.structs.replace(at.observed, differences=lifted))
        return self._going(run, "Its protection is being taken off")

    def _unprotected_s(self, run: Look) -> float:
        """What the provider wants looked at again ends by itself, as a group does that is emptied at the same time."""
        return self._kit.world.ids.jitter(self._kit.haste.next_s(place_of(self._kind, run), "Protected"))

    async def _asked_for(self, run: Look, at: Looked) -> bool:
        holds = at.observed.holds or self._kind.holds
        asked = await self._kit.descents.asked(run.object, self._kind.resource) if holds else _DIRECT
        async with self._kit.calling(run, at.config.ref, place_of(self._kind, run)):
            return await self._kit.hands.delete(self._kind, at, at.observed, asked)

    async def _confirmed(self, run: Look, at: Looked) -> Done | Held:
        """Most things are gone at once: looked at in the same look."""
        self._kit.memory.deleting.add(place_of(self._kind, run))
        run.tell("DeletedExternalResource", "Successfully requested deletion of external resource")
        async with self._kit.calling(run, at.config.ref, place_of(self._kind, run)):
            found = await timed(at.external.observe(at.managed), f"observing {at.managed.ref}")
        return self._going(run, found.message) if found.exists else Done()

    def _gone(self, run: Look) -> Done | Held:
        """What was made a moment ago may be there although nobody sees it yet: then it would be left behind."""
        if self._unseen(run):
            return Held("Deleting", _UNSEEN, _UNSEEN_S, (_deleting(_UNSEEN),))
        return Done()

    def _unseen(self, run: Look) -> bool:
        annotations, place = Object(run.object).annotations, place_of(self._kind, run)
        if place in self._kit.memory.deleting or not begun(annotations) or failed(annotations):
            return False
        if not incomplete(annotations) and not succeeded_lately(annotations, self._kit.world.clock.now()):
            return False
        return self._kit.memory.absent_for_s(place, run.object["metadata"]["uid"]) < GRACE_S

    def _going(self, run: Look, message: str) -> Held:
        after_s = self._kit.world.ids.jitter(self._kit.haste.next_s(place_of(self._kind, run), "Deleting"))
        return Held("Deleting", message, after_s, (_deleting(message), told.SUCCESS))


def _deleting(message: str) -> Condition:
    return msgspec.structs.replace(told.DELETING, message=message)
