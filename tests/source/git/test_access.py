"""As whom we come, and that nobody else learns it."""

import asyncio
import base64
import os
import stat

import msgspec
import pytest
from tests.source.git.conftest import URL

from plumbline.base.errors import InvalidInput, NotFound, Unauthenticated, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import run
from plumbline.source.charts.identity import presented
from plumbline.source.git import Pace
from plumbline.source.git import access as access_module
from plumbline.source.git.access import access, place
from plumbline.source.git.commands import Git
from plumbline.source.local import LocalRepositories
from plumbline.source.repository import AzurePrincipal, Credentials, GitHubApp, Repository

SECRET = "canary-Zq9/x+8"


def _basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


HEADERS = [
    (Credentials(username="ada", password=Plaintext(SECRET)), "", _basic("ada", SECRET), "user and password"),
    (Credentials(password=Plaintext(SECRET)), "", _basic("x-access-token", SECRET), "a token alone"),
    (Credentials(bearer_token=Plaintext(SECRET)), "", f"Bearer {SECRET}", "a bearer token"),
    (Credentials(), "ada:s%2Fx@", _basic("ada", "s/x"), "in the address, as people should not"),
    (Credentials(), "", None, "nobody"),
]


@pytest.mark.parametrize(("credentials", "userinfo", "header", "why"), HEADERS, ids=[why for *_, why in HEADERS])
async def test_credentials_reach_the_server_and_no_argument(make, server, runs, credentials, userinfo, header, why):
    server.required = header
    url = server.url("app.git").replace("://", f"://{userinfo}")
    sources = make(lambda url, project: Repository(url=url, credentials=credentials))
    await sources.resolve(url, "main")
    assert set(server.authorizations) == {header}, "at the first request, without being asked"
    shown = repr(runs) + repr(sources.state(url))
    assert SECRET not in shown
    assert base64.b64encode(SECRET.encode()).decode()[:-2] not in shown
    assert not any("ada:s" in argument for command in runs for argument in command.argv)


async def test_wrong_credentials_are_said_without_being_shown(make, server):
    server.required = "Bearer other"
    sources = make(lambda url, project: Repository(url=url, credentials=Credentials(bearer_token=Plaintext(SECRET))))
    with pytest.raises(Unauthenticated) as caught:
        await sources.resolve(server.url("app.git"), "main")
    assert SECRET not in f"{caught.value} {caught.value.hint}"


async def test_whoever_has_credentials_need_not_wait_because_others_came_without(make, server):
    """Somebody adds them because it did not work, and then wants to see that it does."""
    server.required = _basic("me", "hunter2")
    came = []
    sources, url = make(lambda url, project: Repository(url=url, credentials=came[-1])), server.url("app.git")
    for wrong in (Credentials(), Credentials(username="me", password=Plaintext("old"))):
        came.append(wrong)
        with pytest.raises(Unauthenticated):
            await sources.resolve(url, "main")
        asked = len(server.asked)
        with pytest.raises(Unauthenticated):
            await sources.resolve(url, "main")
        assert len(server.asked) == asked, "the same ones are not tried again at once"
    came.append(Credentials(username="me", password=Plaintext("hunter2")))
    assert await sources.resolve(url, "main")


async def test_a_repository_is_followed_as_those_who_may_read_it_now(make, server, origin):
    """Of two who may, the one who came last has lost that."""
    server.required = _basic("me", "hunter2")
    known = dict.fromkeys(("ours", "theirs"), Credentials(username="me", password=Plaintext("hunter2")))

    def connect(url, project):
        return Repository(url=url, project=project, credentials=known.get(project, Credentials()))

    sources, url, moves = make(connect, pace=Pace(poll_s=0.01, jitter_s=0.01)), server.url("app.git"), []
    sources.subscribe(moves.append)
    for project in ("ours", "theirs"):
        await sources.resolve(url, "main", project=project)
    del known["theirs"]
    await sources.resolve(url, "main", project="ours")
    running = asyncio.create_task(sources.run())
    origin.push({"README": "newer\n"})
    async with asyncio.timeout(10):
        while not moves:  # noqa: ASYNC110 - nobody is told what is waited for
            await asyncio.sleep(0.005)
    running.cancel()
    assert sources.state(url).error is None


async def test_a_header_is_not_carried_to_another_place(make, server, tmp_path):
    elsewhere = server.url("app.git/info/refs?service=git-upload-pack").replace("127.0.0.1", "localhost")
    server.answers = {"/moved.git/info/refs": (302, {"Location": elsewhere}, b"")}
    url = server.url("moved.git")
    with_token = make(lambda url, project: Repository(url=url, credentials=Credentials(password=Plaintext(SECRET))))
    with pytest.raises(InvalidInput) as caught:
        await with_token.resolve(url, "main")
    assert "redirects" in caught.value.why
    assert len(server.asked) == 1
    anonymous = make(folder="others")
    assert await anonymous.resolve(url, "main")


@pytest.mark.parametrize("there", ["http://169.254.169.254/app.git", "http://[::ffff:169.254.169.254]/app.git"])
async def test_no_redirect_leads_git_where_only_we_get(make, server, runs, there):
    """With nobody's credentials: an address that a project permits would open one that it does not."""
    moved = (302, {"Location": f"{there}/info/refs?service=git-upload-pack"}, b"")
    server.answers = {"/moved.git/info/refs": moved}
    url = server.url("moved.git")
    with pytest.raises(InvalidInput) as caught:
        await make().resolve(url, "main")
    assert "169.254.169.254" in caught.value.why
    with pytest.raises(InvalidInput):
        await make(folder="others").reach(Repository(url=url), within_s=10)
    assert len(runs) == 2, "git is not started for it"


async def test_whoever_is_redirected_to_what_is_no_repository_is_told(make, server):
    server.answers = {"/moved.git/info/refs": (302, {"Location": "/login"}, b""), "/login": (200, {}, b"who?")}
    with pytest.raises(InvalidInput) as caught:
        await make().resolve(server.url("moved.git"), "main")
    assert "no repository" in caught.value.why


async def test_one_that_has_moved_is_reached_where_it_is(make, server):
    elsewhere = server.url("app.git/info/refs?service=git-upload-pack").replace("127.0.0.1", "localhost")
    server.answers = {"/moved.git/info/refs": (301, {"Location": elsewhere}, b"")}
    await make().reach(Repository(url=server.url("moved.git")), within_s=10)


async def test_credentials_may_have_to_be_made_first(make, server):
    server.required = _basic("x-access-token", "minted")
    app = Credentials(github_app=GitHubApp(id=1, private_key=Plaintext("key")))
    made = []

    async def authorised(repository):
        made.append(repository.credentials)
        return Credentials(username="x-access-token", password=Plaintext("minted"))

    sources = make(lambda url, project: Repository(url=url, credentials=app), authorised=authorised)
    await sources.resolve(server.url("app.git"), "main")
    assert made == [app]
    unable = make(lambda url, project: Repository(url=url, credentials=app), folder="others")
    with pytest.raises(Unauthenticated):
        await unable.resolve(server.url("app.git"), "main")


async def test_keys_are_files_that_only_we_may_read_and_only_for_a_while(tmp_path):
    repository = Repository(url="git@forge.example:team/app.git", known_hosts="forge.example ssh-ed25519 AAAA")
    credentials = Credentials(ssh_private_key=Plaintext("-----BEGIN KEY-----\r\nxyz\r\n-----END KEY-----"))
    async with access(repository, credentials, tmp_path) as reached:
        folder = reached.readable[0]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
            "key": 0o600,
            "known_hosts": 0o600,
        }
        assert (folder / "key").read_bytes() == b"-----BEGIN KEY-----\nxyz\n-----END KEY-----\n"
        command = reached.environment["GIT_SSH_COMMAND"]
        for option in ("StrictHostKeyChecking=yes", f"UserKnownHostsFile={folder}/known_hosts", f"-i {folder}/key"):
            assert option in command
        assert (reached.address, reached.protocols) == (repository.url, "ssh")
    assert not folder.exists()


@pytest.mark.parametrize(
    ("credentials", "issuer"),
    [
        (Credentials(gcp_key=Plaintext("{}")), "Google"),
        (Credentials(azure=AzurePrincipal("client", "tenant", Plaintext("x"))), "Microsoft Entra"),
        (Credentials(azure_workload_identity=True), "Microsoft Entra"),
    ],
)
async def test_who_has_to_log_in_to_a_cloud_first_does_not_come_as_nobody(tmp_path, credentials, issuer):
    repository = Repository(url="https://forge.example/x", credentials=credentials)
    with pytest.raises(Unauthenticated, match=f"nobody here asks {issuer} for a token"):
        async with access(repository, credentials, tmp_path):
            pass
    with pytest.raises(Unauthenticated, match=f"nobody here asks {issuer} for a token"):
        presented(credentials, "https://forge.example/x")
    known = msgspec.structs.replace(credentials, username="me", password=Plaintext("hunter2"))
    assert presented(known, "https://forge.example/x")


async def test_host_keys_go_unchecked_only_where_that_is_said(tmp_path):
    repository = Repository(url="ssh://git@forge.example/x", insecure=True)
    async with access(repository, Credentials(), tmp_path) as reached:
        assert "StrictHostKeyChecking=no" in reached.environment["GIT_SSH_COMMAND"]
        assert "UserKnownHostsFile=/dev/null" in reached.environment["GIT_SSH_COMMAND"]


async def test_certificates_and_proxies_are_settings_of_one_command(tmp_path, monkeypatch):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("SYSTEM")
    paths = type("Paths", (), {"cafile": str(bundle)})
    monkeypatch.setattr(access_module.ssl, "get_default_verify_paths", lambda: paths)
    repository = Repository(url="https://forge.example/x", ca_pem="OURS", proxy="http://u:p@proxy:1", no_proxy="a,b")
    credentials = Credentials(tls_certificate="CERT", tls_key=Plaintext("KEY"))
    async with access(repository, credentials, tmp_path) as reached:
        settings = dict(reached.settings)
        folder = reached.readable[0]
        assert settings["http.sslCAInfo"] == str(folder / "ca.pem")
        assert (folder / "ca.pem").read_text() == "SYSTEM\nOURS\n"
        assert (folder / "client.key").read_text() == "KEY\n"
        assert settings["http.proxy"] == Plaintext("http://u:p@proxy:1")
        assert settings["http.sslVerify"] == "true"
        assert reached.environment["NO_PROXY"] == "a,b"
        assert "u:p" not in repr(reached)
    insecure = Repository(url="https://forge.example/x", ca_pem="OURS", insecure=True)
    async with access(insecure, Credentials(), tmp_path) as reached:
        assert dict(reached.settings)["http.sslVerify"] == "false"
        assert reached.readable == ()


PLACES = [
    (Repository(url=URL), ("https", URL), "as it is"),
    (Repository(url="git@h:x"), ("ssh", "git@h:x"), "short form of ssh"),
    (Repository(url=URL, stands_at="/srv/app.git"), ("file", "/srv/app.git"), "a local path that stands for it"),
    (Repository(url=URL, stands_at="file:///srv/a%20b"), ("file", "/srv/a b"), "the same as an address"),
    (Repository(url=URL, stands_at="http://127.0.0.1:1/x"), ("http", "http://127.0.0.1:1/x"), "another server"),
]


@pytest.mark.parametrize(("repository", "expected", "why"), PLACES, ids=[why for *_, why in PLACES])
def test_a_repository_is_fetched_from_where_it_stands(repository, expected, why):
    there = place(repository)
    assert (there.scheme, there.address) == expected


@pytest.mark.parametrize("url", ["oci://h/x", "file:///etc", "/etc", "ext::sh -c x", "-x"])
def test_other_addresses_are_refused(url):
    with pytest.raises(InvalidInput):
        place(Repository(url=url))


@pytest.mark.parametrize("name", ["none", "n" * 300], ids=["missing", "impossible"])
async def test_a_local_repository_that_is_not_there_is_said(make, tmp_path, name):
    sources = make(lambda url, project: Repository(url=url, stands_at=str(tmp_path / name)))
    with pytest.raises(NotFound):
        await sources.resolve(URL, "main")


async def test_a_repository_on_this_disk_is_read_by_its_address_where_somebody_allows_it(make, tmp_path, origin):
    allowed = LocalRepositories(origin.path.parent, tmp_path / "mirrors")

    def connect(url, project):
        here = allowed.at(url)
        return Repository(url=url, project=project, stands_at=str(here or ""))

    sources = make(connect, local=allowed.at)
    sha = origin.push({"a": "1"})
    assert await sources.resolve(f"file://{origin.path}", "main") == sha
    for forbidden in (f"file://{tmp_path}/mirrors/x", "file:///etc"):
        for revision in ("main", "0" * 40):
            with pytest.raises(InvalidInput, match="--local-git"):
                await sources.resolve(forbidden, revision)


async def test_git_really_calls_ssh_with_our_key(tmp_path, make, origin, monkeypatch):
    """A stand-in for ssh writes down how it was called, and then is the server."""
    tools = tmp_path / "tools"
    tools.mkdir()
    ssh = tools / "ssh"
    ssh.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/called\n'
        f'while [ "$1" != -i ]; do shift; done\ncat "$2" > {tmp_path}/key\n'
        f"exec git-upload-pack {origin.path}\n"
    )
    ssh.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setattr(Git, "_confined", lambda *_, **__: None)
    credentials = Credentials(ssh_private_key=Plaintext("the key"))
    sources = make(lambda url, project: Repository(url=url, credentials=credentials, known_hosts="k"))
    assert await sources.resolve("git@forge.example:team/app.git", "main") == origin.first
    called = (tmp_path / "called").read_text().splitlines()
    assert called[:2] == ["-F", "/dev/null"]
    assert "git@forge.example" in called
    assert (tmp_path / "key").read_text() == "the key\n"


async def test_the_real_ssh_understands_what_it_is_told(tmp_path, make):
    sources = make(lambda url, project: Repository(url=url, credentials=Credentials(ssh_private_key=Plaintext("x"))))
    with pytest.raises(Unreachable):
        await sources.resolve("ssh://git@127.0.0.1:1/x", "main")


async def test_no_variable_of_ours_reaches_git(make, origin, local, monkeypatch, runs):
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_PROXY_COMMAND", "false")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nowhere")
    assert await make(local).resolve(URL, "main") == origin.first
    told = runs[0].environment
    assert told["GIT_TERMINAL_PROMPT"] == "0"
    assert told["GIT_CONFIG_NOSYSTEM"] == "1"
    assert not {"GIT_DIR", "GIT_PROXY_COMMAND", "SSH_AUTH_SOCK"} & {*told, *runs[0].inherit}
    shown = await run(runs[0].__class__(argv=("git", "config", "--list"), environment=told, inherit=("PATH",)))
    assert b"core.hookspath=/dev/null" in shown.stdout
    assert b"credential.helper=\n" in shown.stdout
