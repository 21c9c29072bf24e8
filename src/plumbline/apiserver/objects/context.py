"""What every operation on objects needs, and what is common to them."""

import msgspec

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import Admission
from plumbline.apiserver.objects.reservations import NoReservations, Reservations
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.storage.encoding import under_revision
from plumbline.apiserver.storage.entries import Entry
from plumbline.apiserver.storage.store import Encode, Store
from plumbline.apiserver.strategies.writing import Writing
from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.kube.apply import Writer

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


class Context(msgspec.Struct, frozen=True):
    store: Store
    clock: Clock
    ids: Ids
    admission: Admission
    reservations: Reservations = msgspec.field(default_factory=NoReservations)

    async def live(self, scope: Scope, entry: Entry) -> JsonObject:
        """A stored object in the version of the request."""
        model, obj = scope.model, entry.object()
        if not model.remote:
            return model.served(obj)
        (served,) = await model.converted((obj,), model.resource.kind.api_version)
        return served

    async def stored(self, scope: Scope, obj: JsonObject) -> Encode:
        """*obj* as it is written: in the version in which objects are stored, under a revision to come."""
        model = scope.model
        if not model.remote:
            return under_revision(model.stored(obj))
        (stored,) = await model.converted((obj,), model.resource.storage_kind.api_version)
        return under_revision(stored)

    def writer(self, scope: Scope) -> Writer:
        kind = scope.resource.kind
        return Writer(scope.manager, kind.api_version, rfc3339(self.clock.now()), scope.subresource)

    def writing(self, scope: Scope) -> Writing:
        return Writing(rfc3339(self.clock.now()), scope.identity, scope.warnings, self.ids)


def missing(scope: Scope, name: str = "") -> RequestRefused:
    return statuses.not_found(scope.resource.kind.group, scope.resource.plural, name or scope.name)


def conflict(scope: Scope, why: str = MODIFIED) -> RequestRefused:
    return statuses.conflict(scope.resource.kind.group, scope.resource.plural, scope.name, why)
