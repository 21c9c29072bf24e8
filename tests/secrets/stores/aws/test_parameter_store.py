"""AWS Parameter Store as a store."""

import pytest

from plumbline.base.errors import Forbidden, GarbledReply, InvalidInput, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.store import Remote, Search

SERVICE = "ParameterStore"
DB = '{"user": "me", "pool": {"size": 5}}'


def put(cloud, name, value, kind="SecureString", **tags):
    ssm = cloud.people("ssm")
    version = ssm.put_parameter(Name=name, Value=value, Type=kind, Overwrite=True)["Version"]
    if tags:
        ssm.add_tags_to_resource(
            ResourceType="Parameter", ResourceId=name, Tags=[{"Key": key, "Value": word} for key, word in tags.items()]
        )
    return version


async def test_values_are_decrypted_and_taken_apart(cloud):
    put(cloud, "/prod/db", DB, tier="1")
    put(cloud, "plain", "text", "String")
    store = await cloud.opened(SERVICE)
    assert await store.value(Remote("/prod/db")) == Plaintext(DB)
    assert await store.value(Remote("/prod/db", "pool.size")) == Plaintext("5")
    assert await store.value(Remote("plain")) == Plaintext("text")
    assert await store.value(Remote("/prod/db", metadata=True)) == Plaintext('{"tier":"1"}')
    assert await store.value(Remote("/prod/db", "tier", metadata=True)) == Plaintext("1")
    assert await store.entries(Remote("/prod/db")) == {"user": Plaintext("me"), "pool": Plaintext('{"size": 5}')}
    assert await store.check()


async def test_versions_and_labels_are_told_apart(cloud):
    put(cloud, "db", "one")
    store = await cloud.opened(SERVICE)
    assert await store.value(Remote("db")) == Plaintext("one")
    put(cloud, "db", "two")
    cloud.people("ssm").label_parameter_version(Name="db", ParameterVersion=1, Labels=["stable"])
    assert await store.value(Remote("db")) == Plaintext("two")
    assert await store.value(Remote("db", version="1")) == Plaintext("one")
    assert await store.value(Remote("db", version="stable")) == Plaintext("one")
    for version in ("7", "unstable"):
        with pytest.raises(NotFound):
            await store.value(Remote("db", version=version))


async def test_a_prefix_stands_before_every_key(cloud):
    put(cloud, "/prod/db", DB)
    store = await cloud.opened(SERVICE, prefix="/prod/")
    assert await store.value(Remote("db", "user")) == Plaintext("me")
    for remote in (Remote("no"), Remote("db", "no"), Remote("no", metadata=True)):
        with pytest.raises(NotFound):
            await store.value(remote)


def several(cloud):
    put(cloud, "/prod/db", "1", team="shop")
    put(cloud, "/prod/deep/db", "2", "String", team="shop", tier="1")
    put(cloud, "/test/db", "3", tier="1")


SEARCHES = [
    (Search(name="db$"), {"/prod/db": "1", "/prod/deep/db": "2", "/test/db": "3"}, "by name"),
    (Search(name="db$", path="/prod"), {"/prod/db": "1", "/prod/deep/db": "2"}, "below a path"),
    (Search(name="deep", path="/prod"), {"/prod/deep/db": "2"}, "by name below a path"),
    (Search(tags={"tier": "1"}), {"/prod/deep/db": "2", "/test/db": "3"}, "by a tag"),
    (Search(tags={"tier": "1", "team": "shop"}), {"/prod/deep/db": "2"}, "by tags"),
    (Search(tags={"tier": "1"}, path="/test"), {"/test/db": "3"}, "by a tag below a path"),
    (Search(tags={"tier": "1"}, name="test"), {"/test/db": "3"}, "by a tag and by name"),
]


async def test_parameters_are_found(cloud):
    several(cloud)
    store = await cloud.opened(SERVICE)
    for search, found, why in SEARCHES:
        assert await store.search(search) == {name: Plaintext(value) for name, value in found.items()}, why


async def test_parameters_on_many_pages_are_all_found(cloud):
    for at in range(23):
        put(cloud, f"/many/p{at:02}", str(at), "String")
    store = await cloud.opened(SERVICE)
    cloud.front.seen.clear()
    assert set(await store.search(Search(name="p", path="/many"))) == {f"/many/p{at:02}" for at in range(23)}
    assert cloud.front.actions == ["GetParametersByPath"] * 3


async def test_without_leave_to_read_a_path_parameters_are_described_and_read_one_by_one(cloud):
    several(cloud)
    store = await cloud.opened(SERVICE)
    cloud.front.fail("GetParametersByPath", "AccessDeniedException")
    cloud.front.fail("GetParameter", "ParameterNotFound")
    found = await store.search(Search(name="db$", path="/prod"))
    assert len(found) == 1, "one went away since it was listed"
    cloud.front.fail("GetParametersByPath", "AccessDeniedException")
    cloud.front.fail("DescribeParameters", "AccessDeniedException")
    with pytest.raises(Forbidden):
        await store.search(Search(name="db$", path="/prod"))


async def test_a_search_searches_for_something(cloud):
    with pytest.raises(InvalidInput):
        await (await cloud.opened(SERVICE)).search(Search(path="/prod"))


async def test_an_answer_without_a_value_is_garbled(cloud):
    store = await cloud.opened(SERVICE)
    cloud.front.answer("GetParameter", {"Parameter": {"Name": "db"}})
    with pytest.raises(GarbledReply):
        await store.value(Remote("db"))
