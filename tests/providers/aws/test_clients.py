"""Clients are shared, bounded, and go when the ProviderConfig changes."""

import pytest

from plumbline.base.errors import NotFound, ToolMissing, Unreachable
from plumbline.base.tasks import task_group
from plumbline.kube.names import Ref
from plumbline.managed.endpoints import Endpoints
from plumbline.managed.external import Config
from plumbline.providers.aws import Clients, models
from plumbline.providers.aws.faults import code_of


def configured(cloud, name="default", version="1"):
    return Config(
        ref=Ref("aws.upbound.io", "ProviderConfig", "", name),
        spec=cloud.config.spec,
        secrets=cloud.secrets,
        version=version,
    )


@pytest.fixture
async def pool():
    clients = Clients(endpoints=Endpoints(loopback=True), limit=2)
    yield clients
    await clients.close()
    assert len(clients) == 0


async def test_everybody_shares_one_client_of_a_service_in_a_region(cloud, pool):
    accounts = [await pool.account(configured(cloud), "us-east-1") for _ in range(5)]
    async with task_group() as group:
        for account in accounts:
            group.create_task(account.call("sqs", "ListQueues", {}))
    assert len(pool) == 1


async def test_who_was_not_used_for_longest_is_closed(cloud, pool):
    for region in ("us-east-1", "us-east-2", "us-west-1"):
        await (await pool.account(configured(cloud), region)).call("sqs", "ListQueues", {})
    assert [key[1] for key in pool._open] == ["us-east-2", "us-west-1"]


async def test_a_client_in_use_is_closed_after_its_last_call(cloud, pool):
    account = await pool.account(configured(cloud), "us-east-1")
    async with pool.lend(account._config, account._session, "us-east-1", "sqs") as client:
        await pool.account(configured(cloud, version="2"), "us-east-1")
        assert len(pool) == 0
        assert (await client.list_queues())["ResponseMetadata"]["HTTPStatusCode"] == 200
    with pytest.raises(models.library("botocore.exceptions").HTTPClientError):
        await client.list_queues()


async def test_an_account_of_an_older_version_still_works(cloud, pool):
    old = await pool.account(configured(cloud), "us-east-1")
    new = await pool.account(configured(cloud, version="2"), "us-east-1")
    for account in (old, new, old):
        await account.call("sqs", "ListQueues", {})
    assert len(pool) == 1


async def test_what_aws_refuses_has_its_code(cloud, pool):
    account = await pool.account(configured(cloud), "us-east-1")
    with pytest.raises(NotFound) as caught:
        await account.call("rds", "DescribeDBInstances", {"DBInstanceIdentifier": "none"})
    assert code_of(caught.value) == "DBInstanceNotFound"


async def test_a_question_over_a_broken_connection_is_asked_again_but_a_write_is_not(cloud, pool):
    account = await pool.account(configured(cloud), "us-east-1")
    closed = models.library("botocore.exceptions").ConnectionClosedError(endpoint_url="x")
    asked = []

    def broken(**_):
        asked.append(1)
        if len(asked) == 1:
            raise closed

    async with pool.lend(account._config, account._session, "us-east-1", "sqs") as client:
        client.meta.events.register("before-send", broken)
    assert await account.call("sqs", "ListQueues", {}) == {}
    assert len(asked) == 2
    asked.clear()
    with pytest.raises(Unreachable):
        await account.call("sqs", "CreateQueue", {"QueueName": "q"})
    assert len(asked) == 1


async def test_pages_are_joined(cloud, pool):
    outside = cloud.outside("sqs")
    for index in range(5):
        outside.create_queue(QueueName=f"q{index}")
    account = await pool.account(configured(cloud), "us-east-1")
    answer = await account.pages("sqs", "ListQueues", {"MaxResults": 2})
    assert len(answer["QueueUrls"]) == 5


def test_without_the_extra_there_is_a_way_out(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "aiobotocore.session", None)
    with pytest.raises(ToolMissing) as caught:
        models.library("aiobotocore.session")
    assert "plumbline[aws]" in caught.value.hint


def test_models_come_without_prose():
    assert models.service_model("rds").shape_for("DBInstance").documentation == ""
    assert models.LeanFiles().load_file("/nowhere") is None
    assert not models.LeanFiles().exists("/nowhere")
