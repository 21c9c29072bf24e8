"""Whatever is changed, removed or put in is noticed and named; what retention drops leaves a chain that verifies."""

from datetime import timedelta

import pytest

from plumbline.base.errors import Corrupted, InvalidInput
from plumbline.base.tasks import task_group
from plumbline.journal import Head, Query, lines_verified
from plumbline.journal.chain import Encoded
from plumbline.journal.memory import Memory
from plumbline.journal.transactions import ISLANDS, Appending, Cutting, Hand, Retention

from .journals import draft, everything
from .test_appending import _Stop, _Stopping

TAMPERING = [
    (["UPDATE journal_entries SET body = {empty} WHERE seq = 4"], 4, "a changed entry"),
    (
        [
            """UPDATE journal_entries SET body = (SELECT body FROM journal_entries WHERE seq = 7),
            digest = (SELECT digest FROM journal_entries WHERE seq = 7) WHERE seq = 4"""
        ],
        4,
        "an entry replaced by another with its digest",
    ),
    (["DELETE FROM journal_entries WHERE seq = 4"], 4, "a removed entry"),
    (["DELETE FROM journal_entries WHERE seq >= 11"], 11, "the newest entries removed"),
    (
        ["DELETE FROM journal_entries WHERE seq = 12", "UPDATE journal_chain SET seq = 11, digest = '{fourth}'"],
        11,
        "the newest removed and a wrong head recorded",
    ),
    (["UPDATE journal_entries SET actor = 'person:nobody' WHERE seq = 4"], 4, "an entry hidden from a search"),
    (["UPDATE journal_entries SET ms = ms + 1 WHERE seq = 4"], 4, "an entry moved in time"),
    (["DELETE FROM journal_entries"], 1, "all entries removed"),
    (
        [
            "DELETE FROM journal_entries WHERE seq <= 4",
            "UPDATE journal_chain SET anchor_seq = 4, anchor_digest = '{fourth}'",
        ],
        4,
        "the oldest removed and called dropped",
    ),
]


@pytest.mark.parametrize(("statements", "seq", "why"), TAMPERING, ids=[why for *_, why in TAMPERING])
async def test_the_first_entry_that_was_tampered_with_is_named(journals, statements, seq, why):
    async with journals.open() as journal:
        entries = await journal.append(*[draft("login")] * 12)
        assert (await journal.verify()).broken is None
        journals.tamper(*(each.format(empty=journals.empty, fourth=entries[4].prev) for each in statements))
        broken = (await journal.verify()).broken
    assert broken is not None, why
    assert broken.seq == seq, broken


async def test_a_tampered_tail_is_refused_when_opened(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 3)
    journals.tamper("DELETE FROM journal_entries WHERE seq = 2")
    with pytest.raises(Corrupted, match="entry 2"):
        async with journals.open():
            pass
    journals.tamper("DELETE FROM journal_entries")
    with pytest.raises(Corrupted, match="entry 1"):
        async with journals.open():
            pass


async def test_a_journal_without_its_head_is_refused(journals):
    async with journals.open() as journal:
        await journal.append(draft())
    journals.tamper("DELETE FROM journal_chain")
    with pytest.raises(Corrupted):
        async with journals.open():
            pass


async def test_only_a_witness_can_tell_that_the_newest_entries_and_their_head_are_gone(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 5)
        third = await journal.head()
        await journal.append(draft())
        newest = await journal.head()
        journals.tamper(
            "DELETE FROM journal_entries WHERE seq = 6",
            f"UPDATE journal_chain SET seq = 5, ms = {third.ms}, digest = '{third.digest}'",  # noqa: S608 - ours
        )
        assert (await journal.verify()).broken is None
        assert (await journal.verify(third)).broken is None
        assert (await journal.verify(newest)).broken.seq == 6
        assert (await journal.verify(Head(4, third.ms, "f" * 64))).broken.seq == 4


@pytest.mark.parametrize("statement", ["UPDATE journal_entries SET kind = 'x'", "DELETE FROM journal_entries"])
async def test_the_database_itself_refuses_to_rewrite_history(journals, statement):
    async with journals.open() as journal:
        await journal.append(draft())
    with pytest.raises(Exception, match="append-only"):
        journals.sql(statement)


async def test_an_export_can_be_checked_without_us(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 250)
        lines = [line async for line in journal.export()]
    assert len(lines) == 250
    assert lines_verified(lines) is None
    assert lines_verified(lines[100:]) is None
    assert lines_verified([*lines[:7], *lines[8:]]).seq == 9
    assert lines_verified([*lines[:7], lines[7].replace(b"apply", b"appl1"), *lines[8:]]).seq == 9
    assert lines_verified([*lines[:7], b"nonsense\n", *lines[8:]]).seq == 8


async def test_retention_by_count_keeps_the_newest_and_says_what_it_dropped(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 100)
        cut = await journal.retain(Retention(entries=10, batch=40))
        entries = await everything(journal)
        verdict = await journal.verify()
        exported = [line async for line in journal.export()]
    assert (cut.dropped, cut.finished) == (92, True)
    assert [entry.seq for entry in entries] == list(range(93, 104))
    assert [entry.kind for entry in entries][-3:] == ["checkpoint"] * 3
    assert (verdict.broken, verdict.anchor.seq, verdict.entries) == (None, 92, 11)
    assert lines_verified(exported) is None


async def test_retention_by_age_keeps_what_is_young(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 5)
        journals.clock.jump(3600)
        await journal.append(draft("login"))
        journals.clock.jump(60)
        await journal.retain(Retention(age=timedelta(minutes=30)))
        assert [entry.kind for entry in await everything(journal)] == ["login", "checkpoint"]
        assert (await journal.verify()).broken is None


async def test_retention_with_nothing_to_drop_writes_nothing(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 5)
        before = await journal.head()
        assert (await journal.retain(Retention(entries=5, age=timedelta(days=1)))).dropped == 0
        assert await journal.head() == before


async def test_an_unsettled_intent_outlives_any_retention(journals):
    async with journals.open() as journal:
        (intent,) = await journal.append(draft("intended"))
        await journal.append(*[draft()] * 20)
        cut = await journal.retain(Retention(entries=3))
        assert cut.kept == 1
        assert await journal.unsettled() == (intent,)
        assert await journal.entry(intent.id) == intent
        assert (await journal.verify()).broken is None
        await journal.append(draft("performed", settles=intent.id), *[draft()] * 5)
        assert (await journal.verify()).broken is None
        await journal.retain(Retention(entries=3))
        assert [entry for entry in await everything(journal) if entry.id == intent.id] == []
        assert (await journal.verify()).broken is None


async def test_too_many_unsettled_intents_stop_the_cut_rather_than_be_lost(journals):
    async with journals.open() as journal:
        await journal.append(*[draft("intended")] * (ISLANDS + 6))
        await journal.append(*[draft()] * 50)
        cut = await journal.retain(Retention(entries=1))
        assert len(await journal.unsettled()) == ISLANDS + 6
        verdict = await journal.verify()
    assert (verdict.anchor.seq, verdict.broken, cut.kept) == (ISLANDS, None, ISLANDS)


ISLAND_TAMPERING = [
    ("DELETE FROM journal_entries WHERE seq = 1", "an intent that was kept is removed"),
    ("UPDATE journal_entries SET digest = 'x' WHERE seq = 1", "an intent that was kept is changed"),
    ("UPDATE journal_entries SET seq = 2 WHERE seq = 1", "an intent is put where none was kept"),
]


@pytest.mark.parametrize(("statement", "why"), ISLAND_TAMPERING, ids=[why for _, why in ISLAND_TAMPERING])
async def test_intents_kept_from_before_the_cut_are_guarded_too(journals, statement, why):
    async with journals.open() as journal:
        await journal.append(draft("intended"), *[draft()] * 9)
        await journal.retain(Retention(entries=3))
        journals.tamper(statement)
        broken = (await journal.verify()).broken
    assert broken is not None, why
    assert broken.seq in {1, 2}


@pytest.mark.parametrize("retention", [{"entries": 0}, {"age": timedelta()}, {"entries": 3, "batch": 0}])
def test_a_retention_that_keeps_nothing_is_refused(retention):
    with pytest.raises(InvalidInput):
        Retention(**retention)


async def test_a_cut_that_stops_between_any_two_statements_leaves_all_as_it_was(journals):
    async with journals.open() as journal:
        await journal.append(draft("intended"), *[draft()] * 9)
        before, stops = await everything(journal), 0
        while True:
            try:
                await journal._store.transact(_Stopping(Cutting(Retention(entries=4), journal._hand), stops))
            except _Stop:
                stops += 1
                assert await everything(journal) == before
                assert (await journal.verify()).broken is None
            else:
                break
        assert stops >= 7
        assert (await journal.verify()).anchor.seq == 6


async def test_a_cut_that_failed_is_not_remembered_as_done(journals):
    async with journals.open("a") as a, journals.open("b") as b:
        await a.append(*[draft()] * 10)
        work = Cutting(Retention(entries=4), a._hand)
        with pytest.raises(_Stop):
            await a._store.transact(_Stopping(work, 6))
        await b.retain(Retention(entries=4))
        assert (await a._store.transact(work)).dropped == 1
        assert (await a._store.transact(work)).dropped == 1
        await a.append(draft())
        assert [entry for entry in await everything(a) if entry.kind == "rewound"] == []


async def test_verifying_while_others_write_and_retention_runs_raises_no_alarm(journals):
    async with journals.open("a") as a, journals.open("b") as b:
        await a.append(*[draft()] * 500)

        async def write():
            for _ in range(30):
                await a.append(*[draft()] * 20)
                await a.retain(Retention(entries=100))

        async with task_group() as group:
            writing = group.create_task(write())
            while not writing.done():
                assert (await b.verify()).broken is None


async def test_a_database_that_forgot_acknowledged_entries_is_caught_at_it(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 3)
        memory = Memory(Head(9, 0, "e" * 64))
        memory.doubt()
        await journal._store.transact(Appending([Encoded.of(draft())], Hand("one", journals.clock, memory)))
        *_, rewound, _ = await everything(journal)
        assert rewound.kind == "rewound"
        assert rewound.effect["seen"]["seq"] == 9
        assert rewound.effect["found"]["seq"] == 3
        assert memory.seen == await journal.head()
        assert (await journal.verify()).broken is None


async def test_a_database_that_holds_other_entries_than_those_acknowledged_is_caught_at_it(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 3)
        memory = Memory(Head(2, 0, "e" * 64))
        hand = Hand("one", journals.clock, memory)
        await journal._store.transact(Appending([], hand))
        await journal._store.transact(Appending([Encoded.of(draft())], hand))
        page = await journal.page(Query(kinds=frozenset({"rewound"})))
        assert len(page.entries) == 1


async def test_entries_that_are_where_they_were_seen_raise_no_alarm(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 3)
        memory = Memory(await journal.head())
        await journal.append(draft())
        await journal._store.transact(Appending([], Hand("one", journals.clock, memory)))
        assert memory.certain
        assert (await journal.head()).seq == 4
