"""Lost replies, conflicts, broken watches, kills and clock jumps all at once: the end is that of a calm day."""

import os
from functools import cache

import pytest

from plumbline.kernel.faults.simulation import Plan, differences, storm

from .stage import Claiming, day

STORMS = int(os.environ.get("PLUMBLINE_STORMS", "8"))
MOST = 15


@cache
def calm():
    return day(Claiming)


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_as_a_calm_day_does(seed):
    stormy = day(Claiming, storm(seed))
    assert differences(calm(), stormy) == []
    assert stormy.writes <= MOST * calm().writes


def test_a_calm_day_makes_what_was_asked_for_and_nothing_twice():
    made = {key[1:]: count for key, count in calm().changes.items() if key[0] == "ADDED"}
    assert set(made.values()) == {1}
    assert {resource for resource, *_ in made} == {"databases", "xdatabases", "configmaps"}


@pytest.mark.conformance
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_kill_beside_any_write_changes_nothing_in_the_end(side):
    for write in range(1, calm().writes + 1):
        killed = day(Claiming, Plan(1, kill_at=(write, side)))
        assert differences(calm(), killed) == [], f"killed {side} write {write}"
