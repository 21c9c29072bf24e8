"""One conversation with the other side: what is run for it, and what is done about a mirror that turns out damaged."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import Corrupted, GarbledReply, LimitExceeded, PlumblineError, TimedOut, ToolFailed
from plumbline.base.process import Command, run, scratch
from plumbline.source.git.access import Access, access
from plumbline.source.git.commands import Git
from plumbline.source.git.failures import explained, redirects
from plumbline.source.git.mirror import Mirror, depth_options
from plumbline.source.git.moved import moved
from plumbline.source.git.values import Pace
from plumbline.source.repository import Authorised, Repository
from plumbline.source.urls import redacted

_GARBLED_BEFORE_CHECK: Final = 3
_CHECK_S: Final = 600.0


async def reach(git: Git, repository: Repository, authorised: Authorised, folder: Path, within_s: float) -> None:
    """Ask the other side for its HEAD, beside whatever is mirrored. Raises why it does not answer."""
    what = f"Cannot reach {redacted(repository.url)}"
    async with scratch(folder) as room, access(repository, await authorised(repository), room) as reached:
        try:
            error = explained(what, await run(git.head(room, reached, deadline_s=within_s)))
            if error is not None and redirects(error) and (there := await moved(repository, reached, what)) is not None:
                error = explained(what, await run(git.head(room, there, deadline_s=within_s)))
        except (TimedOut, LimitExceeded, ToolFailed) as ended:
            raise type(ended)(what, why=ended.why) from None
    if error is not None:
        raise error


class Wish(NamedTuple):
    special: tuple[str, ...]
    """Refs beyond branches and tags."""
    deadline_s: float


class Exchange:
    """Brings one mirror up to date. One at a time."""

    def __init__(self, url: str, mirror: Mirror, git: Git, pace: Pace, authorised: Authorised) -> None:
        self.damaged = False
        self._what = f"Cannot fetch {redacted(url)}"
        self._mirror = mirror
        self._git = git
        self._pace = pace
        self._authorised = authorised
        self._garbled = 0
        self._tending = False
        self._interrupted = False

    async def refs(self, repository: Repository, wish: Wish) -> dict[str, str]:
        """Fetch, and tell what refs there are now. What is on disk stays as it was where this raises."""
        if not self._mirror.path.is_dir():  # somebody has tidied up, or mounted another disk
            self.damaged = True
            if not self._mirror.path.parent.is_dir():
                await asyncio.to_thread(self._git.settle)
        async with access(repository, await self._authorised(repository), self._mirror.path.parent) as reached:
            await self._fetch(repository, reached, wish)
        return await asyncio.to_thread(self._mirror.objects.refs)

    async def commit(self, repository: Repository, sha: str) -> None:
        """Fetch one commit by its hash, as far as the other side gives those away."""
        async with access(repository, await self._authorised(repository), self._mirror.path.parent) as reached:
            error = await self._asked(
                repository,
                reached,
                lambda there: self._git.fetch_commit(self._mirror.path, there, sha, deadline_s=self._pace.deadline_s),
            )
        if error is not None:
            raise error

    async def tend(self) -> None:
        """Put refs and packs together, so that reading stays quick."""
        if self._tending:
            return
        self._tending = True
        try:
            for command in (self._git.pack_refs, self._git.repack):
                await run(command(self._mirror.path, deadline_s=self._pace.first_deadline_s))
        finally:
            self._tending = False
            self._mirror.objects.reopen()

    async def _fetch(self, repository: Repository, reached: Access, wish: Wish) -> None:
        if not self.damaged:
            error = await self._asked(
                repository, reached, lambda there: self._command(self._mirror.path, repository, there, wish)
            )
            if error is None:
                self._garbled = 0
                return
            if not await self._means_damage(error):
                raise error
        await self._rebuild(repository, reached, wish)

    def _command(self, path: Path, repository: Repository, reached: Access, wish: Wish) -> Command:
        depth = depth_options(path, repository.depth)
        return self._git.fetch(path, reached, special=wish.special, depth=depth, deadline_s=wish.deadline_s)

    async def _asked(
        self, repository: Repository, reached: Access, command: Callable[[Access], Command]
    ) -> PlumblineError | None:
        """What is wrong with what came of *command*, where the repository is or has moved to."""
        error = await self._run(command(reached))
        if error is None or not redirects(error):
            return error
        there = await moved(repository, reached, self._what)
        return error if there is None else await self._run(command(there))

    async def _run(self, command: Command) -> PlumblineError | None:
        if self._interrupted:
            await self._sweep()
        self._interrupted = True  # and so it stays where we are cancelled
        try:
            error = explained(self._what, await run(command))
        except (TimedOut, LimitExceeded, ToolFailed) as ended:
            error = type(ended)(self._what, why=ended.why)
        self._interrupted = False
        if error is not None:
            await self._sweep()
        return error

    async def _sweep(self) -> None:
        if not self._tending:
            await asyncio.to_thread(self._mirror.sweep)

    async def _means_damage(self, error: PlumblineError) -> bool:
        """Whether it is our mirror that is to blame, and not what was sent."""
        if isinstance(error, Corrupted):
            return True
        self._garbled += isinstance(error, GarbledReply)
        if self._garbled < _GARBLED_BEFORE_CHECK:
            return False
        self._garbled = 0
        if not await asyncio.to_thread(self._mirror.objects.sound):
            return True
        try:
            await run(self._git.check(self._mirror.path, deadline_s=_CHECK_S))
        except ToolFailed:
            return True
        return False

    async def _rebuild(self, repository: Repository, reached: Access, wish: Wish) -> None:
        """Fetch all of it anew, beside what there is, and only then use it instead."""
        self.damaged = True
        beside = await asyncio.to_thread(self._mirror.begin_another)
        whole = wish._replace(deadline_s=self._pace.first_deadline_s)
        error = await self._asked(repository, reached, lambda there: self._command(beside, repository, there, whole))
        if error is not None:
            raise error
        await asyncio.to_thread(self._mirror.replace)
        self.damaged = False
