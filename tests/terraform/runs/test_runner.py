"""A runner takes its order alone, fetches what belongs to it, and leaves a report whatever happens."""

import asyncio
from pathlib import Path

import pytest
from tests.terraform.runs.test_manifests import order
from tests.terraform.runs.yard import ARTIFACT, story, terraform
from tests.terraform.works import HOME, Wire, condition

from plumbline.base.errors import InvalidInput, Unreachable
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection, Target
from plumbline.kube.client.parts import ServerTrust, User
from plumbline.terraform.runs.manifests import SECRETS
from plumbline.terraform.runs.runner import OwnAccount, reproduction
from plumbline.terraform.work import Planning, Workplace


@story
async def test_of_two_runners_of_one_order_one_works(yard):
    async def slow():
        await asyncio.sleep(10)

    yard.cloud.within_apply = slow
    await yard.apply(terraform(run_for="60s"))
    await yard.until(lambda: _is_true("apply" in yard.cloud.ran))
    (pod,) = [each for each in await yard.pods() if not each["metadata"].get("deletionTimestamp")]
    await yard.node._perform(pod, Wire(yard.plane.transport()), asyncio.Event())
    assert any(
        "another runner has it" in line for line in yard.node.logs[pod["metadata"]["labels"]["plumbline.dev/run"]]
    )
    await yard.told("Ready", "True")
    assert yard.cloud.ran == ["plan", "apply"]


@story
async def test_files_that_cannot_be_fetched_are_asked_for_again_and_then_told(yard):
    yard.node.failing = Unreachable("nobody serves it")
    await yard.apply(terraform(run_for="300s"))
    found = await yard.told("Ready", "False", "TFExecInitFailed")
    assert "nobody serves it" in condition(found, "Ready")["message"]
    assert yard.node.fetched > 5
    yard.node.failing = None
    await yard.told("Ready", "True")


@story
async def test_files_that_are_late_are_waited_for(yard):
    yard.node.failing = Unreachable("the controller moves to another node")
    await yard.apply(terraform(run_for="300s"))
    await asyncio.sleep(30)
    yard.node.failing = None
    await yard.told("Ready", "True")
    assert yard.cloud.ran == ["plan", "apply"]


@story
async def test_an_artifact_that_is_none_is_told(yard):
    yard.sources.artifact = {**ARTIFACT, "digest": 5}
    await yard.apply(terraform())
    found = await yard.told("Ready", "False", "TFExecInitFailed")
    assert "its artifact is none" in condition(found, "Ready")["message"]


@story
async def test_a_plan_that_was_put_in_the_place_of_the_approved_one_is_not_applied(yard):
    await yard.apply(terraform(approvePlan=""))
    found = await yard.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    yard.node.before = lambda: _replace_plan(yard)
    await yard.patch({"spec": {"approvePlan": found["status"]["plan"]["pending"]}})
    found = await yard.told("Ready", "False", "TFExecInitFailed")
    assert "another plan is stored" in condition(found, "Ready")["message"]
    assert "apply" not in yard.cloud.ran


async def _replace_plan(yard):
    target = Target(SECRETS, HOME, "tfplan-default-network")
    change = {"metadata": {"annotations": {"plumbline.dev/plan-digest": "another"}}}
    await yard.client.patch(target, encode(change), "merge")


@story
async def test_a_run_that_breaks_in_a_new_way_leaves_a_report_too(yard):
    async def broken():
        raise RuntimeError("hunter2")

    yard.cloud.before_apply = broken
    await yard.apply(terraform())
    found = await yard.told("Ready", "False", "TFExecApplyFailed")
    assert "unforeseen" in condition(found, "Ready")["message"]
    assert "hunter2" not in str(found)


@story
async def test_a_report_that_was_tampered_with_is_not_taken_in(yard):
    await yard.apply(terraform(approvePlan=""))
    name = await yard.until(lambda: _report(yard))
    await yard.client.patch(Target(SECRETS, HOME, name), encode({"data": {"content": "AAAA"}}), "merge")
    found = await yard.told("Ready", "False", "TFExecPlanFailed")
    assert "not what the runner has written" in condition(found, "Ready")["message"]


@story
async def test_an_order_that_was_deleted_loses_nothing_but_itself(yard):
    await yard.apply(terraform(approvePlan=""))
    name = await yard.until(lambda: _report(yard))
    await yard.client.delete(Target(SECRETS, HOME, name.replace("-report", "-order")))
    await yard.told("Ready", "Unknown", "TerraformPlannedWithChanges")


async def _report(yard):
    return next((each for each in await yard.left() if each.endswith("-report")), None)


async def _is_true(value):
    return value


TYPED = (
    f"git checkout {'1' * 40} && cd 'a b' && terraform init && terraform workspace select blue && "
    "terraform plan -lock=false -var-file=../vars/x.tfvars -target='aws_vpc.a[0]' -destroy"
)
REPRODUCTIONS = [
    (
        Workplace(path="./a b", workspace="blue", var_files=("vars/x.tfvars",)),
        Planning(destroy=True, targets=("aws_vpc.a[0]",)),
        "main@sha1:" + "1" * 40,
        TYPED,
    ),
    (
        Workplace(),
        Planning(),
        "latest@sha256:" + "2" * 64,
        f"curl -fsSL {ARTIFACT['url']} | tar xz && terraform init && terraform plan -lock=false",
    ),
]


@pytest.mark.parametrize(("workplace", "planning", "revision", "command"), REPRODUCTIONS, ids=["git", "artifact"])
def test_the_command_that_shows_the_same_is_one_that_can_be_typed(workplace, planning, revision, command):
    made = order()._replace(workplace=workplace, planning=planning, revision=revision, artifact=ARTIFACT)
    assert reproduction(made) == command


@pytest.mark.parametrize(
    ("user", "said"),
    [
        (User(token_file=Path("/var/run/token")), {"tokenFile": "/var/run/token"}),
        (User(token=Plaintext("t")), {"token": "t"}),
    ],
    ids=["by file", "by value"],
)
async def test_the_tool_is_the_account_that_the_runner_is(user, said):
    connection = Connection("https://10.0.0.1", trust=ServerTrust(b"PEM"), user=user)
    config = decode((await OwnAccount(connection).kubeconfig("infra", "tf-runner", 60.0)).reveal())
    assert config["users"][0]["user"] == said
    assert config["contexts"][0]["context"]["namespace"] == "infra"


async def test_who_has_no_token_cannot_lend_one():
    with pytest.raises(InvalidInput):
        await OwnAccount(Connection("https://10.0.0.1")).kubeconfig("infra", "tf-runner", 60.0)
