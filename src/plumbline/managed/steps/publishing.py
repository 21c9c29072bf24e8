"""What others are told of it: connection details, and the values that the provider has chosen."""

from plumbline.base.errors import OwnedElsewhere
from plumbline.kernel.reconciler import reports
from plumbline.managed.conditions import Held, Rest, held, words
from plumbline.managed.drift import unset
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.state import Look, Looked
from plumbline.managed.steps.kit import Kit, place_of

_AGAIN_S = 60.0


class Publishing:
    def __init__(self, kind: ManagedKind, kit: Kit) -> None:
        self._kind = kind
        self._kit = kit

    @reports("CannotPublishConnectionDetails")
    async def published(self, run: Look, at: Looked) -> Looked | Held:
        """What a creation was answered with cannot be asked for again: it is kept until it is in its Secret."""
        place = place_of(self._kind, run)
        details = {**self._kit.memory.unpublished.get(place, {}), **at.observed.connection}
        try:
            await self._kit.connections.publish(run.object, run.spec, details)
        except OwnedElsewhere as refused:
            return held("CannotPublishConnectionDetails", words(refused), _AGAIN_S)
        self._kit.memory.unpublished.pop(place, None)
        return at

    @reports("CannotUpdateManagedResource")
    async def late_initialised(self, run: Look, at: Looked) -> Looked | Rest:
        """Fields that nobody has set get the values that the provider chose, so that a change of them is seen."""
        late = unset(at.observed.late, at.wanted, at.initial) if at.policies.late_initialises else {}
        if late and not await self._kit.notes.patch(self._kind.resource, run, {"spec": {"forProvider": late}}):
            return Rest()
        return at
