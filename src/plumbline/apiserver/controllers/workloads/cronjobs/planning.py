"""Which Jobs a CronJob starts, replaces and forgets, and when to look again."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.workloads.jobs.reading import COMPLETE, FAILURE, finished_as
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.controllers.workloads.templates import controller_reference
from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kube.cron import Schedule
from plumbline.kube.object import Object

SCHEDULED_AT: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_LATE_S: Final = 0.1
_MANY: Final = 100


class Due(NamedTuple):
    """Of the times since the last run that have passed, the latest; and whether suspiciously many have."""

    earliest: datetime
    latest: datetime | None = None
    missed: int = 0

    @property
    def too_many(self) -> bool:
        return self.missed > _MANY


def due(cron: Object, schedule: Schedule, now: datetime, *, within_deadline: bool) -> Due:
    """Raises InvalidInput where the schedule has no sensible times."""
    earliest = moment(str(cron.status.get("lastScheduleTime") or "")) or moment(cron.creation_timestamp) or now
    deadline_s = cron.spec.get("startingDeadlineSeconds")
    if within_deadline and deadline_s is not None:
        earliest = max(earliest, now - timedelta(seconds=int(deadline_s)))
    first = schedule.after(earliest)
    second = schedule.after(first) if first else None
    if first is None or second is None:
        raise InvalidInput("time difference between two schedules is less than 1 second")
    if now < first:
        return Due(earliest)
    if now < second:
        return Due(earliest, first)
    between_s = round((second - first).total_seconds())
    missed = int((now - first).total_seconds()) // between_s + 1
    latest = _latest(schedule, first + timedelta(seconds=(missed - 2) * between_s), now)
    return Due(earliest, latest, missed)


def _latest(schedule: Schedule, after: datetime, now: datetime) -> datetime | None:
    found, at = None, schedule.after(after)
    while at is not None and at <= now:
        found, at = at, schedule.after(at)
    return found


def next_look_s(cron: Object, schedule: Schedule, now: datetime) -> float:
    try:
        last = due(cron, schedule, now, within_deadline=False)
        since = last.latest or (now if last.missed else last.earliest)
    except InvalidInput:
        since = now
    following = schedule.after(since)
    # A little late, so that the time has surely come.
    return (following - now).total_seconds() + _LATE_S if following else _LATE_S


def job_name(cron: Object, scheduled: datetime) -> str:
    return f"{cron.name}-{int(scheduled.timestamp()) // 60}"


def new_job(cron: Object, scheduled: datetime) -> JsonObject:
    """The Job of *scheduled*, which is in the CronJob's zone."""
    template = Object(cron.spec.get("jobTemplate") or {})
    metadata: JsonObject = {
        "name": job_name(cron, scheduled),
        "namespace": cron.namespace,
        "annotations": {**template.annotations, SCHEDULED_AT: _in_zone(scheduled)},
        "ownerReferences": [controller_reference(cron)],
    }
    if template.labels:
        metadata["labels"] = dict(template.labels)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.spec}


def _in_zone(scheduled: datetime) -> str:
    written = scheduled.replace(microsecond=0).isoformat()
    return f"{written.removesuffix('+00:00')}Z" if written.endswith("+00:00") else written


class Review(NamedTuple):
    """The status after a look at the Jobs that are there."""

    status: JsonObject
    events: Sequence[tuple[str, str, bool]]
    """Reason, message, and whether it is a warning."""


def review(cron: Object, jobs: Iterable[Object], existing: Iterable[str]) -> Review:
    """*existing* are names of Jobs that are there, whoever's they are."""
    status = dict(cron.status)
    active = list(status.get("active") or ())
    known = {each.get("uid") for each in active}
    events: list[tuple[str, str, bool]] = []
    children = set()
    for job in jobs:
        children.add(job.uid)
        ended = finished_as(job)
        if not ended and job.uid not in known:
            message = f"Saw a job that the controller did not create or forgot: {job.name}"
            events.append(("UnexpectedJob", message, True))
        if ended and job.uid in known:
            active = [each for each in active if each.get("uid") != job.uid]
            events.append(("SawCompletedJob", f"Saw completed job: {job.name}, condition: {ended}", False))
        if ended == COMPLETE:
            status["lastSuccessfulTime"] = max(
                filter(None, (status.get("lastSuccessfulTime"), job.status.get("completionTime"))), default=None
            )
    there = set(existing)
    kept = [each for each in active if each.get("uid") in children or each.get("name") in there]
    events += [
        ("MissingJob", f"Active job went missing: {each.get('name')}", False) for each in active if each not in kept
    ]
    status["active"] = kept
    return Review(_written(status), events)


def spent_jobs(cron: Object, jobs: Sequence[Object]) -> list[Object]:
    """Finished Jobs beyond the history limits, the oldest first."""
    limits = {COMPLETE: "successfulJobsHistoryLimit", FAILURE: "failedJobsHistoryLimit"}
    spent = []
    for ended, field in limits.items():
        limit = cron.spec.get(field)
        finished = sorted((job for job in jobs if finished_as(job) == ended), key=_by_start)
        if limit is not None:
            spent += finished[: max(len(finished) - int(limit), 0)]
    return spent


def _by_start(job: Object) -> tuple[bool, str, str]:
    started = str(job.status.get("startTime") or "")
    return not started, started, job.name


def reference_to(job: JsonObject) -> JsonObject:
    described = Object(job)
    return {
        "kind": "Job",
        "namespace": described.namespace,
        "name": described.name,
        "uid": described.uid,
        "apiVersion": "batch/v1",
        "resourceVersion": described.resource_version,
    }


def without_job(status: JsonObject, uid: str) -> JsonObject:
    return _written({**status, "active": [each for each in status.get("active") or () if each.get("uid") != uid]})


def with_job(status: JsonObject, job: JsonObject, scheduled: datetime) -> JsonObject:
    active = [*(status.get("active") or ()), reference_to(job)]
    return {**status, "active": active, "lastScheduleTime": rfc3339(scheduled)}


def _written(status: JsonObject) -> JsonObject:
    return {name: value for name, value in status.items() if value}
