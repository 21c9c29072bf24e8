"""Addresses: which are used at all, which mean the same, and that none of them shows a password."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.base.json import decode
from plumbline.source import urls

GOLDENS = decode(Path(__file__).with_name("goldens").joinpath("urls.json").read_bytes())["urls"]

USED = [
    "https://github.com/argoproj/argocd-example-apps.git",
    "http://git.example:8080/a/b",
    "https://user@dev.azure.com/org/my%20project/_git/repo",
    "https://user:p%40ss@git.example/a.git",
    "https://[2001:db8::1]:8443/a",
    "https://git.example/a?version=2",
    "ssh://git@github.com/org/repo.git",
    "ssh://git.example:2222/srv/repo.git",
    "ssh://git@git.example/~/repo",
    "git@github.com:org/repo.git",
    "git@[2001:db8::1]:org/repo.git",
    "org-123@github.com:org/repo.git",
    "oci://registry.example:5000/charts/web",
]

REFUSED = [
    ("ext::sh -c touch% /tmp/pwned", "a helper that runs a program"),
    ("ext::ssh git@host:path", "the same, with something that looks like a host"),
    ("fd::17", "another helper"),
    ("--upload-pack=touch /tmp/pwned", "an option of git"),
    ("-oProxyCommand=touch /tmp/pwned", "an option of ssh"),
    ("ssh://-oProxyCommand=id/repo", "an option of ssh in place of the host"),
    ("ssh://-oProxyCommand=id@host/repo", "an option of ssh in place of the user"),
    ("ssh://git@-oProxyCommand=id/repo", "an option of ssh behind a user"),
    ("-oProxyCommand=id@host:repo", "an option of ssh in the short form"),
    ("git@-oProxyCommand=id:repo", "the same in place of the host"),
    ("git@host:-x", "a path that the other side would take for an option"),
    ("https://-host/a", "a host that begins with a dash"),
    ("javascript:alert(1)", "a script"),
    ("javascript://x/%0aalert(1)", "a script that looks like an address"),
    ("data:text/html,x", "a document"),
    ("vbscript:x", "a script"),
    ("file:///etc/passwd", "the disk of the controller"),
    ("/etc/passwd", "the same without a scheme"),
    ("../other", "a path relative to nobody knows what"),
    ("git://host/repo", "a protocol without encryption or proof"),
    ("git+ssh://git@host/repo", "a spelling that nobody else reads"),
    ("ftp://host/repo", "a protocol that git no longer speaks"),
    ("https://host/a\nb", "a line end"),
    ("https://host/a\r", "a line end at the end"),
    ("https://ho\0st/a", "a NUL"),
    ("https://host/a\u2028b", "a line end of another kind"),
    (" https://host/a", "space before it"),
    ("https://host/a b", "space inside"),
    ("https://host\\@evil/a", "a backslash that some take for a slash"),
    ("https:///a", "no host"),
    ("https://", "nothing but a scheme"),
    ("https://ho%73t/a", "an escaped host"),
    ("https://höst/a", "a host that is not ASCII"),
    ("https://host:0/a", "port zero"),
    ("https://host:65536/a", "a port that is too large"),
    ("https://host:x/a", "a port that is none"),
    ('https://a"b@host/a', "a user that has to be escaped"),
    ("ssh://git:secret@host/a", "a password where ssh takes none"),
    ("ssh://git@host", "a host without a repository"),
    ("git@host:", "the same in the short form"),
    ("host:path", "the short form without a user, which anything with a colon is"),
    ("registry.example/charts", "an address without a scheme"),
    ("", "nothing"),
    ("https://host/" + "a" * 3000, "longer than any address"),
]


@pytest.mark.parametrize("url", USED)
def test_the_usual_forms_are_used_as_they_are(url):
    assert urls.checked(url) == url


@pytest.mark.parametrize(("url", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_everything_else_is_refused_with_a_reason(url, why):
    with pytest.raises(InvalidInput) as refused:
        urls.checked(url)
    assert refused.value.why
    assert refused.value.hint


def test_local_paths_are_used_only_where_that_is_asked_for():
    for url in ("file:///srv/repo.git", "/srv/my repo"):
        assert urls.checked(url, local=True) == url
    for url in ("file://host/srv", "file:relative", "/srv\n", "-/srv"):
        with pytest.raises(InvalidInput):
            urls.checked(url, local=True)


def test_a_refusal_shows_no_password():
    for url in (
        "https://me:hunter2-secret@host/a b",
        "https://me:hunter2-secret/x@host/a",
        "ssh://me:hunter2-secret@h/a",
    ):
        with pytest.raises(InvalidInput) as refused:
            urls.checked(url)
        assert "hunter2" not in str(refused.value)
        assert "hunter2" not in refused.value.hint


def test_registries_may_be_written_without_a_scheme():
    assert urls.registry("registry-1.docker.io/bitnamicharts") == "oci://registry-1.docker.io/bitnamicharts"
    assert urls.registry("oci://ghcr.io/a") == "oci://ghcr.io/a"
    with pytest.raises(InvalidInput):
        urls.registry("-x/charts")


@pytest.mark.parametrize(("url", "normal"), GOLDENS)
def test_the_normal_form_is_that_of_upstream(url, normal):
    assert urls.normalised(url) == normal


def test_spellings_of_one_repository_are_the_same():
    assert urls.normalised("git@github.com:Org/Repo.git") == urls.normalised("ssh://git@GitHub.com/org/repo")
    assert urls.normalised("https://GitHub.com/a/b") == urls.normalised("https://github.com/A/B.git")
    assert urls.normalised("https://github.com/a/b") != urls.normalised("git@github.com:a/b")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://User:pw@GitHub.com:443/Org/Repo.git", "https://github.com/Org/Repo"),
        ("https://github.com/Org/Repo/", "https://github.com/Org/Repo"),
        ("https://github.com/org/repo", "https://github.com/org/repo"),
        ("ssh://git@GitHub.com:22/Org/Repo.git", "ssh://git@github.com/Org/Repo"),
        ("git@github.com:/Org/Repo", "ssh://git@github.com/Org/Repo"),
        ("git@github.com:Org/Repo.git", "ssh://git@github.com/~/Org/Repo"),
        ("ssh://host:2222/a", "ssh://host:2222/a"),
        ("file:///srv/repo.git/", "/srv/repo.git"),
        ("/srv/repo.git", "/srv/repo.git"),
    ],
)
def test_mirrors_are_told_apart_by_the_case_of_a_path_and_hold_no_credentials(url, key):
    assert urls.mirror_key(url) == key


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://u:p@Git.Example:8443/a", "git.example"),
        ("git@GitHub.com:a/b", "github.com"),
        ("ssh://[2001:DB8::1]:22/a", "2001:db8::1"),
        ("nonsense", ""),
    ],
)
def test_the_host_is_found_in_every_form(url, host):
    assert urls.host_of(url) == host


def test_credentials_are_split_off():
    split = urls.without_credentials("https://me%40corp:p%2Fw@host:8443/a@b")
    assert (split.url, split.username) == ("https://host:8443/a@b", "me@corp")
    assert split.password is not None
    assert split.password.reveal() == b"p/w"
    assert urls.without_credentials("https://token@host/a") == ("https://host/a", "token", None)
    for url in ("https://host/a", "git@host:a", "ssh://git@host/a", "nonsense"):
        assert urls.without_credentials(url) == (url, "", None)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:hunter2@host/a", "https://***@host/a"),
        ("https://hunter2@host/a", "https://***@host/a"),
        ("https://user:hun/ter2@host/a", "https://***@host/a"),
        ("https://user:hun@ter2@host/a", "https://***@host/a"),
        ("user:hunter2@host:a", "***@host:a"),
        ("ssh://git:hunter2@host/a", "ssh://***@host/a"),
        ("git@host:a/b", "git@host:a/b"),
        ("ssh://git@host/a", "ssh://git@host/a"),
        ("https://host:8443/a@v1", "https://host:8443/a@v1"),
        ("https://host/a?private_token=hunter2", "https://host/a?private_token=***"),
    ],
)
def test_the_printable_form_holds_no_secret(url, shown):
    assert urls.redacted(url) == shown


@given(st.text())
@example("://")
@example("https://[")
@example("a@b:c@d")
def test_any_text_has_a_normal_form_a_host_and_a_printable_form(text):
    urls.normalised(text)
    urls.mirror_key(text)
    urls.host_of(text)
    urls.redacted(text)
    split = urls.without_credentials(text)
    assert split.username or split.password or split.url == text


@given(
    st.text(alphabet="ahost:/@-.[]%~ \\\n0%2f?#", max_size=40).map(lambda rest: "ssh://" + rest) | st.text(max_size=60)
)
def test_what_is_used_can_be_no_option_no_helper_and_no_second_line(text):
    try:
        url = urls.checked(text)
    except InvalidInput:
        return
    assert not url.startswith("-")
    assert "::" not in url.partition("/")[0].partition("[")[0]
    assert url.isprintable()
    assert not urls.host_of(url).startswith("-")
    scheme = url.partition("://")[0]
    assert scheme.lower() in {"https", "http", "ssh", "oci"} or "@" in url


@given(
    st.text(alphabet=st.characters(codec="ascii", categories=["L", "N"]), min_size=6).filter(lambda s: s != "xaccess")
)
def test_a_password_survives_in_no_printable_form(password):
    secret = f"Zq{password}qZ"
    for url in (f"https://u:{secret}@h/a", f"https://{secret}@h/a", f"https://u:x/{secret}@h/a", f"u:{secret}@h:a"):
        assert secret not in urls.redacted(url)
