"""Which repositories and which revisions a push is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.forge.webhooks import Push, matches, means, merged, moves

GITHUB = Push(("https://github.com/company/manifests",), "refs/heads/main", default_branch="main")


def never(constraint, version):
    return False


def starts(constraint, version):
    """A range as simple as a test needs it: `1.*` is what begins with `1.`."""
    return constraint.endswith("*") and version.startswith(constraint[:-1])


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/company/manifests",
        "https://github.com/company/manifests.git",
        "https://github.com/company/manifests/",
        "http://github.com/company/manifests",
        "https://GitHub.com/Company/Manifests.git",
        "https://jane@github.com/company/manifests",
        "https://jane:token@github.com/company/manifests",
        "https://github.com:443/company/manifests.git",
        "git@github.com:company/manifests.git",
        "git@github.com:/company/manifests.git",
        "ssh://git@github.com/company/manifests",
        "ssh://git@github.com:22/company/manifests.git",
        "ssh://git@ssh.github.com:443/company/manifests.git",
        "ssh://git@altssh.github.com:443/company/manifests.git",
        "github.com/company/manifests",
    ],
)
def test_a_repository_is_meant_in_every_spelling(url):
    assert means(GITHUB, url)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/company/manifests2",
        "https://github.com/company/manifests.gitx",
        "https://github.com/other/company/manifests",
        "https://github.com.evil.example/company/manifests",
        "https://evilgithub.com/company/manifests",
        "https://evil.example/github.com/company/manifests",
        "https://githubXcom/company/manifests",
        "ftp://github.com/company/manifests",
        "https://github.com/company",
        "",
        "https://github.com/" + "x" * 100_000,
    ],
)
def test_another_repository_is_not(url):
    assert not means(GITHUB, url)


@pytest.mark.parametrize(
    ("pushed", "url"),
    [
        ("ssh://git@bitbucket.example:7999/company/manifests.git", "ssh://git@bitbucket.example:7999/company/manifests"),
        ("https://bitbucket.example/scm/company/manifests.git", "https://bitbucket.example/scm/company/manifests"),
        ("https://dev.azure.com/a/my%20project/_git/b", "https://dev.azure.com/a/my project/_git/b"),
        ("ssh://git@ssh.dev.azure.com/v3/a/b/c", "git@ssh.dev.azure.com:v3/a/b/c"),
        ("git@git.example:a/b.git", "https://git.example/a/b"),
        ("https://user:pw@git.example/a/b", "https://git.example/a/b"),
        ("file:///srv/git/a.git", "file:///srv/git/a.git"),
        ("/srv/git/a", "/srv/git/a"),
        ("https://git.example/a+b(c)", "https://git.example/a+b(c).git"),
    ],
)  # fmt: skip
def test_whatever_spelling_the_forge_uses_itself(pushed, url):
    assert means(Push((pushed,), "refs/heads/main"), url)


def test_what_a_payload_holds_is_no_pattern():
    assert not means(Push(("https://.*/.*",), "refs/heads/main"), "https://git.example/a")
    assert not means(Push(("https://[/x",), "refs/heads/main"), "https://git.example/a")


@pytest.mark.parametrize(
    ("url", "chart", "expected"),
    [
        ("oci://ghcr.io/company/order", "", True),
        ("oci://GHCR.io/Company/Order/", "", True),
        ("ghcr.io/company/order", "", True),
        ("ghcr.io/company", "order", True),
        ("ghcr.io/company", "", False),
        ("oci://ghcr.io/company/other", "", False),
        ("https://ghcr.io/company/order", "", False),
    ],
)
def test_a_registry_is_told_by_its_name_alone(url, chart, expected):
    assert means(Push(("oci://ghcr.io/company/order",), "1.0"), url, chart=chart) is expected


@pytest.mark.parametrize(
    ("ref", "target", "expected", "why"),
    [
        ("refs/heads/main", "main", True, "the branch"),
        ("refs/heads/main", "refs/heads/main", True, "in full"),
        ("refs/heads/main", "HEAD", True, "the default one"),
        ("refs/heads/main", "", True, "nothing said is HEAD"),
        ("refs/heads/dev", "HEAD", False, "not the default one"),
        ("refs/heads/dev", "main", False, "another branch"),
        ("refs/heads/feature/x/y", "feature/x/y", True, "names with slashes"),
        ("refs/heads/feature/x/y", "refs/heads/feature/x/y", True, "same"),
        ("refs/heads/feature/x/y", "y", False, "not its last part"),
        ("refs/tags/v1", "v1", True, "a tag"),
        ("refs/tags/v1", "refs/tags/v1", True, "in full"),
        ("refs/tags/1.2", "1.*", True, "a range"),
        ("refs/tags/2.0", "1.*", False, "out of it"),
        ("HEAD", "HEAD", True, "whoever says HEAD means it"),
        ("HEAD", "main", True, "nobody said which it was"),
    ],
)
def test_a_source_follows_what_moved(ref, target, expected, why):
    push = Push(("https://git.example/a",), ref, default_branch="main")
    assert moves(push, target, starts) is expected, why
    assert matches(push, "https://git.example/a", target, starts) is expected
    assert not matches(push, "https://git.example/b", target, starts)


def test_where_the_forge_does_not_say_what_head_is_it_may_have_moved():
    assert moves(Push(("https://git.example/a",), "refs/heads/dev"), "HEAD", never)


@pytest.mark.parametrize(
    ("target", "expected"), [("1.2", True), ("1.*", True), ("2.*", False), ("HEAD", False), ("", False)]
)
def test_a_tag_of_a_registry_is_matched_as_it_is(target, expected):
    assert moves(Push(("oci://ghcr.io/a/b",), "1.2"), target, starts) is expected


def test_two_pushes_of_one_ref_are_one():
    first = Push(("u",), "r", "a", "b", frozenset({"x"}), "main")
    second = Push(("u",), "r", "b", "c", frozenset({"y"}), "main")
    assert merged(first, second) == Push(("u",), "r", "a", "c", frozenset({"x", "y"}), "main")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Push(("u",), "r", "a", "b", None), Push(("u",), "r", "b", "c", frozenset({"y"}))),
        (Push(("u",), "r", "a", "b", frozenset({"x"})), Push(("u",), "r", "b", "c", None)),
        (Push(("u",), "r", "a", "b", frozenset({"x"})), Push(("u",), "r", "between", "c", frozenset({"y"}))),
    ],
)
def test_files_of_two_pushes_are_known_only_if_nothing_lies_between(first, second):
    assert merged(first, second).files is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(pushed, url):
    push = Push((pushed,), "refs/heads/main")
    assert means(push, url) in {True, False}
    assert moves(push, url, never) in {True, False}
