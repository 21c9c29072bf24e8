"""GitOps by pull requests: one service, its database and its autoscaler, from one repository."""

import pytest
from tests.e2e.cloud import Cloud
from tests.e2e.installation import in_waves

from .platform import COMMERCE, DATABASE

pytestmark = pytest.mark.conformance
OVERLAY = "services/order-service/overlays/production/kustomization.yaml"
IMAGE = "ghcr.io/company/order-service"


def waiting(platform):
    state = (platform.app("order-service") or {}).get("status", {}).get("operationState", {})
    return "waiting for healthy state of database.company.io/PostgreSQLInstance/" in state.get("message", "")


def ours(events, what):
    """Without what every namespace has."""
    return [each for each in events if each.what == what and each.obj["metadata"]["name"] != "kube-root-ca.crt"]


def databases(platform):
    return Cloud(platform.sandbox).ask("rds", "DescribeDBInstances")["DBInstances"]


def test_it_waits_for_its_database_then_all_of_it_is_synced_and_healthy_in_waves(production, offered):
    """CreateNamespace, waves 0 to 2, and a database whose Secret is there before the first pod is."""
    platform = production
    assert platform.live("/api/v1/namespaces/commerce") is None
    since = platform.version()
    platform.kubectl_apply("argocd/applications/order-service.yaml")
    platform.until(lambda: waiting(platform))
    assert platform.live("/api/v1/namespaces/commerce")
    assert platform.live(DATABASE)["spec"]["parameters"]["size"] == "medium"
    assert platform.deployment() is None, "the next wave waits for the database"
    app = platform.synced("order-service", platform.manifests.head)
    assert platform.deployment()["status"]["readyReplicas"] == 3
    assert {each["kind"] for each in app["status"]["resources"]} == {
        "PostgreSQLInstance", "ConfigMap", "Deployment", "Service", "HorizontalPodAutoscaler", "Ingress",
    }  # fmt: skip
    made = ours(platform.happened(*COMMERCE, since=since), "ADDED")
    assert in_waves(made, pause_s=2.0) == [0, 1, 2]
    (found,) = databases(platform)
    assert (found["DBInstanceClass"], found["AllocatedStorage"], found["MultiAZ"]) == ("db.r6g.large", 100, True)
    assert found["EngineVersion"].startswith("17")


def test_what_somebody_edits_or_deletes_is_put_right(order_service):
    platform = order_service
    before = platform.image()
    said = platform.kubectl("-n", "commerce", "set", "image", "deployment/order-service", f"api={IMAGE}:by-hand")
    assert said.code == 0, said.err
    platform.until(lambda: platform.image() == before)
    said = platform.kubectl("-n", "commerce", "delete", "service", "order-service")
    assert said.code == 0, said.err
    platform.until(lambda: platform.live("/api/v1/namespaces/commerce/services/order-service"))


def test_the_autoscaler_keeps_its_replicas_through_a_push_that_is_live_at_once_and_git_revert_undoes_it(order_service):
    """Git says three replicas, and the autoscaler seven. Nobody waits for a poll, which comes after 120 s."""
    platform, desk = order_service, order_service.manifests
    loaded = ("annotate", "--overwrite", "hpa", "order-service", "sim.plumbline.dev/cpu=200")
    assert platform.kubectl("-n", "commerce", *loaded).code == 0
    platform.until(lambda: platform.deployment()["spec"]["replicas"] == 7)
    desk.edit(OVERLAY, "newTag: 1.4.0", "newTag: 1.5.0")
    app = platform.synced("order-service", desk.push())
    assert platform.image() == f"{IMAGE}:1.5.0"
    assert platform.deployment()["spec"]["replicas"] == 7
    applied = [each["kind"] for each in app["status"]["operationState"]["syncResult"]["resources"]]
    assert applied == ["Deployment"], "ApplyOutOfSyncOnly"
    platform.synced("order-service", desk.revert())
    assert platform.image() == f"{IMAGE}:1.4.0"
    assert platform.deployment()["spec"]["replicas"] == 7


def test_what_leaves_git_is_pruned(order_service):
    platform, desk = order_service, order_service.manifests
    desk.edit("services/order-service/base/kustomization.yaml", "  - ingress.yaml\n", "")
    platform.synced("order-service", desk.push())
    assert platform.live(f"{COMMERCE[-1]}/order-service") is None
    platform.synced("order-service", desk.revert())
    assert platform.live(f"{COMMERCE[-1]}/order-service")


def test_deleting_it_goes_from_the_last_wave_to_the_first_and_asks_before_the_database(order_service):
    platform = order_service
    since = platform.version()
    said = platform.kubectl("-n", "argocd", "delete", "application", "order-service", "--wait=false")
    assert said.code == 0, said.err
    platform.agree_to_the_loss("order-service")
    platform.until(lambda: platform.app("order-service") is None)
    gone = ours(platform.happened(*COMMERCE, since=since), "DELETED")
    waves = [each.wave for each in gone]
    assert waves == sorted(waves, reverse=True)
    assert len(gone) == len(COMMERCE)
    platform.until(lambda: databases(platform) == [])
    assert platform.live("/api/v1/namespaces/commerce"), "a namespace that was made on the way stays, as with Argo CD"
