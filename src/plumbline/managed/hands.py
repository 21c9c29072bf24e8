"""What is done in the cloud. Every creation, change and deletion is an intent that goes through the gate."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, TypeVar

from plumbline.base.errors import NeedsConsent, TimedOut
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.gate.gate import Gate, Performed
from plumbline.gate.intents import Destruction, Intent, Loss
from plumbline.journal.parties import ID_CHARS, Actor, ExternalResource, LiveObject, printable
from plumbline.kube.object import Object
from plumbline.managed.descent import Asked
from plumbline.managed.drift import fields
from plumbline.managed.external import Created, Difference, Managed, Observed, Updated
from plumbline.managed.identity import claims
from plumbline.managed.kinds import ManagedKind
from plumbline.managed.state import Connected
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Claim, Learned, Unnamed

DEADLINE_S: Final = 60.0
"""For one call to a provider."""
_US: Final = Actor("controller", "managed")

T = TypeVar("T")


class _Act(Generic[T]):
    """A call to a provider as the gate wants it. Nobody can rehearse one."""

    def __init__(self, call: Callable[[], Awaitable[T]], what: str) -> None:
        self._call = call
        self._what = what
        self.answer: T | None = None

    async def perform(self) -> bytes:
        self.answer = await timed(self._call(), self._what)
        return b""

    async def rehearse(self) -> bytes:
        return b""


class Hands:
    """Each method returns what the provider answered; None where this installation only observes."""

    def __init__(self, gate: Gate, ledger: Ledger, cluster: str) -> None:
        self._gate = gate
        self._ledger = ledger
        self._cluster = cluster

    async def create(self, kind: ManagedKind, at: Connected) -> Created | None:
        managed = at.managed
        act = _Act(lambda: at.external.create(managed), f"creating {managed.ref}")
        return await self._done(kind, at, act, self._intent(kind, at, "create", f"Create it for {managed.ref}"))

    async def update(self, kind: ManagedKind, at: Connected, observed: Observed) -> Updated | None:
        managed = at.managed
        act = _Act(lambda: at.external.update(managed, observed), f"updating {managed.ref}")
        why = f"Set {fields(observed.differences)}"
        return await self._done(kind, at, act, self._intent(kind, at, "update", printable(why)))

    async def delete(self, kind: ManagedKind, at: Connected, observed: Observed, asked: Asked) -> bool:
        """Ask for its deletion, in the way it came about. Raises NeedsConsent where nobody asked for this very thing."""
        loss = Loss(subject(kind, at.managed), observed.holds or kind.holds, stateful=True)
        held = bool(observed.holds or kind.holds)
        destroys = Destruction(asked.how, (loss,) if held else (), requested=asked.how == "deletion")
        why = f"{at.managed.ref} was deleted" + (f" with {asked.by}" if asked.by else "")
        return await self._deleted(kind, at, observed, self._intent(kind, at, "delete", why, destroys, asked.policy))

    async def replace(
        self, kind: ManagedKind, at: Connected, observed: Observed, replacing: tuple[Difference, ...]
    ) -> bool:
        """Delete it so that it is made anew. A consent fits these fields and these values, and nothing later."""
        lost = f"{subject(kind, at.managed)} for {fields(replacing)}"
        loss = Loss(lost, observed.holds or kind.holds, stateful=bool(observed.holds or kind.holds))
        why = f"Replace it: {fields(replacing)}"
        intent = self._intent(kind, at, "replace", printable(why), Destruction("replacement", (loss,)))
        return await self._deleted(kind, at, observed, intent)

    async def _deleted(self, kind: ManagedKind, at: Connected, observed: Observed, intent: Intent) -> bool:
        async def delete() -> bool:
            await at.external.delete(at.managed, observed)
            return True

        return await self._done(kind, at, _Act(delete, f"deleting {at.managed.ref}"), intent) is True

    async def _done(self, kind: ManagedKind, at: Connected, act: _Act[T], intent: Intent) -> T | None:
        outcome = await self._gate.perform(intent, act)
        if not isinstance(outcome, Performed):
            return None
        if intent.claim is not None:
            self._ledger.replace(origin(kind, at.managed), Learned((intent.claim,)))
        return act.answer

    def _intent(  # noqa: PLR0917 - all of them say what is about to happen
        self,
        kind: ManagedKind,
        at: Connected,
        verb: str,
        why: str,
        destroys: Destruction | None = None,
        policy: Any = "enforce",
    ) -> Intent:
        managed = at.managed
        return Intent(
            actor=_US,
            subject=ExternalResource(provider=kind.provider.name, id=printable(subject(kind, managed), ID_CHARS)),
            verb=verb,
            why=printable(why),
            behalf=LiveObject.at(self._cluster, managed.ref),
            claim=_claim(managed, at),
            destroys=destroys,
            consents=consents(managed),
            namespace_policy=policy,
        )


def origin(kind: ManagedKind, managed: Managed) -> tuple[str, str]:
    """Under what the ledger files the claims of one managed resource."""
    return str(kind.group_kind), str(managed.ref)


def subject(kind: ManagedKind, managed: Managed) -> str:
    """The thing outside, for people: by its own name where it has one yet, else by that of its object."""
    own = managed.external_name or "/".join(filter(None, (managed.ref.namespace, managed.ref.name)))
    return f"{kind.group_kind}/{own}"


def consents(managed: Managed) -> frozenset[str]:
    agreed = Object(managed.object).annotations.get(CONSENT_ANNOTATION, "")
    return frozenset(filter(None, (each.strip() for each in agreed.split(","))))


def agreeing(needed: NeedsConsent, managed: Managed) -> str:
    """What would be lost, and how somebody says that it may be."""
    ref = managed.ref
    return f"{needed}. If it may be, annotate the {ref.kind} {ref.name} with {CONSENT_ANNOTATION}={needed.token}"


async def timed(call: Awaitable[T], what: str) -> T:
    """*call*, or TimedOut where the provider does not answer."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await call
    except TimeoutError as late:
        raise TimedOut(
            f"No answer from the provider while {what}", why=f"it took longer than {DEADLINE_S:.0f} s"
        ) from late


def _claim(managed: Managed, at: Connected) -> Claim | None:
    found = claims(managed.object, at.config.ref)
    return next((each for each in found if not isinstance(each.resource, Unnamed)), None)
