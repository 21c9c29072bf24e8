"""Submodules: read as folders."""

import asyncio
import base64

import pytest
from pygit2.enums import FileMode
from tests.source.git.conftest import URL
from tests.source.git.origins import Origin

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree, walk
from plumbline.source import polls
from plumbline.source.git import Pace
from plumbline.source.git.modules import Module, absolute, modules
from plumbline.source.git.mounted import Mounted
from plumbline.source.lending import connected
from plumbline.source.repository import ANONYMOUS, Credentials, Repository

LIBRARY = "https://forge.example/team/lib.git"


@pytest.fixture
def connect(origin, tmp_path):
    """Every repository of the team stands in one folder."""

    def connect(url, project):
        name = url.rpartition("/")[2].removesuffix(".git")
        return Repository(url=url, stands_at=str(tmp_path / "served" / f"{name}.git"), submodules=connect.submodules)

    connect.submodules = True
    return connect


@pytest.fixture
def library(tmp_path):
    made = Origin(tmp_path / "served" / "lib.git")
    made.first = made.push({"base/lib.yaml": "lib: 1\n"})
    return made


def _with(origin, path, sha, url="../lib.git"):
    declared = f'[submodule "lib"]\n\tpath = {path}\n\turl = {url}\n'
    return origin.push({".gitmodules": declared, path: sha}, modes={path: FileMode.COMMIT})


async def test_the_files_of_a_submodule_are_there(make, origin, library, connect):
    sha = _with(origin, "vendor/lib", library.first)
    sources = make(connect)
    tree = await sources.tree(URL, sha)
    assert tree.read("vendor/lib/base/lib.yaml") == b"lib: 1\n"
    assert tree.size("vendor/lib/base/lib.yaml") == 7
    assert tree.entry("vendor/lib").kind == tree.entry("vendor").kind == "folder"
    assert [name for name, _ in tree.children("vendor")] == ["lib"]
    assert [name for name, _ in tree.children("vendor/lib")] == ["base"]
    assert tree.read("README") == b"hello\n"
    assert "vendor/lib/base/lib.yaml" in [path for path, _ in walk(tree)]


async def test_a_mounted_submodule_counts_in_every_hash_above_it(make, origin, library, connect):
    sha = _with(origin, "vendor/lib", library.first)
    sources = make(connect)
    tree = await sources.tree(URL, sha)
    connect.submodules = False
    bare = await sources.tree(URL, sha)
    assert bare.entry("vendor/lib").kind == "module"
    assert tree.digest != bare.digest
    assert tree.entry("vendor").digest != bare.entry("vendor").digest
    assert tree.entry("apps") == bare.entry("apps")
    assert tree.entry("vendor/lib").digest == (await sources.tree(LIBRARY, library.first)).digest


async def test_what_changes_in_a_submodule_is_touched(make, origin, library, connect):
    first = _with(origin, "vendor/lib", library.first)
    newer = library.push({"base/lib.yaml": "lib: 2\n"})
    second = origin.push({"vendor/lib": newer}, modes={"vendor/lib": FileMode.COMMIT})
    assert await make(connect).touched(URL, first, second) == {"vendor/lib/base/lib.yaml"}


async def test_submodules_may_have_submodules(make, origin, library, connect, tmp_path):
    inner = Origin(tmp_path / "served" / "inner.git")
    deep = inner.push({"x": "deep"})
    declared = '[submodule "inner"]\npath = inner\nurl = https://forge.example/team/inner\n'
    middle = library.push({".gitmodules": declared, "inner": deep}, modes={"inner": FileMode.COMMIT})
    sha = _with(origin, "lib", middle)
    assert (await make(connect).tree(URL, sha)).read("lib/inner/x") == b"deep"


class Closed:
    """A server that wants a password, and settings that have it for one repository of it."""

    def __init__(self, server):
        server.required = f"Basic {base64.b64encode(b'me:hunter2').decode()}"
        self.url, self.part = server.url("app.git"), server.url("lib.git")
        self.known = {self.url: Credentials(username="me", password=Plaintext("hunter2"))}

    def connect(self, url, project):
        return Repository(url=url, credentials=self.known.get(url, ANONYMOUS))


@pytest.fixture
def closed(server):
    return Closed(server)


async def test_a_submodule_on_the_same_server_is_asked_for_as_the_repository_around_it(make, origin, library, closed):
    sha = _with(origin, "vendor/lib", library.first)
    sources = make(closed.connect, pace=Pace(poll_s=0.01, jitter_s=0.01))
    assert (await sources.tree(closed.url, sha)).read("vendor/lib/base/lib.yaml") == b"lib: 1\n"
    running = asyncio.create_task(sources.run())
    seen = sources.state(closed.part).succeeded_at
    async with asyncio.timeout(20):
        while sources.state(closed.part).succeeded_at == seen:  # noqa: ASYNC110 - nobody is told what is waited for
            await asyncio.sleep(0.005)
    running.cancel()
    with pytest.raises(Unauthenticated):
        await sources.tree(closed.part, library.first)


async def test_credentials_of_its_own_come_before_those_around_it(make, origin, library, closed):
    closed.known[closed.part] = Credentials(username="me", password=Plaintext("wrong"))
    with pytest.raises(Unauthenticated):
        await make(closed.connect).tree(closed.url, _with(origin, "vendor/lib", library.first))


async def test_what_one_project_may_read_of_a_submodule_no_other_is_given(make, origin, library, closed):
    secret = Origin(library.path.with_name("secret.git"))
    only_there = secret.push({"vault.yaml": "canary"})
    url = closed.url.replace("app.git", "secret.git")
    sha = _with(origin, "vendor/secret", only_there, url)
    password = {"bob": "hunter2"}

    def connect(address, project):
        found = closed.connect(address, project)
        return Repository(url=address, credentials=_of(password.get(project, "none"))) if address == url else found

    sources = make(connect)
    assert (await sources.tree(closed.url, sha, project="bob")).read("vendor/secret/vault.yaml") == b"canary"
    with pytest.raises(Unauthenticated):
        await sources.tree(closed.url, sha, project="ada")
    again = await sources.tree(closed.url, sha, project="bob")
    assert again is await sources.tree(closed.url, sha, project="bob")
    password.clear()
    with pytest.raises(Unauthenticated):
        await sources.tree(closed.url, sha, project="bob")


@pytest.mark.parametrize("known", [True, False])
async def test_no_submodule_opens_another_server_that_the_project_may_not_name(make, origin, library, closed, known):
    """Neither with credentials that settings have for it, nor because only we get there."""
    elsewhere = closed.part.replace("127.0.0.1", "localhost") if known else "http://10.255.255.1/lib.git"
    closed.known[elsewhere] = closed.known[closed.url] if known else ANONYMOUS
    sha = _with(origin, "vendor/lib", library.first, elsewhere)
    permitted = {("ada", closed.url), ("bob", closed.url), ("bob", elsewhere)}
    sources = make(closed.connect, permits=lambda url, project: (project, url) in permitted)
    with pytest.raises(InvalidInput) as refused:
        await sources.tree(closed.url, sha, project="ada")
    assert "ada" in refused.value.why
    if known:
        assert (await sources.tree(closed.url, sha, project="bob")).read("vendor/lib/base/lib.yaml") == b"lib: 1\n"
        with pytest.raises(InvalidInput):
            await sources.tree(closed.url, sha, project="ada")


async def test_a_submodule_that_anybody_may_read_needs_no_permission(make, origin, library, closed):
    sha = _with(origin, "vendor/lib", library.first, closed.part)
    sources = make(closed.connect, permits=lambda url, project: url == closed.url)
    assert (await sources.tree(closed.url, sha, project="ada")).read("vendor/lib/base/lib.yaml") == b"lib: 1\n"


def _of(password):
    return Credentials(username="me", password=Plaintext(password))


AROUND = "https://forge.example/team/app.git"
ELSEWHERE = [
    ("https://forge.example/other/lib", True, "any repository there"),
    ("https://Forge.example:443/lib", True, "another spelling of the same server"),
    ("http://forge.example/team/lib.git", False, "without TLS"),
    ("https://forge.example:8443/team/lib.git", False, "another port"),
    ("https://forge.example.attacker.net/lib", False, "another host"),
    ("git@forge.example:team/lib.git", False, "over ssh"),
]


@pytest.mark.parametrize(("url", "lent", "why"), ELSEWHERE, ids=[why for *_, why in ELSEWHERE])
def test_no_other_server_is_shown_the_credentials_of_what_is_around(url, lent, why):
    known = Credentials(username="me", password=Plaintext("hunter2"))

    def connect(asked, project):
        return Repository(url=asked, credentials=known if asked == AROUND else ANONYMOUS)

    found = connected(connect, url, "", (AROUND,))
    assert (found.url, found.credentials) == (url, known if lent else ANONYMOUS)
    assert connected(connect, url, "", (AROUND, "https://elsewhere.example/x")).credentials == ANONYMOUS


async def test_a_submodule_is_wanted_for_as_long_as_what_it_is_part_of(make, origin, library, connect, monkeypatch):
    monkeypatch.setattr(polls, "UNUSED_S", 0.0)
    sources = make(connect, pace=Pace(poll_s=0.01, jitter_s=0.01))
    await sources.tree(URL, _with(origin, "vendor/lib", library.first))
    wanted, asked = {URL}, []
    sources.keep_while(lambda url: asked.append(url) or url in wanted)
    running = asyncio.create_task(sources.run())
    async with asyncio.timeout(20):
        while asked.count(LIBRARY) < 3:  # noqa: ASYNC110 - nobody is told what is waited for
            await asyncio.sleep(0.005)
        assert len(sources._followed) == 2
        wanted.clear()
        while sources._followed:  # noqa: ASYNC110 - same
            await asyncio.sleep(0.005)
    running.cancel()


async def test_submodules_end_somewhere(make, origin, connect):
    sha = origin.first
    for _ in range(10):
        sha = _with(origin, "again", sha, "./../app.git")
    with pytest.raises(LimitExceeded):
        await make(connect).tree(URL, sha)


async def test_a_submodule_that_is_not_there_is_an_error(make, origin, library, connect):
    with pytest.raises(NotFound):
        await make(connect).tree(URL, _with(origin, "lib", "1" * 40))


async def test_declared_but_absent_is_nothing(make, origin, library, connect):
    declared = '[submodule "x"]\npath = README\nurl = ../lib.git\n[submodule "y"]\npath = none\nurl = ../lib.git\n'
    sources = make(connect)
    tree = await sources.tree(URL, origin.push({".gitmodules": declared}))
    assert tree.read("README") == b"hello\n"
    assert len(sources._followed) == 1


DECLARED = b"""# a comment
[core]
\tpath = no
[submodule "a"] ; another
\tpath = libs/a # and one more
\turl = "https://h/a;b"
\tbranch = main
[Submodule "b"] path = b
\tURL = ../b\\tc
[submodule "no address"]
\tpath = x
"""


def test_declarations_are_read_as_git_reads_them():
    assert modules(DECLARED, "https://h/t/x.git") == (
        Module("libs/a", "https://h/a;b"),
        Module("b", "https://h/t/b\tc"),
    )


@pytest.mark.parametrize("path", ["../out", "a/../../out", "a\\\\b"])
def test_a_submodule_outside_of_the_repository_is_refused(path):
    with pytest.raises(InvalidInput):
        modules(f'[submodule "x"]\npath = {path}\nurl = https://h/x\n'.encode(), URL)


def test_submodules_are_not_without_number():
    many = "".join(f'[submodule "{number}"]\n' for number in range(300))
    with pytest.raises(LimitExceeded):
        modules(many.encode(), URL)


RELATIVE = [
    ("../lib.git", "https://h/team/app.git", "https://h/team/lib.git", "beside"),
    ("./lib", "https://h/team/app", "https://h/team/app/lib", "below"),
    ("../../other/lib", "https://h/team/app/", "https://h/other/lib", "two up"),
    ("../lib", "git@h:team/app", "git@h:team/lib", "the short form of ssh"),
    ("../../lib", "git@h:team/app", "git@h:lib", "up to its colon"),
    ("https://h/x", "https://h/y", "https://h/x", "not relative at all"),
]


@pytest.mark.parametrize(("url", "parent", "expected", "why"), RELATIVE, ids=[why for *_, why in RELATIVE])
def test_addresses_may_be_relative(url, parent, expected, why):
    assert absolute(url, parent) == expected


@pytest.mark.parametrize(
    ("url", "parent"), [("../../../x", "https://h/t"), ("../../../../x", "git@h:a/b"), ("../x", "h")]
)
def test_no_address_leads_above_its_host(url, parent):
    with pytest.raises(InvalidInput):
        absolute(url, parent)


def test_a_mount_at_the_top_and_one_deep_below():
    outer = MemoryTree({"x/y/z/file": b"1", "keep": b"2", "top/old": b""})
    mounted = Mounted(outer, {"x/y/z": MemoryTree({"a/b": b"3"}), "top": MemoryTree({"c": b"4"})})
    assert mounted.read("x/y/z/a/b") == b"3"
    assert mounted.read("top/c") == b"4"
    assert mounted.read("keep") == b"2"
    assert mounted.entry("x/y/z/file") is None
    assert [name for name, _ in mounted.children("")] == ["keep", "top", "x"]
