"""External of every AWS kind: the table says what is asked, this says in which order and what an answer means."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import AlreadyExists, NotFound, NotYet, PlumblineError, Refused, Transient
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import ABSENT, Config, Created, Difference, Managed, Observed, Updated
from plumbline.providers.aws import faults, models
from plumbline.providers.aws.clients import Account, Clients
from plumbline.providers.aws.engine import changing, observing, reading, secrets
from plumbline.providers.aws.engine.scene import UNFINISHED_TAG, Scene, identity_tags, tag_form, tag_map
from plumbline.providers.aws.fields import known
from plumbline.providers.aws.table import Table

_NO_REGION: Final = "us-east-1"
_UNFINISHED: Final = {UNFINISHED_TAG: "true"}


class AwsConnector:
    def __init__(self, table: Table, clients: Clients) -> None:
        self._table = table
        self._clients = clients

    async def connect(self, managed: Managed, config: Config) -> "AwsExternal":
        region = str(managed.at_creation.get("region") or "") if self._table.regional else _NO_REGION
        if not region:
            raise Refused(
                f"{managed.ref} cannot be looked after",
                why="spec.forProvider.region is missing",
                hint="Say in which region it is.",
            )
        return AwsExternal(self._table, await self._clients.account(config, region))


class AwsExternal:
    def __init__(self, table: Table, account: Account) -> None:
        self._table = table
        self._known = known(table)
        self._account = account

    async def observe(self, managed: Managed) -> Observed:
        scene = Scene(self._table, managed, self._account)
        names = await reading.names_of(scene)
        found = await self._first(scene, names)
        if found is None and self._table.renames and managed.external_name:
            found = await self._first(scene, await reading.found_names(scene))
        return ABSENT if found is None else await self._observed(scene, found)

    async def _first(self, scene: Scene, names: list[str]) -> JsonObject | None:
        """What there is under the first of *names* that is ours: those found by tags may be others' for all we know."""
        sure = bool(scene.managed.external_name) or not self._table.several
        for name in names:
            scene.name = name
            found = await reading.read(scene)
            if found is not None and (sure or self._ours(scene.managed, found)):
                return found
        return None

    async def _observed(self, scene: Scene, found: JsonObject) -> Observed:
        table, managed = self._table, scene.managed
        if not managed.external_name and table.external_name == "assigned":
            self._check_ours(managed, found)
        called = models.pick(table.called, found) if table.called else None
        # Names of another form are left as they are: upstream could take over again.
        name = str((None if table.foreign and managed.external_name else called) or managed.external_name or scene.name)
        observed = observing.observation(self._known, managed, found, name)
        return await secrets.compared(table, managed, observed, found)

    def _ours(self, managed: Managed, found: JsonObject) -> bool:
        tags = self._table.tags
        if tags is None:
            return True
        said = tag_map(models.pick(tags.found, found), tags.form)
        return identity_tags(managed).items() <= said.items()

    def _check_ours(self, managed: Managed, found: JsonObject) -> None:
        """Nobody has said that it is ours: the tags have to, or a name that happens to be taken would be taken over."""
        if not self._ours(managed, found):
            raise AlreadyExists(
                f"{managed.ref} would take over a {self._table.kind} that it did not make",
                why="one with the same name exists, and its tags do not say that it belongs to this object",
                hint="Choose another name, or set the annotation crossplane.io/external-name to take it over.",
            )

    async def create(self, managed: Managed) -> Created:
        table, scene = self._table, Scene(self._table, managed, self._account)
        wanted = secrets.with_user(table, managed)
        tags = observing.wanted_tags(managed)
        said = {**tags, **_UNFINISHED} if table.after_create is not None else tags
        request = changing.creation(self._known, scene.way(table.variants, table.create), wanted, said)
        sealed = await secrets.for_creation(table, managed, request.call.operation)
        scene.name = scene.name or ("" if table.find is not None else scene.key)
        more = table.creation(scene) if table.creation else {}
        params = {
            **await scene.params(request.call.params),
            **request.params,
            **more,
            **secrets.revealed(sealed.params),
        }
        try:
            answer = await scene.call(request.call.operation, params)
        except PlumblineError as error:
            return await self._not_created(managed, error)
        found = models.pick(table.created_at, answer) or {}
        name = str((models.pick(table.called, found) if table.called else None) or scene.name).removeprefix(
            table.prefix
        )
        scene.name, scene.found = name, found if isinstance(found, dict) else {}
        await self._finish(scene, tags)
        return Created(name, {**sealed.connection, **observing.connection(table.sealed, found)})

    async def _finish(self, scene: Scene, tags: Mapping[str, str]) -> None:
        """What belongs to a creation and takes calls of its own. It is made by now: no answer here says that it is not."""
        table = self._table
        try:
            if table.tags is not None and not table.tags.member:
                await self._write_tags(scene, tags, {})
            await self._complete(scene)
        except PlumblineError as error:
            raise Transient(
                f"{scene.managed.ref} is made, but not finished", why=str(error), hint=error.hint
            ) from error

    async def _complete(self, scene: Scene) -> None:
        """Do what the table has after a creation, once more if need be, and only then say that it is done."""
        if self._table.after_create is not None:
            await self._table.after_create(scene)
            await self._write_tags(scene, {}, _UNFINISHED)

    async def _not_created(self, managed: Managed, error: PlumblineError) -> Created:
        code = faults.code_of(error)
        if faults.exists(code) or code in self._table.exists.split():
            observed = await self.observe(managed)
            if observed.exists:
                return Created(observed.external_name)
        if isinstance(error, NotFound):
            raise NotYet(
                f"{managed.ref} cannot be created yet", why=error.why, hint="It is tried again by itself once what it refers to exists."
            ) from error  # fmt: skip
        raise error

    async def _scene_of(self, managed: Managed, observed: Observed) -> Scene:
        scene = Scene(self._table, managed, self._account)
        scene.name = observed.external_name or scene.name
        scene.name = next(iter(await reading.names_of(scene)), "")
        scene.reported = observed.at_provider
        return scene

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        scene = await self._scene_of(managed, observed)
        if observing.UNFINISHED in observed.differences:
            await self._complete(scene)
        for request in changing.updates(self._known, managed.wanted, observed.differences):
            params = {**request.params, **await scene.params(request.call.params, **request.words)}
            await scene.call(request.call.operation, params)
        special = {
            difference.path: difference
            for difference in observed.differences
            if difference.path in self._table.changed.split()
        }
        if special and self._table.change is not None:
            await self._table.change(scene, special)
        for difference in observed.differences:
            if difference.path == "tags":
                await self._write_tags(scene, difference.wanted, difference.found)
        return Updated(await self._write_secrets(scene, observed.differences))

    async def _write_tags(self, scene: Scene, wanted: Mapping[str, str], found: Mapping[str, str]) -> None:
        tags = self._table.tags
        if tags is None:
            return
        gone = [key for key in found if key not in wanted]
        changed = {key: value for key, value in wanted.items() if found.get(key) != value} if tags.erase else wanted
        if gone and tags.erase is not None:
            await scene.call(
                tags.erase.operation,
                await scene.params(tags.erase.params, keys=gone, pairs=[{"Key": key} for key in gone]),
            )
        if changed:
            await scene.call(
                tags.write.operation, await scene.params(tags.write.params, tags=tag_form(changed, tags.form))
            )

    async def _write_secrets(self, scene: Scene, differences: tuple[Difference, ...]) -> Mapping[str, Plaintext]:
        sealed = await secrets.for_update(self._table, scene.managed, differences)
        if not sealed.params:
            return {}
        update = self._table.updates[0]
        params = {**await scene.params(update.params), **secrets.revealed(sealed.params)}
        await scene.call(update.operation, params)
        return sealed.connection

    async def delete(self, managed: Managed, observed: Observed) -> None:
        if observed.state == "Deleting":
            return
        if observed.protected:
            raise Refused(
                f"{managed.ref} is not deleted",
                why=observed.protected,
                hint="Turn the protection off first, if it may go.",
            )
        scene = await self._scene_of(managed, observed)
        try:
            await self._delete(scene)
        except NotFound:
            return
        except PlumblineError as error:
            if faults.code_of(error) not in self._table.ending.split():
                raise

    async def _delete(self, scene: Scene) -> None:
        if self._table.before_delete is not None:
            await self._table.before_delete(scene)
        delete = scene.way(self._table.deletes, self._table.delete)
        if delete.operation:
            more = self._table.deletion(scene) if self._table.deletion else {}
            await scene.call(delete.operation, {**await scene.params(delete.params), **more})
