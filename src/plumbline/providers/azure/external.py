"""One kind of Azure's resources in one subscription, by its table."""

from typing import Final, NoReturn

import msgspec

from plumbline.base.errors import AlreadyExists, Forbidden, NotFound, Refused, Transient
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated, merged_under
from plumbline.providers.azure.arm import Account, Call, ask
from plumbline.providers.azure.locks import locked
from plumbline.providers.azure.operations import LOOK_AGAIN_S, Operations, Running
from plumbline.providers.azure.places import ids, moved, name_of, parsed, recorded_id, shown
from plumbline.providers.azure.shapes import (
    also_described,
    changed_body,
    described,
    differences,
    folded,
    late,
    normal,
    own_tags,
    request_body,
    styled,
    tag_differences,
    wanted_tags,
    written_as_lists,
)
from plumbline.providers.azure.tables import Table
from plumbline.providers.rest.operations import LASTING, UNDER_WAY, Purpose
from plumbline.providers.rest.secrets import Sent, connection, put_secrets, secrets_of

_RESTART: Final = Difference("value", "(in effect)", "(waits for a restart of the server)")


class _Found(msgspec.Struct, frozen=True):
    id: str
    resource: JsonObject


class AzureExternal:
    """What was observed last is kept for the update that follows."""

    def __init__(self, table: Table, account: Account, operations: Operations) -> None:
        self._table = table
        self._account = account
        self._operations = operations
        self._last: _Found | None = None
        self._absent = False
        """Whether it has just been seen that there is none."""

    async def observe(self, managed: Managed) -> Observed:
        table, leaving = self._table, _leaving(managed)
        # What is on its way out must not be held up by a manifest or a Secret that is no longer in order.
        wanted = normal(table, managed.wanted, strict=not leaving)
        running = await self._operations.look(managed.uid, self._account)
        self._last = found = await self._find(managed)
        self._absent = found is None
        if found is None:
            making = running is not None and running.purpose == "create"
            return Observed(exists=True, state="Creating", after_s=running.after_s) if running and making else ABSENT
        if self._untouched(managed, found, leaving=leaving):
            self._absent = True
            return ABSENT
        sent = Sent({}, {}) if leaving else await secrets_of(table.secrets, managed, wanted)
        seen = self._seen(managed, wanted, found, sent, running)
        return await self._protected(seen, found) if leaving else seen

    async def create(self, managed: Managed) -> Created:
        """Azure's PUT would change what is already there: it is only sent where nothing is."""
        table = self._table
        wanted = normal(table, managed.at_creation)
        self._check(managed, wanted)
        sent = await secrets_of(table.secrets, managed, wanted)
        place = ids(table, managed, self._account.subscription)[-1]
        absent, self._absent = self._absent, False
        found = None if absent else await self._find(managed)
        if found is None or (table.reset is not None and not table.reset.ours(found.resource)):
            body = request_body(table, wanted, "create")
            put_secrets(table.secrets, body, sent.wanted)
            await self._put(managed, place, self._complete(managed, body))
        assigned = place if table.named_by else ""
        return Created(external_name=assigned, connection=connection(table.secrets, sent.wanted))

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        """One request after the other, until one of them takes time: the rest differs still when it is over."""
        table = self._table
        if final := [difference.path for difference in observed.differences if difference.replaces]:
            why = f"{', '.join(final)} cannot change while it exists"
            hint = "Set it back, or delete the resource and let it be made again if what it holds may be lost."
            raise Refused(f"{managed.ref} cannot be updated", why=why, hint=hint)
        found = self._last or await self._find(managed) or _gone(managed)
        wanted = normal(table, managed.wanted)
        self._check(managed, wanted)
        sent = await secrets_of(table.secrets, managed, wanted)
        for changes in self._steps(observed.differences):
            if await self._change(managed, "update", self._update(managed, wanted, found, sent, changes)):
                break
        self._last = None
        return Updated(connection=connection(table.secrets, sent.wanted))

    async def delete(self, managed: Managed, observed: Observed) -> None:
        table = self._table
        if observed.protected:
            hint = "Take away what protects it first, if it may be lost."
            raise Refused(f"{managed.ref} is not deleted", why=observed.protected, hint=hint)
        found = self._last or await self._find(managed)
        if found is None:
            return
        call = Call(verb="DELETE", path=found.id, version=table.version)
        if table.reset is not None:
            body = table.reset.body(found.resource)
            call = Call(verb="PATCH", path=found.id, version=table.version, body=body)
        try:
            await self._change(managed, "delete", call)
        except NotFound:
            return

    def _seen(
        self, managed: Managed, wanted: JsonObject, found: _Found, sent: Sent, running: Running | None
    ) -> Observed:
        table, resource = self._table, found.resource
        said = described(table, resource)
        status = table.status(resource)
        other = differences(table, wanted, said) + sent.differences(table.secrets)
        other += tuple(moved(table, managed, found.id)) + self._restart(found)
        if table.tagged:
            other += tag_differences(managed, resource)
        lists = written_as_lists(table, managed.wanted)
        state = UNDER_WAY.get(running.purpose, status.state) if running else status.state
        settled = running is None and not status.busy and status.state in LASTING
        return Observed(
            exists=True,
            external_name=found.id if table.named_by else name_of(found.id),
            at_provider=self._at_provider(said, found, lists=lists),
            # While an operation runs, the next one would be refused: what still differs is seen when it is over.
            differences=other if settled else (),
            late=self._late(managed, wanted, said, lists=lists) if settled else {},
            connection=self._connection(found, sent),
            state=state,
            changing=not settled and state in LASTING,
            message=status.message,
            holds=table.holds(resource),
            after_s=None if settled else running.after_s if running else LOOK_AGAIN_S,
        )

    def _at_provider(self, said: JsonObject, found: _Found, *, lists: bool) -> JsonObject:
        table = self._table
        tags = {"tags": found.resource["tags"]} if table.tagged and found.resource.get("tags") else {}
        own = {**shown(table, found.id), **also_described(table, found.resource), **tags}
        return styled(table, merged_under(own, said), lists=lists)

    def _late(self, managed: Managed, wanted: JsonObject, said: JsonObject, *, lists: bool) -> JsonObject:
        table = self._table
        already = merged_under(wanted, normal(table, managed.initial, strict=False))
        chosen = late(table, already, said)
        if not lists:
            return chosen
        # Lists cannot be merged: what is inside of one that somebody has written stays as it is.
        return styled(table, {name: value for name, value in chosen.items() if name not in already}, lists=True)

    def _connection(self, found: _Found, sent: Sent) -> dict[str, Plaintext]:
        table = self._table
        known = {key: Plaintext(value) for key, value in table.keys(found.resource).items() if value}
        # A new password is published when Azure has taken it, not before.
        return {**known, **connection(table.secrets, {**sent.wanted, **sent.before})}

    def _untouched(self, managed: Managed, found: _Found, *, leaving: bool) -> bool:
        """For what is always there: whether nobody has set it, or it is as it was before somebody did."""
        reset = self._table.reset
        if reset is None:
            return False
        if leaving:
            return reset.undone(found.resource)
        return not (recorded_id(self._table, managed) or reset.ours(found.resource))

    def _restart(self, found: _Found) -> tuple[Difference, ...]:
        waits = (found.resource.get("properties") or {}).get("isConfigPendingRestart")
        return (_RESTART,) if self._table.restarts and self._account.restarts and waits else ()

    async def _protected(self, seen: Observed, found: _Found) -> Observed:
        """With why Azure would not delete it, or why we do not: a group goes with all that is in it."""
        table = self._table
        if table.reset is None and (why := await locked(self._account, found.id, table)):
            return msgspec.structs.replace(seen, protected=why)
        if table.contains and (why := await self._filled(found)):
            return msgspec.structs.replace(seen, protected=why, after_s=seen.after_s or LOOK_AGAIN_S)
        return seen

    async def _filled(self, found: _Found) -> str:
        path = f"{found.id}/{self._table.contains}"
        try:
            answer = await ask(self._account, Call(verb="GET", path=path, version=self._table.version))
        except (Forbidden, NotFound):
            return ""
        inside = [name_of(str(item.get("id", ""))) for item in answer.body.get("value") or ()]
        shown_ = ", ".join(inside[:3]) + (", ..." if len(inside) > 3 else "")  # noqa: PLR2004 - enough to know it by
        return f"there is something in it still: {shown_}" if inside else ""

    async def _find(self, managed: Managed) -> _Found | None:
        for place in ids(self._table, managed, self._account.subscription):
            try:
                answer = await ask(self._account, Call(verb="GET", path=place, version=self._table.version))
            except NotFound:
                continue
            return _Found(place, answer.body)
        return None

    async def _put(self, managed: Managed, place: str, body: JsonObject) -> None:
        try:
            call = Call(verb="PUT", path=place, version=self._table.version, body=body)
            await self._change(managed, "create", call)
        except NotFound as missing:
            why = missing.why or "what it is part of is not there"
            hint = "It goes on when what it is part of exists."
            raise Transient(f"{managed.ref} cannot be created yet", why=why, hint=hint) from missing
        except AlreadyExists as elsewhere:
            hint = "Choose another name with the annotation crossplane.io/external-name."
            raise AlreadyExists(f"{managed.ref} cannot be created", why=elsewhere.why, hint=hint) from elsewhere

    async def _change(self, managed: Managed, purpose: Purpose, call: Call) -> bool:
        """Whether it still goes on when this returns."""
        return self._operations.remember(managed.uid, purpose, await ask(self._account, call))

    def _steps(self, changes: tuple[Difference, ...]) -> list[list[Difference]]:
        special = {path for group in self._table.alone for path in group}
        groups = [[change for change in changes if change.path in group] for group in self._table.alone]
        restart = [change for change in changes if change is _RESTART]
        ordinary = [change for change in changes if change.path not in special and change is not _RESTART]
        return [group for group in (*groups, ordinary, restart) if group]

    def _update(
        self, managed: Managed, wanted: JsonObject, found: _Found, sent: Sent, changes: list[Difference]
    ) -> Call:
        table = self._table
        if changes == [_RESTART]:
            server = (parsed(table, found.id) or {})[table.restarts]
            return Call(verb="POST", path=f"{server}/restart", version=table.version, body={})
        if table.update == "PUT":
            body = self._complete(managed, request_body(table, wanted, "update"))
            return Call(verb="PUT", path=found.id, version=table.version, body=body)
        paths = {change.path for change in changes}
        secret = {field.field for field in table.secrets}
        body = changed_body(table, wanted, [change for change in changes if change.path not in {"tags", *secret}])
        if "tags" in paths:
            body["tags"] = {**own_tags(found.resource), **wanted_tags(managed)}
        put_secrets(table.secrets, body, {field: value for field, value in sent.wanted.items() if field in paths})
        return Call(verb="PATCH", path=found.id, version=table.version, body=body)

    def _complete(self, managed: Managed, body: JsonObject) -> JsonObject:
        if "location" in body:
            body = {**body, "location": folded(str(body["location"]))}
        return {**body, "tags": wanted_tags(managed)} if self._table.tagged else body

    def _check(self, managed: Managed, wanted: JsonObject) -> None:
        for field, hint in self._table.refused.items():
            if field in wanted:
                raise Refused(f"{managed.ref} cannot be used", why=f"{field} is not supported", hint=hint)


def _gone(managed: Managed) -> NoReturn:
    raise Transient(f"{managed.ref} cannot be updated", why="it is no longer there")


def _leaving(managed: Managed) -> bool:
    return bool((managed.object.get("metadata") or {}).get("deletionTimestamp"))
