"""Upstream's metrics about Applications and clusters, under its names and with its labels, for its dashboards and alerts.

What Applications are like is read from the copy that the informer keeps, when somebody asks: nothing is spent on it per
look. What is counted as it happens (syncs, looks, requests, events) is an addition in a dict each.

Of upstream's names these are nowhere here, because nothing would be behind them: `argocd_kubectl_*` (no kubectl is run),
`argocd_redis_*` (there is none), `argocd_resource_events_*` (events are not handled in batches), `argocd_appset_*` and
`argocd_github_api_*` (there are no ApplicationSets), `argocd_proxy_extension_*` (there are no extensions), `grpc_server_*`
(the API is asked over HTTP) and `argocd_webhook_store_cache_attempts_total` (nothing is kept by the commit that a webhook names).
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.delivery.destinations import Destination
from plumbline.delivery.glances import App, OperationState, glance, repository, seconds
from plumbline.delivery.live import Event, LiveChanged
from plumbline.delivery.settings.clusters import Clusters
from plumbline.gate.gate import Gate, Outcome, Performed
from plumbline.gate.intents import Act, Intent
from plumbline.journal.parties import LiveObject
from plumbline.kernel.cache import Cache, Cached, Key
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.ownership.values import Claim
from plumbline.source.urls import normalised

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

APP: Final = ("namespace", "name", "project")
_INFO: Final = (
    *APP, "autosync_enabled", "repo", "dest_server", "dest_namespace", "sync_status", "health_status", "operation",
)  # fmt: skip
_SYNCS: Final = (*APP, "dest_server", "phase", "dry_run")
_REQUESTS: Final = (
    *APP, "server", "response_code", "verb", "resource_kind", "resource_namespace", "dry_run",
)  # fmt: skip
_BUCKETS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_PUSHED: Final = 1024
"""Addresses that webhooks named. Where there is no secret, anybody may name any."""
_ENDED: Final = frozenset({"Succeeded", "Failed", "Error"})
_VERBS: Final = {"apply": "Patch", "create": "Create", "delete": "Delete", "patch": "Patch"}
_CODES: Final = {
    "not-found": "404", "conflict": "409", "already-exists": "409", "field-conflict": "409", "forbidden": "403",
    "unauthenticated": "401", "throttled": "429", "invalid-input": "422", "server-fault": "500",
}  # fmt: skip
_orphans: Final = re.compile(r"has (\d+) orphaned resources").search
_unusable: Final = re.compile(r"[^a-zA-Z0-9_]")


class _Read(NamedTuple):
    entry: Cached
    app: App


class Watched(NamedTuple):
    """What the metrics tell about."""

    applications: Cache
    clusters: Callable[[], Clusters]
    destinations: Callable[[], Iterable[Destination]]
    labels: Callable[[], Sequence[str]] = tuple
    """Labels of Applications that are told as labels of `argocd_app_labels`; none and there is no such metric."""


class DeliveryMetrics:
    """A collector for a registry. `collect` may be called from another thread than everything else."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._read: dict[Key, _Read] = {}
        self._operations: dict[Key, str] = {}
        self._syncs: dict[tuple[str, ...], float] = {}
        self._sync_s: dict[tuple[str, ...], float] = {}
        self._requests: dict[tuple[str, ...], float] = {}
        self._events: dict[tuple[str, ...], float] = {}
        self._pushes: dict[tuple[str, ...], float] = {}
        self._looks: dict[tuple[str, str], list[float]] = {}
        """The counts of each bucket, then the sum."""

    def changed(self, before: Cached | None, after: Cached | None) -> None:
        """Follows the informer of Applications."""
        if after is None:
            if before is not None:
                self._read.pop(before.meta.key, None)
                self._operations.pop(before.meta.key, None)
            return
        if before is not None and before.status == after.status:
            return
        key, state = after.meta.key, self._app(after).status.operation_state
        if state is None or state.phase not in _ENDED:
            return
        known = self._operations.get(key)
        self._operations[key] = state.finished_at
        # An operation that had ended before we came is somebody else's to count.
        if before is not None and known != state.finished_at:
            self._synced(after, state)

    def _synced(self, entry: Cached, state: OperationState) -> None:
        labels = (*self._named(entry), self._server(entry))
        sync = state.operation.sync if state.operation is not None else None
        _add(self._syncs, (*labels, state.phase, _flag(on=sync is not None and sync.dry_run)))
        _add(self._sync_s, labels, seconds(state))

    def looked(self, key: Key, took_s: float) -> None:
        """One look at an Application is over."""
        entry = self._watched.applications.get(key)
        if entry is None:
            return
        counts = self._looks.setdefault((key[0], self._server(entry)), [0.0] * (len(_BUCKETS) + 2))
        counts[next((at for at, most in enumerate(_BUCKETS) if took_s <= most), len(_BUCKETS))] += 1
        counts[-1] += took_s

    def listener(self, destination: Destination) -> LiveChanged:
        """Counts what happens on a cluster."""
        server = destination.cluster.server

        def changed(event: Event) -> None:
            _add(self._events, (server, event.gvk.group, event.gvk.kind))

        return changed

    def pushed(self, url: str) -> None:
        """A webhook told of a push."""
        labels = (normalised(url),)
        if labels not in self._pushes and len(self._pushes) >= _PUSHED:
            del self._pushes[next(iter(self._pushes))]
        _add(self._pushes, labels)

    def requested(self, intent: Intent, code: str) -> None:
        """A write for an application was answered."""
        subject, behalf = intent.subject, intent.behalf
        if not isinstance(subject, LiveObject) or not isinstance(behalf, LiveObject):
            return
        server = "https://kubernetes.default.svc" if subject.cluster == "in-cluster" else subject.cluster
        verb = _VERBS.get(intent.verb, intent.verb)
        app = (behalf.namespace, behalf.name, intent.project)
        _add(self._requests, (*app, server, code, verb, subject.kind, subject.namespace, _flag(on=intent.minor)))

    def counted(self, gate: Gate) -> Gate:
        """*gate*, with its writes counted."""
        return _CountedGate(gate, self.requested)

    def describe(self) -> Iterable["Metric"]:
        """Nothing ahead of time: what there is depends on what there is to tell about."""
        return ()

    def collect(self) -> Iterator["Metric"]:
        from prometheus_client.core import (  # noqa: PLC0415 - whoever is never scraped need not load it
            CounterMetricFamily,
            HistogramMetricFamily,
        )

        yield from self._applications()
        for name, told, labels, counts in self._counters():
            yield _filled(CounterMetricFamily(name, told, labels=labels), counts)
        looks = HistogramMetricFamily(
            "argocd_app_reconcile", "How long looks took", labels=("namespace", "dest_server")
        )
        for who, seen in list(self._looks.items()):
            looks.add_metric(who, cumulated(_BUCKETS, seen[:-1]), seen[-1])
        yield looks
        yield from self._clusters()

    def _counters(self) -> tuple[tuple[str, str, Sequence[str], dict[tuple[str, ...], float]], ...]:
        return (
            ("argocd_app_sync", "Operations that have ended", _SYNCS, self._syncs),
            ("argocd_app_sync_duration_seconds", "Seconds that operations took", _SYNCS[:4], self._sync_s),
            ("argocd_app_k8s_request", "Writes for applications", _REQUESTS, self._requests),
            ("argocd_cluster_events", "Changes of objects that were seen", ("server", "group", "kind"), self._events),
            ("argocd_webhook_requests", "Pushes that webhooks told of", ("repo",), self._pushes),
        )

    def _applications(self) -> Iterator["Metric"]:
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - see collect

        labels = tuple(self._watched.labels())
        info = GaugeMetricFamily("argocd_app_info", "What an application is like", labels=_INFO)
        conditions = GaugeMetricFamily("argocd_app_condition", "What it complains about", labels=(*APP, "condition"))
        orphans = GaugeMetricFamily("argocd_app_orphaned_resources_count", "What belongs to nobody", labels=APP)
        labelled = GaugeMetricFamily("argocd_app_labels", "Its labels", labels=(*APP, *map(_label, labels)))
        for key in sorted(self._watched.applications.keys()):
            entry = self._watched.applications.get(key)
            if entry is None:
                continue
            app, named = self._app(entry), self._named(entry)
            info.add_metric((*named, *self._info(entry, app)), 1)
            labelled.add_metric((*named, *(entry.meta.labels.get(each, "") for each in labels)), 1)
            self._complaints(conditions, orphans, named, app)
        yield from (info, conditions, orphans)
        if labels:
            yield labelled

    @staticmethod
    def _complaints(
        conditions: "GaugeMetricFamily", orphans: "GaugeMetricFamily", named: tuple[str, str, str], app: App
    ) -> None:
        counts: dict[str, int] = {}
        lost = 0
        for each in app.status.conditions or ():
            counts[each.type] = counts.get(each.type, 0) + 1
            found = _orphans(each.message) if each.type == "OrphanedResourceWarning" else None
            lost += int(found[1]) if found else 0
        for kind, count in sorted(counts.items()):
            conditions.add_metric((*named, kind), count)
        orphans.add_metric(named, lost)

    def _info(self, entry: Cached, app: App) -> tuple[str, ...]:
        spec, status = app.spec, app.status
        automated = spec.sync_policy.automated if spec.sync_policy is not None else None
        syncing = app.operation is not None and app.operation.sync is not None
        return (
            _flag(on=automated is not None and automated.enabled is not False),
            normalised(repository(spec)) if repository(spec) else "",
            self._server(entry),
            spec.destination.namespace,
            (status.sync.status if status.sync else "") or "Unknown",
            (status.health.status if status.health else "") or "Unknown",
            "delete" if entry.meta.deletion_timestamp else "sync" if syncing else "",
        )

    def _clusters(self) -> Iterator["Metric"]:
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - see collect

        info = GaugeMetricFamily("argocd_cluster_info", "A cluster", labels=("server", "k8s_version", "name"))
        objects = GaugeMetricFamily("argocd_cluster_api_resource_objects", "Objects that are known", labels=("server",))
        kinds = GaugeMetricFamily("argocd_cluster_api_resources", "Kinds that are watched", labels=("server",))
        ages = GaugeMetricFamily("argocd_cluster_cache_age_seconds", "Since all was listed", labels=("server",))
        connected = GaugeMetricFamily(
            "argocd_cluster_connection_status", "Whether all watches stand", labels=("server", "k8s_version")
        )
        for each in self._watched.destinations():
            server, version = each.cluster.server, f"v{each.kube_version}" if each.kube_version else ""
            collections = each.live.collections
            info.add_metric((server, version, each.cluster.name), 1)
            objects.add_metric((server,), sum(len(collection.cache) for collection in collections))
            kinds.add_metric((server,), len({collection.resource.gvk for collection in collections}))
            ages.add_metric((server,), _age(collection.informer.age_s for collection in collections))
            standing = all(collection.informer.interrupted is None for collection in collections)
            connected.add_metric((server, version), 1 if standing else 0)
        yield from (info, objects, kinds, ages, connected)

    def _app(self, entry: Cached) -> App:
        """What is told of it, decoded once for each version that is asked about."""
        known = self._read.get(entry.meta.key)
        if known is not None and known.entry is entry:
            return known.app
        app = glance(entry.raw)
        self._read[entry.meta.key] = _Read(entry, app)
        return app

    def _named(self, entry: Cached) -> tuple[str, str, str]:
        return entry.meta.namespace, entry.meta.name, self._app(entry).spec.project or "default"

    def _server(self, entry: Cached) -> str:
        said = self._app(entry).spec.destination
        try:
            return self._watched.clusters().resolve(ApplicationDestination(server=said.server, name=said.name)).server
        except PlumblineError:
            return ""


class _CountedGate(Gate):
    """A gate that another one stands behind."""

    def __init__(self, gate: Gate, counted: Callable[[Intent, str], None]) -> None:  # no gate of its own
        self._gate = gate
        self._counted = counted

    def permit(self, claim: Claim) -> None:
        self._gate.permit(claim)

    async def perform(self, intent: Intent, act: Act) -> Outcome:
        try:
            outcome = await self._gate.perform(intent, act)
        except PlumblineError as error:
            self._counted(intent, _CODES.get(error.code, "unknown"))
            raise
        if isinstance(outcome, Performed):
            self._counted(intent, "201" if intent.verb == "create" else "200")
        return outcome


def cumulated(bounds: Sequence[float], counts: Sequence[float]) -> list[tuple[str, float]]:
    """Buckets as Prometheus has them, each with all that is in the smaller ones, of counts that are in one each."""
    names = (*(f"{most:g}" for most in bounds), "+Inf")
    return list(zip(names, itertools.accumulate(counts), strict=True))


def _age(ages: Iterable[float | None]) -> int:
    """Of what was listed the longest ago. As upstream has it: in whole seconds, and -1 where nothing was."""
    return int(max((age for age in ages if age is not None), default=-1))


def _add(counts: dict[tuple[str, ...], float], labels: tuple[str, ...], amount: float = 1) -> None:
    counts[labels] = counts.get(labels, 0) + amount


def _filled(family: "CounterMetricFamily", counts: dict[tuple[str, ...], float]) -> "Metric":
    for labels, count in sorted(counts.items()):
        family.add_metric(labels, count)
    return family


def _flag(*, on: bool) -> str:
    return "true" if on else "false"


def _label(name: str) -> str:
    """A label of Kubernetes as one of Prometheus."""
    return "label_" + _unusable.sub("_", name)
