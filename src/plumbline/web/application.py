"""The web port as an ASGI application: guard, find, serve, and an answer to whatever goes wrong."""

import asyncio
from collections.abc import Collection
from typing import Final

from plumbline.base.errors import Forbidden, PlumblineError
from plumbline.base.http.asgi import Left, Message, Receive, Send, TooLarge, send_stream
from plumbline.base.log import logger
from plumbline.web.cors import Cors
from plumbline.web.guard import HEADERS, foreign
from plumbline.web.refusals import problem, refusal
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Routes

STALLED_S: Final = 60.0
"""How long a client may take for a piece of a stream, before it is given up."""

_log = logger("web")


class Application:
    def __init__(self, routes: Routes, hosts: Collection[str] | None, cors: Cors | None = None) -> None:
        self._routes = routes
        self._hosts = hosts
        self._cors = cors or Cors()
        self._ending = asyncio.Event()

    def end_streams(self) -> None:
        self._ending.set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            answered = await self._answer(request)
        except Left:
            return
        answered.headers += self._cors.headers(request)
        await _send_head(send, answered, keep=request.read_whole or _bodiless(request))
        if answered.stream is None:
            await send({"type": "http.response.body", "body": answered.body})
            return
        try:
            await send_stream(receive, send, answered.stream, self._ending, STALLED_S)
        except* Exception as failures:  # noqa: BLE001 - any of them ends the same way
            # The head is gone, so that an answer which does not end is all that is left to say.
            _log.warning("answer broken off", path=request.path, error=str(failures.exceptions[0]))

    async def _answer(self, request: Request) -> Response:
        """Whatever a part does, somebody who asks is answered."""
        try:
            return await self._served(request)
        except Left:
            raise
        except TooLarge:
            return problem(413, "The body is too large")
        except TimeoutError:
            return problem(408, "The body took too long")
        except PlumblineError as error:
            answered = refusal(error)
            if answered.status == _UNEXPECTED:
                _log.warning("request failed", path=request.path, error=str(error))
            return answered
        except Exception:  # noqa: BLE001 - one request that goes wrong is no reason to end
            _log.exception("request crashed", method=request.method, path=request.path)
            return problem(_UNEXPECTED, "Something went wrong here; the log says what")

    async def _served(self, request: Request) -> Response:
        why = foreign(request.method, request.headers, self._hosts, self._cors.trusts)
        if why:
            hint = "Use the address that it listens on, or have this name allowed."
            raise Forbidden("The request is refused", why=why, hint=hint)
        asked = self._cors.preflight(request)
        if asked is not None:
            return asked
        route = self._routes.find(request.path)
        if route is None:
            return problem(404, "Not Found")
        if request.method not in route.methods:
            return problem(405, "Method Not Allowed", (("Allow", ", ".join(sorted(route.methods))),))
        return await route.serve(request)


_UNEXPECTED: Final = 500
_BODILESS: Final = frozenset({204, 304})
"""Of these a length would be that of another answer."""


def _bodiless(request: Request) -> bool:
    return request.header("content-length") in {"", "0"} and "transfer-encoding" not in request.headers


async def _send_head(send: Send, answered: Response, *, keep: bool) -> None:
    own = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answered.headers]
    said = {name for name, _ in own}
    head = [(name, value) for name, value in HEADERS if name not in said]
    head += own
    if answered.content_type:
        head.append((b"content-type", answered.content_type.encode("latin-1")))
    if answered.stream is None and answered.status not in _BODILESS:
        head.append((b"content-length", str(len(answered.body)).encode()))
    if not keep:
        # Whatever else the client has to say is not read.
        head.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answered.status, "headers": head})
