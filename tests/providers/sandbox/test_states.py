"""What takes time on AWS takes time here, on a clock that the test moves."""

import pytest
from botocore.exceptions import ClientError

from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.options import Options

from .aws import DATABASE, Town
from .tables import TRUST


def _status(town, name="orders"):
    [found] = town.call("rds", "DescribeDBInstances", DBInstanceIdentifier=name)["DBInstances"]
    [listed] = [
        each for each in town.call("rds", "DescribeDBInstances")["DBInstances"] if each["DBInstanceIdentifier"] == name
    ]
    assert found["DBInstanceStatus"] == listed["DBInstanceStatus"], "one and all agree"
    return found["DBInstanceStatus"]


async def test_a_database_is_created_changed_and_deleted_in_time(town):
    made = town.call("rds", "CreateDBInstance", **DATABASE)["DBInstance"]
    assert made["DBInstanceStatus"] == "creating"
    assert _status(town) == "creating"
    assert (
        town.refusal("rds", "ModifyDBInstance", DBInstanceIdentifier="orders", AllocatedStorage=30)
        == "InvalidDBInstanceState"
    )
    await town.pass_s(2.9)
    assert _status(town) == "creating"
    await town.pass_s(0.2)
    assert _status(town) == "available"
    town.call("rds", "ModifyDBInstance", DBInstanceIdentifier="orders", AllocatedStorage=30)
    assert _status(town) == "modifying"
    await town.pass_s(3)
    assert _status(town) == "available"
    gone = town.call("rds", "DeleteDBInstance", DBInstanceIdentifier="orders", SkipFinalSnapshot=True)["DBInstance"]
    assert gone["DBInstanceStatus"] == "deleting"
    assert _status(town) == "deleting"
    assert town.refusal("rds", "CreateDBInstance", **DATABASE) == "DBInstanceAlreadyExists", "while it is still there"
    await town.pass_s(3)
    assert town.refusal("rds", "DescribeDBInstances", DBInstanceIdentifier="orders") == "DBInstanceNotFound"
    assert town.refusal("rds", "CreateDBInstance", **DATABASE) == ""


async def test_a_database_may_be_deleted_before_it_is_ready(town):
    town.call("rds", "CreateDBInstance", **DATABASE)
    await town.pass_s(1)
    town.call("rds", "DeleteDBInstance", DBInstanceIdentifier="orders", SkipFinalSnapshot=True)
    await town.pass_s(2.5)
    assert _status(town) == "deleting", "becoming ready does not undo a deletion"
    await town.pass_s(1)
    assert town.refusal("rds", "DescribeDBInstances", DBInstanceIdentifier="orders") == "DBInstanceNotFound"


async def test_a_cluster_stays_in_its_state_however_often_it_is_looked_at(town):
    params = {"DBClusterIdentifier": "main", "Engine": "aurora-postgresql", "MasterUsername": "owner"}
    made = town.call("rds", "CreateDBCluster", **params, MasterUserPassword="canary-2026")["DBCluster"]
    assert made["Status"] == "creating"

    def status():
        return town.call("rds", "DescribeDBClusters", DBClusterIdentifier="main")["DBClusters"][0]["Status"]

    assert [status(), status(), status()] == ["creating"] * 3
    assert (
        town.refusal("rds", "DeleteDBCluster", DBClusterIdentifier="main", SkipFinalSnapshot=True)
        == "InvalidDBClusterStateFault"
    )
    await town.pass_s(3)
    assert status() == "available"
    town.call("rds", "DeleteDBCluster", DBClusterIdentifier="main", SkipFinalSnapshot=True)
    assert status() == "deleting"
    await town.pass_s(3)
    assert town.refusal("rds", "DescribeDBClusters", DBClusterIdentifier="main") == "DBClusterNotFoundFault"


async def test_tables_caches_and_kubernetes_take_their_time(town):
    town.call(
        "dynamodb",
        "CreateTable",
        TableName="orders",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    cache = {"ReplicationGroupId": "cache", "ReplicationGroupDescription": "c", "CacheNodeType": "cache.t3.micro"}
    assert (
        town.call("elasticache", "CreateReplicationGroup", **cache, Engine="redis")["ReplicationGroup"]["Status"]
        == "creating"
    )
    zones = town.call("ec2", "DescribeSubnets")["Subnets"]
    subnets = [subnet["SubnetId"] for subnet in zones[:2]]
    role = "arn:aws:iam::123456789012:role/eks"
    town.call("eks", "CreateCluster", name="main", roleArn=role, resourcesVpcConfig={"subnetIds": subnets})

    def states():
        return (
            town.call("dynamodb", "DescribeTable", TableName="orders")["Table"]["TableStatus"],
            town.call("elasticache", "DescribeReplicationGroups", ReplicationGroupId="cache")["ReplicationGroups"][0][
                "Status"
            ],
            town.call("eks", "DescribeCluster", name="main")["cluster"]["status"],
        )

    nodes = {"clusterName": "main", "nodegroupName": "n", "subnets": subnets, "nodeRole": role}
    assert states() == ("CREATING", "creating", "CREATING")
    assert town.refusal("dynamodb", "DeleteTable", TableName="orders") == "ResourceInUseException"
    assert town.refusal("eks", "CreateNodegroup", **nodes) == "InvalidRequestException"
    await town.pass_s(3)
    assert states() == ("ACTIVE", "available", "ACTIVE")
    assert town.call("eks", "CreateNodegroup", **nodes)["nodegroup"]["status"] == "CREATING"
    town.call("elasticache", "DeleteReplicationGroup", ReplicationGroupId="cache")
    town.call("dynamodb", "DeleteTable", TableName="orders")
    assert states() == ("DELETING", "deleting", "ACTIVE")
    await town.pass_s(3)
    assert (
        town.call("eks", "DescribeNodegroup", clusterName="main", nodegroupName="n")["nodegroup"]["status"] == "ACTIVE"
    )
    assert town.refusal("dynamodb", "DescribeTable", TableName="orders") == "ResourceNotFoundException"
    assert (
        town.refusal("elasticache", "DescribeReplicationGroups", ReplicationGroupId="cache")
        == "ReplicationGroupNotFoundFault"
    )


async def test_a_kind_may_have_a_time_of_its_own_or_none(town):
    town.cloud.configure(Options(states_s={"db-instance/creating": 60, "db-instance/deleting": 0}))
    town.call("rds", "CreateDBInstance", **DATABASE)
    await town.pass_s(59)
    assert _status(town) == "creating"
    await town.pass_s(1)
    assert _status(town) == "available"
    town.call("rds", "DeleteDBInstance", DBInstanceIdentifier="orders", SkipFinalSnapshot=True)
    assert town.refusal("rds", "DescribeDBInstances", DBInstanceIdentifier="orders") == "DBInstanceNotFound"


async def test_the_clock_may_run_faster(town):
    town.call("rds", "CreateDBInstance", **DATABASE)
    await town.pass_s(1)
    town.cloud.configure(Options(clock_factor=100))
    await town.pass_s(0.01)
    assert _status(town) == "creating", "what has passed is not counted again"
    await town.pass_s(0.01)
    assert _status(town) == "available"


async def test_what_is_new_is_not_found_at_once(town):
    town.cloud.configure(Options(consistency_s=2))
    town.call("s3", "CreateBucket", Bucket="a-bucket")
    town.call("iam", "CreateRole", RoleName="reader", AssumeRolePolicyDocument=TRUST)
    assert town.refusal("s3", "HeadBucket", Bucket="a-bucket") == "404"
    assert town.refusal("iam", "GetRole", RoleName="reader") == "NoSuchEntity"
    assert town.call("iam", "ListRoles")["Roles"] == []
    with pytest.raises(ClientError, match="EntityAlreadyExists"):
        town.call("iam", "CreateRole", RoleName="reader", AssumeRolePolicyDocument=TRUST)
    await town.pass_s(2)
    assert town.refusal("s3", "HeadBucket", Bucket="a-bucket") == ""
    assert town.call("iam", "GetRole", RoleName="reader")["Role"]["RoleName"] == "reader"


async def test_the_name_of_a_queue_rests_for_as_long_as_was_asked(town):
    town.cloud.configure(Options(queue_name_wait_s=60))
    url = town.call("sqs", "CreateQueue", QueueName="jobs")["QueueUrl"]
    assert url == "https://sqs.us-east-1.amazonaws.com/123456789012/jobs"
    town.call("sqs", "DeleteQueue", QueueUrl=url)
    assert town.refusal("sqs", "CreateQueue", QueueName="jobs") == "AWS.SimpleQueueService.QueueDeletedRecently"
    await town.pass_s(60)
    assert town.refusal("sqs", "CreateQueue", QueueName="jobs") == ""


def test_other_accounts_and_regions_are_other_places():
    backend.forget()
    here, there = Town(), Town()
    there.region = "eu-west-1"
    here.call("rds", "CreateDBInstance", **DATABASE)
    assert there.refusal("rds", "DescribeDBInstances", DBInstanceIdentifier="orders") == "DBInstanceNotFound"
    backend.forget()
