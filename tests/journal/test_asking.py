"""Entries are found by object, cause, change, actor, kind and time, newest first, page by page, and as they come."""

import asyncio
import random
from datetime import timedelta

import pytest

from plumbline.base.errors import Expired, InvalidInput, LimitExceeded
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.journal import Actor, Commit, ExternalResource, LiveObject, ObjectChange, Person, Query, Schedule
from plumbline.journal.causes import change_of
from plumbline.journal.queries import LONGEST_PAGE
from plumbline.journal.transactions import Retention

from .journals import ALICE, COMMIT, DELIVERY, START, at_another_time, draft, everything, web

BUCKET = ExternalResource(provider="aws", id="arn:aws:s3:::shop-assets/%2F")
NODE = LiveObject(cluster="https://10.0.0.1:6443/a%b", kind="Node", name="n1")
OTHER = Commit(repo=COMMIT.repo, sha="c0ffef" + "1" * 34)
SUBJECTS = [
    web(),
    web("web-2"),
    web(namespace="shop2"),
    web(namespace=""),
    web(cluster="prod2"),
    web(kind="Service", group=""),
    BUCKET,
    NODE,
    None,
]
CAUSES = [
    COMMIT,
    OTHER,
    Person(name="alice@example.com"),
    Schedule(name="nightly", due=START),
    ObjectChange(object=web("app"), change=change_of(COMMIT, Ids(0))),
    None,
]
ACTORS = [DELIVERY, ALICE, Actor("field-manager", "kubectl-edit"), Actor("person", "delivery")]
KINDS = ["decided", "drifted", "healed", "approved", "login"]


def _any_draft(chance):
    cause = chance.choice(CAUSES)
    return draft(
        chance.choice(KINDS),
        subject=chance.choice(SUBJECTS),
        cause=cause,
        change=change_of(cause, Ids(chance.randrange(3))) if cause else "",
        actor=chance.choice(ACTORS),
    )


def _any_query(chance):
    def some(values):
        return chance.choice([value for value in values if value]) if chance.random() < 0.3 else None

    start = START + timedelta(seconds=chance.randrange(200)) if chance.random() < 0.3 else None
    cause = some(CAUSES)
    return Query(
        subject=some(SUBJECTS),
        within=some([("prod",), ("prod", "shop"), ("prod", ""), (NODE.cluster,), ("prod", "shop", "Deployment.apps")])
        or (),
        commit=some(["c0ff", "c0ffee", COMMIT.sha, "dead"]) or "",
        cause=cause,
        change=change_of(cause, Ids(0)) if cause and chance.random() < 0.5 else "",
        actor=some(ACTORS),
        kinds=frozenset(chance.sample(KINDS, 2)) if chance.random() < 0.3 else frozenset(),
        since=start,
        until=start + timedelta(seconds=chance.randrange(200)) if start and chance.random() < 0.7 else None,
    )


@pytest.fixture
async def filled(journals):
    chance = random.Random(11)  # noqa: S311 - repeatable
    async with journals.open() as journal:
        for _ in range(40):
            await journal.append(*(_any_draft(chance) for _ in range(8)))
            await journals.clock.advance(chance.choice([0.0004, 3, 11]))
            if chance.random() < 0.1:
                journals.clock.jump(-20)
    return journals


async def test_a_query_finds_what_its_plain_reading_matches(filled):
    chance = random.Random(5)  # noqa: S311 - repeatable
    found = 0
    async with filled.open() as journal:
        entries = await everything(journal)
        for _ in range(150):
            query = _any_query(chance)
            expected = [entry for entry in reversed(entries) if query.matches(entry)]
            page = await journal.page(query, limit=LONGEST_PAGE)
            assert list(page.entries) == expected, query
            found += len(expected)
    assert found > 1000


async def test_pages_put_together_are_the_whole(filled):
    query, pages, cursor = Query(within=("prod",)), [], ""
    async with filled.open() as journal:
        whole = await journal.page(query, limit=LONGEST_PAGE)
        while True:
            page = await journal.page(query, cursor=cursor, limit=7)
            pages += page.entries
            cursor = page.cursor
            if not cursor:
                break
    assert tuple(pages) == whole.entries
    assert whole.cursor == ""


async def test_a_page_that_ends_exactly_with_the_last_match_is_the_last(journals):
    async with journals.open() as journal:
        await journal.append(draft(), draft())
        assert (await journal.page(limit=2)).cursor == ""
        assert (await journal.page(limit=1)).cursor != ""


async def test_entries_written_meanwhile_do_not_move_a_cursor(journals):
    async with journals.open() as journal:
        old = await journal.append(*[draft()] * 10)
        page = await journal.page(limit=4)
        await journal.append(*[draft()] * 5)
        assert (await journal.page(cursor=page.cursor, limit=50)).entries == old[5::-1]


SEPARATE = [
    (("prod", "shop"), web(namespace="shop2"), "a namespace that begins with the same letters is another one"),
    (("prod",), web(cluster="prod2"), "so is a cluster"),
    (("prod", ""), web(), "an object of the cluster itself is in no namespace"),
    (("prod", "shop", "Deployment.apps", "web"), web("web-2"), "a name is whole"),
    (("prod", "shop", "Deployment"), web(), "a kind without its group is another kind"),
    (("https:",), NODE, "a slash within a name separates nothing"),
]


@pytest.mark.parametrize(("within", "other", "why"), SEPARATE, ids=[why for *_, why in SEPARATE])
async def test_within_means_whole_parts(journals, within, other, why):
    async with journals.open() as journal:
        await journal.append(draft(subject=other))
        assert (await journal.page(Query(within=within))).entries == (), why


@pytest.mark.parametrize("commit", ["c0f", "C0FFEE", "c0ffee%", "0" * 65, "xyz1"])
def test_a_commit_is_asked_for_by_four_digits_or_more(commit):
    with pytest.raises(InvalidInput):
        Query(commit=commit)


def test_an_object_has_four_parts():
    with pytest.raises(InvalidInput):
        Query(within=("a", "b", "c", "d", "e"))


@pytest.mark.parametrize("limit", [0, -1, LONGEST_PAGE + 1])
async def test_pages_are_bounded(journals, limit):
    async with journals.open() as journal:
        with pytest.raises(LimitExceeded):
            await journal.page(limit=limit)


@pytest.mark.parametrize("cursor", ["x", "7" * 27, "ILOU" * 6 + "00", "8" + "0" * 25])
async def test_a_cursor_that_is_no_id_is_refused(journals, cursor):
    async with journals.open() as journal:
        with pytest.raises(InvalidInput):
            await journal.page(cursor=cursor)


async def test_a_follower_sees_what_was_and_what_comes_in_order(journals):
    async with journals.open() as journal:
        await journal.append(*[draft()] * 450)
        seen = []

        async def follow():
            async for entry in journal.follow(""):
                seen.append(entry.seq)
                if len(seen) == 500:
                    return

        async with task_group() as group:
            group.create_task(follow())
            for _ in range(50):
                await journal.append(draft())
        assert seen == list(range(1, 501))


async def test_a_follower_begins_after_the_entry_it_names_and_sees_what_it_asks_for(journals):
    async with journals.open() as journal:
        _, second, *_ = await journal.append(draft(), draft(), draft("login"), draft(), draft("login"))
        stream = journal.follow(second.id, Query(kinds=frozenset({"login"})))
        assert [(await anext(stream)).seq for _ in range(2)] == [3, 5]
        await stream.aclose()


async def test_a_follower_sees_what_another_process_writes(journals):
    async with journals.open("a") as a, journals.open("b") as b:
        stream = a.follow("")
        async with task_group() as group:
            waiting = group.create_task(anext(stream))
            await asyncio.sleep(0.05)
            await b.append(draft(verb="from afar"))
        assert waiting.result().verb == "from afar"
        await stream.aclose()


async def test_a_follower_that_fell_behind_retention_is_told(journals):
    async with journals.open() as journal:
        first, *_ = await journal.append(*[draft()] * 10)
        stream = journal.follow(first.id)
        assert (await anext(stream)).seq == 2
        await journal.append(*[draft()] * 300)
        await journal.retain(Retention(entries=5))
        with pytest.raises(Expired):
            [entry async for entry in stream]
        with pytest.raises(Expired):
            await anext(journal.follow(first.id))


async def test_a_follower_of_another_journal_is_told(journals):
    async with journals.open() as journal:
        (entry,) = await journal.append(draft())
        for unknown in (entry.id[:-1] + "5", at_another_time(entry.id)):
            with pytest.raises(Expired):
                await anext(journal.follow(unknown))


async def test_following_from_the_anchor_goes_on(journals):
    async with journals.open() as journal:
        entries = await journal.append(*[draft()] * 10)
        await journal.retain(Retention(entries=4))
        stream = journal.follow(entries[5].id)
        assert (await anext(stream)).id == entries[6].id
        await stream.aclose()
