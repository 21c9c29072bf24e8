"""AWS's errors as those of the one tree."""

import re
from contextlib import suppress
from typing import Any, Final

from plumbline.base.errors import (
    AlreadyExists,
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    PlumblineError,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.secrets.stores.aws.sdk import library

_ABSENT: Final = frozenset(
    ("ResourceNotFoundException", "ParameterNotFound", "ParameterVersionNotFound", "InvalidResourceId")
)
_PRESENT: Final = frozenset(("ResourceExistsException", "ParameterAlreadyExists"))
_MARKED: Final = frozenset(("InvalidRequestException", "InvalidParameterException"))
"""What a secret is refused with that waits for its deletion, and the words that tell it from others."""
_marked: Final = re.compile(r"marked (for deletion|deleted)").search
_throttled: Final = re.compile(r"Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|^LimitExceededException$").search
_denied: Final = re.compile(r"AccessDenied|Unauthorized|NotAuthorized|OptInRequired").search
_unknown_caller: Final = re.compile(
    r"ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidAccessKeyId|AuthFailure"
    r"|MissingAuthentication|RequestExpired|InvalidIdentityToken|IncompleteSignature|InvalidSignature"
).search
_failed: Final = re.compile(r"Internal(Server|Service)?(Error|Failure)|ServiceUnavailable|IDPCommunicationError").search
_request_id: Final = re.compile(r"[,;]?\s*\(?request ?id:? *[0-9a-f-]+\)?", re.IGNORECASE).sub
_AFTER_S: Final = 5.0
_MOST_AFTER_S: Final = 300.0
_SERVER_ERRORS: Final = 500
_MESSAGE: Final = 500


def code_of(error: BaseException) -> str:
    """AWS's own code; empty where AWS never answered."""
    response = getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def translated(error: Exception, what: str) -> PlumblineError | None:
    """*error* of botocore in our words; None where it is none of botocore's, and so a bug."""
    exceptions = library("botocore.exceptions")
    if isinstance(error, exceptions.ClientError):
        return answered(what, error.response)
    missing = (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.CredentialRetrievalError)
    if isinstance(error, missing):
        hint = "Check spec.provider.aws.auth of the store, or the identity that this program runs with."
        return Unauthenticated(what, why="There are no AWS credentials", hint=hint)
    if isinstance(error, (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError)):
        return TimedOut(what, why="AWS did not answer in time")
    if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
        sent = not isinstance(error, exceptions.EndpointConnectionError)
        return Unreachable(what, sent=sent, why="There is no connection to AWS", hint="Check region and network.")
    if isinstance(error, (exceptions.ParamValidationError, exceptions.ValidationError)):
        # Not quoted: it repeats what was sent.
        return InvalidInput(
            what, why="The request has a value that AWS does not allow, such as an empty key or an odd region"
        )
    if isinstance(error, library("botocore.parsers").ResponseParserError):
        return GarbledReply(what, why="AWS's answer cannot be read", hint="Check what is between here and AWS.")
    return ServerFault(what, why=type(error).__name__) if isinstance(error, exceptions.BotoCoreError) else None


def answered(what: str, response: Any) -> PlumblineError:
    """What AWS said, in the form that botocore has it in."""
    fault, told = response.get("Error", {}), response.get("ResponseMetadata", {})
    code, message = str(fault.get("Code", "")), _shown(str(fault.get("Message", "")))
    why = f"{code}: {message}" if message else code
    if code in _ABSENT or (code in _MARKED and _marked(message)):
        return NotFound(what, why=why)
    if code in _PRESENT:
        return AlreadyExists(what, why=why)
    if _throttled(code):
        return Throttled(
            what, after_s=_after_s(told), why=why, hint="It goes on by itself; AWS wants fewer calls for a while."
        )
    if _unknown_caller(code):
        return Unauthenticated(
            what, why=why, hint="AWS does not take these credentials: renew what the store refers to."
        )
    if _denied(code):
        return Forbidden(
            what, why=why, hint="Allow the action that it names in the policy of the store's user or role."
        )
    if told.get("HTTPStatusCode", 0) >= _SERVER_ERRORS or _failed(code):
        return ServerFault(what, why=why)
    return (
        InvalidInput(what, why=why)
        if code.startswith(("Invalid", "Validation", "Malformed"))
        else Refused(what, why=why)
    )


def _after_s(told: Any) -> float:
    with suppress(ValueError, TypeError):
        return min(max(float(told.get("HTTPHeaders", {}).get("retry-after")), 1.0), _MOST_AFTER_S)
    return _AFTER_S


def _shown(message: str) -> str:
    """Without the ids of requests, which make the same error look new every time."""
    return _request_id("", " ".join(message.split()))[:_MESSAGE]
