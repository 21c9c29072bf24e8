"""`/api/v1/account`: accounts as Argo CD's API tells and changes them."""

from typing import Annotated, Final, Protocol

import msgspec

from plumbline.access.accounts import API_KEY, Account, TokenRecord, with_password, with_tokens
from plumbline.access.keeper import Keeper
from plumbline.access.passwords import check_new, hashed
from plumbline.access.realm import Realm
from plumbline.access.sessions import World
from plumbline.access.tokens import role_of
from plumbline.base.errors import AlreadyExists, Forbidden, InvalidInput, LimitExceeded, NotFound, Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.journal import printable
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response, json
from plumbline.web.routes import Route
from plumbline.web.session.asker import Asker
from plumbline.web.session.askers import Askers
from plumbline.web.session.bodies import read_body
from plumbline.web.session.record import Record

PATH: Final = "/api/v1/account"
RESOURCES: Final = (
    "clusters", "projects", "applications", "applicationsets", "repositories", "write-repositories", "certificates",
    "accounts", "gpgkeys", "logs", "exec", "extensions", "infrastructure", "terraform", "secrets", "changes",
)  # fmt: skip
ACTIONS: Final = (
    "get",
    "create",
    "update",
    "delete",
    "sync",
    "override",
    "action",
    "invoke",
    "approve",
    "reject",
    "reconcile",
    "unlock",
    "logs",
)
_SCOPED: Final = frozenset({"applications", "applicationsets", "logs", "exec", "clusters", "repositories"})
_FRESH_S: Final = 300
"""How old a login elsewhere may be for changing a password here."""
_MOST_TOKENS: Final = 500
_ID_CHARS: Final = 128
_SCOPED_PARTS: Final = 3


class Verdict(Protocol):
    @property
    def allowed(self) -> bool: ...

    @property
    def line(self) -> str:
        """Of the policy, that decided."""

    @property
    def why(self) -> str: ...


class Decider(Protocol):
    def decide(self, asker: Asker, resource: str, action: str, name: str, /) -> Verdict: ...


class _NewPassword(msgspec.Struct, rename="camel"):
    new_password: str = ""
    current_password: str = ""
    name: str = ""


class _NewToken(msgspec.Struct, rename="camel"):
    id: Annotated[str, msgspec.Meta(max_length=_ID_CHARS)] = ""
    expires_in: Annotated[int, msgspec.Meta(ge=0, le=2**31)] = 0
    """Seconds; zero for a token without end."""


class AccountPart:
    """A part of the web port."""

    def __init__(self, askers: Askers, keeper: Keeper, decider: Decider, record: Record, world: World) -> None:
        self._askers = askers
        self._keeper = keeper
        self._decider = decider
        self._record = record
        self._world = world
        self.routes = (
            Route(PATH, frozenset({"GET"}), askers.asked(self._list)),
            Route(f"{PATH}/", frozenset({"GET", "PUT", "POST", "DELETE"}), askers.asked(self._below)),
        )

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _below(self, request: Request, asker: Asker) -> Response:
        method, parts = request.method, request.path.removeprefix(f"{PATH}/").split("/")
        match method, parts:
            case "GET", ["can-i", resource, action, *rest]:
                return self._can_i(asker, resource, action, "/".join(rest))
            case "PUT", ["password"]:
                return await self._set_password(request, asker)
            case "GET", [name]:
                return json(200, told(self._account(asker, "get", name)))
            case "POST", [name, "token"]:
                return await self._make_token(request, asker, name)
            case "DELETE", [name, "token", token_id]:
                return await self._drop_token(asker, name, token_id)
            case _:
                return problem(404, "Not Found")

    async def _list(self, request: Request, asker: Asker) -> Response:
        del request
        accounts = self._keeper.realm.accounts
        items = [told(accounts[name]) for name in accounts if self._may(asker, "get", name)]
        return json(200, {"items": items} if items else {})

    def _can_i(self, asker: Asker, resource: str, action: str, name: str) -> Response:
        for given, known in ((action, ACTIONS), (resource, RESOURCES)):
            if given not in known:
                # Go's way of printing a list; clients look for what is in it.
                return problem(400, f"[{' '.join(known)}] does not contain {printable(given, 100)}")
        parts = name.split("/")
        if resource in _SCOPED and len(parts) == _SCOPED_PARTS and parts[1] == self._keeper.namespace:
            name = f"{parts[0]}/{parts[2]}"
        verdict = self._decider.decide(asker, resource, action, name)
        value = "yes" if verdict.allowed else "no"
        return json(200, {"value": value, "line": verdict.line, "why": verdict.why})

    async def _set_password(self, request: Request, asker: Asker) -> Response:
        given = await read_body(request, _NewPassword)
        name = given.name or asker.name
        if name != asker.name or not asker.local:
            self._check(asker, "update", given.name)
        await self._prove(asker, given)
        account = self._keeper.realm.accounts.get(name)
        if account is None:
            raise _no_such(name)
        new, pattern, old = Plaintext(given.new_password), self._keeper.realm.password_pattern, account.password
        await self._world.aside(lambda: check_new(new, name, pattern, old))
        kept = await self._world.aside(lambda: hashed(new))
        async with self._record.changing(asker.name, "set-password", f"Set the password of {printable(name, 100)}"):
            await self._keeper.change(
                lambda realm: with_password(_named(realm, name).name, kept, self._world.clock.now())
            )
        answered = json(200, {})
        if name == asker.name and self._askers.shown(request).by_cookie:
            # All sessions from before have ended. Whoever did this goes on in a new one.
            answered.headers = tuple(self._askers.kept(request, await self._askers.sessions.begin(name)))
        return answered

    async def _prove(self, asker: Asker, given: _NewPassword) -> None:
        """That it is they who change it, and not somebody who found their browser open."""
        if asker.local:
            if role_of(asker.name) is not None:
                raise InvalidInput("password can only be changed for local users", why=f"not for {asker.name!r}")
            try:
                await self._askers.sessions.prove(asker.name, Plaintext(given.current_password))
            except Unauthenticated:
                raise InvalidInput(
                    "current password does not match", hint="Give the one that you log in with."
                ) from None
        elif asker.session is None or self._world.clock.now().timestamp() - asker.session.issued_s > _FRESH_S:
            raise Forbidden(
                "SSO token is too old", why="it is more than five minutes", hint="Log in again, then do this."
            )

    async def _make_token(self, request: Request, asker: Asker, name: str) -> Response:
        self._check(asker, "update", name)
        given = await read_body(request, _NewToken)
        if not given.id.isprintable() or "/" in given.id:
            raise InvalidInput(
                "The id of a token has a slash, or cannot be printed", hint="Use letters, digits and dashes."
            )
        token_id = given.id or self._world.ids.uid()
        made, issued_s, ends_s = self._askers.sessions.issued(f"{name}:{API_KEY}", given.expires_in, token_id)
        record = TokenRecord(token_id, issued_s, ends_s)
        async with self._record.changing(asker.name, "create-token", f"Make a token of {printable(name, 100)}"):
            await self._keeper.change(lambda realm: with_tokens(name, _added(_named(realm, name), record)))
        return json(200, {"token": made})

    async def _drop_token(self, asker: Asker, name: str, token_id: str) -> Response:
        self._check(asker, "update", name)

        def without(realm: Realm) -> "dict[str, bytes | None]":
            account = _named(realm, name)
            if account.token(token_id) is None:
                raise NotFound(f"token with id '{printable(token_id, 100)}' does not exist")
            return dict(with_tokens(name, tuple(each for each in account.tokens if each.id != token_id)))

        async with self._record.changing(asker.name, "delete-token", f"Remove a token of {printable(name, 100)}"):
            await self._keeper.change(without)
        return json(200, {})

    def _account(self, asker: Asker, action: str, name: str) -> Account:
        """Whoever may not see it is not told whether it is there."""
        self._check(asker, action, name)
        return _named(self._keeper.realm, name)

    def _check(self, asker: Asker, action: str, name: str) -> None:
        if not self._may(asker, action, name):
            why = f"accounts, {action}, {printable(name, 100)}, sub: {asker.name}"
            raise Forbidden("permission denied", why=why, hint="Ask an administrator for it in policy.csv.")

    def _may(self, asker: Asker, action: str, name: str) -> bool:
        own = asker.local and not asker.anonymous and asker.name == name
        return own or self._decider.decide(asker, "accounts", action, name).allowed


def told(account: Account) -> JsonObject:
    """As Argo CD does: what is empty or false is left out."""
    tokens = [
        {"id": each.id, "issuedAt": each.issued_s} | ({"expiresAt": each.expires_s} if each.expires_s else {})
        for each in sorted(account.tokens, key=lambda each: each.issued_s, reverse=True)
    ]
    parts: JsonObject = {"enabled": account.enabled, "capabilities": list(account.capabilities), "tokens": tokens}
    return {"name": account.name, **{key: value for key, value in parts.items() if value}}


def _named(realm: Realm, name: str) -> Account:
    account = realm.accounts.get(name)
    if account is None:
        raise _no_such(name)
    return account


def _added(account: Account, record: TokenRecord) -> tuple[TokenRecord, ...]:
    if account.token(record.id) is not None:
        raise AlreadyExists(f"account already has token with id '{record.id}'", hint="Choose another id.")
    if API_KEY not in account.capabilities:
        hint = f"Add it to accounts.{account.name} in argocd-cm."
        raise InvalidInput(f"account '{account.name}' does not have {API_KEY} capability", hint=hint)
    if len(account.tokens) >= _MOST_TOKENS:
        why = f"it has {_MOST_TOKENS} already"
        raise LimitExceeded(
            f"account '{account.name}' gets no more tokens", why=why, hint="Remove those that nobody uses."
        )
    return (*account.tokens, record)


def _no_such(name: str) -> NotFound:
    return NotFound(f"account '{printable(name, 100)}' does not exist")
