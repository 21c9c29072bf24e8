"""moto itself: requests handed to its own functions, and its stores as they lie in memory.

Its functions are called directly instead of through its web server, which takes two to six times as long. All of it runs
in one thread, so that what is hidden or changed for the length of one call is seen by that call alone.
"""

import re
import traceback
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

from plumbline.base.log import logger
from plumbline.providers.sandbox.calls import Answer, Call, Refusal

_log = logger(__name__)

_DEFAULT_ACCOUNT: Final = "123456789012"
_NOT_IMPLEMENTED: Final = Refusal(
    "NotImplemented", "The sandbox does not simulate this operation; it says nothing about AWS.", 501
)
_NOT_PASSED_ON: Final = frozenset({"content-length", "date", "server", "connection", "transfer-encoding", "status"})

Route = tuple[re.Pattern[str], Callable[..., Any]]


def performed(call: Call, native: Any, drawn_from: str = "") -> Answer | Refusal:
    """What moto makes of a request. *drawn_from* is the seed of the ids that it gives."""
    from werkzeug.exceptions import HTTPException  # noqa: PLC0415 - an extra

    url = f"https://{native.host}{native.raw_path}"
    try:
        function = next((each for pattern, each in routes(call.service, native.host) if pattern.match(url)), None)
        if function is None:
            return _NOT_IMPLEMENTED
        if drawn_from:
            _prepare(call)
            seed(drawn_from)
        status, headers, body = function(native, native.raw_url, native.headers)
    except HTTPException as error:
        status, headers, body = error.code or 500, dict(error.get_headers()), error.get_body()
    except (ImportError, NotImplementedError):  # packages that moto wants for this alone are not among ours
        return _NOT_IMPLEMENTED
    except Exception as error:  # noqa: BLE001 - moto's faults are many, and none may end the sandbox
        _log.warning("moto failed", service=call.service, operation=call.operation, trace=traceback.format_exc())
        return Refusal("InternalFailure", f"The simulation failed: {type(error).__name__}: {error}", 500)
    content = _content(body)
    return Answer(status, _passed_on(headers, bodiless=native.method == "HEAD"), content)


def _prepare(call: Call) -> None:
    """Have moto make up now what it makes up with the first look at a service, so that ids depend on their own request alone.

    Every request has IAM look through its keys, in every part of AWS, to find out whose it is.
    """
    from moto.iam.models import get_account_id_from  # noqa: PLC0415 - an extra

    backend("iam", call.account, call.region)
    get_account_id_from("")
    with suppress(ImportError):
        backend(call.service, call.account, call.region)


def _passed_on(headers: Any, *, bodiless: bool) -> list[tuple[str, str]]:
    """The length of a body is that of the bytes we send; without a body, it is what moto says it would be."""
    dropped = _NOT_PASSED_ON - {"content-length"} if bodiless else _NOT_PASSED_ON
    return [(str(name), str(value)) for name, value in headers.items() if name.lower() not in dropped]


def _content(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    return b"".join(piece if isinstance(piece, bytes) else str(piece).encode() for piece in body or ())


@cache
def routes(service: str, host: str) -> tuple[Route, ...]:
    """Patterns of URLs and what answers them, of the backend that is behind a host."""
    from moto.backend_index import backend_url_patterns  # noqa: PLC0415 - an extra

    name = service if service in {"s3", "dynamodb", "route53"} else ""
    if not name:
        name = next((name for name, pattern in backend_url_patterns if pattern.match(f"https://{host}")), "")
    if not name:
        return ()
    urls = _any_region(name).urls
    return tuple((re.compile(url), function) for url, function in urls.items())


def _any_region(name: str) -> Any:
    regions = _backends(name)[_DEFAULT_ACCOUNT]
    return regions["us-east-1"] if "us-east-1" in regions else regions["aws"]


def _backends(name: str) -> Any:
    from moto.backends import get_backend  # noqa: PLC0415 - an extra

    return get_backend(name)  # type: ignore[call-overload]  # moto lists all names it knows, ours come from its index


def backend(service: str, account: str, region: str) -> Any:
    """The state of a service in one account and region; global services have one for all regions."""
    regions = _backends(service)[account]
    return regions[region] if region in regions else regions["aws"]


def store(service: str, account: str, region: str, *path: str) -> MutableMapping[str, Any]:
    """Things of one kind by their names, as moto keeps them: `store("rds", ..., "databases")`."""
    found: Any = backend(service, account, region)
    for step in path:
        found = found.get(step, {}) if isinstance(found, dict) else getattr(found, step)
    return found


def index(service: str, name: str) -> MutableMapping[str, Any]:
    """What a service keeps for all accounts together, by the same names as each account's store."""
    found: MutableMapping[str, Any] = getattr(_backends(service), name)
    return found


def touched() -> list[tuple[str, str, str]]:
    """Service, account and region of every backend that was asked for anything so far."""
    return [
        (str(backends.service_name), account, region)
        for backends in _in_use()
        for account, regions in backends.items()
        for region in regions
    ]


def _in_use() -> Any:
    from moto.core.base_backend import BackendDict  # noqa: PLC0415 - an extra

    return vars(BackendDict)["_instances"]


def seed(value: str) -> None:
    """From here on ids are chosen as this value determines: the same request gets the same ids when it is replayed."""
    import random  # noqa: PLC0415, TID251 - some of moto's backends draw from the module itself

    from moto.moto_api._internal import mock_random  # noqa: PLC0415 - an extra

    mock_random.seed(value)
    random.seed(value)


def forget() -> None:
    """Everything in every account and region."""
    from moto.core.base_backend import BackendDict, BaseBackend  # noqa: PLC0415 - an extra

    for backends in _in_use():
        # Resetting one is making another, networks and all, which is not wanted where nothing but memory is held.
        if backends.backend.reset is BaseBackend.reset:
            backends.clear()
    BackendDict.reset()
