import asyncio

import pytest

from bench.delivery.progress import Applications, Goal, Status, status_of
from bench.delivery.values import Values
from plumbline.base.json import encode

WHOLE = {
    "sync": {"status": "Synced", "revision": "abc"},
    "health": {"status": "Healthy"},
    "operationState": {"phase": "Succeeded"},
    "resources": [{"kind": "ConfigMap"}] * 5,
    "history": [{"id": 0}],
}


def status(**changes):
    return status_of(encode({"metadata": {"name": "a"}, "status": WHOLE | changes}))


@pytest.mark.parametrize(
    ("changes", "at_revision", "whole", "why"),
    [
        ({}, True, True, "everything is there"),
        ({"sync": {"status": "OutOfSync", "revision": "abc"}}, False, False, "not in sync"),
        ({"sync": {"status": "Synced", "revision": "abd"}}, False, False, "in sync with another commit"),
        ({"health": {"status": "Progressing"}}, True, False, "not healthy yet"),
        ({"resources": [{}] * 4}, True, False, "an object is missing"),
        ({"operationState": {"phase": "Running"}}, True, False, "still at it"),
        ({"history": []}, True, False, "not written down"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_application_is_there_when_its_status_says_so(changes, at_revision, whole, why):
    assert Goal("abc", 1).met_by(status(**changes)) is at_revision, why
    assert Goal("abc", 1, objects=5).met_by(status(**changes)) is whole, why


def test_an_application_without_status_is_nowhere():
    assert status_of(b'{"metadata":{"name":"a"}}') == Status()
    assert not Goal("", 1).met_by(Status())


def test_time_is_that_of_the_event_that_completed_it():
    goal = Goal("abc", 3)
    for name, at_s in (("a", 1.0), ("a", 2.0), ("b", 3.0), ("c", 5.0), ("c", 9.0)):
        goal.saw(name, status(), at_s)
    assert (goal.first_at_s, goal.half_at_s, goal.done_at_s, goal.reached) == (1.0, 3.0, 5.0, 3)


def test_one_that_leaves_again_must_come_back():
    goal = Goal("abc", 2)
    goal.saw("a", status(), 1.0)
    goal.saw("a", status(sync={"status": "OutOfSync", "revision": "abc"}), 2.0)
    goal.saw("b", status(), 3.0)
    assert goal.done_at_s is None
    goal.saw("a", status(), 4.0)
    assert goal.done_at_s == 4.0


async def test_a_goal_that_was_reached_before_it_was_set_is_reached():
    applications = Applications()
    applications.saw("a", status(), 1.0)
    goal = applications.aim(Goal("abc", 1))
    await applications.reached()
    assert goal.done_at_s is not None


async def test_waiting_ends_with_the_last_application_and_says_who_is_behind():
    applications = Applications()
    applications.aim(Goal("abc", 2))
    applications.saw("a", status(), 1.0)
    failing = status(
        sync={"status": "Unknown"}, conditions=[{"type": "ComparisonError", "message": "no such path"}], resources=[]
    )
    applications.saw("b", failing, 2.0)
    said = applications.behind()
    assert set(said) == {"b"}
    assert "ComparisonError: no such path" in said["b"]
    waiting = asyncio.ensure_future(applications.reached())
    await asyncio.sleep(0)
    assert not waiting.done()
    applications.saw("b", status(), 3.0)
    await waiting
    assert applications.events == 3


async def test_values_are_asked_about_in_the_order_in_which_they_were_seen():
    values = Values()
    for at_s, payload in ((1.0, "x"), (2.0, "drifted"), (3.0, "drifted"), (4.0, "x")):
        values.saw(encode({"data": {"payload": payload}}), at_s)
    assert await values.until(lambda seen: seen["payload"] == "drifted") == 2.0
    assert await values.until(lambda seen: seen["payload"] == "x") == 4.0
