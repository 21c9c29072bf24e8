"""What is in the folder of a run, what is not, and when init may be left out."""

import asyncio
import shutil
from pathlib import Path

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, StorageFailed, TimedOut
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool import Terms, Tool, Toolroom, commands, stages
from plumbline.terraform.tool.places import remove
from plumbline.terraform.work import Applying, Argument, Placed, Planning, Workplace

from .conftest import acting_room, stand_in


async def listed(room, folder, tree, workplace):
    """Paths in the folder of a run, each with its mode."""
    async with room.opened(tree, workplace):
        (root,) = folder.glob("runs/*/")
        return {path.relative_to(root).as_posix(): path.stat().st_mode & 0o777 for path in root.rglob("*")}


async def test_what_is_not_in_git_is_for_nobody_else_to_read(acted, folder):
    tree = MemoryTree({"app/main.tf": b""})
    files = (
        Placed("module", "backend_override.tf", Plaintext("x")),
        Placed("module", "sub/deep/file", Plaintext("x")),
        Placed("home", "/.aws/sub/credentials", Plaintext("x")),
    )
    found = await listed(
        acted, folder, tree, Workplace(path="app", files=files, backend=(Argument("k", Plaintext("v")),))
    )
    assert found["source/app/backend_override.tf"] == 0o600
    assert found["source/app/sub/deep/file"] == 0o600
    assert found["home/.aws/sub/credentials"] == 0o600
    assert {found["source/app/sub"], found["source/app/sub/deep"], found["home/.aws/sub"]} == {0o700}


async def test_only_what_a_module_needs_is_written(acted, folder):
    tree = MemoryTree({"app/main.tf": b"", "other/main.tf": b"", "README.md": b""})
    found = await listed(acted, folder, tree, Workplace(path="app"))
    assert [path for path in found if path.startswith("source/")] == ["source/app", "source/app/main.tf"]


async def test_nothing_of_a_run_is_left_behind_but_what_init_made(acted, folder):
    tree = MemoryTree({"init.sh": b'mkdir -p "$TF_DATA_DIR/modules"', "plan.sh": b"mkdir -p x/y && chmod 000 x/y"})
    files = (Placed("home", ".netrc", Plaintext("canary-of-home")),)
    async with acted.opened(tree, Workplace(files=files), key="a/b") as session:
        with pytest.raises(StorageFailed):
            await session.plan()
    (root,) = folder.glob("runs/*/data")
    assert sorted(path.name for path in root.parent.iterdir()) == ["data", "prepared.json"]


@pytest.mark.parametrize(
    ("workplace", "kind", "why"),
    [
        (Workplace(path="nowhere"), NotFound, "no such module"),
        (Workplace(path="main.tf"), NotFound, "a file is no module"),
        (Workplace(path="../x"), InvalidInput, "a module outside"),
        (Workplace(path="out"), InvalidInput, "a module behind a link that leads out"),
        (Workplace(var_files=("../../etc/passwd",)), InvalidInput, "variables from outside"),
        (Workplace(var_files=("out/x.tfvars",)), InvalidInput, "variables behind a link that leads out"),
        (Workplace(var_files=("nowhere.tfvars",)), InvalidInput, "no such variables"),
        (Workplace(var_files=("app",)), InvalidInput, "variables from a folder"),
        (Workplace(files=(Placed("module", "../x", Plaintext("")),)), InvalidInput, "a file outside of the module"),
        (Workplace(files=(Placed("home", "a/../../x", Plaintext("")),)), InvalidInput, "a file outside of home"),
        (Workplace(files=(Placed("home", "a/..", Plaintext("")),)), InvalidInput, "a file without a name"),
        (Workplace(files=(Placed("module", "app", Plaintext("")),)), InvalidInput, "a file where a folder is"),
        (Workplace(command_line_config="my.tfrc"), InvalidInput, "a configuration that is not there"),
        (Workplace(backend=(Argument("a b", Plaintext("")),)), InvalidInput, "a setting without a name"),
        (Workplace(environment=(Argument("TF_CLI_ARGS_plan", Plaintext("")),)), InvalidInput, "our arguments"),
    ],
)
async def test_what_leads_out_or_nowhere_is_refused_before_anything_runs(acted, workplace, kind, why):
    links = {"out": "../../elsewhere"} if why.endswith("that leads out") else {}
    tree = MemoryTree({"main.tf": b"", "app/main.tf": b""}, links)
    with pytest.raises(kind):
        async with acted.opened(tree, workplace):
            pytest.fail(why)
    assert acted.ran == {}


async def test_files_that_cannot_be_written_are_a_matter_of_storage(acted, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.touch", full)
    with pytest.raises(StorageFailed):
        async with acted.opened(MemoryTree({"main.tf": b""}), Workplace()):
            pass


BASE = {"main.tf": b"# one\n", "plan.sh": b"exit 0"}


@pytest.mark.parametrize(
    ("change", "inits", "why"),
    [
        ({}, 0, "nothing changed"),
        ({"tree": MemoryTree({**BASE, "main.tf": b"# two\n"})}, 1, "the module changed"),
        ({"files": (Placed("module", "x.auto.tfvars.json", Plaintext("{}")),)}, 0, "variables do not matter to init"),
        ({"files": (Placed("module", "more.tf", Plaintext("")),)}, 1, "code that is not in Git does"),
        ({"files": (Placed("home", ".netrc", Plaintext("new")),)}, 0, "who we are does not"),
        ({"backend": (Argument("username", Plaintext("me")),)}, 1, "where the state is does"),
        ({"upgrade": False}, 1, "and whether newer providers are wanted"),
        ({"workspace": "blue"}, 1, "and the workspace"),
    ],
)
async def test_init_is_repeated_when_something_changes_that_it_depends_on(acted, change, inits, why):
    async with acted.opened(MemoryTree(BASE), Workplace(), key="a/b"):
        pass
    acted.ran.clear()
    tree = change.pop("tree", MemoryTree(BASE))
    async with acted.opened(tree, Workplace(**change), key="a/b"):
        pass
    assert acted.ran["init"] == inits, why


async def test_another_folder_of_the_repository_does_not_matter(acted):
    for other in (b"one", b"two"):
        tree = MemoryTree({"app/main.tf": b"", "other/main.tf": other})
        async with acted.opened(tree, Workplace(path="app"), key="a/b"):
            pass
    assert acted.ran == {"init": 1}


def test_variables_matter_to_init_where_the_tool_lets_them():
    tools = [Tool(name, "1.12.0", Path("/x"), "p", "f") for name in ("terraform", "tofu")]
    workplaces = [Workplace(files=(Placed("module", "v.auto.tfvars.json", Plaintext(text)),)) for text in ("1", "2")]
    told = [[stages.inputs(tool, workplace, "") for workplace in workplaces] for tool in tools]
    assert [len(set(each)) for each in told] == [1, 2]


async def test_newer_providers_are_looked_for_once_a_day(folder, tmp_path):
    clock = VirtualClock()
    tool = Tool("terraform", "1.11.4", stand_in(tmp_path), "linux_amd64", "x")

    async def give():
        return tool

    room = Toolroom(folder, give, clock=clock, terms=Terms(fresh_s=100.0))
    for by_s, inits in ((0, 1), (90, 1), (20, 2)):
        await clock.advance(by_s)
        async with room.opened(MemoryTree(BASE), Workplace(), key="a/b"):
            pass
        assert room.ran["init"] == inits


async def test_what_was_forgotten_is_made_anew(acted, folder):
    for _ in range(2):
        async with acted.opened(MemoryTree(BASE), Workplace(), key="a/b"):
            pass
        await acted.forget("a/b")
        assert not list(folder.glob("runs/*/data"))
    assert acted.ran == {"init": 2}


async def test_the_folders_of_many_objects_are_bounded(folder, tmp_path):
    room = acting_room(folder, stand_in(tmp_path), kept=2)
    for name in ("one", "two", "three"):
        async with room.opened(MemoryTree(BASE), Workplace(), key=name):
            pass
    assert len(list(folder.glob("runs/*/data"))) == 2


async def test_what_a_killed_program_left_behind_is_removed(acted, folder):
    async with acted.opened(MemoryTree(BASE), Workplace(), key="dead"):
        pass
    (dead,) = folder.glob("runs/*/data")
    (dead.parent / "home").mkdir()
    (dead.parent / "home" / ".netrc").write_text("secret")
    async with acted.opened(MemoryTree(BASE), Workplace(), key="alive"):
        await acted.tidy()
        assert len(list(folder.glob("runs/*/source"))) == 1
    assert not (dead.parent / "home").exists()


def test_a_folder_is_removed_whatever_its_permissions(tmp_path, monkeypatch):
    """Who is root may remove everything: the refusal is acted."""
    really, refused = shutil.rmtree, []

    def refuse_once(path, **options):
        if not refused:
            refused.append(path)
            raise PermissionError
        really(path, **options)

    monkeypatch.setattr(shutil, "rmtree", refuse_once)
    (tmp_path / "x" / "y").mkdir(parents=True)
    (tmp_path / "x" / "y").chmod(0)
    (tmp_path / "x" / "link").symlink_to("y")
    remove(tmp_path / "x")
    assert not (tmp_path / "x").exists()


async def test_an_object_has_one_run_at_a_time(acted):
    async with acted.opened(MemoryTree(BASE), Workplace(), key="a/b"):
        with pytest.raises(TimedOut):
            async with acted.opened(MemoryTree(BASE), Workplace(), key="a/b", deadline_s=0.2):
                pass


async def test_no_more_tools_at_once_than_allowed_and_in_their_turn(acted, monkeypatch):
    at_once, most, order = 0, 0, []
    really = commands.run

    async def counted(command):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        order.append(str(command.cwd))
        try:
            return await really(command)
        finally:
            at_once -= 1

    monkeypatch.setattr(commands, "run", counted)

    async def one(number):
        async with acted.opened(MemoryTree({"plan.sh": b"sleep 0.05"}), Workplace(), key=str(number)) as session:
            with pytest.raises(StorageFailed):
                await session.plan()

    async with task_group() as tasks:
        for number in range(6):
            tasks.create_task(one(number))
    assert most == 2
    assert acted.ran == {"init": 6, "plan": 6}


async def test_who_gets_no_turn_in_time_is_told(folder, tmp_path):
    tool = Tool("terraform", "1.11.4", stand_in(tmp_path), "linux_amd64", "x")

    async def give():
        return tool

    room = Toolroom(folder, give, parallel=1)
    slow = MemoryTree({"output.sh": b"sleep 0.6; echo '{}'"})
    async with (
        room.opened(slow, Workplace(), key="a") as first,
        room.opened(slow, Workplace(), key="b", deadline_s=0.4) as second,
        task_group() as tasks,
    ):
        tasks.create_task(first.outputs())
        await asyncio.sleep(0.05)
        with pytest.raises(TimedOut):
            await second.outputs()


async def test_outputs_that_are_none_are_refused(acted):
    async with acted.opened(MemoryTree({"output.sh": b"echo []"}), Workplace()) as session:
        with pytest.raises(GarbledReply):
            await session.outputs()


async def test_arguments_are_as_asked(acted):
    tree = MemoryTree(
        {
            "plan.sh": b'echo "$@" > args; for out in "$@"; do :; done; echo {} > "${out#-out=}"',
            "state.sh": b"cat args",
            "apply.sh": b'echo "$@" > args',
            "force-unlock.sh": b'echo "$@" > args',
        }
    )
    async with acted.opened(tree, Workplace()) as session:
        await session.plan(Planning(destroy=True, lock=True, lock_timeout_s=30, targets=("a.b",)))
        said = (await session.state()).reveal().decode()
        assert "-lock=true -lock-timeout=30s -destroy -target=a.b -out=" in said
        await session.apply(Applying(plan=Plaintext(b"x"), parallelism=7))
        assert " -lock=false -parallelism=7 " in (await session.state()).reveal().decode()
        await session.unlock("-id")
        assert (await session.state()).reveal().endswith(b"-force -- -id")
