"""Events wait for a quiet moment, but not for ever, and none is lost on the way out."""

import asyncio

from plumbline.base.clock import rfc3339
from plumbline.base.errors import AlreadyExists, Unreachable
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.reconciler import Event
from plumbline.kernel.telling import PATIENCE_S, Teller

OBJECT = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "a", "namespace": "shop", "uid": "u", "resourceVersion": "7", "managedFields": []},
    "data": {},
}


class Written:
    """Records that remember what was emitted, and when."""

    def __init__(self, clock):
        self._clock = clock
        self.at_s = {}
        self.events = []
        self.objects = []
        self.failing = None

    async def emit(self, obj, event):
        self.at_s[event.reason] = self._clock.monotonic()
        self.objects.append(obj)
        if self.failing is not None:
            raise self.failing
        self.events.append(event)


class Rush:
    """A teller whose controller is busy until told otherwise."""

    def __init__(self):
        self.clock = LoopClock()
        self.written = Written(self.clock)
        self.busy = True
        self.teller = Teller(self.written, self.clock, lambda: self.busy)

    def tell(self, *reasons):
        for reason in reasons:
            self.teller.tell(OBJECT, Event(reason, "It happened"))

    def told(self):
        return [event.reason for event in self.written.events]


def virtually(story):
    def run():
        async def main():
            rush = Rush()
            async with task_group() as group:
                group.create_task(rush.teller.run())
                await story(rush)
                rush.teller.close()

        run_virtually(main)

    run.__name__ = story.__name__
    return run


@virtually
async def test_events_are_written_when_the_rush_is_over_in_their_order(rush):
    rush.tell("First", "Second")
    await asyncio.sleep(3)
    assert rush.told() == []
    rush.busy = False
    await asyncio.sleep(1)
    assert rush.told() == ["First", "Second"]


@virtually
async def test_a_quiet_controller_tells_at_once(rush):
    rush.busy = False
    await asyncio.sleep(1)
    began_s = rush.clock.monotonic()
    rush.tell("Synced")
    await asyncio.sleep(1)
    assert rush.written.at_s["Synced"] == began_s


@virtually
async def test_a_rush_without_end_does_not_keep_events_back_for_ever(rush):
    rush.tell("Synced")
    await asyncio.sleep(PATIENCE_S + 1)
    assert rush.told() == ["Synced"]


@virtually
async def test_an_event_says_when_it_happened_and_of_which_object_and_no_more(rush):
    happened = rfc3339(rush.clock.now())
    rush.tell("Synced")
    await asyncio.sleep(PATIENCE_S + 1)
    assert rush.written.events[0].at == happened
    metadata = {name: value for name, value in OBJECT["metadata"].items() if name != "managedFields"}
    assert rush.written.objects == [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}]


@virtually
async def test_an_event_may_be_told_elsewhere(rush):
    rush.busy = False
    elsewhere = Written(rush.clock)
    rush.teller.tell(OBJECT, Event("Ran", "It happened"), elsewhere)
    await asyncio.sleep(1)
    assert [event.reason for event in elsewhere.events] == ["Ran"]
    assert rush.told() == []


def test_what_is_pending_is_told_on_the_way_out():
    async def main():
        rush = Rush()
        rush.tell("First", "Second")
        rush.teller.close()
        await rush.teller.run()
        return rush.told()

    assert run_virtually(main) == ["First", "Second"]


@virtually
async def test_an_event_that_cannot_be_written_stops_nothing(rush):
    rush.busy = False
    for failure in (AlreadyExists("it is there"), Unreachable("nobody answers"), KeyError("a bug")):
        rush.written.failing = failure
        rush.tell("Lost")
        await asyncio.sleep(1)
    rush.written.failing = None
    rush.tell("Synced")
    await asyncio.sleep(1)
    assert rush.told() == ["Synced"]
