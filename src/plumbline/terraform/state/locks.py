"""The lock of a run, in the Lease where every terraform and OpenTofu looks for it.

The tools' own locks know no end: whoever dies leaves one behind for ever. Ours beats. A run that cannot beat stops by
itself, well before others may take it for dead; and others judge by whether the beat moves while they watch, never by
comparing clocks. Every write is pinned to the version that was looked at, so that a late one changes nothing, and can be
repeated: a run that finds its own id in the lock has it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, Conflict, Fenced, InvalidInput, NotFound, PlumblineError
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.kernel.leases import micro_time
from plumbline.kube.client import Client
from plumbline.kube.names import Ref
from plumbline.terraform.state.holders import (
    FREED,
    Death,
    Holder,
    RunInfo,
    Seen,
    Sightings,
    Terms,
    holder_of,
    locked,
    seen,
    taken,
)
from plumbline.terraform.state.place import Place
from plumbline.terraform.state.writing import Note, Pin, Writer

_TRIES: Final = 8

log = logger(__name__)

Verdict = Callable[[str], Awaitable[str]]
"""What proves that the run of that id is dead; empty where nothing does."""


async def _unknown(run: str) -> str:
    del run
    return ""


class Lock:
    """A lock while it is ours."""

    def __init__(self, place: Place, run: RunInfo, pin: Pin, until_s: float, clock: Clock) -> None:
        self.place = place
        self.run = run
        self.pin = pin
        self.until_s = until_s
        """By our own clock, until when nobody can have taken us for dead."""
        self._clock = clock

    def check(self) -> None:
        """Raise Fenced unless it certainly still is ours. Ask last thing before an effect."""
        if self._clock.monotonic() >= self.until_s:
            raise self.lost()

    def lost(self) -> Fenced:
        return Fenced(
            f"Run {self.run.id[:8]} was stopped",
            why=f"it no longer has the lock on the state {self.place}, or could not show that it lives",
            hint="Look at what it may have left behind; the next run plans from the state as it is.",
        )


class Locks:
    def __init__(self, client: Client, writer: Writer, clock: Clock, *, host: str, terms: Terms | None = None) -> None:
        """*host* is what others are told about where we are."""
        self._client = client
        self._writer = writer
        self._clock = clock
        self._who = f"plumbline@{host}"
        self._terms = terms or Terms()
        self._sightings = Sightings(clock)

    async def take(self, place: Place, run: RunInfo, verdict: Verdict = _unknown) -> Lock:
        """The lock on *place*. Raises StateLocked, which tells the holder, whether it is dead, and what may be done."""
        for _ in range(_TRIES):
            lease = await self._lease(place)
            if lease is not None and lease.holder not in {"", run.id}:
                raise locked(place, await self._judged(place, holder_of(lease), verdict))
            sent_s = self._clock.monotonic()
            try:
                pin = await self._write(place, run, lease)
            except (AlreadyExists, Conflict):
                continue
            self._sightings.forget(place)
            return Lock(place, run, pin, sent_s + self._terms.fence_s, self._clock)
        raise Conflict(f"The state {place} could not be locked", why="others wrote its Lease again and again")

    async def holder(self, place: Place, verdict: Verdict = _unknown) -> Holder | None:
        """Who holds the lock now, and whether they are dead; None where nobody does."""
        lease = await self._lease(place)
        if lease is None or not lease.holder:
            self._sightings.forget(place)
            return None
        return await self._judged(place, holder_of(lease), verdict)

    async def check_free(self, place: Place, verdict: Verdict = _unknown) -> None:
        """Raise StateLocked where somebody is at work on *place*."""
        if (found := await self.holder(place, verdict)) is not None:
            raise locked(place, found)

    @asynccontextmanager
    async def renewed(self, lock: Lock) -> AsyncIterator[Lock]:
        """Show that the run lives while the block runs. Where that fails the block is cancelled, and Fenced comes of it.

        The beat goes on while the block winds up: a tool that was told to stop may still be writing.
        """
        failure: Exception | None = None
        try:
            async with asyncio.timeout(lock.until_s - self._clock.monotonic()) as fence, task_group() as group:
                beating = group.create_task(self._beat(lock, fence))
                try:
                    yield lock
                except Exception as error:  # noqa: BLE001 - handed on as it is, not as a group
                    failure = error
                finally:
                    beating.cancel()
        except TimeoutError as over:
            raise lock.lost() from over
        if fence.expired():
            raise lock.lost() from failure
        if failure is not None:
            raise failure

    @asynccontextmanager
    async def held(self, place: Place, run: RunInfo, verdict: Verdict = _unknown) -> AsyncIterator[Lock]:
        """Take it, keep it, and give it back. A lock that cannot be given back is found dead by the next run."""
        lock = await self.take(place, run, verdict)
        try:
            async with self.renewed(lock):
                yield lock
        finally:
            try:
                await self.release(lock)
            except PlumblineError as error:
                log.warning("lock not released", place=str(place), run=run.id, error=str(error))

    async def release(self, lock: Lock) -> bool:
        """Give it back; False where it was not ours any more."""
        lock.until_s = 0.0
        note = Note("Release the lock of a run that has ended", lock.run.behalf, minor=True)
        return await self._freed(lock.place, lock.run.id, note) is not None

    async def release_dead(self, place: Place, death: Death, behalf: Ref | None = None) -> bool:
        """Release the lock of a run of ours that is dead; False where it is not its lock any more.

        Raises Conflict where the run has shown that it lives since it was judged.
        """
        lease = await self._lease(place)
        if lease is None or lease.holder != death.run or not (found := holder_of(lease)).ours:
            return False
        if death.version and death.version != _version(found):
            raise Conflict(f"The state {place} is not unlocked", why="the run that holds it has moved: it lives")
        await self._writer.patch(
            place.lease, FREED, lease.pin, Note(f"Release the lock of a dead run: {death.how}", behalf)
        )
        self._sightings.forget(place)
        return True

    async def force(self, place: Place, lock_id: str, behalf: Ref | None = None) -> Holder | None:
        """Release whoever holds it under exactly that id, because somebody says so; None where nobody does."""
        found = await self.holder(place)
        if found is not None and found.id != lock_id:
            raise InvalidInput(
                f"The state {place} is not unlocked",
                why=f"{found.sentence}, not under {lock_id}",
                hint="Look at who holds it now; if that may go too, name its id.",
            )
        return await self._freed(place, lock_id, Note("Release a lock because somebody asked for it by its id", behalf))

    async def _freed(self, place: Place, lock_id: str, note: Note) -> Holder | None:
        for _ in range(_TRIES):
            lease = await self._lease(place)
            if lease is None or lease.holder != lock_id:
                return None
            try:
                await self._writer.patch(place.lease, FREED, lease.pin, note)
            except Conflict:
                continue
            self._sightings.forget(place)
            return holder_of(lease)
        raise Conflict(f"The state {place} could not be unlocked", why="others wrote its Lease again and again")

    async def _judged(self, place: Place, holder: Holder, verdict: Verdict) -> Holder:
        """Only a run of ours is ever called dead: of others nothing is known but that they hold it."""
        if not holder.ours:
            return holder
        how, version = await verdict(holder.id), ""
        still_s = self._sightings.still_for_s(place, holder)
        if not how and still_s >= self._terms.dead_s:
            how, version = f"it has not shown for {int(still_s)} s that it lives", _version(holder)
        return msgspec.structs.replace(holder, death=Death(holder.id, how, version)) if how else holder

    async def _write(self, place: Place, run: RunInfo, lease: Seen | None) -> Pin:
        body = taken(place, run, self._who, self._clock.now(), self._terms)
        note = Note(f"Lock the state for a run: {run.operation}", run.behalf, minor=True)
        if lease is None:
            return seen(await self._writer.create(place.lease, body, note)).pin
        return seen(await self._writer.patch(place.lease, body, lease.pin, note)).pin

    async def _beat(self, lock: Lock, fence: asyncio.Timeout) -> None:
        while True:
            await self._clock.sleep(self._terms.beat_s)
            try:
                async with asyncio.timeout(self._terms.beat_s):
                    alive = await self._renew(lock)
            except (PlumblineError, TimeoutError) as error:
                log.warning("lock not renewed", place=str(lock.place), run=lock.run.id, error=str(error))
                continue
            if not fence.expired():
                now_s, loop_s = self._clock.monotonic(), asyncio.get_running_loop().time()
                fence.reschedule(loop_s + (lock.until_s - now_s if alive else 0.0))
            if not alive:
                return

    async def _renew(self, lock: Lock) -> bool:
        """Whether it still is ours."""
        try:
            await self._shown(lock)
        except (Conflict, NotFound):
            lease = await self._lease(lock.place)
            if lease is None or lease.holder != lock.run.id:
                lock.until_s = 0.0
                return False
            # Somebody touched the Lease without taking the lock. Whoever is in the way twice waits for the next beat.
            lock.pin = lease.pin
            await self._shown(lock)
        return True

    async def _shown(self, lock: Lock) -> None:
        """One beat. It counts from when it was sent, not from when it was answered."""
        sent_s = self._clock.monotonic()
        change = {"spec": {"renewTime": micro_time(self._clock.now())}}
        note = Note("Show that a run lives", lock.run.behalf, minor=True)
        lock.pin = seen(await self._writer.patch(lock.place.lease, change, lock.pin, note)).pin
        lock.until_s = sent_s + self._terms.fence_s

    async def _lease(self, place: Place) -> Seen | None:
        try:
            return seen(await self._client.get(place.lease))
        except NotFound:
            return None


def _version(holder: Holder) -> str:
    return f"{holder.pin.uid}/{holder.pin.resource_version}"
