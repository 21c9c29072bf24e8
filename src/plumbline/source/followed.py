"""One repository that is followed: asking the other side no more often than needed, and as whom it has accepted."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from plumbline.base.errors import NotFound, PlumblineError, Refused, Throttled, TimedOut, Transient
from plumbline.base.log import logger
from plumbline.kernel.queue import Queue
from plumbline.kernel.world import World
from plumbline.source.lending import Around, connected
from plumbline.source.repository import Connect, Repository
from plumbline.source.rhythm import Rhythm
from plumbline.source.standing import Standing
from plumbline.source.state import State
from plumbline.source.urls import redacted

log = logger(__name__)

RECENT_S: Final = 5.0
"""What was heard within this time is not asked again for a name that is not known."""
_REFUSED_S: Final = 30.0
_LATELY_S: Final = 3.0
_LOOK: Final = "Check its address, the version, and the credentials in its Secret."


def _nothing() -> None:
    """Nobody has to be told."""


class Answer(NamedTuple):
    proof: bool
    """Whether it shows that the other side lets us read."""
    tell: Callable[[], None] = _nothing
    """Says to whoever listens what is known otherwise now."""


class Question(Protocol):
    def __call__(self, repository: Repository, *, trusted: bool) -> Awaitable[Answer]: ...


class Remote(Protocol):
    """What is known of the other side, and how it is asked. One at a time."""

    @property
    def known(self) -> int:
        """Of how many refs or charts something is known."""

    async def open(self) -> None:
        """Take up what is known from before."""

    async def ask(self, repository: Repository, *, trusted: bool) -> Answer:
        """Ask for all that is of interest. What is known stays if it raises.

        Only to those who are *trusted* already, nothing means that it is gone: from others it may be hidden.
        """

    async def tend(self) -> None:
        """Tidy up, if there is reason to. Nobody waits for it."""

    async def leave(self) -> None:
        """Nobody wants it any more: keep nothing of it."""


R_co = TypeVar("R_co", bound=Remote, covariant=True)


class Shared(NamedTuple):
    """What all repositories of one sort have in common."""

    world: World
    queue: Queue[str]
    connect: Connect
    rhythm: Rhythm
    patience_s: float
    """Whoever fails and takes longer than this for it hangs."""


class Followed(Generic[R_co]):
    """`key` tells repositories apart; `url` is how the first who asked for it wrote it."""

    def __init__(self, key: str, url: str, remote: R_co, shared: Shared) -> None:
        self.key = key
        self.url = url
        self.remote = remote
        self.state = State(redacted(url))
        self.hung = False
        """Whether it took its time, and nothing came of it since: who only refuses soon does not answer."""
        self.begun = 0
        """How often it was asked for everything."""
        self.turn = asyncio.Lock()
        """Held by whoever talks to the other side."""
        self._shared = shared
        self._standing = Standing()
        self._opened = False
        self._asked = self._answered = self._answers = 0
        self._succeeded_s = self._next_try_s = self._silent_until_s = float("-inf")
        self._used_s = self._now_s()
        self._accepted: tuple[str, Around] = ("", ())
        """The project that was let in last, and what the repository was part of then."""

    @property
    def age_s(self) -> float:
        """Since the other side last answered."""
        return self._now_s() - self._succeeded_s

    @property
    def unused_s(self) -> float:
        """Since somebody last wanted something of it; nothing while the other side is talked to."""
        return 0.0 if self.turn.locked() else self._now_s() - self._used_s

    async def admitted(self, project: str | None, around: Around = ()) -> Repository:
        """The repository as *project* may use it, as part of *around*, once the other side has accepted it as that.

        Without a project: as the one that was accepted last.

        Where the other side does not answer and nobody was accepted since we started, what is on disk may be used: it
        was fetched for somebody, and projects are held apart by the addresses that they permit.
        """
        self._used_s = self._now_s()
        asker = self._accepted if project is None else (project, around)
        repository = connected(self._shared.connect, self.url, *asker)
        if self._standing.proven(repository):
            self._accepted = asker  # whoever was before may have lost that since
            return repository
        refusal = self._standing.refusal(repository, self._now_s())
        if refusal is not None:
            raise remembered(refusal)
        try:
            await self.wait_for(repository, fresh=False)
        except Transient:
            if not self._standing.empty or not self.remote.known:
                raise
        else:
            self._accepted = asker
        return repository

    async def renewed(self, project: str | None) -> Repository:
        """`admitted`, with an answer to a question that was put after this call."""
        begun = self.begun
        repository = await self.admitted(project)
        if self.begun == begun:
            await self.exchange(repository)
        return repository

    def lately(self) -> bool:
        """Whether the other side answered within the last moment. If so it is asked once more, for what came after that.

        For those who come in crowds and mean what is there now: they would ask all the time.
        """
        if self.age_s >= _LATELY_S:
            return False
        self._shared.queue.add_after(self.key, _LATELY_S)
        return True

    async def poll(self) -> None:
        """Ask the other side, as the one that it accepted last, unless it asked for silence."""
        left_s = self._silent_until_s - self._now_s()
        if left_s > 0:
            self._shared.queue.add_after(self.key, left_s)
            return
        try:
            await self.exchange(connected(self._shared.connect, self.url, *self._accepted))
        except PlumblineError as error:
            if self.state.error is not error:
                self._failed(error)

    def give_up(self, why: str) -> None:
        """Whoever polls it does not wait any longer."""
        self.hung = True
        self._failed(TimedOut(f"Cannot read {self.state.url}", why=why))

    async def wait_for(self, repository: Repository, *, fresh: bool = True) -> None:
        """`exchange`, but not sooner than the one schedule of this repository has it after a failure."""
        self._patiently(repository)
        await self.exchange(repository, fresh=fresh)

    async def look_again(self, repository: Repository) -> bool:
        """`wait_for`, unless the other side answered just now; False where it was not asked."""
        if self.age_s < RECENT_S:
            return False
        await self.wait_for(repository)
        return True

    async def look_for(self, repository: Repository, known: Callable[[], bool], ask: Question) -> None:
        """Ask for no more than what somebody wants and nobody has asked for yet."""
        self._patiently(repository)
        async with self.turn:
            if not known() or not self._standing.proven(repository):
                await self._exchanged(repository, ask)

    async def exchange(self, repository: Repository, *, fresh: bool = True) -> None:
        """Ask the other side now. Whoever asks while others wait to do so shares their answer.

        With *fresh* only the answer to a question that was put after this call; without, any that is on its way.
        """
        self._asked += 1
        ticket, answers = self._asked, self._answers
        async with self.turn:
            shared = self._answered >= ticket if fresh else self._answers > answers
            if shared and self.state.error is not None and not self._refused_others(repository):
                raise remembered(self.state.error)
            if shared and self._standing.proven(repository):
                return
            began, self.begun = self._asked, self.begun + 1
            try:
                await self._exchanged(repository, self.remote.ask)
            except PlumblineError:
                self._answered, self._answers = began, self._answers + 1
                raise
            # Whoever is cancelled in between has no answer to share.
            self._answered, self._answers = began, self._answers + 1

    async def _exchanged(self, repository: Repository, ask: Question) -> None:
        began_s = self._now_s()
        try:
            if not self._opened:
                await self.remote.open()
                self._opened = True
            trusted = self._standing.proven(repository)
            answer = await ask(repository, trusted=trusted)
        except PlumblineError as error:
            self.hung = self.hung or self._now_s() - began_s > self._shared.patience_s
            self._judge(repository, error)
            raise
        self._succeeded()
        answer.tell()
        if answer.proof:
            self._standing.accept(repository)
        elif not trusted:
            what = f"Cannot read {self.state.url}"
            raise NotFound(what, why="nothing of what is wanted is there, or it is hidden from us", hint=_LOOK)

    def _succeeded(self) -> None:
        world, queue = self._shared.world, self._shared.queue
        self.hung = False
        self._succeeded_s = self._now_s()
        wait_s = self._shared.rhythm.wait_s(world.ids)
        queue.forgive(self.key)
        queue.add_after(self.key, wait_s)
        now = world.clock.now()
        self.state = State(self.state.url, now, next_try_at=now + timedelta(seconds=wait_s), known=self.remote.known)

    def _judge(self, repository: Repository, error: PlumblineError) -> None:
        """Whose failure it is: that of credentials which others need not share, or of the repository."""
        if isinstance(error, Refused) and not self._standing.proven(repository):
            self._standing.refuse(repository, error, self._now_s() + _REFUSED_S)
            if not self._standing.empty:
                return
        self._failed(error)

    def _failed(self, error: PlumblineError) -> None:
        wait_s = self._shared.queue.retry(self.key)
        if isinstance(error, Throttled):
            wait_s = max(wait_s, error.after_s)
            self._silent_until_s = self._now_s() + wait_s
        self._next_try_s = self._now_s() + wait_s
        now = self._shared.world.clock.now()
        self.state = self.state._replace(
            error=error,
            failed_at=now,
            failures=self.state.failures + 1,
            next_try_at=now + timedelta(seconds=wait_s),
        )
        log.warning("repository not read", repo=self.state.url, code=error.code, error=str(error))

    def _patiently(self, repository: Repository) -> None:
        if self.state.error is None or self._now_s() >= self._next_try_s or self._refused_others(repository):
            return
        raise remembered(self.state.error)

    def _refused_others(self, repository: Repository) -> bool:
        """Whether what went wrong was who came: whoever comes as somebody else need not wait for that."""
        if not isinstance(self.state.error, Refused) or self._standing.proven(repository):
            return False
        return self._standing.refusal(repository, self._now_s()) is None

    def _now_s(self) -> float:
        return self._shared.world.clock.monotonic()


def remembered(error: PlumblineError) -> PlumblineError:
    """The same error once more, without what led to it the last time."""
    return error.with_traceback(None)
