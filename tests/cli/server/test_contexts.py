"""Logins that are remembered: in a file of our own that nobody else may read, beside Argo CD's."""

import stat

import pytest

from plumbline.base.errors import BadDocument, Forbidden, InvalidInput, NotFound, StorageFailed
from plumbline.cli.server.asked import Asked
from plumbline.cli.server.choosing import addressed, chosen, flagged
from plumbline.cli.server.contexts import EMPTY, Context, Contexts, Server, User, read
from plumbline.cli.server.files import Files
from plumbline.cli.server.tokens import subject

ARGOCDS = """contexts:
- {name: cd.example.org, server: cd.example.org, user: cd.example.org}
- {name: broken, server: gone, user: nobody}
current-context: cd.example.org
servers:
- {grpc-web-root-path: "", server: cd.example.org}
users:
- {auth-token: canary, name: cd.example.org}
prompts-enabled: false
"""


def context(name="a", token="t", **server):  # noqa: S107 - it opens nothing
    return Context(name, Server(server=f"{name}.example.org", **server), User(name=name, auth_token=token))


def test_a_login_is_added_becomes_current_and_goes_with_what_only_it_used():
    known = EMPTY.joined(context("a")).joined(context("b")).joined(context("a", "other"))
    assert (known.current_context, known.names) == ("a", ("b", "a"))
    assert known.named("a").user.auth_token == "other"
    assert known.without_token("a").named("a").user.auth_token == ""
    assert known.switched("b").current_context == "b"
    left = known.without("a")
    assert (left.current_context, left.names, len(left.servers), len(left.users)) == ("", ("b",), 1, 1)
    assert "other" not in repr(known)


def test_who_mistypes_a_context_is_told_which_are_written_alike():
    known = EMPTY.joined(context("production"))
    with pytest.raises(NotFound) as missing:
        known.named("prodution")
    assert missing.value.hint == "Did you mean production?"
    with pytest.raises(NotFound):
        Contexts(contexts=(read({"contexts": [{"name": "x", "server": "y"}]}, "x").contexts[0],)).named("x")


def test_what_is_written_can_be_read_and_by_nobody_else(tmp_path):
    files = Files(tmp_path / "plumb" / "config")
    files.change(lambda known: known.joined(context("a", insecure=True)))
    assert stat.S_IMODE(files.own.stat().st_mode) == 0o600
    assert files.contexts().named("a") == context("a", insecure=True)
    assert [each.name for each in files.own.parent.iterdir()] == ["config"]
    files.own.chmod(0o640)
    with pytest.raises(Forbidden) as open_to_others:
        files.contexts()
    assert "chmod 600" in open_to_others.value.hint


def test_argo_cds_logins_are_known_and_ours_come_first(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder, variables in (
        (tmp_path / ".config" / "argocd", {}),
        (tmp_path / "elsewhere", {"ARGOCD_CONFIG_DIR": str(tmp_path / "elsewhere")}),
        (tmp_path / "xdg" / "argocd", {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}),
        (tmp_path / ".argocd", {}),
    ):
        folder.mkdir(parents=True)
        (folder / "config").write_text(ARGOCDS)
        (folder / "config").chmod(0o600)
        files = Files.found(variables=variables)
        assert files.argocds == folder / "config"
        assert files.contexts().named("cd.example.org").user.auth_token == "canary"
    files.change(lambda known: known.joined(context("ours")))
    assert files.contexts().current_context == "ours"
    assert files.contexts().names == ("ours", "cd.example.org", "broken")
    assert Files.found("x.yaml").argocds is None


@pytest.mark.parametrize("text", ["[]", "contexts: {a: b}", "users: [{name: 1}]", "a: ["])
def test_what_is_no_file_of_contexts_is_refused_without_a_word_of_it(tmp_path, text):
    file = tmp_path / "config"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(BadDocument):
        Files(file).contexts()


def test_what_cannot_be_read_or_written_is_told(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(InvalidInput):
        Files(tmp_path / "a").contexts()
    (tmp_path / "b").write_text("")
    with pytest.raises(StorageFailed):
        Files(tmp_path / "b" / "c").change(lambda known: known)


@pytest.mark.parametrize(
    ("text", "url", "why"),
    [
        ("cd.example.org", "https://cd.example.org", "TLS unless said otherwise"),
        ("cd.example.org:8443", "https://cd.example.org:8443", "with a port"),
        ("https://cd.example.org/argo/", "https://cd.example.org/argo", "beneath a path"),
        ("http://localhost:8080", "http://localhost:8080", "said otherwise"),
        ("[::1]:8080", "https://[::1]:8080", "an address of version 6"),
    ],
)
def test_addresses_as_people_type_them(text, url, why):
    assert addressed(text).url == url, why


@pytest.mark.parametrize("text", ["", "ftp://a", "a:b:c", "https://", "https://eve:x@a", "a?b=c", "[::1"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(InvalidInput):
        addressed(text)


def test_flags_come_before_the_environment_and_that_before_the_current_context(tmp_path):
    config = tmp_path / "config"
    Files(config).change(lambda known: known.joined(context("a")).joined(context("b")))

    def asked(variables=None, **more):
        found = chosen(Asked(config=str(config), **more), variables or {})
        return (found.server.server, found.user.auth_token) if found else None

    assert asked() == ("b.example.org", "t")
    assert asked({"ARGOCD_SERVER": "a.example.org"}) == ("a.example.org", "t")
    assert asked({"ARGOCD_SERVER": "a.example.org", "PLUMB_SERVER": "c"}) == ("c", "")
    assert asked({"PLUMB_SERVER": "c"}, server="a.example.org") == ("a.example.org", "t")
    assert asked({"ARGOCD_AUTH_TOKEN": "env"}) == ("b.example.org", "env")
    assert asked({"ARGOCD_AUTH_TOKEN": "env"}, token="flag") == ("b.example.org", "flag")
    assert asked(context="a") == ("a.example.org", "t")
    assert asked(core=True) is None
    Files(config).change(lambda known: known.joined(Context("k", Server(server="kubernetes", core=True), User())))
    assert asked() is None
    assert chosen(Asked(config=str(tmp_path / "none")), {}) is None


def test_flags_say_how_to_speak_to_a_server(tmp_path):
    (tmp_path / "ca").write_text("pem")
    asked = Asked(insecure=True, plaintext=True, root_path="/argo", authorities=tmp_path / "ca")
    server = flagged(Server(server="a"), asked)
    assert (server.url, server.insecure, server.certificate_authority_data) == ("http://a/argo", True, "cGVt")


@pytest.mark.parametrize("token", ["", "a.b.c", "a.!.c", "a.W10.c"])
def test_a_token_that_says_nothing_is_nobodys(token):
    assert subject(token) == ""
