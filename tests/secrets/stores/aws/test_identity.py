"""Who a store is in AWS."""

from urllib.parse import parse_qs

import pytest

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    InvalidInput,
    Refused,
    ServerFault,
    Unauthenticated,
    Unresolved,
)
from plumbline.base.plaintext import Plaintext
from plumbline.managed.endpoints import Endpoints
from plumbline.secrets.stores.aws import Places
from plumbline.secrets.stores.aws.identity import Identity
from plumbline.secrets.stores.store import Remote

SERVICE = "SecretsManager"
ROLE = "arn:aws:iam::123456789012:role/{}"
ACCOUNT = {"jwt": {"serviceAccountRef": {"name": "robot", "audiences": ["extra"]}}}


async def asked(cloud, **said):
    """The calls that reading one secret takes, with who made them."""
    cloud.people("secretsmanager").create_secret(Name="db", SecretString="v")
    cloud.front.seen.clear()
    store = await cloud.opened(SERVICE, **said)
    assert await store.value(Remote("db")) == Plaintext("v")
    return cloud.front.seen


async def test_an_access_key_is_used_without_the_line_end_behind_it(cloud):
    seen = await asked(cloud)
    assert [(action, who) for action, who, _ in seen] == [("GetSecretValue", "AKIASTORE")]


async def test_roles_are_taken_one_after_the_other_and_the_last_one_as_the_spec_says(cloud):
    seen = await asked(
        cloud, role=ROLE.format("last"), additionalRoles=[ROLE.format("one"), ROLE.format("two")], externalID="ext",
        sessionTags=[{"key": "team", "value": "shop"}], transitiveTagKeys=["team"],
    )  # fmt: skip
    assert [action for action, _, _ in seen] == ["AssumeRole", "AssumeRole", "AssumeRole", "GetSecretValue"]
    callers = [who for _, who, _ in seen]
    assert callers[0] == "AKIASTORE"
    assert len(set(callers)) == 4, "each call is made as whom the one before it gave"
    forms = [parse_qs(body) for action, _, body in seen if action == "AssumeRole"]
    assert [form["RoleArn"] for form in forms] == [[ROLE.format(name)] for name in ("one", "two", "last")]
    assert all("ExternalId" not in form and "Tags.member.1.Key" not in form for form in forms[:2])
    last = forms[2]
    assert (last["ExternalId"], last["Tags.member.1.Key"], last["Tags.member.1.Value"]) == (["ext"], ["team"], ["shop"])
    assert last["TransitiveTagKeys.member.1"] == ["team"]


async def test_a_service_account_takes_the_role_of_its_annotation(cloud):
    cloud.cluster.annotations = {"eks.amazonaws.com/role-arn": ROLE.format("robot")}
    seen = await asked(cloud, auth=ACCOUNT)
    action, who, body = seen[0]
    form = parse_qs(body)
    assert (action, who) == ("AssumeRoleWithWebIdentity", ""), "it is not signed: the token says who it is"
    assert (form["RoleArn"], form["WebIdentityToken"]) == ([ROLE.format("robot")], ["a.jwt.token"])
    assert cloud.cluster.tokens == [("robot", ("sts.amazonaws.com", "extra"), 600)]
    assert seen[1][1].startswith("ASIA")


async def test_the_audience_may_be_in_another_annotation(cloud):
    cloud.cluster.annotations = {
        "eks.amazonaws.com/role-arn": ROLE.format("robot"),
        "eks.amazonaws.com/audience": "china",
    }
    await cloud.opened(SERVICE, auth=ACCOUNT)
    assert cloud.cluster.tokens[0][1] == ("china", "extra")


async def test_this_programs_own_identity_is_used_only_where_that_is_allowed(cloud, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLATFORM")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "platform")
    with pytest.raises(Forbidden, match="SecretStore"):
        await cloud.opened(SERVICE, auth={})
    seen = await asked(cloud, auth={}, own_identity=True)
    assert seen[0][1] == "AKIAPLATFORM"


async def test_a_program_without_an_identity_says_so(cloud, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(Unauthenticated):
        await cloud.opened(SERVICE, auth={}, own_identity=True)


async def test_half_an_identity_of_this_program_is_none(cloud, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLATFORM")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    with pytest.raises(Unauthenticated):
        await cloud.opened(SERVICE, auth={}, own_identity=True)


def named(**keys):
    return {"secretRef": {f"{field}SecretRef": {"name": "aws", "key": key} for field, key in keys.items()}}


WRONG = [
    ({"auth": named(accessKeyID="id", secretAccessKey="nothing")}, Unresolved, "a key that is not there"),
    ({"auth": named(accessKeyID="empty", secretAccessKey="key")}, Unauthenticated, "an empty key"),
    ({"auth": {"jwt": {}}}, InvalidInput, "no account"),
    ({"auth": ACCOUNT}, Unresolved, "an account without a role"),
    ({"additionalRoles": ["r"] * 11}, InvalidInput, "more roles than anybody needs"),
    ({"role": ROLE.format("x"), "region": "eu west/1"}, InvalidInput, "no region"),
    ({"role": "short"}, InvalidInput, "no role"),
]


@pytest.mark.parametrize(("said", "error", "why"), WRONG, ids=[why for *_, why in WRONG])
async def test_some_stores_are_not_opened(cloud, said, error, why):
    with pytest.raises(error) as refused:
        await cloud.opened(SERVICE, **said)
    assert isinstance(refused.value, Refused), why
    assert "k3y" not in f"{refused.value}{refused.value.hint}"


async def test_what_is_missing_at_an_account_is_said_with_its_namespace(cloud):
    with pytest.raises(Unresolved) as missing:
        await cloud.opened(SERVICE, auth=ACCOUNT)
    assert missing.value.sought == ("", "ServiceAccount", "shop", "robot")


async def test_sts_may_refuse_fail_or_say_nothing(cloud):
    refused = b"<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>"
    nothing = b"<AssumeRoleResponse><AssumeRoleResult></AssumeRoleResult></AssumeRoleResponse>"
    for status, body, error in ((403, refused, Forbidden), (503, b"", ServerFault), (200, nothing, GarbledReply)):
        cloud.front.faults["AssumeRole"] = [(status, [], body)]
        with pytest.raises(error) as told:
            await cloud.opened(SERVICE, role=ROLE.format("x"))
        assert told.value.__cause__ is None, "the request is in what botocore raises"


async def test_a_session_token_goes_along(cloud):
    auth = named(accessKeyID="id", secretAccessKey="key", sessionToken="session")
    store = await cloud.opened(SERVICE, auth=auth)
    credentials = (await store._calls._opened())._request_signer._credentials
    assert credentials.token == "s3ssion"


async def test_calls_go_to_aws_unless_the_environment_and_the_installation_both_say_otherwise(cloud):
    said = {
        "AWS_SECRETSMANAGER_ENDPOINT": cloud.url,
        "AWS_ENDPOINT_URL": "https://elsewhere.example",
        "AWS_STS_ENDPOINT": "",
    }
    places = Places.of(said, Endpoints(loopback=True))
    assert places.address("secretsmanager") == cloud.url
    with pytest.raises(Refused) as refused:
        places.address("sts")
    assert "--allow-endpoint https://elsewhere.example" in refused.value.hint
    assert Places.of({}).address("ssm") is None
    store = await cloud.opened(SERVICE, places=Places.of(said))
    with pytest.raises(Refused, match="not allowed"):
        await store.value(Remote("db"))
    with pytest.raises(Refused, match="no address"):
        Places.of({"AWS_SSM_ENDPOINT": "ftp://x:pw@y"}).address("ssm")


async def test_an_endpoint_in_the_environment_alone_changes_nothing(cloud, monkeypatch):
    """botocore would follow it by itself."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", cloud.url)
    store = await cloud.opened(SERVICE, places=Places())
    client = await store._calls._opened()
    assert client.meta.endpoint_url == "https://secretsmanager.us-east-1.amazonaws.com"


def test_an_identity_prints_no_secret():
    assert "k3y" not in repr(Identity("r", None, "AKIA", Plaintext("k3y"), Plaintext("k3y")))
