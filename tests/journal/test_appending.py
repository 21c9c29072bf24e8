"""What goes in stays in: in order, all or nothing, by several writers, through restarts and cancellations."""

import asyncio

import pytest

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, StorageFailed
from plumbline.base.tasks import task_group
from plumbline.journal.chain import GENESIS, Encoded, digest_of
from plumbline.journal.memory import Memory
from plumbline.journal.positions import ms_of, seq_of
from plumbline.journal.transactions import Appending, Hand
from plumbline.journal.writing import LARGEST_BATCH

from .journals import ALICE, CHANGE, COMMIT, START, at_another_time, draft, everything, web


async def test_an_entry_comes_back_as_it_was_said_with_its_place_time_and_writer(journals):
    async with journals.open("replica-0") as journal:
        (entry,) = await journal.append(draft("approved", actor=ALICE, effect={"digest": "ab", "n": [1, None, 2.5]}))
        again = await journal.entry(entry.id)
    assert again == entry
    assert (entry.seq, entry.at, entry.writer, entry.prev) == (1, START, "replica-0", GENESIS)
    assert (entry.kind, entry.actor, entry.subject, entry.cause, entry.change) == (
        "approved",
        ALICE,
        web(),
        COMMIT,
        CHANGE,
    )
    assert entry.effect == {"digest": "ab", "n": [1, None, 2.5]}


async def test_each_entry_names_the_digest_of_the_line_before(journals):
    async with journals.open() as journal:
        await journal.append(draft(), draft(), draft())
        lines = [line async for line in journal.export()]
        entries = await everything(journal)
    assert [entry.prev for entry in entries] == [GENESIS, *(digest_of(line.rstrip(b"\n")) for line in lines[:-1])]


async def test_drafts_given_together_stand_together(journals):
    async with journals.open() as journal:
        groups = await asyncio.gather(*(journal.append(*[draft(verb=f"v{n}")] * 3) for n in range(20)))
    for group in groups:
        first = group[0].seq
        assert [entry.seq for entry in group] == [first, first + 1, first + 2]
        assert len({entry.verb for entry in group}) == 1


async def test_an_entry_that_was_begun_is_known_by_its_id_without_reading_it(journals):
    async with journals.open() as journal:
        rows = await journal.begin(draft(), draft())
        assert [row.id for row in rows] == [entry.id for entry in await everything(journal)]


async def test_nothing_to_append_is_no_entry(journals):
    async with journals.open() as journal:
        assert await journal.append() == ()
        assert (await journal.head()).seq == 0


async def test_ids_sort_like_the_entries_even_when_the_clock_runs_backwards(journals):
    async with journals.open() as journal:
        (before,) = await journal.append(draft())
        journals.clock.jump(-3600)
        (after,) = await journal.append(draft())
        journals.clock.jump(7200)
        (later,) = await journal.append(draft())
    assert before.id < after.id < later.id
    assert (after.at - before.at).total_seconds() == -3600
    assert ms_of(after.id) == ms_of(before.id)
    assert [seq_of(entry.id) for entry in (before, after, later)] == [1, 2, 3]


async def test_what_was_acknowledged_is_there_after_a_restart(journals):
    async with journals.open() as journal:
        first = await journal.append(draft(), draft())
    async with journals.open() as journal:
        second = await journal.append(draft())
        assert await everything(journal) == [*first, *second]
        assert (await journal.verify()).broken is None


async def test_an_intent_is_unsettled_until_its_outcome_is_there(journals):
    async with journals.open() as journal:
        one, two, three = await journal.append(draft("intended"), draft("intended"), draft("intended"))
        assert await journal.unsettled() == (one, two, three)
        await journal.append(draft("performed", settles=two.id))
        assert await journal.unsettled() == (one, three)
        await journal.append(draft("failed", settles=one.id), draft("refused"))
    async with journals.open() as journal:
        assert await journal.unsettled() == (three,)
        assert await journal.unsettled(after=three.id) == ()
        await journal.append(draft("refused", settles=three.id))
        assert await journal.unsettled() == ()


async def test_a_second_outcome_is_a_fact_like_any_other(journals):
    async with journals.open() as journal:
        (intent,) = await journal.append(draft("intended"))
        await journal.append(draft("failed", settles=intent.id))
        await journal.append(draft("performed", settles=intent.id))
        assert await journal.unsettled() == ()
        assert len(await everything(journal)) == 3


async def test_an_outcome_settles_only_the_very_intent_it_names(journals):
    async with journals.open() as journal:
        (intent,) = await journal.append(draft("intended"))
        another = at_another_time(intent.id)
        assert seq_of(another) == intent.seq
        await journal.append(draft("performed", settles=another))
        assert await journal.unsettled() == (intent,)


async def test_two_writers_make_one_chain(journals):
    async def write(journal, name):
        return [(await journal.append(draft(verb=f"{name}{n}")))[0] for n in range(40)]

    async with journals.open("a") as a, journals.open("b") as b:
        ours, theirs = await asyncio.gather(write(a, "a"), write(b, "b"))
        entries = await everything(a)
        assert (await b.verify()).broken is None
    assert sorted(ours + theirs, key=lambda entry: entry.id) == entries
    assert [entry.seq for entry in entries] == list(range(1, 81))
    assert {entry.writer for entry in entries} == {"a", "b"}


async def test_appends_that_meet_share_a_commit(journals):
    async with journals.open() as journal:
        commits = _counted(journal)
        await asyncio.gather(*(journal.append(draft()) for _ in range(300)))
    assert len(commits) <= 2
    assert sum(commits) == 300


async def test_a_batch_is_bounded(journals):
    async with journals.open() as journal:
        commits = _counted(journal)
        await asyncio.gather(*(journal.append(*[draft()] * 100) for _ in range(12)))
        assert max(commits) <= LARGEST_BATCH
        assert sum(commits) == 1200
        with pytest.raises(LimitExceeded):
            await journal.append(*[draft()] * (LARGEST_BATCH + 1))


async def test_a_cancelled_append_leaves_the_others_and_the_chain_alone(journals):
    async with journals.open() as journal:
        async with task_group() as group:
            tasks = [group.create_task(journal.append(draft(verb=f"v{n}"), draft(verb=f"v{n}"))) for n in range(30)]
            await asyncio.sleep(0)
            for task in tasks[::3]:
                task.cancel()
        written = [entry.verb for entry in await everything(journal)]
        assert (await journal.verify()).broken is None
    for n in range(30):
        assert written.count(f"v{n}") in ((0, 2) if n % 3 == 0 else (2,))


async def test_a_failed_commit_is_told_to_each_of_its_callers_and_the_next_one_works(journals):
    async with journals.open() as journal:
        store, journal._store = journal._store, _Failing(StorageFailed("the journal cannot be written"))
        answers = await asyncio.gather(*(journal.append(draft()) for _ in range(3)), return_exceptions=True)
        assert [type(answer) for answer in answers] == [StorageFailed] * 3
        assert len({id(answer) for answer in answers}) == 3
        journal._store = store
        (entry,) = await journal.append(draft())
        assert entry.seq == 1


async def test_a_bug_below_ends_the_journal_and_nobody_waits_for_ever(journals):
    async def broken():
        async with journals.open() as journal:
            journal._store = _Failing(ZeroDivisionError())
            await journal.append(draft())

    with pytest.raises(ExceptionGroup) as caught:
        await broken()
    assert caught.group_contains(ZeroDivisionError)


async def test_what_was_appended_within_the_block_is_written_when_it_ends(journals):
    async with task_group() as group, journals.open() as journal:
        task = group.create_task(journal.append(draft()))
        await asyncio.sleep(0)
    assert task.result()[0].seq == 1
    with pytest.raises(RuntimeError):
        await journal.append(draft())


async def test_an_error_within_the_block_comes_out_as_itself(journals):
    with pytest.raises(KeyError):
        async with journals.open():
            raise KeyError("mine")


async def test_an_entry_that_is_not_there_is_not_found(journals):
    async with journals.open() as journal:
        (entry,) = await journal.append(draft())
        for id_ in (entry.id[:-1] + "9", at_another_time(entry.id)):
            with pytest.raises(NotFound):
                await journal.entry(id_)
        with pytest.raises(InvalidInput):
            await journal.entry("nonsense")


async def test_a_commit_whose_answer_was_lost_is_not_written_twice(journals):
    async with journals.open() as journal:
        work = Appending([Encoded.of(draft("intended"))], Hand("one", journals.clock, Memory()))
        first = await journal._store.transact(work)
        await journal.append(draft())
        journals.clock.jump(5)
        assert await journal._store.transact(work) == first
        assert [entry.kind for entry in await everything(journal)] == ["intended", "decided"]
        assert len(await journal.unsettled()) == 1


async def test_a_transaction_that_stops_between_any_two_statements_leaves_nothing(journals):
    drafts = [Encoded.of(draft("intended")), Encoded.of(draft())]
    async with journals.open() as journal:
        (intent,) = await journal.append(draft("intended"))
        drafts.append(Encoded.of(draft("performed", settles=intent.id)))
        stops = 0
        while True:
            work = _Stopping(Appending(drafts, journal._hand), stops)
            try:
                await journal._store.transact(work)
            except _Stop:
                stops += 1
                assert [entry.seq for entry in await everything(journal)] == [1]
                assert await journal.unsettled() == (intent,)
                assert (await journal.verify()).broken is None
            else:
                break
        assert stops >= 5
        assert (await journal.head()).seq == 4
        assert [entry.seq for entry in await journal.unsettled()] == [2]


def _counted(journal):
    """How many drafts each commit takes."""
    commits, commit = [], journal.writer._commit

    async def counting(drafts):
        commits.append(len(drafts))
        return await commit(drafts)

    journal.writer._commit = counting
    return commits


class _Failing:
    def __init__(self, error):
        self.error = error

    async def transact(self, work):
        raise self.error


class _Stop(Exception):
    pass


class _Stopping:
    """The same work, except that it stops before its statement number *after*."""

    def __init__(self, work, after):
        self._work, self._after = work, after

    def steps(self):
        steps, rows = self._work.steps(), None
        for count in range(100):
            try:
                statement = steps.send(rows)
            except StopIteration as end:
                return end.value
            if count == self._after:
                raise _Stop
            rows = yield statement

    def committed(self):
        self._work.committed()
