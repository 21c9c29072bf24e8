"""The loop: keys come from the queue, objects from the cache, outcomes from the steps, and one status goes back."""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from plumbline.base.clock import rfc3339
from plumbline.base.errors import Conflict, InvalidInput, LimitExceeded, NotFound, PlumblineError, UnknownKind
from plumbline.base.json import JsonObject
from plumbline.base.log import bound, logger
from plumbline.base.tasks import task_group
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.conditions import Reported
from plumbline.kernel.execution import execute
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Done, Stop, Stuck, Wait
from plumbline.kernel.parties import Parties
from plumbline.kernel.queue import Priority, Queue
from plumbline.kernel.reconciler import Change, Event, Executed, Reconciler, Run, Seen
from plumbline.kernel.records import Records
from plumbline.kernel.standins import MOST, PATIENCE_S, StandIns
from plumbline.kernel.telling import Teller
from plumbline.kernel.world import World
from plumbline.kinds.read import read
from plumbline.kinds.status import ObservedStatus
from plumbline.kube.client import Target

WORKERS: Final = 8
_GLANCE_S: Final = 0.1
_CONFLICT_S: Final = 0.05
_RUSH: Final = 16
_RUSH_S: Final = 0.5
"""So many looks in so short a time are a rush."""
_OF_ONE: Final = MOST * 3 // 4
"""Looks at a time of one party: when all of them wait, there are still some who stand in for others."""
_UNKNOWN: Final = 1 << 63
"""Newer than every version: a key that was not looked at since it became ours."""

log = logger(__name__)


class Controller:
    """One reconciler over one collection. `mine` says which keys this replica looks after, now."""

    def __init__(
        self,
        reconciler: Reconciler[Any, Any],
        informer: Informer,
        records: Records,
        world: World,
        *,
        mine: Callable[[Key], bool] | None = None,
        party: Callable[[Key], str] | None = None,
    ) -> None:
        """*mine* says which keys this replica looks after, where several share them; *party*, whose a key is."""
        _check_status(reconciler)
        self.reconciler = reconciler
        self.queue: Queue[Key] = Queue(world.clock, world.ids)
        self._informer = informer
        self._records = records
        self._clock, _, self._metrics = world
        self._parties = Parties(self.queue, party or "/".join, _OF_ONE)
        self._shared = mine is not None
        self.looked: Callable[[Key, float], None] | None = None
        """Told of each look that is over, and of the seconds that it took. It must not wait."""
        self._mine: Callable[[Key], bool] = mine or (lambda _: True)
        self._acted_on: dict[Key, int] = {}
        # The status as our last look left it. A status that is another was written by another, and wants a look.
        self._left: dict[Key, int] = {}
        # Keys of which a record may have been written that our copy has not heard of.
        self._doubtful: set[Key] = set()
        self._writing = False
        self._stand_ins: StandIns | None = None
        self._last_looks_s: deque[float] = deque(maxlen=_RUSH)
        self._teller = Teller(records, world.clock, self._busy)
        informer.subscribe(self._changed)

    async def run(self, workers: int = WORKERS) -> None:
        """Work until `drain`. The informer runs elsewhere, since others may read the same copy."""
        await self._informer.synced()
        async with task_group() as group:
            group.create_task(self._teller.run())
            async with task_group() as working:
                self._stand_ins = StandIns(working, self._work)
                for _ in range(workers):
                    working.create_task(self._work())
            self._teller.close()

    def drain(self) -> None:
        """Begin nothing new; `run` returns when what is under way is finished."""
        self.queue.close()

    async def finished(self) -> None:
        """Returns when nothing is under way for keys that are not ours to look after."""
        while any(not self._mine(key) for key in self.queue.working):
            await self._clock.sleep(_GLANCE_S)

    def wake_all(self) -> None:
        """Our share changed: look at everything in it."""
        self._acted_on.clear()
        for entry in self._informer.cache:
            if self._mine(entry.meta.key):
                self.queue.add(entry.meta.key, Priority.POLL)

    def wake(self, key: Key, priority: Priority = Priority.USER, after_s: float = 0.0) -> None:
        """Something that this collection does not show wants a look at *key*, at once or within so many seconds."""
        if after_s:
            self.queue.add_after(key, after_s, priority)
        else:
            self.queue.add(key, priority)

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None or self._writing:
            return
        key = present.meta.key
        if after is None:
            self.queue.forget(key)
            self._left.pop(key, None)
            self._acted_on.pop(key, None)
            self._doubtful.discard(key)
        elif before is not None and before.relevant == after.relevant and self._known(key, after):
            return
        asked = before is None or after is None or after.meta.generation != before.meta.generation
        self.queue.add(key, Priority.USER if asked else Priority.DRIFT)

    def _wrote(self, raw: bytes) -> None:
        """What a look has written of its own object is known to whoever follows it, and no reason for another look."""
        self._quietly(lambda: self._informer.learn(raw))

    def _quietly(self, learn: Callable[[], object]) -> None:
        self._writing = True
        try:
            learn()
        finally:
            self._writing = False

    def _busy(self) -> bool:
        """Whether somebody may be waiting for what looks do. In a rush there are moments without any look."""
        last_s = self._last_looks_s
        rush = len(last_s) == _RUSH and self._clock.monotonic() - last_s[0] < _RUSH_S
        return rush or len(self.queue) > 0

    def _waiting(self, patience_s: float = PATIENCE_S) -> AbstractContextManager[None]:
        """Around what a look waits for outside: after a moment somebody else works in its place."""
        return nullcontext() if self._stand_ins is None else self._stand_ins.waiting(patience_s)

    def _known(self, key: Key, after: Cached) -> bool:
        """Whether a status is ours. It may come back before its write is answered: then the look that wrote it decides."""
        return self._left.get(key) == after.status or key in self.queue.working

    async def _work(self, over: Callable[[], bool] = lambda: False) -> None:
        """Until there is no more or, asked between two keys, it is *over*."""
        name = self.reconciler.name
        while not over() and (taken := await self.queue.take()) is not None:
            key, waited_s = taken
            if not self._parties.begins(key):
                continue
            self._metrics.queue_wait(name, waited_s)
            self._metrics.queue_depth(name, len(self.queue))
            try:
                with bound(controller=name, ref="/".join(key)):
                    await self._look(key)
            finally:
                self._parties.ended(key)

    async def _look(self, key: Key) -> None:
        began_s = self._clock.monotonic()
        seen = self._informer.cache.get(key)
        try:
            outcome = await self.reconcile(key)
        except Conflict:
            # Our copy is old, or it was our own record that was sent twice: what is true is asked for.
            self._doubtful.add(key)
            self.queue.add_after(key, _CONFLICT_S, Priority.DRIFT)
            outcome = "conflict"
        except NotFound:
            outcome = "gone"  # the copy will say so too, in its own time
        except PlumblineError as error:
            self._doubtful.add(key)
            wait_s = self.queue.retry(key)
            log.warning("record not written", code=error.code, error=str(error), again_in_s=wait_s)
            outcome = "unrecorded"
        except Exception:  # one poison object must never stop the loop
            log.exception("look crashed", again_in_s=self.queue.retry(key))
            outcome = "crashed"
        ended_s = self._clock.monotonic()
        self._last_looks_s.append(ended_s)
        took_s = ended_s - began_s
        self._metrics.reconciled(self.reconciler.name, outcome, took_s)
        self._count(key, took_s)
        self._recheck(key, seen)

    def _count(self, key: Key, took_s: float) -> None:
        if self.looked is None:
            return
        try:
            self.looked(key, took_s)
        except Exception:  # what is wrong with the numbers is wrong with them alone
            log.exception("look not counted")

    def _recheck(self, key: Key, seen: Cached | None) -> None:
        """A status that came while we looked, and is not the one that we left, wants another look."""
        now = self._informer.cache.get(key)
        if now is not None and now is not seen and self._left.get(key) != now.status:
            self.queue.add(key, Priority.DRIFT)

    async def reconcile(self, key: Key) -> str:
        """One look at *key*; returns the name of how it ended."""
        entry = self._informer.cache.get(key)
        if entry is None:
            self.queue.forget(key)
            return "gone"
        if not self._mine(key):
            return "elsewhere"
        if key in self._doubtful:
            entry = await self._asked(key)
        if self._shared:
            entry = await self._newest(key, entry)
        obj = entry.object()
        target = Target(self._informer.target.resource, *key)
        if await self._holds_finalizer(target, obj, entry):
            return "prepared"
        run, executed = await self._executed(obj, entry)
        self._left[key] = await self._record(target, run, executed, entry)
        return self._requeue(key, executed)

    async def _asked(self, key: Key) -> Cached:
        """The object as the server has it, known to everybody from here on: to decide by less would be to do things twice."""
        entry = await self._informer.fetched(key)
        self._doubtful.discard(key)
        self._quietly(lambda: self._informer.learn_of(entry))
        return entry

    async def _newest(self, key: Key, entry: Cached) -> Cached:
        """*entry*, or the object as it is now where somebody may have acted on more than our copy has heard of.

        Whoever had the key before us may have, and so may we: what was acted on once is never looked at in an older form.
        """
        if int(entry.meta.resource_version) < self._acted_on.get(key, _UNKNOWN):
            entry = await self._informer.fetched(key)
        self._acted_on[key] = int(entry.meta.resource_version)
        return entry

    async def _executed(self, obj: JsonObject, entry: Cached) -> tuple[Run[Any, Any] | None, Executed]:
        reconciler = self.reconciler
        deleting = bool(entry.meta.deletion_timestamp)
        try:
            typed = read(reconciler.kind, obj)
        except (InvalidInput, UnknownKind) as error:
            reported = Reported((), "", Stuck("InvalidSpec", str(error)))
            # What cannot be read cannot have been acted on in this form, but an earlier form may have been.
            return None, Executed(reported, None, failed=False)
        crowded = self.queue.crowded
        run: Run[Any, Any] = Run(
            typed,
            entry.meta.generation,
            deleting,
            learn=self._wrote,
            waiting=self._waiting,
            hurried=lambda: crowded or self.queue.crowded,
        )
        return run, await execute(run, reconciler.teardown if deleting else reconciler.steps)

    async def _holds_finalizer(self, target: Target, obj: JsonObject, entry: Cached) -> bool:
        """Put our finalizer on before anything is done that it would have to undo; True if it was missing."""
        finalizer = self.reconciler.finalizer
        prepared = self.reconciler.holds_itself or finalizer in entry.meta.finalizers
        if not finalizer or entry.meta.deletion_timestamp or prepared:
            return False
        await self._records.write_finalizers(target, obj, [*entry.meta.finalizers, finalizer])
        return True

    async def _record(self, target: Target, run: Run[Any, Any] | None, executed: Executed, entry: Cached) -> int:
        """Write what the look found; returns the mark of the status that it leaves behind."""
        obj = run.object if run is not None else entry.object()
        finalizer, finalizers = self.reconciler.finalizer, entry.meta.finalizers
        torn_down = run is not None and run.deleting and isinstance(executed.reported.outcome, Done)
        if torn_down and finalizer in finalizers:
            self._tell(run, obj, ())
            await self._records.write_finalizers(target, obj, [each for each in finalizers if each != finalizer])
            return entry.status
        seen, now = Seen(obj, run), rfc3339(self._clock.now())
        change = self.reconciler.change(seen, executed, now)
        try:
            written = await self._written(target, obj, change)
        except LimitExceeded:
            # Without any record nobody would ever hear of what was done, nor would an operation come to an end.
            smaller = self.reconciler.smaller(seen, executed, now)
            if smaller is None or smaller == change:
                raise
            change, written = smaller, await self._written(target, obj, smaller)
        self._tell(run, obj, change.events)
        return self._informer.learn(written).status if written else entry.status

    async def _written(self, target: Target, obj: JsonObject, change: Change) -> bytes:
        return await self._records.write(self._status_of(target), obj, change.patch) if change.patch else b""

    def _status_of(self, target: Target) -> Target:
        """Some upstream kinds have no status subresource: theirs is written with the object."""
        return target._replace(subresource="status") if self.reconciler.kind.versions[0].status_apart else target

    def _tell(self, run: Run[Any, Any] | None, obj: JsonObject, transitions: tuple[Event, ...]) -> None:
        for event in (*(run.happened if run is not None else ()), *transitions):
            self._teller.tell(obj, event)

    def _requeue(self, key: Key, executed: Executed) -> str:
        outcome: Stop = executed.reported.outcome
        if executed.failed:
            self.queue.retry(key)
            return "failed"
        self.queue.forgive(key)
        if isinstance(outcome, Done):
            if outcome.after_s is not None:
                self.queue.add_after(key, outcome.after_s, Priority.POLL)
            return "done"
        if isinstance(outcome, Wait):
            self.queue.add_after(key, outcome.after_s, Priority.POLL)
            return "wait"
        return "stuck"


def _check_status(reconciler: Reconciler[Any, Any]) -> None:
    """An API server drops what a CRD does not declare, conditions too, and says nothing."""
    for version in reconciler.kind.versions:
        if not (issubclass(version.status, ObservedStatus) or reconciler.kind.keep_unknown):
            raise TypeError(f"{version.status.__name__} has no room for conditions: make it an ObservedStatus")
