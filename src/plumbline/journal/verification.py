"""Proof that nothing in a journal was changed, removed or put in since it was written, as far as the chain can tell."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple

from plumbline.base.errors import Corrupted
from plumbline.base.json import JsonObject
from plumbline.journal import statements as sql
from plumbline.journal.chain import Anchor, Head, Row, blemish, digest_of, entry_of, flaw
from plumbline.journal.positions import seq_of
from plumbline.journal.statements import Read, Store
from plumbline.journal.transactions import ISLANDS, Chain

_STEP: Final = 200


class Broken(NamedTuple):
    """The first entry that is not as it was written."""

    seq: int
    id: str
    """Empty where the entry is gone or cannot be read."""
    reason: str


class Verdict(NamedTuple):
    entries: int
    head: Head
    anchor: Anchor
    broken: Broken | None = None


async def verified(store: Store, witness: Head | None = None) -> Verdict:
    """Walk the whole chain, oldest first, while others go on writing.

    A chain cannot tell that its newest entries were cut off along with the record of them, or that all of it was
    written anew: *witness*, a head that somebody noted elsewhere, can.
    """
    chain, broken = await _standing(store, _dropped_flaw)
    count, anchor = 0, chain.anchor
    at, prev = anchor
    while broken is None and at < chain.head.seq:
        found = await store.select(Read(sql.AFTER, {"seq": at, "limit": min(_STEP, chain.head.seq - at)}))
        rows = [Row(*row) for row in found]
        if not rows or rows[0].seq != at + 1:
            anchor = Chain.of(await store.select(Read(sql.CHAIN))).anchor
            if anchor.seq > at:  # retention overtook us
                at, prev = anchor
                continue
        broken = _first_flaw(rows, at, prev, witness)
        if rows:
            count, at, prev = count + len(rows), rows[-1].seq, rows[-1].digest
        elif broken is None:
            broken = Broken(at + 1, "", f"entries {at + 1} to {chain.head.seq} are missing")
    return Verdict(count, chain.head, anchor, broken or _end_flaw(chain, at, prev, witness))


async def check_tail(store: Store) -> None:
    """Look at the newest entries, as every opening does. Raises Corrupted with the first that is not as written."""
    _, broken = await _standing(store, _tail_flaw)
    if broken:
        raise Corrupted("the journal is damaged or was tampered with", why=f"entry {broken.seq}: {broken.reason}")


def lines_verified(lines: Iterable[bytes]) -> Broken | None:
    """The first line of an export that does not follow from the one before it."""
    prev, seq = "", 0
    for line in lines:
        body = line.rstrip(b"\n")
        try:
            entry = entry_of(body)
        except Corrupted as error:
            return Broken(seq + 1, "", error.why)
        if prev and (entry.prev != prev or entry.seq != seq + 1):
            return Broken(entry.seq, entry.id, "the entry before it was changed, removed or replaced")
        prev, seq = digest_of(body), entry.seq
    return None


def _first_flaw(rows: list[Row], at: int, prev: str, witness: Head | None) -> Broken | None:
    for row in rows:
        at += 1
        reason = flaw(row, at, prev)
        if not reason and witness and row.seq == witness.seq and row.digest != witness.digest:
            reason = "it is not the entry that was witnessed"
        if reason:
            return Broken(at, _id_of(row) if row.seq == at else "", reason)
        prev = row.digest
    return None


def _end_flaw(chain: Chain, at: int, prev: str, witness: Head | None) -> Broken | None:
    if at == chain.head.seq and prev != chain.head.digest:
        return Broken(at, "", "the newest entry is not the one that was recorded as the newest")
    if witness and witness.seq > chain.head.seq:
        return Broken(chain.head.seq + 1, "", f"entries up to {witness.seq} were witnessed and are gone")
    return None


async def _standing(
    store: Store, look: Callable[[Store, Chain], Awaitable[Broken | None]]
) -> tuple[Chain, Broken | None]:
    """The chain and what *look* finds wrong with it. Retention may run meanwhile: a flaw counts if the anchor stays."""
    while True:
        chain = Chain.of(await store.select(Read(sql.CHAIN)))
        broken = await look(store, chain)
        if broken is None or Chain.of(await store.select(Read(sql.CHAIN))).anchor == chain.anchor:
            return chain, broken


async def _tail_flaw(store: Store, chain: Chain) -> Broken | None:
    at = max(chain.anchor.seq, chain.head.seq - _STEP)
    found = await store.select(Read(sql.AFTER, {"seq": at, "limit": chain.head.seq - at}))
    if not found:
        return Broken(at + 1, "", "it is gone") if at < chain.head.seq else None
    rows = [Row(*row) for row in found]
    prev = chain.anchor.digest if at == chain.anchor.seq else _prev_of(rows[0])
    return _first_flaw(rows, at, prev, None) or _end_flaw(chain, rows[-1].seq, rows[-1].digest, None)


async def _dropped_flaw(store: Store, chain: Chain) -> Broken | None:
    """The anchor and the intents kept before it hang on the newest checkpoint, which is itself in the chain."""
    anchor = chain.anchor
    if not anchor.seq:
        return None
    found = await store.select(Read(sql.NEWEST_OF, {"kind": "checkpoint"}))
    said = _effect_of(found[0][0]) if found else {}
    if (said.get("seq"), said.get("digest")) != tuple(anchor):
        return Broken(anchor.seq, "", "entries were dropped without a checkpoint that says so")
    kept = dict(said.get("kept") or {})
    for columns in await store.select(Read(sql.UP_TO, {"seq": anchor.seq, "limit": ISLANDS + 1})):
        row = Row(*columns)
        id_ = _id_of(row)
        reason = blemish(row) or ("" if kept.pop(id_, "") == row.digest else "no checkpoint knows of it")
        if reason:
            return Broken(row.seq, id_, reason)
    return Broken(seq_of(min(kept)), min(kept), "an intent that was kept is gone") if kept else None


def _effect_of(body: bytes) -> JsonObject:
    try:
        return entry_of(body).effect
    except Corrupted:
        return {}


def _prev_of(row: Row) -> str:
    try:
        return entry_of(row.body).prev
    except Corrupted:
        return ""


def _id_of(row: Row) -> str:
    try:
        return entry_of(row.body).id
    except Corrupted:
        return ""
