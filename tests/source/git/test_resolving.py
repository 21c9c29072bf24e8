"""From a target revision to one commit."""

import pytest
from tests.source.git.conftest import URL

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.source.git import Resolved
from plumbline.source.git.revisions import Refs, special, truncated

MAIN, OLD, TIP, OTHER = "a" * 40, "b" * 40, "c" * 40, "d" * 40
TAG_OBJECT = "e" * 40
NAMES = {
    "HEAD": MAIN,
    "refs/heads/main": MAIN,
    "refs/heads/feature/x": TIP,
    "refs/heads/1.x": TIP,
    "refs/heads/release": TIP,
    "refs/heads/9.9": OTHER,
    "refs/heads/both": TIP,
    "refs/tags/both": OTHER,
    "refs/heads/same": TIP,
    "refs/tags/same": TIP,
    "refs/tags/v1.0.0": OLD,
    "refs/tags/v1.2.0": TAG_OBJECT,
    "refs/tags/v2.0.0-rc.1": OTHER,
    "refs/tags/prod/v1.0": OLD,
    "refs/tags/prod/v1.4.0": TIP,
    "refs/tags/a-tree": "f" * 40,
    "refs/pull/7/head": OTHER,
}
MEANINGS = [
    ("", "", MAIN, "nothing is HEAD"),
    ("HEAD", "", MAIN, "HEAD is what the other side says"),
    ("main", "", MAIN, "a branch"),
    ("refs/heads/main", "", MAIN, "in full"),
    ("feature/x", "", TIP, "slashes are part of names"),
    ("v1.0.0", "", OLD, "a tag, which is also a version"),
    ("refs/tags/v1.0.0", "", OLD, "a tag in full"),
    ("v1.2.0", "", MAIN, "an annotated tag is the commit that it is of"),
    ("1.*", "", MAIN, "the highest tag that a constraint allows"),
    (">=1.0 <1.2", "", OLD, "both ends of a range count"),
    (">=2.0.0-0", "", OTHER, "prereleases only where asked for"),
    ("1.x", "", MAIN, "a constraint comes before a branch of the same name"),
    ("3.*", "", None, "no tag is allowed by it"),
    ("9.9", "", OTHER, "a version that is no tag may be a branch"),
    ("v1.0", "prod/", OLD, "a version with a prefix is that tag"),
    ("1.*", "prod/", TIP, "the prefix is taken off to compare"),
    ("1.*", "dev/", None, "no tag begins so"),
    ("main", "prod/", MAIN, "what is no constraint does not care about the prefix"),
    ("pull/7/head", "", OTHER, "short for a ref that is no branch"),
    ("refs/pull/7/head", "", OTHER, "and in full"),
    ("same", "", TIP, "a branch and a tag, but one commit"),
    ("refs/tags/both", "", OTHER, "the full name leaves no doubt"),
    ("heads/main", "", None, "half a name is none, as upstream has it"),
    ("nothing", "", None, "there is no such"),
]


def _commit_of(sha):
    return {TAG_OBJECT: MAIN, "f" * 40: None}.get(sha, sha)


@pytest.mark.parametrize(("revision", "prefix", "meant", "why"), MEANINGS, ids=[why for *_, why in MEANINGS])
def test_a_revision_means_one_commit(revision, prefix, meant, why):
    refs = Refs(NAMES, _commit_of)
    found = refs.resolved(revision, prefix)
    assert (found and found.commit) == meant, why
    assert refs.resolved(revision, prefix) is found, "asked again, it is the same"


def test_the_tag_on_the_way_to_a_commit_is_told_since_it_may_be_what_is_signed():
    refs = Refs(NAMES, _commit_of)
    assert refs.resolved("v1.2.0") == Resolved(MAIN, TAG_OBJECT)
    assert refs.resolved("v1.0.0") == Resolved(OLD)


@pytest.mark.parametrize("name", ["both", "a-tree"])
def test_what_could_be_two_commits_or_none_is_refused(name):
    with pytest.raises(InvalidInput):
        Refs(NAMES, _commit_of).resolved(name)


def test_an_answer_is_computed_once_for_all_who_ask():
    asked = []
    refs = Refs({f"refs/tags/v1.{minor}.0": OLD for minor in range(100)}, lambda sha: asked.append(sha) or sha)
    for _ in range(1000):
        assert refs.resolved("1.*") == Resolved(OLD)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("revision", "ref", "why"),
    [
        ("pull/7/head", "refs/pull/7/head", "GitHub and Gitea"),
        ("merge-requests/3/head", "refs/merge-requests/3/head", "GitLab"),
        ("refs/notes/x", "refs/notes/x", "anything in full"),
        ("refs/heads/main", "", "branches are fetched anyway"),
        ("refs/tags/v1", "", "so are tags"),
        ("refs/plumbline/HEAD", "", "these are ours"),
        ("main", "", "a branch"),
        ("refs/pull/*/head", "", "a pattern"),
        ("refs/pull/1/head:refs/heads/main", "", "a mapping of its own"),
        ("refs/pull/../heads/main", "", "no way up"),
        ("refs/pull/1/head\n", "", "a line end"),
        ("refs/" + "x" * 600, "", "far too long"),
    ],
)
def test_refs_beyond_branches_and_tags_are_recognised(revision, ref, why):
    assert special(revision) == ref, why


def test_the_beginning_of_a_hash_has_seven_digits_at_least():
    assert [truncated(text) for text in ("abcdef", "abcdef1", "ABCDEF1", "a" * 40, "ghijklm")] == [
        False,
        True,
        True,
        False,
        False,
    ]


async def test_a_full_hash_needs_no_repository(make, runs):
    sources = make()
    assert await sources.resolve("https://nowhere.example/x", "A" * 40) == MAIN
    assert runs == []


async def test_names_are_resolved_against_the_real_thing(make, origin, local):
    second = origin.push({"README": "two\n"}, "other")
    annotated = origin.tag("v1.1.0", second, "a release")
    origin.point("refs/pull/7/head", second)
    sources = make(local)
    assert await sources.resolve(URL, "") == origin.first
    assert await sources.resolve(URL, "v1.*") == second != annotated
    assert await sources.resolve(URL, second[:8].upper()) == second
    assert await sources.resolve(URL, "pull/7/head") == second
    assert set(await sources.refs(URL)) == {
        "HEAD", "refs/heads/main", "refs/heads/other", "refs/pull/7/head", "refs/tags/v1.1.0",
    }  # fmt: skip


async def test_refs_of_pull_requests_are_followed_once_asked_for(make, origin, local):
    origin.point("refs/pull/7/head", origin.first)
    sources = make(local)
    assert await sources.resolve(URL, "refs/pull/7/head") == origin.first
    second = origin.push({"README": "two\n"}, "other")
    origin.point("refs/pull/7/head", second)
    assert await sources.resolve(URL, "refs/pull/7/head", fresh=True) == second
    origin.delete("refs/pull/7/head")
    await sources.resolve(URL, "main", fresh=True)
    with pytest.raises(NotFound):
        await sources.resolve(URL, "refs/pull/7/head")
    with pytest.raises(NotFound):
        await sources.resolve(URL, "refs/pull/8/head")


async def test_a_name_that_is_not_there_asks_the_other_side_once_in_a_while(make, origin, local, runs):
    sources = make(local)
    for _ in range(20):
        with pytest.raises(NotFound):
            await sources.resolve(URL, "nothing")
    assert len(runs) == 1


async def test_a_pull_request_that_is_not_there_is_not_asked_for_again_and_again(make, origin, local, runs):
    sources = make(local)
    for _ in range(20):
        with pytest.raises(NotFound):
            await sources.resolve(URL, "refs/pull/8/head")
    assert len(runs) == 2


async def test_an_empty_repository_has_no_head_but_is_no_error(make, origin, local):
    origin.delete("refs/heads/main")
    sources = make(local)
    with pytest.raises(NotFound) as caught:
        await sources.resolve(URL, "HEAD")
    assert "empty" in caught.value.why
    assert sources.state(URL).error is None


async def test_a_beginning_that_several_objects_share_is_refused(make, origin, local, monkeypatch):
    sources = make(local)
    await sources.resolve(URL, "HEAD")
    objects = next(iter(sources._followed.values())).remote.mirror.objects

    class Ambiguous:
        def get(self, _):
            raise ValueError("ambiguous")

    monkeypatch.setattr(objects, "_opened", Ambiguous())
    with pytest.raises(InvalidInput):
        await sources.resolve(URL, "abcdef1")
