"""What the kernel counts, for Prometheus. One registry per process part, handed in, so that tests count from zero."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_WAIT_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300)


class Metrics:
    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._depth = Gauge(
            "plumbline_queue_depth", "Keys that wait for a look", ["controller"], registry=self.registry
        )
        self._wait = Histogram(
            "plumbline_queue_wait_seconds", "How long keys waited", ["controller"],
            registry=self.registry, buckets=_WAIT_BUCKETS,
        )  # fmt: skip
        self._took = Histogram(
            "plumbline_reconcile_seconds", "How long looks took", ["controller"],
            registry=self.registry, buckets=_WAIT_BUCKETS,
        )  # fmt: skip
        self._outcomes = Counter(
            "plumbline_reconcile_outcomes", "How looks ended", ["controller", "outcome"], registry=self.registry
        )
        self._restarts = Counter(
            "plumbline_watch_restarts", "Watches that broke and went on", ["resource"], registry=self.registry
        )
        self._writes = Counter("plumbline_writes", "Writes to the API", ["resource", "verb"], registry=self.registry)
        self._leading = Gauge("plumbline_leading", "Whether this replica leads", ["lease"], registry=self.registry)

    def queue_depth(self, controller: str, depth: int) -> None:
        self._depth.labels(controller).set(depth)

    def queue_wait(self, controller: str, waited_s: float) -> None:
        self._wait.labels(controller).observe(waited_s)

    def reconciled(self, controller: str, outcome: str, took_s: float) -> None:
        self._took.labels(controller).observe(took_s)
        self._outcomes.labels(controller, outcome).inc()

    def watch_restarts(self, resource: str) -> None:
        self._restarts.labels(resource).inc()

    def wrote(self, resource: str, verb: str) -> None:
        self._writes.labels(resource, verb).inc()

    def leading(self, lease: str, *, leads: bool) -> None:
        self._leading.labels(lease).set(leads)


@contextmanager
def collected(registry: CollectorRegistry, collector: Any) -> Iterator[None]:
    """*registry* asks *collector*, or another registry, too, for as long as this goes on: who leads again later counts anew."""
    registry.register(collector)
    try:
        yield
    finally:
        registry.unregister(collector)
