"""The journal itself: one implementation over any store."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol

from plumbline.base.errors import Expired, NotFound
from plumbline.base.tasks import task_group
from plumbline.journal import statements as sql
from plumbline.journal.chain import Encoded, Head, Row, entry_of
from plumbline.journal.entries import Draft, Entry
from plumbline.journal.parties import checked
from plumbline.journal.positions import seq_of
from plumbline.journal.queries import EVERYTHING, PAGE, Page, Query, page_read
from plumbline.journal.statements import Read, Store
from plumbline.journal.transactions import Appending, Chain, Cut, Cutting, Hand, Retention
from plumbline.journal.verification import Verdict, check_tail, verified
from plumbline.journal.writing import GATHER_S, Writer

_STEP: Final = 200
UNSETTLED: Final = 1000
POLL_S: Final = 1.0
"""How long a follower may not notice what another process wrote; what this one wrote it sees at once."""


class Journal(Protocol):
    """What features see: facts go in, facts come out, nothing is changed or removed."""

    async def append(self, *drafts: Draft) -> tuple[Entry, ...]:
        """Write all of them or none, next to each other, and return when they would survive a power cut.

        Raises Transient if that is not known: they may then be there or not. Cancelled, likewise.
        """

    def begin(self, *drafts: Draft) -> asyncio.Future[Sequence[Row]]:
        """The same without waiting: they come before whatever is appended later. Done when `append` would return, or raise."""

    async def entry(self, id_: str) -> Entry:
        """One entry. Raises NotFound if it never was, or was dropped."""

    async def page(self, query: Query = EVERYTHING, *, cursor: str = "", limit: int = PAGE) -> Page: ...

    async def unsettled(self, after: str = "") -> tuple[Entry, ...]:
        """Intents without an outcome, oldest first: after a crash, what may or may not have happened.

        At most a thousand; go on with the last one's id. With several processes, `writer` and `at` say whose are
        merely under way.
        """

    def follow(self, after: str, query: Query = EVERYTHING) -> AsyncIterator[Entry]:
        """All that match after an id ("" for the oldest kept), as they are written, in order, none left out.

        Raises Expired if retention dropped what comes next.
        """


class Custody(Protocol):
    """What the one who looks after the journal needs besides."""

    async def head(self) -> Head: ...

    async def verify(self, witness: Head | None = None) -> Verdict: ...

    def export(self, after: str = "") -> AsyncIterator[bytes]:
        """Entries as they are stored, one line of JSON each, oldest first."""

    async def retain(self, retention: Retention) -> Cut: ...


class StoredJournal:
    """Both of the above over a store. Made by `journal.sqlite.opened` and `journal.postgres.opened`."""

    def __init__(self, store: Store, hand: Hand, poll_s: float | None) -> None:
        """Without *poll_s* nobody else has a hand in it, and nothing waits for a disk: then nothing is gained by waiting."""
        checked(hand.writer, "the writer")
        self.writer = Writer(self._commit, GATHER_S if poll_s is not None else 0.0)
        self._store = store
        self._hand = hand
        self._poll_s = poll_s
        self._news = asyncio.Event()

    async def append(self, *drafts: Draft) -> tuple[Entry, ...]:
        rows = await self.begin(*drafts)
        return tuple(entry_of(row.body) for row in rows)

    def begin(self, *drafts: Draft) -> asyncio.Future[Sequence[Row]]:
        return self.writer.begin([Encoded.of(draft) for draft in drafts])

    async def entry(self, id_: str) -> Entry:
        found = await self._store.select(Read(sql.BODY, {"seq": seq_of(id_)}))
        entry = entry_of(found[0][0]) if found else None
        if entry is None or entry.id != id_:
            raise NotFound(f"there is no journal entry {id_}", why="it never was, or retention dropped it")
        return entry

    async def page(self, query: Query = EVERYTHING, *, cursor: str = "", limit: int = PAGE) -> Page:
        found = await self._store.select(page_read(query, cursor, limit))
        entries = tuple(entry_of(body) for (body,) in found[:limit])
        return Page(entries, entries[-1].id if len(found) > limit else "")

    async def unsettled(self, after: str = "") -> tuple[Entry, ...]:
        values = {"seq": seq_of(after) if after else 0, "limit": UNSETTLED}
        return tuple(entry_of(body) for (body,) in await self._store.select(Read(sql.UNSETTLED, values)))

    async def follow(self, after: str, query: Query = EVERYTHING) -> AsyncIterator[Entry]:
        at = await self._begin(after)
        while True:
            news = self._news  # taken before reading: what is written from here on rings it
            rows = await self._next(at)
            for seq, body in rows:
                entry, at = entry_of(body), seq
                if query.matches(entry):
                    yield entry
            if not rows:
                await self._rung(news)

    async def head(self) -> Head:
        return (await self._chain()).head

    async def verify(self, witness: Head | None = None) -> Verdict:
        return await verified(self._store, witness)

    async def export(self, after: str = "") -> AsyncIterator[bytes]:
        at = await self._begin(after)
        while rows := await self._next(at):
            for _, body in rows:
                yield body + b"\n"
            at = rows[-1][0]

    async def retain(self, retention: Retention) -> Cut:
        dropped = 0
        while True:
            cut = await self._store.transact(Cutting(retention, self._hand))
            dropped += cut.dropped
            self._ring()
            if cut.finished:
                return cut._replace(dropped=dropped)

    async def _commit(self, drafts: Sequence[Encoded]) -> Sequence[Row]:
        rows = await self._store.transact(Appending(drafts, self._hand))
        self._ring()
        return rows

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _rung(self, news: asyncio.Event) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._poll_s):
                await news.wait()

    async def _chain(self) -> Chain:
        return Chain.of(await self._store.select(Read(sql.CHAIN)))

    async def _begin(self, after: str) -> int:
        """The place after which to read on. Raises Expired if the entry there is not, or no longer, the one named."""
        chain = await self._chain()
        if not after:
            return chain.anchor.seq
        at = seq_of(after)
        if at != chain.anchor.seq:
            found = await self._store.select(Read(sql.BODY, {"seq": at}))
            if at < chain.anchor.seq or not found or entry_of(found[0][0]).id != after:
                raise _expired(after)
        return at

    async def _next(self, at: int) -> sql.Rows:
        rows = await self._store.select(Read(sql.LINES_AFTER, {"seq": at, "limit": _STEP}))
        first = rows[0][0] if rows else 0
        if first != at + 1 and (rows or (await self._chain()).head.seq < at):
            raise _expired(f"{at + 1}")
        return rows


@contextlib.asynccontextmanager
async def running(store: Store, hand: Hand, poll_s: float | None = POLL_S) -> AsyncIterator[StoredJournal]:
    """A journal that writes for as long as the block lasts; what was appended within it is written when it ends."""
    await store.transact(Appending((), hand))
    await check_tail(store)
    journal = StoredJournal(store, hand, poll_s)
    failure: Exception | None = None
    async with task_group() as group:
        group.create_task(journal.writer.run())
        try:
            yield journal
        except Exception as error:  # noqa: BLE001 - raised again below, as itself and not in a group
            failure = error
        finally:
            journal.writer.close()
    if failure is not None:
        raise failure


def _expired(what: str) -> Expired:
    return Expired(
        f"the journal cannot be read on after {what}",
        why="retention dropped what comes next, or another journal took its place",
        hint="Read the newest page and follow from there.",
    )
