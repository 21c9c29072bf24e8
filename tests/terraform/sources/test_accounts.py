"""As whom a GitRepository comes: what a Secret says becomes credentials of that one object, or trouble that shows none of it."""

import base64

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from tests.source.git.server import GitServer
from tests.source.signatures.signing import run
from tests.terraform.sources.scene import alive, condition, repository, secret, staged

from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.read import read
from plumbline.source.git import GitSources, Pace
from plumbline.source.repository import Credentials, Repository
from plumbline.terraform.sources.accounts import Accounts, account, address, project_of
from plumbline.terraform.sources.trouble import Trouble

HTTPS = "https://forge.example/team/app.git"
SSH = "ssh://git@forge.example/team/app.git"
KEY = ed25519.Ed25519PrivateKey.generate()


def pem(password=None):
    form = serialization.PrivateFormat.PKCS8 if password else serialization.PrivateFormat.OpenSSH
    encryption = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return KEY.private_bytes(serialization.Encoding.PEM, form, encryption)


async def chosen(spec, **entries):
    """What comes of a spec and its Secret."""

    async def get(namespace, name):
        assert (namespace, name) == ("shop", "s")
        if entries.get("missing"):
            return None
        named = {key.replace("__", "."): value for key, value in entries.items()}
        raw = {k: v if isinstance(v, bytes) else v.encode() for k, v in named.items()}
        return {"data": {k: base64.b64encode(v).decode() for k, v in raw.items()}}

    obj = repository(**spec)
    return await account(read(GIT_REPOSITORY, obj).spec, "shop", get, submodules=False)


REF = {"secretRef": {"name": "s"}}


async def test_a_password_and_a_name():
    found = await chosen({"url": HTTPS, **REF}, username="ann", password="pw", ca__crt="PEM")
    assert (found.credentials.username, found.credentials.password.reveal()) == ("ann", b"pw")
    assert found.ca_pem == "PEM"


async def test_a_token_comes_before_a_password():
    found = await chosen({"url": HTTPS, **REF}, username="ann", password="pw", bearerToken="tok", caFile="OLD")
    assert (found.credentials.username, found.credentials.password) == ("", None)
    assert found.credentials.bearer_token.reveal() == b"tok"
    assert found.ca_pem == "OLD"


async def test_a_key_for_ssh():
    key = pem()
    found = await chosen({"url": "ssh://forge.example/team/app.git", **REF}, identity=key, known_hosts="forge k")
    assert found.url == SSH
    assert (found.credentials.ssh_private_key.reveal(), found.known_hosts) == (key, "forge k")


async def test_a_key_that_is_locked_is_opened():
    found = await chosen({"url": SSH, **REF}, identity=pem(b"open"), known_hosts="k", password="open")
    opened = serialization.load_ssh_private_key(found.credentials.ssh_private_key.reveal(), None)
    assert opened.public_key() == KEY.public_key()


async def test_a_certificate_of_our_own():
    found = await chosen({"url": HTTPS, **REF}, tls__crt="CERT", tls__key="KEY")
    assert (found.credentials.tls_certificate, found.credentials.tls_key.reveal()) == ("CERT", b"KEY")


async def test_a_proxy():
    found = await chosen(
        {"url": HTTPS, "proxySecretRef": {"name": "s"}}, address="http://proxy:3128", username="a b", password="p@w"
    )
    assert found.proxy == "http://a%20b:p%40w@proxy:3128"
    bare = await chosen({"url": HTTPS, "proxySecretRef": {"name": "s"}}, address="socks5://proxy:1080")
    assert bare.proxy == "socks5://proxy:1080"


async def test_a_github_app():
    entries = {"githubAppID": "7", "githubAppPrivateKey": "KEY"}
    spec = {"url": HTTPS, "provider": "github", **REF}
    found = await chosen(spec, **entries, githubAppInstallationID="9", githubAppBaseURL="https://ghe/api/v3")
    app = found.credentials.github_app
    assert (app.id, app.installation_id, app.api_url, app.private_key.reveal()) == (7, 9, "https://ghe/api/v3", b"KEY")
    owned = await chosen(spec, **entries, githubAppInstallationOwner="Team")
    assert owned.credentials.github_app.installation_id == 0


APP = {"githubAppID": "7", "githubAppPrivateKey": "SECRETKEY"}
TROUBLE = [
    ({"url": HTTPS, **REF}, {"missing": "x"}, "AuthenticationFailed", "not found", "no such secret"),
    ({"url": HTTPS, **REF}, {"password": "hidden"}, "AuthenticationFailed", "requires 'username'", "a password of nobody"),
    ({"url": HTTPS, **REF}, {"tls__crt": "C"}, "AuthenticationFailed", "together", "a certificate without its key"),
    ({"url": HTTPS, **REF}, APP, "InvalidProviderConfiguration", "not set to github", "an app of nobody"),
    ({"url": SSH}, {}, "AuthenticationFailed", "'identity' is required", "ssh without a key"),
    ({"url": SSH, **REF}, {"identity": pem()}, "AuthenticationFailed", "'known_hosts'", "ssh to anybody"),
    (
        {"url": SSH, **REF}, {"identity": pem(b"hidden"), "known_hosts": "k"},
        "AuthenticationFailed", "encrypted but no 'password'", "a locked key",
    ),
    (
        {"url": SSH, **REF}, {"identity": pem(b"hidden"), "known_hosts": "k", "password": "other"},
        "AuthenticationFailed", "does not open", "the wrong password",
    ),
    ({"url": HTTPS, "proxySecretRef": {"name": "s"}}, {"username": "a"}, "AuthenticationFailed", "'address'", "no proxy"),
    ({"url": HTTPS, "proxySecretRef": {"name": "s"}}, {"missing": "x"}, "AuthenticationFailed", "proxy options", "no secret of a proxy"),
    ({"url": HTTPS, "provider": "github", **REF}, {"githubAppID": "x"}, "InvalidProviderConfiguration", "a number", "an app without a key"),
    ({"url": HTTPS, "provider": "github", **REF}, APP, "InvalidProviderConfiguration", "exactly one", "no installation"),
    (
        {"url": HTTPS, "provider": "github", **REF}, {**APP, "githubAppInstallationOwner": "other"},
        "InvalidProviderConfiguration", "githubAppInstallationID", "the installation of another",
    ),
    (
        {"url": HTTPS, "provider": "github", **REF}, {**APP, "githubAppInstallationID": "x"},
        "InvalidProviderConfiguration", "not a number", "no number",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "entries", "reason", "words", "why"), TROUBLE, ids=[each[4] for each in TROUBLE])
async def test_what_is_wrong_with_a_secret_is_said_without_what_is_in_it(spec, entries, reason, words, why):
    found = await chosen(spec, **entries)
    assert isinstance(found, Trouble)
    assert found.reason == reason
    assert words in found.message
    assert "hidden" not in found.message
    assert "SECRETKEY" not in found.message


async def test_a_key_that_nobody_knows_is_for_ssh_to_judge():
    found = await chosen({"url": SSH, **REF}, identity="no key", known_hosts="k")
    assert found.credentials.ssh_private_key.reveal() == b"no key"


async def test_values_that_are_not_base64_are_named_by_their_key():
    async def get(namespace, name):
        return {"data": {"password": "***"}}

    spec = read(GIT_REPOSITORY, repository(url=HTTPS, **REF)).spec
    assert "password" in (await account(spec, "shop", get, submodules=False)).message


async def test_a_key_that_is_locked_is_opened_with_its_password_and_with_no_other(tmp_path):
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "hidden", "-f", str(tmp_path / "key"))
    identity = (tmp_path / "key").read_bytes()
    found = await chosen({"url": SSH, **REF}, identity=identity, known_hosts="k", password="hidden")
    assert not isinstance(found, Trouble), found
    wrong = await chosen({"url": SSH, **REF}, identity=identity, known_hosts="k", password="another")
    assert "does not open" in wrong.message
    assert "no 'password'" in (await chosen({"url": SSH, **REF}, identity=identity, known_hosts="k")).message


def test_ssh_is_used_as_git_where_nobody_says_otherwise():
    def spec(url):
        return read(GIT_REPOSITORY, repository(url=url)).spec

    assert address(spec("ssh://forge.example/x")) == "ssh://git@forge.example/x"
    assert address(spec("ssh://ann@forge.example/x")) == "ssh://ann@forge.example/x"


CHOICES = [
    (HTTPS, ("shop", "app"), "mine", "its own"),
    ("https://forge.example/team/app", ("shop", "app"), "mine", "its own, spelled differently"),
    ("https://forge.example/team/lib.git", ("shop", "app"), "mine", "a submodule on the same host"),
    ("https://elsewhere.example/lib.git", ("shop", "app"), "", "a submodule on another host"),
    (HTTPS, ("shop", "gone"), "mine", "of one that is gone, somebody who is still there"),
    ("https://forge.example/secret.git", ("shop", "gone"), None, "of one that is gone, and nobody else is there"),
]


@pytest.mark.parametrize(("url", "key", "expected", "why"), CHOICES, ids=[each[3] for each in CHOICES])
def test_who_comes_to_an_address(url, key, expected, why):
    accounts = Accounts()
    accounts.put(("shop", "app"), named(HTTPS, "mine"))
    found = accounts.choose(url, project_of(key))
    assert (found.credentials.username if found else None) == expected


def test_other_projects_are_nobodys_business_here():
    accounts = Accounts()
    accounts.put(("shop", "app"), named(HTTPS, "mine"))
    assert accounts.choose(HTTPS, "default") is None


def named(url, username):
    return Repository(url, credentials=Credentials(username=username))


async def test_a_tenant_does_not_read_what_anothers_password_has_fetched(tmp_path, origin):
    """Both name the same private repository; the mirror is shared, the right to read it is not."""
    accounts = Accounts()

    def commits(world):
        pace = Pace(poll_s=3600, jitter_s=0, deadline_s=10, first_deadline_s=10, stalled_s=2)
        return GitSources(tmp_path / "mirrors", world, lambda u, p: accounts.choose(u, p) or Repository(u), pace=pace)

    with GitServer(tmp_path / "served").running() as server:
        server.required = "Basic " + base64.b64encode(b"ann:right").decode()
        url = server.url("app.git")
        async with staged(tmp_path, commits, accounts=accounts) as scene:
            await scene.apply(secret("mine", username="ann", password="right"))
            await scene.apply(repository("mine", url=url, secretRef={"name": "mine"}))
            await scene.ready(name="mine")
            await scene.apply(repository("theirs", url=url))
            failed = await scene.failing("GitOperationFailed", "theirs")
            assert "credentials" in condition(failed, "Ready")["message"]
            assert "artifact" not in failed["status"]
            async with alive(scene):
                assert (await scene.ready(name="mine"))["status"]["artifact"]
