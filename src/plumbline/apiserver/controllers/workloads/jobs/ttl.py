"""Deletes finished Jobs some time after they finished."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.controllers.workloads import kinds
from plumbline.apiserver.controllers.workloads.jobs.reading import finished_as, held
from plumbline.apiserver.controllers.workloads.moments import moment
from plumbline.apiserver.storage.entries import Key
from plumbline.kube.names import GroupKind
from plumbline.kube.object import Object


class TtlController:
    name = "ttl-after-finished-controller"

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {kinds.JOB: itself}

    async def reconcile(self, key: Key) -> float | None:
        found = self._cluster.at(key)
        left_s = time_left_s(Object(found), self._cluster.clock.now()) if found else None
        if left_s is None or left_s > 0:
            return left_s
        await self._cluster.delete(found or {}, propagation="Foreground")
        return None


def time_left_s(job: Object, now: datetime) -> float | None:
    """Until it is to be deleted; None where it is not to be, or is being already."""
    allowed, ended = job.spec.get("ttlSecondsAfterFinished"), finished_as(job)
    if allowed is None or not ended or job.deletion_timestamp:
        return None
    condition = held(job, ended) or {}
    finished = moment(str(condition.get("lastTransitionTime") or ""))
    return (finished + timedelta(seconds=int(allowed)) - now).total_seconds() if finished else None
