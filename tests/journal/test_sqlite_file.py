"""The file: refused when it is damaged, foreign or newer; whole again after torn writes, full disks and old backups."""

import asyncio
import resource
import shutil
import sqlite3
import stat
from contextlib import closing

import pytest

from plumbline.base.errors import Corrupted, StorageFailed, TimedOut, TooNew
from plumbline.journal import Query, Retention, sqlite, sqlite_schema
from plumbline.journal.queries import page_read

from .journals import ALICE, CHANGE, COMMIT, START, SqliteJournals, draft, everything, web


async def test_only_its_owner_reads_the_files(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in journals.path.parent.iterdir()}
    names = {"journal.db", "journal.db-wal", "journal.db-shm", "journal.db.head"}
    assert modes == dict.fromkeys(names, 0o600)


async def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(StorageFailed):
        async with SqliteJournals(tmp_path / "missing" / "journal.db").open():
            pass


async def test_a_file_that_is_no_database_is_refused_and_left_alone(journals):
    text = b"dear diary, " * 1000
    journals.path.write_bytes(text)
    with pytest.raises(Corrupted):
        async with journals.open():
            pass
    assert journals.path.read_bytes() == text


async def test_the_database_of_another_program_is_refused_and_left_alone(journals):
    with closing(sqlite3.connect(journals.path)) as connection:
        connection.execute("CREATE TABLE journal_chain (x)")
    with pytest.raises(Corrupted, match="not a journal"):
        async with journals.open():
            pass
    assert journals.sql("SELECT name FROM sqlite_schema") == [("journal_chain",)]


async def test_a_newer_version_s_file_is_refused(journals):
    async with journals.open() as journal:
        await journal.append(draft())
    journals.sql("UPDATE journal_chain SET version = version + 1")
    with pytest.raises(TooNew):
        async with journals.open():
            pass


async def test_a_file_that_is_upgraded_by_another_process_is_no_longer_written(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        journals.sql("UPDATE journal_chain SET version = version + 1")
        with pytest.raises(TooNew):
            await journal.append(draft())
        with pytest.raises(TooNew):
            await journal.head()


@pytest.mark.parametrize("part", range(24))
async def test_damage_anywhere_in_the_file_never_goes_unnoticed(journals, part):
    async with journals.open() as journal:
        entries = [*(await journal.append(*[draft()] * 60)), *(await journal.append(draft("intended")))]
    content = bytearray(journals.path.read_bytes())
    offset = len(content) * part // 24 + 137
    content[offset : offset + 64] = bytes(byte ^ 0x5A for byte in content[offset : offset + 64])
    journals.path.write_bytes(content)
    try:
        async with journals.open() as journal:
            verdict, found = await journal.verify(), await everything(journal)
    except Corrupted:
        return
    assert verdict.broken or found == entries, "damage to unused bytes is no damage"


def _copied(journals, folder):
    """The files as a crash of the machine would leave them: nothing was closed."""
    folder.mkdir()
    for path in journals.path.parent.glob("journal.db*"):
        shutil.copy(path, folder / path.name)
    (folder / "journal.db-shm").unlink()
    return SqliteJournals(folder / "journal.db")


async def _crashed(journals, folder):
    async with journals.open() as journal:
        for _ in range(12):
            await journal.append(draft(), draft())
        return _copied(journals, folder), await everything(journal)


@pytest.mark.parametrize("part", range(13))
@pytest.mark.parametrize("garbage", [False, True])
async def test_a_torn_log_gives_back_a_prefix_and_says_that_entries_are_missing(journals, tmp_path, part, garbage):
    after, entries = await _crashed(journals, tmp_path / "after")
    log = after.path.with_name("journal.db-wal")
    content = log.read_bytes()
    torn = content[: len(content) * part // 12]
    log.write_bytes(torn + b"\xa5" * (len(content) - len(torn)) if garbage else torn)
    async with after.open() as journal:
        found = await everything(journal)
        assert (await journal.verify()).broken is None
    if part == 12:
        assert found == entries
        return
    *kept, rewound = found
    assert kept == entries[: len(kept)]
    assert len(kept) % 2 == 0, "what was written together is there together"
    assert len(kept) < len(entries)
    assert (rewound.kind, rewound.effect["seen"]["seq"]) == ("rewound", len(entries))


async def test_a_log_that_is_whole_loses_nothing(journals, tmp_path):
    after, entries = await _crashed(journals, tmp_path / "after")
    async with after.open() as journal:
        assert await everything(journal) == entries
        assert (await journal.verify()).broken is None


async def test_an_older_backup_shows_as_one(journals, tmp_path):
    async with journals.open() as journal:
        await journal.append(draft())
    shutil.copy(journals.path, tmp_path / "backup")
    async with journals.open() as journal:
        await journal.append(draft(), draft())
    shutil.copy(tmp_path / "backup", journals.path)
    async with journals.open() as journal:
        first, rewound = await everything(journal)
    assert (first.kind, rewound.kind) == ("decided", "rewound")
    assert (rewound.effect["seen"]["seq"], rewound.effect["found"]["seq"]) == (3, 1)
    async with journals.open() as journal:
        assert (await journal.head()).seq == 2, "it is said once"


async def test_a_journal_that_vanished_does_not_begin_anew_in_silence(journals):
    async with journals.open() as journal:
        await journal.append(draft())
    journals.path.write_bytes(b"")
    async with journals.open() as journal:
        assert [entry.kind for entry in await everything(journal)] == ["rewound"]


async def test_a_memory_that_cannot_be_read_is_no_reason_to_stop(journals):
    async with journals.open() as journal:
        await journal.append(draft())
    journals.path.with_name("journal.db.head").write_bytes(b'[1, "half')
    async with journals.open() as journal:
        await journal.append(draft())
        assert [entry.kind for entry in await everything(journal)] == ["decided", "decided"]


def _writer(journal):
    return journal._store._writer


async def test_a_full_disk_is_told_and_writing_goes_on_when_there_is_room(journals):
    async with journals.open() as journal:
        (first,) = await journal.append(draft("intended"))
        pages = _writer(journal).execute("PRAGMA page_count").fetchone()[0]
        _writer(journal).execute(f"PRAGMA max_page_count = {pages}")
        large = [draft(effect={"x": "y" * 4000})] * 20
        with pytest.raises(StorageFailed, match="disk is full"):
            await journal.append(*large)
        assert await everything(journal) == [first]
        assert (await journal.verify()).broken is None
        _writer(journal).execute("PRAGMA max_page_count = 1000000")
        assert len(await journal.append(*large)) == 20
        assert (await journal.verify()).broken is None
    assert journals.sql("PRAGMA integrity_check") == [("ok",)]


async def test_a_write_that_the_system_refuses_is_told_and_healed(journals):
    async with journals.open() as journal:
        entries = list(await journal.append(draft()))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = journals.path.with_name("journal.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, hard))
        try:
            with pytest.raises(StorageFailed, match="disk failed"):
                await journal.append(*[draft(effect={"x": "y" * 4000})] * 20)
            assert _writer(journal) is None, "a connection in doubt is not used again"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        entries += await journal.append(draft(), draft())
        assert await everything(journal) == entries
        assert (await journal.verify()).broken is None
    assert journals.sql("PRAGMA integrity_check") == [("ok",)]


async def test_a_read_only_disk_is_told_and_healed(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        _writer(journal).execute("PRAGMA query_only = ON")
        with pytest.raises(StorageFailed, match="read-only"):
            await journal.append(draft())
        assert (await journal.append(draft()))[0].seq == 2


async def test_a_reader_in_doubt_is_replaced(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        await journal.head()
        reader = journal._store._reader
        reader.close()
        with pytest.raises(StorageFailed):
            await journal.head()
        journal._store._reader = _Broken()
        with pytest.raises(StorageFailed, match="disk failed"):
            await journal.head()
        assert (await journal.head()).seq == 1


class _Broken:
    def execute(self, *_):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
        raise error

    def close(self):
        pass


async def test_a_file_that_another_process_holds_is_waited_for_but_not_for_ever(journals, monkeypatch):
    monkeypatch.setattr(sqlite, "_BUSY_S", 0.05)
    async with journals.open() as journal:
        await journal.append(draft())
        with closing(sqlite3.connect(journals.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(TimedOut):
                await journal.append(draft())
            other.execute("COMMIT")
        assert (await journal.append(draft()))[0].seq == 2


async def test_a_large_file_is_opened_without_reading_all_of_it(journals, monkeypatch):
    async with journals.open() as journal:
        await journal.append(draft())
    monkeypatch.setattr(sqlite_schema, "WHOLE_CHECK_BYTES", 0)
    async with journals.open() as journal:
        assert (await journal.head()).seq == 1


async def test_a_file_system_without_a_log_is_refused(journals, monkeypatch):
    class Connection(sqlite3.Connection):
        def execute(self, sql, *args):
            return super().execute(sql.replace("= WAL", "= DELETE"), *args)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, factory=Connection, **named))
    with pytest.raises(StorageFailed, match="write-ahead log"):
        async with journals.open():
            pass


async def test_durability_is_the_disk_unless_said_otherwise(journals):
    async with sqlite.opened(journals.path, clock=journals.clock, ids=journals.ids, writer="one") as journal:
        await journal.append(draft())
        assert _writer(journal).execute("PRAGMA synchronous").fetchone() == (2,)
        assert _writer(journal).execute("PRAGMA journal_mode").fetchone() == ("wal",)
    async with journals.open() as journal:
        assert _writer(journal).execute("PRAGMA synchronous").fetchone() == (1,)


PLANS = [
    (Query(subject=web(), actor=ALICE, kinds=frozenset({"login"})), "journal_by_subject (subject=?", "an object"),
    (Query(within=("prod", "shop"), kinds=frozenset({"login"})), "journal_by_subject (subject>?", "a namespace"),
    (Query(change=CHANGE, actor=ALICE), "journal_by_change (change=?", "a change"),
    (Query(commit="c0ffee", kinds=frozenset({"login", "healed"})), "journal_by_cause (cause>?", "a commit"),
    (Query(cause=COMMIT, kinds=frozenset({"login", "healed"})), "journal_by_cause (cause=?", "a cause"),
    (Query(actor=ALICE, kinds=frozenset({"login"})), "journal_by_actor (actor=?", "an actor"),
    (Query(kinds=frozenset({"login"})), "journal_by_kind (kind=?", "a kind"),
    (Query(kinds=frozenset({"login", "healed"}), since=START), "journal_by_kind (kind=? AND rowid>? AND", "some kinds"),
    (Query(since=START), "USING INTEGER PRIMARY KEY (rowid>?", "a time"),
]


@pytest.mark.parametrize(("query", "index", "why"), PLANS, ids=[why for *_, why in PLANS])
async def test_each_question_is_answered_by_its_index(journals, query, index, why):
    async with journals.open() as journal:
        await journal.append(draft())
        read = page_read(query, (await everything(journal))[0].id, 50)
        rows = _writer(journal).execute(f"EXPLAIN QUERY PLAN {read.sql}", read.values).fetchall()
    assert any(index in row[-1] for row in rows), rows


async def test_pages_that_retention_frees_are_used_again(journals):
    async with journals.open() as journal:
        sizes = []
        for _ in range(6):
            await asyncio.gather(*(journal.append(*[draft()] * 100) for _ in range(4)))
            await journal.retain(Retention(entries=200))
            sizes.append(_writer(journal).execute("PRAGMA page_count").fetchone()[0])
    assert sizes[-1] <= sizes[1] * 1.2
