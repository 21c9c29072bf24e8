"""The part of the web port that answers for secrets. No value of one goes in or out here."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from plumbline.base.documents import dump_yaml
from plumbline.base.errors import InvalidInput, TimedOut, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cached
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.externalsecrets.externalsecret import EXTERNAL_SECRET
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.names import GroupKind, GroupVersionResource, Ref
from plumbline.web.api.answers import Captured, Serve, answered, body_of
from plumbline.web.api.desk import SECRETS as CORE_SECRETS
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.ours.lists import PARAMETERS, Asked, Columns, Page, paged
from plumbline.web.api.ours.news import ShelfNews
from plumbline.web.api.ours.rights import GET, SECRETS, OurRights, Thing
from plumbline.web.api.ours.shelves import Shelf, Shelves
from plumbline.web.api.parameters import switch
from plumbline.web.api.secrets import rows
from plumbline.web.api.secrets.keys import PublicKey, SealingKeys, newest_of
from plumbline.web.api.secrets.rows import Row, SecretRow
from plumbline.web.api.secrets.sealing import SealedBody, manifest, read
from plumbline.web.api.secrets.usage import Users
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

_ALL: Final = "/api/v1/secrets"
_ONE: Final = f"{_ALL}/{{kind}}/{{namespace}}/{{name}}"
_SEALED: Final = f"{_ALL}/sealed"
_CERTIFICATE: Final = "/api/v1/sealing/certificate"
_KEYS: Final = "/api/v1/sealing/keys"
_MOST_NAMESPACES: Final = 50
"""Of one page, of which it is found out who uses what."""
_KINDS: Final = {SEALED_SECRET.kind: SEALED_SECRET.group, EXTERNAL_SECRET.kind: EXTERNAL_SECRET.group}


class Seen(NamedTuple):
    rows: list[Row]
    secrets: Shelf[SecretRow] | None
    """None where no kind is served of which Secrets come."""

    def there(self, row: Row) -> bool:
        return self.secrets is not None and self.secrets.row(rows.place(row)) is not None


_COLUMNS: Final[Columns[Row]] = Columns(
    shown={
        "name": lambda row: row.ref.name,
        "namespace": lambda row: row.ref.namespace,
        "kind": lambda row: row.ref.kind,
        "state": lambda row: row.state,
        "scope": lambda row: row.scope,
        "store": lambda row: row.store,
        "key": lambda row: row.sealed_with,
    },
    counted=("kind", "state", "namespace", "scope", "store"),
    shaped=lambda row: rows.shaped(row, there=True),
    order={"created": lambda row: row.created, "since": lambda row: row.since},
)


class SecretsApi:
    """A part of the web port. *certificate* is that of the desk where kubeseal asks, which has a key made if need be."""

    def __init__(
        self,
        desk: Desk,
        metrics: Metrics,
        key_namespace: str,
        certificate: Callable[[], Awaitable[bytes | None]],
    ) -> None:
        self._desk = desk
        self._rights = OurRights(desk)
        self._shelves = Shelves(desk.client, metrics)
        self._keys = SealingKeys(desk.client, key_namespace)
        self._users = Users(desk.client, desk.clock)
        self.feed = ShelfNews(self._rights, self._opened, self._thing).feed
        self._newest = certificate
        usage = Parameter("usage", "Whether to say who uses each", kind=bool)
        self.routes: tuple[Route, ...] = Endpoints((
            _said("GET", _ALL, self._list, "Secrets that Git or a store brings", *PARAMETERS, usage),
            _said("GET", _ONE, self._get, "One of them, and who uses it"),
            _said("GET", _CERTIFICATE, self._certificate, "What to seal against"),
            _said("GET", _KEYS, self._listed_keys, "Sealing keys, by their public halves"),
            _said("POST", _SEALED, self._seal, "A manifest of values that are sealed already", takes=SealedBody),
        )).routes  # fmt: skip

    async def run(self) -> None:
        await self._shelves.run()

    async def _list(self, request: Request, _: Captured) -> Response:
        asker, asked = await self._desk.rights.asker(request), Asked.of(request)
        wanted = switch(request, "usage", default=False)
        await self._rights.ready()
        seen = await self._seen()
        ordered = sorted(seen.rows, key=lambda row: (row.ref.name, row.ref.namespace, row.ref.kind))
        page = paged(self._rights.visible(asker, ordered, self._thing), asked, _COLUMNS)
        keys = {each.fingerprint: each for each in await self._known_keys(page)}
        found = page.shaped(lambda row: {**rows.shaped(row, there=seen.there(row)), **_key_of(row, keys)})
        if wanted:
            await self._add_usage(found["items"])
        return answered(found)

    async def _get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        await self._rights.ready()
        ref = Ref(_KINDS.get(captured["kind"], ""), captured["kind"], captured["namespace"], captured["name"])
        if not ref.group:
            raise InvalidInput(f"there is no kind {ref.kind!r} here", hint=f"There are: {', '.join(_KINDS)}.")
        seen = await self._seen()
        row = next((each for each in seen.rows if each.ref == ref), None)
        thing = self._thing(row) if row is not None else _named(ref)
        if row is None or not self._rights.may(asker, thing, GET):
            raise self._rights.absent(asker, thing)
        keys = await self._known_keys((row,))
        uses = await self._users.within(ref.namespace)
        key = thing.application
        return answered({
            **rows.shaped(row, there=seen.there(row)),
            **rows.command(row),
            **_key_of(row, {each.fingerprint: each for each in keys}),
            "usedBy": uses.of(row.secret),
            "unseen": list(uses.unseen),
            "application": {"namespace": key[0], "name": key[1]} if key is not None else None,
        })  # fmt: skip

    async def _certificate(self, request: Request, _: Captured) -> Response:
        """For everybody who is logged in: whoever has it can seal and nothing else."""
        await self._desk.rights.asker(request)
        from plumbline.secrets.sealing.certificates import certificate_of  # noqa: PLC0415 - cryptography, which few need

        pem = await self._newest()
        if pem is None:
            raise TimedOut("there is no sealing key yet", hint="One is being made; ask again in a moment.")
        found = certificate_of(pem)
        expired = self._desk.clock.now() > found.not_after
        return answered({
            "pem": found.pem.decode(),
            "fingerprint": found.fingerprint,
            "bits": found.public.key_size,
            "madeAt": found.not_before.isoformat(),
            "expiresAt": found.not_after.isoformat(),
            "expired": expired,
        })  # fmt: skip

    async def _listed_keys(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        self._desk.rights.demand(asker, SECRETS, GET, "sealing/keys")
        keys = await self._keys.listed()
        newest = newest_of(keys)
        bare = [each.name for each in keys if each.active and not each.exported]
        found: JsonObject = {"items": [each.shaped(newest) for each in keys]}
        if bare:
            said = "1 key exists" if len(bare) == 1 else f"{len(bare)} keys exist"
            found["warning"] = f"{said} nowhere but in this cluster: what is sealed is lost if the cluster is"
            found["command"] = "plumb keys export"
        return answered(found)

    async def _seal(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        sealed = read(await body_of(request))
        self._desk.rights.demand(asker, SECRETS, "create", f"{sealed.namespace}/{sealed.name}")
        made = manifest(sealed, await self._keys.listed())
        return answered({"manifest": made, "yaml": dump_yaml(made), "file": rows.file_of(sealed.name)})

    async def _seen(self) -> Seen:
        shelves = await self._opened()
        if not shelves:
            return Seen([], None)
        secrets = await self._shelves.shelf(CORE_SECRETS, rows.secret, content=False)
        return Seen([row for shelf in shelves.values() for row in shelf.rows()], secrets)

    async def _opened(self) -> dict[GroupKind, Shelf[Row]]:
        """Of the kinds that somebody has brought."""
        kinds = {SEALED_SECRET.group_kind: rows.sealed, EXTERNAL_SECRET.group_kind: rows.external}
        async with task_group() as group:
            asked = {kind: group.create_task(self._shelf(kind, make)) for kind, make in kinds.items()}
        return {kind: shelf for kind, task in asked.items() if (shelf := task.result()) is not None}

    async def _shelf(self, kind: GroupKind, make: Callable[[Cached], Row]) -> Shelf[Row] | None:
        """None where nobody has brought the kind."""
        try:
            found = await self._desk.client.discovery.resource(kind)
        except UnknownKind:
            return None
        return await self._shelves.shelf(GroupVersionResource(*found.gvr), make)

    async def _known_keys(self, page: Page[Row] | tuple[Row, ...]) -> list[PublicKey]:
        listed = page.rows if isinstance(page, Page) else page
        return await self._keys.listed() if any(row.sealed_with for row in listed) else []

    async def _add_usage(self, items: list[JsonObject]) -> None:
        namespaces = list(dict.fromkeys(str(each["namespace"]) for each in items))[:_MOST_NAMESPACES]
        async with task_group() as group:
            asked = {each: group.create_task(self._users.within(each)) for each in namespaces}
        for item in items:
            task = asked.get(str(item["namespace"]))
            if task is not None:
                item["usedBy"] = task.result().of(str(item["secret"]))

    def _thing(self, row: Row) -> Thing:
        return _named(row.ref)._replace(application=self._rights.application_of(row.marks, row.ref))


def _named(ref: Ref) -> Thing:
    return Thing(SECRETS, f"{ref.namespace}/{ref.name}", ref)


def _key_of(row: Row, keys: dict[str, PublicKey]) -> JsonObject:
    """The key that sealed it, where that was noted and is still here."""
    if not row.sealed_with:
        return {}
    known = keys.get(row.sealed_with)
    if known is None:
        return {"key": {"fingerprint": row.sealed_with, "known": False}}
    newest = newest_of(sorted(keys.values(), key=lambda key: (key.made, key.name), reverse=True))
    return {"key": {**known.shaped(newest), "known": True}}


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="secrets", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
