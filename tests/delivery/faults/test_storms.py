"""Lost replies, conflicts, broken and late watches, kills and clock jumps all at once: the end is that of a calm day."""

import os

import pytest

from plumbline.kernel.faults.simulation import Plan, differences, storm
from plumbline.kernel.faults.weather import Weather

from .scenarios import Syncing
from .stage import day
from .test_kills import SCENARIOS, calm

STORMS = int(os.environ.get("PLUMBLINE_STORMS", "25"))
MOST = 15
"""How many times the writes of a calm day a storm may cost, writes that never arrived among them."""


def wrong(scenario, stormy):
    """What people could tell from a calm day. What was noted of the way there may differ; where it led may not."""
    expected = calm(scenario)
    found = differences(expected.without_records(), stormy.without_records())
    if stormy.jobs != expected.jobs:
        found.append(f"Jobs ran {stormy.jobs} instead of {expected.jobs}")
    if stormy.result.writes > MOST * expected.result.writes:
        found.append(f"{stormy.result.writes} writes instead of {expected.result.writes}")
    return found


def _storms():
    """Two of each scenario at once; the others, which differ in the dice alone, go with the slow tests."""
    for seed in range(1, STORMS + 1):
        marks = () if seed <= 2 * len(SCENARIOS) else pytest.mark.conformance
        yield pytest.param(seed, marks=marks)


@pytest.mark.parametrize("seed", list(_storms()))
def test_a_storm_ends_as_a_calm_day_does(seed):
    scenario = SCENARIOS[seed % len(SCENARIOS)]
    assert wrong(scenario, day(scenario, storm(seed))) == []


@pytest.mark.parametrize(
    "weather",
    [
        Weather(lost_reply=0.3),
        Weather(lost_request=0.3),
        Weather(conflict=0.3),
        Weather(throttled=0.3),
        Weather(server_error=0.3),
        Weather(watch_closed=0.5),
        Weather(watch_expired=0.5),
        Weather(event_repeated=0.9, event_skipped=0.9, events_swapped=0.5, event_delay_s=20),
        Weather(paused=0.2),
    ],
    ids=lambda weather: ",".join(name for name in weather.__struct_fields__ if getattr(weather, name) != getattr(Weather(), name)),
)  # fmt: skip
def test_a_sync_survives_any_one_fault_however_often(weather):
    assert wrong(Syncing, day(Syncing, Plan(2, weather))) == []
