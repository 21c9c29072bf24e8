"""The Vault of our tests answers as a real one does, and stores read from both alike.

The real one is built by `tests/conformance/peers/build vault`, which takes too long to be a part of `make peers`; without it
there is nothing to compare with.
"""

import asyncio
import base64
import re

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from tests.conformance.secrets.real_vault import PROGRAM, WAY, Asker, real_vault
from tests.secrets.stores.vault.scene import Held, provider
from tests.secrets.vaults import vault

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Forbidden, InvalidInput, NotFound, PlumblineError, Unauthenticated
from plumbline.base.json import encode
from plumbline.secrets.stores.store import Remote, Search
from plumbline.secrets.stores.vault import Vaults

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not PROGRAM.exists(), reason=f"no real Vault: {WAY}"),
]

POLICY = '{"path": {"secret/*": {"capabilities": ["read", "list"]}, "kv/*": {"capabilities": ["read", "list"]}}}'
NARROW = '{"path": {"secret/data/app": {"capabilities": ["read"]}}}'
LARGE = {"user": "anna", "port": 5432, "on": True, "none": None, "nested": {"b": "<&>", "a": [1, {"x": "y"}]}}


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    with real_vault(tmp_path_factory.mktemp("vault")) as asker:
        yield asker


class Ours(Asker):
    def __init__(self, server):
        super().__init__(server.url, server.root)
        self._server = server

    def ask(self, method, path, body=None, *, query=None, token=None):
        return self._server.ask(method, path, body, query=query, token=token)


QUESTIONS = [
    ("GET", "secret/data/never", None, {}, "no such secret"),
    ("GET", "secret/metadata/never", None, {}, "no such metadata"),
    ("GET", "secret/metadata/nowhere", None, {"list": "true"}, "no such folder"),
    ("POST", "secret/data/app", {"data": LARGE}, {}, "a first version"),
    ("POST", "secret/data/app", {"data": {"n": "2"}}, {}, "a second version"),
    ("POST", "secret/data/app", {"data": {"n": "x"}, "options": {"cas": 1}}, {}, "written by somebody else in between"),
    ("POST", "secret/data/app", {}, {}, "nothing to write"),
    ("GET", "secret/data/app", None, {}, "the latest version"),
    ("GET", "secret/data/app", None, {"version": "1"}, "another version"),
    ("GET", "secret/data/app", None, {"version": "0"}, "the latest version by another name"),
    ("GET", "secret/data/app", None, {"version": "9"}, "no such version"),
    ("GET", "secret/data/app", None, {"version": "x"}, "a version that is no number"),
    ("POST", "secret/metadata/app", {"custom_metadata": {"team": "blue"}}, {}, "noted"),
    ("GET", "secret/metadata/app", None, {}, "what is noted"),
    ("POST", "secret/data/far/er", {"data": {"n": "1"}}, {}, "in a folder"),
    ("GET", "secret/metadata/", None, {"list": "true"}, "a list"),
    ("LIST", "secret/metadata/far", None, {}, "a list of a folder"),
    ("GET", "secret/metadata/app", None, {"list": "true"}, "a list of what is no folder"),
    ("DELETE", "secret/data/app", None, {}, "deleted"),
    ("GET", "secret/data/app", None, {}, "what is deleted"),
    ("POST", "secret/undelete/app", {"versions": [2]}, {}, "had back"),
    ("GET", "secret/data/app", None, {}, "what was had back"),
    ("POST", "secret/destroy/app", {"versions": [2]}, {}, "destroyed"),
    ("GET", "secret/data/app", None, {}, "what is destroyed"),
    ("GET", "secret/app", None, {}, "a path of version 1"),
    ("GET", "secret/data", None, {}, "the root of an engine"),
    ("GET", "elsewhere/data/app", None, {}, "nothing mounted"),
    ("POST", "kv/app", LARGE, {}, "version 1"),
    ("POST", "kv/app", {}, {}, "nothing to write in version 1"),
    ("GET", "kv/app", None, {}, "version 1 read"),
    ("GET", "kv/app", None, {"version": "7"}, "version 1 does not know versions"),
    ("GET", "kv/never", None, {}, "version 1, not there"),
    ("GET", "kv/data/app", None, {}, "version 1 that is taken for 2"),
    ("POST", "kv/far/er", {"n": "1"}, {}, "version 1 in a folder"),
    ("GET", "kv/", None, {"list": "true"}, "a list of version 1"),
    ("GET", "kv/nowhere", None, {"list": "true"}, "an empty list of version 1"),
    ("DELETE", "kv/app", None, {}, "deleted in version 1"),
    ("GET", "sys/internal/ui/mounts/secret", None, {}, "what is mounted"),
    ("GET", "sys/internal/ui/mounts/kv", None, {}, "what else is mounted"),
    ("GET", "auth/token/lookup-self", None, {}, "a token looks at itself"),
]


async def test_ours_answers_as_the_real_one(real):
    async with vault() as server:
        ours = Ours(server)
        told = [
            (why, _essence(side.ask(method, path, body, query=query)))
            for side in (ours, real)
            for method, path, body, query, why in QUESTIONS
        ]
    half = len(QUESTIONS)
    differing = [(mine, theirs) for mine, theirs in zip(told[:half], told[half:], strict=True) if mine != theirs]
    assert differing == []


STRANGERS = [
    ("GET", "secret/data/app", "hvs.nothing", "a token that nobody knows"),
    ("GET", "secret/data/app", "", "no token"),
    ("GET", "auth/token/lookup-self", "hvs.nothing", "a token that nobody knows looks at itself"),
    ("POST", "auth/token/renew-self", "hvs.nothing", "a token that nobody knows is renewed"),
    ("GET", "secret/data/other", "narrow", "what the token may not read"),
    ("GET", "secret/metadata/app", "narrow", "what else it may not"),
    ("GET", "sys/internal/ui/mounts/kv", "narrow", "a mount that it may not see"),
    ("GET", "sys/internal/ui/mounts/nowhere", "narrow", "a mount that is not there"),
    ("GET", "nowhere/data/app", "narrow", "nothing is mounted there"),
    ("POST", "auth/token/revoke-self", "narrow", "given back"),
    ("GET", "secret/data/app", "narrow", "what was given back"),
]


async def test_ours_refuses_as_the_real_one(real):
    async with vault() as server:
        told = {}
        for side in (Ours(server), real):
            side.must("PUT", "sys/policies/acl/narrow", {"policy": NARROW})
            made = side.must("POST", "auth/token/create", {"policies": ["narrow"]})["auth"]["client_token"]
            told[side] = [
                (why, _essence(side.ask(method, path, token=made if token == "narrow" else token)))
                for method, path, token, why in STRANGERS
            ]
    first, second = told.values()
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []


async def test_ours_lets_in_as_the_real_one(real):
    async with vault() as server:
        told = [_logins(side) for side in (Ours(server), real)]
    assert [pair for pair in zip(*told, strict=True) if pair[0] != pair[1]] == []


def _logins(side):
    """What is said to those who log in, rightly and wrongly."""
    side.must("PUT", "sys/policies/acl/reader", {"policy": POLICY})
    role = "auth/approle/role/lettered"
    fields = {"token_policies": ["reader"], "secret_id_num_uses": 1, "token_ttl": "60s", "token_max_ttl": "90s"}
    side.must("POST", role, fields)
    role_id = side.must("GET", f"{role}/role-id")["data"]["role_id"]
    secret_id = side.must("POST", f"{role}/secret-id", {})["data"]["secret_id"]
    good = {"role_id": role_id, "secret_id": secret_id}
    path = "auth/approle/login"
    answers = [
        side.ask("POST", path, {"role_id": "never", "secret_id": secret_id}, token=""),
        side.ask("POST", path, {"role_id": role_id, "secret_id": "never"}, token=""),
        side.ask("POST", path, {"role_id": role_id}, token=""),
    ]
    status, granted = side.ask("POST", path, good, token="")
    token = granted["auth"]["client_token"]
    answers += [(status, granted), side.ask("POST", path, good, token="")]
    answers += [
        side.ask("GET", "auth/token/lookup-self", token=token),
        side.ask("POST", "auth/token/renew-self", {}, token=token),
        side.ask("POST", "auth/token/revoke-self", {}, token=token),
        side.ask("GET", "auth/token/lookup-self", token=token),
    ]
    side.must("POST", role, {"token_policies": ["reader"], "token_type": "batch", "secret_id_num_uses": 0})
    secret_id = side.must("POST", f"{role}/secret-id", {})["data"]["secret_id"]
    batch = side.ask("POST", path, {"role_id": role_id, "secret_id": secret_id}, token="")
    answers += [batch, side.ask("POST", "auth/token/revoke-self", {}, token=batch[1]["auth"]["client_token"])]
    side.must("POST", "auth/userpass/users/anna", {"password": "pass", "token_policies": ["reader"]})
    answers += [
        side.ask("POST", "auth/userpass/login/anna", {"password": "pass"}, token=""),
        side.ask("POST", "auth/userpass/login/anna", {"password": "word"}, token=""),
        side.ask("POST", "auth/userpass/login/nobody", {"password": "word"}, token=""),
    ]
    return [_essence(each) for each in answers]


_PASSING = re.compile(r"_time$|^(request_id|id|accessor|entity_id|creation_ttl|ttl|client_token|uuid)$")
_FURTHER = frozenset(
    {
        "accessor",
        "config",
        "created_by",
        "deprecation_status",
        "description",
        "external_entropy_access",
        "local",
        "plugin_version",
    }
    | {"running_plugin_version", "running_sha256", "seal_wrap", "uuid", "path", "meta", "issue_time", "creation_time"}
    | {"entity_id", "orphan", "period", "explicit_max_ttl", "display_name", "external_namespace_policies"}
    | {"identity_policies", "last_renewal", "last_renewal_time", "last_updated_by", "bound_cidrs"}
)
"""What ours leaves out or makes up: nobody asks for it."""


def _essence(answer):
    status, body = answer
    return status, _masked(body)


def _masked(value):
    if isinstance(value, dict):
        return {
            key: ("?" if held else held) if _PASSING.search(key) else _masked(held)
            for key, held in sorted(value.items())
            if key not in _FURTHER
        }
    return [_masked(each) for each in value] if isinstance(value, list) else value


@pytest.fixture(params=["ours", "real"])
async def side(request, real):
    """Either server, with the same secrets and the same role."""
    async with vault() as server:
        asker = Asker(server.url, server.root) if request.param == "ours" else real
        made = Ours(server) if request.param == "ours" else real
        for key in ("app/db", "app/web", "gone"):
            made.ask("DELETE", f"secret/metadata/{key}")
            made.must("POST", f"secret/data/{key}", {"data": {**LARGE, "key": key}})
            made.must("POST", f"kv/{key}", {"key": key})
        made.must("POST", "secret/data/app/db", {"data": {"key": "second"}})
        made.must("POST", "secret/metadata/app/web", {"custom_metadata": {"team": "blue"}})
        made.must("DELETE", "secret/data/gone")
        made.must("PUT", "sys/policies/acl/reader", {"policy": POLICY})
        role = "auth/approle/role/stores"
        made.must("POST", role, {"token_policies": ["reader"], "secret_id_num_uses": 0})
        asker.role_id = made.must("GET", f"{role}/role-id")["data"]["role_id"]
        asker.secret_id = made.must("POST", f"{role}/secret-id", {})["data"]["secret_id"]
        asker.made = made
        yield asker


@pytest.fixture
async def opened(side):
    vaults = Vaults(SystemClock())

    async def opened(**fields):
        cluster = Held(app={"id": side.secret_id})
        auth = {"appRole": {"roleId": side.role_id, "secretRef": {"name": "app", "key": "id"}}}
        return await vaults.opened(provider(side, auth, **fields), cluster, ("SecretStore", "team", "vault"))

    yield opened
    await vaults.close()


async def test_a_store_reads_alike(opened):
    store = await opened()
    whole = r'{"key":"app/db","nested":{"a":[1,{"x":"y"}],"b":"\u003c\u0026\u003e"},"none":null,"on":true,"port":5432,"user":"anna"}'
    assert (await store.value(Remote("app/db", version="1"))).reveal().decode() == whole
    assert (await store.value(Remote("app/db", "key"))).reveal() == b"second"
    assert (await store.value(Remote("app/web", "nested.a.1.x"))).reveal() == b"y"
    assert (await store.value(Remote("app/web", "team", metadata=True))).reveal() == b"blue"
    assert (await store.value(Remote("secret/data/app/web", "port"))).reveal() == b"5432"
    assert set(await store.search(Search())) >= {"app/db", "app/web"}
    assert set(await store.search(Search(path="app", name="b$"))) == {"app/db", "app/web"}
    assert set(await store.search(Search(tags={"team": "blue"}))) == {"app/web"}
    assert "gone" not in await store.search(Search(name="^gone$"))
    assert await store.check() is True
    old = await opened(path="kv", version="v1")
    assert (await old.value(Remote("app/db", "key"))).reveal() == b"app/db"
    assert set(await old.search(Search(path="app"))) == {"app/db", "app/web"}
    assert await old.check() is True


FAULTS = [
    ({}, Remote("gone"), NotFound, "deleted"),
    ({}, Remote("never"), NotFound, "not there"),
    ({}, Remote("app/db", "never"), NotFound, "no such property"),
    ({}, Remote("app/db", version="9"), NotFound, "no such version"),
    ({}, Remote("never", metadata=True), NotFound, "nothing noted"),
    ({"path": "kv", "version": "v1"}, Remote("never"), NotFound, "not there in version 1"),
    ({"version": "v1"}, Remote("app/db"), InvalidInput, "an engine of another version"),
    ({"path": "elsewhere"}, Remote("app"), Forbidden, "nothing mounted that the token would know of"),
]


@pytest.mark.parametrize(("fields", "remote", "error", "why"), FAULTS, ids=[row[-1] for row in FAULTS])
async def test_a_store_finds_the_same_faults(opened, fields, remote, error, why):
    with pytest.raises(PlumblineError) as caught:
        await (await opened(**fields)).value(remote)
    assert type(caught.value) is error


async def test_a_store_notices_an_engine_of_another_version(opened):
    for fields in ({"version": "v1"}, {"path": "kv"}):
        with pytest.raises(InvalidInput):
            await (await opened(**fields)).check()


async def test_a_token_that_was_revoked_is_replaced(opened, side):
    store = await opened()
    await store.value(Remote("app/db"))
    token = (await store._holder.current()).value.reveal().decode()
    assert side.made.ask("POST", "auth/token/revoke-self", {}, token=token)[0] == 204
    assert (await store.value(Remote("app/db", "key"))).reveal() == b"second"
    assert (await store._holder.current()).value.reveal().decode() != token


async def test_tokens_are_given_back(side):
    vaults = Vaults(SystemClock())
    auth = {"appRole": {"roleId": side.role_id, "secretRef": {"name": "app", "key": "id"}}}
    store = await vaults.opened(provider(side, auth), Held(app={"id": side.secret_id}), ("x",))
    await store.value(Remote("app/db"))
    token = (await store._holder.current()).value.reveal().decode()
    await store.close()
    assert side.made.ask("GET", "auth/token/lookup-self", token=token)[0] == 200
    await vaults.close()
    assert side.made.ask("GET", "auth/token/lookup-self", token=token)[0] == 403


async def test_a_wrong_secret_id_is_not_let_in(side):
    vaults = Vaults(SystemClock())
    auth = {"appRole": {"roleId": side.role_id, "secretRef": {"name": "app", "key": "id"}}}
    store = await vaults.opened(provider(side, auth), Held(app={"id": "wrong"}), ("x",))
    with pytest.raises(Unauthenticated):
        await store.value(Remote("app/db"))
    await vaults.close()


@pytest.fixture
async def logged_in(side):
    """A store that logs in another way than with the role that all have."""
    vaults = Vaults(SystemClock())

    async def logged_in(auth, **secrets):
        return await vaults.opened(provider(side, auth), Held(**secrets), ("SecretStore", "team", "another"))

    yield logged_in
    await vaults.close()


async def test_a_store_logs_in_with_a_signed_token(side, logged_in):
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    side.made.must("POST", "auth/jwt/config", {"jwt_validation_pubkeys": [public.decode()]})
    fields = {"role_type": "jwt", "user_claim": "sub", "bound_audiences": ["vault"], "token_policies": ["reader"]}
    side.made.must("POST", "auth/jwt/role/reader", fields)
    auth = {"jwt": {"role": "reader", "secretRef": {"name": "app", "key": "jwt"}}}
    store = await logged_in(auth, app={"jwt": _signed(key, "vault")})
    assert (await store.value(Remote("app/db", "key"))).reveal() == b"second"
    store = await logged_in(auth, app={"jwt": _signed(key, "another")})
    with pytest.raises(Unauthenticated) as caught:
        await store.value(Remote("app/db"))
    assert "audience" in caught.value.why


def _signed(key, audience):
    now_s = int(SystemClock().now().timestamp())
    claims = {"sub": "anna", "aud": audience, "iat": now_s, "nbf": now_s - 5, "exp": now_s + 600}
    text = b".".join(_urlsafe(encode(each)) for each in ({"alg": "ES256", "typ": "JWT"}, claims))
    r, s = utils.decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    return text + b"." + _urlsafe(r.to_bytes(32) + s.to_bytes(32))


def _urlsafe(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


async def test_a_store_logs_in_with_a_password(side, logged_in):
    side.made.must("POST", "auth/userpass/users/bert", {"password": "pass", "token_policies": ["reader"]})
    auth = {"userPass": {"username": "bert", "secretRef": {"name": "app", "key": "password"}}}
    store = await logged_in(auth, app={"password": "pass"})
    assert (await store.value(Remote("app/db", "key"))).reveal() == b"second"
    store = await logged_in(auth, app={"password": "word"})
    with pytest.raises(Unauthenticated):
        await store.value(Remote("app/db"))


KINDS = [
    ({"token_num_uses": 2}, "few uses"),
    ({"token_type": "batch"}, "a token that nobody keeps"),
    ({"token_ttl": "1s", "token_max_ttl": "2s"}, "a token that ends soon"),
]


@pytest.mark.parametrize(("fields", "why"), KINDS, ids=[row[-1] for row in KINDS])
async def test_a_store_gets_along_with_tokens_of_every_kind(side, logged_in, fields, why):
    role = "auth/approle/role/odd"
    side.made.ask("DELETE", role)
    side.made.must("POST", role, {"token_policies": ["reader"], **fields})
    role_id = side.made.must("GET", f"{role}/role-id")["data"]["role_id"]
    secret_id = side.made.must("POST", f"{role}/secret-id", {})["data"]["secret_id"]
    auth = {"appRole": {"roleId": role_id, "secretRef": {"name": "app", "key": "id"}}}
    store = await logged_in(auth, app={"id": secret_id})
    for _ in range(6):
        assert (await store.value(Remote("app/db", "key"))).reveal() == b"second"
        await asyncio.sleep(0.6 if "token_ttl" in fields else 0)
    await store.close()
