"""A collection followed for ever: its state, then its changes, through broken connections and forgotten histories.

What comes out is enough to keep a copy without asking again:

- every object of the initial state as an ADDED event, then `Synced` with the keys of all that exist;
- then every change as it happens. After an interruption it goes on where it was, so that nothing is missed;
- where the server has forgotten that place, the whole state comes again as ADDED events and ends in another `Synced`:
  a key that the copy has and `Synced.present` lacks vanished meanwhile, and its DELETED event will never come. An object
  whose uid changed was deleted and made again.

Between an interruption and the next event an `Interrupted` says what is wrong and when it is tried again; whoever follows
may stop there. Events may repeat what is known (compare resourceVersion), they never go back.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress

import msgspec

from plumbline.base.errors import (
    Expired,
    GarbledReply,
    InvalidInput,
    PlumblineError,
    Refused,
    ServerFault,
    TimedOut,
)
from plumbline.kube.client.bodies import head
from plumbline.kube.client.calls import Caller
from plumbline.kube.client.listing import everything, fetch
from plumbline.kube.client.retries import backoff
from plumbline.kube.client.targets import Selection, Target
from plumbline.kube.client.watching import TIMEOUT_S, WatchEvent, watch, watch_request

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
_SHORT_WATCH_S = 1.0
_INITIAL_SILENCE_S = 60.0

# Servers that cannot send the state through a watch say so in many ways, or say nothing; a list always works.
_CANNOT_STREAM = (Expired, GarbledReply, InvalidInput, ServerFault, TimedOut)

Key = tuple[str, str]


class Synced(msgspec.Struct, frozen=True):
    """The state is complete as of `resource_version`; `present` has the key (namespace, name) of everything in it."""

    resource_version: str
    present: frozenset[Key]
    again: bool
    """Not for the first time: what a copy has and `present` lacks is gone."""


class Interrupted(msgspec.Struct, frozen=True):
    error: PlumblineError
    again_in_s: float


Followed = WatchEvent | Synced | Interrupted


class Follower:
    """One collection being followed; make one per collection and run it once."""

    def __init__(self, caller: Caller, target: Target, selection: Selection) -> None:
        self._caller = caller
        self._target = target
        self._selection = selection
        self._at = ""  # how far it has come; empty while there is no complete state
        self._synced_before = False
        self._moving = False  # whether anything has been heard since the last complete state or interruption
        self._doubtful = False  # whether the server may have been replaced since
        self._streams_state = True
        self._waits = backoff(caller.ids, first_s=_FIRST_WAIT_S, most_s=_LONGEST_WAIT_S)

    async def run(self) -> AsyncGenerator[Followed, None]:
        while True:
            began_s = self._caller.clock.monotonic()
            error: PlumblineError | None = None
            try:
                async with aclosing(self._connection()) as events:
                    async for event in events:
                        yield event
            except PlumblineError as broken:
                error = broken
            lasted = self._caller.clock.monotonic() - began_s >= _SHORT_WATCH_S
            if self._carries_on(error, lasted=lasted):
                continue
            wait_s = next(self._waits)
            if error is not None:
                yield Interrupted(error, wait_s)
            await self._caller.clock.sleep(wait_s)

    def _carries_on(self, error: PlumblineError | None, *, lasted: bool) -> bool:
        """Whether to go on at once. It is what normally happens, so it must not be what happens in a circle."""
        moved, self._moving = self._moving, False
        if error is None:
            return moved or lasted
        if not self._at and self._streams_state and isinstance(error, _CANNOT_STREAM):
            self._streams_state = False
            return True
        if isinstance(error, Expired):
            self._at = ""
            return moved
        self._doubtful = True
        return False

    async def _connection(self) -> AsyncGenerator[WatchEvent | Synced, None]:
        """What comes until one connection ends, starting from where the last one ended."""
        if not self._at and not self._streams_state:
            async with aclosing(self._listed()) as listed:
                async for event in listed:
                    yield event
        elif self._at and self._doubtful:
            await self._confirm_history()
        timeout_s = self._caller.ids.jitter(TIMEOUT_S)
        since = msgspec.structs.replace(self._selection, resource_version=self._at)
        request = watch_request(self._target, since, initial=not self._at, timeout_s=timeout_s)
        async with aclosing(watch(self._caller, request)) as events:
            if not self._at:
                async with aclosing(self._streamed(events)) as state:
                    async for event in state:
                        yield event
            async for event in events:
                self._advance(event)
                yield event

    def _advance(self, event: WatchEvent) -> None:
        at, version = self._at, event.resource_version
        if len(version) <= len(at) and version.isdecimal() and at.isdecimal() and int(version) < int(at):
            raise Expired(f"{self._target} went back from {at} to {version}", why="the server's history was replaced")
        self._at = version
        if not self._moving:
            self._moving = True
            self._waits = backoff(self._caller.ids, first_s=_FIRST_WAIT_S, most_s=_LONGEST_WAIT_S)

    async def _listed(self) -> AsyncGenerator[WatchEvent | Synced, None]:
        listed = await everything(self._caller, self._target, self._listing())
        present: set[Key] = set()
        for raw in listed.items:
            named = head(raw, str(self._target)).metadata
            present.add((named.namespace, named.name))
            yield WatchEvent("ADDED", raw, named.namespace, named.name, named.uid, named.resource_version)
        yield self._synced(listed.resource_version, present)

    async def _streamed(self, events: AsyncIterator[WatchEvent]) -> AsyncGenerator[WatchEvent | Synced, None]:
        """The state as the watch sends it. Until it is complete, none of its versions is a place to go on from."""
        present: set[Key] = set()
        while True:
            try:
                async with asyncio.timeout(_INITIAL_SILENCE_S):
                    event = await anext(events, None)
            except TimeoutError:
                raise TimedOut(f"{self._target} sent no complete state", why="the watch fell silent") from None
            if event is None:
                raise TimedOut(f"{self._target} sent no complete state", why="the watch ended before it")
            if event.completes:
                yield self._synced(event.resource_version, present)
                return
            if event.type == "DELETED":
                present.discard(event.key)
            elif event.type != "BOOKMARK":
                present.add(event.key)
            yield event

    def _synced(self, version: str, present: set[Key]) -> Synced:
        self._at = version
        again, self._synced_before = self._synced_before, True
        self._doubtful = False
        return Synced(version, frozenset(present), again)

    async def _confirm_history(self) -> None:
        """Raise Expired if the server has never heard of where we are.

        A server restored from a backup accepts a watch from a version in its future and stays silent, for hours maybe.
        Only a list complains.
        """
        probe = Selection(resource_version=self._at, limit=1, metadata_only=True)
        with suppress(Refused):
            await fetch(self._caller, self._target, probe, "")
        self._doubtful = False

    def _listing(self) -> Selection:
        if not self._target.name:
            return self._selection
        fields = ",".join(filter(None, (self._selection.fields, f"metadata.name={self._target.name}")))
        return msgspec.structs.replace(self._selection, fields=fields)
