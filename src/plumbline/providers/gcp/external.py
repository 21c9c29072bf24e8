"""One kind of Google's resources in one account, by its table."""

from typing import Final, NoReturn

import msgspec

from plumbline.base.errors import AlreadyExists, NotFound, NotYet, PlumblineError, Refused, Transient
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated, merged_under
from plumbline.providers.gcp.operations import Operations, Running, failed
from plumbline.providers.gcp.places import moved, places, shown
from plumbline.providers.gcp.rest import Account, Call, ask
from plumbline.providers.gcp.shapes import (
    also_described,
    api_paths,
    changed_part,
    described,
    differences,
    late,
    normal,
    request_body,
    styled,
    written_as_lists,
)
from plumbline.providers.gcp.tables import Place, Table, Way, filled
from plumbline.providers.rest.operations import LASTING, UNDER_WAY, Purpose
from plumbline.providers.rest.secrets import Sent, connection, put_secrets, secrets_of
from plumbline.providers.rest.shapes import taken

LOOK_AGAIN_S: Final = 10.0
_OBJECTS_AT_ONCE: Final = 200


class _Found(msgspec.Struct, frozen=True):
    place: Place
    resource: JsonObject


class GcpExternal:
    """What was observed last is kept, so that an update fails if it is no longer so."""

    def __init__(self, table: Table, account: Account, operations: Operations) -> None:
        self._table = table
        self._account = account
        self._operations = operations
        self._last: _Found | None = None

    async def observe(self, managed: Managed) -> Observed:
        table, leaving = self._table, _leaving(managed)
        # What is on its way out must not be held up by a manifest or a Secret that is no longer in order.
        wanted = normal(table, managed.wanted, strict=not leaving)
        if table.abandons and leaving and wanted.get("deletionPolicy") == "ABANDON":
            return ABSENT
        running = await self._operations.look(managed.uid, table, self._account)
        self._last = found = await self._find(managed)
        if found is None:
            making = running is not None and running.purpose == "create"
            return Observed(exists=True, state="Creating", after_s=LOOK_AGAIN_S) if making else ABSENT
        sent = Sent({}, {}) if leaving else await secrets_of(table.secrets, managed, wanted)
        return await self._seen(managed, wanted, found, sent, running)

    async def create(self, managed: Managed) -> Created:
        table = self._table
        wanted = normal(table, managed.at_creation)
        self._check(managed, wanted)
        place = self._places(managed)[-1]
        sent = await secrets_of(table.secrets, managed, wanted)
        made = table.made(wanted, place)
        body = made.body if made else self._body(wanted, place, sent)
        where, method = (made.place, made.method) if made else (place, table.method(table.create))
        try:
            await self._change(managed, "create", Call(method=method, place=self._params(where), body=body))
        except AlreadyExists as taken_already:
            await self._adopt(managed, place, taken_already)
        except NotFound as missing:
            why = missing.why or "what it is part of is not there"
            hint = "It goes on when what it is part of exists."
            raise Transient(f"{managed.ref} cannot be created yet", why=why, hint=hint) from missing
        return Created(connection=connection(table.secrets, sent.wanted))

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        """One request after the other, until one of them takes time: the rest differs still when it is over."""
        table = self._table
        if final := [difference.path for difference in observed.differences if difference.replaces]:
            why = f"{', '.join(final)} cannot change while it exists"
            hint = "Set it back, or delete the resource and let it be made again if what it holds may be lost."
            raise Refused(f"{managed.ref} cannot be updated", why=why, hint=hint)
        found: _Found | None = self._last or await self._find(managed) or _gone(managed)
        wanted = normal(table, managed.wanted)
        self._check(managed, wanted)
        sent = await secrets_of(table.secrets, managed, wanted)
        ways = [way for way in table.ways if any(change.path in way.fields for change in observed.differences)]
        special = {path for way in ways for path in way.fields}
        ordinary = [change for change in observed.differences if change.path not in special]
        steps: list[Way | list[Difference]] = [*([ordinary] if ordinary else ()), *ways]
        self._last = None
        for step in steps:
            if found is None:
                found = await self._find(managed) or _gone(managed)
            call = (
                self._way(step, wanted, found, sent)
                if isinstance(step, Way)
                else self._update(wanted, found, sent, step)
            )
            if await self._change(managed, "update", call):
                break
            found = None
        return Updated(connection=connection(table.secrets, sent.wanted))

    async def delete(self, managed: Managed, observed: Observed) -> None:  # noqa: ARG002 - the seam has it
        table = self._table
        wanted = normal(table, managed.wanted, strict=False)
        found = self._last or await self._find(managed)
        if found is None:
            return
        if protection := table.protected(wanted, found.resource):
            hint = "Turn the protection off first, if what it holds may be lost."
            raise Refused(f"{managed.ref} is not deleted", why=protection, hint=hint)
        if table.emptied and wanted.get("forceDestroy"):
            await self._empty(found.place, *table.emptied)
        call = Call(method=table.method("delete"), place=self._params(found.place), unready=table.unready)
        try:
            await self._change(managed, "delete", call)
        except NotFound:
            return
        except AlreadyExists as full:
            hint = "Remove what is in it, or set forceDestroy to true if that may be lost."
            raise Refused(f"{managed.ref} is not deleted", why=full.why, hint=hint) from full

    async def _seen(
        self, managed: Managed, wanted: JsonObject, found: _Found, sent: Sent, running: Running | None
    ) -> Observed:
        table, resource = self._table, found.resource
        said = described(table, resource)
        status = table.status(resource)
        other = table.settle(differences(table, wanted, said), wanted, said)
        other += sent.differences(table.secrets) + tuple(moved(table, managed, found.place, self._account.project))
        lists = written_as_lists(table, managed.wanted)
        state = UNDER_WAY.get(running.purpose, status.state) if running else status.state
        settled = running is None and status.state in LASTING
        return Observed(
            exists=True,
            external_name=found.place["name"],
            at_provider=self._at_provider(said, found, lists=lists),
            # While an operation runs, the next one would be refused: what still differs is seen when it is over.
            differences=other if settled else (),
            late=self._late(managed, wanted, said, found.place, lists=lists) if settled else {},
            connection=await self._connection(found, sent),
            state=state,
            changing=not settled and state in LASTING,
            message=status.message,
            holds=table.holds(resource),
            protected=table.protected(wanted, resource),
            after_s=None if settled else LOOK_AGAIN_S,
        )

    def _at_provider(self, said: JsonObject, found: _Found, *, lists: bool) -> JsonObject:
        table = self._table
        own = {
            "id": filled(table.identity, found.place),
            **shown(table, found.place),
            **also_described(table, found.resource),
        }
        everything = merged_under(merged_under(table.report(found.resource, found.place), own), said)
        return styled(table, everything, lists=lists)

    def _late(self, managed: Managed, wanted: JsonObject, said: JsonObject, place: Place, *, lists: bool) -> JsonObject:
        table = self._table
        initial = normal(table, managed.initial, strict=False)
        already = merged_under(wanted, initial)
        address = {name: value for name, value in shown(table, place).items() if name not in already}
        chosen = {**address, **late(table, already, said)}
        if not lists:
            return chosen
        # Lists cannot be merged: what is inside of one that somebody has written stays as it is.
        return styled(table, {name: value for name, value in chosen.items() if name not in already}, lists=True)

    async def _connection(self, found: _Found, sent: Sent) -> dict[str, Plaintext]:
        table = self._table
        known = {key: Plaintext(value) for key, value in table.keys(found.resource, found.place).items() if value}
        for key, (method, field, switch) in table.revealed.items():
            if found.resource.get(switch) and table.status(found.resource).state == "Available":
                answer = await self._ask(Call(method=table.method(method), place=self._params(found.place)))
                known[key] = Plaintext(str(answer.get(field, "")))
        # A new password is published when Google has taken it, not before.
        return {**known, **connection(table.secrets, {**sent.wanted, **sent.before})}

    async def _find(self, managed: Managed) -> _Found | None:
        for place in self._places(managed):
            try:
                call = Call(method=self._table.method("get"), place=self._params(place), unready=self._table.unready)
                return _Found(place, await self._ask(call))
            except NotFound:
                continue
        return None

    async def _adopt(self, managed: Managed, place: Place, refused: AlreadyExists) -> None:
        """What has the name is ours if it is where we would have put it: the reply to an earlier creation was lost."""
        try:
            await self._ask(Call(method=self._table.method("get"), place=self._params(place)))
        except Transient:
            raise
        except PlumblineError as unseen:
            if self._table.hidden_at_first and isinstance(unseen, NotFound):
                why = "somebody has asked for one of the same name, and it is not there yet"
                raise NotYet(f"{managed.ref} cannot be created yet", why=why) from unseen
            hint = "Choose another name with the annotation crossplane.io/external-name."
            raise AlreadyExists(f"{managed.ref} cannot be created", why=refused.why, hint=hint) from refused

    async def _change(self, managed: Managed, purpose: Purpose, call: Call) -> bool:
        """Whether it still goes on when this returns."""
        answer = await self._ask(msgspec.structs.replace(call, unready=self._table.unready))
        if self._operations.remember(managed.uid, self._table, purpose, call.place, answer):
            return True
        if why := failed(answer):
            raise Refused(f"The operation to {purpose} {managed.ref} failed", why=why)
        return False

    async def _empty(self, place: Place, listing: str, removal: str) -> None:
        """Some of what is in it at a time: the deletion that follows is refused while something is left."""
        params = self._params(place)
        answer = await self._ask(
            Call(method=listing, place={**params, "versions": "true", "maxResults": str(_OBJECTS_AT_ONCE)})
        )
        for item in answer.get("items") or ():
            one = {**params, "object": str(item.get("name", "")), "generation": str(item.get("generation", ""))}
            try:
                await self._ask(Call(method=removal, place=one))
            except NotFound:
                continue

    def _update(self, wanted: JsonObject, found: _Found, sent: Sent, changes: list[Difference]) -> Call:
        table, project = self._table, found.place["project"]
        guard, query = table.guard(found.resource)
        if table.whole:
            return self._call(table.update, found.place, self._body(wanted, found.place, sent), query)
        if not table.mask:
            body = request_body(table, changed_part(changes), project)
            return self._call(table.update, found.place, merged_under(body, guard), query)
        mask = api_paths(table, changes)
        told = request_body(table, wanted, project)
        body = {name: told[name] for name in mask if name in told}
        if table.mask == "query":
            return self._call(table.update, found.place, body, {**query, "updateMask": ",".join(mask)})
        full = {**body, "name": self._params(found.place)["name"]}
        return self._call(table.update, found.place, {table.wrap: full, "updateMask": ",".join(mask)}, query)

    def _way(self, way: Way, wanted: JsonObject, found: _Found, sent: Sent) -> Call:
        table = self._table
        body = request_body(table, wanted, found.place["project"])
        put_secrets(table.secrets, body, sent.wanted)
        _, query = table.guard(found.resource)
        place = way.place(found.resource, found.place) if way.place else {**self._params(found.place), **query}
        return Call(method=table.method(way.method), place=place, body=way.body(body), repeated=way.query(wanted))

    def _call(self, method: str, place: Place, body: JsonObject | None, query: dict[str, str]) -> Call:
        return Call(method=self._table.method(method), place={**self._params(place), **query}, body=body)

    def _body(self, wanted: JsonObject, place: Place, sent: Sent) -> JsonObject:
        table = self._table
        body = request_body(table, wanted, place["project"])
        put_secrets(table.secrets, body, sent.wanted)
        own = {name: value for name, template in table.body.items() if (value := filled(template, place))}
        return {**own, **body}

    def _params(self, place: Place) -> dict[str, str]:
        return {**place, **{name: filled(template, place) for name, template in self._table.params.items()}}

    def _places(self, managed: Managed) -> tuple[dict[str, str], ...]:
        billing = dict(self._account.headers).get("X-Goog-User-Project", "")
        return places(self._table, managed, self._account.project, billing)

    def _check(self, managed: Managed, wanted: JsonObject) -> None:
        for field, hint in self._table.refused.items():
            if taken(wanted, field.split(".")):
                raise Refused(f"{managed.ref} cannot be used", why=f"{field} is not supported", hint=hint)

    async def _ask(self, call: Call) -> JsonObject:
        return await ask(self._account, self._table.facts, call)


def _gone(managed: Managed) -> NoReturn:
    raise Transient(f"{managed.ref} cannot be updated", why="it is no longer there")


def _leaving(managed: Managed) -> bool:
    return bool((managed.object.get("metadata") or {}).get("deletionTimestamp"))
