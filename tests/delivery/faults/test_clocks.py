"""A clock that is set back makes nobody wait for what is over."""

from datetime import UTC, datetime, timedelta

from plumbline.delivery.operations.retries import Healing, due_in_s, healing_in_s
from plumbline.kinds.application import Operation, OperationState, RetryStrategy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def ended(ago_s):
    finished = (NOW - timedelta(seconds=ago_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return OperationState(
        operation=Operation(retry=RetryStrategy(limit=5)), phase="Running", started_at=finished, finished_at=finished, retry_count=1
    )  # fmt: skip


def test_a_retry_that_ended_in_the_future_is_due():
    assert due_in_s(ended(2), NOW) == 3.0
    assert due_in_s(ended(-3600), NOW) == 0.0


def test_drift_is_corrected_although_the_last_correction_lies_ahead():
    assert healing_in_s(ended(1), 1, Healing(), NOW) == 1.0
    assert healing_in_s(ended(-3600), 1, Healing(), NOW) == 0.0


def test_a_clock_that_is_a_little_off_lengthens_a_wait_by_no_more_than_itself():
    assert due_in_s(ended(-4), NOW) == 9.0
