import pytest
from tests.secrets.stores.vault.scene import scene

from plumbline.base.errors import BadExpression, Forbidden, GarbledReply, InvalidInput, LimitExceeded, NotFound
from plumbline.base.json import encode
from plumbline.secrets.stores.store import Search
from plumbline.secrets.stores.vault import search as searching
from plumbline.secrets.stores.vault import store as storing
from plumbline.secrets.stores.vault.search import names_below

NAMES = ("app/db", "app/deep/er/key", "app/web", "other")

SEARCHES = [
    (Search(), set(NAMES), "all"),
    (Search(path="app"), {"app/db", "app/deep/er/key", "app/web"}, "below a path"),
    (Search(path="app/deep/"), {"app/deep/er/key"}, "below a path with a slash"),
    (Search(name="^app/(db|web)$"), {"app/db", "app/web"}, "by the whole name"),
    (Search(name="e"), {"app/deep/er/key", "app/web", "other"}, "found anywhere in it"),
    (Search(path="app", name="^app/d"), {"app/db", "app/deep/er/key"}, "the path belongs to the name"),
    (Search(name="nothing"), set(), "none"),
]


@pytest.mark.parametrize(("search", "expected", "why"), SEARCHES, ids=[row[-1] for row in SEARCHES])
@pytest.mark.parametrize(("mount", "version"), [("secret", "v2"), ("kv", "v1")])
async def test_secrets_are_found_below_a_path_and_by_name(mount, version, search, expected, why):
    async with scene() as at:
        for name in NAMES:
            at.server.write(f"{mount}/{name}", {"name": name})
        found = await (await at.store(path=mount, version=version)).search(search)
        assert {name: value.reveal() for name, value in found.items()} == {
            name: encode({"name": name}) for name in expected
        }


async def test_secrets_are_found_by_all_of_their_tags():
    async with scene() as at:
        for name, tags in (("a", {"team": "blue", "tier": "1"}), ("b", {"team": "blue"}), ("c", {"team": "red"})):
            at.server.write(f"secret/{name}", {"name": name})
            at.server.note(f"secret/{name}", tags)
        at.server.write("secret/untagged", {"name": "d"})
        store = await at.store()
        assert set(await store.search(Search(tags={"team": "blue"}))) == {"a", "b"}
        assert set(await store.search(Search(tags={"team": "blue", "tier": "1"}))) == {"a"}
        assert set(await store.search(Search(tags={"team": "blue"}, name="^b"))) == {"b"}
        old = await at.store(path="kv", version="v1")
        with pytest.raises(InvalidInput):
            await old.search(Search(tags={"team": "blue"}))


async def test_a_store_without_a_path_searches_below_that_of_the_search():
    async with scene() as at:
        at.server.write("secret/app/db", {"n": 1})
        store = await at.store(path=None)
        assert set(await store.search(Search(path="secret/data/app"))) == {"secret/data/app/db"}
        assert set(await store.search(Search(path="secret/app"))) == {"secret/app/db"}
        with pytest.raises(InvalidInput):
            await store.search(Search())


async def test_what_is_listed_but_deleted_is_left_out():
    async with scene() as at:
        at.server.write("secret/gone", {"n": 1})
        at.server.write("secret/here", {"n": 1})
        at.server.delete("secret/gone")
        assert set(await (await at.store()).search(Search())) == {"here"}


async def test_what_goes_while_it_is_looked_for_is_left_out():
    async def listed(folder):
        if folder == "gone/":
            raise NotFound("gone")
        return ("a", "gone/") if not folder else ()

    assert await names_below("", listed) == ["a"]
    async with scene() as at:
        store = await at.store()
        assert not await store._tagged("never", {"a": "b"})


async def test_a_path_without_anything_is_not_found():
    async with scene() as at:
        with pytest.raises(NotFound):
            await (await at.store()).search(Search(path="nowhere"))


async def test_an_expression_that_cannot_be_read_is_refused_before_anything_is_asked():
    async with scene() as at:
        with pytest.raises(BadExpression):
            await (await at.store()).search(Search(name="("))
        assert at.server.asked == []


async def test_a_list_that_is_none_is_garbled():
    async with scene() as at:
        at.server.answers = [(200, b'{"data": {"keys": [1]}}', {})]
        with pytest.raises(GarbledReply):
            await (await at.store()).search(Search())


async def test_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(searching, "_MOST_FOLDERS", 2)
    monkeypatch.setattr(searching, "_MOST_NAMES", 3)
    monkeypatch.setattr(storing, "MOST_FOUND", 2)
    async with scene() as at:
        for name in ("a", "b", "c"):
            at.server.write(f"secret/{name}", {"n": 1})
        store = await at.store()
        with pytest.raises(LimitExceeded):
            await store.search(Search())
        assert set(await store.search(Search(name="[ab]"))) == {"a", "b"}
        at.server.write("secret/d", {"n": 1})
        with pytest.raises(LimitExceeded):
            await store.search(Search(name="a"))
        for name in ("x/1", "y/1"):
            at.server.write(f"secret/far/{name}", {"n": 1})
        with pytest.raises(LimitExceeded):
            await store.search(Search(path="far"))


async def test_a_folder_that_lists_itself_does_not_go_on_for_ever():
    async def listed(folder):
        return ("again/",)

    with pytest.raises(LimitExceeded):
        await names_below("", listed)


async def test_the_first_that_fails_ends_a_search():
    async with scene() as at:
        for name in ("a", "b"):
            at.server.write(f"secret/{name}", {"n": 1})
        at.cluster.secrets["login"]["token"] = at.server.token(
            {"secret/metadata/": ["list"], "secret/data/a": ["read"]}
        )
        with pytest.raises(Forbidden):
            await (await at.store()).search(Search())
