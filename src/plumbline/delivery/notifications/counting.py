"""What is counted about notifications, under upstream's names: a collector for a registry."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client.core import Metric


class Counting:
    def __init__(self) -> None:
        self._deliveries: dict[tuple[str, str, str], int] = {}
        self._evaluations: dict[tuple[str, str], int] = {}

    def delivered(self, trigger: str, service: str, *, succeeded: bool) -> None:
        labels = trigger, service, "true" if succeeded else "false"
        self._deliveries[labels] = self._deliveries.get(labels, 0) + 1

    def evaluated(self, trigger: str, *, triggered: bool) -> None:
        labels = trigger, "true" if triggered else "false"
        self._evaluations[labels] = self._evaluations.get(labels, 0) + 1

    def describe(self) -> Iterable["Metric"]:
        """Nothing ahead of time."""
        return ()

    def collect(self) -> Iterator["Metric"]:
        from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415 - whoever is never scraped need not load it

        deliveries = CounterMetricFamily(
            "argocd_notifications_deliveries", "Messages", labels=("trigger", "service", "succeeded")
        )
        evaluations = CounterMetricFamily(
            "argocd_notifications_trigger_eval", "Conditions that were worked out", labels=("name", "triggered")
        )
        for labels, count in list(self._deliveries.items()):
            deliveries.add_metric(labels, count)
        for named, count in list(self._evaluations.items()):
            evaluations.add_metric(named, count)
        yield from (deliveries, evaluations)
