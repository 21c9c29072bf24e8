"""Sets of indexes, judgements about failures, and patience."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.controllers.workloads.backoff import Backoff
from plumbline.apiserver.controllers.workloads.jobs.intervals import Indexes
from plumbline.apiserver.controllers.workloads.jobs.patience import Failures, remaining_of_index_s
from plumbline.apiserver.controllers.workloads.jobs.planning import plan
from plumbline.apiserver.controllers.workloads.jobs.policies import judged, succeeds_early
from plumbline.apiserver.controllers.workloads.jobs.reading import finished_at, index_of
from plumbline.apiserver.controllers.workloads.jobs.tracking import MOST_UNCOUNTED, close, settle, track
from plumbline.apiserver.controllers.workloads.jobs.work import Work
from plumbline.apiserver.controllers.workloads.podviews import pod_from
from plumbline.base.clock import rfc3339
from plumbline.kube.object import Object

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FINALIZER = "batch.kubernetes.io/job-tracking"
some_indexes = st.sets(st.integers(0, 40))


@pytest.mark.parametrize(
    ("indexes", "text"),
    [((), ""), ((3,), "3"), ((1, 2), "1,2"), ((1, 2, 3), "1-3"), ((0, 1, 2, 5, 7, 8), "0-2,5,7,8")],
)
def test_indexes_are_written_as_ranges(indexes, text):
    assert str(Indexes.of(indexes)) == text
    assert Indexes.parse(text, 100) == Indexes.of(indexes)


@pytest.mark.parametrize(
    ("text", "expected"), [("1,x,3", "1,3"), ("5-x", ""), ("8-12", "8,9"), ("1,12,3", "1"), (",,2", "2")]
)
def test_what_cannot_be_read_or_is_beyond_the_end_is_left_out(text, expected):
    assert str(Indexes.parse(text, 10)) == expected


@given(some_indexes, some_indexes, st.integers(0, 45))
def test_sets_of_indexes_are_sets(left, right, completions):
    a, b = Indexes.of(left), Indexes.of(right)
    assert a | b == Indexes.of(left | right)
    assert a & b == Indexes.of(left & right)
    assert len(a) == len(left)
    assert [index for index in range(45) if index in a] == sorted(left)
    assert list(a.missing(completions)) == [index for index in range(completions) if index not in left]
    assert hash(a | b) == hash(Indexes.of(left | right))
    assert Indexes.parse(str(a), 45) == a
    assert repr(a) == f"Indexes({str(a)!r})"


def pod(name="p", phase="Failed", *, codes=(3,), ended_s=0, conditions=(), notes=None, **metadata):
    statuses = [
        {
            "name": f"c{i}",
            "state": {"terminated": {"exitCode": code, "finishedAt": rfc3339(NOW + timedelta(seconds=ended_s))}},
        }
        for i, code in enumerate(codes)
    ]
    return pod_from(
        {
            "metadata": {
                "name": name,
                "namespace": "ns",
                "uid": name,
                "finalizers": [FINALIZER],
                "annotations": notes or {},
                "creationTimestamp": rfc3339(NOW - timedelta(hours=1)),
                **metadata,
            },
            "status": {"phase": phase, "containerStatuses": statuses, "conditions": list(conditions)},
        }
    )


def exit_codes(action, operator="In", values=(3,), **more):
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values), **more}}


DISRUPTED = {"type": "DisruptionTarget", "status": "True"}


@pytest.mark.parametrize(
    ("rules", "failed", "action", "why"),
    [
        ([exit_codes("FailJob")], pod(), "FailJob", "in"),
        ([exit_codes("FailJob", values=(4,))], pod(), "", "not in"),
        ([exit_codes("Ignore", "NotIn", (4,))], pod(), "Ignore", "anything else"),
        ([exit_codes("Ignore", "NotIn", (4,))], pod(codes=(0,)), "", "success is no failure"),
        ([exit_codes("FailJob", containerName="c1")], pod(), "", "another container"),
        ([exit_codes("FailJob", containerName="c1")], pod(codes=(0, 3)), "FailJob", "that container"),
        ([exit_codes("Count"), exit_codes("FailJob")], pod(), "Count", "the first that matches"),
        (
            [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}],
            pod(conditions=[DISRUPTED]),
            "Ignore",
            "c",
        ),
        (
            [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}],
            pod(),
            "",
            "without that condition",
        ),
        ([{"action": "Ignore"}], pod(), "", "a rule about nothing"),
    ],
)
def test_the_first_rule_that_matches_judges(rules, failed, action, why):
    assert judged(Object({"spec": {"podFailurePolicy": {"rules": rules}}}), failed).action == action, why


def test_judgements_say_what_they_saw():
    rules = [{"action": "FailJob", "onPodConditions": [DISRUPTED]}]
    told = judged(Object({"spec": {"podFailurePolicy": {"rules": rules}}}), pod(conditions=[DISRUPTED])).message
    assert told == "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"


@pytest.mark.parametrize(
    ("rules", "succeeded", "expected"),
    [
        ([{"succeededCount": 2}], "0", ""),
        ([{"succeededCount": 2}], "0,1", "Matched rules at index 0"),
        ([{"succeededIndexes": "1-3"}], "1-3", "Matched rules at index 0"),
        ([{"succeededIndexes": "1-3"}], "1,2", ""),
        ([{"succeededIndexes": "1-3", "succeededCount": 2}], "0,1,3", "Matched rules at index 0"),
        ([{"succeededIndexes": "90"}, {"succeededCount": 1}], "4", "Matched rules at index 1"),
        ([{"succeededCount": 0}], "", ""),
    ],
)
def test_a_success_policy_is_met_or_not(rules, succeeded, expected):
    job = Object({"spec": {"successPolicy": {"rules": rules}, "completions": 10}})
    assert succeeds_early(job, Indexes.parse(succeeded, 10)) == expected


def test_waits_double_with_each_failure_and_start_anew_after_a_success():
    failures = Failures()
    assert failures.remaining_s(NOW) == 0
    assert failures.and_then([], []) == failures
    for number, wait_s in enumerate((10, 20, 40, 80, 160, 320, 600, 600), 1):
        failures = failures.and_then([], [pod(ended_s=number)])
        assert failures.remaining_s(NOW + timedelta(seconds=number)) == wait_s
    assert failures.remaining_s(NOW + timedelta(hours=1)) == 0
    assert failures.and_then([pod(phase="Succeeded", codes=(0,), ended_s=9)], []) == Failures()
    mixed = failures.and_then([pod(ended_s=5)], [pod(ended_s=4), pod(ended_s=6)])
    assert mixed.times == 1
    assert mixed.remaining_s(NOW + timedelta(seconds=6)) == 10


def test_an_index_waits_by_its_own_failures():
    failed = pod(
        notes={
            "batch.kubernetes.io/job-index-failure-count": "1",
            "batch.kubernetes.io/job-index-ignored-failure-count": "1",
        }
    )
    assert remaining_of_index_s(failed, NOW) == 40
    assert remaining_of_index_s(None, NOW) == 0


@pytest.mark.parametrize(
    ("failed", "seconds", "why"),
    [
        (pod(ended_s=7), 7, "its last container"),
        (
            pod(codes=(), conditions=[{"type": "Ready", "status": "False", "lastTransitionTime": rfc3339(NOW)}]),
            0,
            "ready",
        ),
        (pod(codes=(), deletionTimestamp=rfc3339(NOW), deletionGracePeriodSeconds=30), -30, "its deletion"),
        (pod(codes=()), -3600, "its creation"),
    ],
)
def test_a_pod_ended_when_the_best_witness_says(failed, seconds, why):
    assert finished_at(failed) == NOW + timedelta(seconds=seconds), why


def test_a_pod_that_nobody_knows_anything_about_ended_long_ago():
    assert finished_at(pod_from({})).year == 1970


@pytest.mark.parametrize("text", ["", "-1", "x", "99999999999"])
def test_an_index_that_is_no_number_is_none(text):
    assert index_of(pod(notes={"batch.kubernetes.io/job-completion-index": text})) is None


def test_at_most_so_many_pods_are_named_at_a_time_and_the_job_ends_with_the_last():
    spec = {"backoffLimit": 6, "parallelism": 700, "completions": 700, "template": {}}
    job = Object({"metadata": {"name": "j"}, "spec": spec, "status": {}})
    pods = [pod(f"p{n}", "Succeeded", codes=(0,)) for n in range(700)]
    work = Work(job, pods, NOW)
    first = track(work, settle(work, plan(work, Failures()), [], 0))
    assert len(first.release) == MOST_UNCOUNTED
    assert first.closing is None
    status, finished = close(first, {each.uid for each in pods[MOST_UNCOUNTED:]}, 0, NOW)
    assert (status["succeeded"], finished) == (MOST_UNCOUNTED, None)
    rest = Work(job.with_status(status), pods[MOST_UNCOUNTED:], NOW)
    last = track(rest, settle(rest, plan(rest, Failures()), [], 0))
    status, finished = close(last, set(), 0, NOW)
    assert status["succeeded"] == 700
    assert finished is not None


def test_patience_grows_and_calms_down():
    backoff = Backoff(1, 8)
    waits = []
    for _ in range(5):
        assert backoff.remaining_s("a", NOW + timedelta(hours=1)) == 0
        backoff.note("a", NOW)
        waits.append(backoff.remaining_s("a", NOW))
    assert waits == [1, 2, 4, 8, 8]
    assert backoff.remaining_s("b", NOW) == 0
    backoff.note("a", NOW + timedelta(seconds=17))
    assert backoff.remaining_s("a", NOW + timedelta(seconds=17)) == 1
