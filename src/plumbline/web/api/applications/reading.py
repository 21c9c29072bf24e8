"""One Application as it is, or once somebody has looked at it anew."""

import asyncio
from typing import Final

from plumbline.base.errors import NotFound, TimedOut
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.status import REFRESH
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.applications.finding import Finder, Found
from plumbline.web.api.applications.shapes import complete
from plumbline.web.api.desk import Desk
from plumbline.web.api.writing import Errand
from plumbline.web.board import Seen
from plumbline.web.requests import Request, Response

_REFRESHED_S: Final = 60.0
_KINDS: Final = frozenset({"normal", "hard"})


class Reading:
    def __init__(self, desk: Desk, finder: Finder, refreshed_s: float = _REFRESHED_S) -> None:
        self._desk = desk
        self._finder = finder
        self._refreshed_s = refreshed_s

    async def get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = await self._finder.found(asker, self._finder.named(request, captured), "get")
        kind = request.query.get("refresh")
        if kind is None:
            return answered(complete(found.app))
        return answered(complete(await self._refreshed(found, kind if kind in _KINDS else "normal")))

    async def _refreshed(self, found: Found, kind: str) -> JsonObject:
        await self._desk.board.rows()
        looked: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        key = found.named.namespace, found.named.name
        after = 0

        def see(seen: Seen) -> None:
            row = seen.after or seen.before
            if looked.done() or row is None or row.key != key:
                return
            if seen.after is None:
                looked.set_exception(NotFound(f"{key[1]} was deleted meanwhile"))
            elif after and int(row.version) > after and not row.refresh:
                looked.set_result(seen.raw)

        stop = self._desk.board.follow(see)
        try:
            asked = Errand(asker=found.asker, ref=found.named.ref, why=f"Look at {key[1]} anew", minor=True)
            change = {"metadata": {"annotations": {REFRESH: kind}}}
            raw = await self._desk.pen.patch(found.named.target, change, asked)
            after = int(decode(raw)["metadata"]["resourceVersion"])
            self._desk.board.learn(raw)
            async with asyncio.timeout(self._refreshed_s):
                seen: JsonObject = decode(await looked)
        except TimeoutError:
            why = "the controller has not looked at it yet"
            raise TimedOut("application refresh deadline exceeded", why=why) from None
        finally:
            stop()
        return seen
