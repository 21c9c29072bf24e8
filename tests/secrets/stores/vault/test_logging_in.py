import pytest
from tests.secrets.stores.vault.scene import READ_ALL, jwt, provider, scene

from plumbline.base.errors import InvalidInput, Unauthenticated, Unresolved
from plumbline.secrets.stores.store import Remote, Selector
from plumbline.secrets.stores.vault import referent

APP = Remote("app", "n")


async def _read(at, auth, **fields):
    at.server.write("secret/app", {"n": "1"}, namespace=fields.get("namespace", ""))
    return (await (await at.store(auth, **fields)).value(APP)).reveal()


async def test_with_a_token_and_whatever_an_editor_left_behind_it():
    async with scene() as at:
        at.cluster.secrets["mine"] = {"t": at.server.token(READ_ALL) + "\n"}
        assert await _read(at, {"tokenSecretRef": {"name": "mine", "key": "t"}}) == b"1"
        assert at.server.logins == 0


@pytest.mark.parametrize("given", ["", "two words", "ümlaut", "line\nbreak"])
async def test_a_token_that_cannot_be_one_is_refused_and_not_repeated(given):
    async with scene() as at:
        at.cluster.secrets["mine"] = {"t": given}
        with pytest.raises(InvalidInput) as caught:
            await at.store({"tokenSecretRef": {"name": "mine", "key": "t"}})
        assert not given or given not in str(caught.value)


async def test_a_credential_that_is_no_text_is_refused():
    async with scene() as at:
        at.cluster.secrets["mine"] = {"t": b"\xff"}
        with pytest.raises(InvalidInput):
            await at.store({"tokenSecretRef": {"name": "mine", "key": "t"}})


@pytest.mark.parametrize("by_ref", [True, False])
async def test_with_an_approle(by_ref):
    async with scene() as at:
        role_id, secret_id = at.server.approle("app", READ_ALL)
        at.cluster.secrets["app"] = {"role": f" {role_id}\n", "id": secret_id}
        role = {"roleRef": {"name": "app", "key": "role"}} if by_ref else {"roleId": role_id}
        assert await _read(at, {"appRole": {**role, "secretRef": {"name": "app", "key": "id"}}}) == b"1"


@pytest.mark.parametrize("path", ["approle", "team/approle"])
async def test_with_an_approle_elsewhere(path):
    async with scene() as at:
        if path != "approle":
            at.server._must("POST", f"sys/auth/{path}", {"type": "approle"})
        at.server.policy("app", READ_ALL)
        at.server._must("POST", f"auth/{path}/role/app", {"token_policies": ["app"]})
        role_id = at.server._must("GET", f"auth/{path}/role/app/role-id")["data"]["role_id"]
        secret_id = at.server._must("POST", f"auth/{path}/role/app/secret-id", {})["data"]["secret_id"]
        at.cluster.secrets["app"] = {"id": secret_id}
        auth = {"appRole": {"path": path, "roleId": role_id, "secretRef": {"name": "app", "key": "id"}}}
        assert await _read(at, auth) == b"1"


async def test_with_a_service_account():
    async with scene() as at:
        at.server.role(
            "kubernetes",
            "app",
            READ_ALL,
            bound_service_account_names=["reader"],
            bound_service_account_namespaces=["team"],
            audience="vault",
        )
        account = {"name": "reader", "audiences": ["vault"]}
        assert await _read(at, {"kubernetes": {"role": "app", "serviceAccountRef": account}}) == b"1"
        assert at.cluster.tokens == [(Selector("reader"), ("vault",), 600)]
        other = {"name": "writer", "namespace": "team", "audiences": ["vault"]}
        with pytest.raises(Unauthenticated):
            await _read(at, {"kubernetes": {"role": "app", "serviceAccountRef": other}})
        assert at.cluster.tokens[-1] == (Selector("writer", namespace="team"), ("vault",), 600)


async def test_with_a_token_of_a_service_account_that_is_kept_in_a_secret():
    async with scene() as at:
        at.server.role("kubernetes", "app", READ_ALL, bound_service_account_names=["reader"])
        at.cluster.secrets["sa"] = {"token": jwt("reader")}
        assert await _read(at, {"kubernetes": {"role": "app", "secretRef": {"name": "sa"}}}) == b"1"


JWT_AUDIENCES = [
    ({"serviceAccountRef": {"name": "reader"}}, ("vault",), 600, "vault if nothing is said"),
    (
        {"serviceAccountRef": {"name": "reader"}, "audiences": ["a"], "expirationSeconds": 60},
        ("a",),
        60,
        "what is said",
    ),
    ({"serviceAccountRef": {"name": "reader", "audiences": ["b"]}}, ("b", "vault"), 600, "added to the account's"),
]


@pytest.mark.parametrize(
    ("asked", "audiences", "lifetime", "why"), JWT_AUDIENCES, ids=[row[-1] for row in JWT_AUDIENCES]
)
async def test_with_a_token_that_vault_verifies(asked, audiences, lifetime, why):
    async with scene() as at:
        at.server.role("jwt", "app", READ_ALL, bound_audiences=[audiences[-1]])
        assert await _read(at, {"jwt": {"role": " app ", "kubernetesServiceAccountToken": asked}}) == b"1"
        assert at.cluster.tokens == [(Selector("reader"), audiences, lifetime)]


async def test_with_a_token_that_somebody_else_signed():
    async with scene() as at:
        at.server.role("jwt", "app", READ_ALL)
        at.cluster.secrets["jwt"] = {"t": jwt("x")}
        assert await _read(at, {"jwt": {"role": "app", "secretRef": {"name": "jwt", "key": "t"}}}) == b"1"


@pytest.mark.parametrize(("method", "field"), [("userpass", "userPass"), ("ldap", "ldap")])
async def test_with_a_password_as_it_is(method, field):
    async with scene() as at:
        at.server.role(method, "anna", READ_ALL, password=" pass\n")
        at.cluster.secrets["pw"] = {"p": " pass\n"}
        assert await _read(at, {field: {"username": "anna ", "secretRef": {"name": "pw", "key": "p"}}}) == b"1"
        at.cluster.secrets["pw"] = {"p": "pass"}
        with pytest.raises(Unauthenticated):
            await _read(at, {field: {"username": "anna", "secretRef": {"name": "pw", "key": "p"}}})


async def test_without_anything_where_somebody_in_between_knows_the_token():
    async with scene() as at:
        store = await at.vaults.opened(provider(at.server), at.cluster, ("x",))
        at.server.answers = [(200, b'{"data": {"data": {"n": "1"}}}', {})]
        assert (await store.value(APP)).reveal() == b"1"
        assert "X-Vault-Token" not in at.server.headers[0]
        await store.close()


async def test_in_another_namespace_of_vault_than_the_secrets():
    async with scene(namespaces=("admin", "admin/team")) as at:
        role_id, secret_id = at.server.approle("app", READ_ALL, namespace="admin")
        at.cluster.secrets["app"] = {"id": secret_id}
        auth = {"namespace": "admin", "appRole": {"roleId": role_id, "secretRef": {"name": "app", "key": "id"}}}
        assert await _read(at, auth, namespace="admin/team") == b"1"
        assert [(path, namespace) for _, path, namespace in at.server.asked] == [
            ("auth/approle/login", "admin"),
            ("secret/data/app", "admin/team"),
        ]


UNSPOKEN = [
    ({"iam": {"vaultRole": "r"}}, "AWS"),
    ({"gcp": {"role": "r"}}, "Google"),
    ({}, "nothing"),
    ({"kubernetes": {"role": "r"}}, "our own identity"),
    ({"jwt": {"role": "r"}}, "no token"),
    ({"appRole": {"secretRef": {"name": "login", "key": "token"}}}, "no role"),
]


@pytest.mark.parametrize(("auth", "why"), UNSPOKEN, ids=[row[-1] for row in UNSPOKEN])
async def test_what_is_not_spoken_is_refused_before_anything_is_asked(auth, why):
    async with scene() as at:
        with pytest.raises(InvalidInput):
            await at.vaults.opened(provider(at.server, auth), at.cluster, ("x",))
        assert at.server.asked == []


async def test_a_credential_that_is_not_there_is_unresolved():
    async with scene() as at:
        with pytest.raises(Unresolved):
            await at.store({"tokenSecretRef": {"name": "never", "key": "t"}})


async def test_a_wrong_credential_is_told_without_repeating_it():
    async with scene() as at:
        role_id, _ = at.server.approle("app", READ_ALL)
        at.cluster.secrets["app"] = {"id": "wrong-canary"}
        store = await at.store({"appRole": {"roleId": role_id, "secretRef": {"name": "app", "key": "id"}}})
        with pytest.raises(Unauthenticated) as caught:
            await store.value(APP)
        assert "canary" not in f"{caught.value}{caught.value.hint}{caught.value.__cause__}"
        assert role_id not in str(caught.value)


REFERENT = [
    (None, {}, False, "no credential"),
    ({"tokenSecretRef": {"name": "a", "key": "b"}}, {}, True, "a token"),
    ({"tokenSecretRef": {"name": "a", "key": "b", "namespace": "n"}}, {}, False, "a token with a namespace"),
    ({"appRole": {"roleId": "r", "secretRef": {"name": "a", "namespace": "n"}}}, {}, False, "a role id that is said"),
    ({"appRole": {"roleRef": {"name": "r"}, "secretRef": {"name": "a", "namespace": "n"}}}, {}, True, "half of it"),
    ({"kubernetes": {"role": "r", "serviceAccountRef": {"name": "a"}}}, {}, True, "an account"),
    ({"kubernetes": {"role": "r", "secretRef": {"name": "a", "namespace": "n"}}}, {}, False, "an account's token"),
    ({"ldap": {"username": "u", "secretRef": {"name": "a"}}}, {}, True, "a directory"),
    ({"userPass": {"username": "u", "secretRef": {"name": "a"}}}, {}, True, "a password"),
    ({"jwt": {"secretRef": {"name": "a", "namespace": "n"}}}, {}, False, "a JWT"),
    (
        {"jwt": {"kubernetesServiceAccountToken": {"serviceAccountRef": {"name": "a"}}}},
        {},
        True,
        "a JWT that is asked for",
    ),
    ({"cert": {"clientCert": {"name": "a", "namespace": "n"}, "secretRef": {"name": "a"}}}, {}, True, "a certificate"),
    (None, {"tls": {"certSecretRef": {"name": "a"}, "keySecretRef": {"name": "a"}}}, True, "a client certificate"),
    (None, {"caProvider": {"type": "Secret", "name": "a", "key": "k"}}, True, "whom to trust"),
]


@pytest.mark.parametrize(("auth", "fields", "expected", "why"), REFERENT, ids=[row[-1] for row in REFERENT])
async def test_a_store_says_whether_it_depends_on_who_asks(auth, fields, expected, why):
    async with scene() as at:
        assert referent(provider(at.server, auth, **fields)) is expected
