"""What Azure means by an answer that is no success, as one error of the tree."""

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
    Unauthenticated,
)
from plumbline.providers.rest.connections import words

SLOWER_S: Final = 10.0
"""How long to wait where Azure does not say."""
_LONGEST_S: Final = 600.0
_BUSY: Final = frozenset(
    {
        "AnotherOperationInProgress",
        "ConflictingConcurrentWriteNotAllowed",
        "ConflictingServerOperation",
        "OperationInProgress",
        "ResourceGroupBeingDeleted",
        "ServerBusy",
        "ServerIsBusy",
        "ServerIsNotReady",
        "ServiceBusy",
    }
)
_TAKEN: Final = frozenset({"NameAlreadyExists", "ResourceExists", "ServerNameAlreadyExists"})
_ABSENT: Final = frozenset({"NotFound", "ParentResourceNotFound", "ResourceGroupNotFound", "ResourceNotFound"})
"""Only these say that something is not there. A subscription or a type that Azure does not know says nothing about it."""
_HINTS: Final = {
    "AuthorizationFailed": "Give the identity of the ProviderConfig a role that has the action, and wait a few minutes.",
    "MissingSubscriptionRegistration": "Register the resource provider: `az provider register --namespace NAMESPACE`.",
    "RequestDisallowedByPolicy": "Change what the policy does not allow, or ask for an exemption.",
    "ScopeLocked": "Remove the lock, if what it protects may be changed or lost.",
    "SubscriptionNotFound": "Check subscriptionID of the ProviderConfig.",
}


class _Error(msgspec.Struct, frozen=True):
    code: str = ""
    message: str = ""
    details: list["_Error"] | None = None


class _Answer(msgspec.Struct, frozen=True):
    error: _Error | None = None


_decoder: Final = msgspec.json.Decoder(_Answer)


def refusal(what: str, status: int, body: bytes, *, retry_after: str = "") -> PlumblineError:
    """The error for an answer."""
    try:
        error = _decoder.decode(body).error or _Error()
    except msgspec.DecodeError:
        error = _Error()
    why = said(error) or f"HTTP {status}"
    codes = {error.code, *(detail.code for detail in error.details or ())}
    asks_to_wait = status == HTTPStatus.SERVICE_UNAVAILABLE and retry_after
    if status == HTTPStatus.TOO_MANY_REQUESTS or asks_to_wait:
        return Throttled(what, after_s=seconds(retry_after) or SLOWER_S, why=why)
    if codes & _BUSY:
        # Of this resource alone: who is throttled has everybody else wait as well.
        return NotYet(what, why=why, hint="It goes on when the other operation has ended.")
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerFault(what, why=why)
    return _final(what, why, status, codes)


def said(error: _Error) -> str:
    """Azure's message with those of its first details, where they say more."""
    messages = [error.message or error.code, *(detail.message for detail in (error.details or ())[:3])]
    return words("; ".join(dict.fromkeys(message for message in messages if message)))


def why_failed(answer: object) -> str:
    """Why an operation has failed, in Azure's words."""
    try:
        error = msgspec.convert(answer, _Answer).error or _Error()
    except msgspec.ValidationError:
        error = _Error()
    return said(error) or "Azure gives no reason"


def seconds(retry_after: str) -> float:
    """What the header Retry-After says, zero where it says nothing."""
    return min(float(retry_after), _LONGEST_S) if retry_after.isdigit() else 0.0


def _final(what: str, why: str, status: int, codes: set[str]) -> PlumblineError:
    hint = next((text for code, text in _HINTS.items() if code in codes), "")
    if codes & _TAKEN:
        return AlreadyExists(what, why=why)
    match status:
        case 401:
            return Unauthenticated(what, why=why, hint="Check the credentials that the ProviderConfig names.")
        case 403:
            return Forbidden(what, why=why, hint=hint or _HINTS["AuthorizationFailed"])
        case 404:
            return _missing(what, why, codes, hint)
        case 412 | 409 if not hint:
            return Conflict(what, why=why)
        case 400 | 422 if not hint:
            return InvalidInput(what, why=why, hint="Change the field that Azure does not accept.")
        case _:
            return Refused(what, why=why, hint=hint)


def _missing(what: str, why: str, codes: set[str], hint: str) -> PlumblineError:
    """What is no answer of Azure's, or is about something else, must not count as a resource that is gone."""
    if codes & _ABSENT:
        return NotFound(what, why=why)
    if any(codes):
        return Refused(what, why=why, hint=hint)
    hint = "Check that nothing between here and Azure answers in its place."
    return GarbledReply(what, why="the answer is none of Azure's", hint=hint)
