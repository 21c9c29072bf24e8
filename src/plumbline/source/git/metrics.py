"""What is counted about repositories, under the names that upstream's dashboards ask for."""

import contextlib
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2, 4, 10, 20)


class GitMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "argocd_git_request", "Exchanges with Git servers", ["repo", "request_type"], registry=registry
        )
        self._took = Histogram(
            "argocd_git_request_duration_seconds", "How long they took", ["repo", "request_type"],
            registry=registry, buckets=_BUCKETS,
        )  # fmt: skip
        self._failures = Counter("argocd_git_fetch_fail", "Exchanges that failed", ["repo"], registry=registry)

    def exchanged(self, repo: str, took_s: float, *, moved: bool) -> None:
        """One exchange. Where refs had not moved nothing was fetched, and the listing was all of it."""
        kind = "fetch" if moved else "ls-remote"
        self._requests.labels(repo, kind).inc()
        self._took.labels(repo, kind).observe(took_s)

    def failed(self, repo: str, took_s: float) -> None:
        self._requests.labels(repo, "fetch").inc()
        self._took.labels(repo, "fetch").observe(took_s)
        self._failures.labels(repo).inc()

    def forget(self, repo: str) -> None:
        labels = [(metric, (repo, kind)) for metric in (self._requests, self._took) for kind in ("fetch", "ls-remote")]
        for metric, values in [*labels, (self._failures, (repo,))]:
            with contextlib.suppress(KeyError):
                metric.remove(*values)
