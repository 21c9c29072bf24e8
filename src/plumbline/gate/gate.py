"""The one door. Every write to a cluster or a cloud, and every run of a tool that can write, passes here.

It asks, in this order: authority (may this installation touch it), ownership (is there another owner), consent (does it
destroy what nobody asked to destroy), fence (are we still the ones to act). Then it writes the intent down, does it, and
writes down how it went. A dry run and a recording are the same door with another back end: a preview is by construction
what would happen.
"""

from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import Conflict, NeedsConsent, OwnedElsewhere, PlumblineError
from plumbline.base.json import JsonObject, encode
from plumbline.base.log import logger
from plumbline.gate.authority import authorised
from plumbline.gate.consent import Limits, Verdict, judged, token
from plumbline.gate.contests import Contests
from plumbline.gate.intents import Act, Intent
from plumbline.journal.chain import Row
from plumbline.journal.effects import EFFECT_BYTES
from plumbline.journal.entries import Draft, Kind
from plumbline.journal.journal import Journal
from plumbline.journal.parties import printable
from plumbline.kinds.mandate import MandateSpec
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Claim

_NAMED: Final = 5

log = logger(__name__)


class Performed(msgspec.Struct, frozen=True):
    reply: bytes


class Withheld(msgspec.Struct, frozen=True):
    """Nothing was written, and that is as it should be."""

    reason: str


Outcome: TypeAlias = Performed | Withheld


class BackEnd(Protocol):
    async def act(self, intent: Intent, act: Act) -> bytes: ...


class Powers(msgspec.Struct, frozen=True):
    """What the gate asks. Functions, because the answers change while it stands."""

    mandate: Callable[[], MandateSpec]
    ledger: Ledger
    fence: Callable[[], None]
    """Raises Fenced unless we are still the ones to act."""
    limits: Limits = Limits()


class Gate:
    def __init__(self, powers: Powers, back_end: BackEnd, clock: Clock) -> None:
        self._powers = powers
        self._back_end = back_end
        self._clock = clock
        self._contests = Contests()

    async def perform(self, intent: Intent, act: Act) -> Outcome:
        """Do it, withhold it where we only observe, or raise why it must not be: OwnedElsewhere, NeedsConsent, Contested, Fenced."""
        powers = self._powers
        if not authorised(powers.mandate(), intent):
            return Withheld("This installation only observes it")
        if intent.claim is not None:
            self.permit(intent.claim)
        self._check_consent(intent)
        self._contests.healing(str(intent.subject), intent.heals, self._clock.monotonic())
        powers.fence()
        if intent.still_meant is not None:
            intent.still_meant()
        return Performed(await self._back_end.act(intent, act))

    def permit(self, claim: Claim) -> None:
        """Raise OwnedElsewhere where a write that makes *claim* would be turned away: for who plans several of them."""
        self._powers.ledger.permit(claim)

    def _check_consent(self, intent: Intent) -> None:
        verdict = judged(intent, self._powers.limits)
        destruction = intent.destroys
        if verdict is Verdict.PASSES or destruction is None:
            return
        lost = [f"{loss.subject} ({loss.what})" if loss.what else loss.subject for loss in sorted(destruction.losses)]
        if verdict is Verdict.WARNS:
            log.warning("destruction allowed by policy", subject=str(intent.subject), lost=lost)
            return
        many = "resource" if len(lost) == 1 else "resources"
        raise NeedsConsent(
            f"This {destruction.how} would destroy {len(lost)} {many}",
            why=f"nobody asked for the loss of {', '.join(lost[:_NAMED])}{' and more' if len(lost) > _NAMED else ''}",
            token=token(destruction),
        )


class Live:
    """The back end that writes. The intent is on record before the effect, the outcome after it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def act(self, intent: Intent, act: Act) -> bytes:
        if intent.minor:
            return await act.perform()
        (intended,) = await self._journal.begin(_draft("intended", intent, intent.why))
        try:
            reply = await act.perform()
        except PlumblineError as error:
            await self._settle(intended, intent, error)
            raise
        await self._journal.begin(_draft("performed", intent, intent.why, settles=intended.id))
        return reply

    async def _settle(self, intended: Row, intent: Intent, error: PlumblineError) -> None:
        kind: Kind = "refused" if isinstance(error, Conflict | OwnedElsewhere) else "failed"
        summary = printable(f"{intent.why}: {error}", 500)
        await self._journal.begin(_draft(kind, intent, summary, settles=intended.id))


class DryRun:
    """The back end that asks the other side what would happen."""

    async def act(self, intent: Intent, act: Act) -> bytes:
        del intent
        return await act.rehearse()


class Record:
    """The back end that only remembers what came through."""

    def __init__(self) -> None:
        self.intents: list[Intent] = []

    async def act(self, intent: Intent, act: Act) -> bytes:
        del act
        self.intents.append(intent)
        return b""


def _draft(kind: Kind, intent: Intent, summary: str, *, settles: str = "") -> Draft:
    return Draft(
        kind=kind,
        actor=intent.actor,
        verb=intent.verb,
        subject=intent.subject,
        cause=intent.cause,
        change=intent.change,
        settles=settles,
        summary=summary,
        effect=_effect(intent),
    )


def _effect(intent: Intent) -> JsonObject:
    """What the room says of it, and for whom it is done where there is room for that too."""
    whole = {**_placed(intent), **intent.details}
    return whole if len(encode(whole)) <= EFFECT_BYTES else intent.details


def _placed(intent: Intent) -> JsonObject:
    """For whom it is done: those who may see that object may see what was done for it."""
    behalf = intent.behalf
    if behalf is None or behalf == intent.subject:
        return {}
    named = {"group": behalf.group, "kind": behalf.kind, "namespace": behalf.namespace, "name": behalf.name}
    placed: JsonObject = {"for": {key: value for key, value in named.items() if value}}
    return {**placed, "project": intent.project} if intent.project else placed
