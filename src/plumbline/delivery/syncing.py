"""Carrying out the moves of a sync: writes side by side within a stage, one stage after the other."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final, Protocol, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, NeedsConsent, OwnedElsewhere, Refused, Transient
from plumbline.delivery.admission import denied, unasked
from plumbline.delivery.destinations import Destination
from plumbline.delivery.effects import Done, Effects, Observing, Suit
from plumbline.delivery.sync.bodies import defined
from plumbline.delivery.sync.hooks import FINALIZER, OPERATION
from plumbline.delivery.sync.losses import replacement
from plumbline.delivery.sync.moves import End, Removal, Run, kubectl_name
from plumbline.delivery.sync.results import Outcome
from plumbline.delivery.sync.tasks import Task, is_crd, verb
from plumbline.delivery.values import Desired
from plumbline.gate.intents import Destruction
from plumbline.kernel.cache import Cached
from plumbline.kube.names import GroupVersionKind

T = TypeVar("T")

_REQUEST: Final = re.compile(r"[A-Z]+ /\S+ failed")
_IMMUTABLE: Final = "field is immutable"
_DEFINING_S: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Between the looks whether a new kind is served. Whoever needs it later than that is told that it is not."""
_WEBHOOK_PAUSES_S: Final = (1.0, 3.0)
"""Between the tries of what a webhook was not there for: most are back in a moment, and the retries of the sync come after."""


class Suits(Protocol):
    """What is written of an object, as it suits the one that is there."""

    async def suited(self, task: Task, live: Cached | None) -> Suit: ...
    async def replacing(self, task: Task, live: Cached) -> Desired: ...


class Syncing:
    """The hands of one sync."""

    def __init__(
        self, effects: Effects, destination: Destination, suits: Suits, destroys: Destruction | None, clock: Clock
    ) -> None:
        self._effects = effects
        self._destination = destination
        self._suits = suits
        self._clock = clock
        self._destroys = destroys
        """Everything that the sync would prune, at once: that is what consent is about."""

    async def run(self, move: Run, propagation: str) -> tuple[Outcome, ...]:
        """Do what *move* says. What cannot be done is an outcome; what may work later is raised."""
        stripped = await self._together(partial(self._strip, each) for each in move.strips)
        if any(stripped):
            return _only(stripped)
        pruned = await self._together(partial(self._prune, each, propagation) for each in move.prunes)
        if any(each is not None and each.code == "SyncFailed" for each in pruned):
            return _only(pruned)
        deleted = await self._together(partial(self._clear, each) for each in move.deletions)
        outcomes = [*_only(pruned), *_only(deleted)]
        for batch in move.applies:
            outcomes += _only(await self._together(partial(self._apply, each) for each in batch))
        return tuple(outcomes)

    async def end(self, move: End) -> str:
        """Take away what *move* says; returns what went wrong, empty if nothing did."""
        stripped = await self._together(partial(self._strip, each) for each in move.strips)
        deleted = await self._together(partial(self._clear, each) for each in move.deletions)
        return "; ".join(each.message for each in _only([*stripped, *deleted]))

    async def _together(self, work: Iterable[Callable[[], Awaitable[Outcome | None]]]) -> list[Outcome | None]:
        """All of them to their end, before the first error is raised: none may go on behind our back."""
        ended = await asyncio.gather(*(each() for each in work), return_exceptions=True)
        outcomes: list[Outcome | None] = []
        for each in ended:
            if isinstance(each, BaseException):
                raise each
            outcomes.append(each)
        return outcomes

    async def _tried(self, gvk: GroupVersionKind, work: Callable[[], Awaitable[T]]) -> T:
        """What *work* gives, in its turn. What admission has against it is Refused, once it has been asked often enough."""
        pauses_s = iter(_WEBHOOK_PAUSES_S)
        while True:
            try:
                async with self._destination.turns.of(gvk):
                    return await work()
            except Transient as failed:
                missing = unasked(failed)
                if not missing and not denied(failed):
                    raise
                pause_s = next(pauses_s, None) if missing else None
                if pause_s is None:
                    raise Refused(failed.what, why=failed.why, hint=failed.hint) from failed
            await self._clock.sleep(pause_s)

    async def _apply(self, task: Task) -> Outcome | None:
        try:
            done = await self._tried(task.gvk, partial(self._written, task))
        except Refused as refused:
            return Outcome.failed(task, _answer(refused))
        if isinstance(done, Observing):
            return Outcome.failed(task, done.reason)
        if is_crd(task.ref) and not task.manner.dry:
            await self._taken_up(task)
        return Outcome.applied(task, done.message)

    async def _taken_up(self, task: Task) -> None:
        """Until the server serves what was just defined, which takes it a moment: what comes next may be of that kind."""
        kinds = self._destination.live.kinds
        kinds.forget()
        made = defined(task.desired) if task.desired is not None else None
        for pause_s in _DEFINING_S:
            if made is None or await kinds.serves(made.group_kind):
                return
            await self._clock.sleep(pause_s)
            kinds.forget()

    async def _written(self, task: Task) -> Done | Observing:
        desired, live = task.desired, await self._seen(task)
        assert desired is not None  # noqa: S101 - what is applied is desired
        match verb(task, exists=live is not None):
            case "create":
                return await self._effects.create(desired, task.manner)
            case "replace" | "update" if live is not None:
                return await self._effects.replace(await self._suits.replacing(task, live), live, task.manner)
            case "recreate" if live is not None:
                return await self._recreated(task, live)
        if task.hook and live is None:
            return await self._made(task)
        try:
            return await self._effects.apply(desired, await self._suits.suited(task, live), live, task.manner)
        except Refused as refused:
            if not task.manner.force or live is None or _IMMUTABLE not in str(refused):
                raise
            return await self._recreated(task, live)

    async def _made(self, task: Task) -> Done | Observing:
        """A hook is created, not applied: what is there already is this very hook, or not ours to take."""
        assert task.desired is not None  # noqa: S101 - what is applied is desired
        try:
            return await self._effects.create(task.desired, task.manner)
        except AlreadyExists as refused:
            there = await self._destination.live.looked_for(task.gvk, task.ref)
            if there is None or there.meta.annotations.get(OPERATION) != task.mark:
                raise self._effects.foreign(task.gvk, task.ref, there, hook=True) or refused from None
            return Done(f"{kubectl_name(task)} created", there)

    async def _recreated(self, task: Task, live: Cached) -> Done | Observing:
        anew = await self._suits.replacing(task, live)
        if not task.manner.dry:
            gone = await self._effects.delete(task.gvk, task.ref, live, replacement(task.ref), "Background")
            if isinstance(gone, Observing):
                return gone
        return await self._effects.create(anew, task.manner)

    async def _seen(self, task: Task) -> Cached | None:
        """The object as it is now: the plan may be a moment old."""
        return await self._destination.live.find(task.gvk, task.ref) if task.ref.name else None

    async def _prune(self, removal: Removal, propagation: str) -> Outcome | None:
        task = removal.task
        if task.manner.dry:
            return Outcome.pruned(task)
        try:
            done = await self._deleted(removal, self._destroys, propagation)
        except NeedsConsent:
            raise
        except Refused as refused:
            return Outcome.failed(task, _answer(refused))
        return Outcome.failed(task, done.reason) if isinstance(done, Observing) else Outcome.pruned(task)

    async def _deleted(self, removal: Removal, destroys: Destruction | None, propagation: str) -> Done | Observing:
        task = removal.task
        delete = partial(self._effects.delete, task.gvk, task.ref, removal.live, destroys, propagation)
        return await self._tried(task.gvk, delete)

    async def _clear(self, removal: Removal) -> Outcome | None:
        """A hook that is in the way, or has done its work."""
        if foreign := self._foreign(removal):
            return foreign
        try:
            await self._deleted(removal, None, "Background")
        except Refused as refused:
            return Outcome.uncleared(removal.task, _answer(refused))
        return None

    def _foreign(self, removal: Removal) -> Outcome | None:
        """What came of a hook's name by another way is left as it is."""
        task = removal.task
        refused = self._effects.foreign(task.gvk, task.ref, removal.live, hook=True)
        return None if refused is None else Outcome.uncleared(task, told(refused))

    async def _strip(self, removal: Removal) -> Outcome | None:
        """Take the hook finalizer off, of that very object."""
        if foreign := self._foreign(removal):
            return foreign
        task = removal.task
        try:
            await self._tried(task.gvk, partial(self._effects.strip, task.gvk, task.ref, removal.live, FINALIZER))
        except Refused as refused:
            return Outcome.uncleared(removal.task, _answer(refused))
        return None


def told(refused: Refused) -> str:
    """What people read of a refusal of ours: with the way out, since there is no server that says more."""
    return f"{refused}. {refused.hint}" if refused.hint else str(refused)


def _answer(refused: Refused) -> str:
    """What the server said, without what it was asked: that is no news to who reads about a sync."""
    if isinstance(refused, OwnedElsewhere):
        return told(refused)
    return refused.why if refused.why and _REQUEST.fullmatch(refused.what) else str(refused)


def _only(outcomes: Iterable[Outcome | None]) -> tuple[Outcome, ...]:
    return tuple(each for each in outcomes if each is not None)
