"""Killed just before and just after every single write: the end is the same, and nothing was done twice."""

from functools import cache

import pytest

from plumbline.kernel.faults.simulation import Plan, differences

from .scenarios import Departing, Healing, Pushing, RollingBack, Superseding, Syncing
from .stage import day

SCENARIOS = (Syncing, Departing, RollingBack, Superseding, Healing, Pushing)
SIDES = ("before", "after")
ORDERED = frozenset({"one", "zero", "first"})
"""Each in a wave of its own."""


@cache
def calm(scenario):
    return day(scenario)


def extra(expected, actual):
    """What was done to objects more often, or less, than on a day when nobody was killed."""
    found = [
        f"{key}: {actual.writes.get(key, 0)} times instead of {expected.writes.get(key, 0)}"
        for key in expected.writes.keys() | actual.writes.keys()
        if expected.writes.get(key) != actual.writes.get(key)
    ]
    if expected.jobs != actual.jobs:
        found.append(f"Jobs ran {actual.jobs} instead of {expected.jobs}")
    if [each for each in actual.deleted if each in ORDERED] != [each for each in expected.deleted if each in ORDERED]:
        found.append(f"deleted in the order {actual.deleted} instead of {expected.deleted}")
    if sorted(expected.cluster.applies) != sorted(actual.cluster.applies):
        found.append(f"asked for {actual.cluster.applies} instead of {expected.cluster.applies}")
    return found


def survived(scenario, plan):
    expected, actual = calm(scenario), day(scenario, plan)
    if scenario.remembered:
        wrong = differences(expected.result, actual.result)
    else:  # a correction is written down with its end: that record, and nothing else, can be lost
        wrong = differences(expected.without_records("operationState"), actual.without_records("operationState"))
    wrong += extra(expected, actual)
    return wrong if actual.result.deaths == 1 else [*wrong, f"died {actual.result.deaths} times"]


def _runs():
    """All of them; those that take long and differ little from others go with the slow tests."""
    for scenario in SCENARIOS:
        for side in SIDES:
            slow = (scenario, side) not in {(Syncing, "after"), (Pushing, "after")}
            marks = (pytest.mark.conformance,) if slow else ()
            yield pytest.param(scenario, side, id=f"{scenario.__name__}-{side}", marks=marks)


@pytest.mark.parametrize(("scenario", "side"), list(_runs()))
def test_a_kill_beside_any_write_changes_nothing_of_the_end_and_repeats_nothing(scenario, side):
    points = range(1, calm(scenario).result.writes + 1)
    wrong = {number: found for number in points if (found := survived(scenario, Plan(3, kill_at=(number, side))))}
    assert wrong == {}


def test_a_sync_with_waves_hooks_and_prunes_ends_well_and_is_remembered_once():
    status = calm(Syncing).application["status"]
    assert (status["sync"]["status"], status["health"]["status"]) == ("Synced", "Healthy")
    assert status["operationState"]["phase"] == "Succeeded"
    assert len(status["history"]) == 1
    assert calm(Syncing).jobs == {"before": 1, "after": 1}
    assert sorted(calm(Syncing).deleted) == ["old", "older"]


def test_what_an_application_delivered_goes_in_the_reverse_of_its_order():
    first, *middle, last = calm(Departing).deleted
    assert (first, sorted(middle), last) == ("one", ["other", "zero"], "first")
    assert ("applications", "argocd", "web") not in calm(Departing).result.state


def test_there_are_enough_points_to_be_killed_at():
    assert sum(calm(each).result.writes for each in SCENARIOS) * len(SIDES) >= 120
