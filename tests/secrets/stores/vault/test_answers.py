"""What else can come back, and from where."""

import socket

import pytest
from tests.secrets.stores.vault.scene import READ_ALL, provider, scene

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.secrets.stores.store import Remote
from plumbline.secrets.stores.vault import wire
from plumbline.secrets.stores.vault.reach import RefusedHereError, guarded_socket, server_of
from plumbline.secrets.stores.vault.wire import Call, Place, Wire

ANSWERS = [
    (400, b'{"errors": ["canary"]}', InvalidInput, "a question that is none"),
    (405, b'{"errors": ["canary"]}', InvalidInput, "no such operation"),
    (401, b"canary", Forbidden, "something in between wants to know who we are"),
    (403, b'{"errors": ["canary"]}', Forbidden, "not allowed"),
    (403, b'{"errors": ["canary invalid token"]}', Unauthenticated, "a token that is gone"),
    (404, b'{"errors": []}', NotFound, "not there"),
    (404, b"<html>canary</html>", GarbledReply, "not there, says somebody else"),
    (404, b"{}", GarbledReply, "not there, says somebody who speaks JSON"),
    (404, b'["canary"]', GarbledReply, "not there, says somebody with a list"),
    (412, b'{"errors": ["canary"]}', ServerFault, "a server that is behind"),
    (429, b'{"errors": ["canary"]}', Throttled, "too often"),
    (307, b"", Unreachable, "elsewhere"),
    (472, b"", ServerFault, "a standby"),
    (500, b"canary", ServerFault, "broken"),
    (502, b"<html>canary</html>", ServerFault, "somebody in between"),
    (503, b'{"errors": ["Vault is sealed"]}', ServerFault, "sealed"),
    (418, b"canary", GarbledReply, "a teapot"),
    (200, b"canary", GarbledReply, "no JSON"),
    (200, b"[" * 100_000, GarbledReply, "too deep"),
    (200, b'{"data": {"data": "canary"}}', InvalidInput, "no secret"),
    (200, b'{"data": {"data": null}}', NotFound, "a secret that is nothing"),
    (200, b'{"data": ["canary"]}', InvalidInput, "nothing that a key engine says"),
]


@pytest.mark.parametrize(("status", "body", "error", "why"), ANSWERS, ids=[row[-1] for row in ANSWERS])
async def test_what_vault_answers_is_told_in_our_words(status, body, error, why):
    async with scene() as at:
        at.server.answers = [(status, body, {"Location": "http://elsewhere.invalid/"})]
        with pytest.raises(error) as caught:
            await (await at.store()).value(Remote("app"))
        assert type(caught.value) is error
        told = f"{caught.value} {caught.value.hint} {caught.value.__cause__}"
        assert "canary" not in told
        assert at.server.root not in told
        assert len(at.server.asked) == 1


LOGINS = [
    (400, b'{"errors": ["invalid role or secret ID canary"]}', Unauthenticated, "wrong"),
    (403, b'{"errors": ["canary"]}', Unauthenticated, "not allowed"),
    (404, b'{"errors": ["no handler for route"]}', Unauthenticated, "nothing is mounted there"),
    (503, b'{"errors": ["Vault is sealed"]}', ServerFault, "sealed"),
    (429, b"", Throttled, "too often"),
    (200, b'{"auth": null}', GarbledReply, "no token"),
]


@pytest.mark.parametrize(("status", "body", "error", "why"), LOGINS, ids=[row[-1] for row in LOGINS])
async def test_a_login_that_fails_is_told_in_our_words(status, body, error, why):
    async with scene() as at:
        at.server.answers = [(status, body, {})]
        with pytest.raises(error) as caught:
            await (await at.approle_store()).value(Remote("app"))
        assert type(caught.value) is error
        assert "canary" not in f"{caught.value} {caught.value.hint}"


async def test_how_long_to_wait_is_what_vault_says():
    async with scene() as at:
        at.server.answers = [(429, b"", {"Retry-After": "7"}), (429, b"", {"Retry-After": "soon"})]
        store = await at.store()
        for expected in (7.0, 10.0):
            with pytest.raises(Throttled) as caught:
                await store.value(Remote("app"))
            assert caught.value.after_s == expected


async def test_a_sealed_server_comes_back():
    async with scene() as at:
        at.server.write("secret/app", {"n": "1"})
        store = await at.store()
        at.server.sealed = True
        with pytest.raises(ServerFault):
            await store.value(Remote("app"))
        at.server.sealed = False
        assert (await store.value(Remote("app", "n"))).reveal() == b"1"


async def test_an_answer_without_end_is_not_read_to_it(monkeypatch):
    monkeypatch.setattr(wire, "_REPLY_BYTES", 100)
    async with scene() as at:
        at.server.answers = [(200, b"x" * 1000, {})]
        with pytest.raises(LimitExceeded):
            await (await at.store()).value(Remote("app"))


async def test_a_server_that_is_not_there_is_unreachable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        asked = Wire()
        with pytest.raises(Unreachable):
            await asked.send(Place(address), Call("GET", "sys/health"))
        await asked.close()
        with pytest.raises(Unreachable):
            await asked.send(Place(address), Call("GET", "sys/health"))


async def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(wire, "_DEADLINE_S", 0.05)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        asked = Wire()
        with pytest.raises(TimedOut):
            await asked.send(Place(f"http://127.0.0.1:{silent.getsockname()[1]}"), Call("GET", "sys/health"))
        await asked.close()


ADDRESSES = [
    ("ftp://vault", "another protocol"),
    ("unix:///run/vault.sock", "a socket"),
    ("https://", "no host"),
    ("vault:8200", "no protocol"),
    ("https://user:canary@vault", "a password"),
    ("https://vault/?x=canary", "a query"),
    ("https://vault/#canary", "a fragment"),
    ("https://va ult", "a space"),
    ("https://vault:99999", "no port"),
    ("https://[::1", "no address"),
    ("https://" + "v" * 3000, "too long"),
]


@pytest.mark.parametrize(("address", "why"), ADDRESSES, ids=[row[-1] for row in ADDRESSES])
def test_an_address_that_is_none_is_refused_and_not_repeated(address, why):
    with pytest.raises(InvalidInput) as caught:
        server_of(address)
    assert "canary" not in str(caught.value)


METADATA = [
    "169.254.169.254",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
]


@pytest.mark.parametrize("host", METADATA)
def test_where_clouds_give_credentials_nobody_is_sent(host):
    with pytest.raises(Refused):
        server_of(f"http://{host}:8200")
    with pytest.raises(RefusedHereError):
        guarded_socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", (host.strip("[]"), 8200)))


async def test_a_name_that_means_such_a_place_is_refused_when_it_is_connected_to(monkeypatch):
    def refusing(info):
        return guarded_socket((*info[:4], ("169.254.169.254", 80)))

    monkeypatch.setattr(wire, "guarded_socket", refusing)
    async with scene() as at:
        with pytest.raises(Refused):
            await (await at.store()).value(Remote("app"))
        assert at.server.asked == []


async def test_a_server_behind_a_path_is_asked_there():
    async with scene() as at:
        at.server.answers = [(200, b'{"data": {"data": {"n": "1"}}}', {})]
        at.server.url += "/behind/"
        assert (await (await at.store()).value(Remote("app", "n"))).reveal() == b"1"
        assert at.server.asked[0][1] == "/behind/v1/secret/data/app"


async def test_headers_of_the_store_go_along():
    async with scene() as at:
        store = await at.store(headers={"X-Tenant": "blue"})
        await store.check()
        assert [each["X-Tenant"] for each in at.server.headers] == ["blue", "blue"]
        assert at.server.headers[0]["X-Vault-Request"] == "true"


HEADERS = [
    ({"X-Vault-Token": "a"}, "who we are"),
    ({"x-vault-namespace": "a"}, "where we are"),
    ({"X-Vault-Wrap-TTL": "60"}, "another answer"),
    ({"Host": "a"}, "another server"),
    ({"X Y": "a"}, "no name"),
    ({"": "a"}, "no name at all"),
    ({"X-Y": "a\r\nX-Vault-Token: b"}, "two in one"),
]


@pytest.mark.parametrize(("headers", "why"), HEADERS, ids=[row[-1] for row in HEADERS])
async def test_headers_that_say_something_else_are_refused(headers, why):
    async with scene() as at:
        with pytest.raises(InvalidInput):
            await at.store(headers=headers)


async def test_a_proxy_is_asked_instead(monkeypatch):
    async with scene() as at:
        monkeypatch.setattr(wire, "environment", lambda: {"HTTP_PROXY": at.server.url.replace("//", "//me:word@")})
        at.server.answers = [(200, b'{"data": {"data": {"n": "1"}}}', {})]
        store = await at.vaults.opened(
            provider(
                at.server, {"tokenSecretRef": {"name": "login", "key": "token"}}, server="http://vault.invalid:8200"
            ),
            at.cluster,
            ("x",),
        )
        assert (await store.value(Remote("app", "n"))).reveal() == b"1"
        assert at.server.headers[0]["Host"] == "vault.invalid:8200"
        assert at.server.headers[0]["Proxy-Authorization"].startswith("Basic ")


async def test_a_store_is_checked_by_its_token_and_its_mount():
    async with scene() as at:
        assert await (await at.store()).check() is True
        assert await (await at.store(path="kv", version="v1")).check() is True
        assert await (await at.store(path=None)).check() is True
        for fields in ({"path": "kv"}, {"version": "v1"}, {"path": "auth/approle"}):
            with pytest.raises(InvalidInput):
                await (await at.store(**fields)).check()


async def test_a_mount_that_may_not_be_looked_at_is_not_held_against_the_store():
    async with scene() as at:
        at.cluster.secrets["login"]["token"] = at.server.token(READ_ALL)
        assert await (await at.store(path="elsewhere")).check() is True


async def test_a_token_that_is_none_is_not_taken():
    async with scene() as at:
        at.cluster.secrets["login"]["token"] = "hvs.nothing"
        with pytest.raises(Unauthenticated):
            await (await at.store()).check()
        at.server.sealed = True
        with pytest.raises(ServerFault):
            await (await at.store()).check()
