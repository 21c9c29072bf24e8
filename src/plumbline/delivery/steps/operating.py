"""The operation of an Application: taken up, begun by itself, carried on from where it was, ended.

All that is needed to go on is in the object: a look that is cut off anywhere is repeated by the next one.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.delivery.operations.automatic import (
    Begin,
    Compared,
    Decision,
    Later,
    Refuse,
    decided,
    noting,
    unaccounted,
    whole,
)
from plumbline.delivery.operations.retries import Healing, since_s
from plumbline.delivery.projects.windows import allowed, matching, next_change
from plumbline.delivery.settings.values import SelfHeal
from plumbline.delivery.status import Condition
from plumbline.delivery.steps.depending import Depending
from plumbline.delivery.steps.progressing import ENDED, Progress, Progressing
from plumbline.delivery.steps.state import At, Operated
from plumbline.delivery.steps.targeting import Targeting
from plumbline.delivery.valuesfrom.discretion import discreet_state
from plumbline.kernel.cache import Key
from plumbline.kernel.reconciler import Run, reports
from plumbline.kinds.application import ApplicationSpec, ApplicationStatus, Operation, OperationState
from plumbline.kinds.appproject import SyncWindow
from plumbline.kinds.read import read_part
from plumbline.kinds.timestamp import Time
from plumbline.kube.health import Status
from plumbline.kube.object import Object
from plumbline.render.values import version_of

_BLOCKED: Final = "Sync operation blocked by sync window"
_BACKSTOP_S: Final = 30.0
_GLANCES: Final = 4
_GLANCE_S: Final = 0.05
_STILL_DIFFERENT_S: Final = 1.0
_SECOND: Final = timedelta(seconds=1)

Look = Run[ApplicationSpec, ApplicationStatus]


class Operating:
    def __init__(self, targeting: Targeting, progressing: Progressing, depending: Depending, clock: Clock) -> None:
        self._targeting = targeting
        self._progressing = progressing
        self._depending = depending
        self._clock = clock
        self._accounted: set[Key] = set()
        """Applications of which nothing was synced without being on record, as far as this process knows."""

    def forget(self, key: Key) -> None:
        """The application is gone."""
        self._accounted.discard(key)
        self._progressing.forget(key)

    @reports("SyncError")
    async def operated(self, run: Look, at: At) -> At:
        if not self._progressing.may_act(at):
            return at
        now = self._clock.now()
        last = run.read.status.operation_state
        asked = read_part(run.object, "operation", Operation)
        if last is not None and last.phase not in ENDED:
            return await self._carried_on(run, at, last, fresh=False)
        if asked is not None:
            return await self._carried_on(run, at, _begun(noting(asked, _values(at)), last, now), fresh=True)
        decision = await self._decided(run, at, now)
        if isinstance(decision, Begin):
            self._accounted.discard((at.facts.namespace, at.facts.name))
            begun = _begun(noting(decision.operation, _values(at)), last, now)
            return await self._begun_by_itself(run, at, begun, now)
        if isinstance(decision, Later):
            return replace(at, again_in_s=decision.in_s)
        if isinstance(decision, Refuse):
            return replace(at, conditions=(*at.conditions, Condition("SyncError", decision.message)))
        return await self._accounted_for(run, at, now)

    async def _accounted_for(self, run: Look, at: At, now: datetime) -> At:
        """A sync of one step is written down with its end. Where that was lost, what it left behind tells of it.

        It is asked once in the life of a process, and after each sync: nothing else leaves such a gap.
        """
        key = (at.facts.namespace, at.facts.name)
        if key in self._accounted or at.comparison is None or at.comparison.status != "Synced":
            return at
        self._accounted.add(key)
        found, status = _compared(at), run.read.status
        if not unaccounted(run.spec, status.operation_state, status.history, found):
            return at
        if status.history and not await self._targeting.asks_otherwise_than(run, at, status.history[-1]):
            return at
        operation = noting(whole(run.spec, found), found.values)
        progress = await self._progressing.recalled(run, at, _begun(operation, status.operation_state, now))
        if progress is None:
            return at
        self._accounted.discard(key)  # until that is on record
        return await self._told(run, at, progress)

    async def _decided(self, run: Look, at: At, now: datetime) -> Decision:
        last, found = run.read.status.operation_state, _compared(at)
        healing = _healing(at.settings.timing.self_heal)
        decision = decided(run.spec, last, found, healing, now)
        if isinstance(decision, Begin) and last is not None:
            # It is worth asking now whether the new revision brings anything at all.
            changed = await self._targeting.changed_since(run, at, last)
            decision = decided(run.spec, last, found._replace(changed=changed), healing, now)
        return decision

    async def _begun_by_itself(self, run: Look, at: At, state: OperationState, now: datetime) -> At:
        """Unless a window forbids it: then nothing begins, and nothing is said but when it may."""
        windows = matching(at.project.spec.sync_windows, at.facts.name, run.spec.destination)
        if windows and not allowed(windows, manual=False, now=now):
            return replace(at, again_in_s=_until(next_change(windows, now), now))
        revisions = at.target.revisions if at.target is not None else ()
        run.tell("OperationStarted", f"Initiated automated sync to '{', '.join(revisions)}'")
        return await self._carried_on(run, at, state, fresh=True)

    async def _carried_on(self, run: Look, at: At, state: OperationState, *, fresh: bool) -> At:
        now = self._clock.now()
        missing = self._depending.missing((at.facts.namespace, at.facts.name), Object(run.object).annotations)
        if missing and state.phase == "Running" and (fresh or state.sync_result is None):
            held = msgspec.structs.replace(state, message=missing)
            return replace(at, operated=Operated(held), again_in_s=_BACKSTOP_S, waiting_for=missing)
        windows = matching(at.project.spec.sync_windows, at.facts.name, run.spec.destination)
        if windows and state.phase == "Running" and not _let_through(state, windows, now):
            held = msgspec.structs.replace(state, message=_BLOCKED)
            again_s = _until(next_change(windows, now), now)
            return replace(at, operated=Operated(held), again_in_s=again_s, waiting_for=_BLOCKED)
        progress = await self._progressing.progressed(run, at, state, fresh=fresh)
        shown = discreet_state(progress.state, at.target.values if at.target is not None else None)
        return await self._told(run, at, progress._replace(state=shown))

    async def _told(self, run: Look, at: At, progress: Progress) -> At:
        state = progress.state
        over = state.phase in ENDED
        if over:
            run.tell("OperationCompleted", _ending(state), warning=state.phase != "Succeeded")
        if progress.touched:
            at = replace(at, operated=Operated(state))
            at = await self._settled(run, at, patient=state.phase == "Succeeded")
        after_s = progress.after_s
        if over and after_s is None and at.comparison is not None and at.comparison.status == "OutOfSync":
            after_s = _STILL_DIFFERENT_S
        operated = Operated(state, progress.history, taken=over and run.object.get("operation") is not None)
        return replace(at, operated=operated, again_in_s=after_s, waiting_for="" if over else state.message)

    async def _settled(self, run: Look, at: At, *, patient: bool) -> At:
        """How it stands after what was done. Most objects are well a moment later: then that is one record instead of two.

        In a rush they are not, and others would wait for it too.
        """
        at = await self._progressing.looked_again(run, at)
        for _ in range(_GLANCES if patient else 0):
            if run.hurried() or at.comparison is None or at.comparison.health is not Status.PROGRESSING:
                break
            await self._clock.sleep(_GLANCE_S)
            at = await self._progressing.looked_again(run, at)
        return at


def _ending(state: OperationState) -> str:
    """As upstream's event words it."""
    sync, result = state.operation.sync, state.sync_result
    begun = "Partial sync operation" if sync is not None and sync.resources else "Sync operation"
    to = f" to {result.revision}" if result is not None else ""
    return f"{begun}{to} {'succeeded' if state.phase == 'Succeeded' else f'failed: {state.message}'}"


def _compared(at: At) -> Compared:
    assert at.target is not None  # noqa: S101 - the steps before have found both
    assert at.comparison is not None  # noqa: S101 - same
    return Compared(at.comparison.status, at.target.revisions, at.comparison.resources, values=_values(at))


def _values(at: At) -> str:
    """The version of the values from outside."""
    return version_of(at.target.values if at.target is not None else None)


def _begun(operation: Operation, last: OperationState | None, now: datetime) -> OperationState:
    """A new operation. Hooks are told apart by when theirs began, so no two begin in the same second."""
    started = now
    if last is not None and since_s(last.started_at, now) < 1:
        try:
            started = max(now, Time.read(last.started_at).moment + _SECOND)
        except ValueError:
            started = now
    return OperationState(operation=operation, phase="Running", started_at=rfc3339(started))


def _let_through(state: OperationState, windows: tuple[SyncWindow, ...], now: datetime) -> bool:
    try:
        started = Time.read(state.started_at).moment
    except ValueError:
        started = None
    manual = not state.operation.initiated_by.automated
    return allowed(windows, manual=manual, now=now, operation_started=started)


def _until(change: datetime | None, now: datetime) -> float | None:
    return None if change is None else max((change - now).total_seconds(), 0.0) + 1.0


def _healing(said: SelfHeal) -> Healing:
    if said.fixed_s:
        return Healing(first_s=said.fixed_s, factor=1, longest_s=said.fixed_s)
    return Healing(first_s=said.initial_s, factor=said.factor, longest_s=said.cap_s)
