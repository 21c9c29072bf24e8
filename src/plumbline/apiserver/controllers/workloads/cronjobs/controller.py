"""Starts Jobs when their time has come."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, controller_of
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.cronjobs import planning
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput, RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.cron import Schedule, parse
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object

_COMPONENT: Final = "cronjob-controller"


class CronJobController:
    name = _COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._rescheduled: set[Key] = set()

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        crons = self._cluster.model(kinds.CRON_JOB).resource.collection
        return {kinds.CRON_JOB: self._of_itself, kinds.JOB: controller_of(crons, kinds.CRON_JOB.kind)}

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if found is None:
            self._rescheduled.discard(key)
            return None
        cron = Object(found)
        jobs = [Object(job) for job in self._cluster.dependents_of_kind(cron.uid, kinds.JOB)]
        jobs = [job for job in jobs if job.controller and job.controller.uid == cron.uid]
        status = await self._clean(cron, jobs)
        if key in self._rescheduled:
            self._rescheduled.discard(key)
            await self._cluster.set_status(cron.raw, status)
            return await self._until_next_s(cron.with_status(status))
        return await self._run(cron, status)

    async def _clean(self, cron: Object, jobs: list[Object]) -> JsonObject:
        """Forget what is over; gives the status then, which is not written yet."""
        status = dict(cron.status)
        for job in planning.spent_jobs(cron, jobs):
            status = await self._delete(cron, status, job.raw)
        named = [str(each.get("name")) for each in status.get("active") or ()]
        existing = [name for name in named if self._cluster.get(kinds.JOB, cron.namespace, name)]
        reviewed = planning.review(cron.with_status(status), jobs, existing)
        for reason, message, warning in reviewed.events:
            await self._tell(cron, reason, message, warning=warning)
        return reviewed.status

    async def _run(self, cron: Object, status: JsonObject) -> float | None:
        """Start what is due, if it may be, and write the status whatever happens."""
        again_s, refused = None, None
        if not cron.deletion_timestamp and not cron.spec.get("suspend"):
            schedule = await self._schedule(cron)
            if schedule is not None:
                now = self._cluster.clock.now()
                try:
                    status = await self._start_if_due(cron, status, schedule, now)
                except RequestRefused as caught:
                    refused = caught
                again_s = planning.next_look_s(cron.with_status(status), schedule, now)
        await self._cluster.set_status(cron.raw, status)
        if refused:
            raise refused
        return again_s

    async def _start_if_due(self, cron: Object, status: JsonObject, schedule: Schedule, now: datetime) -> JsonObject:
        try:
            latest = planning.due(cron, schedule, now, within_deadline=True)
        except InvalidInput as fault:
            message = f"invalid schedule: {cron.spec.get('schedule')} : {fault.what}"
            await self._tell(cron, "InvalidSchedule", message, warning=True)
            return status
        if latest.latest is None:
            return status
        if latest.too_many:
            message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            await self._tell(cron, "TooManyMissedTimes", message, warning=True)
        return await self._start(cron, status, latest.latest)

    async def _start(self, cron: Object, status: JsonObject, scheduled: datetime) -> JsonObject:
        active = list(status.get("active") or ())
        name = planning.job_name(cron, scheduled)
        if status.get("lastScheduleTime") == rfc3339(scheduled) or any(each.get("name") == name for each in active):
            return status
        policy = cron.spec.get("concurrencyPolicy")
        if policy == "Forbid" and active:
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            await self._tell(cron, "JobAlreadyActive", message)
            return status
        if policy == "Replace":
            for each in active:
                running = self._cluster.get(kinds.JOB, cron.namespace, str(each.get("name")))
                status = await self._delete(cron, status, running or {"metadata": each})
        return await self._create(cron, status, scheduled)

    async def _create(self, cron: Object, status: JsonObject, scheduled: datetime) -> JsonObject:
        zone = cron.spec.get("timeZone")
        wanted = planning.new_job(cron, scheduled.astimezone(ZoneInfo(zone) if zone else UTC))
        try:
            created = await self._cluster.create(wanted)
        except RequestRefused as refused:
            there = self._cluster.get(kinds.JOB, cron.namespace, wanted["metadata"]["name"])
            if refused.status.get("reason") != "AlreadyExists" or there is None:
                await self._tell(cron, "FailedCreate", f"Error creating job: {refused.what}", warning=True)
                raise
            owner = Object(there).controller
            return planning.with_job(status, there, scheduled) if owner and owner.uid == cron.uid else status
        await self._tell(cron, "SuccessfulCreate", f"Created job {created['metadata']['name']}")
        return planning.with_job(status, created, scheduled)

    async def _delete(self, cron: Object, status: JsonObject, job: JsonObject) -> JsonObject:
        described = Object(job)
        if described.kind:
            await self._cluster.delete(job)
            await self._tell(cron, "SuccessfulDelete", f"Deleted job {described.name}")
        return planning.without_job(status, described.uid)

    async def _schedule(self, cron: Object) -> Schedule | None:
        """None where it says none that can be read, which is told."""
        text, zone = str(cron.spec.get("schedule") or ""), cron.spec.get("timeZone")
        if "TZ" in text:
            message = (
                f"CRON_TZ or TZ used in schedule {quoted(text)} is not officially supported, see "
                "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
            )
            await self._tell(cron, "UnsupportedSchedule", message, warning=True)
        try:
            return parse(text, "" if "TZ" in text else str(zone or ""))
        except InvalidInput as fault:
            message = f"unparseable schedule: {quoted(text)} : {fault.what}"
            await self._tell(cron, "UnparseableSchedule", message, warning=True)
            return None

    async def _until_next_s(self, cron: Object) -> float | None:
        """A schedule that changed starts with its next time: the times that it would have had are none of its own."""
        schedule = await self._schedule(cron)
        return planning.next_look_s(cron, schedule, self._cluster.clock.now()) if schedule else None

    async def _tell(self, cron: Object, reason: str, message: str, *, warning: bool = False) -> None:
        await self._cluster.record(cron.raw, reason, message, warning=warning, component=_COMPONENT)

    def _of_itself(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        if previous is not None and _timing(entry) != _timing(previous):
            self._rescheduled.add(entry.key)
        return (entry.key,)


def _timing(entry: Entry) -> tuple[object, object]:
    spec = Object(entry.object()).spec
    return spec.get("schedule"), spec.get("timeZone")
