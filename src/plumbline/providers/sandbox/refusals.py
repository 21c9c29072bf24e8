"""From a refusal to the bytes that botocore makes the right exception of, in each of AWS's protocols."""

from typing import Any, Final
from xml.sax.saxutils import escape

from plumbline.base.json import encode
from plumbline.providers.sandbox.calls import Answer, Call, Refusal

_XML: Final = "text/xml;charset=UTF-8"
_JSON: Final = {"json": "application/x-amz-json-1.1", "rest-json": "application/json"}
_CLIENT: Final = range(400, 500)

_QUERY: Final = (
    "<ErrorResponse><Error><Type>{type}</Type><Code>{code}</Code><Message>{message}</Message></Error>"
    "<RequestId>{id}</RequestId></ErrorResponse>"
)
_EC2: Final = (
    '<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error>'
    "</Errors><RequestID>{id}</RequestID></Response>"
)
_S3: Final = (
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message>'
    "<RequestId>{id}</RequestId></Error>"
)
_BODIES: Final = {"query": _QUERY, "ec2": _EC2, "rest-xml": _QUERY}


def refused(call: Call, refusal: Refusal, model: Any, request_id: str) -> Answer:
    """*model* is botocore's of the service, or None where the service is not known."""
    status = refusal.status or _status(refusal.code, model)
    headers = [("x-amzn-requestid", request_id), ("x-amz-request-id", request_id)]
    if call.protocol in _JSON:
        return _as_json(call, refusal, status, model, headers)
    template = _S3 if call.service == "s3" else _BODIES[call.protocol]
    body = template.format(
        type="Sender" if status in _CLIENT else "Receiver",
        code=escape(refusal.code),
        message=escape(refusal.message),
        id=request_id,
    )
    # An answer to HEAD has no body: the status is all that there is to go by.
    content = b"" if call.operation.startswith("Head") and call.service == "s3" else body.encode()
    return Answer(status, [("content-type", _XML), *headers], content)


def _as_json(call: Call, refusal: Refusal, status: int, model: Any, headers: list[tuple[str, str]]) -> Answer:
    name = _shape_name(refusal.code, model)
    headers = [("content-type", _JSON[call.protocol]), ("x-amzn-errortype", name), *headers]
    if model is not None and "awsQueryCompatible" in model.metadata:
        # Services that spoke the query protocol once still say its code, and clients go by that.
        side = "Sender" if status in _CLIENT else "Receiver"
        headers.append(("x-amzn-query-error", f"{refusal.code};{side}"))
    return Answer(status, headers, encode({"__type": name, "message": refusal.message, "Message": refusal.message}))


def _errors(model: Any) -> dict[str, tuple[str, int]]:
    """Of each error code its shape's name and HTTP status, read off the model once and kept with it."""
    known: dict[str, tuple[str, int]] | None = getattr(model, "_plumbline_errors", None)
    if known is None:
        known = {}
        for shape in model.error_shapes:
            error = shape.metadata.get("error", {})
            entry = (shape.name, error.get("httpStatusCode", 400))
            known[shape.name] = entry
            known[error.get("code", shape.name)] = entry
        model._plumbline_errors = known  # noqa: SLF001 - a cache that lives as long as the model
    return known


def _status(code: str, model: Any) -> int:
    return _errors(model).get(code, ("", 400))[1] if model is not None else 400


def _shape_name(code: str, model: Any) -> str:
    # SQS says its codes with a prefix that its model does not have.
    bare = code.rpartition(".")[2]
    return _errors(model).get(bare, (bare, 0))[0] if model is not None else bare
