"""`/_sandbox/`: what can be asked of a sandbox while it runs."""

import pytest

from plumbline.base.json import decode, encode
from plumbline.providers.sandbox.admin import administered
from plumbline.providers.sandbox.calls import Request

from .aws import DATABASE


def _asked(town, method, path, body=None, headers=None, client="127.0.0.1"):
    said = {"host": "127.0.0.1:4566", **(headers or {})}
    content = body if isinstance(body, bytes) else encode(body) if body is not None else b""
    answer = administered(town.cloud, Request(method, f"/_sandbox/{path}", "", said, content), client)
    return answer.status, decode(answer.body)


def test_it_says_what_it_is_and_counts_what_it_was_asked(town):
    town.call("sqs", "CreateQueue", QueueName="jobs")
    town.call("sqs", "ListQueues")
    town.call("sqs", "ListQueues")
    status, about = _asked(town, "GET", "")
    assert (status, about["requests"]) == (200, {"sqs.CreateQueue": 1, "sqs.ListQueues": 2})
    assert "simulation" in about["about"]
    assert "POST /_sandbox/reset" in about["paths"]


def test_options_are_changed_one_by_one(town):
    assert _asked(town, "PUT", "options", {"state_s": 7, "refused_keys": ["AKIA"]})[0] == 200
    status, options = _asked(town, "PUT", "options", {"consistency_s": 2})
    assert (status, options["state_s"], options["consistency_s"], options["refused_keys"]) == (200, 7, 2, ["AKIA"])
    assert _asked(town, "GET", "options")[1] == options
    assert options["clock_factor"] == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "why"),
    [
        ("PUT", "options", {"colour": "blue"}, 422, "no such option"),
        ("PUT", "options", {"state_s": -1}, 422, "time runs forward"),
        ("PUT", "options", {"clock_factor": 0}, 422, "time runs"),
        ("PUT", "options", b"{", 400, "not JSON"),
        ("POST", "faults", [{"effect": "rain"}], 422, "no such effect"),
        ("POST", "faults", {"effect": "error"}, 422, "not a list"),
        ("GET", "nowhere", None, 404, "no such path"),
        ("DELETE", "reset", None, 404, "no such method"),
    ],
)
def test_what_cannot_be_is_refused(town, method, path, body, status, why):
    assert _asked(town, method, path, body)[0] == status, why


def test_faults_come_and_go(town):
    error = {"effect": "error", "operation": "ListQueues", "times": 2}
    assert _asked(town, "POST", "faults", [error]) == (
        200,
        [{"effect": "error", "operation": "ListQueues", "times": 2}],
    )
    town.refusal("sqs", "ListQueues")
    assert _asked(town, "GET", "faults")[1] == [{"effect": "error", "operation": "ListQueues"}]
    assert _asked(town, "PUT", "faults", [{"effect": "delay", "delay_s": 1}])[1] == [{"effect": "delay", "delay_s": 1}]
    assert _asked(town, "DELETE", "faults") == (200, [])
    assert _asked(town, "GET", "faults") == (200, [])


async def test_the_cloud_is_empty_when_nobody_has_anything_in_it(town):
    town.call("ec2", "DescribeVpcs")
    assert _asked(town, "GET", "resources") == (200, []), "what AWS gives everybody is nobody's"
    town.call("rds", "CreateDBInstance", **DATABASE)
    await town.pass_s(3)
    town.call("rds", "DeleteDBInstance", DBInstanceIdentifier="orders", SkipFinalSnapshot=True)
    [left] = _asked(town, "GET", "resources")[1]
    assert (left["service"], left["kind"], left["id"], left["region"]) == ("rds", "db-instance", "orders", "us-east-1")
    await town.pass_s(3)
    assert _asked(town, "GET", "resources") == (200, [])


def test_everything_that_is_made_is_listed(town):
    subnets = [subnet["SubnetId"] for subnet in town.call("ec2", "DescribeSubnets")["Subnets"][:2]]
    role = "arn:aws:iam::123456789012:role/eks"
    town.cloud.options = type(town.cloud.options)(state_s=0)
    town.call("eks", "CreateCluster", name="main", roleArn=role, resourcesVpcConfig={"subnetIds": subnets})
    town.call("eks", "CreateNodegroup", clusterName="main", nodegroupName="n", subnets=subnets, nodeRole=role)
    town.call(
        "elasticache",
        "CreateCacheSubnetGroup",
        CacheSubnetGroupName="g",
        CacheSubnetGroupDescription="g",
        SubnetIds=subnets,
    )
    town.call("rds", "CreateDBSubnetGroup", DBSubnetGroupName="g", DBSubnetGroupDescription="g", SubnetIds=subnets)
    town.call("s3", "CreateBucket", Bucket="a-bucket")
    kinds = {(each["service"], each["kind"], each["id"]) for each in _asked(town, "GET", "resources")[1]}
    wanted = {
        ("eks", "cluster", "main"),
        ("eks", "nodegroup", "main:n"),
        ("elasticache", "subnet-group", "g"),
        ("rds", "subnet-group", "g"),
        ("s3", "bucket", "a-bucket"),
    }
    assert wanted <= kinds


def test_a_reset_empties_the_cloud(town):
    town.call("sqs", "CreateQueue", QueueName="jobs")
    town.call("rds", "CreateDBInstance", **DATABASE)
    assert _asked(town, "POST", "reset") == (200, {})
    assert _asked(town, "GET", "resources") == (200, [])
    assert town.refusal("rds", "CreateDBInstance", **DATABASE) == ""


@pytest.mark.parametrize(
    ("headers", "client", "why"),
    [
        ({}, "10.0.0.7", "another machine"),
        ({"origin": "https://example.org"}, "127.0.0.1", "a web page"),
        ({"host": "rebound.example.org"}, "127.0.0.1", "a name that leads here"),
    ],
)
def test_nobody_else_may_ask(town, headers, client, why):
    assert _asked(town, "POST", "reset", headers=headers, client=client)[0] == 403, why
