"""Answers that are slow or lost, and watches that are late: each sync is done once, and is on record once."""

import pytest

from plumbline.kernel.faults.simulation import Plan
from plumbline.kernel.faults.weather import Weather

from .scenarios import Pushing, Replacing, Syncing
from .stage import day
from .test_kills import calm

SEEDS = range(1, 41)
QUICK = 2
LATE = {
    "slow answers, late watches": Weather(latency_s=2.0, event_delay_s=20.0),
    "events in any order": Weather(event_delay_s=10.0, event_repeated=0.5, event_skipped=0.5, events_swapped=0.5),
    "watches that end": Weather(latency_s=0.5, event_delay_s=5.0, watch_closed=0.3, watch_expired=0.3),
    "conflicts": Weather(latency_s=0.5, event_delay_s=5.0, conflict=0.2),
    "lost answers": Weather(latency_s=0.5, event_delay_s=5.0, lost_reply=0.2),
}
ASKED_AGAIN = frozenset({"conflicts", "lost answers"})
"""Under these an apply that may not have arrived is sent again; it changes nothing then."""


def _days():
    for scenario in (Pushing, Syncing):
        for name in LATE:
            for seed in SEEDS:
                marks = () if seed <= QUICK and scenario is Pushing else pytest.mark.conformance
                yield pytest.param(scenario, name, seed, marks=marks, id=f"{scenario.__name__}-{name}-{seed}")


@pytest.mark.parametrize(("scenario", "name", "seed"), list(_days()))
def test_each_sync_is_on_record_once_and_nothing_is_applied_for_it_twice(scenario, name, seed):
    expected, found = calm(scenario), day(scenario, Plan(seed, LATE[name]))
    assert found.history == expected.history
    assert found.writes == expected.writes
    assert found.jobs == expected.jobs
    if name not in ASKED_AGAIN:
        assert sorted(found.cluster.applies) == sorted(expected.cluster.applies)


LOST = Weather(event_delay_s=20.0, lost_reply=0.2)
MOST = 4
"""How many times the writes of a calm day may be asked for: each that is lost is asked for again, up to four times."""


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=() if seed <= QUICK else pytest.mark.conformance) for seed in SEEDS])  # fmt: skip
def test_nobody_decides_again_and_again_on_what_a_late_watch_shows(seed):
    expected, found = calm(Replacing), day(Replacing, Plan(seed, LOST))
    assert found.history == expected.history
    assert found.writes == expected.writes
    assert len(found.cluster.applies) <= MOST * len(expected.cluster.applies)
    assert found.result.writes <= MOST * expected.result.writes
