"""Tokens of GitHub Apps, against a GitHub on loopback that checks who asks: signature, times, app."""

import asyncio
import base64
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from plumbline.base.clock import VirtualClock, rfc3339
from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    PlumblineError,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import redact_text
from plumbline.base.tasks import task_group
from plumbline.source.githubapi import IssuedToken
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.repository import Credentials, GitHubApp, Repository

KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)


class GitHub:
    """The two endpoints. Every request has to be signed by the app that it knows, for now and for ten minutes at most."""

    def __init__(self, clock):
        self.clock = clock
        self.issued = 0
        self.listed = 0
        self.lifetime = timedelta(hours=1)
        self.installations = [
            {"id": 1, "account": {"login": "Else"}},
            {"id": 42, "account": {"login": "Org"}},
            {"id": 9},
        ]
        self.answer = None
        self.asked = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        app = web.Application()
        app.router.add_post("/api/v3/app/installations/{id}/access_tokens", self.tokens)
        app.router.add_get("/api/v3/app/installations", self.listing)
        self.server = TestServer(app)

    @property
    def api(self):
        return str(self.server.make_url("/api/v3")) + "/"

    def refuse_strangers(self, request):
        scheme, _, jwt = request.headers["Authorization"].partition(" ")
        content, _, signature = jwt.rpartition(".")
        KEY.public_key().verify(unpadded(signature), content.encode(), padding.PKCS1v15(), hashes.SHA256())
        header, claims = (decode(unpadded(part)) for part in content.split("."))
        now = int(self.clock.now().timestamp())
        assert scheme == "Bearer"
        assert header == {"alg": "RS256", "typ": "JWT"}
        assert claims["iss"] == "7"
        assert claims["iat"] == now - 60
        assert claims["exp"] == now + 540

    async def tokens(self, request):
        self.refuse_strangers(request)
        self.issued += 1
        self.asked.set()
        await self.gate.wait()
        if self.answer is not None:
            return self.answer()
        if request.match_info["id"] != "42":
            return web.json_response({"message": "Not Found"}, status=404)
        expires = rfc3339(self.clock.now() + self.lifetime)
        return web.json_response({"token": f"ghs_secret{self.issued}", "expires_at": expires}, status=201)

    async def listing(self, request):
        self.refuse_strangers(request)
        self.listed += 1
        page = int(request.query["page"])
        return web.json_response(self.installations[(page - 1) * 100 : page * 100])


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def repository(github, url="https://github.example/Org/repo", installation=42, key=PEM, **more):
    app = GitHubApp(7, Plaintext(key), installation, github if isinstance(github, str) else github.api)
    return Repository(url, credentials=Credentials(github_app=app), **more)


@pytest.fixture
def clock():
    return VirtualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
async def github(clock):
    github = GitHub(clock)
    async with github.server:
        yield github


@pytest.fixture
def tokens(clock):
    return InstallationTokens(clock)


async def test_a_token_is_asked_for_once_and_kept(github, tokens):
    found = [await tokens.token(repository(github, url=f"https://github.example/org/{name}")) for name in "abc"]
    assert {token.reveal() for token in found} == {b"ghs_secret1"}
    assert github.issued == 1
    assert github.listed == 0


async def test_a_token_is_renewed_five_minutes_before_its_end(github, tokens, clock):
    await tokens.token(repository(github))
    clock.jump(54 * 60)
    await tokens.token(repository(github))
    assert github.issued == 1
    clock.jump(60)
    assert (await tokens.token(repository(github))).reveal() == b"ghs_secret2"


async def test_all_who_wait_share_one_question(github, tokens):
    github.gate.clear()
    async with task_group() as group:
        asking = [group.create_task(tokens.token(repository(github))) for _ in range(20)]
        await github.asked.wait()
        github.gate.set()
    assert {task.result().reveal() for task in asking} == {b"ghs_secret1"}
    assert github.issued == 1


async def test_all_who_wait_share_one_failure(github, tokens):
    github.gate.clear()
    github.answer = lambda: web.Response(status=502)
    async with task_group() as group:
        asking = [group.create_task(outcome(tokens.token(repository(github)))) for _ in range(5)]
        await github.asked.wait()
        github.gate.set()
    assert [type(task.result()) for task in asking] == [ServerFault] * 5
    assert github.issued == 1
    github.answer = None
    await tokens.token(repository(github))


async def test_where_the_one_who_asks_gives_up_another_asks(github, tokens):
    github.gate.clear()
    async with task_group() as group:
        first = group.create_task(outcome(tokens.token(repository(github))))
        await github.asked.wait()
        second = group.create_task(tokens.token(repository(github)))
        await asyncio.sleep(0)
        first.cancel()
        github.gate.set()
    assert second.result().reveal() == b"ghs_secret2"


async def outcome(asked):
    try:
        return await asked
    except PlumblineError as failed:
        return failed


@pytest.mark.parametrize(
    "url", ["https://github.example/ORG/repo.git", "git@github.example:Org/repo", "ssh://git@h:22/org/r"]
)
async def test_the_installation_is_found_by_the_organisation(github, tokens, url):
    token = await tokens.token(repository(github, url=url, installation=0))
    assert token.reveal() == b"ghs_secret1"
    assert github.listed == 1


async def test_a_found_installation_is_remembered_until_it_is_gone(github, tokens, clock):
    asked = repository(github, installation=0)
    await tokens.token(asked)
    clock.jump(3600)
    await tokens.token(asked)
    assert github.listed == 1
    github.installations = [{"id": 43, "account": {"login": "org"}}]
    github.answer = lambda: web.Response(status=404)
    clock.jump(3600)
    with pytest.raises(NotFound):
        await tokens.token(asked)
    github.answer = None
    github.installations = [{"id": 42, "account": {"login": "org"}}]
    await tokens.token(asked)
    assert github.listed == 2


async def test_installations_are_looked_for_on_all_pages(github, tokens):
    github.installations = [{"id": n, "account": {"login": f"o{n}"}} for n in range(1000, 1230)] + github.installations
    await tokens.token(repository(github, installation=0))
    assert github.listed == 3


async def test_without_an_installation_the_way_out_is_named(github, tokens):
    with pytest.raises(NotFound) as refused:
        await tokens.token(repository(github, url="https://github.example/nobody/repo", installation=0))
    assert "nobody" in refused.value.why
    with pytest.raises(InvalidInput):
        await tokens.token(repository(github, url="https://github.example/repo", installation=0))


async def test_what_was_refused_can_be_forgotten(github, tokens):
    await tokens.token(repository(github))
    tokens.forget(repository(github))
    tokens.forget(Repository("https://h/a"))
    assert (await tokens.token(repository(github))).reveal() == b"ghs_secret2"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda: web.Response(status=401), Unauthenticated),
        (lambda: web.Response(status=403), Forbidden),
        (lambda: web.Response(status=403, headers={"Retry-After": "7"}), Throttled),
        (lambda: web.Response(status=403, headers={"X-RateLimit-Remaining": "0"}), Throttled),
        (lambda: web.Response(status=429, headers={"Retry-After": "soon"}), Throttled),
        (lambda: web.Response(status=404), NotFound),
        (lambda: web.Response(status=503), ServerFault),
        (lambda: web.Response(status=599), ServerFault),
        (lambda: web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"}), GarbledReply),
        (lambda: web.Response(status=418), GarbledReply),
        (lambda: web.Response(text="<html>"), GarbledReply),
        (lambda: web.json_response({"token": "ghs_leaked1234", "expires_at": "never"}), GarbledReply),
        (lambda: web.json_response({"token": "", "expires_at": "2026-03-01T01:00:00Z"}), GarbledReply),
        (lambda: web.Response(text='"' + "x" * (5 << 20)), GarbledReply),
    ],
)
async def test_each_failure_has_its_own_error_and_none_tells_a_secret(github, tokens, answer, error):
    github.answer = answer
    with pytest.raises(error) as refused:
        await tokens.token(repository(github, url="https://u:hunter2secret@github.example/Org/repo"))
    told = f"{refused.value} {refused.value.hint} {refused.value.__cause__}"
    assert not any(secret in told for secret in ("ghs_", "hunter2", "PRIVATE", "eyJ"))
    assert "Retry-After" not in told


async def test_a_pause_that_was_asked_for_is_kept(github, tokens):
    github.answer = lambda: web.Response(status=429, headers={"Retry-After": "7"})
    with pytest.raises(Throttled) as refused:
        await tokens.token(repository(github))
    assert refused.value.after_s == 7.0


async def test_silence_and_absence_are_told_apart(github, clock):
    github.gate.clear()
    with pytest.raises(TimedOut):
        await InstallationTokens(clock, deadline_s=0.2).token(repository(github))
    github.gate.set()
    with pytest.raises(Unreachable):
        await InstallationTokens(clock).token(repository("http://127.0.0.1:1"))


EC_PEM = ec.generate_private_key(ec.SECP256R1()).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
LOCKED_PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"password")
)


@pytest.mark.parametrize("key", [b"", b"not a key", PEM[:200], EC_PEM, LOCKED_PEM])
async def test_a_key_that_cannot_sign_is_refused_without_showing_it(github, tokens, key):
    with pytest.raises(InvalidInput) as refused:
        await tokens.token(repository(github, key=key))
    assert refused.value.__cause__ is None
    assert "not a key" not in str(refused.value).replace("it is not", "")
    assert github.issued == 0


async def test_a_key_in_the_newer_form_signs_as_well(github, tokens):
    newer = KEY.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    assert await tokens.token(repository(github, key=newer))


@pytest.mark.parametrize("api", ["file:///etc", "ssh://git@h/a", "https://u:p@h/api", "javascript:x", "oci://h/a"])
async def test_who_we_are_is_told_to_http_servers_only(tokens, api):
    with pytest.raises(InvalidInput):
        await tokens.token(repository(api))


async def test_without_an_app_there_is_no_token(tokens):
    with pytest.raises(InvalidInput):
        await tokens.token(Repository("https://h/org/a"))


async def test_an_app_comes_after_all_other_credentials(github, tokens):
    asked = repository(github)
    found = await tokens.authorised(asked)
    assert (found.username, found.password) == ("x-access-token", Plaintext("ghs_secret1"))
    for more in ({"password": Plaintext("p")}, {"bearer_token": Plaintext("b")}, {"ssh_private_key": Plaintext("k")}):
        other = Repository(asked.url, credentials=Credentials(github_app=asked.credentials.github_app, **more))
        assert await tokens.authorised(other) is other.credentials
    plain = Repository(asked.url)
    assert await tokens.authorised(plain) is plain.credentials


def test_an_answer_of_github_does_not_print_its_token():
    assert "ghs_" not in repr(IssuedToken("ghs_secret1", datetime(2026, 3, 1, tzinfo=UTC)))


async def test_a_token_is_masked_wherever_it_turns_up(github, tokens):
    token = (await tokens.token(repository(github))).reveal().decode()
    assert token not in redact_text(f"fatal: could not use {token}")


async def test_the_proxy_of_the_repository_is_used_and_loopback_spared(github, tokens):
    assert await tokens.token(repository(github, proxy="http://user:secret@127.0.0.1:1"))
    with pytest.raises(InvalidInput) as refused:
        await tokens.token(repository("https://ghe.invalid/api/v3", proxy="socks5://user:secret@h:1"))
    assert "secret" not in str(refused.value)
    with pytest.raises(Unreachable):
        await tokens.token(repository("https://ghe.invalid/api/v3", proxy="http://user:secret@127.0.0.1:1"))
