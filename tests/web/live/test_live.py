"""What a page is told: at once, not too often, from where it was, and nothing that it may not see."""

import asyncio

import pytest
from tests.web.live.pages import virtually, world

from plumbline.base.errors import InvalidInput, Throttled, Unauthenticated, Unreachable
from plumbline.base.log import recorded
from plumbline.web.live import Kind, Topics, hub, ring, sight, stream, wire
from plumbline.web.live.pieces import Pieces

ADDED, MODIFIED, DELETED = Kind.ADDED, Kind.MODIFIED, Kind.DELETED


@virtually
async def test_a_page_is_told_what_changes_from_when_it_began_to_listen():
    async with world() as here:
        page = await here.visit("applications,application:argocd/shop")
        (opened,) = page.of("open")
        assert opened == {"topics": ["application:argocd/shop", "applications"], "resumed": False, "beatS": 15}
        assert 1000 <= page.retry_ms <= 4000
        here.source.tell("applications", "argocd/shop", {"health": "Healthy"}, ADDED)
        here.source.tell("applications", "argocd/cart", None, DELETED)
        await asyncio.sleep(0.01)
        assert page.changes == [
            ("argocd/shop", "ADDED", {"health": "Healthy"}),
            ("argocd/cart", "DELETED", None),
        ]
        assert page.writes == 2


@virtually
async def test_the_first_change_goes_at_once_and_those_that_follow_four_times_a_second():
    async with world() as here:
        page = await here.visit()
        for number in range(100):
            here.source.tell("applications", "k", number)
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        told = [value for _, _, value in page.changes]
        assert told[0] == 0
        assert told[-1] == 99
        assert len(told) <= 2 / hub.PERIOD_S + 1
        assert here.live.counts.encoded == len(told)


@virtually
async def test_one_thing_that_changes_all_the_time_does_not_hide_others():
    async with world() as here:
        page = await here.visit()
        for number in range(50):
            here.source.tell("applications", "busy", number)
            if number == 25:
                here.source.tell("applications", "calm", "once")
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        assert page.changes.count(("calm", "MODIFIED", "once")) == 1


@virtually
async def test_a_thousand_pages_cost_one_encoding_and_one_write_for_each_of_them_in_a_round():
    async with world() as here:
        pages = [await here.visit(who=f"user{number % 10}@tab{number}") for number in range(1000)]
        counts = here.live.counts
        before = counts.written
        for number in range(300):
            here.source.tell("applications", f"app{number}", number)
            await asyncio.sleep(1 / 300)
        await asyncio.sleep(1)
        rounds = 1 / hub.PERIOD_S + 2
        assert counts.encoded == 300
        assert counts.written - before <= 1000 * (rounds + 1)  # and a sign of life for some
        assert counts.joined <= 10 * rounds
        assert here.town.decisions == 10
        assert all(len(page.changes) == 300 for page in pages)


@virtually
async def test_not_everybody_is_woken_in_the_same_turn_of_the_loop():
    async with world() as here:
        most, turn = 0, 0

        class Sleeper:
            def wake(self):
                nonlocal turn
                turn += 1

        async def ticking():
            nonlocal most, turn
            while True:
                most, turn = max(most, turn), 0
                await asyncio.sleep(0)

        one = here.live._hub
        feeds = here.topics.chosen("applications")
        sleepers = [Sleeper() for _ in range(1000)]
        joined = [one.join(sleeper, feeds) for sleeper in sleepers]
        await asyncio.sleep(0)
        here.source.tell("applications", "k", 1)
        ticks = here.tasks.create_task(ticking())
        for _ in range(100):
            await asyncio.sleep(0)
        ticks.cancel()
        assert 0 < most <= hub.AT_ONCE
        for sleeper, some in zip(sleepers, joined, strict=True):
            one.leave(sleeper, some)


@virtually
async def test_whoever_may_not_see_something_does_not_hear_of_it():
    async with world() as here:
        here.town.blind.add(("bob", "secret/x"))
        ada, bob = await here.visit(), await here.visit(who="bob")
        here.source.tell("applications", "x", 1, scope="secret/x")
        here.source.tell("applications", "y", 2, scope="open/y")
        await asyncio.sleep(1)
        assert [key for key, _, _ in ada.changes] == ["x", "y"]
        assert [key for key, _, _ in bob.changes] == ["y"]


@virtually
async def test_what_moves_out_of_sight_is_gone():
    async with world() as here:
        here.town.blind.add(("bob", "secret/x"))
        ada, bob = await here.visit(), await here.visit(who="bob")
        here.source.tell("applications", "x", 1, scope="open/x")
        await asyncio.sleep(1)
        here.source.tell("applications", "x", 2, scope="secret/x", was="open/x")
        await asyncio.sleep(1)
        assert ada.changes == [("x", "MODIFIED", 1), ("x", "MODIFIED", 2)]
        assert bob.changes == [("x", "MODIFIED", 1), ("x", "DELETED", None)]
        assert here.live.counts.encoded == 3


@virtually
async def test_decisions_are_asked_for_once_until_permissions_change():
    async with world() as here:
        page = await here.visit()
        for number in range(5):
            here.source.tell("applications", "x", number, scope="p/x")
            await asyncio.sleep(1)
        assert here.town.decisions == 1
        here.town.version, here.town.blind = 1, {("ada", "p/x")}
        here.source.tell("applications", "x", 6, scope="p/x")
        await asyncio.sleep(1)
        here.source.tell("applications", "x", 7, scope="p/x")
        await asyncio.sleep(1)
        assert page.of("reset") == [{"topics": ["applications"], "reason": "permissions"}]
        assert len(page.changes) == 5
        assert here.town.decisions == 2


@virtually
async def test_other_permissions_are_heard_of_in_a_quiet_hour_as_well():
    async with world() as here:
        page = await here.visit()
        here.town.version = 1
        await asyncio.sleep(stream.BEAT_S)
        assert [said["reason"] for said in page.of("reset")] == ["permissions"]


def test_what_is_remembered_of_decisions_is_bounded(monkeypatch):
    monkeypatch.setattr(sight, "_MOST", 3)

    class Everything:
        version = 0

        def sees(self, *_):
            return True

    sights = sight.Sights(Everything())
    sees = sights.of(sight.Viewer("s", "i", "a", "p"))
    assert all(sees("t", str(number)) for number in range(10))
    assert len(sights._known) <= 3


@virtually
async def test_a_page_that_was_away_goes_on_from_where_it_was():
    async with world() as here:
        page = await here.visit()
        here.source.tell("applications", "x", 1)
        await asyncio.sleep(1)
        await here.close(page)
        here.source.tell("applications", "x", 2)
        await asyncio.sleep(1)
        here.source.tell("applications", "y", 3)
        await asyncio.sleep(1)
        back = await here.visit(last=page.cursor)
        await asyncio.sleep(1)
        assert back.of("open")[0]["resumed"]
        assert back.of("reset") == []
        assert back.changes == [("x", "MODIFIED", 2), ("y", "MODIFIED", 3)]
        assert here.source.opened == ["applications"]


@virtually
async def test_a_page_that_wants_other_topics_goes_on_with_the_old_ones():
    async with world() as here:
        page = await here.visit()
        here.source.tell("applications", "x", 1)
        await asyncio.sleep(1)
        other = await here.visit("applications,application:a/x", since=page.cursor)
        assert other.of("reset") == [{"topics": ["application:a/x"], "reason": "away"}]
        assert other.changes == []


@virtually
async def test_a_page_that_was_away_too_long_fetches_anew():
    async with world() as here:
        here.live._hub.ring._most = 3
        page = await here.visit()
        await here.close(page)
        for number in range(5):
            here.source.tell("applications", f"k{number}", number)
        await asyncio.sleep(1)
        back = await here.visit(last=page.cursor)
        assert back.of("reset") == [{"topics": ["applications"], "reason": "away"}]
        await asyncio.sleep(1)
        assert back.changes == []


@virtually
async def test_a_topic_that_nobody_listened_to_in_between_is_fetched_anew():
    async with world() as here:
        page = await here.visit()
        await here.close(page)
        await asyncio.sleep(hub.LINGER_S + 1)
        assert here.source.open == {}
        back = await here.visit(last=page.cursor)
        assert back.of("reset") == [{"topics": ["applications"], "reason": "away"}]


@pytest.mark.parametrize(
    "cursor", ["other-1", "x", "-", "-1", "EPOCH-", "EPOCH-x", "EPOCH-999999", "EPOCH-" + "9" * 5000, "EPOCH-²"]
)
def test_cursors_that_are_not_ours_begin_anew(cursor):
    @virtually
    async def asked():
        async with world() as here:
            epoch = here.live._hub.ring._epoch
            page = await here.visit(last=cursor.replace("EPOCH", epoch).encode().decode("latin-1"))
            assert not page.of("open")[0]["resumed"]
            assert page.of("reset") == [{"topics": ["applications"], "reason": "away"}]

    asked()


@virtually
async def test_signs_of_life_come_every_fifteen_seconds_and_move_the_cursor():
    async with world() as here:
        here.town.blind.add(("ada", "secret"))
        page = await here.visit()
        first = page.cursor
        here.source.tell("applications", "x", 1, scope="secret")
        await asyncio.sleep(60)
        assert page.changes == []
        assert 4 <= page.beats - 1 <= 5
        assert page.cursor != first


@virtually
async def test_a_stream_ends_with_its_session():
    async with world() as here:
        ada, bob = await here.visit(who="ada@one"), await here.visit(who="ada@two")
        here.town.revoked.add("one")
        for number in range(300):
            here.source.tell("applications", "x", number)
            await asyncio.sleep(0.1)
        assert ada.ended
        assert ada.of("bye") == [{"reason": "session"}]
        assert not bob.ended
        assert here.live.streams == 1


@virtually
async def test_a_session_that_cannot_be_checked_is_over():
    async def unreachable():
        raise Unreachable("no")

    async def for_ever():
        await asyncio.Event().wait()

    for trouble in (unreachable, for_ever):
        with recorded() as lines:
            async with world() as here:
                page = await here.visit()
                here.town.trouble = trouble
                await asyncio.sleep(30)
                assert page.of("bye") == [{"reason": "session"}]
        assert [line["event"] for line in lines] == ["session not checked"]


@virtually
async def test_a_page_that_does_not_keep_up_fetches_anew_and_is_cut_if_it_stays_slow():
    async with world() as here:
        here.live._hub.ring._most = 10
        page, other = await here.visit(), await here.visit()
        for round_ in range(3):
            page.taking.clear()
            here.source.tell("applications", "wakes it", round_)
            await asyncio.sleep(0.3)
            for number in range(20):
                here.source.tell("applications", f"k{number}", number)
                await asyncio.sleep(0.3)
            assert not page.ended
            page.taking.set()
            await asyncio.sleep(0.1)
        assert [said["reason"] for said in page.of("reset")] == ["slow"] * 3
        assert page.of("bye") == [{"reason": "slow"}]
        assert page.ended
        assert other.of("reset") == []
        assert len(other.changes) == 63


@virtually
async def test_being_slow_now_and_then_is_forgiven():
    async with world() as here:
        here.live._hub.ring._most = 2
        page = await here.visit()
        for round_ in range(4):
            page.taking.clear()
            for number in range(5):
                here.source.tell("applications", f"k{number}", round_)
                await asyncio.sleep(0.3)
            page.taking.set()
            await asyncio.sleep(61)
        assert len(page.of("reset")) == 4
        assert not page.ended


@virtually
async def test_more_than_a_page_takes_at_once_comes_in_pieces():
    async with world() as here:
        page = await here.visit()
        for number in range(1200):
            here.source.tell("applications", f"k{number}", number)
        await asyncio.sleep(1)
        assert [value for _, _, value in page.changes] == list(range(1200))
        assert page.writes == 4


@virtually
async def test_of_a_flood_of_changes_only_that_there_was_one_is_told():
    async with world() as here:
        page = await here.visit()
        for number in range(hub.BURST + 500):
            here.source.tell("applications", f"k{number}", number)
        await asyncio.sleep(1)
        assert page.of("reset") == [{"topics": ["applications"], "reason": "gap"}]
        assert page.changes == []
        here.source.tell("applications", "k", "after")
        await asyncio.sleep(1)
        assert page.changes == [("k", "MODIFIED", "after")]


@virtually
async def test_feeds_open_with_the_first_who_listens_and_close_a_while_after_the_last():
    async with world() as here:
        assert here.source.open == {}
        one = await here.visit("application:a/x")
        two = await here.visit("application:a/x")
        assert here.source.opened == ["application:a/x"]
        await here.close(one)
        await asyncio.sleep(hub.LINGER_S * 2)
        assert list(here.source.open) == ["application:a/x"]
        await here.close(two)
        await asyncio.sleep(hub.LINGER_S / 2)
        three = await here.visit("application:a/x")
        await asyncio.sleep(hub.LINGER_S)
        assert here.source.opened == ["application:a/x"]
        await here.close(three)
        await asyncio.sleep(hub.LINGER_S + 1)
        assert here.source.open == {}
        assert here.live._hub.topics == ()


@virtually
async def test_a_feed_that_takes_long_to_close_is_not_opened_meanwhile():
    async with world() as here:
        here.source.closing_s = 3
        await here.close(await here.visit())
        await asyncio.sleep(hub.LINGER_S + 1)
        page = await here.visit()
        assert here.source.opened == ["applications"] * 2
        assert page.of("reset") == []
        here.source.tell("applications", "x", 1)
        await asyncio.sleep(1)
        assert page.changes == [("x", "MODIFIED", 1)]


@virtually
async def test_a_feed_that_breaks_is_opened_again_and_pages_fetch_anew():
    with recorded() as lines:
        async with world() as here:
            page = await here.visit()
            here.source.failing = 2
            here.source.break_down("applications")
            await asyncio.sleep(60)
            assert page.of("reset") == [{"topics": ["applications"], "reason": "gap"}]
            here.source.tell("applications", "x", 1)
            await asyncio.sleep(1)
            assert page.changes == [("x", "MODIFIED", 1)]
    assert [line["event"] for line in lines] == ["feed failed"] * 3


@virtually
async def test_a_feed_that_never_opens_is_given_up_with_its_page():
    with recorded():
        async with world() as here:
            here.source.failing = 1000
            page = await here.visit()
            assert page.of("open")
            await here.close(page)
            await asyncio.sleep(60)
            assert here.live._hub.topics == ()


@virtually
async def test_a_page_is_not_kept_waiting_by_a_feed_that_is_slow_to_open():
    async with world() as here:
        here.source.slow_s = 20
        page = await here.visit()
        assert here.clock.monotonic() < 6
        assert page.of("reset") == []
        await asyncio.sleep(20)
        assert page.of("reset") == [{"topics": ["applications"], "reason": "gap"}]


@virtually
async def test_what_a_feed_still_says_after_it_was_given_up_is_not_heard():
    async with world() as here:
        page = await here.visit()
        tell = here.source.open["applications"][0]
        await here.close(page)
        await asyncio.sleep(hub.LINGER_S + 1)
        before = here.live.counts.published
        here.source.open["applications"] = (tell, None)
        here.source.tell("applications", "x", 1)
        here.source.open.clear()
        await asyncio.sleep(1)
        assert here.live.counts.published == before


@virtually
async def test_what_nobody_looks_at_is_never_encoded():
    async with world() as here:
        page = await here.visit()
        await here.close(page)
        here.source.tell("applications", "x", 1)
        await asyncio.sleep(1)
        assert (here.live.counts.published, here.live.counts.encoded) == (1, 0)


@virtually
async def test_only_so_many_streams_are_open():
    async with world(most_streams=3, most_per_session=2) as here:
        await here.visit(who="ada")
        last = await here.visit(who="ada")
        with pytest.raises(Throttled, match="of the same session"):
            await here.ask(who="ada")
        await here.visit(who="bob")
        with pytest.raises(Throttled, match="3 others are open"):
            await here.ask(who="eve")
        await here.close(last)
        await here.visit(who="eve")


@virtually
async def test_one_person_leaves_room_for_others_however_often_they_log_in():
    async with world(most_streams=10, most_per_person=4) as here:
        first = await here.visit(who="ada@1")
        for session in range(2, 5):
            await here.visit(who=f"ada@{session}")
        with pytest.raises(Throttled, match="4 others of yours are open"):
            await here.ask(who="ada@5")
        await here.visit(who="bob@1")
        await here.close(first)
        await here.visit(who="ada@5")


@virtually
async def test_one_person_leaves_topics_for_others(monkeypatch):
    monkeypatch.setattr(hub, "MOST_TOPICS", 6)
    async with world(most_topics_per_person=4) as here:
        page = await here.visit("application:a/1,application:a/2,application:a/3", who="ada@1")
        with pytest.raises(Throttled, match="3 other topics of yours are listened to"):
            await here.ask("application:a/4,application:a/5", who="ada@2")
        assert (await here.visit("application:a/6,application:a/7", who="bob")).of("bye") == []
        await here.close(page)
        await here.visit("application:a/4,application:a/5", who="ada@2")
        with pytest.raises(Throttled):
            await here.ask("application:a/1,application:a/2,application:a/3,application:a/4,application:a/5", who="eve")
        assert here.live.streams == 2


@virtually
async def test_those_who_come_at_the_same_moment_are_counted_when_they_begin():
    async with world(most_streams=1) as here:
        answers = [await here.ask(who=who) for who in ("ada", "bob")]
        first = await anext(answers[0].stream)
        second = await anext(answers[1].stream)
        assert b"event: open" in first
        assert b'event: bye\ndata: {"reason":"full"}' in second
        for answer in answers:
            await answer.stream.aclose()
        assert here.live.streams == 0


@virtually
async def test_an_answer_that_nobody_reads_counts_for_nothing():
    async with world(most_streams=1) as here:
        unread = await here.ask()
        await unread.stream.aclose()
        await here.visit()


@virtually
async def test_only_so_many_topics_are_listened_to(monkeypatch):
    monkeypatch.setattr(hub, "MOST_TOPICS", 2)
    async with world() as here:
        await here.visit("application:a/x,application:a/y")
        page = await here.visit("application:a/z")
        assert page.of("bye") == [{"reason": "full"}]


@virtually
async def test_who_comes_and_goes_with_other_topics_keeps_nobody_out(monkeypatch):
    monkeypatch.setattr(hub, "MOST_TOPICS", 2)
    async with world() as here:
        stays = await here.visit("application:a/stays")
        for number in range(5):
            page = await here.visit(f"application:a/x{number}")
            assert page.of("bye") == []
            await here.close(page)
        again = await here.visit("application:a/x4")
        assert again.of("bye") == []
        assert (await here.visit("application:a/y")).of("bye") == [{"reason": "full"}]
        assert stays.of("bye") == []
        here.source.tell("application:a/stays", "x", 1)
        here.source.tell("application:a/x4", "x", 1)
        await asyncio.sleep(1)
        assert stays.of("change")
        assert again.of("change")


@virtually
async def test_before_a_port_ends_pages_are_told_to_come_back():
    async with world() as here:
        pages = [await here.visit(who=f"user{number}") for number in range(5)]
        await here.live.drain()
        assert all(page.of("bye") == [{"reason": "drain"}] and page.ended for page in pages)
        assert len({page.retry_ms for page in pages}) > 1
        with pytest.raises(Throttled):
            await here.ask()


@virtually
async def test_a_page_that_does_not_take_its_goodbye_is_not_waited_for():
    async with world() as here:
        page = await here.visit()
        page.taking.clear()
        here.source.tell("applications", "x", 1)
        await asyncio.sleep(1)
        began_s = here.clock.monotonic()
        await here.live.drain()
        assert here.clock.monotonic() - began_s == pytest.approx(1)
        page.taking.set()


@virtually
async def test_before_the_part_runs_nobody_listens():
    async with world() as here:
        here.live._hub._tasks = None
        page = await here.visit()
        assert page.of("bye") == [{"reason": "full"}]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("", "no topic"),
        (",,", "no topic"),
        ("applications,nothing", "no such topic"),
        ("application:", "no such topic"),
        ("applications:x", "no such topic"),
        ("application:" + "x" * 1000, "no such topic"),
        (",".join(f"application:a/{number}" for number in range(65)), "more than 64"),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(asked, why):
    @virtually
    async def refused():
        async with world() as here:
            with pytest.raises(InvalidInput, match=why) as caught:
                await here.ask(asked)
            assert caught.value.hint == "Topics are application:NAME, applications, changes."

    refused()


@virtually
async def test_whoever_does_not_say_who_they_are_hears_nothing():
    async with world() as here:
        with pytest.raises(Unauthenticated):
            await here.ask(who="")


def test_a_topic_comes_from_one_room():
    topics = Topics()
    topics.add("applications", object())
    with pytest.raises(ValueError, match="two rooms"):
        topics.add("applications", object())


@virtually
async def test_whatever_is_in_a_name_stays_inside_of_its_event():
    async with world() as here:
        page = await here.visit()
        hostile = 'x\n\nevent: bye\r\ndata: {"reason":"session"}\n\n\u2028'
        here.source.tell("applications", hostile, {"note": hostile})
        await asyncio.sleep(1)
        assert page.changes == [(hostile, "MODIFIED", {"note": hostile})]
        assert page.of("bye") == []


@virtually
async def test_an_object_that_is_too_large_is_not_sent():
    async with world() as here:
        page = await here.visit()
        here.source.tell("applications", "x", "y" * wire.MOST_BYTES)
        await asyncio.sleep(1)
        assert page.of("change") == [{"topic": "applications", "key": "x", "kind": "MODIFIED", "omitted": True}]


@virtually
async def test_the_ring_holds_no_more_than_its_bytes():
    async with world() as here:
        made = here.live._hub.ring
        made._most_bytes = 100_000
        page = await here.visit()
        for number in range(50):
            here.source.tell("applications", f"k{number}", "x" * 10_000)
            await asyncio.sleep(0.3)
        assert len(page.changes) == 50
        assert len(made) < 12
        assert made._bytes <= 100_000


def test_pieces_for_many_kinds_of_pages_do_not_pile_up():
    pieces = Pieces()
    for number in range(100):
        assert pieces.get(1, number) is None
        pieces.keep(number, (b"x" * 100_000, 1))
        assert pieces.get(1, number) is not None
    assert len(pieces._known) < 50
    assert pieces.get(2, 99) is None


def test_what_fell_out_of_the_ring_does_not_weigh():
    made = ring.Ring("e", most=1)
    made.put("t", None, "gap")
    (old,) = made.after(0, {"t"})
    made.put("t", None, "gap")
    before = made._bytes
    assert b"event: reset" in old.shown(lambda *_: True)
    assert made._bytes == before
