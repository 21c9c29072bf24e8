"""The real tool: what it takes to plan and to apply, and that applied is what was planned."""

import pytest

from plumbline.base.errors import ApplyFailed, BadDocument, InvalidInput, PlanStale, ToolFailed, Unreachable
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.work import Applying, Planning, Workplace

from .conftest import DATA, kept_by

TREE = MemoryTree({"main.tf": DATA})


async def test_a_plan_is_applied_and_then_there_is_nothing_to_do(room, remote):
    heard = []
    async with room.opened(TREE, kept_by(remote)) as session:
        planned = await session.plan(Planning())
        assert planned.changes
        assert decode(planned.json.reveal())["resource_changes"][0]["address"] == "terraform_data.x"
        assert b"terraform_data.x will be created" in planned.text.reveal()
        applied = await session.apply(Applying(plan=planned.plan, parallelism=3), heard.append)
        outputs = await session.outputs()
        again = await session.plan(Planning())
        state = await session.state()
        remote.state = b""
        await session.push(state)
        await session.push(state, force=True)
    assert decode(remote.state)["resources"]
    assert [(step.action, step.stage) for step in heard] == [("create", "started"), ("create", "completed")]
    assert applied.steps == tuple(heard)
    assert heard[1].id_value
    assert (outputs["o"].type, outputs["o"].value.reveal()) == ('"string"', b'"one"')
    assert (again.changes, again.json.reveal(), again.text.reveal()) == (False, b"", b"")


async def test_an_object_that_did_not_change_costs_one_command(room, remote):
    tree = MemoryTree({"main.tf": b'output "o" {\n  value = null\n}\n'})
    for _ in range(3):
        async with room.opened(tree, kept_by(remote), key="a/b") as session:
            assert not (await session.plan()).changes
    assert room.ran == {"init": 1, "plan": 3}


async def test_a_kept_folder_that_is_damaged_is_initialised_again(room, remote, folder):
    async with room.opened(TREE, kept_by(remote), key="a/b"):
        pass
    (kept,) = folder.glob("runs/*/data/terraform.tfstate")
    kept.unlink()
    room.ran.clear()
    async with room.opened(TREE, kept_by(remote), key="a/b") as session:
        await session.plan()
    assert (room.ran["init"], room.ran["plan"]) == (1, 2)


async def test_a_plan_is_applied_elsewhere_as_it_was_made_and_only_once(room, remote):
    async with room.opened(TREE, kept_by(remote)) as session:
        planned = await session.plan()
    # Variables, code and folder are another's by now: only the bytes of the plan count.
    async with room.opened(MemoryTree({"main.tf": DATA.replace(b"one", b"two")}), kept_by(remote)) as session:
        await session.apply(Applying(plan=planned.plan))
        assert (await session.outputs())["o"].value.reveal() == b'"one"'
        before = remote.state
        with pytest.raises(PlanStale):
            await session.apply(Applying(plan=planned.plan))
    assert remote.state == before


async def test_what_is_no_plan_is_refused(room):
    async with room.opened(TREE, Workplace()) as session:
        with pytest.raises(ToolFailed):
            await session.apply(Applying(plan=Plaintext(b"none")))


async def test_a_target_is_planned_alone(room):
    two = MemoryTree({"main.tf": DATA + b'resource "terraform_data" "y" {\n}\n'})
    async with room.opened(two, Workplace()) as session:
        planned = await session.plan(Planning(targets=("terraform_data.y",)))
    assert [each["address"] for each in decode(planned.json.reveal())["resource_changes"]] == ["terraform_data.y"]


async def test_variables_come_from_files_of_the_source(room):
    tree = MemoryTree(
        {"app/main.tf": b'variable "v" {\n}\noutput "o" {\n  value = var.v\n}\n', "env/prod.tfvars": b'v = "yes"\n'}
    )
    async with room.opened(tree, Workplace(path="app", var_files=("env/prod.tfvars",))) as session:
        planned = await session.plan()
    assert decode(planned.json.reveal())["variables"] == {"v": {"value": "yes"}}


async def test_a_workspace_is_made_where_it_is_wanted(room):
    tree = MemoryTree({"main.tf": b'output "o" {\n  value = terraform.workspace\n}\n'})
    for _ in range(2):
        async with room.opened(tree, Workplace(workspace="blue"), key="a/b") as session:
            planned = await session.plan()
            assert decode(planned.json.reveal())["planned_values"]["outputs"]["o"]["value"] == "blue"
    assert room.ran["workspace"] == 1


async def test_a_step_that_fails_is_told_with_what_was_done(room, remote):
    tree = MemoryTree(
        {
            "main.tf": DATA + b'resource "terraform_data" "bad" {\n  depends_on = [terraform_data.x]\n'
            b'  provisioner "local-exec" {\n    command = "exit 3"\n  }\n}\n'
        }
    )
    async with room.opened(tree, kept_by(remote)) as session:
        assert session.facts.provisioners == ("main.tf:10",)
        planned = await session.plan()
        with pytest.raises(ApplyFailed) as caught:
            await session.apply(Applying(plan=planned.plan))
    assert caught.value.unfinished == ("create terraform_data.bad",)
    assert caught.value.state is None
    assert "main.tf:10" in caught.value.why
    assert b'"name": "x"' in remote.state or b'"name":"x"' in remote.state


async def test_state_that_could_not_be_saved_is_handed_over(room, remote):
    async with room.opened(TREE, kept_by(remote)) as session:
        planned = await session.plan()
        remote.refuses_writes = True
        with pytest.raises(ApplyFailed) as caught:
            await session.apply(Applying(plan=planned.plan))
        remote.refuses_writes = False
        assert decode(caught.value.state.reveal())["resources"][0]["name"] == "x"
        assert caught.value.unfinished == ()
        await session.push(caught.value.state)
    assert remote.state


@pytest.mark.parametrize(
    ("code", "kind", "why"),
    [
        (b'resource "terraform_data" {\n', BadDocument, "it cannot be read"),
        (b'resource "terraform_data" "x" {\n  nope = 1\n}\n', BadDocument, "an argument is not known"),
        (b'variable "v" {\n}\n', InvalidInput, "a variable has no value"),
        (
            b'terraform {\n  backend "http" {\n    address = "http://127.0.0.1:1/"\n    retry_max = 0\n  }\n}\n',
            Unreachable,
            "no state",
        ),
    ],
)
async def test_what_is_wrong_with_a_module_is_told_by_class(room, code, kind, why):
    with pytest.raises(kind) as caught:
        async with room.opened(MemoryTree({"main.tf": code}), Workplace()) as session:
            await session.plan()
    assert caught.value.why, why
    if kind is BadDocument:
        assert "main.tf:" in caught.value.why
