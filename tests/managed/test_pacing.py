"""When things are looked at again: evenly, hastily, patiently."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.clock import VirtualClock
from plumbline.managed.pacing import Haste, Throttles, poll_s, spread, until_slot_s

from .town import story


def test_five_thousand_polls_are_spread_evenly_over_the_interval():
    seconds = Counter(int(until_slot_s(12345.0, 600.0, spread("kind", f"n{index}")) % 600) for index in range(5000))
    busiest = max(seconds.values())
    assert busiest <= 25  # 8.3 on average
    tenths = Counter(second // 60 for second in seconds.elements())
    assert all(400 <= count <= 600 for count in tenths.values())


@given(st.floats(0, 1e6), st.floats(1, 3600), st.floats(0, 1, exclude_max=True))
def test_the_next_turn_is_never_at_once_and_never_much_later_than_the_interval(now_s, every_s, place):
    wait_s = until_slot_s(now_s, every_s, place)
    assert every_s * 0.09 <= wait_s <= every_s * 1.11
    again_s = until_slot_s(now_s + wait_s, every_s, place)
    assert again_s == pytest.approx(every_s, rel=1e-3)


@pytest.mark.parametrize(
    ("said", "expect", "why"),
    [
        (None, 600.0, "nothing said"),
        ("1m", 60.0, "said"),
        ("10ms", 1.0, "no faster than every second"),
        ("soon", 600.0, "nonsense"),
        ("-5m", 600.0, "backwards"),
    ],
)
def test_people_may_ask_for_another_interval(said, expect, why):
    assert poll_s({"crossplane.io/poll-interval": said} if said else {}, 600.0) == expect, why


def test_haste_grows_tired_and_starts_anew_with_another_state():
    haste = Haste()
    waits = [haste.next_s("a", "Creating") for _ in range(12)]
    assert waits[0] == 1.0
    assert waits[-1] == 30.0
    assert waits == sorted(waits)
    assert haste.next_s("a", "Deleting") == 1.0
    haste.forget("a")
    assert haste.next_s("a", "Deleting") == 1.0


async def test_a_throttled_config_waits_longer_each_time_and_recovers():
    clock = VirtualClock()
    throttles = Throttles(clock)
    assert throttles.left_s("c", 0.5) == 0.0
    assert throttles.slow_down("c", 2.0) == 2.0
    assert throttles.slow_down("c", 2.0) == 2.0  # another call of the same moment
    assert 2.0 < throttles.left_s("c", 0.5) <= 3.0
    await clock.advance(3)
    assert throttles.slow_down("c", 2.0) == 4.0
    await clock.advance(100)
    assert throttles.slow_down("c", 2.0) == 2.0
    assert throttles.left_s("other", 0.0) == 0.0


@story()
async def test_polls_of_many_do_not_come_together(town):
    for index in range(60):
        await town.create("networks", f"n{index}")
    for index in range(60):
        await town.ready("networks", f"n{index}")
    await town.settle(700)
    per_minute = []
    for _ in range(10):
        before = town.cloud.calls["observe"]
        await town.settle(60)
        per_minute.append(town.cloud.calls["observe"] - before)
    assert sum(per_minute) == 60
    assert max(per_minute) <= 15


@story()
async def test_somebody_who_asks_for_a_look_gets_one(town):
    await town.create("networks", "blue")
    await town.ready("networks", "blue")
    await town.settle(30)
    looks = town.cloud.calls["observe"]
    await town.patch("networks", "blue", {"metadata": {"annotations": {"crossplane.io/reconcile-requested-at": "now"}}})
    await town.settle(2)
    assert town.cloud.calls["observe"] == looks + 1
    assert (await town.get("networks", "blue"))["status"]["lastHandledReconcileAt"] == "now"
    assert (await town.events("blue"))[-1][0] == "ReconcileRequestHandled"
