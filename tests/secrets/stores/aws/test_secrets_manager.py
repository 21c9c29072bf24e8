"""AWS Secrets Manager as a store."""

import pytest

from plumbline.base.errors import BadExpression, Forbidden, GarbledReply, InvalidInput, LimitExceeded, NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.aws import calls
from plumbline.secrets.stores.store import Remote, Search

SERVICE = "SecretsManager"
DB = '{"user": "me", "pass.word": "dotted", "pool": {"size": 5, "hosts": ["a", "b"]}}'


def made(cloud, name, value, **tags):
    asked = {"SecretBinary": value} if isinstance(value, bytes) else {"SecretString": value}
    return cloud.people("secretsmanager").create_secret(
        Name=name, Tags=[{"Key": key, "Value": word} for key, word in tags.items()], **asked
    )


VALUES = [
    (Remote("prod/db"), DB, "the whole secret"),
    (Remote("prod/db", "user"), "me", "a property"),
    (Remote("prod/db", "pass.word"), "dotted", "a property with a dot in its name"),
    (Remote("prod/db", "pool.hosts.1"), "b", "a path"),
    (Remote("prod/db", version="AWSCURRENT"), DB, "a stage"),
    (Remote("prod/db", metadata=True), '{"team":"shop","tier":"1"}', "its tags"),
    (Remote("prod/db", "tier", metadata=True), "1", "one of them"),
    (Remote("bin"), b"\x00\xff", "what is not text"),
]


async def test_a_value_is_a_secret_or_what_is_in_it(cloud):
    made(cloud, "prod/db", DB, team="shop", tier="1")
    made(cloud, "bin", b"\x00\xff")
    store = await cloud.opened(SERVICE)
    for remote, value, why in VALUES:
        assert await store.value(remote) == Plaintext(value), why


async def test_a_secret_that_is_rotated_meanwhile_is_read_anew(cloud):
    first = made(cloud, "db", "one")["VersionId"]
    store = await cloud.opened(SERVICE)
    assert await store.value(Remote("db")) == Plaintext("one")
    cloud.people("secretsmanager").put_secret_value(SecretId="db", SecretString="two")
    assert await store.value(Remote("db")) == Plaintext("two"), "nothing is kept between two questions"
    assert await store.value(Remote("db", version="AWSPREVIOUS")) == Plaintext("one")
    assert await store.value(Remote("db", version=f"uuid/{first}")) == Plaintext("one")


async def test_what_is_not_there_is_not_found(cloud):
    made(cloud, "db", DB)
    store = await cloud.opened(SERVICE)
    versions = (f"uuid/{'0' * 36}", "MINE")
    asked = (
        Remote("no"),
        Remote("db", "no"),
        Remote("no", metadata=True),
        *(Remote("db", version=each) for each in versions),
    )
    for remote in asked:
        with pytest.raises(NotFound):
            await store.value(remote)


async def test_a_secret_that_waits_for_its_deletion_is_not_found(cloud):
    made(cloud, "db", DB)
    cloud.people("secretsmanager").delete_secret(SecretId="db", RecoveryWindowInDays=7)
    with pytest.raises(NotFound):
        await (await cloud.opened(SERVICE)).value(Remote("db"))


async def test_a_prefix_stands_before_every_key(cloud):
    made(cloud, "prod/db", DB)
    store = await cloud.opened(SERVICE, prefix="prod/")
    assert await store.value(Remote("db", "user")) == Plaintext("me")
    assert await store.entries(Remote("db", "pool")) == {"size": Plaintext("5"), "hosts": Plaintext('["a", "b"]')}
    with pytest.raises(NotFound, match="prod/no"):
        await store.value(Remote("no"))


async def test_extracting_gives_the_parts(cloud):
    made(cloud, "db", DB, tier="1")
    store = await cloud.opened(SERVICE)
    assert set(await store.entries(Remote("db"))) == {"user", "pass.word", "pool"}
    assert await store.entries(Remote("db", metadata=True)) == {"tier": Plaintext("1")}


def several(cloud):
    made(cloud, "prod/db", "1", team="shop", tier="1")
    made(cloud, "prod/api", b"2", team="shop", tier="2")
    made(cloud, "test/db", "3", team="bank", tier="1")
    # Has the key of one tag that is asked for, and the value of it under another: AWS finds it, and it is not meant.
    made(cloud, "prod/odd", "4", team="other", owner="shop")


SEARCHES = [
    (Search(name="db$"), {"prod/db": "1", "test/db": "3"}, "by name"),
    (Search(name="db", path="prod/"), {"prod/db": "1"}, "by name below a path"),
    (Search(tags={"team": "shop"}), {"prod/db": "1", "prod/api": "2"}, "by a tag"),
    (Search(tags={"team": "shop", "tier": "1"}), {"prod/db": "1"}, "by tags"),
    (Search(name="api", tags={"team": "shop"}), {"prod/api": "2"}, "by both"),
    (Search(tags={"tier": "1"}, path="test/"), {"test/db": "3"}, "by a tag below a path"),
    (Search(name="^nothing$"), {}, "nothing"),
]


async def test_secrets_are_found(cloud):
    several(cloud)
    store = await cloud.opened(SERVICE)
    for search, found, why in SEARCHES:
        assert await store.search(search) == {name: Plaintext(value) for name, value in found.items()}, why


async def test_secrets_on_many_pages_are_all_found(cloud, monkeypatch):
    for at in range(25):
        made(cloud, f"s{at:02}", str(at))
    monkeypatch.setattr("plumbline.secrets.stores.aws.secretsmanager._PAGE", 10)
    store = await cloud.opened(SERVICE)
    cloud.front.seen.clear()
    assert await store.search(Search(name="^s")) == {f"s{at:02}": Plaintext(str(at)) for at in range(25)}
    assert cloud.front.actions.count("ListSecrets") == 3
    assert cloud.front.actions.count("BatchGetSecretValue") == 2, "twenty values in a call"


async def test_a_list_without_end_is_ended(cloud, monkeypatch):
    monkeypatch.setattr(calls, "_MOST_PAGES", 2)
    store = await cloud.opened(SERVICE)
    for _ in range(3):
        cloud.front.answer("ListSecrets", {"SecretList": [], "NextToken": "on"})
    with pytest.raises(LimitExceeded):
        await store.search(Search(name="."))


async def test_without_leave_to_read_several_at_once_they_are_read_one_by_one(cloud):
    several(cloud)
    store = await cloud.opened(SERVICE)
    cloud.front.fail("BatchGetSecretValue", "AccessDeniedException")
    cloud.front.fail("GetSecretValue", "ResourceNotFoundException")
    found = await store.search(Search(name="^prod/(db|api)"))
    assert len(found) == 1, "one went away since it was listed"


async def test_a_value_that_cannot_be_read_is_not_left_out(cloud):
    several(cloud)
    store = await cloud.opened(SERVICE)
    gone = {"SecretId": "prod/api", "ErrorCode": "ResourceNotFoundException", "Message": "gone"}
    cloud.front.answer(
        "BatchGetSecretValue", {"SecretValues": [{"Name": "prod/db", "SecretString": "1"}], "Errors": [gone]}
    )
    assert await store.search(Search(name="^prod")) == {"prod/db": Plaintext("1")}
    cloud.front.answer(
        "BatchGetSecretValue", {"SecretValues": [], "Errors": [{**gone, "ErrorCode": "AccessDeniedException"}]}
    )
    with pytest.raises(Forbidden, match="prod/api"):
        await store.search(Search(name="^prod"))


async def test_a_search_searches_for_something(cloud):
    store = await cloud.opened(SERVICE)
    for search, error in ((Search(path="prod/"), InvalidInput), (Search(name="("), BadExpression)):
        with pytest.raises(error):
            await store.search(search)


async def test_an_answer_without_a_value_is_garbled(cloud):
    store = await cloud.opened(SERVICE)
    cloud.front.answer("GetSecretValue", {"Name": "db"})
    with pytest.raises(GarbledReply):
        await store.value(Remote("db"))
