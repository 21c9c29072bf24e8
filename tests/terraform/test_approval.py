"""A plan is applied when nothing in it is lost, or when somebody has agreed to this very plan; and only that plan."""

import asyncio

import pytest
from tests.terraform.works import (
    FIRST,
    HOME,
    POLICIES,
    SECOND,
    SECRETS,
    condition,
    pending,
    story,
    terraform,
)

from plumbline.base.errors import Forbidden


@story
async def test_a_plan_that_only_creates_is_applied_by_itself(works):
    await works.apply(terraform())
    found = await works.told("Ready", "True", "TerraformAppliedSucceed")
    assert works.cloud.log == [("create", "a")]
    assert found["status"]["lastAppliedRevision"] == FIRST
    assert found["status"]["plan"]["lastApplied"] == "plan-main-1111111111"
    assert not pending(found)
    assert works.cloud.ran == ["plan", "apply"]


@story
async def test_by_hand_it_waits_and_says_how_to_go_on(works):
    await works.apply(terraform(approvePlan=""))
    found = await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    assert pending(found) == "plan-main-1111111111"
    assert 'approvePlan: "plan-main-1111111111"' in condition(found, "Ready")["message"]
    assert not works.cloud.log


@story
async def test_the_plan_named_in_the_object_is_applied(works):
    await works.apply(terraform(approvePlan="manual"))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    await works.patch({"spec": {"approvePlan": "plan-main-1111111111"}})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    assert works.cloud.log == [("create", "a")]
    assert works.cloud.ran == ["plan", "apply"], "nothing is planned a second time"


@story
async def test_the_beginning_of_a_name_approves_nothing(works):
    await works.apply(terraform(approvePlan="plan-main"))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    assert not works.cloud.log


@story
async def test_what_destroys_waits_even_where_plans_are_applied_by_themselves(works):
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    await works.pushed(SECOND, b="2")
    found = await works.told("Ready", "Unknown", "terraform_data.a")
    assert works.cloud.log == [("create", "a")]
    assert "1 to destroy" in condition(found, "Ready")["message"]
    await works.patch({"spec": {"approvePlan": pending(found)}})
    await works.told("Apply", "True", SECOND)
    assert works.cloud.resources == {"b": "2"}


@story
async def test_a_policy_may_let_losses_pass(works):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "playground", "namespace": HOME},
        "spec": {"auto": {"allow": ["destroy", "replace"], "types": ["terraform_*"]}},
    }
    await works.apply(policy, POLICIES)
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    await works.pushed(SECOND, b="2")
    await works.told("Apply", "True", SECOND)
    assert works.cloud.resources == {"b": "2"}


@story
async def test_a_push_after_the_approval_makes_it_void(works):
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    works.sources.push(SECOND, a="1", b="2")
    await works.patch({"spec": {"approvePlan": "plan-main-1111111111"}})
    found = await works.told("Ready", "Unknown", "2 to add")
    assert pending(found) == "plan-main-2222222222"
    assert not works.cloud.log
    assert any(reason == "PlanSuperseded" for reason, _ in await works.events())


@story
async def test_two_people_must_agree_where_policy_says_so(works):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "careful", "namespace": "argocd"},
        "spec": {"approvals": 2, "approvers": {"users": ["ann", "ben"], "groups": ["leads"]}},
    }
    await works.apply(policy, POLICIES)
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    digest = (await works.get("tfplan-default-network", SECRETS))["metadata"]["annotations"][
        "plumbline.dev/plan-digest"
    ]
    await works.approve("ann", digest)
    with pytest.raises(Forbidden, match='"mallory" may not approve plans of Terraform network'):
        await works.approve("mallory", digest)
    await works.told("Ready", "Unknown", "1 approval missing, approved by ann")
    assert not works.cloud.log
    await works.approve("cleo", digest, groups=["leads"])
    await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_a_rejected_plan_stays_where_it_is(works):
    await works.apply(terraform(approvePlan=""))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    digest = (await works.get("tfplan-default-network", SECRETS))["metadata"]["annotations"][
        "plumbline.dev/plan-digest"
    ]
    await works.approve("ann", digest, decision="Reject")
    await works.patch({"spec": {"approvePlan": digest[:12]}})
    await works.told("Ready", "Unknown", "rejected by ann")
    assert not works.cloud.log


@story
async def test_a_commit_that_arrives_while_a_plan_is_applied_is_planned_next(works):
    async def push():
        works.cloud.within_apply = None
        await works.pushed(SECOND, a="1", b="2")

    works.cloud.within_apply = push
    await works.apply(terraform())
    await works.until(lambda: _applied(works, SECOND), within_s=60)
    assert works.cloud.log == [("create", "a"), ("create", "b")]


async def _applied(works, revision):
    found = await works.get()
    return found.get("status", {}).get("lastAppliedRevision") == revision


@story
async def test_who_asks_while_a_run_is_under_way_is_answered_by_the_next(works):
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def hold():
        begun.set()
        await go_on.wait()

    works.cloud.before_apply = hold
    await works.apply(terraform())
    await asyncio.wait_for(begun.wait(), 60)
    await works.annotate(reconcile_fluxcd_io__requestedAt="now")
    go_on.set()
    works.cloud.before_apply = None
    await works.until(lambda: _handled(works, "now"))
    assert works.cloud.ran == ["plan", "apply", "plan"]


async def _handled(works, asked):
    return ((await works.get()).get("status") or {}).get("lastHandledReconcileAt") == asked
