"""The language that most rules are written in."""

import pytest

from plumbline.kube.health import Health, Status
from plumbline.kube.health.messages import render
from plumbline.kube.health.rules import (
    Stale,
    all_true,
    by_condition,
    by_field,
    conditions_at,
    degraded,
    evaluate,
    having,
    healthy,
    lacking,
    match,
    missing,
    note,
    on,
    progressing,
    suspended,
    unknown,
)


def reporting(*conditions):
    names = ("type", "status", "reason", "message")
    found = [dict(zip(names, condition.split(" ", 3), strict=False)) for condition in conditions]
    return {"status": {"conditions": found}}


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        ("True", "True", True),
        ("True", "False", False),
        ("True", None, False),
        ("A|B", "B", True),
        ("!True", "False", True),
        ("!True", None, True),
        ("!True", "True", False),
        ("!A|B", "B", False),
        ("!", "anything", True),
        ("!", "", False),
        ("!", None, False),
        ("true", True, True),
        ("3", 3, True),
        ("3", [3], False),
    ],
)
def test_a_match_is_written_as_text(pattern, value, matches):
    assert match(pattern)(value) is matches


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("plain", "plain"),
        ("{message}", "hot"),
        ("{reason}: {message}", "Fire: hot"),
        ("{absent}", ""),
        ("{absent,message}", "hot"),
        ("{absent|none given}", "none given"),
        ("{empty|none given}", "none given"),
        ("at {.status.phase} of {.kind}", "at Two of Oven"),
        ("{.status.count} and {.status.share}", "3 and 0.5"),
        ("{.status.list}", "a, b"),
        ("{.status}", ""),
        ("{.status.on}", "true"),
    ],
)
def test_blanks_of_a_message_are_filled_from_the_condition_and_the_object(template, said):
    condition = {"message": "hot", "reason": "Fire", "empty": ""}
    status = {"phase": "Two", "count": 3, "share": 0.5, "list": ["a", "b"], "on": True}
    assert render(template, {"kind": "Oven", "status": status}, condition) == said


def test_the_first_step_with_an_answer_gives_it():
    rule = (by_field("status.phase", {"A": healthy("a")}), by_field("status.phase", {"A|B": degraded("b")}))
    assert evaluate(rule, {"status": {"phase": "A"}}) == Health(Status.HEALTHY, "a")
    assert evaluate(rule, {"status": {"phase": "B"}}) == Health(Status.DEGRADED, "b")
    assert evaluate(rule, {"status": {"phase": "C"}}) is None


def test_the_order_of_the_object_decides_between_conditions():
    step = by_condition(on("A", "True", healthy("a")), on("B", "True", degraded("b")))
    assert step(reporting("B True", "A True")).message == "b"
    assert step(reporting("A True", "B True")).message == "a"
    assert step(reporting("A False")) is None


def test_a_note_stands_until_something_later_says_more():
    step = by_condition(on("Bad", "True", degraded("bad")), note("Good", "True", healthy("good")))
    assert step(reporting("Good True")).message == "good"
    assert step(reporting("Good True", "Bad True")).message == "bad"
    assert step(reporting("Bad True", "Good True")).message == "bad"


def test_conditions_may_live_elsewhere():
    step = conditions_at("status.nodes", on("", "", degraded("{name} is off"), ready="!true"))
    assert step({"status": {"nodes": [{"ready": True}, {"name": "b"}]}}).message == "b is off"


def test_a_field_is_something_known_something_else_or_absent():
    step = by_field("a.b", {"Up|3": healthy(), "true": progressing()}, otherwise=unknown(), absent=missing())
    found = [step({"a": {"b": value}}).status for value in ("Up", 3, True, "Gone", {}, None)]
    assert found == ["Healthy", "Healthy", "Progressing", "Unknown", "Unknown", "Missing"]


def test_presence_and_absence_decide_alone():
    assert having("a.b", suspended())({"a": {"b": {}}}).status is Status.SUSPENDED
    assert having("a.b", suspended())({"a": {"b": None}}) is None
    assert lacking("a.b", suspended())({"a": []}).status is Status.SUSPENDED
    assert lacking("a.b", suspended())({"a": {"b": False}}) is None


def test_all_conditions_together_decide():
    step = all_true("A", "B", then=healthy())
    assert step(reporting("B True", "A True", "C False")) == Health(Status.HEALTHY)
    assert step(reporting("A True")) is None


@pytest.mark.parametrize(
    ("generation", "observed", "late", "late_if_required"),
    [(2, 2, False, False), (2, 1, True, True), (2, None, False, True), (None, 1, False, True), (1, 2, True, True)],
)
def test_a_report_on_another_generation_is_late(generation, observed, late, late_if_required):
    obj = {"metadata": {"generation": generation}, "status": {"observedGeneration": observed}}
    assert (Stale("wait")(obj) is not None) is late
    assert (Stale("wait", required=True)(obj) == Health(Status.PROGRESSING, "wait")) is late_if_required
