"""`/auth/`: pages that send a browser on: to the identity provider and back, out, and in by a link."""

from typing import Final
from urllib.parse import quote

from plumbline.access.keeper import Keeper
from plumbline.access.oidc.flow import STATE_S
from plumbline.access.oidc.redirects import page_of
from plumbline.access.oidc.signon import SignOn
from plumbline.base.errors import PlumblineError, Refused, Unauthenticated
from plumbline.base.log import logger
from plumbline.journal import printable
from plumbline.web.refusals import refusal
from plumbline.web.requests import Request, Response, text
from plumbline.web.routes import Route, Serve
from plumbline.web.session import cookies
from plumbline.web.session.askers import Askers
from plumbline.web.session.logins import Logins
from plumbline.web.session.part import leave, with_headers
from plumbline.web.session.record import Record

LOGIN: Final = "/auth/login"
CALLBACK: Final = "/auth/callback"
LOGOUT: Final = "/auth/logout"
LINK: Final = "/auth/link"
_GET: Final = frozenset({"GET"})
_OUTSIDE: Final = frozenset({"cross-site", "same-site"})

_log = logger("web.session")


class SignOnPart:
    """A part of the web port. People look at its answers in a browser, so that refusals are plain text."""

    def __init__(self, askers: Askers, keeper: Keeper, signon: SignOn, record: Record, logins: Logins) -> None:
        self._askers = askers
        self._keeper = keeper
        self._signon = signon
        self._record = record
        self.routes = tuple(
            Route(path, _GET, _in_words(serve))
            for path, serve in (
                (LOGIN, self._login),
                (CALLBACK, logins.counted(self._callback)),
                (LOGOUT, self._logout),
                (LINK, logins.counted(self._link)),
            )
        )

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _login(self, request: Request) -> Response:
        base = self._base(request)
        page = page_of(request.query.get("return_url", ""), (*self._keeper.realm.urls, base))
        if page is None:
            words = "Invalid redirect URL: the protocol and host (including port) must match and the path must be within allowed URLs if provided"  # fmt: skip
            return text(400, words)
        begun = await self._signon.flow().begin(f"{base}{CALLBACK}", page)
        # Coming back from the provider is a request that another site has caused, which a Strict cookie would miss.
        kept = cookies.kept(
            cookies.STATE, begun.kept, secure=self._askers.secure(request), same_site="Lax", life_s=STATE_S
        )
        return with_headers(_moved(begun.url), kept)

    async def _callback(self, request: Request) -> Response:
        query, found = request.query, cookies.sent(request)
        forget = cookies.dropped(cookies.STATE, found, secure=self._askers.secure(request), same_site="Lax")
        if "error" in query:
            said = ": ".join(filter(None, (query["error"], query.get("error_description", ""))))
            return with_headers(text(400, f"The identity provider refused: {printable(said, 300)}"), forget)
        flow = self._signon.flow()
        try:
            kept = cookies.joined(cookies.STATE, found)
            done = await flow.finish(query.get("code", ""), query.get("state", ""), kept, self._askers.sessions.spend)
            session = await self._askers.sessions.opened(done.token, done.companion)
        except Refused as refused:
            await self._record.stranger(self._askers.peers.address(request))
            return with_headers(_refused(refused), forget)
        await self._record.came(session.username, "sso", self._askers.peers.address(request))
        headers = [*self._askers.kept(request, done.token, done.companion), *forget]
        return with_headers(_moved(done.page), headers)

    async def _logout(self, request: Request) -> Response:
        if request.header("sec-fetch-site") in _OUTSIDE:
            return text(403, "Logging out is asked for by a page of ours, or by hand")
        token = await leave(self._askers, self._record, request)
        config, base = self._signon.config, self._base(request)
        url = f"{base}/login"
        if token and config is not None and config.logout_url:
            url = config.logout_url.replace("{{token}}", quote(token, safe=""))
            url = url.replace("{{logoutRedirectURL}}", quote(base, safe=":/"))
        return with_headers(_moved(url), self._askers.dropped(request))

    async def _link(self, request: Request) -> Response:
        if not request.local:
            return text(403, "Login links work on the machine itself, and not through a proxy")
        token = await self._askers.sessions.enter(request.query.get("token", ""))
        await self._record.came("admin", "link", self._askers.peers.address(request))
        return with_headers(_moved("/"), self._askers.kept(request, token))

    def _base(self, request: Request) -> str:
        """The address of ours that somebody has come by; the first where it is none that is known."""
        host, urls = self._askers.peers.host(request), self._keeper.realm.urls
        found = next((each for each in urls if each.partition("://")[2].partition("/")[0].lower() == host), "")
        scheme = "https" if self._askers.secure(request) else "http"
        return found or (urls[0] if urls else f"{scheme}://{host}")


def _moved(url: str) -> Response:
    return Response(303, headers=(("Location", url),))


def _refused(error: PlumblineError) -> Response:
    return text(refusal(error).status, f"{error}. {error.hint}" if error.hint else str(error))


def _in_words(serve: Serve) -> Serve:
    async def served(request: Request) -> Response:
        try:
            return await serve(request)
        except Unauthenticated as error:
            return _refused(error)
        except PlumblineError as error:
            _log.warning("login page failed", path=request.path, error=str(error))
            return _refused(error)

    return served
