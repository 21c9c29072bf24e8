"""What was written is there again at the next start, under the same ids."""

import pytest

from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.inventory import resources
from plumbline.providers.sandbox.journal import Journal
from plumbline.providers.sandbox.options import Options

from .aws import DATABASE, Town
from .tables import ALLOW, TRUST

LIMIT = 1 << 20


@pytest.fixture
def file(tmp_path):
    return tmp_path / "sandbox.jsonl"


@pytest.fixture
def started(file):
    """As after a restart: nothing in memory."""
    journals = []

    def start(limit=LIMIT):
        backend.forget()
        journals.append(Journal(file, limit))
        town = Town(Options(), journals[-1])
        town.restored = town.cloud.restore()
        return town

    yield start
    for journal in journals:
        journal.close()
    backend.forget()


def _settled(town):
    """One of each, and everything about it that has an id."""
    town.call("ec2", "DescribeVpcs")
    vpc = town.call("ec2", "CreateVpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    town.call("ec2", "CreateSubnet", VpcId=vpc, CidrBlock="10.0.0.0/24", AvailabilityZone="us-east-1a")
    town.call("ec2", "CreateSecurityGroup", VpcId=vpc, GroupName="web", Description="web")
    town.call("rds", "CreateDBInstance", **DATABASE)
    town.call("s3", "CreateBucket", Bucket="a-bucket")
    town.call("s3", "PutObject", Bucket="a-bucket", Key="k", Body=b"content")
    town.call("sqs", "CreateQueue", QueueName="jobs")
    town.call("sns", "CreateTopic", Name="news")
    town.call("iam", "CreateRole", RoleName="reader", AssumeRolePolicyDocument=TRUST)
    town.call("iam", "CreatePolicy", PolicyName="read", PolicyDocument=ALLOW)
    town.call("iam", "CreateUser", UserName="me")
    town.call("iam", "CreateAccessKey", UserName="me")
    town.call("kms", "CreateKey")
    town.call("secretsmanager", "CreateSecret", Name="app/db", SecretString="canary")
    town.call("route53", "CreateHostedZone", Name="example.org", CallerReference="1")
    town.call("sqs", "CreateQueue", QueueName="gone")
    town.call("sqs", "DeleteQueue", QueueUrl="https://sqs.us-east-1.amazonaws.com/123456789012/gone")


def _seen(town):
    return (
        [vpc["VpcId"] for vpc in town.call("ec2", "DescribeVpcs")["Vpcs"]],
        [subnet["SubnetId"] for subnet in town.call("ec2", "DescribeSubnets")["Subnets"]],
        [group["GroupId"] for group in town.call("ec2", "DescribeSecurityGroups")["SecurityGroups"]],
        town.call("rds", "DescribeDBInstances")["DBInstances"][0]["DbiResourceId"],
        town.call("iam", "GetRole", RoleName="reader")["Role"]["RoleId"],
        town.call("iam", "ListAccessKeys", UserName="me")["AccessKeyMetadata"][0]["AccessKeyId"],
        town.call("kms", "ListKeys")["Keys"],
        town.call("secretsmanager", "DescribeSecret", SecretId="app/db")["ARN"],
        town.call("route53", "ListHostedZones")["HostedZones"][0]["Id"],
        town.call("s3", "GetObject", Bucket="a-bucket", Key="k")["Body"],
    )


def test_a_restart_finds_the_same_cloud_under_the_same_ids(file, started):
    before = started()
    assert before.restored == 0
    _settled(before)
    seen, listed = _seen(before), resources()
    after = started()
    assert after.restored == 17
    assert _seen(after) == seen
    assert resources() == listed
    [database] = after.call("rds", "DescribeDBInstances")["DBInstances"]
    assert database["DBInstanceStatus"] == "available", "time has passed meanwhile"


def test_neither_reads_nor_refusals_nor_messages_are_kept(file, started):
    town = started()
    url = town.call("sqs", "CreateQueue", QueueName="jobs")["QueueUrl"]
    size = file.stat().st_size
    town.call("sqs", "ListQueues")
    town.call("sqs", "SendMessage", QueueUrl=url, MessageBody="one")
    assert town.refusal("sqs", "CreateQueue", QueueName="jo.bs") == "InvalidParameterValue"
    assert file.stat().st_size == size


def test_the_file_is_for_its_owner_and_holds_no_signature(file, started):
    town = started()
    town.call("sqs", "CreateQueue", QueueName="jobs")
    assert file.stat().st_mode & 0o777 == 0o600
    assert b"abc123" not in file.read_bytes()


def test_a_line_that_was_cut_off_is_dropped(file, started):
    town = started()
    town.call("sqs", "CreateQueue", QueueName="jobs")
    whole = file.read_bytes()
    for torn in (whole[:40], b"nonsense\n", whole.rstrip(b"\n")):
        file.write_bytes(whole + torn)
        again = started()
        assert again.restored == 1
        assert file.read_bytes() == whole
        again.call("sqs", "CreateQueue", QueueName="more")
        assert started().restored == 2
        file.write_bytes(whole)


def test_a_full_journal_refuses_writes_and_says_the_way_out(file, started):
    town = started(limit=10)
    town.call("sqs", "CreateQueue", QueueName="jobs")
    assert town.refusal("sqs", "CreateQueue", QueueName="more") == "ServiceUnavailable"
    assert town.refusal("sqs", "ListQueues") == ""
    town.cloud.reset()
    assert file.read_bytes() == b""
    assert town.refusal("sqs", "CreateQueue", QueueName="more") == ""
    assert [each.id for each in resources()] == ["more"]
