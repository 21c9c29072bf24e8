from datetime import UTC, datetime, timedelta

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.delivery.operations.retries import (
    Healing,
    awaits_retry,
    begun_again,
    due_in_s,
    healing_in_s,
    retried,
    seconds,
    wait_s,
)
from plumbline.kinds.application import Backoff, Operation, OperationState, RetryStrategy, SyncOperation

NOW = datetime(2026, 3, 1, 15, 4, 5, tzinfo=UTC)


def failed(retry=None, *, count=0, finished_at=""):
    operation = Operation(sync=SyncOperation(revision="abc", revisions=("abc",)), retry=retry or RetryStrategy())
    return OperationState(
        operation=operation, phase="Failed", message="it broke", started_at="2026-03-01T15:00:00Z",
        finished_at=finished_at, retry_count=count,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("backoff", "waits", "why"),
    [
        (None, [5, 10, 20, 40, 80, 160, 180, 180], "upstream's defaults"),
        (Backoff(duration="2"), [2, 4, 8], "a number alone is seconds"),
        (Backoff(duration="1m", factor=3, max_duration="10m"), [60, 180, 540, 600], "cut at the longest"),
        (Backoff(factor=1), [5, 5, 5], "it need not grow"),
        (Backoff(max_duration="0"), [5, 10, 20, 40, 80, 160, 320], "no longest means no end"),
        (Backoff(duration="5s", factor=0), [5, 0, 0], "a factor of zero waits once"),
    ],
)
def test_waits_between_attempts_grow_as_upstreams_do(backoff, waits, why):
    retry = RetryStrategy(limit=-1, backoff=backoff)
    assert [wait_s(retry, attempt) for attempt in range(len(waits))] == waits, why


def test_a_wait_stays_a_number_however_often_it_was_tried():
    assert wait_s(RetryStrategy(backoff=Backoff(factor=10**6, max_duration="0")), 10_000) > 10**9


def test_a_duration_that_cannot_be_read_is_refused():
    with pytest.raises(InvalidInput):
        seconds("soon")


def test_a_failed_sync_waits_for_its_next_attempt_and_says_when():
    state = retried(failed(RetryStrategy(limit=2)), NOW)
    assert (state.phase, state.retry_count, state.finished_at) == ("Running", 1, "2026-03-01T15:04:05Z")
    assert state.message == "it broke. Retrying attempt #1 at 3:04PM."
    assert awaits_retry(state)
    assert due_in_s(state, NOW + timedelta(seconds=4)) == 1


def test_after_the_last_attempt_it_is_over():
    state = retried(failed(RetryStrategy(limit=2), count=2), NOW)
    assert (state.phase, state.message) == ("Failed", "it broke (retried 2 times).")
    assert not awaits_retry(state)


def test_without_retries_the_message_stays_as_it_is():
    assert retried(failed(), NOW).message == "it broke"


def test_a_limit_below_zero_never_ends():
    assert awaits_retry(retried(failed(RetryStrategy(limit=-1), count=1000), NOW))


def test_a_backoff_that_cannot_be_read_ends_the_operation_with_the_reason():
    state = retried(failed(RetryStrategy(limit=1, backoff=Backoff(duration="x"))), NOW)
    assert state.phase == "Error"
    assert state.message.startswith("it broke (failed to retry: Not a duration")


def test_the_next_attempt_starts_from_nothing():
    state = begun_again(failed(RetryStrategy(limit=3), count=2, finished_at="2026-03-01T15:04:05Z"))
    assert (state.finished_at, state.sync_result, state.message) == ("", None, "Retrying operation. Attempt #2")
    assert state.operation.sync.revision == "abc"


def test_an_attempt_that_refreshes_takes_the_newest_revision():
    state = begun_again(failed(RetryStrategy(limit=3, refresh=True), count=1))
    assert (state.operation.sync.revision, state.operation.sync.revisions) == ("", ())
    assert state.message == "Retrying operation with latest revisions. Attempt #1"


def test_healing_grows_patient_as_upstreams_does():
    state = failed(finished_at="2026-03-01T15:04:05Z")
    assert [healing_in_s(state, attempts, Healing(), NOW) for attempts in range(8)] == [0, 2, 6, 18, 54, 162, 300, 300]
    assert healing_in_s(state, 2, Healing(), NOW + timedelta(seconds=6)) <= 0
    assert healing_in_s(None, 5, Healing(), NOW) == 0


def test_a_moment_that_cannot_be_read_is_taken_as_now():
    assert healing_in_s(failed(finished_at="yesterday"), 1, Healing(), NOW) == 2
