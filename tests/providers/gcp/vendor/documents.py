"""Google's published discovery documents as a judge of requests and answers: paths, verbs, parameters, fields, types."""

import base64
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from plumbline.base.json import decode

# Every API takes these.
COMMON = {"alt", "fields", "key", "prettyPrint", "quotaUser", "access_token", "callback", "oauth_token", "userIp"}
SERVED = {
    "sqladmin.v1": ("instances.", "databases.", "users.", "operations."),
    "storage.v1": ("buckets.", "objects."),
    "compute.v1": ("networks.", "subnetworks.", "globalOperations.", "regionOperations."),
    "redis.v1": ("projects.locations.instances.", "projects.locations.operations."),
    "pubsub.v1": ("projects.topics.",),
}
_INTEGERS = {"int32": 2**31, "uint32": 2**32, "int64": 2**63, "uint64": 2**64}


class Refusal(Exception):
    def __init__(self, status: int, reason: str, message: str, *, code: str = "", field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.code = code or _CODES.get(status, "UNKNOWN")
        self.field = field

    def body(self) -> dict[str, Any]:
        error = {
            "code": self.status,
            "message": self.message,
            "errors": [{"message": self.message, "domain": "global", "reason": self.reason}],
            "status": self.code,
        }
        if self.field:
            kind = "type.googleapis.com/google.rpc.BadRequest"
            violation = {"field": self.field, "description": self.message}
            error["details"] = [{"@type": kind, "fieldViolations": [violation]}]
        return {"error": error}


_CODES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class Route(NamedTuple):
    api: str
    name: str
    verb: str
    pattern: re.Pattern[str]
    parameters: dict[str, Any]
    request: str
    response: str


class Asked(NamedTuple):
    route: Route
    values: dict[str, str]
    repeated: dict[str, list[str]]
    body: dict[str, Any]


@cache
def document(api: str) -> dict[str, Any]:
    return decode(files("googleapiclient").joinpath(f"discovery_cache/documents/{api}.json").read_bytes())


@cache
def routes() -> tuple[Route, ...]:
    found = []
    for api, prefixes in SERVED.items():
        source = document(api)
        for name, method in _methods(source):
            if name.startswith(prefixes):
                found.append(_route(api, name, method, source["servicePath"]))
    return tuple(found)


def _methods(resource, prefix=""):
    for name, method in resource.get("methods", {}).items():
        yield prefix + name, method
    for name, below in resource.get("resources", {}).items():
        yield from _methods(below, f"{prefix}{name}.")


def _route(api, name, method, service):
    parameters = method.get("parameters", {})

    def part(match):
        plus, key = match[1], match[2]
        inner = parameters[key].get("pattern", "^.+$").strip("^$") if plus else "[^/:]+"
        return f"(?P<{key}>{inner})"

    path = "".join(
        re.sub(r"\{(\+?)(\w+)\}", part, piece) if piece.startswith("{") else re.escape(piece)
        for piece in re.split(r"(\{\+?\w+\})", f"/{service}{method['path']}")
    )
    return Route(
        api,
        name,
        method["httpMethod"],
        re.compile(path),
        parameters,
        method.get("request", {}).get("$ref", ""),
        method.get("response", {}).get("$ref", ""),
    )


def asked(verb: str, path: str, query: str, body: bytes) -> Asked:
    """What a request means, or Refusal for what the documents do not allow."""
    for route in routes():
        match = route.pattern.fullmatch(path)
        if match and route.verb == verb:
            values, repeated = _parameters(route, query)
            values |= {name: unquote(value) for name, value in match.groupdict().items()}
            return Asked(route, values, repeated, _body(route, body))
    raise Refusal(404, "notFound", f"The requested URL {path} was not found on this server.")


def _parameters(route, query):
    values, repeated = {}, {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        parameter = route.parameters.get(name)
        if parameter is None and name in COMMON:
            continue
        if parameter is None or parameter["location"] != "query":
            message = f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter.'
            raise Refusal(400, "invalid", message, field=name)
        _scalar(parameter, value if parameter["type"] == "string" else _read(parameter["type"], value), name)
        if parameter.get("repeated"):
            repeated.setdefault(name, []).append(value)
        elif name in values:
            raise Refusal(400, "invalid", f"Parameter {name} was given twice.", field=name)
        else:
            values[name] = value
    for name, parameter in route.parameters.items():
        if parameter.get("required") and parameter["location"] == "query" and name not in values:
            raise Refusal(400, "required", f"Required parameter: {name}", field=name)
    return values, repeated


def _read(kind, text):
    if kind == "boolean" and text in {"true", "false"}:
        return text == "true"
    if kind in {"integer", "number"} and re.fullmatch(r"-?\d+", text):
        return int(text)
    return text


def _body(route, raw):
    if not route.request:
        if raw:
            raise Refusal(400, "badRequest", f"{route.name} takes no body.")
        return {}
    try:
        body = decode(raw or b"{}")
    except ValueError:
        raise Refusal(400, "parseError", "Invalid JSON payload received.") from None
    if not isinstance(body, dict):
        raise Refusal(400, "parseError", "Invalid JSON payload received: not an object.")
    check(route.api, {"$ref": route.request}, body, "")
    return body


def check(api: str, schema: dict[str, Any], value: Any, at: str) -> None:
    if value is None:
        return
    if "$ref" in schema:
        schema = document(api)["schemas"][schema["$ref"]]
    kind = schema.get("type", "any")
    if kind == "array":
        _expect(isinstance(value, list), schema, value, at)
        for index, item in enumerate(value):
            check(api, schema["items"], item, f"{at}[{index}]")
    elif kind == "object":
        _expect(isinstance(value, dict), schema, value, at)
        _object(api, schema, value, at)
    elif kind != "any":
        _scalar(schema, value, at)


def _object(api, schema, value, at):
    properties = schema.get("properties", {})
    for name, item in value.items():
        path = f"{at}.{name}".lstrip(".")
        if name in properties:
            check(api, properties[name], item, path)
        elif "additionalProperties" in schema:
            check(api, schema["additionalProperties"], item, path)
        elif properties:
            message = f"Invalid JSON payload received. Unknown name \"{name}\" at '{at}': Cannot find field."
            raise Refusal(400, "badRequest", message, field=at)


def _scalar(schema, value, at):
    kind, form = schema["type"], schema.get("format", "")
    if form in _INTEGERS:
        whole = isinstance(value, int) and not isinstance(value, bool)
        whole = whole or (isinstance(value, str) and re.fullmatch(r"-?\d+", value) is not None)
        _expect(whole and -_INTEGERS[form] <= int(value) < _INTEGERS[form], schema, value, at)
    elif kind in {"number", "integer"}:
        _expect(isinstance(value, int | float) and not isinstance(value, bool), schema, value, at)
    elif kind == "boolean":
        _expect(isinstance(value, bool), schema, value, at)
    else:
        _expect(isinstance(value, str), schema, value, at)
        _expect("enum" not in schema or value in schema["enum"], schema, value, at)
        if form == "byte":
            _expect(_is_base64(value), schema, value, at)


def _is_base64(text):
    try:
        base64.b64decode(text, altchars=b"-_", validate=True)
    except ValueError:
        return False
    return True


def _expect(fits, schema, value, at):
    if not fits:
        form = schema.get("format") or schema.get("type", "")
        raise Refusal(400, "badRequest", f"Invalid value at '{at}' (TYPE_{form.upper()}), {value!r}", field=at)


def writable(api: str, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Without what only Google writes: it is ignored in what people send."""
    properties = document(api)["schemas"][name]["properties"]
    return {key: value for key, value in body.items() if not properties[key].get("readOnly") and value is not None}


def merged(old: Any, change: Any) -> Any:
    """As PATCH merges: objects by key, null removes, everything else is replaced."""
    if not isinstance(old, dict) or not isinstance(change, dict):
        return change
    result = dict(old)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(old.get(key, {}), value) if isinstance(value, dict) else value
    return result
