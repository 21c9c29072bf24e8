"""A Job and its pods, counted."""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cached_property

from plumbline.apiserver.controllers.workloads.jobs.intervals import Indexes
from plumbline.apiserver.controllers.workloads.jobs.policies import fails_index, judged
from plumbline.apiserver.controllers.workloads.jobs.reading import (
    FINALIZER,
    all_failures_of_index,
    backs_off_per_index,
    completions_of,
    finished_at,
    has_failed,
    index_of,
    is_indexed,
)
from plumbline.apiserver.controllers.workloads.podviews import SUCCEEDED, Pod
from plumbline.kube.object import Object


class Work:
    """Never changed; each count is made once, when somebody asks."""

    def __init__(self, job: Object, pods: Iterable[Pod], now: datetime) -> None:
        self.job = job
        self.pods = tuple(sorted(pods, key=lambda pod: index_of(pod) or 0) if is_indexed(job) else pods)
        self.now = now
        self.indexed = is_indexed(job)
        self.completions = completions_of(job)
        uncounted = job.status.get("uncountedTerminatedPods") or {}
        self.uncounted_succeeded = frozenset(map(str, uncounted.get("succeeded") or ()))
        self.uncounted_failed = frozenset(map(str, uncounted.get("failed") or ()))

    @cached_property
    def active(self) -> list[Pod]:
        return [pod for pod in self.pods if pod.active]

    @cached_property
    def terminating(self) -> list[Pod]:
        return [pod for pod in self.pods if pod.terminating]

    @cached_property
    def new_succeeded(self) -> list[Pod]:
        return self._new(self.uncounted_succeeded, lambda pod: pod.phase == SUCCEEDED)

    @cached_property
    def new_failed(self) -> list[Pod]:
        return self._new(self.uncounted_failed, lambda pod: has_failed(pod, self.job))

    @cached_property
    def succeeded(self) -> int:
        """By now, whether the status says so already or not."""
        if self.indexed:
            return len(self.succeeded_indexes)
        return self._stored("succeeded") + len(self.new_succeeded) + len(self.uncounted_succeeded)

    @cached_property
    def failed(self) -> int:
        counted = sum(judged(self.job, pod).counts for pod in self.new_failed)
        return self._stored("failed") + counted + len(self.uncounted_failed)

    @cached_property
    def stored_indexes(self) -> Indexes:
        return Indexes.parse(str(self.job.status.get("completedIndexes") or ""), self.completions or 0)

    @cached_property
    def succeeded_indexes(self) -> Indexes:
        return self.stored_indexes | self._indexes_where(lambda pod: pod.phase == SUCCEEDED)

    @cached_property
    def failed_indexes(self) -> Indexes | None:
        """None where indexes do not fail one by one."""
        if not (self.indexed and backs_off_per_index(self.job)):
            return None
        before = Indexes.parse(str(self.job.status.get("failedIndexes") or ""), self.completions or 0)
        return before | self._indexes_where(lambda pod: fails_index(self.job, pod))

    @cached_property
    def to_be_replaced(self) -> dict[int, Pod]:
        """By index, the failed pod that waits for its successor, so that its count of failures is not lost."""
        if self.failed_indexes is None:
            return {}
        settled = self.succeeded_indexes | self.failed_indexes | Indexes.of(_indexes(self.active))
        latest: dict[int, Pod] = {}
        for pod in self.pods:
            index = self.valid_index(pod)
            if index is None or index in settled or not is_tracked(pod) or not has_failed(pod, self.job):
                continue
            before = latest.get(index)
            if before is None or _is_later(pod, before):
                latest[index] = pod
        return latest

    def valid_index(self, pod: Pod) -> int | None:
        index = index_of(pod)
        return index if index is not None and index < (self.completions or 0) else None

    def pending_indexes(self, *, keeping_terminating: bool) -> Indexes:
        """Those that nobody needs to start."""
        busy = [*self.active, *self.terminating] if keeping_terminating else self.active
        return self.succeeded_indexes | Indexes.of(_indexes(busy)) | (self.failed_indexes or Indexes())

    def _indexes_where(self, holds: Callable[[Pod], bool]) -> Indexes:
        found = (self.valid_index(pod) for pod in self.pods if is_tracked(pod) and holds(pod))
        return Indexes.of(index for index in found if index is not None)

    def _new(self, uncounted: frozenset[str], holds: Callable[[Pod], bool]) -> list[Pod]:
        return [
            pod
            for pod in self.pods
            if is_tracked(pod)
            and pod.uid not in uncounted
            and (not self.indexed or self.valid_index(pod) is not None)
            and holds(pod)
        ]

    def _stored(self, field: str) -> int:
        return int(self.job.status.get(field) or 0)


def is_tracked(pod: Pod) -> bool:
    return FINALIZER in pod.finalizers


def _indexes(pods: Iterable[Pod]) -> Iterable[int]:
    return (index for index in map(index_of, pods) if index is not None)


def _is_later(pod: Pod, before: Pod) -> bool:
    return all_failures_of_index(before) <= all_failures_of_index(pod) and finished_at(pod) >= finished_at(before)
