"""Rows 11, 12 and 13 of the table of attacks: addresses, what repositories bring along, and names that move."""

import pytest
from pygit2.enums import FileMode
from tests.source.git.conftest import URL
from tests.source.git.origins import AUTHOR

from plumbline.base.errors import Forbidden, InvalidInput, NotFound, ServerFault
from plumbline.source.repository import Repository

ADDRESSES = [
    "ext::sh -c touch% /tmp/owned",
    "--upload-pack=touch /tmp/owned",
    "-oProxyCommand=touch /tmp/owned",
    "https://forge.example/x\n--upload-pack=y",
    "javascript:alert(1)",
    "file:///etc",
    "/etc",
    "fd::17",
    "ssh://-oProxyCommand=touch/x",
    "git@-oProxyCommand=x:y",
    "transport::https://forge.example/x",
    "git://forge.example/x",
    "",
]


@pytest.mark.parametrize("url", ADDRESSES)
async def test_row_11_an_address_that_is_none_never_reaches_git(make, runs, url, tmp_path):
    sources = make()
    for ask in (
        sources.resolve(url, "main"),
        sources.resolve(url, "1" * 40),
        sources.tree(url, "1" * 40),
        sources.commit(url, "1" * 40),
    ):
        with pytest.raises(InvalidInput):
            await ask
    assert runs == []
    assert not (tmp_path / "mirrors").exists()


async def test_row_11_credentials_in_an_address_show_nowhere(make, server, runs, tmp_path, capfd):
    server.status = 500
    url = server.url("app.git").replace("://", "://ada:canary-Zq9@")
    sources = make()
    with pytest.raises(ServerFault) as caught:
        await sources.resolve(url, "main")
    registry = sources._shared.world.metrics.registry
    labels = [sample.labels for metric in registry.collect() for sample in metric.samples]
    shown = [str(caught.value), repr(sources.state(url)), repr(runs), capfd.readouterr().err, repr(labels)]
    shown += [str(path) for path in (tmp_path / "mirrors").rglob("*")]
    assert [text for text in shown if "canary" in text] == []


REVISIONS = [
    "--upload-pack=touch /tmp/owned",
    "-x",
    "main\n+x:y",
    "refs/heads/m*",
    "$(id)",
    "main^{tree}",
    "@{-1}",
    "a..b",
]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_row_11_a_revision_is_a_name_and_nothing_else(make, origin, local, runs, revision):
    with pytest.raises(NotFound):
        await make(local).resolve(URL, revision)
    assert not any(revision in argument for command in runs for argument in command.argv)


async def test_row_12_nothing_that_a_repository_brings_is_run(make, origin, local, tmp_path):
    owned = tmp_path / "owned"
    touch = f"touch {owned}"
    for hook in ("post-checkout", "reference-transaction", "pre-receive", "post-upload-pack"):
        path = origin.path / "hooks" / hook
        path.write_text(f"#!/bin/sh\n{touch}\n")
        path.chmod(0o700)
    for name, value in (
        ("core.fsmonitor", touch),
        ("core.sshCommand", touch),
        ("uploadpack.packObjectsHook", touch),
        ("filter.evil.smudge", touch),
        ("diff.evil.textconv", touch),
        ("alias.fetch", f"!{touch}"),
    ):
        origin.repository.config[name] = value
    sha = origin.push({".gitattributes": "* filter=evil diff=evil\n", "x": "y", ".lfsconfig": "[lfs]\nurl=x\n"})
    sources = make(local)
    tree = await sources.tree(URL, await sources.resolve(URL, "main"))
    assert tree.read("x") == b"y"
    await sources.touched(URL, origin.first, sha)
    await next(iter(sources._followed.values())).remote._exchange.tend()
    assert not owned.exists()


async def test_row_12_the_settings_of_whoever_runs_us_are_not_read(make, origin, local, tmp_path, monkeypatch):
    owned = tmp_path / "owned"
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        f'[core]\n\tsshCommand = touch {owned}\n\tfsmonitor = touch {owned}\n[credential]\n\thelper = "!touch {owned}"\n'
        f'[url "file:///etc/"]\n\tinsteadOf = {origin.path}\n'
    )
    monkeypatch.setenv("HOME", str(home))
    assert await make(local).resolve(URL, "main") == origin.first
    assert not owned.exists()


@pytest.mark.parametrize("name", [b".git", b".GIT", b"git~1", b"..", b".", b".g\xe2\x80\x8cit"])
async def test_row_12_names_that_pretend_to_be_git_are_not_fetched(make, origin, local, name):
    blob = str(origin.repository.create_blob(b"[core]\n\tfsmonitor = x\n"))
    inner = origin.raw_tree([(FileMode.BLOB, b"config", blob)])
    root = origin.raw_tree([(0o040000, name, inner)])
    sources = make(local)
    await sources.resolve(URL, "main")
    bad = origin.repository.create_commit(None, AUTHOR, AUTHOR, "bad", root, [])
    origin.point("refs/heads/bad", bad)
    with pytest.raises(InvalidInput):
        await sources.resolve(URL, "bad", fresh=True)
    assert await sources.resolve(URL, "main") == origin.first, "what was known stays"


@pytest.mark.parametrize("url", ["ext::sh -c x", "-u./payload", "file:///etc", "/etc", "--upload-pack=x"])
async def test_row_12_addresses_of_submodules_are_checked_like_any_other(make, origin, local, url, runs):
    modules = f'[submodule "x"]\n\tpath = sub\n\turl = "{url}"\n'
    sha = origin.push({".gitmodules": modules, "sub": "1" * 40}, modes={"sub": FileMode.COMMIT})
    sources = make(local)
    with pytest.raises(InvalidInput):
        await sources.tree(URL, sha)
    assert not any(url in argument for command in runs for argument in command.argv)


async def test_row_12_submodules_are_asked_about_like_any_repository(make, origin):
    modules = '[submodule "x"]\n\tpath = sub\n\turl = https://other.example/secret\n'
    sha = origin.push({".gitmodules": modules, "sub": "1" * 40}, modes={"sub": FileMode.COMMIT})
    asked = []

    def connect(url, project):
        asked.append((url, project))
        if url != URL:
            raise Forbidden(f"{project} may not use {url}")
        return Repository(url=url, stands_at=str(origin.path))

    with pytest.raises(Forbidden):
        await make(connect).tree(URL, sha, project="team")
    assert asked[-1] == ("https://other.example/secret", "team")


async def test_row_12_alternates_are_not_followed(make, origin, local, tmp_path):
    sources = make(local)
    await sources.resolve(URL, "main")
    (origin.path / "objects/info/alternates").write_text(f"{tmp_path}/nowhere\n")
    second = origin.push({"README": "two\n"})
    assert await sources.resolve(URL, "main", fresh=True) == second
    mirror = next(iter(sources._followed.values())).remote.mirror.path
    assert not (mirror / "objects/info/alternates").exists()
    assert {path.suffix for path in (mirror / "hooks").iterdir()} <= {".sample"}


async def test_row_13_what_was_resolved_stays_what_it_was(make, origin, local):
    origin.tag("v1.0.0", origin.first)
    sources = make(local)
    verified = await sources.resolve(URL, "v1.0.0")
    moved = origin.push({"README": "evil\n"})
    origin.tag("v1.0.0", moved)
    assert (await sources.tree(URL, verified)).read("README") == b"hello\n"
    assert (await sources.raw(URL, verified)).kind == "commit"
    assert await sources.resolve(URL, "v1.0.0", fresh=True) == moved
    assert (await sources.tree(URL, verified)).read("README") == b"hello\n"


async def test_row_13_a_branch_that_looks_like_a_hash_is_no_hash(make, origin, local):
    other = origin.push({"README": "evil\n"}, "other")
    origin.point(f"refs/heads/{origin.first}", other)
    origin.point(f"refs/heads/{origin.first[:8]}", other)
    sources = make(local)
    assert await sources.resolve(URL, origin.first) == origin.first, "a full hash is a hash"
    assert await sources.resolve(URL, origin.first[:8]) == other, "a name comes before the beginning of a hash"


async def test_row_13_a_tag_with_the_name_of_a_branch_stops_both(make, origin, local):
    other = origin.push({"README": "evil\n"}, "other")
    origin.tag("main", other)
    sources = make(local)
    with pytest.raises(InvalidInput):
        await sources.resolve(URL, "main")
    assert await sources.resolve(URL, "refs/heads/main") == origin.first
    assert await sources.resolve(URL, "refs/tags/main") == other


async def test_row_13_a_hash_is_the_object_or_none(make, origin, local):
    blob = str(origin.repository.create_blob(b"not a commit"))
    origin.point("refs/tags/blob", blob)
    sources = make(local)
    with pytest.raises(NotFound):
        await sources.tree(URL, blob)


async def test_row_13_names_that_nobody_can_write_are_nobodys(make, origin, local):
    ref = origin.path / "packed-refs"
    ref.write_bytes(f"# pack-refs with: peeled fully-peeled sorted \n{origin.first} refs/heads/".encode() + b"\xff\n")
    assert set(await make(local).refs(URL)) == {"HEAD", "refs/heads/main"}
