"""One operation, as far as a look can bring it: planned anew each time, and moved until it waits, pauses or ends."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import Forbidden, NeedsConsent, Refused
from plumbline.delivery.operations.history import counts, remembered
from plumbline.delivery.operations.retries import awaits_retry, begun_again, due_in_s, retried
from plumbline.delivery.projects.permits import permits_source
from plumbline.delivery.projects.refusals import source_refusal
from plumbline.delivery.steps.acting import Actors, agreeing
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.planning import Planned, Planning
from plumbline.delivery.steps.state import At, Comparison, Target
from plumbline.delivery.steps.targeting import Asking, Targeting
from plumbline.delivery.sync.deadlines import TIMED_OUT, left_s, overdue, timeout_s
from plumbline.delivery.sync.moves import TERMINATION_FAILED, End, Run, View, Wait
from plumbline.delivery.sync.results import recorded
from plumbline.delivery.sync.stepping import step
from plumbline.delivery.sync.superseding import Patience, Verdict, stopped, superseded, yielding
from plumbline.delivery.sync.tasks import Invalid, Manner, Task
from plumbline.delivery.syncing import Syncing
from plumbline.kernel.cache import Key
from plumbline.kernel.reconciler import Run as Looking
from plumbline.kinds.application import (
    ApplicationSource,
    ApplicationSpec,
    ApplicationStatus,
    OperationState,
    ResourceResult,
    RevisionHistory,
    SyncOperation,
    SyncOperationResult,
)
from plumbline.kube.names import Ref
from plumbline.kube.object import Object

ENDED: Final = frozenset({"Succeeded", "Failed", "Error"})
_BACKSTOP_S: Final = 30.0
"""A sync that waits is looked at when something changes, and then at least so often."""
_CONSENT_S: Final = 60.0
_PATIENCE_S: Final = 2.0
"""A server that is busy may take a second for what is applied; a webhook may take half a minute for each object."""
_MOVES: Final = 100
_PATIENCE: Final = Patience()

Look = Looking[ApplicationSpec, ApplicationStatus]


class Progress(NamedTuple):
    """How far a look has brought an operation."""

    state: OperationState
    after_s: float | None = None
    """When to go on; None where it has ended."""
    touched: bool = False
    """Whether anything was written to the cluster."""
    history: tuple[RevisionHistory, ...] | None = None


@dataclass(slots=True)
class _Waited:
    """What one operation has waited for, as far as this process knows: who comes back from the dead has waited long enough."""

    started_at: str
    since: dict[Ref, datetime] = field(default_factory=dict)
    paused_until_s: float = 0.0
    """Between two waves."""


class Progressing:
    def __init__(
        self, targeting: Targeting, comparing: Comparing, planning: Planning, actors: Actors, clock: Clock
    ) -> None:
        self._targeting = targeting
        self._comparing = comparing
        self._planning = planning
        self._actors = actors
        self._clock = clock
        self._operations: dict[Key, _Waited] = {}

    def forget(self, key: Key) -> None:
        """The application is gone, or its operation."""
        self._operations.pop(key, None)

    def may_act(self, at: At) -> bool:
        """Whether this installation may touch what the application delivers, or only looks on."""
        return self._actors.may_act(at)

    async def looked_again(self, run: Look, at: At) -> At:
        """*at* with the comparison as it is after what was done."""
        assert at.target is not None  # noqa: S101 - the steps before have found it
        return replace(at, comparison=await self._comparing.comparison(run, at, at.target))

    async def progressed(self, run: Look, at: At, state: OperationState, *, fresh: bool) -> Progress:
        """Bring *state* further; *fresh* where nobody has written down yet that it began."""
        now = self._clock.now()
        if state.operation.sync is None:
            return self._ended(run, state, "Error", "Invalid operation request: no operation specified", retry=False)
        if awaits_retry(state):
            if await self._yields(run, at, state, None):
                return self._yielded(run, at, state, touched=False)  # between two attempts nothing runs
            if (due_s := due_in_s(state, now)) > 0:
                return Progress(state, due_s)
            state, fresh = begun_again(state), True
        state = self._timed(run, at, state, now)
        pause_s = self._waited(at, state).paused_until_s - self._clock.monotonic()
        if pause_s > 0 and state.phase == "Running":
            return Progress(state, pause_s)
        target = await self._target(run, at, state)
        state = _pinned(state, target, run.spec)
        comparison = at.comparison if target is at.target else await self._comparing.comparison(run, at, target)
        assert comparison is not None  # noqa: S101 - the steps before have found it
        planned = await self._planning.planned(run, at, state, target, comparison)
        if isinstance(planned, Invalid):
            return self._ended(run, _with(state, planned.results), "Failed", planned.message, retry=True)
        if fresh and planned.elaborate:
            # When it began has to be on record before the first hook is: hooks are told apart by it.
            return Progress(state, 0.0)
        return await self._moved(run, at, state, planned, comparison)

    async def recalled(self, run: Look, at: At, state: OperationState) -> Progress | None:
        """The record of a sync that was done and not written down; None where anything is left to do.

        One with steps or hooks is on record before it begins, so it is none of those.
        """
        assert at.target is not None  # noqa: S101 - the steps before have found both
        assert at.comparison is not None  # noqa: S101 - same
        state = _pinned(state, at.target, run.spec)
        planned = await self._planning.planned(run, at, state, at.target, at.comparison)
        if isinstance(planned, Invalid) or planned.elaborate:
            return None
        # However it is written: what is as it should be need not be written to be on record.
        plain = tuple(msgspec.structs.replace(task, manner=Manner()) for task in planned.tasks)
        move = step(planned.sync, plain, (), View(at.comparison.observed, at.comparison.in_sync))
        if not isinstance(move, End) or move.phase != "Succeeded" or move.strips or move.deletions:
            return None
        return self._ended(run, _with(state, move.results), move.phase, move.message, retry=False)

    async def _moved(
        self, run: Look, at: At, state: OperationState, planned: Planned, comparison: Comparison
    ) -> Progress:
        known = results = state.sync_result.resources if state.sync_result is not None else ()
        touched, gone = False, frozenset[Ref]()
        hands = planned.hands(comparison, self._clock)
        for _ in range(_MOVES):
            view = View(comparison.observed, comparison.in_sync, gone, self._overdue(at, state, planned.tasks))
            move = step(planned.sync, planned.tasks, results, view)
            results = move.results
            if isinstance(move, Run):
                try:
                    with run.waiting(_PATIENCE_S):
                        outcomes = await hands.run(move, planned.sync.propagation)
                except NeedsConsent as needed:
                    return Progress(_with(state, results, agreeing(needed)), _CONSENT_S, touched=touched)
                results, touched = recorded(results, outcomes), True
                comparison = await self._comparing.comparison(run, at, planned.target)
                if planned.elaborate:
                    self._waited(at, state).paused_until_s = self._clock.monotonic() + move.pause_s
                    return Progress(_with(state, results, move.message), move.pause_s, touched=True)
                hands = planned.hands(comparison, self._clock)
            elif isinstance(move, Wait):
                missing = await self._missing(at, move.unseen) - gone if move.unseen else frozenset()
                if missing:
                    gone |= missing
                    continue
                waiting = _with(state, results, move.message)
                if await self._yields(run, at, state, move):
                    return await self._gives_way(run, planned, waiting, view, hands)
                return self._waits(run, at, waiting, move, touched=touched)
            elif move.deletions and results != known and state.phase != "Terminating":
                # How a hook ended has to be on record before it goes: one that is missing counts as lost. Where it is
                # terminated it has not ended, and would not be known as one that has to go any more.
                return Progress(_with(state, results), 0.0, touched=touched)
            else:
                return await self._finished(run, _with(state, results), move, hands, touched=touched)
        raise AssertionError("a sync that does not come to an end")

    async def _finished(
        self, run: Look, state: OperationState, move: End, hands: Syncing, *, touched: bool
    ) -> Progress:
        with run.waiting(_PATIENCE_S):
            wrong = await hands.end(move)
        touched = touched or bool(move.strips or move.deletions)
        if wrong and state.phase == "Terminating":
            return self._ended(run, state, "Error", f"{TERMINATION_FAILED}: {wrong}", retry=False, touched=touched)
        message = f"{move.message}, triggered by {state.message}" if _timed_out(state) else move.message
        if not move.retried and state.retry_count:
            message = f"{message} (retried {state.retry_count} times)."
        return self._ended(run, state, move.phase, message, retry=move.retried, touched=touched)

    def _ended(
        self, run: Look, state: OperationState, phase: str, message: str, *, retry: bool, touched: bool = False
    ) -> Progress:
        now = self._clock.now()
        self.forget((run.read.ref.namespace, run.read.ref.name))
        over = msgspec.structs.replace(state, phase=phase, message=message, finished_at=rfc3339(now))
        if phase in {"Failed", "Error"} and retry:
            over = retried(msgspec.structs.replace(over, finished_at=""), now)
            if awaits_retry(over):
                return Progress(over, due_in_s(over, now), touched=touched)
        history = None
        if counts(over):
            limit = run.spec.revision_history_limit
            history = remembered(run.read.status.history, over, rfc3339(now), limit)
        return Progress(over, touched=touched, history=history)

    def _waits(self, run: Look, at: At, state: OperationState, move: Wait, *, touched: bool) -> Progress:
        now = self._clock.now()
        since = self._waited(at, state).since
        for task in move.waiting:
            since.setdefault(task.ref, now)
        limits = [task.timeout_s for task in move.waiting if task.timeout_s is not None]
        left = left_s(state.started_at, self._limit_s(run, at), now)
        after_s = min([_BACKSTOP_S, *limits, *([max(left, 1.0)] if left is not None else [])])
        return Progress(state, after_s, touched=touched)

    async def _yields(self, run: Look, at: At, state: OperationState, wait: Wait | None) -> bool:
        """Whether a sync that cannot go on gives way to what is newer in Git, and asks for something else."""
        newer = at.target.revisions if at.target is not None else ()
        if superseded(state, newer, wait, 0.0, _PATIENCE) is not Verdict.YIELDS:
            return False
        try:
            return await self._targeting.changed_since(run, at, state)
        except Refused:
            return True  # what it brings cannot be had any more

    async def _gives_way(
        self, run: Look, planned: Planned, state: OperationState, view: View, hands: Syncing
    ) -> Progress:
        """End a sync for the sake of a newer revision: what its hooks left behind is cleared away first."""
        newer = planned.at.target.revisions if planned.at.target is not None else ()
        results = state.sync_result.resources if state.sync_result is not None else ()
        end = stopped(planned.sync, planned.tasks, results, view, yielding(newer))
        if isinstance(end, Wait):
            return self._waits(run, planned.at, state, end, touched=False)
        await hands.end(end)
        return self._yielded(run, planned.at, _with(state, end.results), touched=True)

    def _yielded(self, run: Look, at: At, state: OperationState, *, touched: bool) -> Progress:
        assert at.target is not None  # noqa: S101 - it is what it yields to
        ended = self._ended(run, state, "Failed", yielding(at.target.revisions), retry=False, touched=touched)
        return ended._replace(after_s=0.0)

    def _timed(self, run: Look, at: At, state: OperationState, now: datetime) -> OperationState:
        left = left_s(state.started_at, self._limit_s(run, at), now)
        if state.phase != "Running" or left is None or left > 0:
            return state
        return msgspec.structs.replace(state, phase="Terminating", message=TIMED_OUT)

    def _limit_s(self, run: Look, at: At) -> float | None:
        return timeout_s(Object(run.object).annotations) or at.settings.timing.sync_timeout_s or None

    def _overdue(self, at: At, state: OperationState, tasks: tuple[Task, ...]) -> frozenset[Ref]:
        return overdue(tasks, self._waited(at, state).since, self._clock.now())

    def _waited(self, at: At, state: OperationState) -> _Waited:
        key = (at.facts.namespace, at.facts.name)
        known = self._operations.get(key)
        if known is None or known.started_at != state.started_at:
            known = self._operations[key] = _Waited(state.started_at)
        return known

    async def _missing(self, at: At, unseen: tuple[Task, ...]) -> frozenset[Ref]:
        """Which of them are really not there."""
        looked = [(task.ref, await at.destination.live.looked_for(task.gvk, task.ref)) for task in unseen]
        return frozenset(ref for ref, entry in looked if entry is None)

    async def _target(self, run: Look, at: At, state: OperationState) -> Target:
        """What the operation brings: what Git asks for now, unless it names something else."""
        asked, result = state.operation.sync or SyncOperation(), state.sync_result
        assert at.target is not None  # noqa: S101 - the step before has found it
        sources = _sources(result, asked) or at.target.sources
        revisions = _revisions(result, asked)
        if asked.manifests:
            return await self._targeting.local(run, at, at.target, asked.manifests)
        renewed = result is None and state.retry_count > 0 and state.operation.retry.refresh
        if not renewed and sources == at.target.sources and (not any(revisions) or revisions == at.target.revisions):
            return at.target
        for each in sources:  # an operation may name others than the spec, which was looked at already
            if not permits_source(at.project, each.repo_url):
                raise Forbidden(source_refusal(at.project, each.repo_url))
        return await self._targeting.target(run, at, sources, revisions, Asking(fresh=renewed))


def _sources(result: SyncOperationResult | None, asked: SyncOperation) -> tuple[ApplicationSource, ...]:
    if result is not None and (result.sources or result.source):
        return result.sources or ((result.source,) if result.source is not None else ())
    return asked.sources or ((asked.source,) if asked.source is not None else ())


def _revisions(result: SyncOperationResult | None, asked: SyncOperation) -> tuple[str, ...]:
    if result is not None:
        return result.revisions or ((result.revision,) if result.revision else ())
    return asked.revisions or ((asked.revision,) if asked.revision else ())


def _pinned(state: OperationState, target: Target, spec: ApplicationSpec) -> OperationState:
    """*state* with the very revisions that it is about, so that it goes on with these whatever is pushed meanwhile."""
    policy = spec.sync_policy
    result = state.sync_result or SyncOperationResult(revision="")
    several = len(target.sources) > 1 or bool(result.sources)
    pinned = msgspec.structs.replace(
        result,
        revision="" if several else target.revisions[0],
        revisions=target.revisions if several else (),
        source=None if several else target.sources[0],
        sources=target.sources if several else (),
        managed_namespace_metadata=policy.managed_namespace_metadata if policy is not None else None,
    )
    return msgspec.structs.replace(state, sync_result=pinned)


def _with(state: OperationState, results: tuple[ResourceResult, ...], message: str | None = None) -> OperationState:
    result = msgspec.structs.replace(state.sync_result or SyncOperationResult(revision=""), resources=results)
    told = state.message if message is None else message
    return msgspec.structs.replace(state, sync_result=result, message=told)


def _timed_out(state: OperationState) -> bool:
    return state.phase == "Terminating" and state.message == TIMED_OUT
