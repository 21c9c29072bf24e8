"""What is done to a journal in one transaction, for any store: append, and drop what is too old."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import Corrupted, InvalidInput, TooNew
from plumbline.journal import statements as sql
from plumbline.journal.chain import Anchor, Encoded, Head, Pen, Row, last, sealed
from plumbline.journal.entries import Draft
from plumbline.journal.memory import Memory
from plumbline.journal.parties import Actor
from plumbline.journal.positions import entry_id, milliseconds, seq_of
from plumbline.journal.statements import Read, Steps, Write

SCHEMA_VERSION: Final = 1
ISLANDS: Final = 64
"""Unsettled intents that a cut steps over; their digests have to fit into the checkpoint."""
_JOURNAL: Final = Actor("controller", "journal")


class Chain(NamedTuple):
    version: int
    origin: int
    head: Head
    anchor: Anchor

    @classmethod
    def of(cls, rows: sql.Rows) -> "Chain":
        if len(rows) != 1:
            raise Corrupted("the journal cannot be read", why="the record of its newest entry is gone")
        version, origin, seq, ms, digest, anchor_seq, anchor_digest = rows[0]
        check_version(version)
        return cls(version, origin, Head(seq, ms, digest), Anchor(anchor_seq, anchor_digest))


def check_version(version: int) -> None:
    """Refuse tables that a newer version made; asked on every write, as another replica may upgrade them meanwhile."""
    if version > SCHEMA_VERSION:
        raise TooNew("the journal cannot be used", why=f"its tables have version {version}, we know {SCHEMA_VERSION}")


class Hand(NamedTuple):
    """Whose entries these are, by which clock, and what this process remembers of the chain."""

    writer: str
    clock: Clock
    memory: Memory


class Appending:
    """Put drafts at the end of the chain, and before them, if acknowledged entries were lost, that they were."""

    def __init__(self, drafts: Sequence[Encoded], hand: Hand) -> None:
        self._drafts = drafts
        self._hand = hand
        self._rows: list[Row] = []

    def steps(self) -> Steps[list[Row]]:
        chain = Chain.of((yield Read(sql.CHAIN, locks=True)))
        if self._rows and (yield from self._kept()):
            return self._answer()
        lost = yield from _losses(chain, self._hand.memory)
        self._rows = yield from _extended(chain, self._hand, (*lost, *self._drafts))
        return self._answer()

    def committed(self) -> None:
        if self._rows:
            self._hand.memory.note(last(self._rows))

    def _kept(self) -> Steps[bool]:
        # The first attempt may have been committed although its answer was lost. We hold the lock now, so it is over.
        found = yield Read(sql.DIGEST, {"seq": self._rows[-1].seq})
        return found == [(self._rows[-1].digest,)]

    def _answer(self) -> list[Row]:
        return self._rows[len(self._rows) - len(self._drafts) :]


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """How much is kept. What is older than `age`, or has `entries` newer ones after it, is dropped."""

    age: timedelta | None = None
    entries: int | None = None
    batch: int = 500
    """Entries that one transaction drops: others wait for it."""

    def __post_init__(self) -> None:
        if (self.age is not None and self.age <= timedelta()) or (self.entries is not None and self.entries < 1):
            raise InvalidInput("a retention that would keep nothing")
        if self.batch < 1:
            raise InvalidInput("a retention in batches of nothing")


class Cut(NamedTuple):
    dropped: int = 0
    kept: int = 0
    """Unsettled intents that are older than the cut and stay."""
    finished: bool = True


class Cutting:
    """Drop one batch of the oldest entries, and say so in the chain itself: the new anchor is part of what is chained."""

    def __init__(self, retention: Retention, hand: Hand) -> None:
        self._retention = retention
        self._hand = hand
        self._rows: list[Row] = []

    def steps(self) -> Steps[Cut]:
        self._rows = []  # of an attempt that failed
        chain = Chain.of((yield Read(sql.CHAIN, locks=True)))
        due = yield from self._due(chain)
        target = min(due, chain.anchor.seq + self._retention.batch)
        islands = yield Read(sql.ISLANDS, {"seq": target, "limit": ISLANDS + 1})
        if len(islands) > ISLANDS:
            target = islands.pop()[0] - 1
        if target <= chain.anchor.seq:
            return Cut(kept=len(islands))
        [(digest,)] = yield Read(sql.DIGEST, {"seq": target})
        anchor = Anchor(target, digest)
        yield Write(sql.ANCHOR, [anchor._asdict()])
        yield Write(sql.DROP, [{"seq": target}])
        checkpoint = Encoded.of(_checkpoint(anchor, {id_: kept for _, id_, kept in islands}))
        lost = yield from _losses(chain, self._hand.memory)
        self._rows = yield from _extended(chain, self._hand, (*lost, checkpoint))
        return Cut(target - chain.anchor.seq, len(islands), finished=target >= due)

    def committed(self) -> None:
        if self._rows:
            self._hand.memory.note(last(self._rows))

    def _due(self, chain: Chain) -> Steps[int]:
        due = 0
        if self._retention.age is not None:
            oldest = self._hand.clock.now() - self._retention.age
            found = yield Read(sql.LAST_BEFORE, {"ms": milliseconds(oldest)})
            due = found[0][0] if found else 0
        if self._retention.entries is not None:
            due = max(due, chain.head.seq - self._retention.entries)
        return due


def _extended(chain: Chain, hand: Hand, drafts: Sequence[Encoded]) -> Steps[list[Row]]:
    rows = sealed(chain.head, Pen(chain.origin, hand.writer, hand.clock.now()), drafts)
    if not rows:
        return rows
    yield Write(sql.INSERT, [row._asdict() for row in rows])
    intents = [
        {"seq": row.seq, "id": entry_id(row.ms, chain.origin, row.seq)} for row in rows if row.kind == "intended"
    ]
    if intents:
        yield Write(sql.OPEN_INTENT, intents)
    settled = [{"seq": seq_of(id_), "id": id_} for draft, _ in drafts if (id_ := draft.settles)]
    if settled:
        yield Write(sql.SETTLE, settled)
    yield Write(sql.ADVANCE, [last(rows)._asdict()])
    return rows


def _losses(chain: Chain, memory: Memory) -> Steps[tuple[Encoded, ...]]:
    """An entry that says so, if the chain no longer holds what this process saw acknowledged."""
    seen, head = memory.seen, chain.head
    if seen.seq <= head.seq:
        if memory.certain or seen.seq <= chain.anchor.seq:
            return ()
        if (yield Read(sql.DIGEST, {"seq": seen.seq})) == [(seen.digest,)]:
            memory.certain = True
            return ()
    return (Encoded.of(_rewound(seen, head)),)


def _rewound(seen: Head, head: Head) -> Draft:
    return Draft(
        kind="rewound",
        actor=_JOURNAL,
        summary=f"Entries up to {seen.seq} were acknowledged, but the journal held others or only {head.seq}",
        effect={"seen": {"seq": seen.seq, "digest": seen.digest}, "found": {"seq": head.seq, "digest": head.digest}},
    )


def _checkpoint(anchor: Anchor, kept: dict[str, str]) -> Draft:
    return Draft(
        kind="checkpoint",
        actor=_JOURNAL,
        summary=f"Entries up to {anchor.seq} were dropped, as retention asks",
        effect={"seq": anchor.seq, "digest": anchor.digest, "kept": kept},
    )
