"""What the other sides were asked, counted under upstream's names. Labels that come from outside have no end: the oldest go."""

import contextlib
from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

REVISIONS: Final = 32
"""Of each repository, that failures are told of."""
_BUCKETS: Final = (0.1, 0.25, 0.5, 1, 2, 4, 10, 20)
_LABELS: Final = ("repo", "request_type")


class Questions:
    """How many there were, and how long they took."""

    def __init__(self, system: str, told: str, registry: CollectorRegistry) -> None:
        name = f"argocd_{system}_request"
        self._asked = Counter(name, told, _LABELS, registry=registry)
        self._took = Histogram(
            f"{name}_duration_seconds", "How long they took", _LABELS, registry=registry, buckets=_BUCKETS
        )

    def asked(self, repo: str, kind: str, took_s: float) -> None:
        self._asked.labels(repo, kind).inc()
        self._took.labels(repo, kind).observe(took_s)

    def forget(self, repo: str, kinds: Iterable[str]) -> None:
        for kind in kinds:
            forget(self._asked, repo, kind)
            forget(self._took, repo, kind)


class Failures:
    """By repository and revision. Whoever writes an Application thinks up revisions: the latest of each repository are told."""

    def __init__(self, name: str, told: str, registry: CollectorRegistry) -> None:
        self._failures = Counter(name, told, ("repo", "revision"), registry=registry)
        self._revisions: dict[str, dict[str, None]] = {}

    def failed(self, repo: str, revision: str) -> None:
        """No revision for what is asked on behalf of all of them."""
        known = self._revisions.setdefault(repo, {})
        known.pop(revision, None)
        known[revision] = None
        self._failures.labels(repo, revision).inc()
        if len(known) > REVISIONS:
            oldest = next(iter(known))
            del known[oldest]
            forget(self._failures, repo, oldest)

    def forget(self, repo: str) -> None:
        for revision in self._revisions.pop(repo, ()):
            forget(self._failures, repo, revision)


def forget(metric: Counter | Histogram, *labels: str) -> None:
    """Let go what *metric* has of *labels*, if it has anything."""
    with contextlib.suppress(KeyError):
        metric.remove(*labels)
