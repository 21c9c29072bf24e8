"""What Google means by an answer that is no success, as one error of the tree."""

from http import HTTPStatus
from typing import Final

import msgspec

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    NotYet,
    PlumblineError,
    Refused,
    ServerFault,
    Throttled,
    Transient,
    Unauthenticated,
)
from plumbline.base.json import JsonObject
from plumbline.providers.rest.connections import words

SLOWER_S: Final = 10.0
"""How long to wait where Google does not say."""
_LONGEST_S: Final = 600.0
_UNSAID: Final = "HTTP 404"
_RATE: Final = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"})
_BUSY: Final = frozenset({"operationInProgress", "resourceNotReady", "resourceInUseByAnotherResource", "ABORTED"})
_OFF: Final = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})


class _Item(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    status: str = ""
    errors: list[_Item] | None = None
    details: list[JsonObject] | None = None


class _Answer(msgspec.Struct, frozen=True):
    error: _Error = _Error()


_decoder: Final = msgspec.json.Decoder(_Answer)


def refusal(
    what: str, status: int, body: bytes, *, retry_after: str = "", unready: frozenset[str] = frozenset()
) -> PlumblineError:
    """The error for an answer. *unready* are reasons that go away by themselves."""
    try:
        error = _decoder.decode(body).error
    except msgspec.DecodeError:
        error = _Error()
    reasons = {item.reason for item in error.errors or ()} | {error.status}
    reasons |= {str(detail.get("reason", "")) for detail in error.details or ()}
    why = words(error.message) or f"HTTP {status}"
    return _transient(what, why, status, reasons, retry_after, unready) or _final(what, why, status, reasons)


def _transient(  # noqa: PLR0917 - the parts of one answer
    what: str, why: str, status: int, reasons: set[str], retry_after: str, unready: frozenset[str]
) -> PlumblineError | None:
    asks_to_wait = status == HTTPStatus.SERVICE_UNAVAILABLE and retry_after
    if status == HTTPStatus.TOO_MANY_REQUESTS or asks_to_wait or (status == HTTPStatus.FORBIDDEN and reasons & _RATE):
        return Throttled(what, after_s=_seconds(retry_after), why=why)
    if reasons & _BUSY:
        # Of this resource alone: who is throttled has everybody else wait as well.
        return NotYet(what, why=why, hint="It goes on when the other operation has ended.")
    if reasons & unready:
        return Transient(what, why=why, hint="It goes on when what it is part of is ready.")
    if status == HTTPStatus.PRECONDITION_FAILED:
        return Conflict(what, why=why)
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerFault(what, why=why)
    return None


def _final(what: str, why: str, status: int, reasons: set[str]) -> PlumblineError:
    match status:
        case 401:
            return Unauthenticated(what, why=why, hint="Check the credentials that the ProviderConfig names.")
        case 403 if reasons & _OFF:
            return Forbidden(what, why=why, hint="Enable the API in the project, and wait a few minutes.")
        case 403 if "quotaExceeded" in reasons:
            return Refused(what, why=why, hint="Ask Google for a higher quota, or delete what is no longer needed.")
        case 403:
            hint = "Give the service account of the ProviderConfig the permission, or use another project."
            return Forbidden(what, why=why, hint=hint)
        case 404:
            return _missing(what, why, reasons)
        case 409:
            # Most reasons say that something has the name already; a bucket that is not empty is told apart by who asks.
            return AlreadyExists(what, why=why)
        case 400:
            return InvalidInput(what, why=why, hint="Change the field that Google does not accept.")
        case _:
            return Refused(what, why=why)


def _missing(what: str, why: str, reasons: set[str]) -> PlumblineError:
    """What is no answer of Google's must not count as a resource that is gone."""
    if any(reasons) or why != _UNSAID:
        return NotFound(what, why=why)
    hint = "Check that nothing between here and Google answers in its place."
    return GarbledReply(what, why="the answer is none of Google's", hint=hint)


def _seconds(retry_after: str) -> float:
    return min(float(retry_after), _LONGEST_S) if retry_after.isdigit() else SLOWER_S
