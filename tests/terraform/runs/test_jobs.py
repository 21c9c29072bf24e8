"""A run in a cluster is a Job of its own: it outlives who ordered it, is found again, and is never begun twice."""

import asyncio

from tests.terraform.runs.yard import IMAGE, controlling, story, terraform
from tests.terraform.works import FIRST, HOME, SECOND, condition

from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.runs.manifests import JOBS, RUN


@story
async def test_plans_and_applies_are_jobs_which_go_when_their_results_are_taken_in(yard):
    await yard.apply(terraform())
    (job,) = await yard.until(yard.jobs)
    pod = job["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == "tf-runner"
    assert pod["containers"][0]["image"] == IMAGE
    found = await yard.told("Ready", "Unknown", "Progressing")
    assert f"kubectl logs -n {HOME} job/{job['metadata']['name']}" in condition(found, "Ready")["message"]
    found = await yard.told("Ready", "True")
    assert found["status"]["lastAppliedRevision"] == FIRST
    assert yard.cloud.ran == ["plan", "apply"]
    await yard.swept()


@story
async def test_an_account_that_is_not_ours_to_make_is_asked_for(yard):
    await yard.apply(terraform(serviceAccountName="network"))
    found = await yard.told("Ready", "False", "TFExecNewFailed")
    assert "There is no ServiceAccount network" in condition(found, "Ready")["message"]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "network", "namespace": HOME}}
    await yard.apply(account, GroupVersionResource("", "v1", "serviceaccounts"))
    await yard.told("Ready", "True")


@story
async def test_the_log_begins_with_the_command_that_shows_the_same_and_tells_each_step(yard):
    await yard.apply(terraform())
    await yard.told("Ready", "True")
    planned, applied = yard.node.logs.values()
    assert planned[0] == f"$ git checkout {'1' * 40} && cd module && terraform init && terraform plan -lock=false"
    assert "terraform_data.a: create started" in applied
    assert "terraform_data.a: create completed" in applied


@story
async def test_a_controller_that_dies_leaves_its_run_to_the_next_one(yard):
    applying, go_on = asyncio.Event(), asyncio.Event()

    async def slow():
        applying.set()
        await go_on.wait()

    yard.cloud.within_apply = slow
    await yard.apply(terraform(run_for="60s"))
    await applying.wait()
    await yard.crash()
    await asyncio.sleep(10)
    go_on.set()
    async with controlling(yard, host="there"):
        found = await yard.told("Ready", "True")
        assert found["status"]["lastAppliedRevision"] == FIRST
        assert yard.cloud.ran == ["plan", "apply"]
        assert yard.cloud.log == [("create", "a")]
        assert not (await yard.lease("network"))["spec"].get("holderIdentity")
        assert not any(reason == "RunInterrupted" for reason, _ in await yard.events())
        await yard.swept()


@story
async def test_a_runner_that_runs_out_of_memory_is_said_to_and_nothing_is_applied_unasked_after_it(yard):
    async def slow():
        await asyncio.sleep(3600)

    yard.cloud.within_apply = slow
    await yard.apply(terraform(approvePlan=""))
    await yard.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    await yard.apply(terraform(behavior="oom"))
    found = await yard.told("Ready", "False", "OOMKilled")
    assert condition(found, "Ready")["reason"] == "TFExecApplyFailed"
    assert (await yard.lease("network"))["spec"]["holderIdentity"]
    yard.cloud.within_apply = None
    await yard.apply(terraform())
    await yard.told("Ready", "Unknown", "may be left from a run that died")
    assert any("its container has ended (OOMKilled" in said for _, said in await yard.events())
    assert not (await yard.lease("network"))["spec"].get("holderIdentity")
    assert yard.cloud.log == [("create", "a")]


@story
async def test_an_image_that_cannot_be_pulled_is_told_as_that(yard):
    await yard.apply(terraform(behavior="pull-error"))
    found = await yard.told("Ready", "Unknown", "ImagePull")
    found = await yard.told("Ready", "False", "TFExecInitFailed")
    assert "did not start" in condition(found, "Ready")["message"]
    assert "ImagePull" in condition(found, "Ready")["message"]
    await yard.apply(terraform())
    await yard.told("Ready", "True")


@story
async def test_a_job_that_somebody_deletes_ends_in_good_order(yard):
    applying = asyncio.Event()

    async def slow():
        applying.set()
        await asyncio.sleep(3600)

    yard.cloud.within_apply = slow
    await yard.apply(terraform(run_for="600s"))
    await applying.wait()
    (job,) = await yard.jobs()
    await yard.client.delete(Target(JOBS, HOME, job["metadata"]["name"]), propagation="Background")
    found = await yard.told("Ready", "False", "TFExecApplyFailed")
    assert "interrupted" in condition(found, "Ready")["message"] or "died" in condition(found, "Ready")["message"]
    yard.cloud.within_apply = None
    await yard.told("Ready", "True")
    assert not (await yard.lease("network"))["spec"].get("holderIdentity")


@story
async def test_pods_are_kept_for_a_look_where_the_object_says_so_until_the_next_run(yard):
    await yard.apply(terraform(alwaysCleanupRunnerPod=False))
    await yard.told("Ready", "True")
    await asyncio.sleep(60)
    (kept,) = await yard.jobs()
    assert kept["metadata"]["annotations"]["plumbline.dev/operation"] == "apply"
    assert not await yard.left(), "orders and reports hold secrets, and go all the same"
    await yard.crash()
    async with controlling(yard, host="there"):
        await asyncio.sleep(60)
        assert yard.cloud.ran == ["plan", "apply"], "what is kept is not taken in again"
        await yard.pushed(SECOND, a="1", b="2")
        await yard.told("Ready", "True", SECOND)
        await asyncio.sleep(60)
        (other,) = await yard.jobs()
        assert other["metadata"]["labels"][RUN] != kept["metadata"]["labels"][RUN]


@story
async def test_everything_of_a_run_goes_with_its_object(yard):
    await yard.apply(terraform(alwaysCleanupRunnerPod=False, destroyResourcesOnDeletion=True))
    await yard.told("Ready", "True")
    await yard.delete()
    await yard.until(lambda: _gone(yard))
    assert yard.cloud.resources == {}
    await yard.swept()


async def _gone(yard):
    return await yard.get() is None
