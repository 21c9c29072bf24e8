"""Repositories in a folder, and the addresses that they stand for."""

import asyncio
from pathlib import Path

import pytest

from plumbline.base.errors import InvalidInput, NotFound, StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.log import recorded
from plumbline.base.process import Command, run
from plumbline.forge.local import LocalForge, RefUpdate, checked_name
from plumbline.forge.webhooks import Push

GITHUB = "https://github.com/company/k8s-manifests"


@pytest.fixture
def forge(tmp_path):
    made = LocalForge(tmp_path / "git", Ids(1))
    made.serve_at("http://127.0.0.1:8080/git/")
    return made


async def git(*arguments, at):
    return (await run(Command(argv=("git", *arguments), cwd=at, inherit=("PATH",)))).stdout.decode().strip()


async def test_a_repository_is_made_once(forge):
    assert await forge.create("team/a")
    assert not await forge.create("team/a.git")
    assert forge.has("team/a")
    assert forge.names() == ("team/a",)
    assert await git("rev-parse", "--is-bare-repository", at=forge.path("team/a")) == "true"
    assert not list(forge.path("team/a").glob("hooks/*"))


async def test_made_by_many_at_once_it_is_made_by_one(forge, tmp_path):
    made = await asyncio.gather(*(forge.create("a") for _ in range(5)))
    assert sorted(made) == [False] * 4 + [True]
    assert [path.name for path in (tmp_path / "git").iterdir()] == ["a.git"]


async def test_where_nothing_can_be_written_it_is_said(tmp_path):
    (tmp_path / "git").touch()
    with pytest.raises(StorageFailed):
        await LocalForge(tmp_path / "git", Ids(1)).create("a")


def test_where_there_is_nothing_nothing_is_found(forge):
    assert forge.names() == ()
    assert forge.stands_for() == {}
    with pytest.raises(NotFound):
        forge.path("a")


async def test_what_a_killed_program_left_behind_is_removed(forge, tmp_path):
    await forge.create("a")
    (tmp_path / "git" / ".draft-left").mkdir()
    forge.sweep()
    assert [path.name for path in (tmp_path / "git").iterdir()] == ["a.git"]


async def test_a_repository_stands_for_what_its_configuration_says(forge):
    await forge.create("a")
    path = forge.path("a")
    served = "http://127.0.0.1:8080/git/a.git"
    assert forge.stands_for() == {served: path}
    await git("config", "plumbline.standsFor", GITHUB, at=path)
    await git("config", "--add", "plumbline.standsFor", "git@gitlab.example:company/manifests.git", at=path)
    await git("config", "--add", "plumbline.standsFor", "not an address", at=path)
    await git("config", "--add", "plumbline.standsFor", "https://u:password@github.com/a/b", at=path)
    assert set(forge.stands_for()) == {served, GITHUB, "git@gitlab.example:company/manifests.git"}
    await git("config", "--unset-all", "plumbline.standsFor", at=path)
    assert set(forge.stands_for()) == {served}


async def test_addresses_may_be_declared_through_us(forge):
    await forge.create("a")
    await forge.declare("a", [GITHUB, GITHUB])
    await forge.declare("a", [GITHUB])
    assert await git("config", "--get-all", "plumbline.standsFor", at=forge.path("a")) == GITHUB
    with pytest.raises(InvalidInput):
        await forge.declare("a", ["--upload-pack=x"])
    with pytest.raises(NotFound):
        await forge.declare("b", [GITHUB])


async def test_of_two_that_declare_the_same_the_first_by_name_has_it(forge):
    for name in ("b", "a"):
        await forge.create(name)
        await forge.declare(name, [GITHUB])
    with recorded() as lines:
        assert forge.stands_for()[GITHUB] == forge.path("a")
    assert [line["repository"] for line in lines] == ["b"]


async def test_a_file_is_read_again_only_if_it_changed(forge, monkeypatch):
    await forge.create("a")
    await forge.declare("a", [GITHUB])
    opened = []
    original = Path.open

    def counted(self, *args, **kwargs):
        opened.append(self.name)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", counted)
    for _ in range(5):
        assert GITHUB in forge.stands_for()
    assert opened.count("config") <= 1


async def test_a_push_is_one_to_everything_that_it_stands_for(forge):
    await forge.create("a")
    await forge.declare("a", [GITHUB])
    urls = ("http://127.0.0.1:8080/git/a.git", GITHUB)
    assert forge.pushes("a", [RefUpdate("refs/heads/main", "1", "2")]) == (Push(urls, "refs/heads/main", "1", "2"),)


def test_without_an_address_a_push_concerns_nobody(tmp_path):
    forge = LocalForge(tmp_path, Ids(1))
    (tmp_path / "a.git").mkdir()
    (tmp_path / "a.git" / "HEAD").touch()
    assert forge.pushes("a", [RefUpdate("r", "1", "2")]) == ()


async def test_head_is_settled_once(forge):
    await forge.create("a")
    path = forge.path("a")
    tree = await git("hash-object", "-w", "-t", "tree", "/dev/null", at=path)
    made = await git("-c", "user.name=j", "-c", "user.email=j@e", "commit-tree", tree, "-m", "x", at=path)
    none = "0" * 40
    await forge.settle_head("a", [RefUpdate("refs/tags/v1", none, made), RefUpdate("refs/heads/gone", made, none)])
    assert await git("symbolic-ref", "HEAD", at=path) == "refs/heads/main"
    await git("update-ref", "refs/heads/master", made, at=path)
    await git("pack-refs", "--all", at=path)
    updates = [RefUpdate("refs/heads/a", none, made), RefUpdate("refs/heads/master", none, made)]
    await forge.settle_head("a", updates)
    assert await git("symbolic-ref", "HEAD", at=path) == "refs/heads/master"
    await forge.settle_head("a", updates[:1])
    assert await git("symbolic-ref", "HEAD", at=path) == "refs/heads/master"
    (path / "HEAD").write_text(f"{made}\n")
    await forge.settle_head("a", updates[:1])
    assert (path / "HEAD").read_text() == f"{made}\n"


async def test_many_small_pushes_are_packed(forge):
    await forge.create("a")
    await forge.tidy("a")
    assert forge.has("a")


@pytest.mark.parametrize("name", ["a", "a.git", "team/a", "A-b_c.d", "1/2/3/4", "_x"])
def test_names_that_are_plain_are_taken(name):
    assert checked_name(name) == name.removesuffix(".git")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/..", "../a", "/a", "a/", "a//b", "-a", ".a", "a b", "a\n", "a\0", "a.git/b", "a.lock", "a/b/c/d/e", "é", "a:b", "a.", ".git"],
)  # fmt: skip
def test_names_that_may_lead_elsewhere_are_refused(name):
    with pytest.raises(InvalidInput):
        checked_name(name)
