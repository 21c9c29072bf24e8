"""Who calls AWS, where to, and what a person reads when that does not work."""

import pytest

from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config
from plumbline.providers.aws import Clients, config, credentials

REF = Ref("aws.upbound.io", "ProviderConfig", "", "default")
ROLE = "arn:aws:iam::123456789012:role/deployer"


@pytest.fixture
async def pool():
    clients = Clients(endpoints=Endpoints(loopback=True))
    yield clients
    await clients.close()


def configured(cloud, version="1", ref=REF, **spec):
    said = {"endpoint": {"url": {"type": "Static", "static": cloud.url}}, **spec}
    return Config(ref=ref, spec=said, secrets=cloud.secrets, version=version)


async def caller(pool, config):
    account = await pool.account(config, "us-east-1")
    return (await account.call("sts", "GetCallerIdentity", {}))["Arn"]


async def test_keys_come_from_a_secret(cloud, pool):
    given = configured(cloud, credentials={"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}})
    assert await caller(pool, given)
    account = await pool.account(given, "us-east-1")
    assert await account.account_id() == "123456789012"
    assert account.partition == "aws"


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("[default]\naws_access_key_id = A\n", Unauthenticated, "half of them is missing"),
        (
            "[other]\naws_access_key_id = A\naws_secret_access_key = topsecret\n",
            Unauthenticated,
            "there is no section default",
        ),
        ("not an ini file: topsecret\nat all", InvalidInput, "it cannot be read"),
        ("", Unauthenticated, "it is empty"),
    ],
)
async def test_a_secret_without_keys_is_refused_without_showing_it(cloud, pool, text, error, why):
    cloud.secrets.values["", "creds", "credentials"] = text
    with pytest.raises(error) as caught:
        await pool.account(
            configured(cloud, credentials={"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}}),
            "us-east-1",
        )
    assert "topsecret" not in f"{caught.value} {caught.value.hint} {caught.value.__cause__}", why
    assert caught.value.hint


async def test_keys_need_no_section_and_any_case_of_it_will_do(cloud, pool):
    for text in (
        "aws_access_key_id=A\naws_secret_access_key=B",
        "[DEFAULT]\naws_access_key_id=A\naws_secret_access_key=B\naws_session_token=C",
    ):
        cloud.secrets.values["", "creds", "credentials"] = text
        given = configured(
            cloud,
            version=text[:5],
            credentials={"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}},
        )
        assert await caller(pool, given)


async def test_without_a_source_the_environment_is_asked(cloud, pool, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    for source in ("None", "IRSA", "PodIdentity"):
        assert await caller(pool, configured(cloud, version=source, credentials={"source": source}))


async def test_nothing_anywhere_says_so_with_a_way_out(cloud, pool, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(Unauthenticated) as caught:
        await caller(pool, configured(cloud, credentials={"source": "None"}))
    assert "ProviderConfig" in caught.value.hint


@pytest.mark.parametrize("place", ["secret", "file", "environment"])
async def test_a_web_identity_is_exchanged_for_a_role(cloud, pool, place, tmp_path, monkeypatch):
    token = tmp_path / "token"
    token.write_text("a.jwt.token")
    cloud.secrets.values["", "oidc", "token"] = "a.jwt.token"
    monkeypatch.setenv(credentials.TOKEN_FILE, str(token))
    told = {
        "secret": {"tokenConfig": {"source": "Secret", "secretRef": {"name": "oidc", "key": "token"}}},
        "file": {"tokenConfig": {"source": "Filesystem", "fs": {"path": str(token)}}},
        "environment": {},
    }[place]
    given = configured(
        cloud, credentials={"source": "WebIdentity", "webIdentity": {"roleARN": ROLE, "roleSessionName": "me", **told}}
    )
    assert await caller(pool, given) == "arn:aws:sts::123456789012:assumed-role/deployer/me"


async def test_a_token_that_is_not_there_says_where_it_was_looked_for(cloud, pool, monkeypatch, tmp_path):
    monkeypatch.delenv(credentials.TOKEN_FILE, raising=False)
    for told, words in (
        ({}, "tokenConfig"),
        ({"tokenConfig": {"source": "Filesystem", "fs": {"path": str(tmp_path / "none")}}}, "No such file"),
    ):
        given = configured(
            cloud, version=words, credentials={"source": "WebIdentity", "webIdentity": {"roleARN": ROLE, **told}}
        )
        with pytest.raises(Unauthenticated) as caught:
            await caller(pool, given)
        assert words in f"{caught.value} {caught.value.hint}"


async def test_roles_are_assumed_one_after_the_other(cloud, pool):
    chain = [
        {"roleARN": "arn:aws:iam::123456789012:role/first"},
        {"roleARN": ROLE, "externalID": "xyz", "tags": [{"key": "team", "value": "a"}], "transitiveTagKeys": ["team"]},
    ]
    given = configured(
        cloud,
        credentials={"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}},
        assumeRoleChain=chain,
    )
    assert await caller(pool, given) == "arn:aws:sts::123456789012:assumed-role/deployer/plumbline"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({}, "credentials are missing"),
        ({"credentials": {"source": "Upbound"}}, "nobody but Upbound has those"),
        ({"credentials": {"source": "Secret"}}, "which Secret"),
        ({"credentials": {"source": "WebIdentity"}}, "which role"),
        ({"credentials": {"source": "None"}, "endpoint": {"url": {"type": "Static"}}}, "which address"),
        ({"credentials": {"source": "None"}, "endpoint": {"url": {"type": "Dynamic"}}}, "which host"),
        ({"credentials": {"source": "None"}, "endpoint": {"url": {"type": "Elsewhere"}}}, "there is no such type"),
        ({"credentials": {"source": "None"}, "assumeRoleChain": [{"externalID": "x"}]}, "a role has a name"),
    ],
)
async def test_a_provider_config_that_cannot_work_is_refused(cloud, pool, spec, why):
    with pytest.raises(InvalidInput):
        await caller(pool, Config(ref=REF, spec=spec, secrets=cloud.secrets, version=why))


@pytest.mark.parametrize(
    ("url", "service", "address", "why"),
    [
        ({"type": "Static", "static": "http://localstack"}, "rds", "http://localstack", "all services go there"),
        (
            {"type": "Dynamic", "dynamic": {"host": "example.org"}},
            "rds",
            "https://rds.eu-west-1.example.org",
            "service and region are in the name",
        ),
        (
            {"type": "Dynamic", "dynamic": {"host": "example.org", "protocol": "http"}},
            "iam",
            "http://iam.example.org",
            "IAM has no region",
        ),
        ({"type": "Auto"}, "rds", None, "AWS's own"),
    ],
)
def test_where_calls_go(url, service, address, why):
    spec = config.parse({"credentials": {"source": "None"}, "endpoint": {"url": url}})
    assert spec.address(service, "eu-west-1") == address, why


def test_an_endpoint_for_some_services_leaves_the_others_alone():
    spec = config.parse(
        {
            "credentials": {"source": "None"},
            "endpoint": {"services": ["s3"], "url": {"type": "Static", "static": "http://minio"}},
        }
    )
    assert (spec.address("s3", "r"), spec.address("rds", "r")) == ("http://minio", None)


def test_the_schema_knows_what_the_spec_knows():
    said = config.schema()["properties"]
    assert set(said) == set(config.Spec.__struct_encode_fields__)
    assert set(said["endpoint"]["properties"]) == set(config.Endpoint.__struct_encode_fields__)


async def test_a_region_that_nobody_knows_is_refused_unless_asked_not_to(cloud, pool):
    spec = {"credentials": {"source": "None"}}
    with pytest.raises(InvalidInput):
        await pool.account(Config(ref=REF, spec=spec, secrets=cloud.secrets), "us-east-11")
    assert await pool.account(
        Config(ref=REF, spec={**spec, "skip_region_validation": True}, secrets=cloud.secrets), "us-east-11"
    )
    assert (await pool.account(Config(ref=REF, spec=spec, secrets=cloud.secrets), "cn-north-1")).partition == "aws-cn"


async def test_nobody_asks_for_the_account_where_that_is_switched_off(cloud, pool):
    given = configured(cloud, credentials={"source": "None"}, skip_requesting_account_id=True)
    assert await (await pool.account(given, "us-east-1")).account_id() == ""


async def test_signatures_name_another_region_where_the_endpoint_says_so(cloud, pool):
    endpoint = {"url": {"type": "Static", "static": cloud.url}, "signingRegion": "eu-west-3", "signingName": "sqs"}
    spec = {
        "credentials": {"source": "Secret", "secretRef": {"name": "creds", "key": "credentials"}},
        "endpoint": endpoint,
    }
    account = await pool.account(Config(ref=REF, spec=spec, secrets=cloud.secrets, version="1"), "us-east-1")
    await account.call("sqs", "CreateQueue", {"QueueName": "signed"})
    assert "eu-west-3" in (await account.call("sqs", "GetQueueAttributes", {
        "QueueUrl": f"{cloud.url}/123456789012/signed", "AttributeNames": ["QueueArn"]}))["Attributes"]["QueueArn"]  # fmt: skip
