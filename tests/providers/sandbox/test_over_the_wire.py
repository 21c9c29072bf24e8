"""The same tables, written by botocore, parsed by the layer, and read by botocore again: what clients raise."""

import pytest
from botocore.exceptions import ClientError

from .aws import DATABASE, model
from .tables import ALLOW, CASES, TRUST

IMAGINED = {"orders", "young", "going", "guarded", "member", "vpc-1", "vpc-empty", "main", "gone", "there"}
IMAGINED |= {
    "subnet-a",
    "subnet-z",
    "arn:aws:iam::123456789012:policy/used",
    "1234",
    "off",
    "on",
    "arn:aws:kms:us-east-1:1:key/1234",
    "Z1",
}


def _stands_alone(case):
    """Whether its answer does not depend on something that is there already."""
    _, operation, params, code, _ = case
    said = {str(value) for value in params.values()} | {str(n) for n in params.get("SubnetIds", ())}
    if operation in {"CreateDBInstance", "CreateTable"}:
        said -= {"orders"}
    if operation == "CreateCluster":
        return code and params["resourcesVpcConfig"]["subnetIds"] == ["subnet-a", "subnet-b"]
    return code and not said & IMAGINED


ALONE = [case for case in CASES if _stands_alone(case)]


@pytest.mark.parametrize(
    ("service", "operation", "params", "code", "why"), ALONE, ids=[f"{case[0]}-{case[4]}" for case in ALONE]
)
def test_a_client_raises_what_it_would_raise_on_aws(still, service, operation, params, code, why):
    with pytest.raises(ClientError) as caught:
        still.call(service, operation, **params)
    assert caught.value.response["Error"]["Code"] == code, why
    shapes = {shape.metadata.get("error", {}).get("code", shape.name): shape for shape in model(service).error_shapes}
    if code in shapes:
        assert type(caught.value).__name__ == shapes[code].name
        status = shapes[code].metadata.get("error", {}).get("httpStatusCode", 400)
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_networks_are_held_apart(town):
    vpc = town.call("ec2", "CreateVpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    town.call("ec2", "CreateSubnet", VpcId=vpc, CidrBlock="10.0.0.0/24")
    assert town.refusal("ec2", "CreateSubnet", VpcId=vpc, CidrBlock="10.0.0.128/25") == "InvalidSubnet.Conflict"
    assert town.refusal("ec2", "CreateSubnet", VpcId=vpc, CidrBlock="10.1.0.0/24") == "InvalidSubnet.Range"
    assert town.refusal("ec2", "DeleteVpc", VpcId=vpc) == "DependencyViolation"
    one_zone = [town.call("ec2", "DescribeSubnets")["Subnets"][0]["SubnetId"]]
    group = {"DBSubnetGroupName": "g", "DBSubnetGroupDescription": "g", "SubnetIds": one_zone}
    assert town.refusal("rds", "CreateDBSubnetGroup", **group) == "DBSubnetGroupDoesNotCoverEnoughAZs"
    for subnet in town.call("ec2", "DescribeSubnets", Filters=[{"Name": "vpc-id", "Values": [vpc]}])["Subnets"]:
        town.call("ec2", "DeleteSubnet", SubnetId=subnet["SubnetId"])
    assert town.refusal("ec2", "DeleteVpc", VpcId=vpc) == ""


async def test_a_subnet_group_stays_as_long_as_a_database_uses_it_even_one_that_is_going(town):
    subnets = [each["SubnetId"] for each in town.call("ec2", "DescribeSubnets")["Subnets"]]
    town.call("rds", "CreateDBSubnetGroup", DBSubnetGroupName="g", DBSubnetGroupDescription="g", SubnetIds=subnets)
    town.call("rds", "CreateDBInstance", **{**DATABASE, "DBInstanceIdentifier": "elsewhere"})
    town.call("rds", "CreateDBInstance", **DATABASE, DBSubnetGroupName="g")
    name = DATABASE["DBInstanceIdentifier"]
    assert town.refusal("rds", "DeleteDBSubnetGroup", DBSubnetGroupName="g") == "InvalidDBSubnetGroupStateFault"
    town.call("rds", "DeleteDBInstance", DBInstanceIdentifier=name, SkipFinalSnapshot=True)
    assert town.refusal("rds", "DeleteDBSubnetGroup", DBSubnetGroupName="g") == "InvalidDBSubnetGroupStateFault"
    await town.pass_s(600)
    town.call("rds", "DescribeDBInstances")
    assert town.refusal("rds", "DeleteDBSubnetGroup", DBSubnetGroupName="g") == ""


def test_names_of_buckets_are_shared_and_full_buckets_stay(town):
    town.call("s3", "CreateBucket", Bucket="a-bucket")
    town.call("s3", "PutObject", Bucket="a-bucket", Key="k", Body=b"x")
    assert town.refusal("s3", "DeleteBucket", Bucket="a-bucket") == "BucketNotEmpty"
    town.region = "eu-west-1"
    place = {"LocationConstraint": "eu-west-1"}
    assert (
        town.refusal("s3", "CreateBucket", Bucket="a-bucket", CreateBucketConfiguration=place)
        == "BucketAlreadyOwnedByYou"
    )
    assert town.refusal("s3", "CreateBucket", Bucket="b-bucket") == "IllegalLocationConstraintException"


def test_keys_and_secrets_wait_for_their_deletion(town):
    key = town.call("kms", "CreateKey")["KeyMetadata"]["KeyId"]
    town.call("kms", "ScheduleKeyDeletion", KeyId=key, PendingWindowInDays=7)
    assert town.refusal("kms", "EnableKey", KeyId=key) == "KMSInvalidStateException"
    town.call("kms", "CancelKeyDeletion", KeyId=key)
    town.call("secretsmanager", "CreateSecret", Name="app/db", SecretString="canary")
    town.call("secretsmanager", "DeleteSecret", SecretId="app/db", RecoveryWindowInDays=7)
    assert town.refusal("secretsmanager", "CreateSecret", Name="app/db") == "InvalidRequestException"
    assert town.refusal("secretsmanager", "GetSecretValue", SecretId="app/db") == "InvalidRequestException"


def test_a_zone_takes_its_own_records_and_goes_when_it_is_empty(town):
    made = town.call("route53", "CreateHostedZone", Name="example.org", CallerReference="1")
    zone = made["HostedZone"]["Id"].removeprefix("/hostedzone/")

    def change(action, name):
        record = {"Name": name, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "10.0.0.1"}]}
        batch = {"Changes": [{"Action": action, "ResourceRecordSet": record}]}
        return town.refusal("route53", "ChangeResourceRecordSets", HostedZoneId=zone, ChangeBatch=batch)

    assert change("UPSERT", "www.example.com") == "InvalidChangeBatch"
    assert change("UPSERT", "www.example.org") == ""
    assert town.refusal("route53", "DeleteHostedZone", Id=zone) == "HostedZoneNotEmpty"
    assert change("DELETE", "www.example.org") == ""
    assert town.refusal("route53", "DeleteHostedZone", Id=zone) == ""


def test_a_protected_database_stays(town):
    town.call("rds", "CreateDBInstance", **DATABASE, DeletionProtection=True)
    assert (
        town.refusal("rds", "DeleteDBInstance", DBInstanceIdentifier="orders", SkipFinalSnapshot=True)
        == "InvalidParameterCombination"
    )


def test_a_role_that_is_in_use_stays(town):
    town.call("iam", "CreateRole", RoleName="reader", AssumeRolePolicyDocument=TRUST)
    arn = town.call("iam", "CreatePolicy", PolicyName="read", PolicyDocument=ALLOW)["Policy"]["Arn"]
    town.call("iam", "AttachRolePolicy", RoleName="reader", PolicyArn=arn)
    assert town.refusal("iam", "DeleteRole", RoleName="reader") == "DeleteConflict"
    assert town.refusal("iam", "DeletePolicy", PolicyArn=arn) == "DeleteConflict"


def test_waiting_for_messages_keeps_nobody_waiting(town):
    url = town.call("sqs", "CreateQueue", QueueName="jobs")["QueueUrl"]
    assert "Messages" not in town.call("sqs", "ReceiveMessage", QueueUrl=url, WaitTimeSeconds=20)
    town.call("sqs", "SendMessage", QueueUrl=url, MessageBody="one")
    assert town.call("sqs", "ReceiveMessage", QueueUrl=url, WaitTimeSeconds=20)["Messages"][0]["Body"] == "one"
