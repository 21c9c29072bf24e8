"""One repository that is followed: asking the other side no more often than needed, and as whom it has accepted."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from plumbline.base.errors import NotFound, PlumblineError, Refused, Throttled, Transient
from plumbline.base.log import logger
from plumbline.kernel.queue import Queue
from plumbline.kernel.world import World
from plumbline.source.charts.values import Moved, State
from plumbline.source.charts.wire import Line, Wire
from plumbline.source.git.exchange import Authorised
from plumbline.source.git.followed import Connect
from plumbline.source.git.standing import Standing
from plumbline.source.repository import Repository
from plumbline.source.rhythm import Rhythm
from plumbline.source.urls import redacted

log = logger(__name__)

_REFUSED_S: Final = 30.0
_LOOK: Final = "Check its address, the version, and the credentials in its Secret."
RECENT_S: Final = 5.0
"""What was heard within this time is not asked again for a name that is not known."""


class Answer(NamedTuple):
    proof: bool
    """Whether it shows that the other side lets us read."""
    changed: frozenset[str] = frozenset()
    """Charts of which something else is known now."""


class Remote(Protocol):
    """What is known of the other side, and how it is asked."""

    own_url: str
    """Whose host credentials are for."""

    @property
    def known(self) -> int:
        """Of how many charts something is known."""

    async def open(self) -> None:
        """Take up what is known from before."""

    async def ask(self, line: Line, *, everything: bool, trusted: bool) -> Answer:
        """Ask for all that is of interest, or only for what is not known of it. What is known stays if it raises.

        Only to those who are *trusted* already, nothing means that it is gone: from others it may be hidden.
        """


R = TypeVar("R", bound=Remote)


class Shared(NamedTuple):
    """What all repositories have in common."""

    world: World
    queue: Queue[str]
    connect: Connect
    authorised: Authorised
    wire: Wire
    tell: Callable[[Moved], None]
    rhythm: Rhythm


class Place(NamedTuple):
    key: str
    base: str
    """As `urls.mirror_key` has the address."""
    url: str
    """As the first who asked wrote it."""


class Followed(Generic[R]):
    def __init__(self, place: Place, remote: R, shared: Shared) -> None:
        self.place = place
        self.remote = remote
        self.state = State(redacted(place.url))
        self._what = f"Cannot read {redacted(place.url)}"
        self._shared = shared
        self._standing = Standing()
        self._lock = asyncio.Lock()
        self._opened = False
        self._asked = self._answered = self._answers = 0
        self._succeeded_s = self._next_try_s = self._silent_until_s = float("-inf")
        self._project = ""

    @property
    def answers(self) -> int:
        """How often the other side answered, or did not."""
        return self._answers

    @property
    def age_s(self) -> float:
        """Since the other side last answered."""
        return self._shared.world.clock.monotonic() - self._succeeded_s

    async def admitted(self, project: str) -> Repository:
        """The repository as *project* may use it, once the other side has accepted it as that.

        Where the other side does not answer and nobody was accepted since we started, what is on disk may be used: it
        was fetched for somebody, and projects are held apart by the addresses that they permit.
        """
        repository = self._shared.connect(self.place.url, project)
        if self._standing.proven(repository):
            return repository
        refusal = self._standing.refusal(repository, self._shared.world.clock.monotonic())
        if refusal is not None:
            raise remembered(refusal)
        try:
            await self.wait_for(repository, fresh=False)
        except Transient:
            if not self._standing.empty or not self.remote.known:
                raise
        else:
            self._project = project
        return repository

    async def poll(self) -> None:
        """Ask the other side, as the one that it accepted last."""
        left_s = self._silent_until_s - self._shared.world.clock.monotonic()
        if left_s > 0:
            self._shared.queue.add_after(self.place.key, left_s)
            return
        try:
            await self.exchange(self._shared.connect(self.place.url, self._project))
        except PlumblineError as error:
            if self.state.error is not error:
                self._failed(error)

    async def wait_for(self, repository: Repository, *, fresh: bool = True) -> None:
        """`exchange`, but not sooner than the one schedule of this repository has it after a failure."""
        self._patiently()
        await self.exchange(repository, fresh=fresh)

    async def look_for(self, repository: Repository, known: Callable[[], bool]) -> None:
        """Ask for what somebody wants and nobody has asked for yet."""
        self._patiently()
        async with self._lock:
            if not known() or not self._standing.proven(repository):
                await self._exchanged(repository, everything=False)

    async def exchange(self, repository: Repository, *, fresh: bool = True) -> None:
        """Ask the other side now. Whoever asks while others wait to do so shares their answer.

        With *fresh* only the answer to a question that was put after this call; without, any that is on its way.
        """
        self._asked += 1
        ticket, answers = self._asked, self._answers
        async with self._lock:
            shared = self._answered >= ticket if fresh else self._answers > answers
            if shared and self.state.error is not None:
                raise remembered(self.state.error)
            if shared and self._standing.proven(repository):
                return
            began = self._asked
            try:
                await self._exchanged(repository, everything=True)
            finally:
                self._answered, self._answers = began, self._answers + 1

    @asynccontextmanager
    async def line(self, repository: Repository, own_url: str = "") -> AsyncIterator[Line]:
        """To the other side, as *repository* has it."""
        credentials = await self._shared.authorised(repository)
        reached = repository
        if credentials is not repository.credentials:
            reached = msgspec.structs.replace(repository, credentials=credentials)
        async with self._shared.wire.line(reached, own_url or self.remote.own_url, self._what) as line:
            yield line

    def _patiently(self) -> None:
        if self.state.error is not None and self._shared.world.clock.monotonic() < self._next_try_s:
            raise remembered(self.state.error)

    async def _exchanged(self, repository: Repository, *, everything: bool) -> None:
        try:
            if not self._opened:
                await self.remote.open()
                self._opened = True
            async with self.line(repository) as line:
                trusted = self._standing.proven(repository)
                answer = await self.remote.ask(line, everything=everything, trusted=trusted)
        except PlumblineError as error:
            self._judge(repository, error)
            raise
        self._take(answer)
        if answer.proof:
            self._standing.accept(repository)
        elif not trusted:
            raise NotFound(self._what, why="nothing of what is wanted is there, or it is hidden from us", hint=_LOOK)

    def _take(self, answer: Answer) -> None:
        world, queue = self._shared.world, self._shared.queue
        self._succeeded_s = world.clock.monotonic()
        wait_s = self._shared.rhythm.wait_s(world.ids)
        queue.forgive(self.place.key)
        queue.add_after(self.place.key, wait_s)
        now = world.clock.now()
        self.state = State(self.state.url, now, next_try_at=now + timedelta(seconds=wait_s), charts=self.remote.known)
        if answer.changed:
            log.info("charts moved", repo=self.state.url, charts=len(answer.changed))
            self._shared.tell(Moved(self.place.base, answer.changed))

    def _judge(self, repository: Repository, error: PlumblineError) -> None:
        """Whose failure it is: that of credentials which others need not share, or of the repository."""
        if isinstance(error, Refused) and not self._standing.proven(repository):
            until_s = self._shared.world.clock.monotonic() + _REFUSED_S
            self._standing.refuse(repository, error, until_s)
            if not self._standing.empty:
                return
        self._failed(error)

    def _failed(self, error: PlumblineError) -> None:
        world, queue = self._shared.world, self._shared.queue
        wait_s = queue.retry(self.place.key)
        if isinstance(error, Throttled):
            wait_s = max(wait_s, error.after_s)
            self._silent_until_s = world.clock.monotonic() + wait_s
        self._next_try_s = world.clock.monotonic() + wait_s
        now = world.clock.now()
        self.state = self.state._replace(
            error=error,
            failed_at=now,
            failures=self.state.failures + 1,
            next_try_at=now + timedelta(seconds=wait_s),
        )
        log.warning("charts not read", repo=self.state.url, code=error.code, error=str(error))


def remembered(error: PlumblineError) -> PlumblineError:
    """The same error once more, without what led to it the last time."""
    return error.with_traceback(None)
