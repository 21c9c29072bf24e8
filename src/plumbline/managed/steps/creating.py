"""Making it, exactly once: that it is about to be made is on record before, how it ended after."""

from typing import Final

import msgspec

from plumbline.base.errors import OwnedElsewhere, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.kernel.reconciler import reports
from plumbline.kube.object import Object
from plumbline.managed import conditions as told
from plumbline.managed.conditions import Held, Rest, held, words
from plumbline.managed.creation import (
    FAILED,
    GRACE_S,
    PENDING,
    SUCCEEDED,
    beginning,
    begun,
    certainly_not,
    failed,
    incomplete,
    settling,
    succeeded_lately,
)
from plumbline.managed.external import Created
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.spec import EXTERNAL_NAME, FINALIZER
from plumbline.managed.state import Look, Looked
from plumbline.managed.steps.kit import Kit, place_of

_UNCONFIRMED: Final = "Waiting for external resource existence to be confirmed"
_AGAIN_S: Final = 60.0
_UNSEEN_S: Final = 5.0


class Creating:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotCreateExternalResource")
    async def created(self, run: Look, at: Looked) -> Looked | Held | Rest:
        if at.observed.exists:
            return at
        if self.may_appear(run):
            creating = msgspec.structs.replace(told.CREATING, message=_UNCONFIRMED)
            return Held("Creating", _UNCONFIRMED, _UNSEEN_S, (creating,), "PendingExternalResource")
        begins = await self._begun(run, at)
        if begins is None:
            return Rest()
        try:
            async with self._kit.calling(run, at.config.ref, place_of(self._kind, run)):
                made = await self._made(run, begins)
        except OwnedElsewhere as refused:
            return held(
                "CannotCreateExternalResource", words(refused), _AGAIN_S, told.CREATING, reason="OwnedElsewhere"
            )
        if made is None:
            return Rest()
        return await self._settled(run, begins, made)

    def may_appear(self, run: Look) -> bool:
        """Whether something that was made may be there although nobody sees it yet.

        What has a name of our choosing is made again without harm. Of what the provider names, a second one could come
        of it: so it has to be missing for a while by our own clock, whatever the record says of the time.
        """
        annotations = Object(run.object).annotations
        if not begun(annotations) or failed(annotations):
            return False
        if self._kind.external_name == "chosen":
            return not incomplete(annotations) and succeeded_lately(annotations, self._kit.world.clock.now())
        return self._kit.memory.absent_for_s(place_of(self._kind, run), run.object["metadata"]["uid"]) < GRACE_S

    async def _begun(self, run: Look, at: Looked) -> Looked | None:
        """On record, in one write with all that has to be known of it later; None where nothing may be written."""
        view = Object(run.object)
        name = at.name if self._kind.external_name == "chosen" else ""
        notes: JsonObject = {PENDING: beginning(view.annotations, self._kit.world.clock.now())}
        if view.annotations.get(EXTERNAL_NAME, "") != name:
            notes[EXTERNAL_NAME] = name or None  # the name of what is gone would lead nowhere
        metadata: JsonObject = {"annotations": notes}
        if FINALIZER not in view.finalizers:
            metadata["finalizers"] = [*view.finalizers, FINALIZER]
        if not await self._kit.notes.patch(self._kind.resource, run, {"metadata": metadata}):
            return None
        self._kit.memory.present(place_of(self._kind, run))  # what is missing from here on is another
        managed = msgspec.structs.replace(at.managed, external_name=name, object=run.object)
        return msgspec.structs.replace(at, name=name, managed=managed)

    async def _made(self, run: Look, at: Looked) -> Created | None:
        try:
            return await self._kit.hands.create(self._kind, at)
        except PlumblineError as error:
            if certainly_not(error):
                annotations = Object(run.object).annotations
                over = {FAILED: settling(annotations, self._kit.world.clock.now())}
                await self._kit.notes.insist(self._kind.resource, run, over)
            raise

    async def _settled(self, run: Look, at: Looked, made: Created) -> Looked:
        annotations = Object(run.object).annotations
        name = made.external_name or at.name
        notes: JsonObject = {SUCCEEDED: settling(annotations, self._kit.world.clock.now())}
        if name and annotations.get(EXTERNAL_NAME) != name:
            notes[EXTERNAL_NAME] = name
        if made.connection:
            self._kit.memory.unpublished[place_of(self._kind, run)] = dict(made.connection)
        await self._kit.notes.insist(self._kind.resource, run, notes)
        run.tell("CreatedExternalResource", "Successfully requested creation of external resource")
        managed = msgspec.structs.replace(at.managed, external_name=name, object=run.object)
        return msgspec.structs.replace(at, name=name, managed=managed, created=made, kept=made.at_provider)
