"""A sandbox as people use it: a process of its own, reached by a real client."""

import asyncio
import contextlib
import io
import os
import signal
import sys
from pathlib import Path

import aiohttp
import pytest
from aiobotocore.config import AioConfig
from aiobotocore.session import get_session
from botocore.exceptions import ClientError, ConnectionClosedError

from plumbline.base.errors import ToolMissing
from plumbline.base.http.server import listening
from plumbline.base.tasks import task_group
from plumbline.providers.sandbox import Options, backend, sandbox
from plumbline.providers.sandbox.__main__ import Order, main, serve

from .aws import DATABASE, KEY
from .tables import ALLOW, TRUST


@contextlib.asynccontextmanager
async def clients(url, *services, retries=0):
    session = get_session()
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                session.create_client(
                    service,
                    endpoint_url=url,
                    region_name="us-east-1",
                    aws_access_key_id=KEY,
                    aws_secret_access_key="canary",
                    config=AioConfig(retries={"max_attempts": retries}, connect_timeout=10, read_timeout=30),
                )
            )
            for service in services
        ]


async def _admin(url, method, path, **more):
    async with aiohttp.ClientSession() as http, http.request(method, f"{url}/_sandbox/{path}", **more) as answer:
        assert answer.headers["x-plumbline-simulation"]
        return await answer.json()


async def test_the_main_kinds_live_and_die_through_a_real_client():
    async with (
        sandbox(options=Options(state_s=0.2)) as running,
        clients(running.url, "rds", "s3", "sqs", "iam", "dynamodb", "sts") as (rds, s3, sqs, iam, dynamodb, sts),
    ):
        assert running.starts == 0, "nobody has asked for anything"
        assert (await sts.get_caller_identity())["Account"] == "123456789012"
        assert (await rds.create_db_instance(**DATABASE))["DBInstance"]["DBInstanceStatus"] == "creating"
        with pytest.raises(rds.exceptions.DBInstanceAlreadyExistsFault):
            await rds.create_db_instance(**DATABASE)
        with pytest.raises(rds.exceptions.InvalidDBInstanceStateFault):
            await rds.modify_db_instance(DBInstanceIdentifier="orders", AllocatedStorage=30)
        await rds.get_waiter("db_instance_available").wait(DBInstanceIdentifier="orders", WaiterConfig={"Delay": 0.1})
        answer = await s3.create_bucket(Bucket="a-bucket")
        assert answer["ResponseMetadata"]["HTTPHeaders"]["x-plumbline-simulation"] == "this is not AWS"
        await s3.put_object(Bucket="a-bucket", Key="k", Body=b"content")
        assert (await s3.head_object(Bucket="a-bucket", Key="k"))["ContentLength"] == 7
        with pytest.raises(ClientError, match="BucketNotEmpty"):
            await s3.delete_bucket(Bucket="a-bucket")
        url = (await sqs.create_queue(QueueName="jobs"))["QueueUrl"]
        assert (await sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"]))["Attributes"]
        with pytest.raises(sqs.exceptions.QueueDoesNotExist):
            await sqs.get_queue_url(QueueName="none")
        await iam.create_role(RoleName="reader", AssumeRolePolicyDocument=TRUST)
        await iam.attach_role_policy(RoleName="reader", PolicyArn="arn:aws:iam::aws:policy/ReadOnlyAccess")
        with pytest.raises(iam.exceptions.MalformedPolicyDocumentException):
            await iam.create_policy(PolicyName="read", PolicyDocument=ALLOW[:-1])
        with pytest.raises(dynamodb.exceptions.ResourceNotFoundException):
            await dynamodb.describe_table(TableName="orders")
        await rds.delete_db_instance(DBInstanceIdentifier="orders", SkipFinalSnapshot=True)
        await rds.get_waiter("db_instance_deleted").wait(DBInstanceIdentifier="orders", WaiterConfig={"Delay": 0.1})
        left = {each["id"] for each in await _admin(running.url, "GET", "resources")}
        assert left == {"a-bucket", "jobs", "reader"}
        assert running.starts == 1


async def test_a_sandbox_that_dies_comes_back_with_what_it_had(tmp_path):
    async with (
        sandbox(tmp_path / "sandbox", Options(state_s=0.1)) as running,
        clients(running.url, "sqs", "kms", retries=3) as (sqs, kms),
    ):
        await sqs.create_queue(QueueName="jobs")
        key = (await kms.create_key())["KeyMetadata"]["KeyId"]
        os.kill(_process_of(tmp_path), signal.SIGKILL)
        await _eventually(lambda: sqs.get_queue_url(QueueName="jobs"))
        assert (await kms.describe_key(KeyId=key))["KeyMetadata"]["KeyId"] == key
        assert running.starts == 2
        pid = _process_of(tmp_path)
    await _gone(pid)


async def test_what_goes_wrong_inside_the_block_comes_out_of_it_as_itself():
    with pytest.raises(ZeroDivisionError):
        async with sandbox() as running:
            assert running.starts / 0


async def test_without_the_extra_the_way_to_it_is_said(monkeypatch):
    monkeypatch.setattr("plumbline.providers.sandbox.running.find_spec", lambda _: None)
    with pytest.raises(ToolMissing) as caught:
        async with sandbox():
            pass
    assert "plumbline[sandbox]" in caught.value.hint


async def test_it_serves_in_this_process_too(tmp_path):
    backend.forget()
    with listening("127.0.0.1", 0) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        order = Order(Options(), str(tmp_path / "journal"))
        async with task_group() as tasks:
            serving = tasks.create_task(serve(order, listener))
            async with clients(url, "sqs", "s3") as (sqs, s3):
                await sqs.create_queue(QueueName="jobs")
                with pytest.raises(ClientError, match="404"):
                    await s3.head_bucket(Bucket="none-such")
                assert (await _admin(url, "GET", ""))["requests"] == {"sqs.CreateQueue": 1, "s3.HeadBucket": 1}
                faults = [{"effect": effect} for effect in ("delay", "lost-request", "lost-reply")]
                await _admin(url, "POST", "faults", json=[{**fault, "delay_s": 0.01} for fault in faults])
                await sqs.list_queues()
                for name in ("never", "made"):
                    with pytest.raises(ConnectionClosedError):
                        await sqs.create_queue(QueueName=name)
                urls = (await sqs.list_queues())["QueueUrls"]
                assert [queue.rpartition("/")[2] for queue in urls] == ["jobs", "made"]
                async with (
                    aiohttp.ClientSession() as http,
                    http.put(f"{url}/b/k", data=io.BytesIO(bytes(65 << 20))) as answer,
                ):
                    assert answer.status == 413
            serving.cancel()
    backend.forget()


def test_its_process_reads_its_order(monkeypatch, tmp_path):
    """The loop and the socket are the process's own; here they are looked at from outside."""
    seen = []
    monkeypatch.setattr("uvloop.run", lambda coroutine: (seen.append(coroutine), coroutine.close()))
    monkeypatch.setattr("socket.socket", lambda **given: seen.append(given["fileno"]))
    monkeypatch.setattr("gc.set_threshold", lambda *_: None)
    monkeypatch.setattr("plumbline.providers.sandbox.__main__.configure", lambda **_: None)
    monkeypatch.setattr("plumbline.providers.sandbox.__main__.thrifty", lambda: None)
    monkeypatch.setattr("plumbline.providers.sandbox.__main__.without_clients", lambda: None)
    monkeypatch.setattr(sys, "argv", ["sandbox", '{"options":{},"journal":""}'])
    main()
    assert (seen[0], len(seen)) == (0, 2)


def _process_of(folder):
    """The one whose order names this folder."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            if entry.name.isdigit() and str(folder).encode() in words and b"sandbox.__main__" in words:
                return int(entry.name)
    raise AssertionError("no such process")


def _runs(pid):
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


async def _eventually(ask):
    for _ in range(100):
        with contextlib.suppress(Exception):
            return await ask()
        await asyncio.sleep(0.1)
    return await ask()


async def _gone(pid):
    for _ in range(100):
        if not _runs(pid):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it outlived its sandbox")


async def test_a_process_that_begins_with_the_journal_gives_the_same_ids_as_one_that_was_asked_questions_before(
    tmp_path,
):
    found = []
    for made in (True, False):
        async with sandbox(tmp_path) as running, clients(running.url, "ec2", "rds") as (ec2, rds):
            await ec2.describe_vpcs()
            if made:
                vpc = (await ec2.create_vpc(CidrBlock="10.0.0.0/16"))["Vpc"]["VpcId"]
                await ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")
                await rds.create_db_instance(**DATABASE, EnablePerformanceInsights=True)
            (database,) = (await rds.describe_db_instances())["DBInstances"]
            assert database["PerformanceInsightsEnabled"]
            vpcs = {each["VpcId"] for each in (await ec2.describe_vpcs())["Vpcs"]}
            subnets = {each["SubnetId"] for each in (await ec2.describe_subnets())["Subnets"]}
            found.append((vpcs, subnets, database["DbiResourceId"]))
    assert found[0] == found[1]
