"""Answers in Argo CD's words: bodies that are read strictly, and errors with the number that gRPC has for each kind."""

import math
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Final, TypeAlias, TypeVar

import msgspec

from plumbline.base.documents import load_json
from plumbline.base.errors import (
    AlreadyExists,
    BadDocument,
    Conflict,
    FieldConflict,
    Forbidden,
    InvalidInput,
    NeedsConsent,
    NotFound,
    OwnedElsewhere,
    PlanStale,
    PlumblineError,
    Throttled,
    TimedOut,
    Transient,
    Unauthenticated,
    UnknownKind,
    WrongState,
)
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.log import logger
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.requests import json as json_answer

MOST_BYTES: Final = 3 << 20
"""Twice of what an API server stores of one object."""
_JSON: Final = "application/json"
_MEDIA: Final = frozenset({_JSON, "application/gzip"})
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_UNEXPECTED: Final = (500, 13)
_KINDS: Final[tuple[tuple[type[PlumblineError], tuple[int, int]], ...]] = (
    (Unauthenticated, (401, 16)),
    (Forbidden, (403, 7)),
    (NotFound, (404, 5)),
    (AlreadyExists, (409, 6)),
    (UnknownKind, (404, 5)),
    (InvalidInput, (400, 3)),
    (WrongState, (400, 9)),
    (NeedsConsent, (400, 9)),
    (OwnedElsewhere, (409, 10)),
    (FieldConflict, (409, 10)),
    (Conflict, (409, 10)),
    (PlanStale, (409, 10)),
    (Throttled, (429, 8)),
    (TimedOut, (504, 4)),
    (Transient, (503, 14)),
)
DENIED: Final = "permission denied"
"""All that somebody learns who may not know whether there is something."""

T = TypeVar("T")
Serve: TypeAlias = Callable[[Request, "Captured"], Awaitable[Response]]
Captured: TypeAlias = dict[str, str]
"""What stands in the path where its template has a name."""

_log = logger("web.api")


def answered(value: Json, status: int = 200) -> Response:
    return json_answer(status, value)


def denied() -> Forbidden:
    return Forbidden(DENIED)


def refused(error: PlumblineError) -> Response:
    status, code = next((pair for kind, pair in _KINDS if isinstance(error, kind)), _UNEXPECTED)
    message = f"{error}. {error.hint}" if error.hint and error.what != DENIED else str(error)
    body = encode({"error": message, "code": code, "message": message})
    headers = (("Retry-After", str(max(1, math.ceil(error.after_s)))),) if isinstance(error, Throttled) else ()
    return Response(status, body, _JSON, headers)


def explained(serve: Serve) -> Serve:
    """*serve*, with what it raises answered."""

    @wraps(serve)
    async def served(request: Request, captured: Captured) -> Response:
        if request.method in _WITH_BODY and not _sent_on_purpose(request):
            # A form of another page can send anything but this.
            return problem(415, "Invalid content type")
        try:
            return await serve(request, captured)
        except PlumblineError as error:
            found = refused(error)
            if found.status == _UNEXPECTED[0]:
                _log.warning("request failed", path=request.path, code=error.code, error=str(error))
            return found

    return served


def _sent_on_purpose(request: Request) -> bool:
    said = request.header("content-type")
    bodiless = not said and request.header("content-length") in {"", "0"} and "transfer-encoding" not in request.headers
    return bodiless or said.partition(";")[0].strip().lower() in _MEDIA


async def body_of(request: Request, limit_bytes: int = MOST_BYTES) -> Json:
    """The JSON in the body, which is bounded; an empty object where there is none."""
    text = await request.body(limit_bytes)
    return load_json(text, source="the request").value if text.strip() else {}


async def object_of(request: Request) -> JsonObject:
    value = await body_of(request)
    if not isinstance(value, dict):
        raise BadDocument("the request is not read", why="it is no JSON object")
    return value


async def asked(request: Request, type_: type[T]) -> T:
    """The body as a value. Fields that nobody knows are passed over, as upstream does."""
    value = await object_of(request)
    try:
        return msgspec.convert(value, type_, strict=False)
    except msgspec.ValidationError as fault:
        raise InvalidInput("the request is not read", why=str(fault)) from None
