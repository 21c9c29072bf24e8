"""One repository that is followed: what is known of it, and asking the other side no more often than needed."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import Corrupted, NotFound, PlumblineError, Refused, StorageFailed, Transient
from plumbline.base.log import logger
from plumbline.base.tree import Tree
from plumbline.kernel.queue import Queue
from plumbline.kernel.world import World
from plumbline.source.git.commands import Git
from plumbline.source.git.exchange import Authorised, Exchange, Wish
from plumbline.source.git.library import library
from plumbline.source.git.metrics import GitMetrics
from plumbline.source.git.mirror import Mirror
from plumbline.source.git.revisions import Refs
from plumbline.source.git.standing import Standing
from plumbline.source.git.tree import GitTree
from plumbline.source.git.values import Moved, Pace, State
from plumbline.source.repository import Repository
from plumbline.source.rhythm import Rhythm
from plumbline.source.urls import redacted

Connect: TypeAlias = Callable[[str, str], Repository]
"""The repository that settings describe for an address and a project. It may refuse."""

log = logger(__name__)

_REFUSED_S: Final = 30.0
_RECENT_S: Final = 5.0
_ABSENT_S: Final = 30.0
_SPECIAL: Final = 256
_TREES: Final = 32
_TEND_AFTER: Final = 40
_MANY_REFS: Final = 400


class Shared(NamedTuple):
    """What all repositories have in common."""

    git: Git
    world: World
    metrics: GitMetrics
    pace: Pace
    queue: Queue[str]
    connect: Connect
    authorised: Authorised
    tell: Callable[[Moved], None]
    rhythm: Rhythm


class Followed:
    """`key` tells repositories apart; `url` is how the first who asked for it wrote it."""

    def __init__(self, key: str, url: str, mirror: Mirror, shared: Shared) -> None:
        self.key = key
        self.url = url
        self.mirror = mirror
        self.state = State(redacted(url))
        self.trees: dict[tuple[str, bool, bool], Tree] = {}
        """Of commits that were asked for lately; with large files, with submodules."""
        self._exchange = Exchange(url, mirror, shared.git, shared.pace, shared.authorised)
        self._shared = shared
        self._standing = Standing()
        self._lock = asyncio.Lock()
        self._refs: Refs | None = None
        self._shown = False
        self._asked = self._answered = self._answers = 0
        self._succeeded_s = self._next_try_s = float("-inf")
        self._project = ""
        self._special: dict[str, None] = {}
        self._absent: dict[str, float] = {}
        self._moves = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        mirror.objects.damaged = self._noticed

    @property
    def runs(self) -> int:
        """How many processes it took so far."""
        return self._exchange.runs

    @property
    def refs(self) -> Refs:
        """As last seen; only after somebody was `admitted`."""
        if self._refs is None:
            raise _remembered(self.state.error) if self.state.error else NotFound(f"Nothing is known of {self.url}")
        self._shown = True
        return self._refs

    @property
    def age_s(self) -> float:
        """Since the other side last answered."""
        return self._shared.world.clock.monotonic() - self._succeeded_s

    async def admitted(self, project: str | None) -> Repository:
        """The repository as *project* may use it, once the other side has accepted it as that.

        Without a project: as the one that was accepted last.

        Where the other side does not answer and nobody was accepted since we started, what is on disk may be used: it
        was fetched for somebody, and projects are held apart by the addresses that they permit.
        """
        project = self._project if project is None else project
        repository = self._shared.connect(self.url, project)
        if self._standing.proven(repository):
            return repository
        refusal = self._standing.refusal(repository, self._shared.world.clock.monotonic())
        if refusal is not None:
            raise _remembered(refusal)
        try:
            await self._try(repository, fresh=False)
        except Transient:
            if not self._standing.empty or self._refs is None or not self._refs.names:
                raise
        else:
            self._project = project
        return repository

    async def poll(self) -> None:
        """Ask the other side, as the one that it accepted last."""
        try:
            await self.exchange(self._shared.connect(self.url, self._project))
        except PlumblineError as error:
            if self.state.error is not error:
                self._failed(error)

    async def look_again(self, repository: Repository, *, within_s: float = _RECENT_S) -> bool:
        """Ask the other side unless it answered so lately; False where it was not asked."""
        if self.age_s < within_s:
            return False
        await self._try(repository)
        return True

    async def look_for(self, repository: Repository, ref: str) -> None:
        """Also follow *ref*, which is neither branch nor tag, if there is such a one."""
        if ref in self._special or self._known_absent(ref):
            return
        self._special[ref] = None
        while len(self._special) > _SPECIAL:
            del self._special[next(iter(self._special))]
        await self._try(repository)
        if self._refs is None or ref not in self._refs.names:
            self._special.pop(ref, None)
            self._absent[ref] = self._shared.world.clock.monotonic() + _ABSENT_S

    async def exchange(self, repository: Repository, *, fresh: bool = True) -> None:
        """Ask the other side now. Whoever asks while others wait to do so shares their answer.

        With *fresh* only the answer to a question that was put after this call; without, any that is on its way.
        """
        self._asked += 1
        ticket, answers = self._asked, self._answers
        async with self._lock:
            shared = self._answered >= ticket if fresh else self._answers > answers
            if shared and self.state.error is not None:
                raise _remembered(self.state.error)
            if shared and self._standing.proven(repository):
                return
            began = self._asked
            try:
                await self._exchanged(repository)
            except PlumblineError:
                self._answered, self._answers = began, self._answers + 1
                raise
            self._answered, self._answers = began, self._answers + 1

    async def hold(self, repository: Repository, sha: str) -> None:
        """See to it that the commit is in the mirror, or raise NotFound."""
        objects = self.mirror.objects
        if objects.holds(sha) or (await self.look_again(repository) and objects.holds(sha)):
            return
        missing = NotFound(f"Cannot read the commit {sha:.12}", why=f"{redacted(self.url)} has no such commit")
        if self._known_absent(sha):
            raise missing
        async with self._lock:
            try:
                await self._exchange.commit(repository, sha)
            except NotFound:
                self._absent[sha] = self._shared.world.clock.monotonic() + _ABSENT_S
                raise missing from None

    def tree(self, sha: str) -> GitTree:
        root = str(self.mirror.objects.commit(sha).tree_id)
        return GitTree(root, self.mirror.folders, self.mirror.objects)

    def keep(self, key: tuple[str, bool, bool], tree: Tree) -> None:
        self.trees[key] = tree
        while len(self.trees) > _TREES:
            del self.trees[next(iter(self.trees))]

    async def tend(self) -> None:
        """Tidy the mirror up once enough has changed in it."""
        if self._moves < _TEND_AFTER:
            return
        self._moves = 0
        try:
            await self._exchange.tend()
        except PlumblineError as error:
            log.warning("mirror not tended", repo=self.state.url, code=error.code, error=str(error))

    def _known_absent(self, name: str) -> bool:
        """Whether the other side was asked for it lately, and did not have it."""
        now_s = self._shared.world.clock.monotonic()
        self._absent = {each: until_s for each, until_s in self._absent.items() if until_s > now_s}
        return name in self._absent

    async def _try(self, repository: Repository, *, fresh: bool = True) -> None:
        """`exchange`, but not sooner than the one schedule of this repository has it after a failure."""
        if self.state.error is not None and self._shared.world.clock.monotonic() < self._next_try_s:
            raise _remembered(self.state.error)
        await self.exchange(repository, fresh=fresh)

    async def _exchanged(self, repository: Repository) -> None:
        clock = self._shared.world.clock
        began_s = clock.monotonic()
        try:
            if self._refs is None:
                self._loop = asyncio.get_running_loop()
                self._refs = Refs(await asyncio.to_thread(self._opened), self.mirror.objects.commit_of)
            pace = self._shared.pace
            deadline_s = pace.deadline_s if self._refs.names else pace.first_deadline_s
            names = await self._exchange.refs(repository, Wish(tuple(self._special), deadline_s))
        except PlumblineError as error:
            self._shared.metrics.failed(self.state.url, clock.monotonic() - began_s)
            self._judge(repository, error)
            raise
        moved = self._take(names)
        self._standing.accept(repository)
        self._shared.metrics.exchanged(self.state.url, clock.monotonic() - began_s, moved=moved)

    def _opened(self) -> dict[str, str]:
        """What the mirror on disk knows. Where that cannot be read it is damaged, which the exchange deals with."""
        try:
            self.mirror.open()
            return self.mirror.objects.refs()
        except Corrupted:
            return {}
        except (OSError, library().GitError) as error:
            raise StorageFailed(f"Cannot keep a mirror of {self.state.url}", why=str(error)) from error

    def _take(self, names: dict[str, str]) -> bool:
        """Make *names* what is known; whether that is something else."""
        world, queue = self._shared.world, self._shared.queue
        self._succeeded_s = world.clock.monotonic()
        wait_s = self._shared.rhythm.wait_s(world.ids)
        queue.forgive(self.key)
        queue.add_after(self.key, wait_s)
        now = world.clock.now()
        self.state = State(self.state.url, now, next_try_at=now + timedelta(seconds=wait_s), refs=len(names))
        before = {} if self._refs is None else self._refs.names
        if names == before:
            return False
        self._refs = Refs(names, self.mirror.objects.commit_of)
        moved = Moved(self.key, before, names)
        changed = len(moved.refs())
        self._moves += _TEND_AFTER if changed > _MANY_REFS else 1
        log.info("repository moved", repo=self.state.url, refs=changed)
        if self._shown:
            self._shared.tell(moved)
        return True

    def _judge(self, repository: Repository, error: PlumblineError) -> None:
        """Whose failure it is: that of credentials which others need not share, or of the repository."""
        if isinstance(error, Refused) and not self._standing.proven(repository):
            until_s = self._shared.world.clock.monotonic() + _REFUSED_S
            self._standing.refuse(repository, error, until_s)
            if not self._standing.empty:
                return
        self._failed(error)

    def _failed(self, error: PlumblineError) -> None:
        world = self._shared.world
        wait_s = self._shared.queue.retry(self.key)
        self._next_try_s = world.clock.monotonic() + wait_s
        now = world.clock.now()
        self.state = self.state._replace(
            error=error,
            failed_at=now,
            failures=self.state.failures + 1,
            next_try_at=now + timedelta(seconds=wait_s),
        )
        log.warning("repository not fetched", repo=self.state.url, code=error.code, error=str(error))

    def _noticed(self) -> None:
        """Something could not be read: the next exchange fetches all of it anew, and is due now."""
        if not self._exchange.damaged:
            self._exchange.damaged = True
            if self._loop is not None:
                # Reading is done from threads as well.
                self._loop.call_soon_threadsafe(self._shared.queue.add, self.key)


def _remembered(error: PlumblineError) -> PlumblineError:
    """The same error once more, without what led to it the last time."""
    return error.with_traceback(None)
