"""Runs of one namespace leave room for those of others, and leave nothing behind that others would take for their own."""

import asyncio

import pytest

from plumbline.base.errors import TimedOut
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import Terms, Tool, Toolroom
from plumbline.terraform.tool.store import Store
from plumbline.terraform.work import Argument, Placed, Workplace

from .conftest import stand_in
from .test_store import CODE, HASH, chosen, installed

HANGS = MemoryTree({"init.sh": b"while :; do sleep 0.05; done\n"})
ANSWERS = MemoryTree({"main.tf": b""})


@pytest.fixture
def shared(folder, tmp_path):
    async def give():
        return Tool("terraform", "1.11.4", stand_in(tmp_path), "linux_amd64", "stand-in")

    return Toolroom(folder, give, parallel=3, share=2)


async def test_runs_of_one_namespace_that_hang_leave_room_for_those_of_another(shared):
    async def hanging(name):
        async with shared.opened(HANGS, Workplace(), key=f"team-a/{name}", deadline_s=60):
            pass

    async with task_group() as group:
        stuck = [group.create_task(hanging(str(number))) for number in range(6)]
        while shared.ran["init"] < 2:  # noqa: ASYNC110 - a process has to start
            await asyncio.sleep(0.05)
        async with asyncio.timeout(10), shared.opened(ANSWERS, Workplace(), key="team-b/net"):
            pass
        assert shared.ran["init"] == 3
        for each in stuck:
            each.cancel()


@pytest.mark.parametrize(
    "workplace",
    [
        Workplace(environment=(Argument("SSL_CERT_FILE", Plaintext("ca.pem")),)),
        Workplace(environment=(Argument("TF_TOKEN_registry_terraform_io", Plaintext("token")),)),
        Workplace(files=(Placed("home", ".terraform.d/credentials.tfrc.json", Plaintext("{}")),)),
    ],
    ids=["an authority of its own", "a token of its own", "credentials of its own"],
)
async def test_what_one_namespace_alone_was_given_to_install_is_installed_for_no_other(
    folder, terraform, upstream, workplace
):
    async def give():
        return terraform

    terms = Terms(network=False, mirrors=(upstream,), registries="")
    room = Toolroom(folder, give, parallel=3, share=2, terms=terms)
    tree = MemoryTree({"main.tf": CODE})
    async with room.opened(tree, workplace, key="team-a/net"):
        assert not list((folder / "providers").rglob("terraform-provider-fake*"))
    room.ran.clear()
    async with room.opened(tree, workplace, key="team-a/other"):
        assert room.ran == {"init": 1}, "its own it has"
    async with room.opened(tree, Workplace(), key="team-b/net"):
        assert list((folder / "providers").rglob("terraform-provider-fake*"))


async def test_who_waits_for_a_registry_keeps_only_its_own_namespace_from_installing(folder):
    store = Store(folder / "providers")
    store.prepare()
    async with store.installing("team-a", 1.0):
        async with asyncio.timeout(5), store.installing("team-b", 1.0) as waited:
            assert not waited
        with pytest.raises(TimedOut):
            async with store.installing("team-a", 0.2):
                pass


def test_two_that_install_the_same_at_once_are_both_served(folder, tmp_path, monkeypatch):
    store = Store(folder / "providers")
    store.prepare()
    there = installed(tmp_path)
    taking_over = "plumbline.terraform.tool.store._place"

    def late(*_args):
        monkeypatch.undo()
        store.admit([chosen(HASH)], there, "linux_amd64")
        raise OSError(39, "Directory not empty")

    monkeypatch.setattr(taking_over, late)
    store.admit([chosen(HASH)], there, "linux_amd64")
    assert list(store.mirror.rglob("terraform-provider-fake*"))
