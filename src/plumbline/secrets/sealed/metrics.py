"""What dashboards of Sealed Secrets show, under the names that they know."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from plumbline.kernel.cache import Cached

_PREFIX: Final = "sealed_secrets_controller"
_INSTANCE: Final = "app.kubernetes.io/instance"
_VALUES: Final = {"False": -1, "Unknown": 0, "True": 1}


class SealedMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._unsealed = Counter(f"{_PREFIX}_unseal_requests", "SealedSecrets that were looked at", registry=registry)
        self._failed = Counter(
            f"{_PREFIX}_unseal_errors", "SealedSecrets that did not become Secrets", ["reason", "namespace"],
            registry=registry,
        )  # fmt: skip
        self._condition = Gauge(
            f"{_PREFIX}_condition_info", "Conditions of SealedSecrets: -1 false, 0 unknown, 1 true",
            ["namespace", "name", "condition", "ss_app_kubernetes_io_instance"], registry=registry,
        )  # fmt: skip
        self._unexported = Gauge(
            "plumbline_sealing_keys_unexported", "Sealing keys that exist nowhere but in the cluster", registry=registry
        )
        self._labels: dict[tuple[str, str], tuple[str, str, str, str]] = {}

    def looked(self) -> None:
        self._unsealed.inc()

    def failed(self, reason: str, namespace: str) -> None:
        self._failed.labels(reason, namespace).inc()

    def said(self, entry: Cached, status: str) -> None:
        key = entry.meta.key
        labels = (*key, "Synced", entry.meta.labels.get(_INSTANCE, ""))
        if self._labels.get(key, labels) != labels:
            self.gone(entry)
        self._labels[key] = labels
        self._condition.labels(*labels).set(_VALUES.get(status, 0))

    def gone(self, entry: Cached) -> None:
        labels = self._labels.pop(entry.meta.key, None)
        if labels is not None:
            self._condition.remove(*labels)

    def unexported(self, keys: int) -> None:
        self._unexported.set(keys)
