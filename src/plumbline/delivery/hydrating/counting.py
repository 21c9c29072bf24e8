"""What is counted about pushes, under the names of upstream's commit server."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from plumbline.base.clock import Clock

_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2, 4, 10, 20)
_LABELS: Final = ("repo", "response_type")


class Counting:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.registry = CollectorRegistry()
        self._pending = Gauge(
            "argocd_commitserver_commit_pending_request_total", "Pushes under way", ["repo"], registry=self.registry
        )
        self._ended = Counter("argocd_commitserver_commit_request", "Pushes", _LABELS, registry=self.registry)
        self._took = Histogram(
            "argocd_commitserver_commit_request_duration_seconds", "How long they took", _LABELS,
            registry=self.registry, buckets=_BUCKETS,
        )  # fmt: skip

    @contextmanager
    def push(self, repo: str) -> Iterator[None]:
        """Around one push: whatever is raised within is a failure."""
        began_s, outcome = self._clock.monotonic(), "failure"
        with self._pending.labels(repo).track_inprogress():
            try:
                yield
                outcome = "success"
            finally:
                self._ended.labels(repo, outcome).inc()
                self._took.labels(repo, outcome).observe(self._clock.monotonic() - began_s)
