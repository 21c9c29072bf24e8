"""Conditions are product copy: one order, one answer on top, and no change without a reason."""

from plumbline.kernel.conditions import Conditions, Reported, fold, merged
from plumbline.kernel.outcomes import Done, Stuck, Wait

OWNS = Conditions(reports=("Fetched", "Rendered", "Applied"))


def table(run, generation=3):
    return {each.type: (each.status, each.reason) for each in fold(OWNS, run, generation)}


def test_a_run_that_came_through_is_ready_in_every_respect():
    done = Reported(("Fetched", "Rendered", "Applied"), "", Done())
    assert set(table(done).values()) == {("True", "Succeeded")}


def test_a_run_that_waits_says_where_and_what_was_not_reached():
    assert table(Reported(("Fetched",), "Rendered", Wait("NoChart", "The chart is not there yet"))) == {
        "Fetched": ("True", "Succeeded"),
        "Rendered": ("Unknown", "NoChart"),
        "Applied": ("Unknown", "NotReached"),
        "Ready": ("Unknown", "NoChart"),
    }


def test_a_run_that_is_stuck_is_not_ready():
    assert table(Reported((), "Fetched", Stuck("NoRepository", "There is no such repository")))["Ready"] == (
        "False",
        "NoRepository",
    )


def test_a_step_without_a_report_stops_the_whole():
    assert table(Reported(("Fetched",), "", Stuck("Odd", "It is odd")))["Rendered"] == ("Unknown", "NotReached")


def test_very_long_messages_are_cut():
    message = fold(Conditions(), Reported((), "", Stuck("Long", "x" * 5000)), 1)[0].message
    assert len(message) == 1024


def test_times_change_only_with_the_status():
    first, changed = merged([], fold(OWNS, Reported((), "Fetched", Wait("A", "a")), 1), OWNS.owned, "t1")
    assert changed
    again, changed = merged(first, fold(OWNS, Reported((), "Fetched", Wait("A", "a")), 1), OWNS.owned, "t2")
    assert (again, changed) == (first, False)
    other, changed = merged(first, fold(OWNS, Reported((), "Fetched", Wait("B", "b")), 1), OWNS.owned, "t3")
    assert changed
    assert {each["lastTransitionTime"] for each in other} == {"t1"}, "another reason for the same status"
    done, _ = merged(other, fold(OWNS, Reported(("Fetched", "Rendered", "Applied"), "", Done()), 2), OWNS.owned, "t4")
    assert {each["lastTransitionTime"] for each in done} == {"t4"}


def test_conditions_of_others_stay_as_and_where_they_are():
    theirs = {"type": "Theirs", "status": "True", "note": "kept"}
    before = [{"type": "Ready", "status": "False"}, theirs, "garbage"]
    result, _ = merged(before, fold(Conditions(), Reported((), "", Done()), 1), frozenset({"Ready"}), "t")
    assert [each["type"] for each in result] == ["Ready", "Theirs"]
    assert result[1] is theirs
