"""Runs the pods of a Job to their end, and counts them."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.controllers.owners import controller
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.batches import all_at_once, slow_start
from plumbline.apiserver.controllers.workloads.claiming import Claim, claimed
from plumbline.apiserver.controllers.workloads.jobs.patience import Failures
from plumbline.apiserver.controllers.workloads.jobs.planning import Plan, plan
from plumbline.apiserver.controllers.workloads.jobs.pods import indexed_pod, plain_pod
from plumbline.apiserver.controllers.workloads.jobs.reading import (
    COMPLETE,
    FINALIZER,
    completions_of,
    finished_as,
    is_managed_by_others,
)
from plumbline.apiserver.controllers.workloads.jobs.tracking import close, settle, track
from plumbline.apiserver.controllers.workloads.jobs.work import Work, is_tracked
from plumbline.apiserver.controllers.workloads.podcontrol import NOT_FOUND, PodControl
from plumbline.apiserver.controllers.workloads.podviews import Pod, pod_from, pod_of
from plumbline.apiserver.controllers.workloads.watching import owner_of, selector_of
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object

_COMPONENT: Final = "job-controller"
_MARK: Final = FINALIZER.encode()


class _Done(NamedTuple):
    deleted: list[Pod]
    created: int
    refused: RequestRefused | None


class JobController:
    """Also frees pods that a Job left behind; those are looked at by their own keys."""

    name = _COMPONENT

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._pods = PodControl(cluster, _COMPONENT)
        self._failures: dict[Key, Failures] = {}
        self._of_owned = owner_of(cluster, kinds.JOB)

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {kinds.JOB: self._of_job, kinds.POD: self._of_pod}

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        if key.collection == kinds.PODS:
            await self._free_if_left(found)
            return None
        if found is None or finished_as(Object(found)):
            self._failures.pop(key, None)
        if found is None or is_managed_by_others(Object(found)):
            return None
        job = Object(found)
        if finished_as(job):
            await self._free_all(job)
            return None
        return await self._advance(key, job)

    async def _advance(self, key: Key, job: Object) -> float | None:
        claim = Claim(job, kinds.POD, selector_of(job.spec.get("selector")), finalizer=FINALIZER)
        pods = [pod_of(entry) for entry in await claimed(self._cluster, claim)]
        work = Work(job, pods, self._cluster.clock.now())
        failures = self._failures.get(key, Failures()).and_then(work.new_succeeded, work.new_failed)
        planned = plan(work, failures)
        done = await self._carry_out(work, planned)
        outcome = settle(work, planned, done.deleted, done.created)
        tracking = track(work, outcome)
        named = Object(await self._cluster.set_status(job.raw, tracking.status))
        if named.raw is not job.raw or tracking.release:
            self._failures[key] = failures
        for reason, message in outcome.events:
            await self._tell(job, reason, message)
        freed, refused = await self._released(tracking.release)
        still_tracked = {pod.uid for pod in work.pods if is_tracked(pod)} - freed
        status, finished = close(tracking, still_tracked, outcome.terminating, self._cluster.clock.now())
        await self._cluster.set_status(named.raw, status)
        if finished:
            await self._tell_end(job, status, finished)
        for why in (done.refused, refused):
            if why:
                raise why
        return planned.again_s

    async def _carry_out(self, work: Work, planned: Plan) -> _Done:
        job, doomed = work.job, planned.delete
        if doomed:
            outcomes = await all_at_once(
                range(len(doomed)), lambda index: self._delete(job, doomed[index], forget=planned.forget)
            )
            deleted = [pod for pod, outcome in zip(doomed, outcomes, strict=True) if outcome is None]
            return _Done(deleted, 0, next(filter(None, outcomes), None))
        indexes = planned.indexes
        plain = plain_pod(job)
        batch = await slow_start(
            planned.create,
            lambda at: self._pods.create(job, indexed_pod(work, indexes[at]) if indexes else plain),
        )
        return _Done([], batch.done, batch.refused)

    async def _delete(self, job: Object, pod: Pod, *, forget: bool) -> RequestRefused | None:
        if forget:
            try:
                await self._free(pod)
            except RequestRefused as refused:
                return refused
        return await self._pods.delete(job, pod)

    async def _released(self, pods: list[Pod]) -> tuple[set[str], RequestRefused | None]:
        """The uids of those that were let go, and why another was not."""

        async def attempt(index: int) -> RequestRefused | None:
            try:
                await self._free(pods[index])
            except RequestRefused as refused:
                return refused
            return None

        outcomes = await all_at_once(range(len(pods)), attempt)
        freed = {pod.uid for pod, outcome in zip(pods, outcomes, strict=True) if outcome is None}
        return freed, next(filter(None, outcomes), None)

    async def _free_all(self, job: Object) -> None:
        for entry in self._cluster.dependent_entries(job.uid, kinds.POD):
            if _MARK in entry.body:
                await self._free(pod_of(entry))

    async def _free_if_left(self, found: JsonObject | None) -> None:
        pod = pod_from(found) if found else None
        if pod is None or not is_tracked(pod):
            return
        owner = pod.controller
        if owner is not None:
            if owner.kind != kinds.JOB.kind or owner.api_version != "batch/v1":
                return
            job = Object(self._cluster.get(kinds.JOB, pod.metadata.namespace, owner.name) or {})
            if job.uid == owner.uid and (is_managed_by_others(job) or not finished_as(job)):
                return
        await self._free(pod)

    async def _free(self, pod: Pod) -> None:
        """Take its finalizer off; one that is gone needs no freedom."""
        uid = pod.uid
        try:
            await self._cluster.edit(
                pod.reference, lambda live: Object(live).without_finalizer(FINALIZER).raw if _is(live, uid) else None
            )
        except RequestRefused as refused:
            if refused.status["code"] != NOT_FOUND:
                raise

    async def _tell_end(self, job: Object, status: JsonObject, finished: JsonObject) -> None:
        if finished["type"] != COMPLETE:
            await self._tell(job, finished["reason"], finished["message"], warning=True)
            return
        wanted = completions_of(job)
        if wanted is not None and int(status.get("succeeded") or 0) > wanted:
            message = "Too many succeeded pods running after completion count reached"
            await self._tell(job, "TooManySucceededPods", message, warning=True)
        await self._tell(job, "Completed", "Job completed")

    async def _tell(self, job: Object, reason: str, message: str, *, warning: bool = False) -> None:
        await self._cluster.record(job.raw, reason, message, warning=warning, component=_COMPONENT)

    def _of_job(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        if self._cluster.holds(entry.key):
            return (entry.key,)
        left = self._cluster.dependent_entries(Object(entry.object()).uid, kinds.POD)
        return (entry.key, *(pod.key for pod in left))

    def _of_pod(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        keys = self._of_owned(entry, previous)
        if _MARK not in entry.body or not self._cluster.holds(entry.key):
            return keys
        owner = controller(entry)
        left = owner is None or not any(map(self._cluster.holds, keys))
        return (*keys, entry.key) if left else keys


def _is(live: JsonObject, uid: str) -> bool:
    return Object(live).uid == uid
