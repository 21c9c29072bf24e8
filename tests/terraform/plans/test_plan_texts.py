"""A plan in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans import dangers, headline, human, readable, summarised, tabled

from .samples import change, made, real, summary

HEADLINES = [
    ("create", "4 to add; 1 check failed"),
    ("nothing", "no changes; 1 check failed"),
    ("forget", "1 to import, 1 to forget, 1 to move; waits: forgets terraform_data.gone"),
    ("tainted", "1 to replace; waits: replaces terraform_data.a"),
    ("errored", "1 to add; planning failed; 1 check failed"),
    (
        "mixed",
        (
            '2 to change, 1 to replace, 1 to destroy; waits: takes protection off module.net["a"].terraform_data.subnet[0], '
            'destroys module.net["b"].terraform_data.subnet[0], removes output list and 2 more'
        ),
    ),
]


@pytest.mark.parametrize(("name", "expected"), HEADLINES)
def test_one_line_says_what_it_does_and_what_waits(name, expected):
    found = summarised(real(name))
    assert headline(found, dangers(found)) == expected


def test_outputs_alone_and_plans_in_parts_are_told():
    assert headline(summary(output_changes={"o": {"actions": ["create"], "after": 1}})) == "1 output changes"
    found = summary(change("a.b", "create"), complete=False)
    assert headline(found) == "1 to add; there is more that could not be planned yet"


def test_a_page_says_what_matters_first():
    found = summarised(real("mixed"))
    lines = readable(found, dangers(found)).splitlines()
    assert lines[0] == "2 to change, 1 to replace, 1 to destroy"
    assert lines[1] == "Not done unasked:"
    assert "  ~ terraform_data.db: input.b64, input.extra[0], input.extra[1] and 4 more" in lines
    assert "  ± terraform_data.reads: because of triggers_replace" in lines
    assert "  - output list" in lines
    lines = readable(summarised(real("forget")), ()).splitlines()
    assert "  > terraform_data.renamed: from terraform_data.kept" in lines
    assert "  & terraform_data.taken: imported as existing-id" in lines


def test_drift_and_what_comes_later_are_on_the_page():
    drifted = change("a.b", "update", before={"x": 1}, after={"x": 2})
    later = {"reason": "deferred_prereq", "resource_change": change("a.c", "create")}
    moved = change("a.d", "update", before={"x": 1}, after={"x": 2}, previous_address="a.e")
    checks = [{"status": "error", "address": {"to_display": "check.c"}}]
    text = readable(summary(moved, resource_drift=[drifted], deferred_changes=[later], checks=checks), ())
    assert "Changed outside:\n  ~ a.b: x" in text
    assert "  later: a.c (deferred_prereq)" in text
    assert "  ! check.c: error" in text
    assert "  ~ a.d: moved from a.e, x" in text


@settings(max_examples=20)
@given(st.integers(0, 300), st.text(max_size=100), st.integers(600, 5_000))
def test_a_page_is_never_longer_than_it_may_be(count, name, longest):
    found = summary(*(change(f"a.b[{at}]", "delete", before={name: name}) for at in range(count)))
    text = readable(found, dangers(found), longest)
    assert len(text) <= longest
    if count > 200:
        assert "more lines" in text


def test_rows_for_a_terminal():
    found = summarised(real("mixed"))
    rows = tabled(found, dangers(found))
    assert rows[0][:2] == ("update", "terraform_data.db")
    assert ("replace (create-first)", "terraform_data.reads", "because of triggers_replace", "replace") in rows
    assert ("delete", "output.list", '["x",1,true,null] → none', "output-removed") in rows
    guard = summarised(real("guard"))
    rows = tabled(guard, dangers(guard, guarded_before={"terraform_data.stays"}))
    assert rows[-1][1:] == (
        "terraform_data.stays",
        "takes protection off terraform_data.stays: prevent_destroy is gone",
        "unprotect",
    )
    assert tabled(summarised(real("deposed")), ())[0][2] == "deposed object 0badcafe"


def test_text_of_the_tool_that_is_no_text_is_refused():
    with pytest.raises(BadDocument):
        human(Plaintext(b"\xff"), made())
