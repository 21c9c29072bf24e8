"""Who may see and do what with things that Argo CD has no resources for.

There are two roads. A policy names the thing itself (`p, role:dba, terraform, approve, shop/network, allow`). Or an
Application delivers it: whoever may get the Application sees it, and whoever may do `action/GROUP/KIND/ACTION` to the
Application may do that to it. A line that denies it by its own name closes both.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

from plumbline.base.errors import Forbidden, NotFound
from plumbline.base.json import decode, encode
from plumbline.delivery.live.collection import instance_of
from plumbline.kernel.cache import Key, Meta
from plumbline.kube.names import Ref
from plumbline.web.api.answers import denied
from plumbline.web.api.desk import Desk
from plumbline.web.api.rights import APPLICATIONS, Asker, who
from plumbline.web.board import Row

INFRASTRUCTURE: Final = "infrastructure"
TERRAFORM: Final = "terraform"
SECRETS: Final = "secrets"
CHANGES: Final = "changes"
GET: Final = "get"
_NOTHING: Final = Ref("", "", "", "")

T = TypeVar("T")


class Thing(NamedTuple):
    """Something that a policy can be asked about."""

    resource: str
    name: str
    """What policies call it."""
    ref: Ref
    application: Key | None = None
    """The Application that says it delivers it."""


class OurRights:
    """Asks the policy that counts now, and knows Applications by their rows."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ready(self) -> None:
        """Applications are known once this returns."""
        await self._desk.board.rows()

    def application_of(self, marks: Meta, ref: Ref) -> Key | None:
        """Which Application delivers an object, as its marks say."""
        tracking = self._desk.installation.settings.tracking
        instance = instance_of(marks, ref, tracking)
        namespace, separator, name = instance.partition("_")
        if not instance:
            return None
        return (namespace, name) if separator else (tracking.namespace, instance)

    def sees(self, asker: Asker) -> Callable[[Thing], bool]:
        """Whether *asker* may see a thing, for many of them. Only once it is `ready`."""
        allowed: dict[str, Callable[[str], bool]] = {}
        applications: dict[Key, bool] = {}

        def seen(thing: Thing) -> bool:
            may = allowed.get(thing.resource)
            if may is None:
                may = allowed[thing.resource] = self._desk.rights.sees(asker, thing.resource)
            if may(thing.name):
                return True
            key = thing.application
            if key is None:
                return False
            through = applications.get(key)
            if through is None:
                through = applications[key] = self.sees_application(asker, key)
            return through and not self._closed(asker, thing, GET)

        return seen

    def scope(self, *things: Thing) -> str:
        """What of one thing, under one name and for any number of Applications, a policy alone can decide about."""
        rows = (self._row(thing) for thing in things)
        called = [self._called(row) for row in rows if row is not None and self._desk.sight.looked_at(row.namespace)]
        return encode([things[0].resource, things[0].name, *dict.fromkeys(called)]).decode()

    def sees_scope(self, asker: Asker, scope: str) -> bool:
        """As `sees` would say it of the things that the scope is of."""
        resource, name, *applications = decode(scope, type=list[str])
        rights = self._desk.rights
        if rights.may(asker, resource, GET, name):
            return True
        through = any(rights.may(asker, APPLICATIONS, GET, each) for each in applications)
        return through and not self._closed(asker, Thing(resource, name, _NOTHING), GET)

    def visible(self, asker: Asker, rows: Iterable[T], thing: Callable[[T], Thing]) -> list[T]:
        seen = self.sees(asker)
        return [row for row in rows if seen(thing(row))]

    def sees_application(self, asker: Asker, key: Key) -> bool:
        row = self._desk.board.row(key)
        if row is None:
            return False
        return self._desk.sight.sees(row, who(asker), self._desk.rights.sees(asker, APPLICATIONS))

    def may(self, asker: Asker, thing: Thing, action: str) -> bool:
        if action == GET:
            return self.sees(asker)(thing)
        rights = self._desk.rights
        if rights.may(asker, thing.resource, action, thing.name):
            return True
        row = self._row(thing)
        if row is None or not self.sees_application(asker, row.key) or self._closed(asker, thing, action):
            return False
        road = f"action/{thing.ref.group}/{thing.ref.kind}/{action}"
        return rights.may(asker, APPLICATIONS, road, self._called(row))

    def demand(self, asker: Asker, thing: Thing, action: str) -> None:
        """Raises Forbidden with what would allow it. Only for things that *asker* may see."""
        if self.may(asker, thing, action):
            return
        decision = self._desk.rights.decide(asker, thing.resource, action, thing.name)
        said = f"permission denied: {thing.resource}, {action}, {thing.name}, sub: {asker.name}"
        raise Forbidden(
            said, why=decision.why, hint=f"See: plumb account can-i {action} {thing.resource} '{thing.name}'."
        )

    def absent(self, asker: Asker, thing: Thing) -> Forbidden | NotFound:
        """What is answered about something that is not there, or not for *asker*: the same in either case.

        Whoever may see it by its name, whatever delivers it, learns that there is none.
        """
        if self._desk.rights.may(asker, thing.resource, GET, thing.name):
            return NotFound(f"there is no {thing.ref.kind} {thing.ref.namespace}/{thing.ref.name}")
        return denied()

    def project_of(self, key: Key | None) -> str:
        """Of an Application that is there."""
        row = self._desk.board.row(key) if key is not None else None
        return row.project if row is not None else ""

    def _closed(self, asker: Asker, thing: Thing, action: str) -> bool:
        decision = self._desk.rights.decide(asker, thing.resource, action, thing.name)
        return not decision.allowed and bool(decision.line)

    def _row(self, thing: Thing) -> Row | None:
        return self._desk.board.row(thing.application) if thing.application is not None else None

    def _called(self, row: Row) -> str:
        return self._desk.sight.named(row.project, row.namespace, row.name)
