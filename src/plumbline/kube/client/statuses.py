"""What a Kubernetes API means by a failing answer, as one error of the tree with its causes kept."""

import re
from datetime import UTC, datetime
from typing import Final

import msgspec

from plumbline.base.errors import (
    AlreadyExists,
    Cause,
    Conflict,
    Expired,
    FieldClaim,
    FieldConflict,
    Forbidden,
    GarbledReply,
    InUse,
    InvalidInput,
    LimitExceeded,
    NotFound,
    PlumblineError,
    Refused,
    SchemaViolation,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    UnknownKind,
)
from plumbline.kube.client.bodies import excerpt
from plumbline.kube.client.transport import Request, Response

_WHY_CHARACTERS = 1_000
_CAUSES = 100
_NEXT_TRY_S = 1.0
# Controllers act on these ("it is gone, make it again"), so they count only from an API server, not from a proxy's page.
_MEANINGFUL = frozenset({404, 409, 410})

_conflicting = re.compile(r'conflict with ("(?:[^"\\]|\\.)*")').match
# Validation and typed-patch errors quote the value they dislike, and nothing says where the quotation ends.
_quoted_value = re.compile(r"(got |Invalid value: |Unsupported value: |Duplicate value: ).*", re.DOTALL)


class _Details(msgspec.Struct, frozen=True, rename="camel"):
    name: str = ""
    kind: str = ""
    causes: list[dict[str, str]] | None = None
    retry_after_seconds: float = 0


class _Metadata(msgspec.Struct, frozen=True):
    continue_: str = msgspec.field(default="", name="continue")


class Status(msgspec.Struct, frozen=True):
    message: str = ""
    reason: str = ""
    code: int = 0
    details: _Details | None = None
    metadata: _Metadata = _Metadata()

    @property
    def causes(self) -> tuple[Cause, ...]:
        listed = (self.details.causes if self.details else None) or []
        return tuple(Cause(c.get("reason", ""), c.get("message", ""), c.get("field", "")) for c in listed[:_CAUSES])


_decoder = msgspec.json.Decoder(Status)


def read_status(body: bytes) -> Status | None:
    """The Status in *body*, or None where it holds something else."""
    try:
        status = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return status if status.reason or status.message or status.code else None


def failure(request: Request, response: Response, now: datetime) -> PlumblineError:
    """The error that *response* stands for; its status is not a success."""
    what = f"{request.method} {request.path} failed"
    if response.status < 400:  # noqa: PLR2004 - where HTTP begins to call it an error
        return GarbledReply(what, why=f"the server answered {response.status}, which no Kubernetes API does here")
    status = read_status(response.body)
    after_s = retry_after_s(response, now)
    if status is not None:
        return status_error(status, what, secret=_about_secrets(request), code=response.status, after_s=after_s)
    why = f"HTTP {response.status}"
    if response.body:
        why = f"{why}; not an answer of a Kubernetes API: {excerpt('it is no Status', response.body)}"
    if response.body.startswith(b"404 page not found"):
        return UnknownKind(what, why="the server does not serve this path")
    if response.status in _MEANINGFUL:
        return GarbledReply(what, why=why)
    return _classify(Status(), (), what, why, code=response.status, after_s=after_s)


def status_error(
    status: Status, what: str, *, secret: bool = False, code: int = 0, after_s: float | None = None
) -> PlumblineError:
    """The error that *status* stands for, with its causes. *secret* says that the server may quote a secret value."""
    causes = status.causes
    message = status.message
    if secret:
        message = _quoted_value.sub(r"\1***", message)
        causes = tuple(cause._replace(message=_quoted_value.sub(r"\1***", cause.message)) for cause in causes)
    why = "".join(c if c.isprintable() or c == "\n" else " " for c in _shortened(message)) or status.reason
    error = _classify(status, causes, what, why, code=status.code or code, after_s=after_s)
    error.causes = causes
    if isinstance(error, Expired):
        error.continue_token = status.metadata.continue_
    return error


def _contested(reason: str, causes: tuple[Cause, ...], what: str, why: str) -> PlumblineError:
    if reason == "AlreadyExists":
        return AlreadyExists(what, why=why)
    if claims := _claims(causes):
        return FieldConflict(what, claims=claims, why=why)
    if reason not in {"", "Conflict"}:
        return InUse(what, why=why)  # a webhook's refusal: no newer view would change it
    return Conflict(what, why=why)


def _classify(
    status: Status, causes: tuple[Cause, ...], what: str, why: str, *, code: int, after_s: float | None
) -> PlumblineError:
    if after_s is None and status.details and status.details.retry_after_seconds:
        after_s = status.details.retry_after_seconds
    match code, status.reason:
        case 404, _:
            return _absent(status, what, why)
        case 409, reason:
            return _contested(reason, causes, what, why)
        case 504, _ if any(cause.reason == "ResourceVersionTooLarge" for cause in causes):
            # The server's history ends before what was asked for: it was restored from a backup, or lags behind.
            return Expired(what, why=why)
        case 429, _:
            return Throttled(what, after_s=_NEXT_TRY_S if after_s is None else after_s, why=why)
        case 503, _ if after_s is not None:
            return Throttled(what, after_s=after_s, why=why)
        case 400 | 500, _ if any(each in status.message for each in _TOO_LARGE):
            return LimitExceeded(what, why=why)
        case 500, _ if status.message.startswith(_UNREADABLE):
            return SchemaViolation(what, why=why)
    return _error_class(code)(what, why=why)


def _absent(status: Status, what: str, why: str = "") -> PlumblineError:
    """A missing object is named in the details; a missing kind is not."""
    if status.details is None or not (status.details.name or status.details.kind):
        return UnknownKind(what, why=why or status.message)
    return NotFound(what, why=why)


_UNREADABLE: Final = ("failed to create typed patch object", "failed to convert new object")
"""With these the server says of what it was sent that it cannot be read, as if that were a fault of its own."""

_TOO_LARGE: Final = ("etcdserver: request is too large", "trying to send message larger than max")
"""What etcd, or the way to it, says of an object that it has no room for."""

_BY_CODE: dict[int, type[PlumblineError]] = {
    400: InvalidInput,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    405: InvalidInput,
    406: InvalidInput,
    408: TimedOut,
    409: Conflict,
    410: Expired,
    413: LimitExceeded,
    415: InvalidInput,
    422: InvalidInput,
    504: TimedOut,
}


def _error_class(code: int) -> type[PlumblineError]:
    return _BY_CODE.get(code) or (ServerFault if code >= 500 else Refused)  # noqa: PLR2004 - HTTP


def _claims(causes: tuple[Cause, ...]) -> tuple[FieldClaim, ...]:
    return tuple(
        FieldClaim(_unquoted(found[1]), cause.field)
        for cause in causes
        if cause.reason == "FieldManagerConflict" and (found := _conflicting(cause.message))
    )


def _unquoted(quoted: str) -> str:
    try:
        return str(msgspec.json.decode(quoted, type=str))
    except msgspec.DecodeError:
        return quoted[1:-1]


def _about_secrets(request: Request) -> bool:
    return "/secrets/" in f"{request.path}/"


def retry_after_s(response: Response, now: datetime) -> float | None:
    """What the `Retry-After` header asks for, never negative; None where there is none that can be read."""
    header = response.headers.get("retry-after", "")
    if header.isdecimal():
        return float(header[:9])
    try:
        moment = datetime.strptime(header, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)
    except ValueError:
        return None
    return max((moment - now).total_seconds(), 0.0)


def _shortened(message: str) -> str:
    """Head and end: what is wrong is often said last, after a value that is quoted in full."""
    if len(message) <= _WHY_CHARACTERS:
        return message
    return f"{message[: _WHY_CHARACTERS // 2]} … {message[-_WHY_CHARACTERS // 2 + 3 :]}"
