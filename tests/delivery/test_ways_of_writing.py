"""Sync options: how objects are written, kept and deleted."""

import pytest

from plumbline.base.json import encode
from plumbline.delivery.steps.suiting import MIGRATION_MANAGER
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource

from .town import config_map, story

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
APPS = "argoproj.io/v1alpha1/applications"
SYNC_OPTIONS = "argocd.argoproj.io/sync-options"


def job(image):
    return f"""apiVersion: batch/v1
kind: Job
metadata: {{name: work, annotations: {{{SYNC_OPTIONS}: "Force=true,Replace=true"}}}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: work, image: "{image}"}}]
"""


async def results(town, name="web"):
    state = (await town.app(name))["status"]["operationState"]
    return {each["name"]: (each["status"], each["message"]) for each in state["syncResult"]["resources"]}


@story(files={"web/a.yaml": config_map("a", **{SYNC_OPTIONS: "Replace=true"})})
async def test_replace_puts_the_whole_object_in_place(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"extra": "from somebody"}})
    await town.sync()
    await town.settle()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@story(files={"web/work.yaml": job("busybox:1")})
async def test_force_and_replace_make_what_cannot_change_anew(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    before = (await town.get("batch/v1/jobs", "work"))["metadata"]["uid"]
    town.repository.change(web__work_yaml=job("busybox:2"))
    await town.settle()
    await town.sync()
    await town.synced()
    after = await town.get("batch/v1/jobs", "work")
    assert after["metadata"]["uid"] != before
    assert after["spec"]["template"]["spec"]["containers"][0]["image"] == "busybox:2"


@story(files={"web/work.yaml": job("busybox:1").replace("Force=true,Replace=true", "")})
async def test_what_cannot_change_fails_with_the_servers_words(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    town.repository.change(web__work_yaml=job("busybox:2").replace("Force=true,Replace=true", ""))
    await town.settle()
    await town.sync()
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert state["phase"] == "Failed"
    assert "field is immutable" in (await results(town))["work"][1]


@story(files={"web/a.yaml": config_map("a", **{SYNC_OPTIONS: "Prune=false"}), "web/b.yaml": config_map("b")})
async def test_what_must_not_be_pruned_is_not(town):
    await town.deploy()
    await town.synced()
    town.repository.push({"web/b.yaml": config_map("b", "2")})
    await town.settle(10)
    assert await town.get("v1/configmaps", "a") is not None
    assert (await results(town))["a"] == ("PruneSkipped", "ignored (no prune)")
    assert (await town.get("v1/configmaps", "b"))["data"] == {"value": "2"}


@story(files={"web/a.yaml": config_map("a", **{SYNC_OPTIONS: "Prune=confirm"}), "web/b.yaml": config_map("b")})
async def test_a_prune_that_asks_for_confirmation_waits_for_it(town):
    await town.deploy()
    await town.synced()
    town.repository.push({"web/b.yaml": config_map("b", "2")})
    await town.settle(10)
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Running", "waiting for pruning confirmation of /ConfigMap/a")
    approved = {"metadata": {"annotations": {"argocd.argoproj.io/deletion-approved": "2026-01-01T01:00:00Z"}}}
    await town.patch(APPS, "web", approved, "argocd")
    await town.synced()
    assert await town.get("v1/configmaps", "a") is None


@story(files={"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")})
async def test_only_what_was_chosen_is_synced(town):
    await town.deploy(automated=False)
    await town.sync(resources=[{"kind": "ConfigMap", "name": "b"}])
    await town.settle()
    assert await town.get("v1/configmaps", "a") is None
    assert await town.get("v1/configmaps", "b") is not None
    assert "history" not in (await town.app())["status"]


@story(files={"web/a.yaml": config_map("a")})
async def test_a_dry_run_changes_nothing_and_is_not_remembered(town):
    await town.deploy(automated=False)
    await town.sync(dryRun=True)
    await town.settle()
    status = (await town.app())["status"]
    assert status["operationState"]["phase"] == "Succeeded"
    assert await town.get("v1/configmaps", "a") is None
    assert "history" not in status
    assert await town.effects() == []


@story(files={"web/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: {odd: 1}\n"})
async def test_fields_that_nobody_knows_fail_the_sync_unless_it_is_told_not_to_validate(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.settle()
    assert "field not declared in schema" in (await results(town))["a"][1]
    assert await town.get("v1/configmaps", "a") is None
    await town.sync(syncOptions=["Validate=false"])
    await town.settle()
    assert (await results(town))["a"] == ("Synced", "configmap/a created")
    assert "spec" not in await town.get("v1/configmaps", "a")
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync", "that was said of one sync alone"


BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n"
TWO_WAVES = {
    "web/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n"
    "  template:\n    metadata:\n      labels: {a: b}\n      annotations: {sim.plumbline.dev/behavior: never-ready}\n"
    '    spec: {containers: [{name: a, image: "a:1"}]}\n',
    "web/b.yaml": config_map("b", **{"argocd.argoproj.io/sync-wave": "1"}),
}


async def waiting_and_broken(town):
    """A sync that waits for a Deployment while somebody pushes what nobody can read."""
    await town.deploy(automated=False)
    await town.sync()
    await town.settle(10)
    town.repository.change(web__b_yaml=BROKEN)
    await town.settle(10)
    status = (await town.app())["status"]
    assert status["operationState"]["message"] == "waiting for healthy state of apps/Deployment/a"
    assert [each["type"] for each in status["conditions"]] == ["ComparisonError"]
    assert status["sync"]["status"] == "Unknown"


@story(files=TWO_WAVES)
async def test_a_sync_goes_on_with_what_it_was_begun_with_whatever_is_pushed_meanwhile(town):
    await waiting_and_broken(town)
    behavior = {"spec": {"template": {"metadata": {"annotations": {"sim.plumbline.dev/behavior": "run"}}}}}
    await town.patch("apps/v1/deployments", "a", behavior)
    await town.settle(60)
    assert (await town.app())["status"]["operationState"]["phase"] == "Succeeded"
    assert await town.get("v1/configmaps", "b") is not None
    assert (await town.app())["status"]["sync"]["status"] == "Unknown"
    town.repository.change(web__b_yaml=TWO_WAVES["web/b.yaml"])
    await town.settle(10)
    status = (await town.app())["status"]
    assert "conditions" not in status
    assert status["sync"]["revision"] == town.repository.head


@story(files=TWO_WAVES)
async def test_a_sync_can_be_terminated_whatever_is_pushed_meanwhile(town):
    await waiting_and_broken(town)
    await town.patch(APPS, "web", {"status": {"operationState": {"phase": "Terminating"}}}, "argocd")
    await town.settle()
    app = await town.app()
    assert "operation" not in app
    assert (app["status"]["operationState"]["phase"], app["status"]["operationState"]["message"]) == (
        "Failed",
        "Operation terminated",
    )


@story(files=TWO_WAVES)
async def test_a_sync_can_be_terminated_when_the_project_no_longer_permits_it(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.settle(10)
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", {"spec": {"sourceRepos": []}}, "argocd")
    await town.patch(APPS, "web", {"status": {"operationState": {"phase": "Terminating"}}}, "argocd")
    await town.settle()
    app = await town.app()
    assert "operation" not in app
    assert app["status"]["operationState"]["phase"] == "Error"
    assert "is not permitted in project 'default'" in app["status"]["operationState"]["message"]


@story(files={"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b", **{"argocd.argoproj.io/sync-wave": "1"})})
async def test_a_sync_that_is_terminated_ends_as_failed(town):
    await town.deploy(automated=False)
    await town.sync()

    async def under_way():
        return (await town.app()).get("status", {}).get("operationState", {}).get("phase") == "Running"

    await town.until(under_way, every_s=0.05)
    await town.patch(APPS, "web", {"status": {"operationState": {"phase": "Terminating"}}}, "argocd")
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert (state["phase"], state["message"]) == ("Failed", "Operation terminated")


CRD = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example.org}
spec:
  group: shop.example.org
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
WIDGET = "apiVersion: shop.example.org/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 3}\n"


@story(files={"web/widget.yaml": WIDGET, "web/crd.yaml": CRD})
async def test_a_definition_and_its_objects_come_in_one_sync(town):
    await town.deploy()
    await town.synced()
    assert (await town.get("shop.example.org/v1/widgets", "one"))["spec"] == {"size": 3}
    await town.patch("shop.example.org/v1/widgets", "one", {"spec": {"size": 4}})
    await town.settle()
    assert (await town.get("shop.example.org/v1/widgets", "one"))["spec"] == {"size": 3}


@story(files={"web/widget.yaml": WIDGET})
async def test_a_kind_that_nobody_serves_is_named(town):
    await town.deploy()
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert "Widget" in state["message"]
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"


@story(files={"web/a.yaml": config_map("a"), "other/a.yaml": config_map("a", "2")})
async def test_an_object_has_one_owner(town):
    await town.deploy("web")
    await town.synced("web")
    await town.deploy("other")
    await town.settle(60)
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    status = (await town.app("other"))["status"]
    assert "SharedResourceWarning" in {each["type"] for each in status["conditions"]}
    assert "Application argocd/web" in status["operationState"]["message"]
    assert (await town.app("web"))["status"]["sync"]["status"] == "Synced"


@story(files={"web/a.yaml": config_map("a"), "renamed/a.yaml": config_map("a", "2")})
async def test_what_an_application_left_behind_may_be_taken_over(town):
    await town.deploy("web")
    await town.synced("web")
    await town.delete(APPS, "web", "argocd")
    await town.settle()
    await town.deploy("renamed")
    await town.synced("renamed")
    live = await town.get("v1/configmaps", "a")
    assert live["data"] == {"value": "2"}
    assert live["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] == "renamed:/ConfigMap:shop/a"


def unknown_field(**metadata):
    return config_map("a", **metadata) + "bogus: {a: 1}\n"


@story(files={"web/a.yaml": unknown_field(**{SYNC_OPTIONS: "Validate=false"})})
async def test_unknown_fields_are_let_through_where_nothing_is_to_be_validated(town):
    await town.deploy()
    await town.synced()
    assert (await results(town))["a"][0] == "Synced"
    live = await town.get("v1/configmaps", "a")
    assert "bogus" not in live
    assert live["data"] == {"value": "1"}


@story(files={"web/a.yaml": unknown_field()})
async def test_the_application_may_say_that_nothing_is_to_be_validated_and_be_judged_by_the_server(town):
    compare = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
    await town.deploy(options=["Validate=false"], metadata={"annotations": compare})
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "2"}})
    await town.settle()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}


@pytest.mark.parametrize(
    ("named", "left"), [("deployer", {"value": "1"}), ("somebody-else", {"value": "1", "old": "x"})]
)
def test_what_the_named_manager_applied_on_the_clients_side_is_taken_over(named, left):
    @story(files={"web/a.yaml": config_map("a")})
    async def told(town):
        there = {"metadata": {"name": "a"}, "data": {"value": "0", "old": "x"}}
        await town.client.create(Target(CONFIG_MAPS, "shop"), encode(there), Writing(field_manager="deployer"))
        await town.deploy(metadata={"annotations": {MIGRATION_MANAGER: named}}, automated=False)
        await town.sync()
        await town.synced()
        assert (await town.get("v1/configmaps", "a"))["data"] == left

    told()
