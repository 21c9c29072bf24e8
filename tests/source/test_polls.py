"""Repositories that hang, and those that do not: whoever answers is asked in time, whatever the others do."""

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from plumbline.base.errors import ServerFault, Throttled, TimedOut
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.source.followed import Answer, Followed
from plumbline.source.polls import Lanes, Polls
from plumbline.source.repository import Repository
from plumbline.source.rhythm import Rhythm

POLL_S = 120.0
DEADLINE_S = 90.0
PATIENCE_S = 10.0
LANES = Lanes(parallel=4, slow=2, patience_s=PATIENCE_S)


class Server:
    """What the other sides do, and when each of them was asked."""

    def __init__(self):
        self.asked: dict[str, list[float]] = {}
        self.tended = Counter()
        self.takes_s: dict[str, float] = {}
        self.faults = {}
        self.cancelled = Counter()
        self.busy = self.busiest = 0


class Remote:
    known = 1

    def __init__(self, name, server):
        self._name = name
        self._server = server

    async def open(self):
        pass

    async def ask(self, repository, *, trusted):
        server = self._server
        server.asked.setdefault(self._name, []).append(asyncio.get_running_loop().time())
        server.busy += 1
        server.busiest = max(server.busiest, server.busy)
        try:
            async with asyncio.timeout(DEADLINE_S):
                await asyncio.sleep(server.takes_s.get(self._name, 0.1))
        except TimeoutError:
            raise TimedOut("Cannot read it", why="it said nothing") from None
        except asyncio.CancelledError:
            server.cancelled[self._name] += 1
            raise
        finally:
            server.busy -= 1
        if self._name in server.faults:
            raise server.faults[self._name]
        return Answer(proof=True)

    async def tend(self):
        self._server.tended[self._name] += 1


class Town:
    def __init__(self, server, *names, lanes=LANES):
        self.followed = {}
        world = World(LoopClock(), Ids(7), Metrics())
        self.polls = Polls(world, lanes, Rhythm(POLL_S, 0.0), self.followed)
        shared = self.polls.shared(lambda url, project: Repository(url=url, project=project))
        for name in names:
            url = f"https://forge.example/{name}"
            self.followed[name] = Followed(name, url, Remote(name, server), shared)

    @asynccontextmanager
    async def running(self):
        """From the moment at which all of them are due."""
        for name in self.followed:
            self.polls.queue.add(name)
        async with task_group() as group:
            task = group.create_task(self.polls.run())
            yield
            task.cancel()


HUNG = tuple(f"hung-{number}" for number in range(20))


def test_twenty_that_hang_do_not_hold_up_the_one_that_answers():
    async def story():
        server = Server()
        server.takes_s = dict.fromkeys(HUNG, 10_000.0)
        town = Town(server, *HUNG, "healthy")
        async with town.running():
            await asyncio.sleep(3600)
        times = server.asked["healthy"]
        # At first nobody knows that they hang: five rounds of four are waited for, once.
        assert times[0] <= len(HUNG) / LANES.parallel * PATIENCE_S
        late = [second - first - POLL_S for first, second in pairwise(times)]
        assert max(late) <= 1.0
        assert len(times) >= 29
        assert all(town.followed[name].hung for name in HUNG)
        assert min(len(server.asked[name]) for name in HUNG) >= 3, "each of them is tried again and again"
        assert server.busiest <= LANES.parallel + LANES.slow

    run_virtually(story)


def test_many_that_begin_to_hang_at_once_cost_the_others_their_patience_and_no_more():
    async def story():
        server = Server()
        names = [f"healthy-{number}" for number in range(8)]
        town = Town(server, *HUNG, *names)
        async with town.running():
            await asyncio.sleep(600)
            server.takes_s = dict.fromkeys(HUNG, 10_000.0)
            await asyncio.sleep(3000)
        for name in names:
            times = server.asked[name]
            late = [second - first - POLL_S for first, second in pairwise(times)]
            assert max(late) <= len(HUNG) / LANES.parallel * PATIENCE_S + 1.0
            assert sum(each > 1.0 for each in late) <= 1

    run_virtually(story)


def test_those_that_hang_and_refuse_by_turns_hold_up_the_others_no_more_than_those_that_hang():
    class Moody(Remote):
        async def ask(self, repository, *, trusted):
            asked = len(self._server.asked.get(self._name, ()))
            self._server.takes_s[self._name] = 0.1 if asked % 2 else 10_000.0
            return await super().ask(repository, trusted=trusted)

    async def story():
        server = Server()
        town = Town(server, *HUNG, "healthy")
        for name in HUNG:
            server.faults[name] = ServerFault("not now")
            town.followed[name].remote = Moody(name, server)
        async with town.running():
            await asyncio.sleep(3600)
        times = server.asked["healthy"]
        late = [second - first - POLL_S for first, second in pairwise(times)]
        assert max(late[1:]) <= 1.0
        assert min(len(server.asked[name]) for name in HUNG) >= 3, "each of them is tried again and again"

    run_virtually(story)


def test_what_hung_and_answers_again_is_one_of_the_others():
    async def story():
        server = Server()
        server.takes_s = dict.fromkeys(HUNG, 10_000.0)
        town = Town(server, *HUNG)
        async with town.running():
            await asyncio.sleep(1000)
            server.takes_s.clear()
            await asyncio.sleep(1000)
            for followed in town.followed.values():
                assert not followed.hung
                assert followed.state.error is None
            server.asked.clear()
            await asyncio.sleep(1200)
        assert {len(times) for times in server.asked.values()} <= {9, 10, 11}

    run_virtually(story)


def test_one_that_takes_long_is_left_to_finish_and_begins_in_front_again():
    async def story():
        server = Server()
        server.takes_s = {"large": 60.0}
        town = Town(server, "large")
        async with town.running():
            await asyncio.sleep(100)
        assert len(server.asked["large"]) == 1
        assert server.cancelled == {}
        assert not town.followed["large"].hung
        assert town.followed["large"].state.error is None

    run_virtually(story)


def test_where_too_many_take_long_they_are_given_up_and_each_gets_its_time_later():
    async def story():
        server = Server()
        names = [f"large-{number}" for number in range(5)]
        server.takes_s = dict.fromkeys(names, 60.0)
        town = Town(server, *names)
        async with town.running():
            await asyncio.sleep(PATIENCE_S + 1)
            given_up = [each for each in names if server.cancelled[each]]
            assert len(given_up) == LANES.parallel - LANES.slow
            assert all(town.followed[each].state.error.code == TimedOut.code for each in given_up)
            await asyncio.sleep(400)
        assert all(town.followed[each].state.succeeded_at for each in names)
        assert server.cancelled.total() <= len(names)

    run_virtually(story)


def test_what_fails_soon_does_not_hang():
    async def story():
        server = Server()
        server.faults["broken"] = ServerFault("it says that it failed")
        town = Town(server, "broken")
        async with town.running():
            await asyncio.sleep(30)
        assert len(server.asked["broken"]) > 2
        assert not town.followed["broken"].hung
        assert server.tended["broken"] == len(server.asked["broken"])

    run_virtually(story)


def test_who_asks_for_silence_gets_it_from_polls_and_refreshes():
    async def story():
        server = Server()
        server.faults["busy"] = Throttled("come later", after_s=600)
        town = Town(server, "busy")
        async with town.running():
            for _ in range(9):
                await asyncio.sleep(60)
                town.polls.refresh("busy")
            assert len(server.asked["busy"]) == 1
            await asyncio.sleep(120)
        assert len(server.asked["busy"]) == 2

    run_virtually(story)


def test_what_is_forgotten_while_it_waits_for_the_slow_lane_is_not_asked():
    async def story():
        server = Server()
        server.takes_s = dict.fromkeys(HUNG, 10_000.0)
        town = Town(server, *HUNG)
        async with town.running():
            await asyncio.sleep(300)
            waiting = next(iter(town.polls._hung._queue))
            asked = len(server.asked[waiting])
            del town.followed[waiting]
            await asyncio.sleep(3000)
            assert len(server.asked[waiting]) == asked
            assert waiting not in town.polls.queue.working

    run_virtually(story)


def test_who_is_stopped_and_started_again_has_lost_nobody():
    async def story():
        server = Server()
        server.takes_s = dict.fromkeys(HUNG, 10_000.0)
        town = Town(server, *HUNG, "healthy")
        for seconds in (0.0, 5.0, 33.0, 300.0, 301.0):
            async with town.running():
                await asyncio.sleep(seconds)
        server.asked.clear()
        async with town.running():
            await asyncio.sleep(1800)
        assert server.asked.keys() == town.followed.keys()
        assert server.busiest <= LANES.parallel + LANES.slow

    run_virtually(story)


def test_an_exchange_that_is_cancelled_answers_nobody_else():
    """Those who wait for the answer ask themselves instead of taking an old one for it."""

    async def story():
        server = Server()
        town = Town(server, "one")
        followed = town.followed["one"]
        repository = await followed.admitted("")
        server.takes_s["one"] = 5.0
        async with task_group() as group:
            first = group.create_task(followed.exchange(repository))
            await asyncio.sleep(1)
            second = group.create_task(followed.exchange(repository))
            third = group.create_task(followed.exchange(repository))
            await asyncio.sleep(1)
            first.cancel()
            await asyncio.wait((second, third))
        assert len(server.asked["one"]) == 3, "the first, the one that was cancelled, and one for both of the others"

    run_virtually(story)


def test_a_fresh_answer_is_one_to_a_question_put_later_than_the_wish():
    async def story():
        server = Server()
        server.takes_s["one"] = 5.0
        town = Town(server, "one")
        followed = town.followed["one"]
        async with task_group() as group:
            group.create_task(followed.admitted("a"))
            await asyncio.sleep(1)
            group.create_task(followed.renewed("a"))
        assert len(server.asked["one"]) == 2

    run_virtually(story)


@pytest.mark.parametrize("lanes", [Lanes(1, 1, PATIENCE_S), Lanes(32, 16, PATIENCE_S)])
def test_the_promise_holds_for_any_number_of_places(lanes):
    async def story():
        server = Server()
        server.takes_s = dict.fromkeys(HUNG, 10_000.0)
        town = Town(server, *HUNG, "healthy", lanes=lanes)
        async with town.running():
            await asyncio.sleep(3600)
        rounds = -(-len(HUNG) // lanes.parallel)
        assert len(server.asked["healthy"]) >= (3600 - rounds * PATIENCE_S) // (POLL_S + 1)
        assert server.busiest <= lanes.parallel + lanes.slow

    run_virtually(story)
