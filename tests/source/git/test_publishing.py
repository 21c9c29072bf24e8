"""Commits of our own: they come after what is there, never instead of it."""

import base64
from datetime import UTC, datetime

import pygit2
import pytest
from tests.source.git.conftest import URL
from tests.source.git.origins import AUTHOR, Origin

from plumbline.base.errors import Conflict, Forbidden, InvalidInput, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.source.git import Author, Proposal
from plumbline.source.git.publishing import Note
from plumbline.source.repository import Credentials, Repository

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def proposal(**said):
    base = {"url": URL, "branch": "env/dev", "on": "", "files": {"web/manifest.yaml": b"a: 1\n"}, "message": "hydrated"}
    return Proposal(**{**base, "author": Author("Argo CD", "argo-cd@example.com"), "at": AT, **said})


async def test_a_branch_that_is_not_there_begins_with_a_commit_that_holds_nothing(make, local, origin):
    sources = make(local)
    assert await sources.branch(URL, "env/dev") is None
    sha = await sources.publish(proposal(), local(URL, ""))
    made = origin.repository[sha]
    assert origin.repository.references["refs/heads/env/dev"].target == made.id
    assert (made.message, made.author.name, made.committer.email) == ("hydrated", "Argo CD", "argo-cd@example.com")
    (first,) = made.parents
    assert (first.message, list(first.tree), first.parents) == ("Initial commit for env/dev", [], [])


async def test_what_was_pushed_is_known_at_once_and_told(make, local):
    sources = make(local)
    await sources.refs(URL)
    told = []
    sources.subscribe(told.append)
    sha = await sources.publish(proposal(), local(URL, ""))
    found = await sources.branch(URL, "env/dev")
    assert found.commit == sha
    assert found.tree.read("web/manifest.yaml") == b"a: 1\n"
    assert [each.refs() for each in told] == [{"refs/heads/env/dev"}]


async def test_files_that_are_not_named_stay(make, local, origin):
    sources = make(local)
    on = origin.push({"web/manifest.yaml": "a: 0\n", "other/file": "kept"}, "env/dev")
    sha = await sources.publish(proposal(on=on), local(URL, ""))
    found = await sources.branch(URL, "env/dev")
    assert found.tree.read("other/file") == b"kept"
    assert found.tree.read("web/manifest.yaml") == b"a: 1\n"
    assert [str(each) for each in origin.repository[sha].parent_ids] == [on]


async def test_a_file_that_was_there_stays_executable_or_not_and_a_new_one_is_as_it_is_said(make, local, origin):
    sources = make(local)
    on = origin.push({"web/manifest.yaml": "a: 0\n"}, "env/dev")
    files = {"web/manifest.yaml": b"a: 1\n", "db/manifest.yaml": b"b: 1\n", "db/README.md": b"how\n"}
    runnable = frozenset({"web/manifest.yaml", "db/manifest.yaml"})
    sha = await sources.publish(proposal(on=on, files=files, executable=runnable), local(URL, ""))
    tree = origin.repository[sha].tree
    modes = {path: int(tree[path].filemode) for path in files}
    assert modes == {"web/manifest.yaml": 0o100644, "db/manifest.yaml": 0o100755, "db/README.md": 0o100644}


async def test_a_branch_that_moved_meanwhile_stays_as_it_is(make, local, origin):
    sources = make(local)
    on = origin.push({"web/manifest.yaml": "a: 0\n"}, "env/dev")
    await sources.branch(URL, "env/dev")
    theirs = origin.push({"other": "b"}, "env/dev")
    with pytest.raises(Conflict):
        await sources.publish(proposal(on=on), local(URL, ""))
    assert str(origin.repository.references["refs/heads/env/dev"].target) == theirs
    found = await sources.branch(URL, "env/dev", fresh=True)
    assert found.commit == theirs
    await sources.publish(proposal(on=theirs), local(URL, ""))


async def test_a_branch_that_came_meanwhile_is_not_replaced(make, local, origin):
    sources = make(local)
    assert await sources.branch(URL, "env/dev") is None
    theirs = origin.push({"other": "b"}, "env/dev")
    with pytest.raises(Conflict):
        await sources.publish(proposal(), local(URL, ""))
    assert str(origin.repository.references["refs/heads/env/dev"].target) == theirs


async def test_the_branch_that_is_synced_is_founded_beside_the_one_that_is_written(make, local, origin):
    sources = make(local)
    sha = await sources.publish(proposal(branch="env/dev-next", founds="env/dev"), local(URL, ""))
    (first,) = origin.repository[sha].parents
    assert origin.repository.references["refs/heads/env/dev"].target == first.id
    assert first.message == "Initial commit for env/dev"


NOTES = "refs/notes/hydrator.metadata"


def noted(text):
    return proposal(note=Note(NOTES, text))


async def test_a_note_goes_with_the_commit_and_can_be_read_by_git(make, local, origin):
    sha = await make(local).publish(noted('{"drySha":"a"}'), local(URL, ""))
    assert origin.repository.lookup_note(sha, NOTES).message == '{"drySha":"a"}\n'


async def test_notes_of_others_stay_also_those_that_came_meanwhile(make, local, origin):
    sources = make(local)
    theirs = origin.first
    author = origin.repository[theirs].author
    origin.repository.create_note("theirs", author, author, theirs, NOTES, False)
    sha = await sources.publish(noted("ours"), local(URL, ""))
    other = origin.push({"x": "y"}, "other")
    origin.repository.create_note("later", author, author, other, NOTES, False)
    again = await sources.publish(proposal(on=sha, files={}, note=Note(NOTES, "ours, anew")), local(URL, ""))
    assert again == sha
    read = {each: origin.repository.lookup_note(each, NOTES).message.strip() for each in (theirs, other, sha)}
    assert read == {theirs: "theirs", other: "later", sha: "ours, anew"}


async def test_a_note_that_is_there_is_not_pushed_again(make, local, origin):
    sources = make(local)
    sha = await sources.publish(noted("ours"), local(URL, ""))
    before = origin.repository.references[NOTES].target
    await sources.publish(proposal(on=sha, files={}, note=Note(NOTES, "ours")), local(URL, ""))
    assert origin.repository.references[NOTES].target == before


@pytest.mark.parametrize("name", ["", "a..b", "-x/../y", "a b", "x.lock", "a~1"])
async def test_what_git_does_not_allow_as_a_name_is_refused_before_anything_is_sent(make, local, origin, name):
    before = set(origin.repository.references)
    with pytest.raises(InvalidInput):
        await make(local).publish(proposal(branch=name), local(URL, ""))
    assert set(origin.repository.references) == before


@pytest.mark.parametrize("name", ["HEAD", "--force", "refs/heads/main"])
async def test_no_branch_is_named_as_something_else_is(make, local, origin, name):
    """Whoever follows HEAD would find two of that name, and be stopped."""
    before = set(origin.repository.references)
    with pytest.raises(InvalidInput):
        await make(local).publish(proposal(founds=name), local(URL, ""))
    assert set(origin.repository.references) == before


@pytest.mark.parametrize("path", ["git~1/manifest.yaml", ".git/hooks/x", "a/../b"])
async def test_a_file_that_git_does_not_allow_is_refused_before_anything_is_sent(make, local, origin, path):
    before = set(origin.repository.references)
    with pytest.raises(InvalidInput):
        await make(local).publish(proposal(files={path: b""}), local(URL, ""))
    assert set(origin.repository.references) == before


async def test_a_repository_that_holds_nothing_gets_its_first_branch(make, tmp_path):
    empty = Origin(tmp_path / "empty.git")

    def connect(url, project):
        return Repository(url=url, stands_at=str(empty.path))

    sources = make(connect)
    assert await sources.branch(URL, "env/dev") is None
    sha = await sources.publish(proposal(), connect(URL, ""))
    assert (await sources.branch(URL, "env/dev")).commit == sha


async def test_over_http_as_on_a_disk(make, server, origin):
    origin.repository.config["http.receivepack"] = "true"
    server.required = basic("writer", "hunter2")
    url = server.url("app.git")

    def connect(url, project):
        return Repository(url, credentials=Credentials(username="writer", password=Plaintext("hunter2")))

    sources = make(connect)
    sha = await sources.publish(proposal(url=url, note=Note(NOTES, "said")), connect(url, ""))
    assert str(origin.repository.references["refs/heads/env/dev"].target) == sha
    assert origin.repository.lookup_note(sha, NOTES).message == "said\n"
    theirs = origin.push({"other": "b"}, "env/dev")
    with pytest.raises(Conflict):
        await sources.publish(proposal(url=url, on=sha), connect(url, ""))
    assert str(origin.repository.references["refs/heads/env/dev"].target) == theirs


async def test_a_server_that_declines_a_push_is_heard(make, origin, local):
    origin.repository.config["transfer.hideRefs"] = "refs/heads/env"
    with pytest.raises(Forbidden):
        await make(local).publish(proposal(), local(URL, ""))


def reading(url, project):
    return Repository(url, credentials=Credentials(username="reader", password=Plaintext("read")))


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


async def test_who_may_read_does_not_write_with_that_and_is_told_which_secret_is_missing(make, server):
    server.required = basic("reader", "read")
    sources, url = make(reading), server.url("app.git")
    await sources.refs(url)
    server.forget()
    with pytest.raises(Unauthenticated) as refused:
        await sources.publish(proposal(url=url), Repository(url))
    assert "repository-write" in refused.value.hint
    assert set(server.authorizations) == {None}


async def test_what_is_sent_to_write_is_what_the_writer_has_and_is_never_shown(make, server):
    server.required = basic("reader", "read")
    sources, url = make(reading), server.url("app.git")
    await sources.refs(url)
    server.forget()
    writer = Repository(url, credentials=Credentials(username="writer", password=Plaintext("hunter2")))
    with pytest.raises(Unauthenticated) as refused:
        await sources.publish(proposal(url=url), writer)
    assert "hunter2" not in str(refused.value)
    assert set(server.authorizations) == {basic("writer", "hunter2")}


async def test_nothing_that_a_repository_on_this_disk_brings_is_run_by_a_push(make, local, origin, tmp_path):
    owned = tmp_path / "owned"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {owned}\n")
    program.chmod(0o700)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for folder in (origin.path / "hooks", hooks):
        for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
            (folder / name).write_bytes(program.read_bytes())
            (folder / name).chmod(0o700)
    for name, value in (
        ("core.hooksPath", str(hooks)),
        ("core.fsmonitor", str(program)),
        ("core.alternateRefsCommand", str(program)),
        ("filter.evil.smudge", str(program)),
    ):
        origin.repository.config[name] = value
    sha = await make(local).publish(proposal(), local(URL, ""))
    assert str(origin.repository.references["refs/heads/env/dev"].target) == sha
    assert not owned.exists()


@pytest.mark.parametrize("setting", ["warn", "updateInstead"])
async def test_what_somebody_has_checked_out_on_this_disk_stays(make, tmp_path, setting):
    folder = tmp_path / "work"
    repository = pygit2.init_repository(str(folder), initial_head="main")
    folder.joinpath("a").write_text("theirs")
    repository.index.add("a")
    first = repository.create_commit("HEAD", AUTHOR, AUTHOR, "first", repository.index.write_tree(), [])
    repository.index.write()
    repository.config["receive.denyCurrentBranch"] = setting

    def connect(url, project):
        return Repository(url=url, project=project, stands_at=str(folder))

    sources = make(connect)
    with pytest.raises(Forbidden):
        await sources.publish(proposal(branch="main", on=(await sources.branch(URL, "main")).commit), connect(URL, ""))
    assert repository.references["refs/heads/main"].target == first
    assert [path.name for path in folder.iterdir() if path.name != ".git"] == ["a"]
    await sources.publish(proposal(), connect(URL, ""))
    assert "refs/heads/env/dev" in repository.references
