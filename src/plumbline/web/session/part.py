"""`/api/v1/session`: in with a name and a password, out again, and who one is."""

from collections.abc import Callable, Container, Sequence
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response, json
from plumbline.web.routes import Route
from plumbline.web.session.askers import Askers, is_json
from plumbline.web.session.bodies import read_body
from plumbline.web.session.logins import Logins
from plumbline.web.session.record import Record

PATH: Final = "/api/v1/session"
USER_INFO: Final = f"{PATH}/userinfo"


class _Credentials(msgspec.Struct):
    username: str = ""
    password: str = ""
    token: str = ""


class SessionPart:
    """A part of the web port. It also ends streams of people whose session has ended."""

    def __init__(self, askers: Askers, record: Record, accounts: Callable[[], Container[str]], logins: Logins) -> None:
        self._askers = askers
        self._counted_login = logins.counted(self._login)
        self._record = record
        self._accounts = accounts
        self.routes = (
            Route(PATH, frozenset({"POST", "DELETE"}), self._serve),
            Route(USER_INFO, frozenset({"GET"}), self._userinfo),
        )

    async def run(self) -> None:
        await self._askers.run()

    async def _serve(self, request: Request) -> Response:
        return await (self._counted_login(request) if request.method == "POST" else self._logout(request))

    async def _login(self, request: Request) -> Response:
        if not is_json(request):
            return problem(415, "Invalid content type")
        given = await read_body(request, _Credentials)
        if given.token:
            return problem(401, "token-based session creation is not supported")
        if not given.username or not given.password:
            return problem(401, "no credentials supplied")
        address = self._askers.peers.address(request)
        try:
            token = await self._askers.sessions.login(given.username, Plaintext(given.password))
        except (Unauthenticated, InvalidInput) as refused:
            await self._failed(given.username, address)
            return problem(401 if isinstance(refused, Unauthenticated) else 400, refused.what)
        await self._record.came(given.username, "password", address)
        return with_headers(json(200, {"token": token}), self._askers.kept(request, token))

    async def _failed(self, name: str, address: str) -> None:
        if name in self._accounts():
            await self._record.failed(name, address)
        else:
            await self._record.stranger(address)

    async def _logout(self, request: Request) -> Response:
        """Whoever they were; somebody whose session is over can still have it forgotten."""
        refused = self._askers.tricked(request)
        if refused is not None:
            return refused
        await leave(self._askers, self._record, request)
        return with_headers(json(200, {"token": ""}), self._askers.dropped(request))

    async def _userinfo(self, request: Request) -> Response:
        """Answers those who are nobody, too: pages ask this to find out whether to show a login."""
        try:
            asker = await self._askers.asker(request)
        except Unauthenticated:
            return json(200, {})
        if asker.anonymous:
            return json(200, {})
        told: JsonObject = {"loggedIn": True, "username": asker.username, "iss": asker.issuer}
        return json(200, {**told, "groups": list(asker.groups)} if asker.groups else told)


async def leave(askers: Askers, record: Record, request: Request) -> str:
    """End the session of a request, if it has one; the token that it was known by."""
    shown = askers.shown(request)
    try:
        session = await askers.sessions.opened(shown.token, shown.companion)
    except Unauthenticated:
        return ""
    await askers.sessions.revoke(session)
    await record.went(session.username, askers.peers.address(request))
    return "" if session.local else shown.token


def with_headers(answered: Response, headers: Sequence[tuple[str, str]]) -> Response:
    answered.headers = (*answered.headers, *headers)
    return answered
