"""Tokens that we logged in for: kept while they last, renewed in time, given back when nobody needs them.

One store that is asked every minute would otherwise leave one token per minute behind, and Vault stops when it has too many.
So a login is shared by all openings of one identity with one credential. What is kept is revoked when the credential changes,
when the identity is forgotten, when there are too many, and when all is closed; what cannot be kept because it has only a few
uses is revoked when the store is closed.
"""

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, Refused
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.secrets.stores.vault.consistency import States

_MOST: Final = 1024
_SETTLED_S: Final = 30.0
_AGAIN_S: Final = 60.0
_FAREWELL_S: Final = 5.0
_GIVING_BACK_S: Final = 1.0
"""So long somebody waits for a server that may not be his; it forgets the token by itself in the end."""
_AT_ONCE: Final = 8

Identity: TypeAlias = tuple[str, ...]


@dataclass(slots=True, eq=False)
class Token:
    """*value* is None where requests go without one. With a *lease_s* of 0 it lasts for ever."""

    value: Plaintext | None
    made_s: float = 0.0
    lease_s: float = 0.0
    renewable: bool = False
    revocable: bool = False
    few_uses: bool = False
    states: States = field(default_factory=States)
    due_s: float = 0.0
    """When to see to it, and below when it has ended."""
    end_s: float = 0.0

    def __post_init__(self) -> None:
        self.last(self.lease_s, self.made_s)

    def last(self, lease_s: float, now_s: float) -> None:
        """It was given, or renewed."""
        self.due_s, self.end_s = now_s + lease_s / 2, now_s + lease_s

    def ended(self, now_s: float) -> bool:
        return bool(self.lease_s) and now_s >= self.end_s

    def due(self, now_s: float) -> bool:
        return bool(self.lease_s) and now_s >= self.due_s


class Desk(Protocol):
    """Where the tokens of one store come from and go to."""

    async def login(self) -> Token: ...

    async def renew(self, token: Token) -> float:
        """Its lease in seconds from now on."""

    async def revoke(self, token: Token) -> None: ...


@dataclass(slots=True)
class _Slot:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    credential: bytes = b""
    token: Token | None = None
    desk: Desk | None = None

    async def filled(self, desk: Desk) -> Token:
        fresh = await desk.login()
        self.token, self.desk = (None if fresh.few_uses else fresh), desk
        return fresh

    async def emptied(self) -> None:
        token, self.token = self.token, None
        if token is not None and self.desk is not None:
            await give_back(token, self.desk)


class Tokens:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._slots: OrderedDict[Identity, _Slot] = OrderedDict()

    async def token(self, identity: Identity, credential: bytes, desk: Desk) -> Token:
        """One that is good for a while; one with few uses is the caller's to give back. Raises what logging in raises."""
        slot = await self._slot(identity)
        async with slot.lock:
            if slot.credential != credential:
                await slot.emptied()
                slot.credential = credential
            now_s = self._clock.monotonic()
            if slot.token is None or slot.token.ended(now_s):
                return await slot.filled(desk)
            return await self._seen_to(slot, slot.token, desk) if slot.token.due(now_s) else slot.token

    async def instead_of(self, token: Token, identity: Identity, desk: Desk, *, gone: bool) -> Token | None:
        """Another one after Vault turned *token* down, or None where that would change nothing.

        *gone* says that Vault does not know it any more. Otherwise it is about what the token may do, which another login can
        change too, since roles do; but not twice within seconds, and a token is not given up for one that cannot be had.
        """
        slot = await self._slot(identity)
        async with slot.lock:
            if slot.token is not None and slot.token is not token:
                return slot.token
            if not gone and self._clock.monotonic() - token.made_s < _SETTLED_S:
                return None
            try:
                fresh = await slot.filled(desk)
            except PlumblineError:
                if not gone:
                    return None
                slot.token = None
                raise
            await give_back(token, desk)
            return fresh

    async def forget(self, identity: Identity) -> None:
        """Give back what is kept for it, and for all that it is the beginning of."""
        for each in [kept for kept in self._slots if kept[: len(identity)] == identity]:
            await self._slots.pop(each).emptied()

    async def close(self) -> None:
        """Give back all that is kept, as far as that can be done within seconds."""
        slots, self._slots = list(self._slots.values()), OrderedDict()
        turn = asyncio.Semaphore(_AT_ONCE)

        async def emptied(slot: _Slot) -> None:
            async with turn:
                await slot.emptied()

        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S), task_group() as group:
                for each in slots:
                    group.create_task(emptied(each))

    async def _slot(self, identity: Identity) -> _Slot:
        slot = self._slots.setdefault(identity, _Slot())
        self._slots.move_to_end(identity)
        while len(self._slots) > _MOST:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GIVING_BACK_S):
                    await self._slots.popitem(last=False)[1].emptied()
        return slot

    async def _seen_to(self, slot: _Slot, token: Token, desk: Desk) -> Token:
        """Renewed, or another one before it ends; if neither can be had, it is used to its end."""
        try:
            if token.renewable and await self._renewed(token, desk):
                return token
            fresh = await slot.filled(desk)
        except PlumblineError:
            token.due_s = self._clock.monotonic() + _AGAIN_S
            return token
        await give_back(token, desk)
        return fresh

    async def _renewed(self, token: Token, desk: Desk) -> bool:
        try:
            lease_s = await desk.renew(token)
        except Refused:
            return False
        # Towards the end of what a role allows, leases become shorter and shorter.
        if lease_s < token.lease_s / 2:
            return False
        token.last(lease_s, self._clock.monotonic())
        return True


class Lent:
    """The tokens that one store uses while it is open."""

    def __init__(self, tokens: Tokens, identity: Identity, credential: bytes, desk: Desk) -> None:
        self._tokens = tokens
        self._identity = identity
        self._credential = credential
        self._desk = desk
        self._own: Token | None = None

    async def current(self) -> Token:
        if self._own is not None:
            return self._own
        return self._noted(await self._tokens.token(self._identity, self._credential, self._desk))

    async def instead_of(self, token: Token, *, gone: bool) -> Token | None:
        if token is self._own:
            # Its uses are spent, or its time is over.
            await self.close()
            return self._noted(await self._tokens.token(self._identity, self._credential, self._desk))
        found = await self._tokens.instead_of(token, self._identity, self._desk, gone=gone)
        return found and self._noted(found)

    async def close(self) -> None:
        token, self._own = self._own, None
        if token is not None:
            await give_back(token, self._desk)

    def _noted(self, token: Token) -> Token:
        if token.few_uses:
            self._own = token
        return token


class Given:
    """A token that somebody else made, or none: it is used as it is, and theirs to renew and to revoke."""

    def __init__(self, value: Plaintext | None) -> None:
        self._token = Token(value)

    async def current(self) -> Token:
        return self._token

    async def instead_of(self, token: Token, *, gone: bool) -> Token | None:  # noqa: ARG002 - there is no other
        return None

    async def close(self) -> None:
        return None


async def give_back(token: Token, desk: Desk) -> None:
    """Whoever gives back is done with it: that Vault cannot be told is no reason to stop, it forgets the token by itself."""
    if token.revocable:
        with suppress(PlumblineError):
            await desk.revoke(token)
