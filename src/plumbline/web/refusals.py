"""Errors as Argo CD's API answers them: the words, and the number that gRPC has for the kind of error."""

import math
from typing import Final

from plumbline.base.errors import (
    AlreadyExists,
    Forbidden,
    InvalidInput,
    NotFound,
    PlumblineError,
    Throttled,
    Transient,
    Unauthenticated,
)
from plumbline.web.requests import Response, json

_CODES: Final = {
    400: 3,  # InvalidArgument
    401: 16,  # Unauthenticated
    403: 7,  # PermissionDenied
    404: 5,  # NotFound
    405: 12,  # Unimplemented
    408: 4,  # DeadlineExceeded
    409: 6,  # AlreadyExists
    413: 8,  # ResourceExhausted
    415: 3,
    429: 8,
    500: 13,  # Internal
    503: 14,  # Unavailable
}
_STATUSES: Final[tuple[tuple[type[PlumblineError], int], ...]] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (AlreadyExists, 409),
    (InvalidInput, 400),
    (Throttled, 429),
    (Transient, 503),
)


def problem(status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    answered = json(status, {"error": message, "code": _CODES.get(status, 2), "message": message})
    answered.headers = headers
    return answered


def refusal(error: PlumblineError) -> Response:
    """What, why and what to do about it; what is nobody's business outside is never in an error of ours."""
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    message = f"{error}. {error.hint}" if error.hint else str(error)
    headers: tuple[tuple[str, str], ...] = ()
    if isinstance(error, Throttled):
        headers = (("Retry-After", str(max(1, math.ceil(error.after_s)))),)
    return problem(status, message, headers)
