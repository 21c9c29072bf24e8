"""Only the vendor says that something is not there. A page of whatever is in between says nothing: what it stood for would be forgotten."""

import botocore.parsers
import pytest
from botocore.exceptions import ClientError

from plumbline.base.errors import GarbledReply, NotFound
from plumbline.base.json import encode
from plumbline.providers.aws import faults, models
from plumbline.providers.azure.refusals import refusal as of_azure
from plumbline.providers.gcp.refusals import refusal as of_google

PAGES = [b"<html>404 Not Found</html>", b"", b"default backend - 404", b'{"detail": "Not Found"}', b"{}", b"[]"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("refusal", [of_google, of_azure])
def test_a_page_of_a_proxy_is_not_taken_for_gone(refusal, page):
    assert isinstance(refusal("It failed", 404, page), GarbledReply)


def test_what_google_says_is():
    for error in ({"code": 404, "message": "Not found"}, {"errors": [{"reason": "notFound"}]}, {"status": "NOT_FOUND"}):
        assert isinstance(of_google("It failed", 404, encode({"error": error})), NotFound)


@pytest.mark.parametrize("page", [b"<html>404 Not Found</html>", b"", b'{"detail": "Not Found"}'])
@pytest.mark.parametrize(("service", "operation"), [("eks", "DescribeCluster"), ("sqs", "GetQueueAttributes"), ("kms", "DescribeKey"), ("dynamodb", "DescribeTable"), ("secretsmanager", "DescribeSecret")])  # fmt: skip
def test_nor_is_it_with_aws(service, operation, page):
    model = models.service_model(service)
    parser = botocore.parsers.create_parser(model.metadata["protocol"])
    shape = model.operation_model(operation).output_shape
    answer = parser.parse({"status_code": 404, "headers": {"content-type": "text/html"}, "body": page}, shape)
    error = ClientError(answer, operation)
    assert not faults.absent(faults.code_of(error))
    assert isinstance(faults.translated(error, "It failed"), GarbledReply)
