"""AWS as tests speak it: botocore writes the requests and reads the answers, without a network in between."""

from functools import cache
from urllib.parse import urlencode

import botocore.session
from botocore.awsrequest import HeadersDict
from botocore.errorfactory import ClientExceptionsFactory
from botocore.parsers import create_parser
from botocore.serialize import create_serializer

from plumbline.base.clock import VirtualClock
from plumbline.base.ids import Ids
from plumbline.providers.sandbox.calls import Request
from plumbline.providers.sandbox.cloud import Cloud
from plumbline.providers.sandbox.options import Options

KEY = "AKIAIOSFODNN7EXAMPLE"
_session = botocore.session.Session()
_factory = ClientExceptionsFactory()


@cache
def model(service):
    return _session.get_service_model(service)


def signed(service, region="us-east-1", key=KEY):
    return f"AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/{service}/aws4_request, SignedHeaders=host, Signature=abc123"


def request(service, operation, params, region="us-east-1", key=KEY):
    described = model(service)
    protocol = described.resolved_protocol
    wire = create_serializer(protocol, include_validation=False).serialize_to_request(
        params, described.operation_model(operation)
    )
    body = wire["body"]
    content = urlencode(body).encode() if isinstance(body, dict) else body.encode() if isinstance(body, str) else body
    query = wire["query_string"] if isinstance(wire["query_string"], str) else urlencode(wire["query_string"])
    path, _, said = wire["url_path"].partition("?")
    headers = {name.lower(): str(value) for name, value in wire["headers"].items()}
    headers["authorization"] = signed(service, region, key)
    return Request(wire["method"], path, "&".join(filter(None, (said, query))), headers, content or b"")


class Town:
    """A cloud in this process, whose clock stands still until it is moved."""

    def __init__(self, options=None, journal=None):
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock, Ids(1), options or Options(), journal)
        self.region = "us-east-1"
        self.key = KEY

    def reply(self, service, operation, **params):
        return self.cloud.reply(request(service, operation, params, self.region, self.key))

    def call(self, service, operation, **params):
        """What a client returns; raises what it would raise."""
        return self.read(service, operation, self.reply(service, operation, **params))

    def read(self, service, operation, reply):
        described = model(service)
        answer = reply.answer
        wire = {"status_code": answer.status, "headers": _headers(answer), "body": answer.body}
        shape = described.operation_model(operation).output_shape
        parsed = create_parser(described.resolved_protocol).parse(wire, shape)
        if answer.status >= 300:
            error = parsed["Error"]
            exceptions = _factory.create_client_exceptions(described)
            raise exceptions.from_code(error.get("QueryErrorCode", error.get("Code")))(parsed, operation)
        return parsed

    def refusal(self, service, operation, **params):
        """The error code that is answered; empty where there is none."""
        try:
            self.call(service, operation, **params)
        except botocore.exceptions.ClientError as error:
            return error.response["Error"]["Code"]
        return ""

    async def pass_s(self, seconds):
        await self.clock.advance(seconds)


def _headers(answer):
    return HeadersDict({name.lower(): value for name, value in answer.headers})


DATABASE = {
    "DBInstanceIdentifier": "orders",
    "DBInstanceClass": "db.t3.micro",
    "Engine": "postgres",
    "EngineVersion": "16.3",
    "AllocatedStorage": 20,
    "MasterUsername": "owner",
    "MasterUserPassword": "canary-2026",
}
