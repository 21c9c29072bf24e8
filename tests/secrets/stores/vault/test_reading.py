import pytest
from tests.secrets.stores.vault.scene import IDENTITY, scene

from plumbline.base.errors import Forbidden, InvalidInput, NotFound, PlumblineError
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.kinds.values import converted
from plumbline.secrets.stores.store import Remote

CONTENT = {
    "user": "anna",
    "port": 5432,
    "on": True,
    "none": None,
    "nested": {"b": "<&>", "a": [1, {"x.y": "dotted"}]},
    "a.b": "by its name",
    "a": {"b": "by the path"},
}

PROPERTIES = [
    ("user", "anna", "a string"),
    ("port", "5432", "a number"),
    ("on", "true", "a truth"),
    ("none", "", "nothing"),
    ("nested", r'{"a":[1,{"x.y":"dotted"}],"b":"\u003c\u0026\u003e"}', "JSON, as Go writes it"),
    ("a.b", "by its name", "the very name comes before the path"),
    ("nested.b", "<&>", "a path"),
    ("nested.a.0", "1", "an index"),
    ("nested.a.#", "2", "a length"),
    (r"nested.a.1.x\.y", "dotted", "an escaped dot"),
]


@pytest.mark.parametrize(("name", "expected", "why"), PROPERTIES, ids=[row[-1] for row in PROPERTIES])
@pytest.mark.parametrize(("mount", "version"), [("secret", "v2"), ("kv", "v1")])
async def test_a_property_is_taken_by_its_name_or_path(mount, version, name, expected, why):
    async with scene() as at:
        at.server.write(f"{mount}/app", CONTENT)
        store = await at.store(path=mount, version=version)
        assert (await store.value(Remote("app", name))).reveal().decode() == expected


async def test_without_a_property_it_is_the_whole_as_go_writes_it():
    async with scene() as at:
        at.server.write("secret/app", {"b": "<", "a": 1.50, "ä": "\u2028"})
        store = await at.store()
        assert (await store.value(Remote("app"))).reveal().decode() == r'{"a":1.5,"b":"\u003c","ä":"\u2028"}'


async def test_numbers_keep_their_letters():
    async with scene() as at:
        body = b'{"data": {"data": {"pin": 1.50, "id": 12345678901234567890123}, "metadata": {}}}'
        at.server.answers = [(200, body, {})] * 3
        store = await at.store()
        assert (await store.value(Remote("app", "pin"))).reveal() == b"1.50"
        assert (await store.value(Remote("app"))).reveal() == b'{"id":12345678901234567890123,"pin":1.50}'
        assert (await store.entries(Remote("app")))["id"].reveal() == b"12345678901234567890123"


async def test_entries_are_the_parts_of_a_secret_or_of_a_property():
    async with scene() as at:
        at.server.write("secret/app", {"user": "anna", "tls": {"crt": "C", "key": "K"}})
        store = await at.store()
        assert {name: value.reveal() for name, value in (await store.entries(Remote("app", "tls"))).items()} == {
            "crt": b"C",
            "key": b"K",
        }
        assert set(await store.entries(Remote("app"))) == {"user", "tls"}
        with pytest.raises(InvalidInput):
            await store.entries(Remote("app", "user"))


async def test_a_version_is_the_one_that_is_asked_for():
    async with scene() as at:
        at.server.write("secret/app", {"n": "1"})
        at.server.write("secret/app", {"n": "2"})
        store = await at.store()
        assert (await store.value(Remote("app", "n", "1"))).reveal() == b"1"
        assert (await store.value(Remote("app", "n"))).reveal() == b"2"
        with pytest.raises(NotFound):
            await store.value(Remote("app", "n", "3"))
        with pytest.raises(InvalidInput):
            await store.value(Remote("app", "n", "latest"))


async def test_version_1_of_the_engine_has_no_versions_to_ask_for():
    async with scene() as at:
        at.server.write("kv/app", {"n": "1"})
        store = await at.store(path="kv", version="v1")
        assert (await store.value(Remote("app", "n", "7"))).reveal() == b"1"


async def test_what_is_deleted_destroyed_or_was_never_there_is_not_found():
    async with scene() as at:
        for name in ("deleted", "destroyed"):
            at.server.write(f"secret/{name}", {"n": "1"})
        at.server.delete("secret/deleted")
        at.server.destroy("secret/destroyed", 1)
        store = await at.store()
        for name in ("deleted", "destroyed", "never"):
            with pytest.raises(NotFound):
                await store.value(Remote(name))
        at.server.write("secret/app", {"n": "1"})
        with pytest.raises(NotFound):
            await store.value(Remote("app", "m"))
        with pytest.raises(NotFound):
            await store.value(Remote("app", "n.m"))
        old = await at.store(path="kv", version="v1")
        with pytest.raises(NotFound):
            await old.value(Remote("never"))


NOT_ABSENT = [
    ({"path": "elsewhere"}, InvalidInput, "nothing is mounted there"),
    ({"path": "secret", "version": "v1"}, InvalidInput, "the engine has another version"),
]


@pytest.mark.parametrize(("fields", "error", "why"), NOT_ABSENT, ids=[row[-1] for row in NOT_ABSENT])
async def test_a_store_that_points_to_the_wrong_place_does_not_say_that_a_secret_is_gone(fields, error, why):
    async with scene() as at:
        at.server.write("secret/app", {"n": "1"})
        store = await at.store(**fields)
        with pytest.raises(error) as caught:
            await store.value(Remote("app"))
        assert not isinstance(caught.value, NotFound)


async def test_an_engine_of_version_1_that_is_taken_for_2_is_told_apart():
    async with scene() as at:
        at.server.write("kv/data/app", {"n": "1"})
        store = await at.store(path="kv")
        with pytest.raises(InvalidInput):
            await store.value(Remote("app"))


async def test_what_is_noted_about_a_secret_is_read_instead_of_it():
    async with scene() as at:
        at.server.write("secret/app", {"password": "hidden"})
        store = await at.store()
        assert (await store.value(Remote("app", metadata=True))).reveal() == b"{}"
        at.server.note("secret/app", {"team": "blue", "tier": "1"})
        assert (await store.value(Remote("app", metadata=True))).reveal() == b'{"team":"blue","tier":"1"}'
        assert (await store.value(Remote("app", "team", metadata=True))).reveal() == b"blue"
        assert {
            name: value.reveal() for name, value in (await store.entries(Remote("app", metadata=True))).items()
        } == {
            "team": b"blue",
            "tier": b"1",
        }
        with pytest.raises(NotFound):
            await store.value(Remote("never", metadata=True))
        old = await at.store(path="kv", version="v1")
        with pytest.raises(InvalidInput):
            await old.value(Remote("app", metadata=True))


async def test_a_store_without_a_path_takes_the_mount_from_the_key():
    async with scene() as at:
        at.server.write("secret/app/db", {"n": "1"})
        store = await at.store(path=None)
        for key in ("secret/app/db", "secret/data/app/db"):
            assert (await store.value(Remote(key, "n"))).reveal() == b"1"


async def test_names_with_odd_letters_are_found():
    async with scene() as at:
        at.server.write("secret/my app?/ü+#", {"n": "1"})
        store = await at.store()
        assert (await store.value(Remote("my app?/ü+#", "n"))).reveal() == b"1"


async def test_namespaces_of_vault_are_kept_apart():
    async with scene(namespaces=("admin/team",)) as at:
        at.server.write("secret/app", {"n": "root"})
        at.server.write("secret/app", {"n": "team"}, namespace="admin/team")
        assert (await (await at.store()).value(Remote("app", "n"))).reveal() == b"root"
        assert (await (await at.store(namespace="admin/team")).value(Remote("app", "n"))).reveal() == b"team"


async def test_what_a_token_may_not_read_is_forbidden():
    async with scene() as at:
        at.server.write("secret/app", {"n": "1"})
        at.server.write("secret/other", {"n": "1"})
        at.cluster.secrets["login"]["token"] = at.server.token({"secret/data/app": ["read"]})
        store = await at.store()
        assert (await store.value(Remote("app", "n"))).reveal() == b"1"
        with pytest.raises(Forbidden):
            await store.value(Remote("other"))


@pytest.mark.parametrize(
    "fields",
    [
        {"namespace": "team\r\nX-Vault-Token: other"},
        {"server": "http://vault..example.com:8200"},
        {"server": f"http://{'v' * 64}.example.com:8200"},
    ],
)
async def test_what_no_request_can_be_made_of_is_said(fields):
    async with scene() as at:
        spec = converted({"path": "secret", "server": at.server.url, **fields}, VaultProvider)
        with pytest.raises(PlumblineError):
            await (await at.vaults.opened(spec, at.cluster, IDENTITY)).value(Remote("app"))
