"""What reality does behind the state's back is seen at the next interval, and goes back to what Git says where that is wanted."""

import asyncio

from tests.terraform.works import BY_HAND, HOME, POLICIES, TERRAFORMS, condition, pending, story, terraform

from plumbline.base.json import encode
from plumbline.kube.client import Target


@story
async def test_nothing_changed_costs_one_plan_and_one_write_an_interval(works):
    await works.apply(terraform())
    before = await works.told("Ready", "True")
    await asyncio.sleep(601)
    after = await works.get()
    assert works.cloud.ran == ["plan", "apply", "plan"]
    assert after["status"]["lastSuccessfulReconcileAt"] > before["status"]["lastSuccessfulReconcileAt"]
    version = after["metadata"]["resourceVersion"]
    await asyncio.sleep(500)
    assert (await works.get())["metadata"]["resourceVersion"] == version


@story
async def test_while_it_looks_for_drift_it_stays_ready(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    seen = []
    plane = works.plane.store

    def remember(change):
        entry = change.entry.object()
        if entry.get("kind") == "Terraform":
            seen.append(condition(entry, "Ready").get("status"))

    plane.listen(remember)
    await asyncio.sleep(601)
    assert set(seen) == {"True"}


@story
async def test_drift_that_loses_nothing_is_corrected(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    works.cloud.resources["a"] = "changed by hand"
    await asyncio.sleep(620)
    found = await works.told("Ready", "True")
    assert works.cloud.resources == {"a": "1"}
    assert found["status"]["lastDriftDetectedAt"]
    assert found["status"]["lastAppliedByDriftDetectionAt"]
    assert any(reason == "DriftDetected" for reason, _ in await works.events())


@story
async def test_by_hand_drift_becomes_a_plan_that_can_be_approved(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.patch({"spec": {"approvePlan": ""}})
    await asyncio.sleep(5)
    works.cloud.resources["a"] = "changed by hand"
    found = await works.told("Ready", "False", "DriftDetected")
    assert found["status"]["plan"]["isDriftDetectionPlan"]
    assert works.cloud.resources == {"a": "changed by hand"}
    await works.patch({"spec": {"approvePlan": pending(found)}})
    await works.told("Ready", "True")
    assert works.cloud.resources == {"a": "1"}


@story
async def test_a_policy_may_have_drift_reported_only(works):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "look", "namespace": HOME},
        "spec": {"drift": "Report"},
    }
    await works.apply(policy, POLICIES)
    await works.apply(terraform())
    await works.told("Ready", "True")
    works.cloud.resources["a"] = "changed by hand"
    await works.told("Ready", "False", "reported, not corrected")
    assert works.cloud.resources == {"a": "changed by hand"}


@story
async def test_an_object_without_drift_detection_is_left_alone(works):
    await works.apply(terraform(disableDriftDetection=True))
    await works.told("Ready", "True")
    works.cloud.resources["a"] = "changed by hand"
    await asyncio.sleep(3000)
    assert works.cloud.ran == ["plan", "apply"]


@story
async def test_only_looking_is_another_way_to_live(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    await works.patch({"spec": {"approvePlan": "disable"}})
    works.cloud.resources["a"] = "changed by hand"
    await works.told("Ready", "False", "DriftDetected")
    await asyncio.sleep(2000)
    assert works.cloud.resources == {"a": "changed by hand"}


@story
async def test_a_clock_that_was_a_year_ahead_keeps_nobody_from_looking_for_drift(works):
    await works.apply(terraform())
    await works.told("Ready", "True")
    ahead = "2031-01-01T00:00:00Z"
    status = {"lastPlanAt": ahead, "lastSuccessfulReconcileAt": ahead}
    target = Target(TERRAFORMS, HOME, "network", "status")
    await works.client.patch(target, encode({"status": status}), "merge", BY_HAND)
    works.cloud.ran.clear()
    await asyncio.sleep(1300)
    assert "plan" in works.cloud.ran
