"""What is counted of requests, by the names that dashboards for Sealed Secrets know."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

_PREFIX: Final = "sealed_secrets_controller"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Counts:
    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        registry = registry or CollectorRegistry()
        self._requests = Counter(
            f"{_PREFIX}_http_requests", "Requests that were answered", ["path", "code", "method"], registry=registry
        )
        self._took = Histogram(
            f"{_PREFIX}_http_request_duration_seconds", "How long answers took", ["path", "method"],
            registry=registry, buckets=_BUCKETS,
        )  # fmt: skip

    def answered(self, path: str, method: str, code: int, took_s: float) -> None:
        """*path* and *method* are of a route, so that no stranger can make up new ones."""
        self._requests.labels(path, str(code), method.lower()).inc()
        self._took.labels(path, method.lower()).observe(took_s)
