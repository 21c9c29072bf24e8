"""Killed beside every write and every call to the cloud, and through storms: one thing for each object, and none left behind."""

import os
from functools import cache

import pytest

from plumbline.kernel.faults.simulation import Plan, differences, storm
from plumbline.kernel.faults.weather import Weather

from .stage import Managing, day

STORMS = int(os.environ.get("PLUMBLINE_STORMS", "8"))
PASSWORD = {"name": "orders-password", "key": "password", "namespace": "shop"}
MOST = 15
"""How many times the writes of a calm day a storm may cost, writes that never arrived among them."""


class Growing(Managing):
    """Everything is made, referred to, changed."""

    async def deeds(self, people):
        conn = {"writeConnectionSecretToRef": {"name": "orders-conn", "namespace": "shop"}}
        await people.create(
            "databases", "orders", spec=conn, networkIdRef={"name": "blue"},
            autoGeneratePassword=True, passwordSecretRef=PASSWORD,
        )  # fmt: skip
        await people.create("stores", "photos", size=3)
        await people.create("networks", "blue")
        await people.ready("stores", "photos")
        await people.patch("stores", "photos", {"spec": {"forProvider": {"size": 7}}})
        await people.ready("databases", "orders")


class Leaving(Managing):
    """Everything is made and taken away again, one thing before it is even there."""

    shows_after_s = 4.0

    async def deeds(self, people):
        await people.create("stores", "photos")
        await people.create("networks", "blue")
        await people.ready("networks", "blue")
        await people.ready("stores", "photos")
        await people.create("networks", "brief")
        await people.delete("stores", "photos")
        await people.delete("networks", "brief")
        await people.delete("networks", "blue")
        for short, name in (("stores", "photos"), ("networks", "blue"), ("networks", "brief")):
            await people.gone(short, name)


SCENARIOS = (Growing, Leaving)


@cache
def calm(scenario):
    return day(scenario)


def wrong(scenario, found):
    """What people could tell from a calm day; and that nothing was made twice."""
    expected = calm(scenario)
    errors = differences(expected.result, found.result)
    if found.things != expected.things:
        errors.append(f"the cloud has {found.things} instead of {expected.things}")
    errors += [f"{name} was made {count} times" for name, count in found.cloud.made.items() if count > 1]
    return errors


def test_a_calm_day_ends_with_everything_as_it_should_be():
    assert [each[0] for each in calm(Growing).things] == ["Database", "Network", "Store"]
    assert calm(Leaving).things == []
    assert calm(Growing).result.deaths == 0
    secrets = {name: obj["keys"] for (kind, _, name), obj in calm(Growing).result.state.items() if kind == "secrets"}
    assert secrets == {"orders-conn": ["endpoint", "password", "port"], "orders-password": ["password"]}


@pytest.mark.parametrize("side", [pytest.param("before", marks=pytest.mark.conformance), "after"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_beside_any_write_makes_nothing_twice_and_leaves_nothing_behind(scenario, side):
    points = range(1, calm(scenario).result.writes + 1)
    found = {number: errors for number in points if (errors := wrong(scenario, day(scenario, Plan(3, kill_at=(number, side)))))}  # fmt: skip
    assert found == {}


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_beside_any_call_to_the_cloud_makes_nothing_twice_and_leaves_nothing_behind(scenario, side):
    calls = calm(scenario).cloud.calls
    points = range(1, calls["create"] + calls["update"] + calls["delete"] + 1)
    for number in points:
        found = day(scenario, Plan(3), kill=(number, side))
        assert found.result.deaths == 1, number
        assert wrong(scenario, found) == [], number


@pytest.mark.parametrize("seed", range(1, STORMS + 1))
def test_a_storm_ends_as_a_calm_day_does(seed):
    scenario = SCENARIOS[seed % len(SCENARIOS)]
    found = day(scenario, storm(seed))
    assert wrong(scenario, found) == []
    assert found.result.writes <= MOST * calm(scenario).result.writes


@pytest.mark.parametrize("weather", [Weather(lost_reply=0.3), Weather(conflict=0.3), Weather(event_delay_s=20, event_skipped=0.9)], ids=["lost replies", "conflicts", "late events"])  # fmt: skip
def test_any_one_kind_of_fault_alone(weather):
    assert wrong(Growing, day(Growing, Plan(2, weather))) == []
