"""Real providers through the room of the tool: what they plan, apply, find changed, replace and keep secret."""

from pathlib import Path

import pytest
from tests.conformance.real import PeersMissing, programs
from tests.conformance.terraform.estate import TOOLS, only
from tests.terraform.test_foundation_example import FOUNDATION

from plumbline.base.errors import Forbidden
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.plans import dangers, readable, summarised
from plumbline.terraform.tool import Toolroom, found
from plumbline.terraform.tool.places import remove
from plumbline.terraform.tool.room import Terms
from plumbline.terraform.work import Applying, Placed, Planning, Workplace

pytestmark = pytest.mark.conformance

MODULE = """\
terraform {
  required_providers {
    random = {
      source = "hashicorp/random"
    }
    local = {
      source = "hashicorp/local"
    }
    tls = {
      source = "hashicorp/tls"
    }
    time = {
      source = "hashicorp/time"
    }
  }
}
variable "generation" {
  default = 1
}
resource "random_password" "database" {
  length  = 24
  special = false
  keepers = { generation = var.generation }
}
resource "tls_private_key" "authority" {
  algorithm = "ED25519"
}
resource "time_static" "made" {
}
resource "local_file" "address" {
  filename = "../home/address"
  content  = "db.example.org since ${time_static.made.year}"
}
resource "local_sensitive_file" "credentials" {
  filename = "../home/credentials"
  content  = random_password.database.result
}
output "password" {
  value     = random_password.database.result
  sensitive = true
}
output "key" {
  value = tls_private_key.authority.public_key_openssh
}
"""


def mirror() -> Path:
    folder = programs().parent / "providers"
    if not folder.is_dir():
        raise PeersMissing(f"there are no providers in {folder}: `make peers` builds them")
    return folder


@pytest.fixture(params=TOOLS)
async def room(request, tmp_path, monkeypatch):
    """Without a way to fetch anything from elsewhere."""
    monkeypatch.setenv("PATH", only(request.param, tmp_path / "path"))
    tool = await found((request.param,))

    async def give():
        return tool

    terms = Terms(mirrors=(mirror(),), registries="")
    yield Toolroom(tmp_path / "room", give, terms=terms)
    remove(tmp_path / "room")


class Life:
    """One module from run to run; what is in its home stays, as a cloud would."""

    def __init__(self, room, folder, text=MODULE):
        self._room, self._state, self._tree = room, folder / "state.json", MemoryTree({"main.tf": text.encode()})
        self.cloud: dict[str, bytes] = {}

    def _workplace(self, generation):
        backend = 'terraform {\n  backend "local" {\n    path = "../home/state.json"\n  }\n}\n'
        files = [
            Placed("module", "backend_override.tf", Plaintext(backend)),
            Placed("module", "generated.auto.tfvars.json", Plaintext(f'{{"generation": {generation}}}')),
            *(Placed("home", name, Plaintext(content)) for name, content in self.cloud.items()),
        ]
        if self._state.exists():
            files.append(Placed("home", "state.json", Plaintext(self._state.read_bytes())))
        return Workplace(files=tuple(files))

    async def planned(self, generation=1, *, apply=False, destroy=False, permitted=None):
        async with self._room.opened(
            self._tree,
            self._workplace(generation),
            key="infra/life",
            permitted=permitted,
        ) as session:
            planned = await session.plan(Planning(destroy=destroy))
            outputs = {}
            if apply:
                await session.apply(Applying(plan=planned.plan))
                self._state.write_bytes((await session.state()).reveal())
                outputs = await session.outputs()
                home = session._places.home
                self.cloud = {
                    each: (home / each).read_bytes() for each in ("address", "credentials") if (home / each).exists()
                }
            return planned, outputs


def foundation():
    files = (each for each in FOUNDATION.rglob("*") if each.is_file())
    return MemoryTree({each.relative_to(FOUNDATION).as_posix(): each.read_bytes() for each in files})


def actions(planned):
    changes = decode(planned.json.reveal()).get("resource_changes", ())
    return {each["address"]: each["change"]["actions"] for each in changes if each["change"]["actions"] != ["no-op"]}


async def test_four_providers_make_what_they_are_asked_for_and_then_nothing(room, tmp_path):
    life = Life(room, tmp_path)
    planned, outputs = await life.planned(apply=True)
    assert set(actions(planned)) == {
        "random_password.database",
        "tls_private_key.authority",
        "time_static.made",
        "local_file.address",
        "local_sensitive_file.credentials",
    }
    assert outputs["password"].sensitive
    assert decode(outputs["key"].value.reveal()).startswith("ssh-ed25519 ")
    assert life.cloud["credentials"] == decode(outputs["password"].value.reveal()).encode()
    again, _ = await life.planned()
    assert not again.changes
    assert room.ran["init"] <= 3


async def test_what_somebody_removed_is_found(room, tmp_path):
    life = Life(room, tmp_path)
    await life.planned(apply=True)
    del life.cloud["address"]
    planned, _ = await life.planned()
    assert actions(planned) == {"local_file.address": ["create"]}
    drift = decode(planned.json.reveal())["resource_drift"]
    assert [(each["address"], each["change"]["actions"]) for each in drift] == [("local_file.address", ["delete"])]


async def test_a_password_that_is_replaced_is_a_danger_and_never_shown(room, tmp_path):
    life = Life(room, tmp_path)
    _, outputs = await life.planned(apply=True)
    planned, _ = await life.planned(2)
    assert actions(planned)["random_password.database"] == ["delete", "create"]
    summary = summarised(planned.json)
    found = dangers(summary)
    (danger,) = (each for each in found if each.address == "random_password.database")
    assert (danger.kind, danger.severity) == ("replace", "high")
    password = decode(outputs["password"].value.reveal())
    assert password.encode() in planned.json.reveal(), "the plan itself knows it"
    assert password not in readable(summary, found)
    assert "BEGIN PRIVATE KEY" not in readable(summary, found)


async def test_everything_is_destroyed_when_that_is_asked_for(room, tmp_path):
    life = Life(room, tmp_path)
    await life.planned(apply=True)
    planned, _ = await life.planned(apply=True, destroy=True)
    assert set(map(tuple, actions(planned).values())) == {("delete",)}
    assert not life.cloud


async def test_a_provider_that_is_not_permitted_never_runs(room, tmp_path):
    life = Life(room, tmp_path)
    with pytest.raises(Forbidden, match="hashicorp/tls"):
        await life.planned(permitted=lambda address: not address.endswith("/tls"))
    assert not room.ran["plan"]


async def test_the_sandbox_of_the_examples_is_planned_and_applied(room, tmp_path):
    async with room.opened(foundation(), Workplace(path="environments/sandbox"), key="infra/sandbox") as session:
        planned = await session.plan()
        await session.apply(Applying(plan=planned.plan))
        outputs = await session.outputs()
        assert not (await session.plan()).changes
    assert outputs["join_token"].sensitive
    assert decode(outputs["certificate_authority"].value.reveal()).startswith("-----BEGIN CERTIFICATE-----")


@pytest.mark.parametrize("environment", ["staging", "production"])
async def test_the_foundation_is_applied_with_either_tool(room, environment):
    async with room.opened(
        foundation(), Workplace(path=f"environments/{environment}"), key=f"infra/{environment}"
    ) as session:
        planned = await session.plan()
        await session.apply(Applying(plan=planned.plan))
        assert not (await session.plan()).changes
