"""`GET /api/v1/stream/applications`: every Application that somebody may see, and then every change of one of them.

A line of JSON for each, or events for browsers. Whoever reads too slowly gets the latest of each application and not
every step; whoever may no longer read is cut off.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kernel.cache import Key
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target
from plumbline.web.api.answers import Captured
from plumbline.web.api.applications.listing import chosen_by
from plumbline.web.api.applications.shapes import complete, narrowed
from plumbline.web.api.desk import Desk
from plumbline.web.api.parameters import text
from plumbline.web.api.rights import APPLICATIONS, Asker, who
from plumbline.web.board import Row, Seen
from plumbline.web.board.shaping import shaped
from plumbline.web.requests import Request, Response

_BEAT_S: Final = 15.0
"""Between two signs of life. As often it is asked whether whoever reads still may."""
_MOST_WAITING: Final = 5000
_EVENTS: Final = "text/event-stream"


class _Waiting:
    """What has changed and was not sent yet: of each application the latest."""

    def __init__(self) -> None:
        self._changes: dict[Key, Seen] = {}
        self.came = asyncio.Event()
        self.overrun = False

    def put(self, seen: Seen) -> None:
        row = seen.after or seen.before
        if row is None:
            return
        earlier = self._changes.pop(row.key, None)
        if earlier is not None:
            seen = seen._replace(before=earlier.before)
        self._changes[row.key] = seen
        self.overrun = self.overrun or len(self._changes) > _MOST_WAITING
        self.came.set()

    def take(self) -> list[Seen]:
        taken, self._changes = list(self._changes.values()), {}
        self.came.clear()
        return taken


class _Attending:
    """Whether whoever reads still may: asked now and then, also where there is always something to tell."""

    def __init__(self, desk: Desk, request: Request, every_s: float) -> None:
        self._desk, self._request, self._every_s = desk, request, every_s
        self._due_s = asyncio.get_running_loop().time() + every_s

    async def check(self) -> None:
        """Raises Unauthenticated."""
        now_s = asyncio.get_running_loop().time()
        if now_s >= self._due_s:
            await self._desk.rights.asker(self._request)
            self._due_s = now_s + self._every_s


class Streaming:
    def __init__(self, desk: Desk, beat_s: float = _BEAT_S) -> None:
        self._desk = desk
        self._beat_s = beat_s

    async def serve(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        chosen = chosen_by(request)
        await self._desk.board.rows()
        events = request.header("accept") == _EVENTS
        media = _EVENTS if events else "application/json"
        return Response(200, b"", media, stream=self._stream(request, asker, chosen, events=events))

    async def _stream(
        self, request: Request, asker: Asker, chosen: Callable[[Row], bool], *, events: bool
    ) -> AsyncGenerator[bytes]:
        fields = text(request, "fields")
        waiting, attending = _Waiting(), _Attending(self._desk, request, self._beat_s)
        stop = self._desk.board.follow(waiting.put)
        sent: dict[Key, int] = {}
        try:
            if not text(request, "resourceVersion") or text(request, "name"):
                async with aclosing(self._present(asker, chosen, sent)) as present:
                    async for app in present:
                        yield _written("ADDED", app, fields, events=events)
            while not waiting.overrun:
                if not await self._came(waiting) and events:
                    yield b":\n"
                for seen in waiting.take():
                    await attending.check()
                    told = self._told(seen, asker, chosen, sent)
                    if told is not None:
                        yield _written(*told, fields, events=events)
                await attending.check()
        except PlumblineError as over:
            yield _ended(over, events=events)
        finally:
            stop()

    async def _came(self, waiting: _Waiting) -> bool:
        """Wait for something to tell; False where nothing came for as long as a sign of life may be away."""
        try:
            async with asyncio.timeout(self._beat_s):
                await waiting.came.wait()
        except TimeoutError:
            return False
        return True

    async def _present(
        self, asker: Asker, chosen: Callable[[Row], bool], sent: dict[Key, int]
    ) -> AsyncGenerator[JsonObject]:
        async with aclosing(self._desk.client.pages(Target(APPLICATION.resource))) as pages:
            async for page in pages:
                for raw in page.items:
                    app: JsonObject = decode(raw)
                    metadata = app["metadata"]
                    key = metadata.get("namespace", ""), metadata["name"]
                    row = self._desk.board.row(key)
                    if row is not None and chosen(row) and self._sees(asker, row):
                        sent[key] = int(metadata["resourceVersion"])
                        yield app

    def _told(
        self, seen: Seen, asker: Asker, chosen: Callable[[Row], bool], sent: dict[Key, int]
    ) -> tuple[str, JsonObject] | None:
        row = seen.after or seen.before
        if row is None or not chosen(row) or not self._sees(asker, row):
            return None
        if seen.after is None:
            sent.pop(row.key, None)
            return "DELETED", shaped(row)
        if int(row.version) <= sent.pop(row.key, 0):
            return None  # it is what the list has told already
        return ("ADDED" if seen.before is None else "MODIFIED"), decode(seen.raw)

    def _sees(self, asker: Asker, row: Row) -> bool:
        """By the policy that counts now."""
        return self._desk.sight.sees(row, who(asker), self._desk.rights.sees(asker, APPLICATIONS))


def _written(type_: str, app: JsonObject, fields: str, *, events: bool) -> bytes:
    message: JsonObject = {"result": {"type": type_, "application": complete(app)}}
    body = encode(narrowed(message, fields) if fields else message)
    return b"data: " + body + b"\n\n" if events else body + b"\n"


def _ended(error: PlumblineError, *, events: bool) -> bytes:
    said = encode({"error": {"message": str(error)}})
    return b"event: error\ndata: " + said + b"\n\n" if events else said + b"\n"
