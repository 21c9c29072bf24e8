"""CronJobs on a clock that runs as fast as it likes."""

import pytest
from tests.apiserver.controllers.workloads.world import job, kinds, template, virtually, world

from plumbline.apiserver import statuses
from plumbline.apiserver.objects.admission import NoAdmission, Operation
from plumbline.apiserver.storage.encoding import under_revision

CRON = kinds.CRON_JOB, "cron"


def cron(schedule="*/10 * * * *", behaviour="succeed", **spec):
    jobs = {"spec": job(template=template(labels={"x": "y"}, behaviour=behaviour, restartPolicy="Never"))["spec"]}
    wanted = {"schedule": schedule, "jobTemplate": jobs, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "cron"}, "spec": wanted}


def jobs(at):
    return sorted(each["metadata"]["name"] for each in at.all(kinds.JOB))


def status(at):
    return at.get(*CRON).get("status", {})


def reasons(at):
    return [reason for reason, _ in at.events("CronJob")]


@virtually
async def test_a_job_is_started_at_each_time_and_old_ones_are_forgotten():
    async with world() as at:
        await at.create(cron())
        await at.rest(599)
        assert jobs(at) == []
        await at.rest(2)
        assert jobs(at) == ["cron-29453770"]
        assert status(at)["lastScheduleTime"] == "2026-01-01T00:10:00Z"
        (started,) = at.all(kinds.JOB)
        assert started["metadata"]["ownerReferences"][0]["name"] == "cron"
        assert (
            started["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
            == "2026-01-01T00:10:00Z"
        )
        await at.rest(3600)
        assert len(jobs(at)) == 3
        assert status(at)["lastSuccessfulTime"] >= status(at)["lastScheduleTime"]
        assert "active" not in status(at)
        assert {"SuccessfulCreate", "SawCompletedJob", "SuccessfulDelete"} <= set(reasons(at))


@virtually
async def test_times_are_those_of_the_zone():
    async with world() as at:
        await at.create(cron("0 9 * * *", timeZone="Asia/Tokyo"))
        await at.rest(86401)
        (started,) = at.all(kinds.JOB)
        told = started["metadata"]["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"]
        assert told == "2026-01-02T09:00:00+09:00"


@pytest.mark.parametrize(
    ("policy", "running", "told"),
    [("Allow", 3, None), ("Forbid", 1, "JobAlreadyActive"), ("Replace", 1, "SuccessfulDelete")],
)
@virtually
async def test_what_happens_while_the_last_one_still_runs_is_a_matter_of_policy(policy, running, told):
    async with world() as at:
        await at.create(cron(behaviour="run", concurrencyPolicy=policy))
        await at.rest(1900)
        assert len(jobs(at)) == running
        assert sorted(each["name"] for each in status(at)["active"]) == jobs(at)
        assert told is None or told in reasons(at)


@virtually
async def test_a_suspended_one_starts_nothing_and_misses_only_one_time():
    async with world() as at:
        await at.create(cron(suspend=True))
        await at.rest(3000)
        assert jobs(at) == []
        await at.spec(*CRON, suspend=False)
        await at.rest(1)
        assert len(jobs(at)) == 1, "the latest time that was missed"


@virtually
async def test_with_a_deadline_what_was_missed_is_missed():
    async with world() as at:
        await at.create(cron(suspend=True, startingDeadlineSeconds=30))
        await at.rest(3100)
        await at.spec(*CRON, suspend=False)
        await at.rest(1)
        assert jobs(at) == []
        await at.rest(600)
        assert len(jobs(at)) == 1


@virtually
async def test_many_missed_times_are_told():
    async with world() as at:
        await at.create(cron("* * * * *", suspend=True))
        await at.rest(60 * 200)
        await at.spec(*CRON, suspend=False)
        await at.rest(1)
        assert "TooManyMissedTimes" in reasons(at)


@virtually
async def test_a_changed_schedule_starts_with_its_next_time():
    async with world() as at:
        await at.create(cron("0 0 1 1 *"))
        await at.rest(3000)
        await at.spec(*CRON, schedule="*/5 * * * *")
        await at.rest(10)
        assert jobs(at) == [], "the times that it would have had are not made up for"
        await at.rest(300)
        assert len(jobs(at)) == 1


@virtually
async def test_failed_jobs_are_kept_apart_from_successful_ones():
    async with world() as at:
        spec = cron(behaviour="fail", failedJobsHistoryLimit=2)
        spec["spec"]["jobTemplate"]["spec"]["backoffLimit"] = 0
        await at.create(spec)
        await at.rest(3700)
        assert len(jobs(at)) == 2
        assert "lastSuccessfulTime" not in status(at)


@virtually
async def test_a_job_that_disappeared_is_no_longer_active():
    async with world() as at:
        await at.create(cron(behaviour="run"))
        await at.rest(601)
        (name,) = jobs(at)
        await at.delete(kinds.JOB, name)
        await at.rest(1)
        assert "active" not in status(at)
        assert ("MissingJob", f"Active job went missing: {name}") in at.events("CronJob")


@virtually
async def test_a_job_that_somebody_else_made_for_it_is_told():
    async with world() as at:
        await at.create(cron("0 0 1 1 *"))
        await at.rest(1)
        there = at.get(*CRON)
        owner = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "name": "cron",
            "uid": there["metadata"]["uid"],
            "controller": True,
        }
        made = job("manual", template=template(labels={"x": "y"}, behaviour="run", restartPolicy="Never"))
        await at.create(made | {"metadata": {"name": "manual", "ownerReferences": [owner]}})
        await at.rest(1)
        assert "UnexpectedJob" in reasons(at)


@virtually
async def test_a_job_of_that_name_which_is_another_s_is_left_alone():
    async with world() as at:
        await at.create(job("cron-29453770", suspend=True))
        await at.create(cron())
        await at.rest(601)
        assert jobs(at) == ["cron-29453770"]
        assert "active" not in status(at)


class NoJobs(NoAdmission):
    refusing = True

    async def check(self, attributes):
        creates = attributes.operation is Operation.CREATE and attributes.scope.resource.plural == "jobs"
        if self.refusing and creates:
            raise statuses.forbidden("batch", "jobs", "", "no")


@virtually
async def test_a_job_that_may_not_be_created_is_told_and_tried_again():
    gate = NoJobs()
    async with world(admission=gate) as at:
        await at.create(cron())
        await at.rest(601)
        assert ("FailedCreate", "Error creating job: jobs.batch is forbidden: no") in at.events("CronJob")
        gate.refusing = False
        await at.rest(120)
        assert jobs(at) == ["cron-29453770"]


@virtually
async def test_a_schedule_that_is_never_due_is_told():
    async with world() as at:
        await at.create(cron("0 0 30 2 *"))
        await at.rest(0)
        assert "InvalidSchedule" in reasons(at)
        await at.spec(*CRON, suspend=True)
        await at.rest(1)


@virtually
async def test_a_time_that_was_started_already_is_not_started_again():
    async with world() as at:
        await at.create(cron())
        await at.rest(601)
        (name,) = jobs(at)
        await at.delete(kinds.JOB, name)
        await at.cluster.edit(
            at.get(*CRON),
            lambda live: {**live, "status": {"lastScheduleTime": "2026-01-01T00:10:00Z"}},
            subresource="status",
        )
        await at.rest(100)
        assert jobs(at) == []


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [("TZ=Asia/Tokyo 0 9 * * *", "UnsupportedSchedule"), ("every day", "UnparseableSchedule")],
)
@virtually
async def test_a_schedule_from_before_it_was_checked_is_told(schedule, reason):
    async with world() as at:
        there = await at.create(cron(suspend=True))
        key = at.cluster.key_of(there)
        old = {**there, "spec": {**there["spec"], "schedule": schedule, "suspend": False}}
        await at.store.put(key, at.store.head(key), under_revision(old))
        await at.annotate(*CRON, {"touched": "yes"}) if reason == "UnsupportedSchedule" else None
        await at.rest(1)
        assert reason in reasons(at)


@virtually
async def test_a_cron_job_that_was_deleted_is_forgotten():
    async with world() as at:
        await at.create(cron())
        await at.rest(1)
        await at.delete(*CRON)
        await at.rest(1200)
        assert jobs(at) == []


@virtually
async def test_a_cron_job_that_is_going_starts_nothing():
    async with world() as at:
        await at.create(cron() | {"metadata": {"name": "cron", "finalizers": ["test/hold"]}})
        await at.rest(1)
        await at.delete(*CRON)
        await at.rest(1200)
        assert jobs(at) == []
