"""How entries hang together: each names the SHA-256 of the one before, byte for byte as it is stored.

An entry is stored, exported and digested as one line of JSON, so whoever holds an export can check it with `sha256sum`
and needs nothing of ours.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import Corrupted
from plumbline.base.json import encode
from plumbline.journal.entries import Draft, Entry
from plumbline.journal.positions import entry_id, milliseconds, ms_of

GENESIS: Final = "0" * 64
"""What the first entry of all names as the one before it."""


class _Named(msgspec.Struct, frozen=True, gc=False):
    id: str


_entry: Final = msgspec.json.Decoder(Entry)
_named: Final = msgspec.json.Decoder(_Named)


class Head(NamedTuple):
    """The newest entry: what to write down elsewhere if the loss of the newest entries is to be noticed."""

    seq: int = 0
    ms: int = 0
    digest: str = GENESIS


class Anchor(NamedTuple):
    """The last entry that was dropped: the chain that is kept begins after it."""

    seq: int = 0
    digest: str = GENESIS


class Encoded(NamedTuple):
    """A draft that is known to fit, with its JSON: encoding is the caller's work, and so are its errors."""

    draft: Draft
    json: bytes

    @classmethod
    def of(cls, draft: Draft) -> "Encoded":
        return cls(draft, encode(draft))


class Row(NamedTuple):
    """An entry as stores keep it: the line, its digest, and what is looked for, repeated from the line."""

    seq: int
    ms: int
    kind: str
    actor: str
    subject: str
    change: str
    cause: str
    digest: str
    body: bytes

    @property
    def id(self) -> str:
        """The entry's, without reading the rest of it."""
        return _named.decode(self.body).id


class Pen(NamedTuple):
    """Who writes into which journal, at what time."""

    origin: int
    writer: str
    now: datetime


def sealed(head: Head, pen: Pen, drafts: Iterable[Encoded]) -> list[Row]:
    """The rows that put *drafts* after *head*."""
    seq, _, digest = head
    ms = max(milliseconds(pen.now), head.ms)
    at = pen.now.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    writer = encode(pen.writer).decode()
    rows = []
    for draft, json in drafts:
        seq += 1
        id_ = entry_id(ms, pen.origin, seq)
        opening = f'{{"seq":{seq},"id":"{id_}","at":"{at}Z","writer":{writer},"prev":"{digest}",'
        body = opening.encode() + json[1:]
        digest = digest_of(body)
        columns = (draft.kind, str(draft.actor), str(draft.subject or ""), draft.change, str(draft.cause or ""))
        rows.append(Row(seq, ms, *columns, digest, body))
    return rows


def digest_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def entry_of(body: bytes) -> Entry:
    """Read an entry that a store kept. Raises Corrupted where it cannot be one."""
    try:
        return _entry.decode(body)
    except msgspec.MsgspecError as error:
        raise Corrupted("an entry of the journal cannot be read", why=str(error)) from error


def last(rows: Sequence[Row]) -> Head:
    return Head(rows[-1].seq, rows[-1].ms, rows[-1].digest)


def flaw(row: Row, expected_seq: int, prev: str) -> str:
    """Why *row* is not the next link of the chain; empty if it is."""
    if row.seq != expected_seq:
        return f"entry {expected_seq} is missing"
    return blemish(row) or ("" if entry_of(row.body).prev == prev else "the entry before it was changed or replaced")


def blemish(row: Row) -> str:
    """Why *row* cannot be what was written, looking at it alone; empty if nothing speaks against it."""
    if digest_of(row.body) != row.digest:
        return "its content does not have the digest that was recorded for it"
    try:
        entry = entry_of(row.body)
    except Corrupted as error:
        return error.why
    said = (entry.kind, str(entry.actor), str(entry.subject or ""), entry.change, str(entry.cause or ""))
    if (entry.seq, ms_of(entry.id), *said) != row[: len(said) + 2]:
        return "what it is found by differs from what it says"
    return ""
