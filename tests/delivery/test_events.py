"""What people see who look at the events of an Application."""

from plumbline.base.json import decode
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

from .town import config_map, story

EVENTS = GroupVersionResource("", "v1", "events")
FILES = {"web/a.yaml": config_map("a"), "web/b.yaml": config_map("b")}


async def told(town):
    page = await town.client.list(Target(EVENTS, "argocd"))
    return sorted((each["type"], each["reason"], each["message"]) for each in map(decode, page.items))


@story(files=FILES)
async def test_a_sync_is_told_in_upstreams_words(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    to = town.repository.head
    assert await told(town) == [
        ("Normal", "OperationCompleted", f"Sync operation to {to} succeeded"),
        ("Normal", "OperationStarted", f"Initiated automated sync to '{to}'"),
        ("Normal", "ResourceUpdated", "Updated health status:  -> Healthy"),
        ("Normal", "ResourceUpdated", "Updated sync status:  -> Synced"),
    ]


@story(files=FILES)
async def test_who_drifts_and_is_put_right_is_told_of_once_each(town):
    await town.deploy(automated=False)
    await town.sync()
    await town.synced()
    await town.settle()
    before = set(await told(town))
    await town.patch("v1/configmaps", "a", {"data": {"value": "9"}})
    await town.settle()
    drifted = set(await told(town)) - before
    assert drifted == {("Normal", "ResourceUpdated", "Updated sync status: Synced -> OutOfSync")}
    await town.patch("v1/configmaps", "a", {"data": {"value": "1"}})
    await town.settle()
    right = set(await told(town)) - before - drifted
    assert right == {("Normal", "ResourceUpdated", "Updated sync status: OutOfSync -> Synced")}


@story(files=FILES, mandate=MandateSpec())
async def test_who_only_observes_tells_nobody(town):
    await town.deploy()
    await town.settle(60)
    assert await told(town) == []


@story(files=FILES)
async def test_a_push_that_changes_nothing_of_an_application_is_no_event(town):
    await town.deploy()
    await town.synced()
    await town.settle()
    before = await told(town)
    await town.synced(revision=town.repository.change(else__c_yaml=config_map("c")))
    await town.settle(60)
    assert await told(town) == before


@story(files=FILES)
async def test_a_sync_of_some_objects_is_called_partial_and_one_that_fails_says_why(town):
    await town.deploy(automated=False)
    await town.sync(resources=[{"kind": "ConfigMap", "name": "a"}])
    await town.settle()
    first = town.repository.head
    last = town.repository.change(web__b_yaml=config_map("Not_a_Name"))
    await town.sync()
    await town.settle()
    message = (await town.app())["status"]["operationState"]["message"]
    assert [each for each in await told(town) if each[1] == "OperationCompleted"] == [
        ("Normal", "OperationCompleted", f"Partial sync operation to {first} succeeded"),
        ("Warning", "OperationCompleted", f"Sync operation to {last} failed: {message}"),
    ]


@story(files=FILES)
async def test_events_carry_the_labels_that_the_settings_name(town):
    data = {"resource.includeEventLabelKeys": "app,team,env*", "resource.excludeEventLabelKeys": "team"}
    await town.create("v1/configmaps", {"metadata": {"name": "argocd-cm"}, "data": data}, "argocd")
    labels = {"metadata": {"labels": {"env-of": "x", "app": "y"}}}
    await town.patch("argoproj.io/v1alpha1/appprojects", "default", labels, "argocd")
    await town.settle()
    await town.deploy(metadata={"labels": {"app": "shop", "environment": "dev", "team": "a", "tier": "ui"}})
    await town.synced()
    await town.settle()
    page = await town.client.list(Target(EVENTS, "argocd"))
    labelled = [decode(each)["metadata"].get("labels") for each in page.items]
    assert labelled == [{"app": "shop", "environment": "dev", "env-of": "x"}] * 4
