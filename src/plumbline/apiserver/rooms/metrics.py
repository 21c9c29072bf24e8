"""What the control plane counts, for Prometheus, under the names that the real API server uses."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.storage.store import Store

_MOST: Final = 5_000
"""Paths come from anybody: what is counted apart is bounded."""
_OTHERS: Final = ("OTHER", "", "", "", "", "")


class Tally:
    """How many requests were answered how. Counting is a dictionary's work; names are made when somebody asks.

    What is not *known* to be served has no name of its own, whoever asks for it.
    """

    def __init__(self, known: Callable[[Route], bool] = lambda _: True) -> None:
        self._known = known
        self.requests: Counter[tuple[str, str, str, str, str, str]] = Counter()

    def count(self, route: Route, status: int) -> None:
        key = (route.verb.upper(), route.group, route.version, route.resource, route.subresource, str(status))
        if route.is_resource and not self._known(route):
            key = _OTHERS
        if key not in self.requests and len(self.requests) >= _MOST:
            key = _OTHERS
        self.requests[key] += 1


class MetricsRoom:
    def __init__(self, store: Store, tally: Tally) -> None:
        self._store = store
        self._tally = tally
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    async def answer(self, _route: Route, call: Call, _identity: Identity) -> Answer | None:
        if call.path != "/metrics":
            return None
        return Answer(200, generate_latest(self._registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)

    def collect(self) -> Iterable[Metric]:
        labels = ("verb", "group", "version", "resource", "subresource", "code")
        requests = CounterMetricFamily("apiserver_request", "Requests that were answered", labels=labels)
        for names, count in self._tally.requests.items():
            requests.add_metric(names, count)
        objects = GaugeMetricFamily("apiserver_resource_objects", "Stored objects", labels=("group", "resource"))
        watchers = GaugeMetricFamily("apiserver_longrunning_requests", "Open watches", labels=("group", "resource"))
        for collection in self._store.collections:
            objects.add_metric(collection, len(self._store.shelf(collection)))
        for collection, count in self._store.watched():
            watchers.add_metric(collection, count)
        revision = GaugeMetricFamily("apiserver_storage_revision", "Revision of the newest visible change")
        revision.add_metric((), self._store.revision)
        return (requests, objects, watchers, revision)
