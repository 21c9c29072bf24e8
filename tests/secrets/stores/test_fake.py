"""Secrets that are written down in the store."""

import pytest

from plumbline.base.errors import BadExpression, InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import FakeItem, FakeProvider
from plumbline.secrets.stores.fake import opened
from plumbline.secrets.stores.store import Remote, Search

ITEMS = (
    FakeItem(key="db", value="old", version="v1"),
    FakeItem(key="db", value='{"user": "me", "pool": {"size": 5}, "n": 1}', version="v2"),
    FakeItem(key="plain", value="text"),
)


def fake(result=None, items=ITEMS):
    return opened(FakeProvider(data=items, validation_result=result))


async def test_a_value_is_found_by_key_and_version():
    store = fake()
    assert await store.value(Remote("plain")) == Plaintext("text")
    assert await store.value(Remote("db", version="v1")) == Plaintext("old")
    assert await store.value(Remote("db", "pool.size", version="v2")) == Plaintext("5")
    await store.close()


@pytest.mark.parametrize(
    "remote", [Remote("no"), Remote("db"), Remote("plain", version="v1"), Remote("db", "nope", "v2")]
)
async def test_what_is_not_there_is_not_found(remote):
    with pytest.raises(NotFound):
        await fake().value(remote)


async def test_the_parts_of_an_object():
    found = await fake().entries(Remote("db", version="v2"))
    assert found == {"user": Plaintext("me"), "pool": Plaintext('{"size": 5}'), "n": Plaintext("1")}
    with pytest.raises(InvalidInput):
        await fake().entries(Remote("plain"))


async def test_a_search_by_name_finds_the_last_version_of_each():
    found = await fake().search(Search(name="."))
    assert found == {"db": Plaintext(ITEMS[1].value), "plain": Plaintext("text")}
    for search, error in ((Search(tags={"a": "b"}), InvalidInput), (Search(name="("), BadExpression)):
        with pytest.raises(error):
            await fake().search(search)


async def test_a_look_finds_what_the_store_says():
    assert await fake().check()
    assert await fake(0).check()
    assert not await fake(1).check()
    with pytest.raises(InvalidInput, match="unable to validate"):
        await fake(2).check()


@pytest.mark.parametrize("item", [FakeItem(key="", value="x"), FakeItem(key="x", value="")])
def test_an_entry_says_something(item):
    with pytest.raises(InvalidInput):
        fake(items=(item,))
