"""What the tool says went wrong, and the error that becomes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import (
    BadDocument,
    InvalidInput,
    PlanStale,
    StateLocked,
    StorageFailed,
    ToolFailed,
    Unreachable,
)
from plumbline.terraform.tool.diagnostics import Diagnostic, about_providers, error, from_event, from_text, unprepared

LOCK = """Error message: resource temporarily unavailable
Lock Info:
  ID:        05609257-d197-8a11-05b3-99ef3170ee03
  Path:      terraform.tfstate
  Operation: OperationTypeApply
  Who:       root@vm
  Version:   1.11.4
  Created:   2026-11-15 23:13:38.326462506 +0000 UTC
  Info:

Terraform acquires a state lock to protect the state."""

PRINTED = """
Error: Terraform encountered problems during initialisation, including problems
with the configuration, described below.

The Terraform configuration must be valid before initialization.


Error: Unclosed configuration block

  on modules/net/main.tf line 17, in resource "terraform_data":
  17: resource "terraform_data" {
    ├────────────────
    │ var.password is "hunter2hunter2"

There is no closing brace for this block.
"""

BOXED = "╷\n│ Error: Failed to query available provider packages\n│ \n│ Could not retrieve the list\n╵\n"


@pytest.mark.parametrize(
    ("said", "kind", "part", "why"),
    [
        (Diagnostic("Error acquiring the state lock", LOCK), StateLocked, "root@vm holds the lock 05609257", "locked"),
        (Diagnostic("Saved plan is stale", "The given plan file"), PlanStale, "Saved plan is stale", "stale"),
        (Diagnostic("Saved plan does not match the given state"), PlanStale, "match", "another lineage"),
        (Diagnostic("Failed to read plan from plan file", "x"), PlanStale, "plan", "of another version"),
        (Diagnostic("Error refreshing state", "Get x: dial tcp 1.2.3.4: i/o timeout"), Unreachable, "dial", "no state"),
        (Diagnostic("Failed to query available provider packages", "not found"), ToolFailed, "query", "no provider"),
        (Diagnostic("Failed to install provider", "connection refused"), Unreachable, "refused", "no registry"),
        (Diagnostic("Unsupported argument", "no", "main.tf", 4), BadDocument, "(main.tf:4)", "wrong at a place"),
        (Diagnostic("No value for required variable", "v"), InvalidInput, "variable", "wrong"),
        (Diagnostic("creating bucket", "write x: no space left on device"), StorageFailed, "no space", "full"),
        (Diagnostic("creating bucket", "AccessDenied", "main.tf", 3), ToolFailed, "AccessDenied (main.tf:3)", "others"),
    ],
)
def test_each_failure_has_its_class(said, kind, part, why):
    made = error("it failed", [said], ToolFailed("it"))
    assert type(made) is kind, why
    assert part in made.why


def test_a_lock_names_who_holds_it_since_when_and_for_what():
    made = error("x", [Diagnostic("Error acquiring the state lock", LOCK)], ToolFailed("x"))
    assert made.lock_id == "05609257-d197-8a11-05b3-99ef3170ee03"
    assert made.why.endswith("for apply, since 2026-11-15 23:13:38.326462506 +0000 UTC")


def test_a_lock_that_says_nothing_about_itself_is_one_all_the_same():
    made = error("x", [Diagnostic("Error acquiring the state lock", "somehow")], ToolFailed("x"))
    assert made.lock_id == ""


def test_without_a_word_the_end_itself_is_told():
    made = error("x", [], ToolFailed("x", exit_code=-9, why="ended by signal 9"))
    assert made.why == "ended by signal 9"
    assert "memory" in made.hint
    assert error("x", [], ToolFailed("x", exit_code=1, why="no space left on device")).code == "storage-failed"


def test_printed_errors_are_read_without_lines_of_the_source():
    told = list(from_text(PRINTED))
    assert told[1] == Diagnostic(
        "Unclosed configuration block", "There is no closing brace for this block.", "modules/net/main.tf", 17
    )
    made = error("x", told, ToolFailed("x"))
    assert isinstance(made, BadDocument)
    assert made.line == 17
    assert "hunter2" not in str(made)


def test_printed_errors_may_be_in_a_box():
    (told,) = from_text(BOXED)
    assert told == Diagnostic("Failed to query available provider packages", "Could not retrieve the list")
    assert about_providers([told])
    assert not about_providers([told, Diagnostic("Unsupported argument")])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('Backend initialization required, please run "terraform init"', True),
        ("Required plugins are not installed", True),
        ("Inconsistent dependency lock file", True),
        ("Module not installed", True),
        ("Unsupported argument", False),
    ],
)
def test_what_an_init_would_help_is_known(said, expected):
    assert unprepared([Diagnostic(said)]) is expected


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"diagnostic": None},
        {"diagnostic": {"severity": "warning", "summary": "x"}},
        {"diagnostic": []},
    ],
)
def test_what_is_no_error_is_none(event):
    assert from_event(event) is None


@pytest.mark.parametrize("place", [None, 3, {"start": 3}, {"start": {"line": "x"}}])
def test_an_error_of_the_stream_may_lack_its_place(place):
    said = from_event({"diagnostic": {"severity": "error", "summary": "s", "detail": None, "range": place}})
    assert said == Diagnostic("s")


def test_several_errors_are_counted():
    made = error("x", [Diagnostic("first"), Diagnostic("second"), Diagnostic("third")], ToolFailed("x"))
    assert made.why == "first (and 2 more)"


@given(st.lists(st.tuples(st.text(), st.text())), st.text())
def test_every_text_gives_an_error_fit_to_be_shown(said, printed):
    told = [Diagnostic(*each) for each in said] + list(from_text(printed))
    made = error("it failed", told, ToolFailed("it failed", why="exit code 1"))
    assert len(made.why) < 2100
    assert all(c.isprintable() or c == "\n" for c in made.why)
