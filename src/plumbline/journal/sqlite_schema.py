"""Tables of the SQLite store, made or checked when the file is opened."""

import sqlite3
from pathlib import Path
from typing import Final

from plumbline.base.errors import Corrupted, StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.limits import MIB
from plumbline.journal.chain import GENESIS
from plumbline.journal.positions import ORIGIN_DIGITS
from plumbline.journal.transactions import SCHEMA_VERSION, check_version

APPLICATION_ID: Final = 0x504C4A4E
"""`file` and SQLite itself show it: this is a journal of ours and nothing else."""

WHOLE_CHECK_BYTES: Final = 64 * MIB
"""Files up to this size are read in whole when opened. In larger ones the newest entries are checked, as always, and
`verify` finds the rest."""

# Of one namespace or one busy controller there may be very many entries: whether their kind fits is seen in the index.
_TABLES: Final = """
CREATE TABLE journal_chain (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ms INTEGER NOT NULL,
    digest TEXT NOT NULL,
    anchor_seq INTEGER NOT NULL,
    anchor_digest TEXT NOT NULL
) STRICT;
CREATE TABLE journal_entries (
    seq INTEGER PRIMARY KEY,
    ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    subject TEXT NOT NULL,
    change TEXT NOT NULL,
    cause TEXT NOT NULL,
    digest TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE TABLE journal_unsettled (seq INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;
CREATE INDEX journal_by_ms ON journal_entries (ms);
CREATE INDEX journal_by_kind ON journal_entries (kind);
CREATE INDEX journal_by_actor ON journal_entries (actor, seq, kind);
CREATE INDEX journal_by_subject ON journal_entries (subject, seq, kind);
CREATE INDEX journal_by_change ON journal_entries (change);
CREATE INDEX journal_by_cause ON journal_entries (cause);
CREATE TRIGGER journal_is_append_only BEFORE UPDATE ON journal_entries
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_drops_only_what_is_anchored BEFORE DELETE ON journal_entries
WHEN OLD.seq > (SELECT anchor_seq FROM journal_chain)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
ANALYZE;
"""

# Nobody runs ANALYZE on a journal, and without figures SQLite takes every index for equally good: rows in all, rows for
# one value.
_FIGURES: Final = (
    ("journal_by_ms", "1000000 2"),
    ("journal_by_kind", "1000000 100000"),
    ("journal_by_actor", "1000000 20000 1 1"),
    ("journal_by_subject", "1000000 50 1 1"),
    ("journal_by_change", "1000000 60"),
    ("journal_by_cause", "1000000 70"),
)


def prepare(connection: sqlite3.Connection, ids: Ids, path: Path | None) -> None:
    """Make the tables, or check that they are there, sound, and not newer than we are."""
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if path is not None and mode != "wal":
        raise StorageFailed(
            f"the journal {path} cannot be opened",
            why=f"its file system allows no write-ahead log, only {mode}",
            hint="Put it on a local disk.",
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        _make_or_check(connection, ids, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _make_or_check(connection: sqlite3.Connection, ids: Ids, path: Path | None) -> None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not tables:
        _make(connection, ids)
        return
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    if application_id != APPLICATION_ID or "journal_chain" not in tables:
        raise Corrupted(f"{path} cannot be used", why="it is not a journal", hint="Name another file.")
    for (version,) in connection.execute("SELECT version FROM journal_chain"):
        check_version(version)
    pages, page_bytes = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if pages * page_bytes <= WHOLE_CHECK_BYTES:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise Corrupted(f"the journal {path} is damaged", why=found)


def _make(connection: sqlite3.Connection, ids: Ids) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _statements(_TABLES):
        connection.execute(statement)
    connection.executemany("INSERT INTO sqlite_stat1 VALUES ('journal_entries', ?, ?)", _FIGURES)
    connection.execute("ANALYZE sqlite_schema")
    origin = int(ids.uid()[-ORIGIN_DIGITS:], 16)
    connection.execute(
        "INSERT INTO journal_chain VALUES (1, ?, ?, 0, 0, ?, 0, ?)", (SCHEMA_VERSION, origin, GENESIS, GENESIS)
    )


def _statements(script: str) -> list[str]:
    """One by one, because `executescript` would commit what came before."""
    found, statement = [], ""
    for line in script.strip().splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement)
            statement = ""
    return found
