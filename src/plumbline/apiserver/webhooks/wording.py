"""What goes wrong between an API server and a webhook, in the words that people search for."""

from typing import Final

from plumbline.base.json import Json
from plumbline.kube.gotext import quoted

_SAID: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
_IN_ITS_OWN_WORDS: Final = frozenset({403, 406, 415})
_SERVER_ERRORS: Final = 500
_LONGEST_BODY: Final = 2048
_TYPE_META: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_JSON_TYPES: Final = ((bool, "bool"), (int | float, "number"), (str, "string"), (list, "array"), (dict, "object"))


def status_message(status: int, body: bytes, content_type: str) -> str:
    """For an answer that is neither a success nor a Status."""
    if status in _SAID:
        return _SAID[status]
    said = body[:_LONGEST_BODY].decode("utf-8", "replace").strip() if _is_text(content_type) else "unknown"
    if status in _IN_ITS_OWN_WORDS:
        return said
    if status >= _SERVER_ERRORS:
        return f"an error on the server ({quoted(said)}) has prevented the request from succeeding"
    return f"the server responded with the status code {status} but did not return more information"


def _is_text(content_type: str) -> bool:
    return not content_type or content_type.startswith("text/")


def unmarshal_error(value: Json, field: str, wanted: str) -> str:
    return f"json: cannot unmarshal {json_type(value)} into Go struct field {field} of type {wanted}"


def no_object(value: Json) -> str:
    """For what should be an object of some kind."""
    why = f"json: cannot unmarshal {json_type(value)} into Go value of type {_TYPE_META}"
    return f"couldn't get version/kind; json parse error: {why}"


def json_type(value: Json) -> str:
    for names, name in _JSON_TYPES:
        if isinstance(value, names):
            return name
    return "null"
