"""Who came in, who went, who tried and what they changed about accounts: for the journal, and never with a password."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Literal, NamedTuple

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError
from plumbline.base.log import logger
from plumbline.journal import Actor, Draft, Journal, LiveObject, Person, printable

_EVERY_S: Final = 60.0
_MOST_APART: Final = 10
"""Failures of one account that are told one by one within that time: twice of what locks it."""
_log = logger("web.session")


class _Failed(NamedTuple):
    since_s: float
    told: int = 1
    untold: int = 0


class Record:
    """Of an account that somebody goes on guessing at, only so many failures are told one by one, the rest by number.

    Failures to log in with names that nobody has are told by number, once a minute.

    A name that is none may be a password that somebody typed into the wrong field, and whoever makes up thousands of them
    must not fill the journal.
    """

    def __init__(self, journal: Journal, clock: Clock, cluster: str = "in-cluster", namespace: str = "argocd") -> None:
        self._journal = journal
        self._clock = clock
        self._cluster = cluster
        self._namespace = namespace
        self._strangers = 0
        self._told_s = float("-inf")
        self._failed: dict[str, _Failed] = {}

    async def came(self, name: str, way: Literal["password", "link", "sso"], address: str) -> None:
        await self._login(name, "login", f"{printable(name, 100)} logged in by {way}", address)

    async def went(self, name: str, address: str) -> None:
        await self._login(name, "logout", f"{printable(name, 100)} logged out", address)

    async def failed(self, name: str, address: str) -> None:
        """Of an account that there is."""
        now_s, known = self._clock.monotonic(), self._failed.get(name)
        summary = f"Somebody failed to log in as {printable(name, 100)}"
        if known is not None and now_s - known.since_s < _EVERY_S:
            if known.told >= _MOST_APART:
                self._failed[name] = known._replace(untold=known.untold + 1)
                return
            self._failed[name] = known._replace(told=known.told + 1)
        else:
            self._failed[name] = _Failed(now_s)
            summary += f", and {known.untold} times more before" if known is not None and known.untold else ""
        await self._login(name, "refuse", summary, address)

    async def stranger(self, address: str) -> None:
        """Failed with a name that nobody has."""
        self._strangers += 1
        if self._clock.monotonic() - self._told_s >= _EVERY_S:
            count, self._strangers, self._told_s = self._strangers, 0, self._clock.monotonic()
            await self._login("unknown", "refuse", f"Failed to log in with unknown names: {count}", address)

    @asynccontextmanager
    async def changing(self, who: str, verb: str, summary: str) -> AsyncIterator[None]:
        """What is done to accounts within, as an intent and its outcome."""
        actor, cause = Actor("person", printable(who) or "anonymous"), Person(name=printable(who) or "anonymous")
        subject = LiveObject(cluster=self._cluster, kind="Secret", namespace=self._namespace, name="argocd-secret")
        (intent,) = await self._journal.append(
            Draft(kind="intended", actor=actor, verb=verb, subject=subject, cause=cause, summary=summary)
        )
        try:
            yield
        except PlumblineError as error:
            failed = Draft(
                kind="failed", actor=actor, verb=verb, subject=subject, settles=intent.id, summary=error.what
            )
            await self._journal.append(failed)
            raise
        await self._journal.append(
            Draft(kind="performed", actor=actor, verb=verb, subject=subject, settles=intent.id, summary=summary)
        )

    async def _login(self, name: str, verb: str, summary: str, address: str) -> None:
        actor = Actor("person", printable(name) or "anonymous")
        draft = Draft(kind="login", actor=actor, verb=verb, summary=summary, effect={"from": address})
        try:
            await self._journal.append(draft)
        except PlumblineError as error:
            # A full disk must not keep those out who could do something about it.
            _log.warning("login not journalled", summary=summary, error=str(error))
