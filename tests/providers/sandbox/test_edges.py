"""Requests that are not as clients write them, and moto when it fails."""

import re
from urllib.parse import quote

import pytest

from plumbline.providers.sandbox import backend
from plumbline.providers.sandbox.calls import Request

from .aws import KEY, request, signed


def _sent(town, method="GET", path="/", query="", headers=None, body=b""):
    return town.cloud.reply(Request(method, path, query, headers or {}, body)).answer


def test_a_service_that_is_not_simulated_says_so(town):
    answer = _sent(town, "POST", headers={"authorization": signed("nosuchservice")})
    assert (answer.status, b"NotImplemented" in answer.body) == (501, True)
    answer = _sent(town, "POST", headers={"authorization": signed("wickr"), "content-type": "application/json"})
    assert answer.status == 501


def test_an_operation_that_no_model_has_is_left_to_moto(town):
    headers = {
        "authorization": signed("sqs"),
        "x-amz-target": "AmazonSQS.Sing",
        "content-type": "application/x-amz-json-1.0",
    }
    assert _sent(town, "POST", headers=headers, body=b"{}").status >= 400


def test_a_body_that_is_not_what_it_says_is_no_end(town):
    made = request("sqs", "CreateQueue", {"QueueName": "jobs"})
    assert _sent(town, "POST", headers=made.headers, body=b"{").status >= 400
    assert town.refusal("sqs", "ListQueues") == ""


def test_a_link_may_carry_its_signature(town):
    town.call("s3", "CreateBucket", Bucket="a-bucket")
    town.call("s3", "PutObject", Bucket="a-bucket", Key="k", Body=b"content")
    scope = quote(f"{KEY}/20260101/us-east-1/s3/aws4_request", safe="")
    answer = _sent(
        town, path="/a-bucket/k", query=f"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={scope}&X-Amz-Signature=0"
    )
    assert (answer.status, answer.body) == (200, b"content")


def test_what_moto_fails_at_is_an_error_of_the_service(town, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(backend, "routes", lambda *_: [(re.compile(".*"), fail)])
    assert town.refusal("sqs", "ListQueues") == "InternalFailure"


@pytest.mark.parametrize("wanting", ["service", "operation"])
def test_what_moto_does_not_have_without_a_package_that_is_not_installed_is_not_simulated(town, monkeypatch, wanting):
    def want(*_):
        raise ModuleNotFoundError

    answers = [(re.compile(".*"), want)]
    monkeypatch.setattr(backend, "routes", want if wanting == "service" else lambda *_: answers)
    assert town.refusal("sqs", "ListQueues") == "NotImplemented"


@pytest.mark.parametrize("body", [b"one", "one", [b"o", "ne"], None])
def test_a_body_may_come_in_pieces(body):
    assert backend._content(body) == (b"one" if body else b"")


def test_messages_may_be_asked_for_in_the_old_protocol(town):
    url = town.call("sqs", "CreateQueue", QueueName="jobs")["QueueUrl"]
    form = f"Action=ReceiveMessage&Version=2012-11-05&QueueUrl={quote(url, safe='')}".encode()
    headers = {"authorization": signed("sqs"), "content-type": "application/x-www-form-urlencoded"}
    assert _sent(town, "POST", headers=headers, body=form).status == 200


def test_a_cluster_named_by_nobody_has_no_networks(town):
    assert town.refusal("ec2", "DeleteVpc", VpcId="vpc-none") == "InvalidVpcID.NotFound"


def test_reading_a_cloud_without_a_journal_restores_nothing(town):
    assert town.cloud.restore() == 0
