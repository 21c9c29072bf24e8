"""The part of the web port that answers for claims and for what a platform offers."""

import asyncio
from typing import Final

from plumbline.base.errors import TimedOut
from plumbline.base.json import JsonObject, encode
from plumbline.composition.parts import below
from plumbline.composition.tracing.branches import Unlisted
from plumbline.composition.tracing.causes import nodes, sentence
from plumbline.composition.tracing.growing import Growing, events_of
from plumbline.kernel.cache import Cached, Relevance, cached
from plumbline.kernel.metrics import Metrics
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.names import GroupKind, Ref
from plumbline.web.api.answers import Captured, Serve, answered
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.infrastructure import definitions, rows
from plumbline.web.api.infrastructure.asking import NOWHERE, Claims
from plumbline.web.api.infrastructure.definitions import Definition
from plumbline.web.api.infrastructure.news import ClaimNews
from plumbline.web.api.infrastructure.nodes import Drawing
from plumbline.web.api.infrastructure.rows import Row
from plumbline.web.api.infrastructure.simulations import simulations
from plumbline.web.api.ours.lists import PARAMETERS, Asked, Columns, paged
from plumbline.web.api.ours.rights import GET, INFRASTRUCTURE, OurRights, Thing
from plumbline.web.api.ours.shelves import Shelves
from plumbline.web.api.rights import Asker
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

_CLAIMS: Final = "/api/v1/claims"
_ONE: Final = f"{_CLAIMS}/{{group}}/{{kind}}/{{namespace}}/{{name}}"
_DEFINITIONS: Final = "/api/v1/definitions"
_TREES_AT_ONCE: Final = 4
_TREE_S: Final = 30.0
_EVENTS: Final = 20
_WORST_FIRST: Final = {"wrong": 0, "waiting": 1, "well": 2}
_COLUMNS: Final[Columns[Row]] = Columns(
    shown={
        "name": lambda row: row.ref.name,
        "namespace": lambda row: row.ref.namespace,
        "kind": lambda row: row.ref.kind,
        "group": lambda row: row.ref.group,
        "state": lambda row: row.state,
        "ready": lambda row: row.ready,
        "synced": lambda row: row.synced,
        "provider": lambda row: row.providers[0] if row.providers else "",
        "composition": lambda row: row.composition,
        "reason": lambda row: row.reason,
    },
    counted=("state", "ready", "synced", "kind", "namespace", "provider"),
    shaped=rows.shaped,
    order={
        "state": lambda row: _WORST_FIRST[row.state],
        "created": lambda row: row.created,
        "since": lambda row: row.since,
    },
)
_OFFERED: Final[Columns[Definition]] = Columns(
    shown={
        "name": lambda each: each.name,
        "group": lambda each: each.group,
        "kind": lambda each: each.asked_for.kind,
        "scope": lambda each: each.scope,
        "offered": lambda each: str(each.asked_for.served).lower(),
    },
    counted=("group", "scope", "offered"),
    shaped=definitions.shaped,
)


class InfrastructureApi:
    """A part of the web port."""

    def __init__(self, desk: Desk, metrics: Metrics) -> None:
        self._desk = desk
        self._rights = OurRights(desk)
        self._shelves = Shelves(desk.client, metrics)
        self._claims = Claims(desk.client, self._shelves)
        self.feed = ClaimNews(self._rights, self._claims, self._thing).feed
        self._turns = asyncio.Semaphore(_TREES_AT_ONCE)
        self.routes: tuple[Route, ...] = Endpoints((
            _said(_CLAIMS, self._list, "Claims and composites that you may see", *PARAMETERS),
            _said(_ONE, self._get, "One of them"),
            _said(f"{_ONE}/tree", self._tree, "What it is made of, down to the cloud"),
            _said(_DEFINITIONS, self._definitions, "What the platform offers", *PARAMETERS),
            _said(f"{_DEFINITIONS}/{{name}}", self._definition, "One of these, with its schema"),
        )).routes  # fmt: skip

    async def run(self) -> None:
        await self._shelves.run()

    async def _list(self, request: Request, _: Captured) -> Response:
        asker, asked = await self._desk.rights.asker(request), Asked.of(request)
        await self._rights.ready()
        seen = await self._claims.rows()
        ordered = sorted(seen.rows, key=lambda row: (row.ref.name, row.ref.namespace, row.ref.kind, row.ref.group))
        page = paged(self._rights.visible(asker, ordered, self._thing), asked, _COLUMNS)
        found = page.shaped(rows.shaped, seen.behind)
        if seen.unseen:
            found["unseen"] = [each._asdict() for each in seen.unseen]
        return answered(found)

    async def _get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        obj = await self._found(asker, captured)
        row = rows.row(cached(encode(obj), Relevance()))
        events = await events_of(self._desk.client, obj, _EVENTS)
        return answered(
            {
                **rows.shaped(row),
                "object": _clean(obj),
                "connectionSecret": str(below(obj, "spec", "writeConnectionSecretToRef").get("name") or ""),
                "application": self._application(row),
                **_happened(events),
            }
        )

    async def _tree(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        obj = await self._found(asker, captured)
        try:
            async with asyncio.timeout(_TREE_S), self._turns:
                root = await Growing(self._desk.client).tree(obj)
                drawing = Drawing(await simulations(self._desk.client, (each.obj for each in nodes(root))))
        except TimeoutError:
            raise TimedOut("the tree is not drawn", why=f"the cluster did not answer within {_TREE_S:g} s") from None
        return answered({**drawing.tree(root), "sentence": sentence(root)})

    async def _definitions(self, request: Request, _: Captured) -> Response:
        asker, asked = await self._desk.rights.asker(request), Asked.of(request)
        await self._rights.ready()
        found = sorted(await self._claims.definitions(), key=lambda each: each.name)
        page = paged(self._rights.visible(asker, found, self._offered), asked, _OFFERED)
        return answered(page.shaped(definitions.shaped))

    async def _definition(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        await self._rights.ready()
        xrd = await self._claims.definition(captured["name"])
        entry = _entry(xrd) if xrd is not None else None
        each = definitions.definition(entry) if entry is not None else None
        thing = self._offered(each) if each is not None else _definition_named(captured["name"])
        if xrd is None or each is None or not self._rights.may(asker, thing, GET):
            raise self._rights.absent(asker, thing)
        return answered({**definitions.shaped(each), "schemas": definitions.schemas(xrd)})

    async def _found(self, asker: Asker, captured: Captured) -> JsonObject:
        """The object, which *asker* may see. There is a look at the cluster in any case, so that time tells nothing."""
        await self._rights.ready()
        group, kind, namespace, name = (captured[part] for part in ("group", "kind", "namespace", "name"))
        obj = await self._claims.object(GroupKind(group, kind), namespace, name)
        place = Ref(group, kind, "" if namespace == NOWHERE else namespace, name)
        if obj is None:
            raise self._rights.absent(asker, _thing(place, None))
        thing = _thing(place, self._rights.application_of(_entry(obj).meta, place))
        if not self._rights.may(asker, thing, GET):
            raise self._rights.absent(asker, thing)
        return obj

    def _thing(self, row: Row) -> Thing:
        return _thing(row.ref, self._rights.application_of(row.marks, row.ref))

    def _offered(self, each: Definition) -> Thing:
        return _definition_named(each.name)._replace(application=self._rights.application_of(each.marks, each.ref))

    def _application(self, row: Row) -> JsonObject | None:
        key = self._rights.application_of(row.marks, row.ref)
        return {"namespace": key[0], "name": key[1]} if key is not None else None


def _happened(events: list[JsonObject] | Unlisted) -> JsonObject:
    if isinstance(events, Unlisted):
        return {"events": [], "eventsUnread": events.why}
    shown = ("type", "reason", "message", "lastTimestamp", "count")
    return {"events": [{key: each.get(key) for key in shown} for each in events]}


def _thing(ref: Ref, application: tuple[str, str] | None) -> Thing:
    name = f"{ref.namespace or NOWHERE}/{ref.kind}/{ref.name}"
    return Thing(INFRASTRUCTURE, name, ref, application)


def _definition_named(name: str) -> Thing:
    ref = Ref("apiextensions.crossplane.io", "CompositeResourceDefinition", "", name)
    return Thing(INFRASTRUCTURE, f"definitions/{name}", ref)


def _entry(obj: JsonObject) -> Cached:
    return cached(encode(obj), Relevance())


def _clean(obj: JsonObject) -> JsonObject:
    """Without what only machines read."""
    metadata = {key: value for key, value in below(obj, "metadata").items() if key != "managedFields"}
    annotations = {key: value for key, value in below(metadata, "annotations").items() if key != LAST_APPLIED}
    return {**obj, "metadata": {**metadata, **({"annotations": annotations} if "annotations" in metadata else {})}}


def _said(path: str, serve: Serve, summary: str, *parameters: Parameter) -> Endpoint:
    said = Operation(method="GET", path=path, summary=summary, tag="infrastructure", parameters=parameters)
    return Endpoint(said, serve)
