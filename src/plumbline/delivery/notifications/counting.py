"""What is counted about notifications, under upstream's names."""

from prometheus_client import CollectorRegistry, Counter


class Counting:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._deliveries = Counter(
            "argocd_notifications_deliveries", "Notifications that were sent, or were not",
            ["trigger", "service", "succeeded"], registry=registry,
        )  # fmt: skip
        self._evaluations = Counter(
            "argocd_notifications_trigger_eval",
            "Conditions that were worked out",
            ["name", "triggered"],
            registry=registry,
        )

    def delivered(self, trigger: str, service: str, *, succeeded: bool) -> None:
        self._deliveries.labels(trigger, service, "true" if succeeded else "false").inc()

    def evaluated(self, trigger: str, *, triggered: bool) -> None:
        self._evaluations.labels(trigger, "true" if triggered else "false").inc()
