"""Secrets and parameters are pushed to AWS, tagged as ours, and what others wrote stays."""

import pytest

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotYet
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.pushing import Piece, sink_of
from plumbline.secrets.stores.store import Remote

ENTRIES = {"user": Plaintext("ann"), "password": Plaintext("s3cret")}
MARK = [{"Key": "managed-by", "Value": "external-secrets"}]


def piece(key, part="", chosen="user", entries=ENTRIES, **spec):
    metadata = {"kind": "PushSecretMetadata", "spec": spec} if spec else None
    return Piece(Remote(key, part), entries, chosen, metadata)


async def done(sink, one):
    effect = await sink.pushing(one)
    if effect is not None:
        await effect.perform()
    return effect and effect.verb


async def gone(sink, *where):
    effect = await sink.withdrawing(Remote(*where))
    if effect is not None:
        await effect.perform()
    return effect and effect.verb


@pytest.fixture
async def sink(cloud):
    return sink_of(
        await cloud.opened("SecretsManager", prefix="app/", secretsManager={"forceDeleteWithoutRecovery": True})
    )


@pytest.fixture
async def parameters(cloud):
    return sink_of(await cloud.opened("ParameterStore", prefix="/app/"))


def value(cloud, name):
    found = cloud.people("secretsmanager").get_secret_value(SecretId=name)
    return found.get("SecretString") or found["SecretBinary"].decode()


async def test_a_secret_is_made_changed_and_left_alone(cloud, sink):
    assert not await sink.exists(Remote("db"))
    assert await done(sink, piece("db", tags={"team": "shop"}, secretPushFormat="string")) == "create"
    assert await done(sink, piece("db")) is None
    changed = {"user": Plaintext("bob")}
    assert await done(sink, piece("db", entries=changed)) == "update"
    assert value(cloud, "app/db") == "bob"
    assert await sink.exists(Remote("db"))
    tags = cloud.people("secretsmanager").describe_secret(SecretId="app/db")["Tags"]
    assert sorted(tags, key=lambda tag: tag["Key"]) == [*MARK, {"Key": "team", "Value": "shop"}]


async def test_properties_are_parts_of_a_json_object(cloud, sink):
    assert await done(sink, piece("db", "user")) == "create"
    assert await done(sink, piece("db", "password", "password")) == "update"
    assert value(cloud, "app/db") == '{"user":"ann","password":"s3cret"}'
    assert await sink.exists(Remote("db", "user"))
    assert not await sink.exists(Remote("db", "absent"))
    assert await gone(sink, "db", "absent") is None
    assert await gone(sink, "db", "user") == "delete"
    assert value(cloud, "app/db") == '{"password":"s3cret"}'
    assert await gone(sink, "db", "password") == "delete"
    assert await gone(sink, "db", "password") is None
    assert not await sink.exists(Remote("db"))


async def test_all_entries_are_one_json_object(cloud, sink):
    assert await done(sink, piece("db", chosen="")) == "create"
    assert value(cloud, "app/db") == '{"password":"s3cret","user":"ann"}'


async def test_what_somebody_else_wrote_stays(cloud, sink, parameters):
    cloud.people("secretsmanager").create_secret(Name="app/db", SecretString="theirs")
    with pytest.raises(AlreadyExists, match="not managed by external-secrets"):
        await sink.pushing(piece("db"))
    assert await gone(sink, "db") is None
    cloud.people("ssm").put_parameter(Name="/app/db", Value="theirs", Type="String")
    with pytest.raises(AlreadyExists, match="not managed by external-secrets"):
        await parameters.pushing(piece("db"))
    assert await gone(parameters, "db") is None


async def test_who_was_faster_is_not_overwritten(cloud, sink, parameters):
    effect = await sink.pushing(piece("db"))
    cloud.people("secretsmanager").create_secret(Name="app/db", SecretString="theirs")
    with pytest.raises(Conflict):
        await effect.perform()
    effect = await parameters.pushing(piece("db"))
    cloud.people("ssm").put_parameter(Name="/app/db", Value="theirs", Type="String")
    with pytest.raises(Conflict):
        await effect.perform()
    assert value(cloud, "app/db") == "theirs"


async def test_a_secret_that_is_no_json_has_no_parts(cloud, sink):
    await done(sink, piece("db"))
    with pytest.raises(InvalidInput, match="requires a json secret"):
        await sink.pushing(piece("db", "user"))


async def test_a_parameter_is_made_changed_and_deleted(cloud, parameters):
    assert await done(parameters, piece("db", secretType="SecureString", tags={"a": "b"})) == "create"
    assert await done(parameters, piece("db", secretType="SecureString")) is None
    assert await done(parameters, piece("db", entries={"user": Plaintext("bob")})) == "update"
    assert await parameters.exists(Remote("db"))
    found = cloud.people("ssm").get_parameter(Name="/app/db", WithDecryption=True)["Parameter"]
    assert found["Value"] == "bob"
    assert await gone(parameters, "db") == "delete"
    assert not await parameters.exists(Remote("db"))
    assert await gone(parameters, "db") is None


async def test_all_entries_of_a_parameter_are_encoded_unless_that_is_not_wanted(cloud, parameters):
    await done(parameters, piece("raw", chosen=""))
    await done(parameters, piece("text", chosen="", encodeAsDecoded=True, tier={"type": "Advanced"}))
    read = cloud.people("ssm").get_parameter
    assert read(Name="/app/raw")["Parameter"]["Value"] == '{"password":"czNjcmV0","user":"YW5u"}'
    assert read(Name="/app/text")["Parameter"]["Value"] == '{"password":"s3cret","user":"ann"}'


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"tags": {"managed-by": "me"}}, "Cannot specify a 'managed-by' tag"),
        ({"secretPushFormat": "odd"}, "secretPushFormat|Invalid enum"),
        ({"resourcePolicy": {}}, "unknown field"),
    ],
)
async def test_metadata_that_is_not_understood_is_refused(sink, spec, why):
    with pytest.raises(InvalidInput, match=why):
        await sink.pushing(piece("db", **spec))


async def test_a_parameter_has_no_parts(parameters):
    with pytest.raises(InvalidInput, match="a parameter is one value"):
        await parameters.pushing(piece("db", "user"))


async def test_metadata_of_another_kind_is_refused(sink):
    with pytest.raises(InvalidInput, match="its kind is not PushSecretMetadata"):
        await sink.pushing(piece("db")._replace(metadata={"kind": "Other"}))


@pytest.fixture
async def deleted(cloud):
    """A sink whose secrets can be restored for a while, and what one of them is once it was deleted."""
    sink = sink_of(await cloud.opened("SecretsManager", prefix="app/", secretsManager={"recoveryWindowInDays": 7}))
    await done(sink, piece("db"))
    assert await gone(sink, "db") == "delete"
    return sink


async def test_a_secret_that_waits_for_its_deletion_is_waited_for_and_not_asked_about_at_once_again(deleted):
    with pytest.raises(NotYet, match="waits for its deletion"):
        await deleted.pushing(piece("db"))


async def test_a_secret_that_waits_for_its_deletion_is_gone_for_whoever_wants_that(deleted):
    assert await gone(deleted, "db") is None
    assert await gone(deleted, "db", "user") is None
