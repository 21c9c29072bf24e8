"""The journal's promises on a real PostgreSQL, and those that only several processes and a server can break."""

import asyncio
import itertools
import signal
import time
from collections import Counter

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Corrupted, Forbidden, ServerFault, StorageFailed, TimedOut, TooNew, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.journal import Retention, postgres, postgres_faults

from ..journal.journals import Journals, draft, everything  # noqa: TID252 - tests are no installed package
from ..journal.test_appending import *  # noqa: F403, TID252 - the same promises, collected here again
from ..journal.test_asking import *  # noqa: F403, TID252 - same
from ..journal.test_being_killed import Nursery, outlive  # noqa: TID252 - same
from ..journal.test_chain_holds import *  # noqa: F403, TID252 - same
from .postgres import postgres as running_server

pytestmark = pytest.mark.conformance
_count = itertools.count(1)


class PostgresJournals(Journals):
    """A journal in a schema of its own."""

    empty = "'{}'::bytea"

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.schema = f"test_{next(_count)}"
        self.address = f"{server.address} options='-c search_path={self.schema}'"
        self.sql(f"CREATE SCHEMA {self.schema}")

    def open(self, writer="one"):
        return postgres.opened(self.address, clock=self.clock, ids=self.ids, writer=writer)

    def tamper(self, *statements):
        self.sql("ALTER TABLE journal_entries DISABLE TRIGGER USER", *statements)

    def sql(self, *statements):
        import psycopg  # noqa: PLC0415 - where it is missing, the server's fixture says so

        with psycopg.connect(self.address, autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def terminate(self):
        """Break every connection that a journal has here."""
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plumbline journal'")


@pytest.fixture(scope="module")
def server():
    with running_server() as running:
        yield running


@pytest.fixture
def journals(server):
    made = PostgresJournals(server)
    # Pauses between attempts are real here, as the server's are.
    made.clock.sleep = SystemClock().sleep
    return made


async def test_many_that_come_first_make_the_tables_once(journals):
    async def write(name):
        async with journals.open(name) as journal:
            await journal.append(draft(verb=name))

    await asyncio.gather(*(write(f"replica-{number}") for number in range(8)))
    async with journals.open() as journal:
        assert len(await everything(journal)) == 8
        assert (await journal.verify()).broken is None


async def test_broken_connections_cost_no_entry_and_write_none_twice(journals):
    async def write(journal, name):
        for number in range(100):
            await journal.append(draft(verb=f"{name}-{number}"))

    async with journals.open("a") as a, journals.open("b") as b:
        async with task_group() as group:
            writing = [group.create_task(write(*each)) for each in ((a, "a"), (a, "c"), (b, "b"))]
            while not all(task.done() for task in writing):
                await asyncio.sleep(0.2)
                await asyncio.to_thread(journals.terminate)
        counts = Counter(entry.verb for entry in await everything(a))
        assert (await a.verify()).broken is None
    assert counts == {f"{name}-{number}": 1 for name in "abc" for number in range(100)}


async def test_a_server_that_crashes_loses_nothing_it_acknowledged():
    with running_server() as own:
        journals, told = PostgresJournals(own), []
        journals.clock.sleep = SystemClock().sleep

        async def write(journal, name):
            for number in range(40):
                try:
                    told.append((await journal.append(draft(verb=f"{name}-{number}")))[0].id)
                except Unreachable:
                    await asyncio.sleep(0.1)

        async with journals.open() as journal:
            async with task_group() as group:
                writing = [group.create_task(write(journal, name)) for name in "abcd"]
                for _ in range(3):
                    await asyncio.sleep(0.15)
                    await asyncio.to_thread(own.stop, signal.SIGQUIT)
                    await asyncio.to_thread(own.start)
                await asyncio.gather(*writing)
            entries = await everything(journal)
            assert (await journal.verify()).broken is None
        assert set(told) <= {entry.id for entry in entries}
        assert max(Counter(entry.verb for entry in entries).values()) == 1
        assert [entry for entry in entries if entry.kind == "rewound"] == []


async def test_writers_that_are_killed_lose_nothing_they_were_told_is_written(journals, tmp_path):
    with Nursery("postgres", tmp_path) as nursery:
        await outlive(nursery, journals, 25, longest_s=0.4)
        assert nursery.answers > 25


async def test_a_restored_backup_shows_as_one(journals):
    async with journals.open() as journal:
        await journal.append(draft(), draft())
        old = await journal.head()
        await journal.append(draft())
        journals.tamper(
            "DELETE FROM journal_entries WHERE seq = 3",
            f"UPDATE journal_chain SET seq = 2, ms = {old.ms}, digest = '{old.digest}'",  # noqa: S608 - ours
        )
        await journal.append(draft())
        assert [entry.kind for entry in await everything(journal)] == ["decided", "decided", "rewound", "decided"]


async def test_who_holds_the_head_for_too_long_makes_others_give_up_and_not_for_ever(journals, monkeypatch):
    import psycopg  # noqa: PLC0415 - same

    monkeypatch.setattr(
        postgres, "_SESSION", postgres._SESSION.replace("lock_timeout = '10s'", "lock_timeout = '200ms'")
    )
    async with journals.open() as journal:
        await journal.append(draft())
        with psycopg.connect(journals.address) as other:
            other.execute("SELECT * FROM journal_chain FOR UPDATE")
            with pytest.raises(TimedOut):
                await journal.append(draft())
        assert (await journal.append(draft()))[0].seq == 2


async def test_a_process_that_stops_within_a_transaction_loses_its_turn(journals, monkeypatch):
    session = postgres._SESSION.replace("session_timeout = '5s'", "session_timeout = '300ms'")
    monkeypatch.setattr(postgres, "_SESSION", session)

    class Pausing:
        def __init__(self):
            self.attempts = 0

        def steps(self):
            self.attempts += 1
            yield postgres.Read("SELECT seq FROM journal_chain", locks=True)
            if self.attempts == 1:
                time.sleep(1)  # the whole process stands still, as when it is stopped
            yield postgres.Read("SELECT 1")

        def committed(self):
            pass

    async with journals.open() as journal:
        work = Pausing()
        await journal._store.transact(work)
        assert work.attempts >= 2
        assert (await journal.append(draft()))[0].seq == 1


async def test_a_server_that_does_not_answer_is_given_up_and_found_again(monkeypatch):
    monkeypatch.setattr(postgres, "_DEADLINE_S", 1.0)
    with running_server() as own:
        journals = PostgresJournals(own)
        async with journals.open() as journal:
            (first,) = await journal.append(draft())
            own.freeze()
            try:
                with pytest.raises(Unreachable):
                    await journal.append(draft(verb="lost or not"))
            finally:
                own.thaw()
            (last,) = await journal.append(draft(verb="after"))
            entries = await everything(journal)
            assert (await journal.verify()).broken is None
        assert entries[0] == first
        assert entries[-1] == last
        assert Counter(entry.verb for entry in entries)["lost or not"] <= 1


async def test_no_server_is_told_as_such(tmp_path):
    address = f"host={tmp_path} user=plumbline dbname=postgres password=hunter2"
    with pytest.raises(Unreachable) as caught:
        async with postgres.opened(address, clock=SystemClock(), ids=Ids(1), writer="one"):
            pass
    assert "hunter2" not in str(caught.value)


async def test_a_standby_is_not_written_to(journals):
    journals.address += " options='-c default_transaction_read_only=on'"
    with pytest.raises(Unreachable):
        async with journals.open():
            pass


async def test_newer_tables_are_refused_at_once_even_by_those_who_have_them_open(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        journals.sql("UPDATE journal_chain SET version = version + 1")
        with pytest.raises(TooNew):
            await journal.append(draft())
    with pytest.raises(TooNew):
        async with journals.open():
            pass


async def test_a_commit_waits_for_the_disk_whatever_the_role_says(journals):
    async with journals.open() as journal:
        await journal.append(draft())
        (line,) = await journal._store.select(postgres.Read("SHOW synchronous_commit"))
        assert line == ("on",)


async def test_history_cannot_be_emptied_either(journals):
    async with journals.open() as journal:
        await journal.append(draft())
    with pytest.raises(Exception, match="append-only"):
        journals.sql("TRUNCATE journal_entries")


async def test_retention_by_several_at_once_keeps_the_chain(journals):
    async with journals.open("a") as a, journals.open("b") as b:
        await a.append(*[draft()] * 400)
        cuts = await asyncio.gather(*(each.retain(Retention(entries=50, batch=40)) for each in (a, b)))
        assert (await a.verify()).broken is None
        assert sum(cut.dropped for cut in cuts) == (await b.verify()).anchor.seq


class _Failure:
    def __init__(self, state):
        self.sqlstate = state


MEANINGS = [
    ("53100", StorageFailed, False, "the disk is full"),
    ("53300", Unreachable, True, "no connection is free"),
    ("57P01", Unreachable, True, "it shuts down"),
    ("25006", Unreachable, True, "it became a standby"),
    ("08006", Unreachable, True, "the connection broke"),
    ("40P01", TimedOut, True, "a deadlock"),
    ("55P03", TimedOut, False, "the head was held"),
    ("57014", TimedOut, False, "the deadline passed"),
    ("42501", Forbidden, False, "a permission is missing"),
    ("XX001", Corrupted, False, "a page is damaged"),
    ("42P01", ServerFault, False, "a table is missing"),
]


@pytest.mark.parametrize(("state", "meaning", "again", "why"), MEANINGS, ids=[why for *_, why in MEANINGS])
def test_what_the_server_says_has_a_meaning(state, meaning, again, why):
    failure = _Failure(state)
    assert type(postgres_faults.told(failure)) is meaning
    assert postgres_faults.repeatable(failure) is again
