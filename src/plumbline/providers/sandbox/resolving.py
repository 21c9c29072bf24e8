"""From an HTTP request to the AWS call that it means: who signed it, which service and operation, which parameters.

Services, operations and parameters are read with botocore's own models, by the router and the parsers of moto.
"""

import io
import re
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qs, unquote

import msgspec

from plumbline.providers.sandbox.calls import Call, Refusal, Request

_SCOPE: Final = re.compile(r"Credential=([^/,\s]{1,128})/\d{8}/([a-z0-9-]{1,64})/([A-Za-z0-9._-]{1,64})/aws4_request")
_REGION: Final = "us-east-1"
_ACCOUNT: Final = "123456789012"

# Signing names that differ from the name of the model.
_MODELS: Final = {
    "elasticloadbalancing": "elbv2",
    "monitoring": "cloudwatch",
    "email": "ses",
    "states": "stepfunctions",
}
_UNSIGNED: Final = ("AssumeRoleWithWebIdentity", "AssumeRoleWithSAML")


class Signature(msgspec.Struct, frozen=True):
    key_id: str
    region: str
    service: str


class Resolved(msgspec.Struct, frozen=True):
    call: Call
    native: Any
    """The same request as moto takes it."""
    model: Any
    """botocore's of the service; None where there is none of that name."""
    operation: Any
    """botocore's of the operation; None where the service has none of that name."""


def resolved(request: Request) -> Resolved | Refusal:
    """The call, with its parameters parsed as far as its model goes. Unsigned requests are refused where AWS does."""
    signature = signed(request)
    if isinstance(signature, Refusal):
        return signature
    service = _MODELS.get(signature.service, signature.service)
    native = native_request(request, service, signature.region)
    model = service_model(service)
    base = Call(service=service, operation="", params={}, region=signature.region, key_id=signature.key_id)
    if model is None:
        return Resolved(base, native, None, None)
    return _parsed(base, native, model)


def signed(request: Request) -> Signature | Refusal:
    text = request.headers.get("authorization", "")
    if not text and "X-Amz-Credential" in request.query:
        text = "Credential=" + unquote(parse_qs(request.query).get("X-Amz-Credential", [""])[0])
    match = _SCOPE.search(text)
    if match:
        return Signature(match[1], match[2], match[3].lower())
    if text:
        return Refusal("IncompleteSignature", "The request signature does not conform to AWS standards.", 400)
    if any(f"Action={action}".encode() in request.body for action in _UNSIGNED):
        return Signature("", _REGION, "sts")
    if request.method == "POST" and request.path == "/":
        return Refusal("MissingAuthenticationToken", "Request is missing Authentication Token", 403)
    return Signature("", _REGION, "s3")


def native_request(request: Request, service: str, region: str) -> Any:
    """Under the host that it would have on AWS, so that URLs in answers (of queues, of buckets) do not name our port."""
    from moto.core.request import Request as Native  # noqa: PLC0415 - an extra, loaded when first needed

    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "PATH_INFO": unquote(request.path).encode().decode("latin-1"),
        "RAW_URI": request.path,
        "QUERY_STRING": request.query,
        "CONTENT_LENGTH": str(len(request.body)),
        "SERVER_NAME": "amazonaws.com",
        "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "https",
        "wsgi.input": io.BytesIO(request.body),
    }
    for name, value in request.headers.items():
        if name == "content-type":
            environ["CONTENT_TYPE"] = value
        elif name not in {"content-length", "transfer-encoding"}:
            environ["HTTP_" + name.upper().replace("-", "_")] = value
    environ["HTTP_HOST"] = f"{service}.{region}.amazonaws.com"
    return Native(environ)


@cache
def service_model(service: str) -> Any:
    from moto.core.loaders import create_loader  # noqa: PLC0415 - an extra
    from moto.core.utils import get_service_model  # noqa: PLC0415 - an extra

    known = service in create_loader().list_available_services("service-2")
    return get_service_model(service) if known else None


def _parsed(base: Call, native: Any, model: Any) -> Resolved | Refusal:
    from moto.core.request import determine_request_protocol  # noqa: PLC0415 - an extra
    from moto.core.routing import get_service_router  # noqa: PLC0415 - an extra
    from werkzeug.exceptions import NotFound  # noqa: PLC0415 - an extra

    try:
        protocol = determine_request_protocol(model, native.content_type)
        operation, uri_params = get_service_router(base.service).match(native)
    except (NotFound, NotImplementedError):
        return Resolved(msgspec.structs.replace(base, protocol=str(model.protocol)), native, model, None)
    call = msgspec.structs.replace(
        base,
        operation=str(operation.name),
        protocol=protocol,
        params=_parameters(native, operation, protocol, uri_params),
    )
    return Resolved(call, native, model, operation)


def _parameters(native: Any, operation: Any, protocol: str, uri_params: dict[str, Any]) -> dict[str, Any]:
    """What cannot be parsed is left to moto, which answers as the service would."""
    from moto.core.parse import PROTOCOL_PARSERS  # noqa: PLC0415 - an extra

    if operation.name in {"PutObject", "UploadPart"}:
        # Their bodies are what people store, not parameters.
        return dict(uri_params)
    parts: Any = {
        "method": native.method,
        "values": native.values,
        "headers": native.headers,
        "body": native.get_data(parse_form_data=True),
        "url_path": native.path,
        "url_params": uri_params,
    }
    try:
        parsed: dict[str, Any] = PROTOCOL_PARSERS[protocol](operation).parse(parts)
    except (ValueError, TypeError, KeyError, AttributeError, SyntaxError):
        return {}
    return parsed


def account(key_id: str) -> str:
    """Whose the access key is: that of a role that was assumed, or the one account that all others share."""
    from moto.iam.models import get_account_id_from  # noqa: PLC0415 - an extra

    return str(get_account_id_from(key_id)) if key_id else _ACCOUNT
