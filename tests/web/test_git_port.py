"""Repositories at `/git/`, with the real git on the other side."""

import asyncio
import contextlib
import gzip
import os
import stat
import zlib

import pytest
from tests.base.http.talking import request
from tests.web.gitclient import attempt, commit, git, worktree
from tests.web.ports import opened, until

from plumbline.base.errors import StorageFailed
from plumbline.base.ids import Ids
from plumbline.base.log import recorded
from plumbline.base.plaintext import Plaintext
from plumbline.forge.local import LocalForge, RefUpdate
from plumbline.web.git import Access, Git, GitLimits, bodies, service, token_at

TOKEN = "a-token-of-a-test"
NONE = "0" * 40
UPLOAD = "application/x-git-upload-pack-request"
RECEIVE = "application/x-git-receive-pack-request"


class Served:
    """A port with repositories, and what was announced about them."""

    def __init__(self, port, forge, told):
        self.port = port
        self.forge = forge
        self.told = told
        self.ask = port.ask

    def url(self, name="a", token=TOKEN):
        at = f"127.0.0.1:{self.port.web.port}/git/{name}.git"
        return f"http://x:{token}@{at}" if token else f"http://{at}"


@contextlib.asynccontextmanager
async def served(folder, limits=None, on_pushed=None, **access):
    forge = LocalForge(folder / "repositories", Ids())
    told = []
    part = Git(
        forge,
        Access(token=Plaintext(TOKEN), **access),
        on_pushed or (lambda name, updates: told.append((name, updates))),
        limits,
    )
    async with opened(part) as port:
        yield Served(port, forge, told)


async def pushed(at, tmp_path, files=None, name="a"):
    """A repository with one commit in it, and where that was made."""
    work = await worktree(tmp_path / f"work-{name.replace('/', '-')}")
    made = await commit(work, files or {"app.yaml": "kind: ConfigMap"})
    await git("push", "-q", at.url(name), "HEAD:main", at=work)
    return work, made


async def test_the_first_push_creates_the_repository_and_is_announced(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        assert at.told == [("a", (RefUpdate("refs/heads/main", NONE, made),))]
        assert at.forge.names() == ("a",)
        await git("clone", "-q", at.url(token=""), tmp_path / "clone")
        assert (tmp_path / "clone" / "app.yaml").read_text() == "kind: ConfigMap"
        await git("fsck", "--strict", at=at.forge.path("a"))
        assert await git("rev-parse", "HEAD", at=work) == made


@pytest.mark.parametrize("version", ["0", "1", "2"])
async def test_every_version_of_the_protocol_is_spoken(tmp_path, version):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        options = ("-c", f"protocol.version={version}")
        await git(*options, "clone", "-q", at.url(token=""), tmp_path / "clone")
        newer = await commit(work, {"b.yaml": "b"})
        await git(*options, "push", "-q", at.url(), "HEAD:main", at=work)
        await git(*options, "fetch", "-q", "origin", at=tmp_path / "clone")
        assert await git("rev-parse", "origin/main", at=tmp_path / "clone") == newer
        listed = await git(*options, "ls-remote", at.url(token=""))
        assert f"{newer}\trefs/heads/main" in listed
        assert made != newer


async def test_a_shallow_clone_and_a_partial_one_and_a_commit_by_its_name(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        await commit(work, {"b.yaml": "b"})
        await git("push", "-q", at.url(), "HEAD:main", at=work)
        await git("clone", "-q", "--depth=1", at.url(token=""), tmp_path / "shallow")
        assert await git("rev-list", "--count", "HEAD", at=tmp_path / "shallow") == "1"
        await git("fetch", "-q", "--unshallow", at=tmp_path / "shallow")
        assert await git("rev-list", "--count", "HEAD", at=tmp_path / "shallow") == "2"
        await git("clone", "-q", "--filter=blob:none", "--no-checkout", at.url(token=""), tmp_path / "partial")
        empty = await worktree(tmp_path / "empty")
        await git("-c", "protocol.version=0", "fetch", "-q", at.url(token=""), made, at=empty)
        assert await git("rev-parse", "FETCH_HEAD", at=empty) == made


async def test_many_refs_make_a_request_that_git_compresses(tmp_path):
    async with served(tmp_path) as at:
        work, _ = await pushed(at, tmp_path)
        for number in range(30):
            await commit(work, {"n": str(number)})
            await git("tag", f"v{number}", at=work)
        await git("push", "-q", "--tags", at.url(), at=work)
        assert len(at.told[-1][1]) == 30
        clone = tmp_path / "clone"
        await git("clone", "-q", at.url(token=""), clone)
        # Later than all others, so that git names these first, and has named many before both sides agree.
        for number in range(60):
            await commit(clone, {"mine": str(number)}, GIT_COMMITTER_DATE=f"2099-01-01T00:00:{number:02}Z")
        await commit(work, {"theirs": "x"})
        await git("push", "-q", at.url(), "HEAD:main", at=work)
        traced = await attempt("fetch", "-q", "origin", at=clone, GIT_CURL_VERBOSE="1", GIT_TRACE_CURL_NO_DATA="1")
        assert traced.code == 0
        assert "content-encoding: gzip" in traced.err.lower()


async def test_a_forced_push_a_new_branch_and_a_deletion_are_announced(tmp_path):
    async with served(tmp_path) as at:
        work, first = await pushed(at, tmp_path)
        await git("commit", "-q", "--amend", "-m", "other", at=work)
        second = await git("rev-parse", "HEAD", at=work)
        assert (await attempt("push", "-q", at.url(), "HEAD:main", at=work)).code != 0
        await git("push", "-q", "--force", at.url(), "HEAD:main", "HEAD:refs/heads/feature/x", at=work)
        await git("push", "-q", at.url(), ":feature/x", at=work)
        assert at.told[1:] == [
            (
                "a",
                (
                    RefUpdate("refs/heads/main", first, second),
                    RefUpdate("refs/heads/feature/x", NONE, second),
                ),
            ),
            ("a", (RefUpdate("refs/heads/feature/x", second, NONE),)),
        ]


async def test_only_what_moved_is_announced(tmp_path):
    async with served(tmp_path) as at:
        work, _ = await pushed(at, tmp_path)
        made = await commit(work, {"b": "b"})
        # Nobody may take away the branch that HEAD names.
        ran = await attempt("push", at.url(), ":main", "HEAD:refs/heads/other", at=work)
        assert ran.code != 0
        assert at.told[-1] == ("a", (RefUpdate("refs/heads/other", NONE, made),))


async def test_a_push_of_nothing_new_is_not_announced(tmp_path):
    async with served(tmp_path) as at:
        work, _ = await pushed(at, tmp_path)
        await git("push", "-q", at.url(), "HEAD:main", at=work)
        assert len(at.told) == 1


async def test_head_names_what_was_pushed_first(tmp_path):
    async with served(tmp_path) as at:
        work = await worktree(tmp_path / "work", "trunk")
        await commit(work, {"a": "a"})
        await git("push", "-q", at.url(), "trunk", at=work)
        assert await git("symbolic-ref", "HEAD", at=at.forge.path("a")) == "refs/heads/trunk"
        await git("push", "-q", at.url(), "trunk:main", at=work)
        assert await git("symbolic-ref", "HEAD", at=at.forge.path("a")) == "refs/heads/trunk"
        await git("clone", "-q", at.url(token=""), tmp_path / "clone")
        assert (tmp_path / "clone" / "a").exists()


async def test_a_big_push_passes_through(tmp_path):
    async with served(tmp_path) as at:
        big = os.urandom(12 << 20)
        await pushed(at, tmp_path, {"big": big})
        await git("clone", "-q", at.url(token=""), tmp_path / "clone")
        assert (tmp_path / "clone" / "big").read_bytes() == big


async def test_a_push_that_is_too_big_is_refused_and_leaves_the_repository_as_it_was(tmp_path):
    async with served(tmp_path, GitLimits(push_bytes=1 << 20)) as at:
        work, made = await pushed(at, tmp_path)
        await commit(work, {"big": os.urandom(4 << 20)})
        ran = await attempt("push", at.url(), "HEAD:main", at=work)
        assert ran.code != 0
        assert await git("rev-parse", "main", at=at.forge.path("a")) == made
        assert len(at.told) == 1
        await git("fsck", "--strict", at=at.forge.path("a"))


async def test_two_pushes_at_once_to_different_branches_both_arrive(tmp_path):
    async with served(tmp_path) as at:
        work, _ = await pushed(at, tmp_path)
        await git("branch", "one", at=work)
        await commit(work, {"b": os.urandom(1 << 20)})
        ran = await asyncio.gather(
            *(attempt("push", "-q", at.url(), f"HEAD:refs/heads/b{number}", at=work) for number in range(4))
        )
        assert [each.code for each in ran] == [0] * 4
        assert sorted(updates[0].ref for _, updates in at.told[1:]) == [f"refs/heads/b{number}" for number in range(4)]


async def test_of_two_pushes_at_once_to_one_branch_one_wins_and_the_other_is_told(tmp_path):
    async with served(tmp_path) as at:
        await pushed(at, tmp_path)
        works = [tmp_path / f"clone{number}" for number in range(3)]
        for number, work in enumerate(works):
            await git("clone", "-q", at.url(), work)
            await commit(work, {f"file{number}": os.urandom(200_000)})
        ran = await asyncio.gather(*(attempt("push", "-q", "origin", "HEAD:main", at=work) for work in works))
        assert sorted(each.code == 0 for each in ran) == [False, False, True]
        assert len(at.told) == 2
        await git("fsck", "--strict", at=at.forge.path("a"))


async def test_two_first_pushes_at_once_find_one_repository(tmp_path):
    async with served(tmp_path) as at:
        work = await worktree(tmp_path / "work")
        await commit(work, {"a": "a"})
        ran = await asyncio.gather(
            *(attempt("push", "-q", at.url(), f"HEAD:refs/heads/b{number}", at=work) for number in range(4))
        )
        assert [each.code for each in ran] == [0] * 4, [each.err for each in ran]
        assert len((await git("for-each-ref", at=at.forge.path("a"))).splitlines()) == 4
        assert [path.name for path in (tmp_path / "repositories").iterdir()] == ["a.git"]


async def test_without_the_token_nobody_pushes(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        await commit(work, {"b": "b"})
        for token in ("", "wrong"):
            ran = await attempt("push", "-q", at.url(token=token), "HEAD:main", at=work)
            assert ran.code != 0
            assert "uthentication failed" in ran.err or "could not read Username" in ran.err
        assert await git("rev-parse", "main", at=at.forge.path("a")) == made
        assert (await attempt("push", "-q", at.url("new", token=""), "HEAD:main", at=work)).code != 0
        assert at.forge.names() == ("a",)


@pytest.mark.parametrize(
    "header",
    [
        f"Authorization: Bearer {TOKEN}",
        "Authorization: Basic YS10b2tlbi1vZi1hLXRlc3Q6",
    ],
)
async def test_the_token_may_come_in_other_ways(tmp_path, header):
    async with served(tmp_path) as at:
        work = await worktree(tmp_path / "work")
        await commit(work, {"a": "a"})
        await git("-c", f"http.extraHeader={header}", "push", "-q", at.url(token=""), "HEAD:main", at=work)
        assert len(at.told) == 1


async def test_pushes_may_be_open_to_everybody_on_this_machine(tmp_path):
    async with served(tmp_path, open_writes=True) as at:
        work = await worktree(tmp_path / "work")
        await commit(work, {"a": "a"})
        await git("push", "-q", at.url(token=""), "HEAD:main", at=work)
        passed_on = {"X_Forwarded_For": "10.0.0.1"}
        assert (await at.ask("GET", "/git/a.git/info/refs?service=git-receive-pack", **passed_on)).status == 401
        assert (await at.ask("GET", "/git/a.git/info/refs?service=git-upload-pack", **passed_on)).status == 401
        assert (await at.ask("POST", "/git/a.git/git-upload-pack", b"0000", **passed_on)).status == 401
        assert (await at.ask("POST", "/git/a.git/git-receive-pack", b"0000", **passed_on)).status == 401
        assert (await at.ask("PUT", "/git/b.git", **passed_on)).status == 401


@pytest.mark.parametrize(
    "headers",
    [{"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Origin": "https://evil.example"}],
    ids=["another site", "another port", "another origin"],
)
async def test_no_page_in_a_browser_makes_a_repository_with_a_picture(tmp_path, headers):
    async with served(tmp_path, open_writes=True) as at:
        asked = "/git/a.git/info/refs?service=git-receive-pack"
        assert (await at.ask("GET", asked, **headers)).status == 403
        assert at.forge.names() == ()
        assert (await at.ask("GET", asked)).status == 200
        assert at.forge.names() == ("a",)


@pytest.mark.parametrize(
    "name",
    [
        "..", "../x", "a/../../x", "a/..", ".", ".hidden", "-flag", "a//b", "/etc", "a b", "a%00b", "a\\b", "é",
        "%2e%2e/x", "..%2f..%2fx", "a.git/b", "a.lock", "x.git.git", "a/b/c/d/e", "a." , "x" * 300,
    ],
)  # fmt: skip
async def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    async with served(tmp_path) as at:
        target = name.replace(" ", "%20").replace("é", "%C3%A9").replace("\\", "%5c")
        for path in (
            f"/git/{target}.git/info/refs?service=git-receive-pack",
            f"/git/{target}/info/refs?service=git-receive-pack",
        ):
            reply = await at.ask("GET", path, Authorization=f"Bearer {TOKEN}")
            assert reply.status in {400, 404}, path
        assert not (tmp_path / "repositories").exists()
    assert [path.name for path in tmp_path.iterdir()] == []


async def test_names_may_have_parts(tmp_path):
    async with served(tmp_path) as at:
        await pushed(at, tmp_path, name="company/k8s-manifests")
        await pushed(at, tmp_path, name="other")
        assert at.forge.names() == ("company/k8s-manifests", "other")
        reply = await at.ask("GET", "/git/company/k8s-manifests/info/refs?service=git-upload-pack")
        assert reply.status == 200


async def test_what_is_no_repository_is_not_found(tmp_path):
    async with served(tmp_path) as at:
        for method, path in (
            ("GET", "/git/a.git/info/refs?service=git-upload-pack"),
            ("GET", "/git/a.git"),
            ("GET", "/git/"),
            ("PUT", "/git/a.git/info/refs"),
        ):
            assert (await at.ask(method, path)).status == 404, path
        await at.forge.create("a")
        assert (await at.ask("GET", "/git/a.git/info/refs")).status == 404
        assert (await at.ask("GET", "/git/a.git/HEAD")).status == 400
        for verb in ("upload", "receive"):
            path, token = f"/git/a.git/git-{verb}-pack", {"Authorization": f"Bearer {TOKEN}"}
            assert (await at.ask("POST", path, b"0000", **token)).status == 415


async def test_a_repository_may_be_made_before_anybody_pushes(tmp_path):
    async with served(tmp_path) as at:
        token = {"Authorization": f"Bearer {TOKEN}"}
        urls = ["https://github.com/company/k8s-manifests"]
        assert (await at.ask("PUT", "/git/a.git")).status == 401
        made = await at.ask("PUT", "/git/a.git", {"standsFor": urls}, **token)
        assert (made.status, made.json) == (201, {"name": "a", "urls": urls})
        assert (await at.ask("PUT", "/git/a.git", **token)).status == 200
        assert at.forge.stands_for() == {urls[0]: at.forge.path("a")}
        for wrong in ([], {"standsFor": "x"}, {"standsFor": [5]}, {"standsFor": ["not an address"]}, b"{"):
            assert (await at.ask("PUT", "/git/b.git", wrong, **token)).status == 400, wrong
        ran = await attempt("clone", "-q", at.url(token=""), tmp_path / "clone")
        assert ran.code == 0
        assert await git("symbolic-ref", "HEAD", at=tmp_path / "clone") == "refs/heads/main"


async def test_hooks_never_run(tmp_path):
    async with served(tmp_path) as at:
        await at.forge.create("a")
        hooks = at.forge.path("a") / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"):
            hook = hooks / name
            hook.write_text(f"#!/bin/sh\ntouch '{at.forge.path('a')}/ran'\nexit 1\n")
            hook.chmod(0o755)
        with (at.forge.path("a") / "config").open("a") as config:
            config.write(f"[core]\n\thooksPath = {hooks}\n")
        await pushed(at, tmp_path)
        assert not (at.forge.path("a") / "ran").exists()


async def test_trees_made_to_deceive_are_refused(tmp_path):
    async with served(tmp_path) as at:
        work, _ = await pushed(at, tmp_path)
        blob = await git("hash-object", "-w", "--stdin", at=work)
        entry = tmp_path / "entry"
        entry.write_text(f"100644 blob {blob}\t.GIT\n")
        with entry.open("rb") as listed:
            process = await asyncio.create_subprocess_exec(
                "git", "mktree", cwd=work, stdin=listed, stdout=asyncio.subprocess.PIPE
            )
            tree = (await process.communicate())[0].decode().strip()
        bad = await git("commit-tree", tree, "-m", "evil", at=work)
        ran = await attempt("push", at.url(), f"{bad}:refs/heads/evil", at=work)
        assert ran.code != 0
        assert "fsck" in ran.err.lower() or "unpack" in ran.err.lower()
        assert len(at.told) == 1


def blob_head(size):
    """How a pack begins an object: its kind and its length, seven bits at a time after the first four."""
    head, rest = [0x30 | size & 15], size >> 4
    while rest:
        head[-1] |= 0x80
        head.append(rest & 0x7F)
        rest >>= 7
    return bytes(head)


async def test_a_push_that_breaks_off_leaves_a_usable_repository(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        path = at.forge.path("a")
        talk = await at.port.connect()
        head = f"{made} {'1' * 40} refs/heads/main\0 report-status side-band-64k"
        # The beginning of a good pack, so that git waits for the rest: garbage might make it give up before we look.
        blob = blob_head(1 << 20) + zlib.compress(os.urandom(1 << 20), 0)[:200_000]
        body = f"{len(head) + 4:04x}{head}0000".encode() + b"PACK\0\0\0\2\0\0\0\5" + blob
        await talk.send(
            request(
                "POST", "/git/a.git/git-receive-pack", body,
                Content_Type=RECEIVE, Content_Length=str(10 << 20), Authorization=f"Bearer {TOKEN}",
            )
        )  # fmt: skip
        await until(lambda: list((path / "objects").glob("tmp_objdir-incoming-*")))
        talk.vanish()
        await until(lambda: not list((path / "objects").glob("tmp_objdir-incoming-*")))
        await git("fsck", "--strict", at=path)
        await commit(work, {"b": "b"})
        await git("push", "-q", at.url(), "HEAD:main", at=work)
        assert len(at.told) == 2
        assert not list(path.rglob("*.lock"))


async def test_a_client_that_is_killed_while_pushing_leaves_a_usable_repository(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        await commit(work, {"big": os.urandom(16 << 20)})
        path = at.forge.path("a")
        process = await asyncio.create_subprocess_exec(
            "git", "push", "-q", at.url(), "HEAD:main", cwd=work, stderr=asyncio.subprocess.DEVNULL
        )
        await until(lambda: list((path / "objects").glob("tmp_objdir-incoming-*")))
        process.kill()
        await process.wait()
        await until(lambda: not list((path / "objects").glob("tmp_objdir-incoming-*")))
        await git("fsck", "--strict", at=path)
        assert await git("rev-parse", "main", at=path) in {made, await git("rev-parse", "HEAD", at=work)}
        await git("push", "-q", at.url(), "HEAD:main", at=work)


async def test_a_client_that_leaves_before_the_answer_has_pushed_all_the_same(tmp_path):
    async with served(tmp_path) as at:
        work, made = await pushed(at, tmp_path)
        line = f"{NONE} {made} refs/heads/other\0 report-status"
        body = f"{len(line) + 4:04x}{line}0000".encode()
        talk = await at.port.connect()
        await talk.send(
            request(
                "POST",
                "/git/a.git/git-receive-pack",
                body + await empty_pack(work),
                Content_Type=RECEIVE,
                Authorization=f"Bearer {TOKEN}",
            )
        )
        talk.vanish()
        await until(lambda: len(at.told) == 2)
        assert at.told[1] == ("a", (RefUpdate("refs/heads/other", NONE, made),))


async def empty_pack(work):
    process = await asyncio.create_subprocess_exec(
        "git", "pack-objects", "--stdout", "-q", cwd=work, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )  # fmt: skip
    return (await process.communicate())[0]


async def test_a_clone_that_breaks_off_ends_its_git(tmp_path):
    async with served(tmp_path, GitLimits(at_once=1)) as at:
        _, made = await pushed(at, tmp_path, {"big": os.urandom(12 << 20)})
        talk = await at.port.connect()
        want = f"want {made} side-band-64k ofs-delta\n"
        body = f"{len(want) + 4:04x}{want}00000009done\n".encode()
        await talk.send(request("POST", "/git/a.git/git-upload-pack", body, Content_Type=UPLOAD))
        assert (await talk.head()).status == 200
        await talk.reader.read(1000)
        talk.vanish()
        # There is one turn only, which the next one gets.
        assert await git("ls-remote", at.url(token=""))


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (gzip.compress(b"0000"), 200, "git does it for requests of some length"),
        (gzip.compress(b"0" * (17 << 20), 1), 413, "a bomb"),
        (gzip.compress(b"0" * 5000)[:-10], 400, "half of it"),
        (b"not compressed", 400, "none at all"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_compressed_requests_are_read_within_bounds(tmp_path, body, status, why):
    async with served(tmp_path) as at:
        await pushed(at, tmp_path)
        reply = await at.ask("POST", "/git/a.git/git-upload-pack", body, Content_Type=UPLOAD, Content_Encoding="gzip")
        assert reply.status == status, why


async def test_a_client_that_stalls_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(bodies, "STALLED_S", 0.05)
    async with served(tmp_path) as at:
        await pushed(at, tmp_path)
        talk = await at.port.connect()
        await talk.send(
            request(
                "POST",
                "/git/a.git/git-receive-pack",
                b"00",
                Content_Type=RECEIVE,
                Content_Length="100",
                Authorization=f"Bearer {TOKEN}",
            )
        )
        assert (await talk.reply()).status == 408


async def test_what_git_cannot_read_is_said(tmp_path):
    async with served(tmp_path) as at:
        await pushed(at, tmp_path)
        with recorded():
            reply = await at.ask(
                "POST",
                "/git/a.git/git-receive-pack",
                b"zzzz garbage",
                Content_Type=RECEIVE,
                Authorization=f"Bearer {TOKEN}",
            )
        assert reply.status == 500
        assert len(at.told) == 1


async def test_no_endless_line_of_those_who_wait(tmp_path):
    async with served(tmp_path, GitLimits(waiting=0)) as at:
        await at.forge.create("a")
        assert (await at.ask("GET", "/git/a.git/info/refs?service=git-upload-pack")).status == 429
        assert (await at.ask("POST", "/git/a.git/git-upload-pack", b"0000", Content_Type=UPLOAD)).status == 429


async def test_who_cannot_be_told_does_not_undo_a_push(tmp_path):
    def crash(name, updates):
        raise RuntimeError("a bug")

    with recorded() as lines:
        async with served(tmp_path, on_pushed=crash) as at:
            await pushed(at, tmp_path)
    assert any(line["event"] == "push not announced" for line in lines)


async def test_repositories_are_packed_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(service, "_TIDY_EVERY", 2)
    tidied = []
    async with served(tmp_path) as at:
        original = at.forge.tidy

        async def tidy(name):
            tidied.append(name)
            await original(name)

        monkeypatch.setattr(at.forge, "tidy", tidy)
        work, _ = await pushed(at, tmp_path)
        await commit(work, {"b": "b"})
        await git("push", "-q", at.url(), "HEAD:main", at=work)
        await until(lambda: tidied == ["a"])
        monkeypatch.setattr(at.forge, "path", lambda _: tmp_path / "gone")
        at_work = [part for part in at.port.web._parts if isinstance(part, Git)]
        with recorded() as lines:
            at_work[0]._untidy.put_nowait("a")
            await until(lambda: any(line["event"] == "repository not tidied" for line in lines))


def test_the_token_is_made_once_and_for_nobody_else_to_read(tmp_path):
    path = tmp_path / "data" / "web-token"
    token = token_at(path)
    assert token == token_at(path)
    assert len(token.reveal()) >= 40
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["web-token"]


def test_a_token_that_cannot_be_read_is_said_so(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    for name in ("empty", "folder"):
        with pytest.raises(StorageFailed):
            token_at(tmp_path / name)
