"""Who made a commit, when and why; and who may know."""

from datetime import UTC, datetime, timedelta

import pygit2
import pytest
from tests.source.git.conftest import URL
from tests.source.git.origins import AUTHOR

from plumbline.base.errors import Forbidden, NotFound, ServerFault, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.source.git.commits import _moment
from plumbline.source.repository import Credentials, Repository


async def test_a_commit_tells_who_when_why_and_its_tags(make, origin, local):
    second = origin.push({"x": "y"}, message="Why\n\nand how\n\n")
    origin.tag("v2", second, "annotated")
    origin.tag("v1", second)
    commit = await make(local).commit(URL, second)
    assert commit.sha == second
    assert commit.author == "Ada <ada@example.com>"
    assert commit.date == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert commit.date.utcoffset() == timedelta(hours=1)
    assert commit.message == "Why\n\nand how"
    assert commit.tags == ("v1", "v2")
    assert commit.parents == (origin.first,)


async def test_whatever_somebody_wrote_into_a_commit_can_be_shown(make, origin, local):
    odd = pygit2.Signature("Ada", "a@b", 1 << 60, 14 * 60)
    tree = origin.repository[origin.first].tree_id
    sha = str(origin.repository.create_commit("refs/heads/odd", odd, AUTHOR, b"\xff\xfe", tree, []))
    assert (await make(local).commit(URL, sha)).message == "\ufffd\ufffd"


def test_what_no_calendar_has_is_moved_to_where_one_ends():
    assert _moment(-5, 24 * 60) == datetime(1970, 1, 1, tzinfo=UTC)
    assert _moment(1 << 60, 14 * 60).year == 9999


async def test_a_signature_is_over_the_bytes_that_are_given(make, origin, local):
    tag = origin.tag("v1", origin.first, "a release")
    sources = make(local)
    raw = await sources.raw(URL, tag)
    assert raw.kind == "tag"
    assert raw.content.startswith(f"object {origin.first}\n".encode())
    with pytest.raises(NotFound):
        await sources.raw(URL, "1" * 40)
    objects = next(iter(sources._followed.values())).remote.mirror.objects
    with pytest.raises(NotFound):
        objects.raw("1" * 40)
    with pytest.raises(NotFound):
        objects.commit("1" * 40)


def _with(tokens):
    def connect(url, project):
        return Repository(url=url, credentials=Credentials(bearer_token=Plaintext(tokens[project])))

    return connect


async def test_a_mirror_is_read_only_by_those_whom_the_other_side_lets_in(make, origin, server, runs):
    server.required = "Bearer right"
    sources = make(_with({"owner": "right", "thief": "wrong"}))
    url = server.url("app.git")
    await sources.resolve(url, "main", project="owner")
    for _ in range(5):
        for ask in (sources.resolve(url, "main", project="thief"), sources.tree(url, origin.first, project="thief")):
            with pytest.raises(Unauthenticated):
                await ask
    assert len(runs) == 2, "asked once, and not again for a while"
    assert sources.state(url).error is None, "which is no trouble of the repository"
    assert await sources.resolve(url, "main", project="owner") == origin.first


async def test_everybody_is_let_in_as_themselves(make, origin, server, runs):
    tokens = {"one": "a", "two": "b"}
    sources = make(_with(tokens))
    url = server.url("app.git")
    for _ in range(10):
        await sources.resolve(url, "main", project="one")
        await sources.resolve(url, "main", project="two")
    assert len(runs) == 2
    server.status = 500
    tokens["three"] = "c"
    with pytest.raises(ServerFault):
        await sources.resolve(url, "main", project="three")


async def test_our_own_questions_are_asked_as_the_one_who_was_let_in(make, origin, server, runs):
    server.required = "Bearer right"
    sources = make(_with({"owner": "right", "": "none"}))
    url = server.url("app.git")
    await sources.resolve(url, "main", project="owner")
    assert await sources.touched(url, origin.first, origin.first) == frozenset()
    assert (await sources.commit(url, origin.first)).message == "first"
    assert len(runs) == 1


async def test_settings_may_forbid(make, origin, local):
    def refuse(url, project):
        raise Forbidden("no")

    with pytest.raises(Forbidden):
        await make(refuse).resolve(URL, "main")
