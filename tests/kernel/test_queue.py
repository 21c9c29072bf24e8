"""The queue is fair, holds a key once, gives it to one worker, and is patient with keys that fail."""

import asyncio
import sys

from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.queue import LONGEST_BACKOFF_S, Priority, Queue


def queue():
    return Queue(LoopClock(), Ids(1))


async def drained(asked):
    taken = []
    while len(asked):
        key, _ = await asked.take()
        taken.append(key)
        asked.done(key)
    return taken


def virtually(story):
    """A test whose waits are virtual."""

    def run():
        return run_virtually(story)

    run.__name__ = story.__name__
    return run


@virtually
async def test_a_key_that_is_asked_for_many_times_is_looked_at_once():
    asked = queue()
    for _ in range(3):
        asked.add("a")
    asked.add("b")
    assert await drained(asked) == ["a", "b"]


@virtually
async def test_what_people_wait_for_goes_first():
    asked = queue()
    asked.add("poll", Priority.POLL)
    asked.add("drift", Priority.DRIFT)
    asked.add("user", Priority.USER)
    assert await drained(asked) == ["user", "drift", "poll"]


@virtually
async def test_asking_with_more_urgency_moves_a_key_forward():
    asked = queue()
    asked.add("slow", Priority.POLL)
    asked.add("other", Priority.DRIFT)
    asked.add("slow", Priority.USER)
    assert await drained(asked) == ["slow", "other"]


@virtually
async def test_nobody_starves_behind_a_stream_of_urgent_keys():
    asked = queue()
    asked.add("patient", Priority.POLL)
    turns = 0
    for number in range(100):
        asked.add(number, Priority.USER)
        key, _ = await asked.take()
        asked.done(key)
        turns += 1
        if key == "patient":
            break
    assert turns <= 10


@virtually
async def test_a_key_asked_for_while_it_is_looked_at_is_looked_at_again_after():
    asked = queue()
    asked.add("a")
    key, _ = await asked.take()
    asked.add("a", Priority.POLL)
    asked.add("a", Priority.USER)
    assert len(asked) == 0, "one worker at a time"
    asked.done(key)
    assert await drained(asked) == ["a"]


@virtually
async def test_failures_wait_longer_each_time_and_success_forgives():
    asked = queue()
    waits = [asked.retry("a") for _ in range(10)]
    assert 0.9 <= waits[0] <= 1.1
    assert waits[1] > waits[0]
    assert max(waits) <= LONGEST_BACKOFF_S * 1.1
    asked.forgive("a")
    assert asked.retry("a") < 2


@virtually
async def test_a_key_that_waits_does_not_delay_the_others():
    asked = queue()
    asked.retry("poison")
    asked.add("a")
    key, waited_s = await asked.take()
    assert (key, waited_s) == ("a", 0)
    asked.done("a")
    key, _ = await asked.take()
    assert key == "poison"


@virtually
async def test_the_sooner_of_two_appointments_counts():
    clock = LoopClock()
    asked = Queue(clock, Ids(1))
    asked.add_after("a", 60)
    asked.add_after("a", 5)
    asked.add_after("a", 30)
    key, _ = await asked.take()
    assert (key, clock.monotonic()) == ("a", 5)
    asked.done("a")
    asked.add("z")
    assert (await asked.take())[0] == "z", "the later appointments are off"


@virtually
async def test_appointments_that_events_made_unnecessary_take_no_room():
    asked = queue()
    for turn in range(1_000):
        for key in "abc":
            asked.add_after(key, 86_400 + turn % 7)
            asked.add(key)
        assert sorted(await drained(asked)) == ["a", "b", "c"]
    for key in "abc":
        asked.add_after(key, 60)
    assert sys.getsizeof(asked._later) < 2_000
    assert {(await asked.take())[0] for _ in "abc"} == {"a", "b", "c"}, "those that count are kept"


@virtually
async def test_an_event_makes_an_appointment_unnecessary():
    asked = queue()
    asked.add_after("a", 60)
    asked.add("a")
    assert await drained(asked) == ["a"]
    asked.add_after("b", 100)
    assert (await asked.take())[0] == "b"


@virtually
async def test_a_forgotten_key_does_not_come_back():
    asked = queue()
    asked.retry("gone")
    asked.forget("gone")
    asked.add_after("b", 100)
    assert (await asked.take())[0] == "b"


class Tired(Queue):
    """Counts how often somebody looks for a key and finds none."""

    in_vain = 0

    def _next(self):
        found = super()._next()
        self.in_vain += found is None
        return found


@virtually
async def test_a_key_that_comes_rouses_one_worker_and_not_all():
    asked, taken = Tired(LoopClock(), Ids(1)), []

    async def work():
        while (found := await asked.take()) is not None:
            taken.append(found[0])
            asked.done(found[0])

    async with task_group() as group:
        for _ in range(32):
            group.create_task(work())
        await asyncio.sleep(1)
        before = asked.in_vain
        for key in "abc":
            asked.add(key)
            await asyncio.sleep(1)
        assert asked.in_vain - before == 3, "each who was roused and has done it looks once more"
        asked.close()
    assert taken == ["a", "b", "c"]


@virtually
async def test_an_appointment_is_kept_while_whoever_waited_for_it_works():
    asked, taken = queue(), []

    async def work():
        while (found := await asked.take()) is not None:
            taken.append(found[0])
            await asyncio.sleep(60 if found[0] == "slow" else 0)
            asked.done(found[0])

    async with task_group() as group:
        for _ in range(2):
            group.create_task(work())
        await asyncio.sleep(1)
        asked.add_after("appointed", 10)
        asked.add("slow")
        await asyncio.sleep(11)
        assert taken == ["slow", "appointed"]
        asked.close()


@virtually
async def test_a_worker_that_is_cancelled_when_roused_passes_it_on():
    asked = queue()
    first, second = asyncio.ensure_future(asked.take()), asyncio.ensure_future(asked.take())
    await asyncio.sleep(1)
    asked.add("a")
    first.cancel()
    assert (await second)[0] == "a"


@virtually
async def test_a_closed_queue_gives_nothing_more():
    asked = queue()
    asked.add("a")
    asked.close()
    assert await asked.take() is None


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(list(Priority)))))
def test_every_key_that_was_asked_for_is_looked_at_exactly_once(asks):
    async def story():
        asked = queue()
        for key, priority in asks:
            asked.add(key, priority)
        return await drained(asked)

    taken = run_virtually(story)
    assert sorted(taken) == sorted({key for key, _ in asks})
