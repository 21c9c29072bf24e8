"""How the API server says no: Status objects with its codes, reasons and words."""

from collections.abc import Iterable, Sequence

from plumbline.apiserver.fielderrors import FieldError
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

NOT_SERVED = "the server could not find the requested resource"


def failure(code: int, reason: str, message: str, **details: Json) -> RequestRefused:
    """Details that are empty are left out, as Go does."""
    status: JsonObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    if reason:
        status["reason"] = reason
    kept = {name: value for name, value in details.items() if value}
    if kept or details:
        status["details"] = kept
    status["code"] = code
    return RequestRefused(status)


def success(**details: Json) -> JsonObject:
    kept = {name: value for name, value in details.items() if value}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": kept}


def not_found(group: str, resource: str, name: str) -> RequestRefused:
    full = f"{resource}.{group}" if group else resource
    return failure(404, "NotFound", f"{full} {quoted(name)} not found", name=name, group=group, kind=resource)


def not_served() -> RequestRefused:
    return failure(404, "NotFound", NOT_SERVED, causes=[])


def already_exists(group: str, resource: str, name: str) -> RequestRefused:
    full = f"{resource}.{group}" if group else resource
    message = f"{full} {quoted(name)} already exists"
    return failure(409, "AlreadyExists", message, name=name, group=group, kind=resource)


def conflict(group: str, resource: str, name: str, why: str) -> RequestRefused:
    full = f"{resource}.{group}" if group else resource
    message = f"Operation cannot be fulfilled on {full} {quoted(name)}: {why}"
    return failure(409, "Conflict", message, name=name, group=group, kind=resource)


def invalid(kind: GroupKind, name: str, errors: Sequence[FieldError]) -> RequestRefused:
    message = f"{kind} {quoted(name)} is invalid"
    if errors:
        message += f": {aggregated(str(each) for each in errors)}"
    causes = [{"reason": each.reason, "message": each.message, "field": each.field} for each in errors]
    return failure(422, "Invalid", message, name=name, group=kind.group, kind=kind.kind, causes=causes)


def aggregated(messages: Iterable[str]) -> str:
    """Several messages as Go's aggregate prints them: each once, in brackets unless it is alone."""
    once = list(dict.fromkeys(messages))
    return once[0] if len(once) == 1 else f"[{', '.join(once)}]"


def bad_request(message: str) -> RequestRefused:
    return failure(400, "BadRequest", message)


def forbidden(group: str, resource: str, name: str, why: str) -> RequestRefused:
    full = f"{resource}.{group}" if group else resource
    message = f"{full} {quoted(name)} is forbidden: {why}" if name else f"{full} is forbidden: {why}"
    return failure(403, "Forbidden", message, name=name, group=group, kind=resource)


def unauthorized() -> RequestRefused:
    return failure(401, "Unauthorized", "Unauthorized")


def method_not_allowed() -> RequestRefused:
    message = "the server does not allow this method on the requested resource"
    return failure(405, "MethodNotAllowed", message, causes=[])


def unsupported_verb(group: str, resource: str, verb: str) -> RequestRefused:
    message = f"{verb} is not supported on resources of kind {quoted(f'{resource}.{group}')}"
    return failure(405, "MethodNotAllowed", message, group=group, kind=resource)


def not_acceptable(accepted: Sequence[str]) -> RequestRefused:
    message = f"only the following media types are accepted: {', '.join(accepted)}"
    return failure(406, "NotAcceptable", message)


def unsupported_media_type(accepted: Sequence[str]) -> RequestRefused:
    message = "the body of the request was in an unknown format - accepted media types include: " + ", ".join(accepted)
    return failure(415, "UnsupportedMediaType", message)


def expired(message: str) -> RequestRefused:
    return failure(410, "Expired", message)


def too_large(limit_bytes: int) -> RequestRefused:
    return failure(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit_bytes}")


def too_late() -> RequestRefused:
    why = "request did not complete within requested timeout - context deadline exceeded"
    return failure(504, "Timeout", f"Timeout: {why}", causes=[])


def internal(message: str) -> RequestRefused:
    why = [{"message": message}]
    return failure(500, "InternalError", f"Internal error occurred: {message}", causes=why)


def plain_failure(code: int, message: str) -> RequestRefused:
    """Without a reason: what the API server makes of an error that it did not expect."""
    return failure(code, "", message)
