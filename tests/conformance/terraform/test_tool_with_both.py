"""Terraform and OpenTofu do the same for us."""

import asyncio
import os
from pathlib import Path

import pytest

from plumbline.base.errors import Interrupted, PlanStale, ToolMissing
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import Toolroom, found
from plumbline.terraform.tool.places import remove
from plumbline.terraform.work import Applying, Placed, Planning, Workplace

pytestmark = pytest.mark.conformance

PEERS = Path("~/.cache/plumbline-peers/bin").expanduser()
TREE = MemoryTree(
    {
        "app/main.tf": b'variable "size" {\n}\nmodule "one" {\n  source = "../modules/one"\n  size   = var.size\n}\n'
        b'output "size" {\n  value     = module.one.size\n  sensitive = true\n}\n',
        "modules/one/main.tf": b'variable "size" {\n}\nresource "terraform_data" "x" {\n  input = var.size\n}\n'
        b'output "size" {\n  value = terraform_data.x.output\n}\n',
    }
)


@pytest.fixture(params=["terraform", "tofu"])
async def room(request, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{os.defpath}:/usr/local/bin:{PEERS}")
    try:
        tool = await found((request.param,))
    except ToolMissing as error:
        pytest.skip(str(error))

    async def give():
        return tool

    yield Toolroom(tmp_path / "room", give)
    remove(tmp_path / "room")


def workplace(state: Path, size: int) -> Workplace:
    backend = f'terraform {{\n  backend "local" {{\n    path = "../../home/{state.name}"\n  }}\n}}\n'
    files = [
        Placed("module", "backend_override.tf", Plaintext(backend)),
        Placed("module", "generated.auto.tfvars.json", Plaintext(f'{{"size": {size}}}')),
    ]
    if state.exists():
        files.append(Placed("home", state.name, Plaintext(state.read_bytes())))
    return Workplace(path="app", files=tuple(files))


async def test_a_round_of_plans_and_applies(room, tmp_path):
    state = tmp_path / "state.json"
    for size, actions in ((1, ["create"]), (2, ["update"]), (2, None)):
        async with room.opened(TREE, workplace(state, size), key="a/b") as session:
            planned = await session.plan(Planning())
            assert planned.changes is (actions is not None)
            if actions:
                (change,) = decode(planned.json.reveal())["resource_changes"]
                assert change["change"]["actions"] == actions
                assert b"module.one.terraform_data.x" in planned.text.reveal()
                await session.apply(Applying(plan=planned.plan))
                with pytest.raises(PlanStale):
                    await session.apply(Applying(plan=planned.plan))
            output = (await session.outputs())["size"]
            assert (output.value.reveal(), output.type, output.sensitive) == (str(size).encode(), '"number"', True)
            state.write_bytes((await session.state()).reveal())
    assert room.ran["plan"] == 3
    # Terraform's init does not depend on variables, OpenTofu's may.
    assert room.ran["init"] in {1, 2}


async def test_an_apply_at_its_deadline_saves_what_was_made(room, tmp_path):
    tree = MemoryTree(
        {
            "main.tf": b'resource "terraform_data" "made" {\n}\nresource "terraform_data" "slow" {\n'
            b'  depends_on = [terraform_data.made]\n  provisioner "local-exec" {\n    command = "sleep 60"\n  }\n}\n'
        }
    )
    async with room.opened(tree, Workplace(), deadline_s=600) as session:
        planned = await session.plan()
        slow = asyncio.Event()
        object.__setattr__(session._commands, "until_s", asyncio.get_running_loop().time() + 4.0)
        with pytest.raises(Interrupted) as caught:
            await session.apply(
                Applying(plan=planned.plan), lambda step: slow.set() if "slow" in step.address else None
            )
        object.__setattr__(session._commands, "until_s", asyncio.get_running_loop().time() + 60.0)
        assert slow.is_set()
        assert caught.value.unfinished == ("create terraform_data.slow",)
        assert "made" in [each["name"] for each in decode((await session.state()).reveal())["resources"]]
