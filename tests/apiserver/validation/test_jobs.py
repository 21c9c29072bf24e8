"""Jobs and CronJobs: every complaint of the real server, in its order and words."""

import pytest

from plumbline.apiserver.validation import validated_create, validated_status_update, validated_update
from plumbline.kube.cron import schedule_fault
from plumbline.kube.names import GroupVersionKind

from .broken import jobs
from .broken.asking import our_answer
from .broken.case import GONE, edited
from .broken.recorded import answer, base

JOB = GroupVersionKind("batch", "v1", "Job")


@pytest.mark.parametrize("case", jobs.CASES, ids=lambda case: case.key)
def test_broken_jobs_are_refused_in_the_words_of_the_server(case):
    assert our_answer(case, base(case.base)) == answer(case.key)


def fields(errors):
    return [error.field for error in errors]


DEFAULTED = [
    (
        "job",
        {
            "spec|podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": [{"type": "a", "status": ""}]}]
            },
            "spec|podReplacementPolicy": "Failed",
        },
        ["spec.podFailurePolicy.rules[0].onPodConditions[0].status"],
    ),
    ("job", {"metadata|uid": GONE}, ["metadata.uid", *["spec.template.metadata.labels"] * 0]),
    (
        "indexed",
        {"spec|successPolicy": {"rules": [{"succeededIndexes": "0," * 32769}]}},
        ["spec.successPolicy.rules[0].succeededIndexes"] * 2,
    ),
    ("cronjob", {"spec|concurrencyPolicy": ""}, ["spec.concurrencyPolicy"]),
]


@pytest.mark.parametrize(("name", "edits", "expected"), DEFAULTED)
def test_what_defaults_would_set_is_missed(name, edits, expected):
    obj = edited(base(name).fresh, edits)
    found = fields(validated_create(GroupVersionKind.of(obj), obj))
    assert [field for field in found if not field.startswith(("spec.template", "spec.selector"))] == expected


@pytest.mark.parametrize("name", ["job", "indexed", "asleep", "cronjob"])
def test_a_job_that_did_not_change_is_sound(name):
    stored = base(name).stored
    gvk = GroupVersionKind.of(stored)
    assert validated_update(gvk, stored, stored) == []
    assert validated_status_update(gvk, stored, stored) == []


def test_older_jobs_need_no_prefixed_labels():
    stored = base("job").stored
    labels = stored["spec"]["template"]["metadata"]["labels"]
    old_labels = {key: labels[key] for key in ("controller-uid", "job-name")}
    selector = {"matchLabels": {"controller-uid": labels["controller-uid"]}}
    old = edited(stored, {"spec|template|metadata|labels": old_labels, "spec|selector": selector})
    assert validated_update(JOB, edited(old, {"spec|parallelism": 1}), old) == []


def test_a_job_that_has_begun_does_not_begin_again():
    old = edited(base("job").stored, {"status|startTime": "2024-01-01T00:00:00Z"})
    new = edited(old, {"status|startTime": "2024-01-02T00:00:00Z"})
    assert fields(validated_status_update(JOB, new, old)) == ["status.startTime"]


def test_criteria_are_not_met_after_the_end():
    done = [{"type": "Complete", "status": "True"}]
    times = {"status|startTime": "2024-01-01T00:00:00Z", "status|completionTime": "2024-01-01T00:00:00Z"}
    old = edited(base("job").stored, {"status|conditions": done, **times})
    new = edited(old, {"status|conditions": [*done, {"type": "SuccessCriteriaMet", "status": "True"}]})
    found = validated_status_update(JOB, new, old)
    assert [error.message for error in found] == [
        "Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
    ]


FAULTS = [
    ("", "empty spec string"),
    ("@every 1h 5m", 'failed to parse duration @every 1h 5m: time: unknown unit "h " in duration "1h 5m"'),
    ("@every -1h", ""),
    ("@every 0", ""),
    ("@every ", 'failed to parse duration @every : time: invalid duration ""'),
    ("@every -", 'failed to parse duration @every -: time: invalid duration "-"'),
    ("@every x", 'failed to parse duration @every x: time: invalid duration "x"'),
    ("@every 9999999999h", 'failed to parse duration @every 9999999999h: time: invalid duration "9999999999h"'),
    ("CRON_TZ=Europe/Berlin 0 0 * * *", ""),
    ("5/15 * * * *", ""),
    ("*-3 * * * *", ""),
]


@pytest.mark.parametrize(("schedule", "fault"), FAULTS)
def test_schedules_have_the_grammar_of_the_library_that_reads_them(schedule, fault):
    assert schedule_fault(schedule) == fault


def test_a_zone_in_a_schedule_may_stay_but_not_beside_another():
    old = edited(base("cronjob").stored, {"spec|schedule": "TZ=UTC 0 0 * * *"})
    gvk = GroupVersionKind.of(old)
    assert validated_update(gvk, edited(old, {"spec|schedule": "TZ=UTC 1 0 * * *"}), old) == []
    assert fields(validated_update(gvk, edited(old, {"spec|timeZone": "UTC"}), old)) == ["spec.schedule"]
