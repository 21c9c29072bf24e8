"""Upstream's dashboards find what they ask for."""

from contextlib import suppress
from types import SimpleNamespace

import msgspec
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from tests.delivery.town import REPO, config_map, story

from plumbline.base.errors import Conflict, ServerFault
from plumbline.base.json import encode
from plumbline.delivery.metrics import DeliveryMetrics, Watched
from plumbline.delivery.rendermetrics import RenderMetrics
from plumbline.delivery.settings.clusters import read_clusters
from plumbline.gate.gate import Performed, Withheld
from plumbline.gate.intents import Intent
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cache, Relevance, cached
from plumbline.kernel.metrics import collected
from plumbline.kube.names import Ref
from plumbline.render.waiting import Waiting

SERVER = "https://kubernetes.default.svc"

# Names and labels as controller/metrics, reposerver/metrics, server and util/webhook of Argo CD 3.5.6 register them.
UPSTREAM = {
    "argocd_app_info": {"namespace", "name", "project", "autosync_enabled", "repo", "dest_server", "dest_namespace", "sync_status", "health_status", "operation"},
    "argocd_app_condition": {"namespace", "name", "project", "condition"},
    "argocd_app_labels": {"namespace", "name", "project", "label_team_name"},
    "argocd_app_orphaned_resources_count": {"namespace", "name", "project"},
    "argocd_app_sync_total": {"namespace", "name", "project", "dest_server", "phase", "dry_run"},
    "argocd_app_sync_duration_seconds_total": {"namespace", "name", "project", "dest_server"},
    "argocd_app_reconcile_bucket": {"namespace", "dest_server", "le"},
    "argocd_app_reconcile_sum": {"namespace", "dest_server"},
    "argocd_app_reconcile_count": {"namespace", "dest_server"},
    "argocd_app_k8s_request_total": {"namespace", "name", "project", "server", "response_code", "verb", "resource_kind", "resource_namespace", "dry_run"},
    "argocd_cluster_info": {"server", "k8s_version", "name"},
    "argocd_cluster_api_resources": {"server"},
    "argocd_cluster_api_resource_objects": {"server"},
    "argocd_cluster_cache_age_seconds": {"server"},
    "argocd_cluster_connection_status": {"server", "k8s_version"},
    "argocd_cluster_events_total": {"server", "group", "kind"},
    "argocd_webhook_requests_total": {"repo"},
    "argocd_repo_pending_request_total": {"repo"},
    "argocd_repo_parallelism_wait_duration_seconds_bucket": {"le"},
    "argocd_repo_parallelism_wait_duration_seconds_sum": set(),
    "argocd_repo_parallelism_wait_duration_seconds_count": set(),
}  # fmt: skip


def samples(registry):
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return [sample for family in families for sample in family.samples if sample.name.startswith("argocd_")]


@story(files={"web/cm.yaml": config_map("web")})
async def test_every_metric_has_upstreams_name_and_labels(town):
    metrics = town.delivery.metrics
    metrics._watched = metrics._watched._replace(labels=lambda: ("team/name",))
    metrics.pushed("git@github.com:Acme/Shop.git")
    await town.deploy(metadata={"labels": {"team/name": "a"}})
    await town.synced()
    await town.deploy("lost", path="nowhere")
    await town.settle(20)
    found = {}
    for sample in samples(town.world.metrics.registry):
        found.setdefault(sample.name, set()).update(sample.labels)
    assert {name: labels for name, labels in UPSTREAM.items() if found.get(name) != labels} == {}
    assert all(not name.startswith(("argocd_app", "argocd_cluster")) or name in UPSTREAM for name in found)


@story(files={"web/cm.yaml": config_map("web")})
async def test_what_is_told_is_so(town):
    town.delivery.metrics.pushed("git@github.com:Acme/Shop.git")
    await town.deploy(metadata={"labels": {"team/name": "a"}})
    await town.synced()
    await town.settle(20)
    value = town.world.metrics.registry.get_sample_value
    app = {"namespace": "argocd", "name": "web", "project": "default"}
    info = {
        **app, "autosync_enabled": "true", "repo": "https://git.example.org/shop", "dest_server": SERVER,
        "dest_namespace": "shop", "sync_status": "Synced", "health_status": "Healthy", "operation": "",
    }  # fmt: skip
    assert value("argocd_app_info", info) == 1
    synced = {**app, "dest_server": SERVER}
    assert value("argocd_app_sync_total", {**synced, "phase": "Succeeded", "dry_run": "false"}) == 1
    assert value("argocd_app_sync_duration_seconds_total", synced) >= 0
    assert value("argocd_app_orphaned_resources_count", app) == 0
    assert value("argocd_app_reconcile_count", {"namespace": "argocd", "dest_server": SERVER}) >= 1
    assert value("argocd_cluster_info", {"server": SERVER, "name": "in-cluster", "k8s_version": _version(town)}) == 1
    assert value("argocd_cluster_connection_status", {"server": SERVER, "k8s_version": _version(town)}) == 1
    assert value("argocd_cluster_api_resources", {"server": SERVER}) >= 1
    assert value("argocd_cluster_api_resource_objects", {"server": SERVER}) >= 1
    assert 20 <= value("argocd_cluster_cache_age_seconds", {"server": SERVER}) <= town.world.clock.monotonic()
    assert value("argocd_repo_pending_request_total", {"repo": REPO}) == 0
    assert value("argocd_cluster_events_total", {"server": SERVER, "group": "", "kind": "ConfigMap"}) >= 1
    assert value("argocd_webhook_requests_total", {"repo": "git@github.com/acme/shop"}) == 1
    written = [each for each in samples(town.world.metrics.registry) if each.name == "argocd_app_k8s_request_total"]
    assert {(each.labels["name"], each.labels["resource_kind"], each.labels["server"]) for each in written} == {
        ("web", "ConfigMap", SERVER)
    }
    await town.delete("argoproj.io/v1alpha1/applications", "web", "argocd")
    await town.settle(10)
    assert value("argocd_app_info", info) is None


def _version(town):
    (destination,) = town.delivery.destinations.ready
    return f"v{destination.kube_version}" if destination.kube_version else ""


def metrics_of(*apps, labels=()):
    cache = Cache(Relevance(status=False))
    for app in apps:
        cache.put(entry(app))
    return DeliveryMetrics(Watched(cache, lambda: read_clusters(()), tuple, lambda: labels)), cache


def entry(app):
    whole = {
        "metadata": {
            "namespace": "argocd",
            "name": "web",
            "uid": "u",
            "resourceVersion": "1",
            **app.pop("metadata", {}),
        },
        **app,
    }
    return cached(encode(whole), Relevance(status=False))


def value_of(metrics, metric, **labels):
    registry = CollectorRegistry()
    with collected(registry, metrics):
        return [each for each in samples(registry) if each.name == metric and labels.items() <= each.labels.items()]


APPS = [
    ({"spec": {}}, {"autosync_enabled": "false", "repo": "", "dest_server": "", "sync_status": "Unknown", "health_status": "Unknown", "operation": "", "project": "default"}, "nothing said"),
    ({"spec": {"syncPolicy": {"automated": {"enabled": False}}}}, {"autosync_enabled": "false"}, "automation switched off"),
    ({"spec": {"syncPolicy": {"automated": {}}}}, {"autosync_enabled": "true"}, "automation"),
    ({"spec": {"sources": [{"repoURL": "https://a/B.git"}, {"repoURL": "c"}]}}, {"repo": "https://a/b"}, "several sources"),
    ({"spec": {"sourceHydrator": {"drySource": {"repoURL": "https://a/dry"}}}}, {"repo": "https://a/dry"}, "hydration"),
    ({"spec": {"destination": {"name": "in-cluster"}}}, {"dest_server": SERVER}, "a cluster by name"),
    ({"spec": {"destination": {"server": "https://nowhere"}}}, {"dest_server": ""}, "a cluster that is not there"),
    ({"operation": {"sync": {}}}, {"operation": "sync"}, "a sync that is asked for"),
    ({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "operation": {"sync": {}}}, {"operation": "delete"}, "an end"),
    ({"spec": 1}, {"project": "default"}, "what cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("app", "expected", "why"), APPS, ids=[why for _, _, why in APPS])
def test_an_application_is_told_as_upstream_tells_it(app, expected, why):
    metrics, _ = metrics_of(app)
    (sample,) = value_of(metrics, "argocd_app_info")
    assert expected.items() <= sample.labels.items()


def test_conditions_are_counted_by_their_type():
    conditions = [
        {"type": "SyncError", "message": "a"},
        {"type": "SyncError", "message": "b"},
        {"type": "OrphanedResourceWarning", "message": "Application has 3 orphaned resources"},
    ]
    metrics, _ = metrics_of({"status": {"conditions": conditions}})
    assert [(each.labels["condition"], each.value) for each in value_of(metrics, "argocd_app_condition")] == [
        ("OrphanedResourceWarning", 1),
        ("SyncError", 2),
    ]
    assert [each.value for each in value_of(metrics, "argocd_app_orphaned_resources_count")] == [3]


def test_labels_are_told_only_where_somebody_asked():
    app = {"metadata": {"labels": {"team/name": "a"}}}
    assert value_of(metrics_of(dict(app))[0], "argocd_app_labels") == []
    (sample,) = value_of(metrics_of(dict(app), labels=("team/name", "nope"))[0], "argocd_app_labels")
    assert (sample.labels["label_team_name"], sample.labels["label_nope"]) == ("a", "")


def test_addresses_that_webhooks_name_have_an_end(monkeypatch):
    monkeypatch.setattr("plumbline.delivery.metrics._PUSHED", 2)
    metrics, _ = metrics_of()
    for name in ("a", "b", "b", "c"):
        metrics.pushed(f"https://forge.example/{name}")
    found = value_of(metrics, "argocd_webhook_requests_total")
    assert {each.labels["repo"][-1]: each.value for each in found} == {"b": 2, "c": 1}


class Watching:
    def __init__(self, age_s):
        self.cache, self.resource = (), SimpleNamespace(gvk="v1/ConfigMap")
        self.informer = SimpleNamespace(interrupted=None, age_s=age_s)


@pytest.mark.parametrize(
    ("ages", "told", "why"),
    [
        ([3.9, 700.2, 0.0], 700, "what was listed the longest ago"),
        ([3.9, None], 3, "a kind that is being listed for the first time"),
        ([None], -1, "nothing listed yet"),
        ([], -1, "nothing watched"),
    ],
)
def test_the_age_of_a_cluster_is_that_of_its_oldest_list(ages, told, why):
    live = SimpleNamespace(collections=tuple(map(Watching, ages)))
    there = SimpleNamespace(cluster=SimpleNamespace(server=SERVER, name="here"), live=live, kube_version="")
    metrics = DeliveryMetrics(Watched(Cache(Relevance(status=False)), lambda: read_clusters(()), lambda: (there,)))
    assert [each.value for each in value_of(metrics, "argocd_cluster_cache_age_seconds")] == [told], why


def test_renders_that_wait_are_told_without_credentials():
    waiting = Waiting()
    with waiting.render("https://ada:CANARY@git.example.org/a"), waiting.render("https://bob:CANARY@git.example.org/a"):
        for took_s in (0.05, 3, 75, 500):
            waiting.waited(took_s)
        metrics = RenderMetrics(waiting)
        (pending,) = value_of(metrics, "argocd_repo_pending_request_total")
    assert (pending.labels["repo"], pending.value) == ("https://***@git.example.org/a", 2)
    buckets = value_of(metrics, "argocd_repo_parallelism_wait_duration_seconds_bucket")
    assert [each.value for each in buckets] == [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4]
    assert [each.value for each in value_of(metrics, "argocd_repo_parallelism_wait_duration_seconds_sum")] == [578.05]


def test_an_unchanged_application_is_decoded_once(monkeypatch):
    metrics, cache = metrics_of({"spec": {}})
    for _ in range(3):
        value_of(metrics, "argocd_app_info")
    known = metrics._read["argocd", "web"].app
    assert metrics._app(cache.get(("argocd", "web"))) is known


def state(phase, finished, dry_run=None):
    operation = {"sync": {"dryRun": dry_run}} if dry_run is not None else {}
    return {
        "status": {
            "operationState": {
                "phase": phase,
                "startedAt": "2026-01-01T00:00:00Z",
                "finishedAt": finished,
                "operation": operation,
            }
        }
    }


def test_an_operation_is_counted_when_it_ends_and_once():
    metrics, _ = metrics_of()
    running, ended = entry(state("Running", "")), entry(state("Failed", "2026-01-01T00:00:07Z", dry_run=True))
    metrics.changed(None, running)
    metrics.changed(running, ended)
    metrics.changed(ended, ended)
    metrics.changed(ended, entry({**state("Failed", "2026-01-01T00:00:07Z", dry_run=True), "spec": {"project": "x"}}))
    (sample,) = value_of(metrics, "argocd_app_sync_total")
    assert (sample.value, sample.labels["phase"], sample.labels["dry_run"]) == (1, "Failed", "true")
    assert [each.value for each in value_of(metrics, "argocd_app_sync_duration_seconds_total")] == [7]
    metrics.changed(ended, entry(state("Succeeded", "later")))
    assert [each.value for each in value_of(metrics, "argocd_app_sync_duration_seconds_total")] == [7]
    metrics.changed(ended, None)
    metrics.changed(None, None)
    metrics.changed(None, ended)
    assert sum(each.value for each in value_of(metrics, "argocd_app_sync_total")) == 2


def test_looks_fall_into_upstreams_buckets():
    metrics, _ = metrics_of({"spec": {"destination": {"server": SERVER}}})
    for took_s in (0.1, 0.3, 3, 100):
        metrics.looked(("argocd", "web"), took_s)
    metrics.looked(("argocd", "gone"), 1)
    buckets = {each.labels["le"]: each.value for each in value_of(metrics, "argocd_app_reconcile_bucket")}
    assert buckets == {"0.25": 1, "0.5": 2, "1": 2, "2": 2, "4": 3, "8": 3, "16": 3, "+Inf": 4}
    assert [each.value for each in value_of(metrics, "argocd_app_reconcile_sum")] == [103.4]


class Door:
    def __init__(self, outcome):
        self.outcome = outcome

    async def perform(self, intent, act):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


INTENT = Intent(
    actor=Actor("controller", "delivery"), subject=LiveObject.at("https://other", Ref("apps", "Deployment", "shop", "web")), verb="apply",
    why="Sync", project="p", behalf=LiveObject.at("in-cluster", Ref("argoproj.io", "Application", "argocd", "web")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "codes", "why"),
    [
        (Performed(b""), ["200"], "it was done"),
        (Withheld("observing"), [], "nothing was asked"),
        (Conflict("x"), ["409"], "it was refused"),
        (ServerFault("x"), ["500"], "it failed"),
    ],
)
async def test_writes_are_counted_with_their_answers(outcome, codes, why):
    metrics, _ = metrics_of()
    gate = metrics.counted(Door(outcome))
    with suppress(Conflict, ServerFault):
        assert await gate.perform(INTENT, None) is outcome
    found = value_of(metrics, "argocd_app_k8s_request_total", name="web", server="https://other", verb="Patch")
    assert [each.labels["response_code"] for each in found] == codes


def test_writes_for_nobody_are_not_counted():
    metrics, _ = metrics_of()
    metrics.requested(msgspec.structs.replace(INTENT, behalf=None), "200")
    assert value_of(metrics, "argocd_app_k8s_request_total") == []
