"""Making it as it should be, and saying what was found. Nothing is replaced before somebody has agreed to the loss."""

from typing import Final

import msgspec

from plumbline.base.errors import NeedsConsent, OwnedElsewhere
from plumbline.kernel.conditions import Condition
from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Held, Rest, differing, had, held, readiness, words
from plumbline.managed.drift import described, fields, fingerprint, lasting
from plumbline.managed.external import Difference
from plumbline.managed.hands import agreeing, subject
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.pacing import poll_s, spread, until_slot_s
from plumbline.managed.state import Look, Looked
from plumbline.managed.steps.kit import Kit, place_of

_REPEAT_S: Final = 60.0
"""A change that was asked for and is not seen yet is not asked for again before this."""
_CONSENT_S: Final = 300.0
_UNAVAILABLE_S: Final = 60.0
_BUSY: Final = frozenset({"Creating", "Deleting"})


class Updating:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotUpdateExternalResource")
    async def updated(self, run: Look, at: Looked) -> Looked | Held | Rest:
        found = self._mended(at)
        if not found or not at.policies.updates or at.observed.changing or at.observed.state in _BUSY:
            return at
        replacing = tuple(each for each in found if each.replaces)
        if replacing:
            return await self._replaced(run, at, replacing)
        place, change = place_of(self._kind, run), fingerprint(found) + str(run.generation).encode()
        if self._kit.memory.asked_s(place, change) < _REPEAT_S:
            return msgspec.structs.replace(at, updated=True)
        observed = msgspec.structs.replace(at.observed, differences=found)
        try:
            async with self._kit.calling(run, at.config.ref, place):
                answer = await self._kit.hands.update(self._kind, at, observed)
        except OwnedElsewhere as refused:
            return held("CannotUpdateExternalResource", words(refused), _UNAVAILABLE_S, reason="OwnedElsewhere")
        if answer is None:
            return Rest()
        self._kit.memory.asks(place, change)
        self._tell(run, found)
        if answer.connection:
            await self._kit.connections.publish(run.object, run.spec, answer.connection)
        return msgspec.structs.replace(at, updated=True, kept={**at.kept, **answer.at_provider})

    async def rested(self, run: Look, at: Looked) -> Rest:
        """What was found, and when to look again."""
        place, state = place_of(self._kind, run), at.observed.state
        # While something is being changed, whether it matches stays as it was: then a later difference is told for what it is.
        compared = () if at.observed.changing else (self._up_to_date(at),)
        conditions = (readiness(at.observed), told.SUCCESS, *compared)
        every_s = poll_s(Object(run.object).annotations, self._kind.poll_s)
        if state in _BUSY or at.updated:
            soon_s = self._kit.haste.next_s(place, "Updating" if at.updated and state not in _BUSY else state)
            return Rest(at.observed.after_s or self._kit.world.ids.jitter(soon_s), conditions)
        self._kit.haste.forget(place)
        if state == "Unavailable":
            return Rest(at.observed.after_s or min(every_s, self._kit.world.ids.jitter(_UNAVAILABLE_S)), conditions)
        slot_s = until_slot_s(self._kit.world.clock.monotonic(), every_s, spread(str(place[0]), *place[1]))
        return Rest(at.observed.after_s or slot_s, conditions)

    async def _replaced(self, run: Look, at: Looked, replacing: tuple[Difference, ...]) -> Held | Rest:
        """Deleted, if somebody has agreed; the next look finds nothing and makes it anew."""
        place = place_of(self._kind, run)
        try:
            async with self._kit.calling(run, at.config.ref, place):
                asked = await self._kit.hands.replace(self._kind, at, at.observed, replacing)
        except NeedsConsent as needed:
            what = f"{subject(self._kind, at.managed)} cannot change {fields(replacing)} in place"
            message = f"{what}: it would be deleted and made anew. {agreeing(needed, at.managed)}"
            restricted = differing("UpdateRestricted", described(replacing))
            also = (readiness(at.observed), restricted)
            return held("CannotUpdateExternalResource", message, _CONSENT_S, *also, reason="NeedsConsent")
        if not asked:
            return Rest()
        run.tell("ReplacedExternalResource", f"Deleted, to be made anew with {fields(replacing)}")
        message = f"Being replaced: {fields(replacing)}"
        creating = Condition(told.READY, "False", "Creating", message)
        after_s = self._kit.haste.next_s(place, "Deleting")
        return Held("Replacing", message, after_s, (creating, told.SUCCESS, differing("UpdateRequested", message)))

    def _mended(self, at: Looked) -> tuple[Difference, ...]:
        return lasting(at.observed.differences, at.wanted, at.initial)

    def _up_to_date(self, at: Looked) -> Condition:
        found = self._mended(at)
        if not found:
            return told.MATCHED
        restricted = not at.policies.updates
        return differing("UpdateRestricted" if restricted else "UpdateRequested", described(found))

    def _tell(self, run: Look, found: tuple[Difference, ...]) -> None:
        """Where nobody has asked for anything else since it last matched, somebody has changed it outside."""
        run.tell("UpdatedExternalResource", "Successfully requested update of external resource")
        matched = had((run.object.get("status") or {}).get("conditions"), told.UP_TO_DATE)
        known = (matched.get("status"), matched.get("observedGeneration")) == ("True", run.generation)
        if known:
            run.tell("CorrectedDrift", f"Changed outside and set back: {described(found)}", warning=True)
