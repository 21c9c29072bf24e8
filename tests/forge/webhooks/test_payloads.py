"""Each sender's payload becomes the same kind of value."""

import pytest
from tests.forge.webhooks import senders
from tests.forge.webhooks.senders import COMMITS, FILES, JSON, NEW, NONE, OLD, sent

from plumbline.base.errors import BadDocument
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.forge.webhooks import Ignored, Push, Secrets, read

SECRETS = Secrets(harbor=Plaintext("shared harbor secret"))


def said(name, payload=None):
    return read(*sent(name, payload), SECRETS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("github", Push(("https://github.com/company/manifests",), "refs/heads/main", OLD, NEW, FILES, "main")),
        ("ghcr", Push(("oci://ghcr.io/Company/charts/order",), "1.2.3")),
        (
            "gitlab",
            Push(
                ("https://gitlab.example/company/manifests", "git@ssh-gitlab.example:company/manifests.git"),
                "refs/heads/main",
                OLD,
                NEW,
                FILES,
                "main",
            ),
        ),
        ("gogs", Push(("https://git.example/company/manifests",), "refs/heads/main", OLD, NEW, FILES, "main")),
        ("gitea", Push(("https://git.example/company/manifests",), "refs/heads/main", OLD, NEW, FILES, "main")),
        ("bitbucket", Push(("https://bitbucket.org/company/manifests",), "refs/heads/feature/x/y", OLD, NEW)),
        (
            "azure",
            Push(
                (
                    "https://dev.azure.com/company/project/_git/manifests",
                    "ssh://git@ssh.dev.azure.com/v3/company/project/manifests",
                ),
                "refs/heads/main",
                OLD,
                NEW,
                None,
                "main",
            ),
        ),
        ("harbor", Push(("oci://harbor.example:8443/charts/order",), "1.2.3")),
        ("generic", Push(("https://git.example/company/manifests",), "refs/heads/main")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_push_is_read(name, expected):
    assert said(name) == (expected,)


def test_a_hook_of_the_whole_gitlab_says_the_same_as_one_of_a_project():
    assert said("gitlab system") == said("gitlab")


def test_every_ref_that_moved_is_told():
    urls = ("ssh://git@bitbucket.example:7999/company/manifests.git", "https://bitbucket.example/scm/company/manifests.git")  # fmt: skip
    assert said("bitbucket server") == (
        Push(urls, "refs/heads/main", OLD, NEW),
        Push(urls, "refs/tags/v1", NONE, NEW),
    )


@pytest.mark.parametrize(
    ("change", "ref", "why"),
    [
        ({"new": None, "old": {"type": "branch", "name": "gone"}}, "refs/heads/gone", "a branch was deleted"),
        ({"new": {"type": "tag", "name": "v1"}, "old": None}, "refs/tags/v1", "a tag came"),
        ({"new": {"name": "untyped"}}, "refs/heads/untyped", "a branch, if nothing else is said"),
    ],
)
def test_bitbucket_has_only_one_side_of_what_came_or_went(change, ref, why):
    (push,) = said("bitbucket", senders.bitbucket(change))
    assert push.ref == ref, why


def test_a_tag_of_gitlab_is_a_push():
    headers, body = sent("gitlab", senders.gitlab(object_kind="tag_push", ref="refs/tags/v1", before=NONE))
    (push,) = read({**headers, "x-gitlab-event": "Tag Push Hook"}, body, SECRETS)
    assert (push.ref, push.files) == ("refs/tags/v1", None)


@pytest.mark.parametrize(
    ("name", "payload", "why"),
    [
        ("github", senders.github(forced=True), "commits that went away are not among those named"),
        ("github", senders.github(before=NONE), "a new branch"),
        ("github", senders.github(after=NONE), "a branch that is gone"),
        ("github", senders.github(commits=[]), "no commits"),
        ("github", senders.github(commits=None), "nothing said"),
        ("github", senders.github(commits=[COMMITS[0]] * 2048), "as many as it names at most"),
        ("gitlab", senders.gitlab(total_commits_count=21), "it names twenty"),
        ("gitea", senders.gogs(total_commits=31), "it names thirty"),
        ("azure", senders.azure(), "it never says"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_are_unknown_where_not_all_of_them_are_named(name, payload, why):
    (push,) = said(name, payload)
    assert push.files is None, why


@pytest.mark.parametrize(
    ("headers", "payload", "why"),
    [
        ({"x-github-event": "ping"}, {"zen": "Keep it logically awesome."}, "somebody sets a webhook up"),
        ({"x-github-event": "issues"}, {}, "another event"),
        ({"x-gitlab-event": "Note Hook"}, {}, "another event"),
        ({"x-gitlab-event": "System Hook"}, {"event_name": "user_create"}, "another event"),
        ({"x-gogs-event": "issues"}, {}, "another event"),
        ({"x-hook-uuid": "u", "x-event-key": "pullrequest:created"}, {}, "another event"),
        ({"x-event-key": "pr:opened"}, {}, "another event"),
        ({"x-vss-activityid": "a"}, {"eventType": "build.complete"}, "another event"),
        ({"x-github-event": "package"}, {"action": "updated"}, "another action"),
        ({"x-github-event": "package"}, senders.package(package_type="npm"), "another kind of package"),
        ({"x-github-event": "package"}, senders.package(package_version=None), "without a tag"),
        ({"authorization": "shared harbor secret"}, {"type": "PULL_ARTIFACT"}, "another event"),
        ({"authorization": "shared harbor secret"}, senders.harbor(resources=[{"tag": "1"}]), "no address"),
        ({"authorization": "shared harbor secret"}, senders.harbor(resources=[{"tag": "1", "resource_url": "h"}]), "no path"),
        ({"authorization": "shared harbor secret"}, senders.harbor(resources=[{"tag": "1", "resource_url": "http://[h/p"}]), "no address"),
        ({"x-github-event": "push"}, senders.github(repository=None), "no repository"),
        ({"x-github-event": "push"}, senders.github(ref=None), "no ref"),
        ({"x-github-event": "push"}, senders.github(ref="x" * 2000), "a ref that cannot be one"),
        ({"x-hook-uuid": "u", "x-event-key": "repo:push"}, senders.bitbucket({}), "no ref"),
        ({"x-hook-uuid": "u", "x-event-key": "repo:push"}, {}, "no repository"),
        ({}, senders.generic(ref="x" * 2000), "a ref that cannot be one"),
    ],
)  # fmt: skip
def test_what_says_nothing_of_a_push_is_ignored_with_a_reason(headers, payload, why):
    found = read({**JSON, **headers}, encode(payload), SECRETS)
    assert isinstance(found, Ignored), why
    assert found.reason


def test_bitbucket_tries_its_connection_without_a_payload():
    assert isinstance(read({"x-event-key": "diagnostics:ping"}, b"", SECRETS), Ignored)


def test_harbor_may_leave_the_full_name_to_us():
    payload = senders.harbor(repository={"name": "order", "namespace": "charts"})
    assert said("harbor", payload)[0].urls == ("oci://harbor.example:8443/charts/order",)


def test_whoever_names_no_ref_means_the_default_one():
    assert said("generic", {"url": "u@h:p"}) == (Push(("u@h:p",), "HEAD"),)


def test_a_script_may_say_as_much_as_a_forge():
    payload = senders.generic(before=OLD, after=NEW, files=["a"], default_branch="refs/heads/main")
    (push,) = said("generic", payload)
    assert (push.before, push.after, push.files, push.default_branch) == (OLD, NEW, frozenset({"a"}), "main")


@pytest.mark.parametrize(
    ("headers", "body", "why"),
    [
        ({"x-github-event": "push", **JSON}, b"", "nothing at all"),
        ({"x-github-event": "push", **JSON}, b"{", "half of it"),
        ({"x-github-event": "push", **JSON}, b'{"ref":"\xff"}', "not UTF-8"),
        ({"x-github-event": "push", **JSON}, b'{"ref":5}', "another type"),
        ({"x-github-event": "push", **JSON}, b"[]", "another type"),
        ({"x-github-event": "push", "content-type": "application/x-www-form-urlencoded"}, b"payload=%7B%7D", "a form"),
        (JSON, b"{}", "no sender that anybody knows"),
        ({"content-type": "text/plain"}, b'{"url":"https://git.example/a"}', "what a page could send"),
        ({}, b'{"url":"https://git.example/a"}', "same"),
    ],
)
def test_what_is_no_webhook_is_refused(headers, body, why):
    with pytest.raises(BadDocument) as refused:
        read(headers, body, SECRETS)
    assert refused.value.why, why


def test_only_addresses_of_a_bearable_length_are_kept():
    assert isinstance(said("generic", senders.generic(ref="x" * 5000)), Ignored)
    with pytest.raises(BadDocument):
        said("generic", {"url": "https://h/" + "x" * 5000})
