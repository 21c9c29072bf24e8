"""Upstream's metrics about renders that wait, read from the renderer when somebody asks."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from plumbline.delivery.metrics import cumulated
from plumbline.render.waiting import BUCKETS, Waiting
from plumbline.source.urls import redacted

if TYPE_CHECKING:
    from prometheus_client.core import Metric


class RenderMetrics:
    """A collector for a registry. `collect` may be called from another thread than everything else."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting

    def describe(self) -> Iterable["Metric"]:
        """Nothing ahead of time, as all collectors of delivery."""
        return ()

    def collect(self) -> Iterator["Metric"]:
        from prometheus_client.core import (  # noqa: PLC0415 - whoever is never scraped need not load it
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        pending = GaugeMetricFamily("argocd_repo_pending_request_total", "Renders under way", labels=("repo",))
        for repo, count in sorted(self._pending().items()):
            pending.add_metric((repo,), count)
        waits = HistogramMetricFamily("argocd_repo_parallelism_wait_duration_seconds", "How long renders waited")
        seen = list(self._waiting.waits)
        waits.add_metric((), cumulated(BUCKETS, seen[:-1]), seen[-1])
        yield from (pending, waits)

    def _pending(self) -> dict[str, int]:
        """Addresses that differ in their credentials alone are one here."""
        found: dict[str, int] = {}
        for url, count in list(self._waiting.pending.items()):
            repo = redacted(url)
            found[repo] = found.get(repo, 0) + count
        return found
