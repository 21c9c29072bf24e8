"""Deleting an object takes away what it wrote, and what it made only where it says so; nobody is left hanging."""

import asyncio

from tests.terraform.works import SECRETS, condition, story, terraform


@story
async def test_what_was_made_stays_unless_the_object_says_otherwise(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.delete()
    await works.until(_gone(works))
    assert works.cloud.resources == {"a": "1"}
    assert await works.get("tfstate-default-network", SECRETS) is not None, "the state stays as well"


@story
async def test_what_was_made_goes_with_it_where_it_says_so(works):
    await works.apply(terraform(destroyResourcesOnDeletion=True))
    await works.told("Ready", "True")
    await works.delete()
    await works.until(_gone(works))
    assert works.cloud.resources == {}
    assert works.cloud.ran == ["plan", "apply", "plan", "apply"]
    assert await works.get("tfplan-default-network", SECRETS) is None


@story
async def test_an_object_that_others_depend_on_waits_for_them(works):
    await works.apply(terraform())
    await works.apply(terraform("cluster", dependsOn=[{"name": "network"}]))
    await works.told("Ready", "True", name="cluster")
    await works.delete("network")
    found = await works.told("Ready", "False", "DeletionBlockedByDependantsReason")
    assert "cluster" in condition(found, "Ready")["message"]
    await works.delete("cluster")
    await works.until(_gone(works, "cluster"))
    await works.until(_gone(works))


@story
async def test_an_object_that_nobody_depends_on_any_more_waits_for_nobody(works):
    await works.apply(terraform())
    await works.apply(terraform("cluster", dependsOn=[{"name": "network"}]))
    await works.told("Ready", "True", name="cluster")
    await works.patch({"spec": {"dependsOn": None}}, "cluster")
    await asyncio.sleep(60)
    await works.delete("network")
    await works.until(_gone(works))


@story
async def test_an_object_does_not_wait_for_one_that_was_deleted_by_force(works):
    await works.apply(terraform())
    await works.apply(terraform("cluster", dependsOn=[{"name": "network"}]))
    await works.told("Ready", "True", name="cluster")
    await works.patch({"metadata": {"finalizers": None}}, "cluster")
    await works.delete("cluster")
    await works.until(_gone(works, "cluster"))
    await works.delete("network")
    await works.until(_gone(works))


@story
async def test_an_object_that_is_made_again_is_told_nothing_of_the_run_of_the_one_before(works):
    applying, go_on = asyncio.Event(), asyncio.Event()

    async def slow():
        applying.set()
        await go_on.wait()

    works.cloud.before_apply = slow
    await works.apply(terraform())
    await applying.wait()
    await works.patch({"metadata": {"finalizers": None}})
    await works.delete()
    await works.until(_gone(works))
    await works.apply(terraform(approvePlan=""))
    await asyncio.sleep(60)
    go_on.set()
    await works.told("Ready", "True")
    assert works.cloud.ran == ["plan", "apply", "plan"], "it looks for itself at what there is"
    assert not condition(await works.get(), "Apply")


@story
async def test_what_depends_on_another_is_applied_after_it(works):
    await works.apply(terraform("cluster", dependsOn=[{"name": "network"}]))
    await works.told("Ready", "Unknown", "DependencyNotReady", name="cluster")
    assert not works.cloud.ran
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    await asyncio.sleep(100)
    assert works.cloud.ran == ["plan"]
    await works.patch({"spec": {"approvePlan": "auto"}})
    await works.told("Ready", "True", name="cluster")


@story
async def test_a_circle_of_dependencies_is_named(works):
    await works.apply(terraform("cluster", dependsOn=[{"name": "network"}]))
    await works.apply(terraform(dependsOn=[{"name": "cluster"}]))
    found = await works.told("Stalled", "True", "DependencyNotReady")
    assert "network -> " in condition(found, "Stalled")["message"]


@story
async def test_everything_can_be_destroyed_while_the_object_stays(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.patch({"spec": {"destroy": True}})
    found = await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    assert works.cloud.resources == {"a": "1"}, "a person says so, by the plan's name"
    await works.patch({"spec": {"approvePlan": found["status"]["plan"]["pending"]}})
    await works.told("Ready", "True", "TerraformDestroySucceed")
    assert works.cloud.resources == {}


@story
async def test_outputs_are_where_applications_look_for_them(works):
    works.cloud.outputs = {"address": "10.0.0.1", "secret_token": "swordfish"}
    obj = terraform(writeOutputsToSecret={"name": "outputs"})
    obj["metadata"]["annotations"] = {"plumbline.dev/write-outputs-to-config-map": "public"}
    await works.apply(obj)
    found = await works.told("Ready", "True", "TerraformOutputsWritten")
    assert found["status"]["availableOutputs"] == ["address", "secret_token"]
    assert (await works.get("outputs", SECRETS))["data"].keys() == {"address", "secret_token"}
    public = await works.get("public", SECRETS._replace(resource="configmaps"))
    assert public["data"] == {"address": "10.0.0.1"}


@story
async def test_a_suspended_object_is_left_alone(works):
    await works.apply(terraform(suspend=True))
    await asyncio.sleep(2000)
    assert not works.cloud.ran


def _gone(works, name="network"):
    async def gone():
        return await works.get(name) is None

    return gone
