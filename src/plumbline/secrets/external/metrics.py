"""What is counted about secrets from stores, under the names that upstream's dashboards ask for."""

import contextlib
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from plumbline.kernel.cache import Key

_STATUSES: Final = ("True", "False")
_NANOSECONDS: Final = 1e9
"""Upstream's gauges of durations are in nanoseconds, whatever Prometheus recommends."""


class Conditions:
    """`*_status_condition`: one for the status that holds, zero for its opposite."""

    def __init__(self, name: str, registry: CollectorRegistry) -> None:
        labels = ["condition", "name", "namespace", "status"]
        self._gauge = Gauge(name, "Whether the condition has the status", labels, registry=registry)

    def told(self, key: Key, condition: str, status: str) -> None:
        namespace, name = key
        for each in _STATUSES:
            self._gauge.labels(condition, name, namespace, each).set(each == status)

    def forget(self, key: Key, condition: str) -> None:
        namespace, name = key
        for each in _STATUSES:
            with contextlib.suppress(KeyError):
                self._gauge.remove(condition, name, namespace, each)


class _Durations:
    def __init__(self, name: str, registry: CollectorRegistry) -> None:
        self._gauge = Gauge(
            name, "How long the last look took, in nanoseconds", ["name", "namespace"], registry=registry
        )

    def looked(self, key: Key, took_s: float) -> None:
        namespace, name = key
        self._gauge.labels(name, namespace).set(took_s * _NANOSECONDS)

    def forget(self, key: Key) -> None:
        namespace, name = key
        with contextlib.suppress(KeyError):
            self._gauge.remove(name, namespace)


class StoreMetrics:
    """Of SecretStores or of ClusterSecretStores."""

    def __init__(self, kind: str, registry: CollectorRegistry) -> None:
        prefix = kind.lower()
        self.conditions = Conditions(f"{prefix}_status_condition", registry)
        self.durations = _Durations(f"{prefix}_reconcile_duration", registry)

    def looked(self, key: Key, took_s: float) -> None:
        self.durations.looked(key, took_s)

    def forget(self, key: Key) -> None:
        self.conditions.forget(key, "Ready")
        self.durations.forget(key)


class ExternalMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        named = ["name", "namespace"]
        self.conditions = Conditions("externalsecret_status_condition", registry)
        self._calls = Counter("externalsecret_sync_calls", "Looks at ExternalSecrets", named, registry=registry)
        # Gauges, since the names of these two counters do not end as Prometheus' own library insists on.
        self._errors = Gauge("externalsecret_sync_calls_error", "Looks that failed", named, registry=registry)
        self._asked = Gauge(
            "externalsecret_provider_api_calls_count", "Questions to stores", ["provider", "call", "status"],
            registry=registry,
        )  # fmt: skip
        self._durations = _Durations("externalsecret_reconcile_duration", registry)

    def asked(self, provider: str, call: str, *, failed: bool) -> None:
        self._asked.labels(provider, call, "error" if failed else "success").inc()

    def looked(self, key: Key, took_s: float) -> None:
        namespace, name = key
        self._calls.labels(name, namespace).inc()
        self._durations.looked(key, took_s)

    def failed(self, key: Key) -> None:
        namespace, name = key
        self._errors.labels(name, namespace).inc()

    def gone(self, key: Key) -> None:
        """The object is no more: nothing is said of it but that."""
        namespace, name = key
        self.conditions.forget(key, "Ready")
        self._durations.forget(key)
        for metric in (self._calls, self._errors):
            with contextlib.suppress(KeyError):
                metric.remove(name, namespace)
