"""The first commit of a repository: whole or not at all, and never over somebody's."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import ToolFailed
from plumbline.base.ids import Ids
from plumbline.base.process import Command, run
from plumbline.forge.local import Author, Beginning, LocalForge
from plumbline.forge.local.beginnings import import_stream

JANE = Author("Jane", "jane@example.com")
FILES = {
    "README.md": b"Hello\n",
    "a/b/c.yaml": b"a: 1\n",
    "empty": b"",
    "bytes": bytes(range(256)),
    "later": b"M x\ndone\n",
}


def beginning(files=FILES, message="All of it\n"):
    return Beginning(files, message, JANE, 1_700_000_000)


@pytest.fixture
def forge(tmp_path):
    return LocalForge(tmp_path / "git", Ids(1))


async def git(*arguments, at: Path) -> bytes:
    return (await run(Command(argv=("git", *arguments), cwd=at, inherit=("PATH",), mask_stdout=False))).stdout


async def test_it_is_one_commit_with_every_file_as_it_is(forge):
    await forge.create("shop")
    assert not await forge.begun("shop")
    assert await forge.begin("shop", beginning())
    assert await forge.begun("shop")
    path = forge.path("shop")
    said = (await git("log", "--format=%an <%ae> %cn %at %s", "HEAD", at=path)).decode().strip()
    assert said == "Jane <jane@example.com> Jane 1700000000 All of it"
    assert (await git("ls-tree", "-r", "--name-only", "HEAD", at=path)).decode().split() == sorted(FILES)
    for name, content in FILES.items():
        assert await git("show", f"HEAD:{name}", at=path) == content
    await git("fsck", "--strict", at=path)


async def test_what_has_a_commit_is_left_alone(forge):
    await forge.create("shop")
    await forge.begin("shop", beginning())
    before = await git("rev-parse", "main", at=forge.path("shop"))
    assert not await forge.begin("shop", beginning({"other": b"1"}))
    assert await git("rev-parse", "main", at=forge.path("shop")) == before


async def test_whoever_pushes_in_between_is_its_beginning(forge, monkeypatch):
    await forge.create("shop")
    await forge.begin("shop", beginning())
    before = await git("rev-parse", "main", at=forge.path("shop"))
    answers = iter([False, True])

    async def begun(name):
        return next(answers)

    monkeypatch.setattr(forge, "begun", begun)
    assert not await forge.begin("shop", beginning({"other": b"1"}))
    assert await git("rev-parse", "main", at=forge.path("shop")) == before


async def test_a_stream_that_ends_too_early_leaves_nothing(forge, monkeypatch):
    await forge.create("shop")
    cut = import_stream(beginning(), "main").removesuffix(b"done\n")
    monkeypatch.setattr("plumbline.forge.local.forge.import_stream", lambda *_: cut)
    with pytest.raises(ToolFailed):
        await forge.begin("shop", beginning())
    assert not await forge.begun("shop")


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True), st.binary(max_size=40), max_size=6))
def test_contents_are_counted_and_never_read(files):
    stream = import_stream(beginning(files), "main")
    for path, content in files.items():
        assert b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(content), content) in stream
    assert stream.endswith(b"done\n")
