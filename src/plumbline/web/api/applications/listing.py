"""`GET /api/v1/applications`: all that somebody may see as Argo CD gives them, or a page of what they look for.

Pages are answered from the board and cost no call to the cluster, unless `fields` asks for more than rows have. The whole
list goes out as it comes in, page by page, and is never held.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Key
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target
from plumbline.kube.client.bodies import Head
from plumbline.kube.client.bodies import Page as Objects
from plumbline.kube.selectors import LabelSelector
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.applications.shapes import Narrowed, complete
from plumbline.web.api.desk import Desk
from plumbline.web.api.parameters import has, number, text, texts
from plumbline.web.api.rights import APPLICATIONS, who
from plumbline.web.board import Query, Row, paged
from plumbline.web.board.paging import MOST
from plumbline.web.board.shaping import shaped
from plumbline.web.requests import Request, Response

_OURS: Final = frozenset({"q", "sort", "limit", "offset", "counts"})
_FEW: Final = 50
"""So many objects are asked for one by one; more come with a list."""
_MOST_OFFSET: Final = 1_000_000
_JSON: Final = "application/json"
_heads: Final = msgspec.json.Decoder(Head)


class Listing:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def serve(self, request: Request, _: Captured) -> Response:
        rows = await self.visible(request)
        fields = Narrowed(text(request, "fields")) if text(request, "fields") else None
        if has(request, _OURS):
            return await self._page(request, rows, fields)
        found = sorted(rows, key=lambda row: row.key)
        if fields is not None and fields.of_rows:
            return answered(self._list([fields.of(shaped(row)) for row in found]))
        if len(found) <= _FEW:
            items = [_item(each, fields) for each in await self._objects(found)]
            return answered(self._list(items))
        return await self._streamed({row.key for row in found}, fields)

    async def visible(self, request: Request) -> Iterable[Row]:
        """Rows that whoever asks may see, and that the parameters of Argo CD's list choose."""
        desk = self._desk
        asker = await desk.rights.asker(request)
        chosen = chosen_by(request)
        rows = await desk.board.rows()
        seen = desk.sight.visible(rows, who(asker), desk.rights.sees(asker, APPLICATIONS))
        return [row for row in seen if chosen(row)]

    async def _page(self, request: Request, rows: Iterable[Row], fields: Narrowed | None) -> Response:
        clusters = {each.server: each.name for each in self._desk.installation.clusters.all() if each.name}
        query = Query.parse(text(request, "q"), clusters)
        limit, offset = number(request, "limit", MOST, MOST), number(request, "offset", 0, _MOST_OFFSET)
        page = paged(rows, query, text(request, "sort"), offset=offset, limit=limit)
        if fields is None or fields.of_rows:
            items = [shaped(row) if fields is None else fields.of(shaped(row)) for row in page.rows]
        else:
            items = [_item(each, fields) for each in await self._objects(page.rows)]
        counts = {"total": page.facets.total, **page.facets.shaped()}
        found = {**self._list(items), "counts": counts}
        if page.next is not None:
            found["next"] = page.next
        if (behind := self._desk.board.interrupted) is not None:
            found["stale"] = str(behind)
        return answered(found)

    def _list(self, items: list[JsonObject]) -> JsonObject:
        return {"metadata": {"resourceVersion": self._desk.board.version}, "items": items}

    async def _objects(self, rows: Collection[Row]) -> list[JsonObject]:
        """The objects that *rows* stand for, in their order. One that is gone by now is left out."""
        if len(rows) > _FEW:
            keys = {row.key: place for place, row in enumerate(rows)}
            found = [
                each async for objects in self._pages() for each in map(decode, objects.items) if _key(each) in keys
            ]
            return sorted(found, key=lambda app: keys[_key(app)])
        async with task_group() as group:
            asked = [group.create_task(self._object(row.key)) for row in rows]
        return [app for each in asked if (app := each.result()) is not None]

    async def _object(self, key: Key) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._desk.client.get(Target(APPLICATION.resource, *key)))
        except NotFound:
            return None
        return found

    def _pages(self) -> AsyncGenerator[Objects, None]:
        return self._desk.client.pages(Target(APPLICATION.resource))

    async def _streamed(self, keys: set[Key], fields: Narrowed | None) -> Response:
        pages = self._pages()
        first = await anext(pages)  # what goes wrong before the head of the answer can still be said
        return Response(200, b"", _JSON, stream=self._pieces(first, pages, keys, fields))

    async def _pieces(
        self, first: Objects, pages: AsyncGenerator[Objects, None], keys: set[Key], fields: Narrowed | None
    ) -> AsyncGenerator[bytes]:
        head = encode({"metadata": {"resourceVersion": first.resource_version}})
        yield head[:-1] + b',"items":['
        between = b""
        try:
            page: Objects | None = first
            while page is not None:
                items = [body for raw in page.items if (body := self._body(raw, keys, fields))]
                if items:
                    yield between + b",".join(items)
                    between = b","
                page = await anext(pages, None)
        finally:
            await pages.aclose()
        yield b"]}"

    def _body(self, raw: bytes, keys: set[Key], fields: Narrowed | None) -> bytes:
        meta = _heads.decode(raw).metadata
        key = meta.namespace, meta.name
        if key not in keys:
            return b""
        row = self._desk.board.row(key)
        if fields is None and row is not None and not row.bare:
            return raw
        return encode(_item(decode(raw), fields))


def chosen_by(request: Request) -> Callable[[Row], bool]:
    """What Argo CD's own parameters choose: name, projects, selector, repo and namespace."""
    name, repo, namespace = text(request, "name"), text(request, "repo"), text(request, "appNamespace")
    projects = frozenset(texts(request, "project") or texts(request, "projects"))
    try:
        selector = LabelSelector.parse(text(request, "selector"))
    except InvalidInput as fault:
        raise InvalidInput("error parsing the selector", why=str(fault)) from fault

    def chosen(row: Row) -> bool:
        return (
            (not name or row.name == name)
            and (not namespace or row.namespace == namespace)
            and (not projects or row.project in projects)
            and (not repo or any(source.repo == repo for source in row.sources))
            and (selector.empty or selector.matches(dict(row.labels)))
        )

    return chosen


def _item(app: JsonObject, fields: Narrowed | None) -> JsonObject:
    return complete(app) if fields is None else fields.of(app)


def _key(app: JsonObject) -> Key:
    metadata = app["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
