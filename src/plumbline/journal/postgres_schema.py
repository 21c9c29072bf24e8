"""Tables of the PostgreSQL store, made by whoever comes first."""

from typing import TYPE_CHECKING, Final

from plumbline.base.ids import Ids
from plumbline.journal.chain import GENESIS
from plumbline.journal.positions import ORIGIN_DIGITS
from plumbline.journal.transactions import SCHEMA_VERSION, check_version

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.rows import TupleRow

_LOCK: Final = 0x504C4A4E
"""Advisory, and held only while tables are made: there is no row to lock before that."""

_TABLES: Final = """
CREATE TABLE journal_chain (
    "only" integer PRIMARY KEY CHECK ("only" = 1),
    version integer NOT NULL,
    origin bigint NOT NULL,
    seq bigint NOT NULL,
    ms bigint NOT NULL,
    digest text NOT NULL,
    anchor_seq bigint NOT NULL,
    anchor_digest text NOT NULL
) WITH (fillfactor = 20);
CREATE TABLE journal_entries (
    seq bigint PRIMARY KEY,
    ms bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    change text COLLATE "C" NOT NULL,
    cause text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE TABLE journal_unsettled (seq bigint PRIMARY KEY, id text COLLATE "C" NOT NULL);
CREATE INDEX journal_by_ms ON journal_entries (ms, seq);
CREATE INDEX journal_by_kind ON journal_entries (kind, seq);
CREATE INDEX journal_by_actor ON journal_entries (actor, seq, kind);
CREATE INDEX journal_by_subject ON journal_entries (subject, seq, kind);
CREATE INDEX journal_by_change ON journal_entries (change, seq);
CREATE INDEX journal_by_cause ON journal_entries (cause, seq);
CREATE FUNCTION journal_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$;
CREATE FUNCTION journal_drops() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.seq > (SELECT anchor_seq FROM journal_chain) THEN RAISE EXCEPTION 'the journal is append-only'; END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER journal_is_append_only BEFORE UPDATE ON journal_entries
    FOR EACH ROW EXECUTE FUNCTION journal_refuses();
CREATE TRIGGER journal_is_not_emptied BEFORE TRUNCATE ON journal_entries
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuses();
CREATE TRIGGER journal_drops_only_what_is_anchored BEFORE DELETE ON journal_entries
    FOR EACH ROW EXECUTE FUNCTION journal_drops();
"""


async def prepare(connection: "AsyncConnection[TupleRow]", ids: Ids) -> None:
    """Make the tables if they are missing; refuse those that are newer than we are."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        found = await (await connection.execute("SELECT to_regclass('journal_chain') IS NOT NULL")).fetchall()
        if found == [(True,)]:
            for (version,) in await (await connection.execute("SELECT version FROM journal_chain")).fetchall():
                check_version(version)
            return
        await connection.execute(_TABLES)
        await connection.execute(
            "INSERT INTO journal_chain VALUES (1, %s, %s, 0, 0, %s, 0, %s)",
            (SCHEMA_VERSION, int(ids.uid()[-ORIGIN_DIGITS:], 16), GENESIS, GENESIS),
        )
