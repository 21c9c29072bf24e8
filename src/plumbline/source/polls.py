"""Asking repositories whether they moved: each at its own pace, and none at the expense of the others.

A server may accept a connection and then say nothing. So there are two lanes. In the brisk one a repository holds a place
no longer than it is patient with; whoever needs more goes on in the slow lane, and whoever got nowhere like that starts
there the next time. Where the slow lane is full too, what does not answer is given up for now. However many repositories
hang, the others find a place: they wait for the patience with those that have just begun to hang, and never for a deadline.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.kernel.queue import Priority, Queue
from plumbline.kernel.world import World
from plumbline.source.followed import Followed, Shared
from plumbline.source.repository import Connect
from plumbline.source.rhythm import Rhythm

log = logger(__name__)

M = TypeVar("M")

UNUSED_S: Final = 900.0
"""How long after its last use a repository is asked on that nobody wants."""


def _anybody(url: str) -> bool:
    """Until somebody knows better, all are wanted."""
    del url
    return True


class Lanes(NamedTuple):
    parallel: int
    """Polls and refreshes at a time. Most of that time they wait for a network."""
    slow: int
    """Beside those, of repositories that do not answer soon."""
    patience_s: float
    """Who answers within this time answers soon."""


class Polls(Generic[M]):
    """Of all repositories in *sorts*, by their keys. `M` is what is told when one of them moved."""

    def __init__(self, world: World, lanes: Lanes, rhythm: Rhythm, *sorts: dict[str, Followed[Any]]) -> None:
        self.queue: Queue[str] = Queue(world.clock, world.ids)
        self._world = world
        self._lanes = lanes
        self._rhythm = rhythm
        self._sorts = sorts
        self._listeners: list[Callable[[M], None]] = []
        self._wanted: Callable[[str], bool] = _anybody
        self._leaving: dict[str, asyncio.Event] = {}
        self._hung: asyncio.Queue[str] = asyncio.Queue()
        """Who waits for a place in the slow lane."""
        self._slow = asyncio.Semaphore(lanes.slow)

    def shared(self, connect: Connect) -> Shared:
        """What a repository is given to be polled here."""
        return Shared(self._world, self.queue, connect, self._rhythm, self._lanes.patience_s)

    async def run(self) -> None:
        async with task_group() as tasks:
            tasks.create_task(self._work_slowly(tasks))
            for _ in range(self._lanes.parallel):
                tasks.create_task(self._work(tasks))

    def paced(self, poll_s: float, jitter_s: float) -> None:
        self._rhythm.poll_s, self._rhythm.jitter_s = poll_s, jitter_s
        for sort in self._sorts:
            for key in sort:
                self.queue.add_after(key, self._rhythm.wait_s(self._world.ids))

    def refresh(self, key: str) -> None:
        """Something moved there, somebody says: ask now. Of many calls in a row one or two are heard."""
        self.queue.add(key, Priority.USER)

    def subscribe(self, moved: Callable[[M], None]) -> None:
        self._listeners.append(moved)

    def keep_while(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted

    async def left(self, key: str) -> None:
        """Returns when nothing is left of a repository that nobody wanted, and who wants it may begin anew."""
        leaving = self._leaving.get(key)
        if leaving is not None:
            await leaving.wait()

    def tell(self, moved: M) -> None:
        for listener in self._listeners:
            listener(moved)

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        while (taken := await self.queue.take()) is not None:
            followed = self._find(taken[0])
            if followed is None:
                self.queue.done(taken[0])
            elif followed.hung:
                self._hung.put_nowait(followed.key)
            else:
                await self._poll_briskly(followed, tasks)

    async def _work_slowly(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            key = await self._hung.get()
            try:
                await self._slow.acquire()
            except asyncio.CancelledError:
                self._hung.put_nowait(key)  # for whoever runs this next
                raise
            self._go_on(self._begun(key, tasks))

    async def _poll_briskly(self, followed: Followed[Any], tasks: asyncio.TaskGroup) -> None:
        poll = self._begun(followed.key, tasks)
        await asyncio.wait((poll,), timeout=self._lanes.patience_s)
        if poll.done():
            await followed.remote.tend()
        elif not self._slow.locked():
            await self._slow.acquire()
            self._go_on(poll)
        else:
            why = f"it did not answer within {self._lanes.patience_s:g} s, and too many others do not either"
            followed.give_up(why)
            poll.cancel()
            await asyncio.wait((poll,))

    def _begun(self, key: str, tasks: asyncio.TaskGroup) -> asyncio.Task[None]:
        poll = tasks.create_task(self._poll(key))
        # Also where it is cancelled before its first step.
        poll.add_done_callback(lambda _: self.queue.done(key))
        return poll

    def _go_on(self, poll: asyncio.Task[None]) -> None:
        """Keep its place in the slow lane until it is over."""
        poll.add_done_callback(lambda _: self._slow.release())

    async def _poll(self, key: str) -> None:
        followed = self._find(key)
        if followed is None:
            return
        try:
            if followed.unused_s > UNUSED_S and not self._wanted(followed.url):
                await self._leave(followed)
            else:
                await followed.poll()
        except Exception:
            log.exception("poll failed", repo=key)
            self.queue.retry(key)

    async def _leave(self, followed: Followed[Any]) -> None:
        self._leaving[followed.key] = left = asyncio.Event()
        for sort in self._sorts:
            sort.pop(followed.key, None)
        self.queue.forget(followed.key)
        try:
            await followed.remote.leave()
        finally:
            del self._leaving[followed.key]
            left.set()

    def _find(self, key: str) -> Followed[Any] | None:
        return next((sort[key] for sort in self._sorts if key in sort), None)


class Polled(Generic[M]):
    """Repositories of one sort, as those see them who keep them running and want to know when one of them moves."""

    def __init__(self, polls: Polls[M]) -> None:
        self._polls = polls

    async def run(self) -> None:
        """Ask each repository that somebody uses whether it moved, for ever, each at its own pace."""
        await self._polls.run()

    def paced(self, poll_s: float, jitter_s: float) -> None:
        """From now on ask so often: whoever would be asked later than that is asked sooner."""
        self._polls.paced(poll_s, jitter_s)

    def subscribe(self, moved: Callable[[M], None]) -> None:
        """Be told once for each answer that changed what is known. It must not wait."""
        self._polls.subscribe(moved)

    def keep_while(self, wanted: Callable[[str], bool]) -> None:
        """Forget repositories, by their addresses, that are not wanted and of which nobody has asked anything lately."""
        self._polls.keep_while(wanted)
