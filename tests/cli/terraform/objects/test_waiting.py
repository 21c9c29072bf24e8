"""What a verb says while it waits, and when it stops waiting: in virtual time, with a controller at work."""

import asyncio
from contextlib import suppress

import pytest
from tests.terraform.works import HOME, POLICIES, SECOND, story, terraform

from plumbline.base.errors import InvalidInput, NotFound, PlanStale, TimedOut, ToolFailed
from plumbline.cli.exits import Exit
from plumbline.cli.terraform.objects.approving import Decision, decide
from plumbline.cli.terraform.objects.runs import Runs
from plumbline.cli.terraform.objects.waiting import Waiting
from plumbline.terraform.objects.saying import who
from plumbline.terraform.objects.store import Terraforms


def runs(works, *, ask=None, within_s=1800.0):
    said = []
    terraforms = Terraforms(works.client, HOME)
    made = Runs(Waiting(terraforms, works.world.clock, said.append, within_s), said.append, ask)
    return made, said


async def waiting(works, **spec):
    await works.apply(terraform(approvePlan="", **spec))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")


@story
async def test_each_thing_that_an_object_says_is_said_once(works):
    await works.apply(terraform(approvePlan=""))
    made, said = runs(works)
    assert await made.plan("network") is Exit.NO
    assert len(said) == len({each.split(" ", 1)[1] for each in said})
    assert any("Terraform Planning" in each for each in said)


@story
async def test_an_object_that_cannot_be_planned_is_not_waited_for(works):
    works.sources.missing = True
    await works.apply(terraform())
    await works.told("Ready", "False", "ArtifactFailed")
    made, _ = runs(works)
    before = works.world.clock.monotonic()
    with pytest.raises(ToolFailed, match="is not there"):
        await made.plan("network")
    assert works.world.clock.monotonic() - before < 60


@story
async def test_where_nobody_is_at_work_waiting_has_an_end(works):
    await waiting(works)
    await works.crash()
    made, _ = runs(works, within_s=40)
    with pytest.raises(TimedOut, match="not done after 40 s"):
        await made.plan("network")
    with suppress(BaseException):
        await works.tasks[0]


@story
async def test_a_plan_that_changed_while_somebody_thought_is_not_approved(works):
    await waiting(works)
    terraforms = Terraforms(works.client, HOME)

    def pushing(_):
        works.sources.push(SECOND, a="1", b="2")
        works.look()
        return True

    class Slow:
        """Asks, and in the meantime another plan is made."""

        def __call__(self, question):
            assert "Apply plan" in question
            return pushing(question)

    async def thinking():
        await works.told("Ready", "Unknown", "2 to add")

    original = terraforms.get
    asked = []

    async def get(name):
        if asked:
            await thinking()
        asked.append(name)
        return await original(name)

    terraforms.get = get
    with pytest.raises(PlanStale, match="another than the one that was shown"):
        await decide(terraforms, "network", Decision("Approve", ask=Slow()))
    assert not works.cloud.log


@story
async def test_a_plan_that_is_superseded_while_it_is_approved_is_told(works):
    await waiting(works)

    def agreeing(_):
        works.sources.push(SECOND, b="2")
        return True

    made, _ = runs(works, ask=agreeing)
    with pytest.raises(PlanStale, match="plan-main-2222222222 waits instead"):
        await made.apply("network")
    assert not works.cloud.log


@story
async def test_an_approval_that_another_has_vetoed_is_given_up_waiting_for(works):
    await waiting(works)
    digest = (await works.pending()).digest
    await works.approve("ann", digest, decision="Reject")
    await works.told("Ready", "Unknown", "rejected by ann")
    made, said = runs(works)
    assert await made.apply("network") is Exit.NEEDS_APPROVAL
    assert any("rejected by ann" in each for each in said)


@story
async def test_what_is_applied_by_itself_is_waited_for(works):
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    works.sources.push(SECOND, a="1", b="2")
    made, said = runs(works)
    assert await made.plan("network") is Exit.NO
    assert any("approvePlan is auto" in each for each in said)
    works.sources.push("main@sha1:" + "3" * 40, a="1", b="2", c="3")
    assert await made.apply("network") is Exit.DONE
    assert works.cloud.resources == {"a": "1", "b": "2", "c": "3"}


@story
async def test_an_apply_that_fails_is_a_failure(works):
    await waiting(works)

    async def fails():
        raise ToolFailed("The apply failed", why="quota")

    works.cloud.before_apply = fails
    made, _ = runs(works)
    with pytest.raises(ToolFailed, match="quota"):
        await made.apply("network")


@story
async def test_an_object_that_goes_while_it_is_waited_for_is_gone(works):
    await waiting(works)

    def agreeing(_):
        works.tasks.append(asyncio.ensure_future(works.delete()))
        return True

    made, _ = runs(works, ask=agreeing)
    with pytest.raises((NotFound, InvalidInput, PlanStale)):
        await made.apply("network")
    await works.tasks.pop()


@story
async def test_somebody_who_does_not_answer_leaves_the_plan_to_destroy_waiting(works):
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")

    def leaving(_):
        raise KeyboardInterrupt

    made, said = runs(works, ask=leaving)
    with pytest.raises(KeyboardInterrupt):
        await made.destroy("network")
    assert any("spec.destroy of network stays set" in each for each in said)
    assert works.cloud.resources == {"a": "1"}


@story
async def test_what_comes_from_git_is_told_to_be_set_there_too(works):
    obj = terraform()
    obj["metadata"]["labels"] = {"kustomize.toolkit.fluxcd.io/name": "infra"}
    await works.apply(obj)
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    made, said = runs(works)
    assert await made.destroy("network") is Exit.DONE
    assert any("It comes from Git" in each for each in said)
    assert works.cloud.resources == {}


@story
async def test_a_policy_that_lets_everything_pass_does_not_destroy_unasked(works):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "playground", "namespace": HOME},
        "spec": {"auto": {"allow": ["destroy", "replace", "forget", "unprotect"]}},
    }
    await works.apply(policy, POLICIES)
    await works.apply(terraform())
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    made, _ = runs(works, ask=lambda _: False)
    assert await made.destroy("network") is Exit.NO
    assert works.cloud.resources == {"a": "1"}


@story
async def test_one_is_whom_the_api_server_takes_one_for(works):
    ann = works.client.impersonating("ann", groups=("leads",))
    person = await who(ann)
    assert person.name == "ann"
    assert "leads" in person.groups
