"""From a request to who asks, with the rules that keep pages of others from asking in somebody's name.

    Route("/api/v1/clusters", GET, askers.asked(self._list))     # async def _list(self, request, asker) -> Response

A token in the `Authorization` header counts before a cookie. A browser sends cookies whoever made it send the request, so
that with a cookie a request that changes something must be JSON and come from a page of ours; with a header it need not.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, NamedTuple, TypeAlias

from plumbline.access.realm import Realm
from plumbline.access.sessions import Sessions
from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden, Transient, Unauthenticated
from plumbline.base.log import logger
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Serve
from plumbline.web.session import cookies
from plumbline.web.session.asker import ANONYMOUS, Asker, asker_of
from plumbline.web.session.peers import Peers

LOOK_S: Final = 10.0
"""How often somebody who has a stream open is looked at again. It has to end within thirty seconds."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_JSON: Final = "application/json"
_BEARER: Final = "bearer "

_log = logger("web.session")

ServeAsked: TypeAlias = Callable[[Request, Asker], Awaitable[Response]]


class Shown(NamedTuple):
    """What a request shows of who asks."""

    token: str
    companion: str = ""
    by_cookie: bool = True


class Askers:
    def __init__(
        self, sessions: Sessions, realm: Callable[[], Realm], clock: Clock, peers: Peers | None = None
    ) -> None:
        self.sessions = sessions
        self.peers = peers or Peers()
        self._realm = realm
        self._clock = clock
        self._streaming: dict[asyncio.Task[Any] | None, Asker] = {}

    async def asker(self, request: Request) -> Asker:
        """Raises Unauthenticated, and Forbidden for what a page of somebody else may have sent.

        A token that does not count is refused, even where anybody may look: nobody is taken for anonymous by mistake.
        """
        shown = self.shown(request)
        refused = self._tricked(request, shown)
        if refused is not None:
            raise Forbidden("The request is refused", why=_WHY[refused], hint=_HINTS[refused])
        return await self._known(shown)

    def asked(self, serve: ServeAsked) -> Serve:
        """*serve* with who asks. A session that is about to end is renewed on the way."""

        async def served(request: Request) -> Response:
            shown = self.shown(request)
            refused = self._tricked(request, shown)
            if refused is not None:
                return problem(refused, f"The request is refused: {_WHY[refused]}. {_HINTS[refused]}")
            asker = await self._known(shown)
            answered = await serve(request, asker)
            if shown.by_cookie and asker.session is not None and not _keeps(answered):
                renewed = self.sessions.renewed(asker.session)
                if renewed is not None:
                    answered.headers = (*answered.headers, *self.kept(request, renewed))
            return answered

        return served

    async def still_valid(self, asker: Asker) -> bool:
        """Whether who asked a while ago would still be who they were. For whatever lasts."""
        if asker.session is None:
            return self._realm().anonymous
        return await self.sessions.still_valid(asker.session)

    async def while_valid(self, asker: Asker, stream: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """*stream*, for as long as who asked for it may have it: it ends within `LOOK_S` after that, also while it waits."""
        task = asyncio.current_task()
        async with aclosing(stream):
            self._streaming[task] = asker
            try:
                async for piece in stream:
                    yield piece
            finally:
                self._streaming.pop(task, None)

    async def run(self) -> None:
        """Look after those who have streams open."""
        while True:
            await self._clock.sleep(LOOK_S)
            for task, asker in list(self._streaming.items()):
                try:
                    held = await self.still_valid(asker)
                except Transient as unknown:
                    _log.warning("session of a stream not looked at", error=str(unknown))
                    continue
                if not held and task is not None:
                    # Whoever sends a stream ends it cleanly when it is cancelled; there is nothing else it waits for.
                    task.cancel()

    def shown(self, request: Request) -> Shown:
        header = request.header("authorization")
        if header[: len(_BEARER)].lower() == _BEARER:
            return Shown(header[len(_BEARER) :].strip(), by_cookie=False)
        found = cookies.sent(request)
        return Shown(cookies.joined(cookies.SESSION, found), cookies.joined(cookies.GROUPS, found))

    def secure(self, request: Request) -> bool:
        return self.peers.secure(request, self._realm().urls)

    def kept(self, request: Request, token: str, companion: str = "") -> list[cookies.Header]:
        """Headers that log a browser in."""
        secure = self.secure(request)
        groups = cookies.kept(cookies.GROUPS, companion, secure=secure) if companion else []
        return [*cookies.kept(cookies.SESSION, token, secure=secure), *groups]

    def dropped(self, request: Request) -> list[cookies.Header]:
        """Headers that log it out."""
        found, secure = cookies.sent(request), self.secure(request)
        groups = cookies.dropped(cookies.GROUPS, found, secure=secure) if cookies.GROUPS in found else []
        return [*cookies.dropped(cookies.SESSION, found, secure=secure), *groups]

    def tricked(self, request: Request) -> Response | None:
        """The answer to a request that changes something, and that a page of somebody else may have sent."""
        refused = self._tricked(request, self.shown(request))
        return (
            None if refused is None else problem(refused, f"The request is refused: {_WHY[refused]}. {_HINTS[refused]}")
        )

    def _tricked(self, request: Request, shown: Shown) -> int | None:
        """The status that it is refused with."""
        if request.method in SAFE or not shown.by_cookie:
            return None
        if not is_json(request):
            return 415
        return None if self.peers.same_origin(request, self._realm().urls) else 403

    async def _known(self, shown: Shown) -> Asker:
        if shown.token:
            return asker_of(await self.sessions.opened(shown.token, shown.companion))
        if self._realm().anonymous:
            return ANONYMOUS
        raise Unauthenticated("no session information", hint="Log in, or send a token as `Authorization: Bearer`.")


def is_json(request: Request) -> bool:
    return request.header("content-type").partition(";")[0].strip().lower() == _JSON


def _keeps(answered: Response) -> bool:
    return any(name.lower() == "set-cookie" for name, _ in answered.headers)


_WHY: Final = {
    415: "with a cookie, what changes something is application/json",
    403: "with a cookie, what changes something comes from a page of ours, and says so in Origin",
}
_HINTS: Final = {
    415: "Set Content-Type, also where there is no body.",
    403: "Use the page at the address that `url` in argocd-cm names, or send a token as `Authorization: Bearer`.",
}
