"""Sessions: begun with a password or a link, known by a token, and over as soon as one of many things says so."""

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple, Protocol

import msgspec

from plumbline.access import links, tokens
from plumbline.access.accounts import LOGIN, Account, Capability
from plumbline.access.keeper import Keeper
from plumbline.access.limiter import Limiter, Terms
from plumbline.access.notes import Notes, digest, with_revoked, with_spent
from plumbline.access.passwords import DECOY, verified
from plumbline.access.projecttokens import Projects, issued_for
from plumbline.access.tokens import ISSUER, void
from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.base.ids import Ids
from plumbline.base.json import Json
from plumbline.base.plaintext import Plaintext

NAME_BYTES: Final = 32
"""Of an account that logs in; longer names are nobody's."""
RENEW_S: Final = 300
_STEP_S: Final = 0.25
"""Answers to logins come at multiples of this, so that how long one took says nothing."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    subject: str
    """The account, `proj:PROJECT:ROLE`, or what the identity provider calls somebody."""
    issuer: str
    groups: tuple[str, ...] = ()
    issued_s: int = 0
    expires_s: int = 0
    """Zero means never."""
    token_id: str = ""
    capability: Capability | None = None
    """Of an account's session; None for those of projects and identity providers."""
    username: str = ""
    """For people: the address that the identity provider knows, where it does."""
    claims: Mapping[str, Json] = {}

    @property
    def local(self) -> bool:
        return self.issuer == ISSUER


class SingleSignOn(Protocol):
    """Who checks tokens that others have signed."""

    async def opened(self, token: str, companion: str) -> Session:
        """Raises Unauthenticated. *companion* is what we signed beside it at login, empty where there is none."""


class World(NamedTuple):
    clock: Clock
    ids: Ids
    aside: Aside = in_a_thread


class Sessions:
    def __init__(
        self,
        keeper: Keeper,
        world: World,
        projects: Projects,
        sso: SingleSignOn | None = None,
        terms: Terms | None = None,
    ) -> None:
        self._keeper = keeper
        self._world = world
        self._projects = projects
        self._sso = sso
        self.limiter = Limiter(lambda: keeper.notes, keeper.note, world.clock, terms)

    async def login(self, name: str, password: Plaintext) -> str:
        """A token for an account. Raises Unauthenticated, InvalidInput, Throttled.

        Whether the name is known, and whether too many have tried, neither the answer nor its time tells.
        """
        await self.prove(name, password)
        return await self.begin(name)

    async def prove(self, name: str, password: Plaintext) -> None:
        """That somebody is the account that they say."""
        if not password:
            raise Unauthenticated("Blank passwords are not allowed", hint="Give a password.")
        if len(name.encode()) > NAME_BYTES:
            raise InvalidInput(f"Username is too long ({NAME_BYTES} bytes max)", hint="Check the name.")
        began_s = self._world.clock.monotonic()
        try:
            await self._proven(name, password)
        finally:
            took_s = self._world.clock.monotonic() - began_s
            await self._world.clock.sleep(math.ceil(took_s / _STEP_S) * _STEP_S - took_s)

    async def begin(self, name: str) -> str:
        """A session of an account that has proven who it is."""
        account = self._keeper.realm.accounts.get(name)
        if account is None or not account.enabled:
            raise Unauthenticated(f"Account {name} is disabled", hint="Ask an administrator.")
        if LOGIN not in account.capabilities:
            raise Unauthenticated(f"Account {name} does not have {LOGIN} capability", hint="Ask an administrator.")
        await self._past(account)
        return self._signed(f"{name}:{LOGIN}", self._keeper.realm.session_s, self._world.ids.uid())

    def issued(self, subject: str, life_s: int, token_id: str) -> tuple[str, int, int]:
        """A token that somebody keeps a record of, when it was issued and when it ends (0 for never)."""
        now_s = self._now_s()
        return self._signed(subject, life_s, token_id), now_s, now_s + life_s if life_s > 0 else 0

    async def enter(self, link: str) -> str:
        """A session of the administrator for a link that nobody has used."""
        found = links.opened(link, self._keeper.key, self._world.clock.now())
        await self.spend("link", found.id, found.expires_s)
        return await self.begin("admin")

    def link(self) -> Plaintext:
        """The token of a new login link."""
        return links.issued(self._keeper.key, self._world.clock.now())

    async def spend(self, kind: str, number: str, until_s: int) -> None:
        """What may be used once, is used. Raises Unauthenticated the second time, at whichever replica."""
        key, now_s = digest(kind, number), self._now_s()
        fresh = False

        def spent(notes: Notes) -> Notes:
            nonlocal fresh
            fresh = key not in notes.spent
            return with_spent(notes, key, until_s, now_s) if fresh else notes

        await self._keeper.note(spent)
        if not fresh:
            raise Unauthenticated("This was used before", hint="Begin again: each login works once.")

    async def opened(self, token: str, companion: str = "") -> Session:
        """Whose *token* it is. Raises Unauthenticated."""
        if tokens.issuer_of(token) == ISSUER:
            session = await self._own(token)
        elif self._sso is None:
            raise void("single sign-on is not configured")
        else:
            session = await self._sso.opened(token, companion)
        self._check_noted(session)
        return session

    async def still_valid(self, session: Session) -> bool:
        """Whether a session that was opened before would still be."""
        if session.expires_s and session.expires_s <= self._now_s():
            return False
        try:
            if session.local:
                await self._check_own(session)
            elif self._keeper.realm.oidc is None or self._keeper.realm.oidc.issuer != session.issuer:
                return False
            self._check_noted(session)
        except Unauthenticated:
            return False
        return True

    def renewed(self, session: Session) -> str | None:
        """Another token for somebody who stays: with the same id, so that logging out ends both."""
        left_s = session.expires_s - self._now_s()
        if session.capability != LOGIN or not session.expires_s or left_s >= RENEW_S:
            return None
        life_s = session.expires_s - session.issued_s
        return self._signed(f"{session.subject}:{LOGIN}", life_s, session.token_id) if life_s > left_s else None

    async def revoke(self, session: Session) -> None:
        """End a session. Tokens that there is a record of end by its removal, and stay as they are."""
        if not _recorded(session) and session.token_id:
            now_s = self._now_s()
            # A token that it was renewed with ends later than this one.
            until_s = max(session.expires_s, now_s + self._keeper.realm.session_s if session.local else 0)
            key = digest(session.issuer, session.token_id)
            await self._keeper.note(lambda notes: with_revoked(notes, key, until_s, now_s))

    async def _proven(self, name: str, password: Plaintext) -> None:
        async with self.limiter.turn(name):
            account = self._keeper.realm.accounts.get(name)
            known = account.password if account is not None else None
            right = await self._world.aside(lambda: verified(password, known or DECOY))
            if account is None or self.limiter.locked(name):
                raise wrong()
            if not right or known is None:
                await self.limiter.failed(name)
                raise wrong()
            await self.limiter.succeeded(name)

    async def _own(self, token: str) -> Session:
        claims = tokens.opened(token, self._keeper.key, self._world.clock.now())
        role = tokens.role_of(claims.sub)
        name, capability = (claims.sub, None) if role else tokens.subject_of(claims.sub)
        session = Session(
            subject=name,
            issuer=ISSUER,
            issued_s=claims.iat,
            expires_s=claims.exp,
            token_id=claims.jti,
            capability=capability,
            username=name,
            claims={**msgspec.to_builtins(claims), "sub": name},
        )
        await self._check_own(session)
        return session

    async def _check_own(self, session: Session) -> None:
        if session.capability is None:
            await self._check_role(session)
        else:
            self._check_account(session, session.capability)

    async def _check_role(self, session: Session) -> None:
        role = tokens.role_of(session.subject)
        project = await self._projects(role.project) if role is not None else None
        if role is None or project is None or not issued_for(project, role.role, session.issued_s, session.token_id):
            raise void("the project has no such token")

    def _check_account(self, session: Session, capability: Capability) -> None:
        account = self._keeper.realm.accounts.get(session.subject)
        if account is None:
            raise void("there is no such account")
        if not account.enabled:
            raise void(f"account {account.name} is disabled")
        if capability not in account.capabilities:
            raise void(f"account {account.name} does not have '{capability}' capability")
        if not session.token_id:
            raise void("token does not have a unique identifier (jti claim) and cannot be validated")
        if capability != LOGIN and account.token(session.token_id) is None:
            raise void(f"account {account.name} does not have token with id {session.token_id[:100]}")
        if account.password_at is not None:
            # In the second of the change itself, only what began after it is one of ours to come: see `_past`.
            changed_s = int(account.password_at.timestamp())
            if session.issued_s < changed_s or (capability == LOGIN and session.issued_s == changed_s):
                raise void("account password has changed since token issued")

    def _check_noted(self, session: Session) -> None:
        notes = self._keeper.notes
        if session.token_id and notes.knows(session.issuer, session.token_id):
            raise void("token is revoked, please re-login")
        if not _recorded(session) and session.issued_s <= notes.void_before_s:
            raise void("token is revoked, please re-login")

    async def _past(self, account: Account) -> None:
        """Wait until a session that begins now is younger than whatever ended the ones before, by the clock of tokens."""
        ended_s = self._keeper.notes.void_before_s
        if account.password_at is not None:
            ended_s = max(ended_s, int(account.password_at.timestamp()))
        # Again where it woke a moment early: sleeping goes by another clock than tokens do.
        while int((now := self._world.clock.now()).timestamp()) == ended_s:
            following = now.replace(microsecond=0) + timedelta(seconds=1)
            await self._world.clock.sleep((following - now).total_seconds())

    def _signed(self, subject: str, life_s: int, token_id: str) -> str:
        now_s = self._now_s()
        ends = {"exp": now_s + life_s} if life_s > 0 else {}
        claims = {"iss": ISSUER, "sub": subject, **ends, "nbf": now_s, "iat": now_s, "jti": token_id}
        return tokens.signed(claims, self._keeper.key)

    def _now_s(self) -> int:
        return int(self._world.clock.now().timestamp())


def _recorded(session: Session) -> bool:
    """Whether it is a token that an account or a project has a record of."""
    return session.local and session.capability != LOGIN


def wrong() -> Unauthenticated:
    """The one answer to every login that does not work out."""
    return Unauthenticated("Invalid username or password", hint="Check both; after five failures wait five minutes.")
