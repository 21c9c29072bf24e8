"""What delivery promises, on the real API server: order, hooks, drift, pruning and the way back."""

import pytest
from tests.conformance.real import JSON_PATCH, MERGE_PATCH

from .conftest import staged
from .hands import Hands, config_map, job, pod
from .scene import APPLICATIONS, SERVER, application, manifests

pytestmark = pytest.mark.conformance

FINALIZER = "resources-finalizer.argocd.argoproj.io"
HELD = "test.example.org/held"


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("delivering") / "scene") as scene:
        scene.namespace("argocd", "shop")
        with scene.plumb("--enforce"), Hands(scene.cluster).at_work():
            yield scene


def delivered(stage, name, objects, **spec):
    """An application of *objects*; its revision."""
    sha = stage.origin.push({f"{name}/{place}.yaml": manifests([each]) for place, each in enumerate(objects)})
    stage.create(APPLICATIONS, application(name, stage.repository, namespace=name, **spec))
    stage.refresh([name])  # what was pushed a moment ago is news
    return sha


def arrive(stage, name, objects, **spec):
    stage.namespace(name)
    sha = delivered(stage, name, objects, **spec)
    stage.synced(name, revision=sha)
    return stage.app(name)


def pushed(stage, name, files, remove=()):
    sha = stage.origin.push({f"{name}/{path}.yaml": manifests([each]) for path, each in files.items()}, remove=remove)
    stage.refresh([name])
    stage.synced(name, revision=sha)


def test_waves_come_in_order_and_go_in_reverse(stage):
    waves = (("two", 2), ("one", 1), ("zero", 0), ("first", -1))
    objects = [config_map(name, wave=str(wave)) for name, wave in waves]
    for each in objects:
        each["metadata"]["finalizers"] = [HELD]
    arrive(stage, "waves", objects, metadata={"finalizers": [FINALIZER]})
    live = {name: stage.live("v1", "ConfigMap", name, "waves")["metadata"] for name, _ in waves}
    times = [live[name]["creationTimestamp"] for name, _ in reversed(waves)]
    assert times == sorted(times)
    assert len(set(times)) == len(waves)
    assert stage.cluster.send("DELETE", f"{APPLICATIONS}/waves").fine
    for name, _ in waves:
        stage.until(lambda name=name: leaving(stage, name), f"{name} is on its way out")
        assert [other for other, _ in waves if leaving(stage, other)] == [name]
        path = f"/api/v1/namespaces/waves/configmaps/{name}"
        assert stage.cluster.patch(path, {"metadata": {"finalizers": None}}, MERGE_PATCH).fine
    stage.until(lambda: stage.cluster.get(f"{APPLICATIONS}/waves").status == 404, "the application is gone")


def leaving(stage, name):
    live = stage.live("v1", "ConfigMap", name, "waves")
    return live is not None and "deletionTimestamp" in live["metadata"]


def test_drift_goes_back_to_what_git_says(stage):
    arrive(stage, "drift", [config_map("a"), config_map("b")])
    path = "/api/v1/namespaces/drift/configmaps"
    assert stage.cluster.patch(f"{path}/a", {"data": {"value": "drifted"}}, MERGE_PATCH).fine
    assert stage.cluster.send("DELETE", f"{path}/b").fine
    stage.until(lambda: stage.live("v1", "ConfigMap", "b", "drift"), "it is back")
    stage.until(lambda: stage.live("v1", "ConfigMap", "a", "drift")["data"] == {"value": "1"}, "drift is healed")


def test_a_revert_rolls_back_and_what_leaves_git_is_pruned(stage):
    arrive(stage, "revert", [config_map("a"), config_map("b")])
    pushed(stage, "revert", {"0": config_map("a", "bad")}, remove=["revert/1.yaml"])
    assert stage.live("v1", "ConfigMap", "a", "revert")["data"] == {"value": "bad"}
    assert stage.live("v1", "ConfigMap", "b", "revert") is None
    pushed(stage, "revert", {"0": config_map("a"), "1": config_map("b")})
    assert stage.live("v1", "ConfigMap", "a", "revert")["data"] == {"value": "1"}
    assert stage.live("v1", "ConfigMap", "b", "revert") is not None
    assert len(stage.app("revert")["status"]["history"]) == 3


def test_hooks_run_around_a_sync(stage):
    hooks = [job("before", hook="PreSync"), pod("after", hook="PostSync", policy="HookSucceeded")]
    app = arrive(stage, "hooks", [config_map("a"), *hooks])
    results = {each["name"]: each for each in app["status"]["operationState"]["syncResult"]["resources"]}
    assert [results[name]["hookPhase"] for name in ("before", "after")] == ["Succeeded", "Succeeded"]
    assert stage.live("v1", "Pod", "after", "hooks") is None
    before = stage.live("batch/v1", "Job", "before", "hooks")["metadata"]
    assert "argocd.argoproj.io/hook-finalizer" not in before.get("finalizers", ())
    pushed(stage, "hooks", {"0": config_map("a", "2")})
    again = stage.live("batch/v1", "Job", "before", "hooks")["metadata"]
    assert again["uid"] != before["uid"]


def test_a_hook_that_fails_ends_the_sync_and_runs_its_remedy(stage):
    stage.namespace("sorry")
    hooks = [pod("before", 1, hook="PreSync"), pod("sorry", hook="SyncFail")]
    delivered(stage, "sorry", [config_map("a"), *hooks], automated=False)
    stage.sync("sorry")
    stage.ended("sorry")
    state = stage.app("sorry")["status"]["operationState"]
    assert state["phase"] == "Failed"
    assert stage.live("v1", "ConfigMap", "a", "sorry") is None
    assert stage.live("v1", "Pod", "sorry", "sorry") is not None


def test_a_definition_and_its_object_come_in_one_sync(stage):
    names = {"kind": "Lamp", "plural": "lamps", "singular": "lamp"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "lit.example.org", "names": names, "scope": "Namespaced", "versions": [version]}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "lamps.lit.example.org"}, "spec": spec}  # fmt: skip
    lamp = {"apiVersion": "lit.example.org/v1", "kind": "Lamp", "metadata": {"name": "lamp"}, "spec": {"watts": 7}}
    arrive(stage, "lit", [lamp, crd])
    assert stage.live("lit.example.org/v1", "Lamp", "lamp", "lit")["spec"] == {"watts": 7}


def test_a_namespace_is_made_where_that_is_asked_for(stage):
    destination = {"server": SERVER, "namespace": "fresh"}
    sha = delivered(stage, "made", [config_map("a")], options=["CreateNamespace=true"], destination=destination)
    stage.synced("made", revision=sha)
    assert stage.live("v1", "ConfigMap", "a", "fresh") is not None


def test_what_a_scaler_decides_stays_through_an_image_push(stage):
    def deployment(image):
        container = {"name": "web", "image": image}
        template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
        spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}

    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9}
    scaler = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": spec}  # fmt: skip
    ignored = [{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]
    arrive(stage, "scaled", [deployment("web:1"), scaler], ignoreDifferences=ignored)
    path = "/apis/apps/v1/namespaces/scaled/deployments/web/scale"
    scaled = [{"op": "replace", "path": "/spec/replicas", "value": 7}]
    assert stage.cluster.patch(path, scaled, JSON_PATCH, fieldManager="kube-controller-manager").fine
    pushed(stage, "scaled", {"0": deployment("web:2")})
    live = stage.live("apps/v1", "Deployment", "web", "scaled")["spec"]
    assert live["template"]["spec"]["containers"][0]["image"] == "web:2"
    assert live["replicas"] == 7
