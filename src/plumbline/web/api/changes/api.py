"""The part of the web port that answers for changes."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import timedelta
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.journal import Entry, Journal, Query
from plumbline.journal.queries import LONGEST_PAGE, PAGE
from plumbline.ownership import ClusterObject
from plumbline.web.api.answers import Captured, Serve, answered, denied
from plumbline.web.api.changes import insights, shapes
from plumbline.web.api.changes.asking import PARAMETERS, Wanted, every, moment, oldest_first, page
from plumbline.web.api.changes.owners import Owners, Telling
from plumbline.web.api.changes.sight import Sight, applications
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.ours.rights import CHANGES, GET, OurRights
from plumbline.web.api.parameters import number, text
from plumbline.web.api.rights import Asker
from plumbline.web.live.entries import EntryFeed
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

_CHANGES: Final = "/api/v1/changes"
_EXPORT: Final = "/api/v1/changes/export"
_OWNERSHIP: Final = "/api/v1/ownership"
_INSIGHTS: Final = "/api/v1/insights"
_MOST_EXPORTED: Final = 100_000
_MOST_FOLDED: Final = 50_000
_DAYS: Final = 30
_LONGEST: Final = timedelta(days=366)
_PIECE_BYTES: Final = 32 << 10
_SPAN: Final = (Parameter("since", "A time as RFC 3339 has it; 30 days ago where none is said"), Parameter("until"))


class ChangesApi:
    """A part of the web port."""

    def __init__(self, desk: Desk, journal: Journal) -> None:
        self._desk, self._journal = desk, journal
        self._rights = OurRights(desk)
        self._sight = Sight(self._rights)
        self._owners = Owners(desk.client, desk.clock)
        self.feed = EntryFeed(journal, self._sight.scope)
        paging = (Parameter("cursor", "Where the page before ended"), Parameter("limit", kind=int))
        self.routes: tuple[Route, ...] = Endpoints((
            _said(_CHANGES, self._list, "What happened, the newest first", *PARAMETERS, *paging),
            _said(_EXPORT, self._export, "The same as a file", *PARAMETERS, Parameter("format", "csv or json")),
            _said(_OWNERSHIP, self._ownership, "Whose something is, or what is contested", Parameter("object")),
            _said(f"{_INSIGHTS}/lead-time", self._lead_time, "How long commits take until they run", *_SPAN),
            _said(f"{_INSIGHTS}/drift", self._drift, "What drifts, and who makes it", *_SPAN),
        )).routes  # fmt: skip

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _list(self, request: Request, _: Captured) -> Response:
        asker, wanted = await self._asker(request), Wanted.of(request)
        limit = number(request, "limit", PAGE, LONGEST_PAGE)
        if not limit:
            raise InvalidInput("a page has at least one entry")
        found = await page(self._journal, wanted.query, self._fits(asker, wanted), text(request, "cursor"), limit)
        said: JsonObject = {"items": [shapes.entry(each) for each in found.entries]}
        return answered({**said, "cursor": found.cursor} if found.cursor else said)

    async def _export(self, request: Request, _: Captured) -> Response:
        asker, wanted = await self._asker(request), Wanted.of(request)
        form = text(request, "format") or "json"
        if form not in {"csv", "json"}:
            raise InvalidInput(f"nothing is exported as {form!r}", hint="There are csv and json.")
        entries = every(self._journal, wanted.query, self._fits(asker, wanted), _MOST_EXPORTED)
        stream = _pieces(_csv(entries) if form == "csv" else _json(entries))
        media = "text/csv; charset=utf-8" if form == "csv" else "application/json"
        name = (("Content-Disposition", f'attachment; filename="changes.{form}"'),)
        return Response(200, b"", media, name, stream)

    async def _ownership(self, request: Request, _: Captured) -> Response:
        asker = await self._asker(request)
        said, telling = text(request, "object"), Telling(self._rights, asker)
        if not said:
            known = await self._owners.gathered()
            return answered({"contested": telling.contested(known.ledger.conflicts())})
        resource = await self._owners.resource(said)
        known = await self._owners.known(resource)
        named = (
            f"in-cluster/{resource.ref.namespace or '-'}/{resource.ref.kind}/{resource.ref.name}"
            if isinstance(resource, ClusterObject)
            else f"external/{resource}"
        )
        allowed = self._desk.rights.may(asker, CHANGES, GET, named)
        if not allowed and not telling.seen(known.ledger.root_of(resource)):
            raise denied()
        return answered(telling.explained(known.ledger, resource))

    async def _lead_time(self, request: Request, _: Captured) -> Response:
        return answered(insights.lead(await self._folded(request, frozenset())))

    async def _drift(self, request: Request, _: Captured) -> Response:
        return answered(insights.drift(await self._folded(request, frozenset({"drifted", "healed"}))))

    async def _folded(self, request: Request, kinds: frozenset[str]) -> list[Entry]:
        asker = await self._asker(request)
        until = moment(request, "until") or self._desk.clock.now()
        since = moment(request, "since") or until - timedelta(days=_DAYS)
        if until - since > _LONGEST:
            raise InvalidInput("the time is too long", why="it is more than a year")
        query = Query(kinds=kinds, since=since, until=until)
        return await oldest_first(self._journal, query, self._sight.seen(asker), _MOST_FOLDED)

    async def _asker(self, request: Request) -> Asker:
        asker = await self._desk.rights.asker(request)
        await self._rights.ready()
        return asker

    def _fits(self, asker: Asker, wanted: Wanted) -> Callable[[Entry], bool]:
        seen = self._sight.seen(asker)

        def fits(entry: Entry) -> bool:
            if wanted.verbs and entry.verb not in wanted.verbs:
                return False
            if wanted.project and wanted.project not in self._projects(entry):
                return False
            return seen(entry)

        return fits

    def _projects(self, entry: Entry) -> set[str]:
        said: Json = entry.effect.get("project")
        found = {self._rights.project_of(key) for key in applications(entry)}
        return found | ({said} if isinstance(said, str) else set())


async def _csv(entries: AsyncGenerator[Entry]) -> AsyncGenerator[bytes]:
    yield shapes.csv_line(*shapes.HEADER)
    async with aclosing(entries):
        async for each in entries:
            yield shapes.csv_entry(each)


async def _json(entries: AsyncGenerator[Entry]) -> AsyncGenerator[bytes]:
    yield b'{"items":['
    between = b""
    async with aclosing(entries):
        async for each in entries:
            yield between + encode(shapes.entry(each))
            between = b","
    yield b"]}"


async def _pieces(lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Many small ones as a few large ones."""
    kept = bytearray()
    async with aclosing(lines):
        async for each in lines:
            kept += each
            if len(kept) >= _PIECE_BYTES:
                yield bytes(kept)
                kept.clear()
    yield bytes(kept)


def _said(path: str, serve: Serve, summary: str, *parameters: Parameter) -> Endpoint:
    said = Operation(method="GET", path=path, summary=summary, tag="changes", parameters=parameters)
    return Endpoint(said, serve)
