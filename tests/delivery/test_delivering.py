"""From a commit to live objects, and back to what Git says."""

from plumbline.base.errors import Unreachable

from .town import REPO, config_map, story

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  replicas: 0
  selector: {matchLabels: {app: d}}
  template: {metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: i}]}}
"""
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}


@story(files=FILES)
async def test_what_git_has_becomes_live(town):
    await town.deploy()
    app = await town.synced()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    status = app["status"]
    assert status["health"]["status"] == "Healthy"
    assert [each["name"] for each in status["resources"]] == ["a", "b"]
    assert status["operationState"]["phase"] == "Succeeded"
    assert len(status["history"]) == 1


@story(files=FILES)
async def test_each_source_has_its_type_and_one_that_others_only_refer_to_has_none(town):
    named = {"repoURL": REPO, "targetRevision": "main"}
    await town.deploy(source=None, sources=[{**named, "ref": "values"}, {**named, "path": "web"}])
    await town.settle()
    status = (await town.app())["status"]
    assert status["sourceTypes"] == ["", "Directory"]
    assert status["sync"]["status"] == "Synced"


@story(files=FILES)
async def test_a_push_changes_what_is_live_and_nothing_else(town):
    await town.deploy()
    await town.synced()
    before = await town.get("v1/configmaps", "b")
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.synced()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "2"}
    assert await town.get("v1/configmaps", "b") == before
    assert town.renderer.counts.renders == 2


@story(files={**FILES, "other/c.yaml": config_map("c")})
async def test_sources_that_were_never_looked_at_are_asked_what_is_there_now(town):
    await town.deploy()
    await town.synced()
    assert town.repository.fresh == 1
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    town.repository.change(web__a_yaml=config_map("a", "2"))
    await town.synced()
    assert town.repository.fresh == 1, "from then on it is told"
    source = {"repoURL": REPO, "targetRevision": "main", "path": "other"}
    await town.patch("argoproj.io/v1alpha1/applications", "web", {"spec": {"source": source}}, "argocd")
    await town.settle()
    assert town.repository.fresh == 2


@story(files=FILES)
async def test_sources_that_do_not_answer_now_are_taken_as_they_were_known(town):
    town.repository.silent = Unreachable("git.example.org cannot be reached", sent=False)
    await town.deploy()
    await town.synced()
    assert town.repository.fresh == 1


@story(files={**FILES, "other/c.yaml": config_map("c")})
async def test_a_push_that_does_not_touch_an_application_costs_it_one_write(town):
    await town.deploy()
    await town.synced()
    before = await town.app()
    town.repository.change(other__c_yaml=config_map("c", "2"))
    after = await town.synced()
    assert town.renderer.counts.renders == 1
    assert after["status"]["sync"]["revision"] == town.repository.head
    assert after["status"]["history"] == before["status"]["history"]
    assert after["status"]["operationState"] == before["status"]["operationState"]


@story(files=FILES)
async def test_drift_goes_back_to_what_git_says(town):
    await town.deploy()
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await town.settle()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    await town.delete("v1/configmaps", "b")
    await town.settle()
    assert await town.get("v1/configmaps", "b") is not None


@story(files=FILES)
async def test_drift_is_only_shown_where_nobody_asked_for_healing(town):
    await town.deploy(automated={"prune": True})
    await town.synced()
    await town.patch("v1/configmaps", "a", {"data": {"value": "drifted"}})
    await town.settle()
    app = await town.app()
    assert app["status"]["sync"]["status"] == "OutOfSync"
    assert [each["status"] for each in app["status"]["resources"]] == ["OutOfSync", "Synced"]
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "drifted"}


@story(files=FILES)
async def test_what_leaves_git_is_pruned(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__b_yaml=None)
    await town.synced()
    assert await town.get("v1/configmaps", "b") is None


@story(files=FILES)
async def test_a_revert_rolls_back(town):
    await town.deploy()
    await town.synced()
    town.repository.change(web__a_yaml=config_map("a", "bad"))
    await town.synced()
    town.repository.push(FILES)
    await town.synced()
    assert (await town.get("v1/configmaps", "a"))["data"] == {"value": "1"}
    assert len((await town.app())["status"]["history"]) == 3


@story(files=FILES)
async def test_a_quiet_application_is_not_written(town):
    await town.deploy()
    before = await town.synced()
    await town.settle(3600.0)
    assert (await town.app())["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


@story(files=FILES)
async def test_a_sync_by_hand_is_done_once_and_its_slot_is_free_again(town):
    await town.deploy(automated=False)
    await town.settle()
    assert (await town.app())["status"]["sync"]["status"] == "OutOfSync"
    await town.sync(prune=True)
    app = await town.synced()
    assert "operation" not in app
    assert app["status"]["operationState"]["operation"]["initiatedBy"] == {"username": "ada"}
    messages = {each["name"]: each["message"] for each in app["status"]["operationState"]["syncResult"]["resources"]}
    assert messages == {"a": "configmap/a created", "b": "configmap/b created"}
    await town.sync()
    await town.settle()
    state = (await town.app())["status"]["operationState"]
    assert {each["message"] for each in state["syncResult"]["resources"]} == {
        "configmap/a unchanged",
        "configmap/b unchanged",
    }


@story(files={"other/a.yaml": config_map("a")})
async def test_one_that_cannot_be_rendered_and_has_nothing_fares_well(town):
    await town.deploy()
    await town.settle()
    status = (await town.app())["status"]
    assert (status["sync"]["status"], status["health"]["status"]) == ("Unknown", "Healthy")
    assert [each["type"] for each in status["conditions"]] == ["ComparisonError"]


@story(files={"web/d.yaml": DEPLOYMENT})
async def test_how_what_is_live_fares_is_known_though_it_cannot_be_rendered_any_more(town):
    await town.deploy()
    await town.synced()
    town.repository.push({"other/a.yaml": config_map("a")})
    await town.settle()
    before = (await town.app())["status"]
    assert before["sync"]["status"] == "Unknown"
    await town.patch("apps/v1/deployments", "d", {"spec": {"paused": True}})
    await town.settle()
    after = (await town.app())["status"]
    assert after["health"]["status"] == "Suspended"
    assert after["resources"] == before["resources"], "what was last known of Git stays"
    assert await town.effects() == [("create", "d")]
