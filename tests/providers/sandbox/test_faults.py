"""What goes wrong on purpose, and credentials that are none."""

import pytest
from botocore.exceptions import ClientError

from plumbline.providers.sandbox.faults import Fault
from plumbline.providers.sandbox.options import Options

from .aws import KEY, model, request
from .tables import TRUST

NAMES = {
    "dynamodb": ("ListTables", {}, "ThrottlingException"),
    "ec2": ("DescribeVpcs", {}, "RequestLimitExceeded"),
    "eks": ("ListClusters", {}, "ThrottlingException"),
    "iam": ("ListRoles", {}, "Throttling"),
    "kms": ("ListKeys", {}, "ThrottlingException"),
    "rds": ("DescribeDBInstances", {}, "Throttling"),
    "s3": ("ListBuckets", {}, "SlowDown"),
    "sns": ("ListTopics", {}, "Throttled"),
    "sqs": ("ListQueues", {}, "RequestThrottled"),
}
INVALID = {
    "dynamodb": "UnrecognizedClientException",
    "ec2": "AuthFailure",
    "iam": "InvalidClientTokenId",
    "s3": "InvalidAccessKeyId",
    "sts": "InvalidClientTokenId",
}


@pytest.mark.parametrize("service", NAMES)
def test_throttling_is_said_as_the_service_says_it(town, service):
    operation, params, code = NAMES[service]
    town.cloud.faults.set([Fault(effect="throttle")])
    assert town.refusal(service, operation, **params) == code
    assert town.refusal(service, operation, **params) == "", "once"


def test_rates_are_limited_where_that_is_asked_for(town):
    town.cloud.configure(Options(throttled=True))
    answers = [town.refusal("route53", "ListHostedZones") for _ in range(7)]
    assert answers == [""] * 5 + ["Throttling"] * 2


async def test_a_bucket_fills_again(town):
    town.cloud.configure(Options(throttled=True))
    for _ in range(5):
        town.call("route53", "ListHostedZones")
    await town.pass_s(0.2)
    assert [town.refusal("route53", "ListHostedZones") for _ in range(2)] == ["", "Throttling"]


def test_a_fault_concerns_whom_it_names(town):
    fault = Fault(
        effect="error", service="sqs", operation="CreateQueue", params={"QueueName": "b"}, after=1, times=2, code="E"
    )
    town.cloud.faults.add([fault])
    asked = ["a", "b", "b", "a", "b", "b"]
    assert [town.refusal("sqs", "CreateQueue", QueueName=name) for name in asked] == ["", "", "E", "", "E", ""]
    assert town.cloud.faults.listed() == []


def test_a_fault_without_a_count_stays_until_it_is_taken_back(town):
    town.cloud.faults.set([Fault(effect="error", times=None)])
    assert {town.refusal("sqs", "ListQueues") for _ in range(5)} == {"InternalFailure"}
    assert town.cloud.faults.listed() == [Fault(effect="error", times=None)]
    town.cloud.faults.set([])
    assert town.refusal("sqs", "ListQueues") == ""


def test_a_lost_reply_is_of_something_that_was_done(town):
    town.cloud.faults.set([Fault(effect="lost-reply", operation="CreateQueue")])
    assert town.reply("sqs", "CreateQueue", QueueName="jobs").lost
    assert town.call("sqs", "ListQueues")["QueueUrls"] == ["https://sqs.us-east-1.amazonaws.com/123456789012/jobs"]


def test_a_lost_request_is_of_something_that_was_not(town):
    town.cloud.faults.set([Fault(effect="lost-request", operation="CreateQueue")])
    assert town.reply("sqs", "CreateQueue", QueueName="jobs").lost
    assert "QueueUrls" not in town.call("sqs", "ListQueues")


def test_a_delay_is_told_and_the_answer_kept(town):
    town.cloud.faults.set([Fault(effect="delay", delay_s=1.5)])
    reply = town.reply("sqs", "CreateQueue", QueueName="jobs")
    assert (reply.delay_s, reply.lost, reply.answer.status) == (1.5, False, 200)


@pytest.mark.parametrize("service", INVALID)
def test_keys_that_are_not_valid_are_refused(town, service):
    operation, params = ("GetCallerIdentity", {}) if service == "sts" else NAMES[service][:2]
    town.cloud.configure(Options(refused_keys=frozenset({KEY})))
    assert town.refusal(service, operation, **params) == INVALID[service]
    town.key = "AKIAOTHERKEYOTHERKEY"
    assert town.refusal(service, operation, **params) == ""
    town.cloud.configure(Options(refused_keys=frozenset({"*"})))
    assert town.refusal(service, operation, **params) == INVALID[service]


def _unsigned(town, made, headers):
    made.headers.pop("authorization")
    made.headers.update(headers)
    return town.cloud.reply(made)


def test_a_request_that_nobody_signed_is_refused(town):
    reply = _unsigned(town, request("sqs", "ListQueues", {}), {})
    assert (reply.answer.status, b"MissingAuthenticationToken" in reply.answer.body) == (403, True)
    reply = _unsigned(town, request("sqs", "ListQueues", {}), {"authorization": "Basic abc"})
    assert b"IncompleteSignature" in reply.answer.body


def test_some_requests_need_no_signature(town):
    identity = {"RoleArn": "arn:aws:iam::123456789012:role/x", "RoleSessionName": "xyz", "WebIdentityToken": "t" * 20}
    made = request("sts", "AssumeRoleWithWebIdentity", identity)
    reply = _unsigned(town, made, {})
    assert town.read("sts", "AssumeRoleWithWebIdentity", reply)["Credentials"]["AccessKeyId"]
    assert _unsigned(town, request("s3", "ListBuckets", {}), {}).answer.status == 200


def test_a_role_can_be_assumed_and_is_who_one_is_then(town):
    town.call("iam", "CreateRole", RoleName="reader", AssumeRolePolicyDocument=TRUST)
    arn = "arn:aws:iam::123456789012:role/reader"
    town.key = town.call("sts", "AssumeRole", RoleArn=arn, RoleSessionName="here")["Credentials"]["AccessKeyId"]
    assert town.call("sts", "GetCallerIdentity")["Arn"] == "arn:aws:sts::123456789012:assumed-role/reader/here"


def test_what_is_not_simulated_is_said_to_be_so(town):
    with pytest.raises(ClientError) as caught:
        town.call("rds", "ModifyCertificates")
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert model("rds").operation_model("ModifyCertificates")
