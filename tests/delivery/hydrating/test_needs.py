"""When an application is hydrated."""

from datetime import UTC, datetime, timedelta

import pytest

from plumbline.base.clock import rfc3339
from plumbline.delivery.hydrating.needs import Asked, asked, moved, need
from plumbline.kinds.application.sources import DrySource, SourceHydrator, SyncSource
from plumbline.kinds.application.status import HydrateOperation, SourceHydratorStatus

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SPEC = SourceHydrator(
    dry_source=DrySource(repo_url="https://a.example/b", target_revision="main", path="x"),
    sync_source=SyncSource(target_branch="env", path="web"),
)
OTHER = SourceHydrator(dry_source=SPEC.dry_source, sync_source=SyncSource(target_branch="env", path="db"))


def status(phase="Hydrated", *, ago_s=10, compared="abc", spec=SPEC):
    ended = rfc3339(NOW - timedelta(seconds=ago_s))
    operation = HydrateOperation(phase=phase, message="", finished_at=ended, source_hydrator=spec)
    return SourceHydratorStatus(current_operation=operation, last_compared_dry_revision=compared)


CASES = [
    (SourceHydratorStatus(), None, "no previous", "the first time"),
    (status("Hydrating"), None, "interrupted", "whoever was at it is gone"),
    (status(), "hard", "hard hydrate requested", "somebody insists"),
    (status(spec=OTHER), None, "differs", "the spec is another"),
    (status("Failed"), "normal", "retrying", "somebody asks"),
    (status("Failed", ago_s=121), None, "2 minutes ago", "it is time"),
]


@pytest.mark.parametrize(("seen", "request_", "reason", "why"), CASES, ids=[each[-1] for each in CASES])
def test_there_is_a_reason(seen, request_, reason, why):
    assert reason in need(SPEC, seen, asked(request_), NOW).reason


@pytest.mark.parametrize(
    ("seen", "request_", "depends", "again_in_s"),
    [
        (status(), None, True, None),
        (status(), "normal", True, None),
        (status("Failed"), None, True, 110),
        (status("Failed", compared=""), None, False, 110),
    ],
    ids=["nothing new", "asked for", "failed lately", "failed without a revision"],
)
def test_otherwise_the_dry_source_decides_or_time(seen, request_, depends, again_in_s):
    found = need(SPEC, seen, asked(request_), NOW)
    assert (found.reason, found.depends, found.again_in_s) == ("", depends, again_in_s)


def test_a_revision_that_was_compared_is_no_news():
    assert moved(status(), "abc").reason == ""
    assert moved(status(), "def").reason == "new revision may have changes"


def test_whatever_an_annotation_says_is_a_request():
    assert asked(None) == Asked()
    assert (asked("hard").hard, asked("normal").normal, asked("").normal) == (True, True, True)
