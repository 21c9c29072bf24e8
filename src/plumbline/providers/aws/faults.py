"""AWS's errors as those of the one tree."""

import re
from typing import Final

from plumbline.base.errors import (
    AlreadyExists,
    Forbidden,
    GarbledReply,
    InvalidInput,
    NotFound,
    NotYet,
    PlumblineError,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.providers.aws.models import library

_ABSENT: Final = re.compile(r"NotFound|^NoSuch|NonExistent|DoesNotExist")
_EXISTS: Final = re.compile(
    r"AlreadyExist|^EntityAlreadyExists|Duplicate|BucketAlreadyOwnedByYou|QueueNameExists|^ResourceExistsException$"
)
_THROTTLED: Final = re.compile(
    r"Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|BandwidthLimit|PriorRequestNotComplete|RequestThrottled"
)
_DENIED: Final = re.compile(r"AccessDenied|Unauthorized|AuthorizationError|OptInRequired|^403$")
_UNKNOWN_CALLER: Final = re.compile(
    r"ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|InvalidAccessKeyId|AuthFailure|MissingAuthentication|RequestExpired|InvalidToken"
)
_LATER: Final = re.compile(
    r"InvalidDB\w*State|InvalidCache\w*State|InvalidReplicationGroupState|ResourceInUse|DependencyViolation|OperationAborted|DeleteConflict"
    r"|IncorrectState|InvalidState|ConcurrentModification|LimitExceededException$|KMSInvalidState|QueueDeletedRecently|ResourceNotReady"
    r"|SnapshotCreationPerWindow|InvalidIPAddress\.InUse|\.InUse$|NotStabilized|RouteAlreadyBeing"
)
_QUOTA: Final = re.compile(r"QuotaExceeded|LimitExceeded")
_OURS_WRONG: Final = re.compile(
    r"Invalid|Malformed|Validation|Missing|Unsupported|NotSupported|BucketNotEmpty|InsufficientInstanceCapacity"
)
_NOBODYS: Final = "404"
"""What botocore calls an answer without a code: of a proxy, or of some other server in AWS's place."""
_THROTTLED_S: Final = 5.0
_SERVER_ERRORS: Final = range(500, 600)


def code_of(error: BaseException) -> str:
    """AWS's own code, of botocore's error or of ours that it caused; empty where AWS never answered."""
    response = getattr(error, "response", None) or getattr(error.__cause__, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def absent(code: str) -> bool:
    return bool(_ABSENT.search(code))


def exists(code: str) -> bool:
    return bool(_EXISTS.search(code))


def translated(error: Exception, what: str) -> PlumblineError | None:
    """*error* of botocore in our words; None where it is none of botocore's, and so a bug."""
    exceptions = library("botocore.exceptions")
    if isinstance(error, exceptions.ClientError):
        return _answered(error, what)
    if isinstance(
        error, (exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.CredentialRetrievalError)
    ):
        return Unauthenticated(
            what, why="there are no AWS credentials", hint="Check spec.credentials of the ProviderConfig and the Secret or role that it names."
        )  # fmt: skip
    if isinstance(error, (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError)):
        return TimedOut(what, why="AWS did not answer in time")
    if isinstance(error, exceptions.EndpointConnectionError):
        return Unreachable(
            what, sent=False, why="there is no connection to AWS", hint="Check region, endpoint and network."
        )
    if isinstance(error, exceptions.HTTPClientError):
        return Unreachable(what, why="the connection to AWS broke")
    if isinstance(
        error, (exceptions.ParamValidationError, exceptions.UnknownRegionError, exceptions.InvalidRegionError)
    ):
        return InvalidInput(what, why=_first_line(str(error)))
    if isinstance(error, library("botocore.parsers").ResponseParserError):
        return GarbledReply(
            what,
            why="AWS's answer cannot be read",
            hint="Check the endpoint of the ProviderConfig and what is in between.",
        )
    return ServerFault(what, why=_first_line(str(error))) if isinstance(error, exceptions.BotoCoreError) else None


def _answered(error: Exception, what: str) -> PlumblineError:
    response = getattr(error, "response", {})
    code, message = code_of(error), _first_line(str(response.get("Error", {}).get("Message", "")))
    why = f"{code}: {message}" if message else code
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if _THROTTLED.search(code):
        return Throttled(
            what, after_s=_THROTTLED_S, why=why, hint="It goes on by itself; AWS wants fewer calls for a while."
        )
    if _UNKNOWN_CALLER.search(code):
        return Unauthenticated(
            what, why=why, hint="AWS does not take these credentials: renew what the ProviderConfig names."
        )
    if _DENIED.search(code):
        return Forbidden(
            what, why=why, hint="Allow the action that it names in the policy of the ProviderConfig's user or role."
        )
    if "DeletedRecently" in code:
        # Of this name alone: who is throttled has everybody else wait as well.
        return NotYet(what, why=why, hint="AWS gives the name free a minute after it was deleted.")
    if code.startswith("RequestTimeout"):
        return TimedOut(what, why=why)  # it may have arrived whole
    if status in _SERVER_ERRORS or code in {
        "InternalError",
        "InternalFailure",
        "ServiceUnavailable",
        "InternalServerError",
    }:
        return ServerFault(what, why=why)
    return _refused(code, what, why)


def _refused(code: str, what: str, why: str) -> PlumblineError:
    if absent(code):
        return NotFound(what, why=why)
    if code == _NOBODYS:
        hint = "Check the endpoint of the ProviderConfig and what is in between."
        return GarbledReply(what, why="the answer is none of AWS's", hint=hint)
    if exists(code) or code == "BucketAlreadyExists":
        return AlreadyExists(
            what,
            why=why,
            hint="Choose another name, or set the annotation crossplane.io/external-name to take it over.",
        )
    if _LATER.search(code):
        return NotYet(what, why=why, hint="It is tried again by itself once the other operation has ended.")
    if _QUOTA.search(code):
        return Refused(what, why=why, hint="Ask AWS for a higher quota, or delete what is no longer needed.")
    return InvalidInput(what, why=why) if _OURS_WRONG.search(code) else Refused(what, why=why)


def _first_line(message: str) -> str:
    return " ".join(message.split())[:1000]
