"""Request bodies: from bytes in one of three formats to an object that its model has read."""

from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.models.model import Model
from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, decode
from plumbline.kube.names import GroupVersionKind

PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
ACCEPTED: Final = ("application/json", "application/yaml", PROTOBUF)


def media_type(call: Call) -> str:
    return call.headers.get("content-type", "").split(";")[0].strip()


def raw_object(call: Call) -> JsonObject:
    """The body as sent; refuses what is no object."""
    media = media_type(call) or "application/json"
    if media not in ACCEPTED:
        raise statuses.unsupported_media_type(ACCEPTED)
    body = call.body
    if media == PROTOBUF:
        from plumbline.apiserver.protobuf import decoded  # noqa: PLC0415

        return decoded(body)
    value = _yaml(body) if media == "application/yaml" else decode_json(body)
    if not isinstance(value, dict):
        raise statuses.bad_request("couldn't get version/kind; json parse error: json: cannot unmarshal")
    return value


def decode_json(body: bytes) -> Json:
    try:
        return decode(body)
    except (ValueError, RecursionError) as bad:
        raise statuses.bad_request(f"couldn't get version/kind; json parse error: {bad}") from None


def _yaml(body: bytes) -> Json:
    try:
        return load_document(body, repeats="ignore").value
    except InvalidInput as bad:
        raise statuses.bad_request(f"yaml: {bad.what}") from None


def read_object(call: Call, model: Model, strictness: str) -> JsonObject:
    obj = raw_object(call)
    kind = model.resource.kind
    found = GroupVersionKind.of(obj)
    obj = {"apiVersion": kind.api_version, "kind": kind.kind, **obj}
    if found.kind and found.kind != kind.kind:
        raise statuses.bad_request(f"{found.kind} in version {found.version!r} cannot be handled as a {kind.kind}")
    if obj["apiVersion"] != kind.api_version:
        raise statuses.bad_request(
            f"the API version in the data ({obj['apiVersion']}) does not match the expected API version "
            f"({kind.api_version})"
        )
    return read_strictly(call, obj, model, strictness)


def read_strictly(call: Call, obj: JsonObject, model: Model, strictness: str) -> JsonObject:
    """*obj* as its model reads it; what the model does not know is refused, warned of or ignored."""
    if strictness != "Ignore":
        unknown = model.unknown(obj)
        if unknown and strictness == "Strict":
            kind = model.resource.kind
            listed = ", ".join(unknown)
            message = f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: strict decoding error: {listed}'
            raise statuses.bad_request(message)
        call.warnings.extend(unknown)
    return model.read(obj)
