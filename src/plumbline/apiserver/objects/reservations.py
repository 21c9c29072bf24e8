"""Values that only one object in the cluster may have, kept for it while it is on its way into the store."""

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from plumbline.apiserver.objects.scope import Scope
from plumbline.base.json import JsonObject


class Reservations(Protocol):
    def held(self, scope: Scope, obj: JsonObject, old: JsonObject | None) -> AbstractContextManager[JsonObject]:
        """Within it: *obj* with what was given to it, and nobody else is given the same.

        Afterwards the store says what is taken: a write that failed or was only tried leaves nothing behind. Raises
        RequestRefused where there is nothing left to give, or what *obj* asks for is somebody else's.
        """


class NoReservations:
    def held(self, _: Scope, obj: JsonObject, __: JsonObject | None) -> AbstractContextManager[JsonObject]:
        return nullcontext(obj)
