"""AWS's SDK for those who use it: loaded where it is needed, and with requests that stay where they were sent.

aiobotocore lets aiohttp follow redirects, which botocore does not: an answer could lead a request, with a session token or a web
identity in it, to any other server. What S3 means by one, another region, botocore understands by itself.
"""

import functools
from importlib import import_module
from typing import Any

from plumbline.base.errors import ToolMissing


def library(module: str, missed: str) -> Any:
    """A module of the extra `aws`. *missed* is what cannot be done without it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ToolMissing(
            missed,
            why=f"The Python package {error.name} is not installed",
            hint="Install it with `pip install plumbline[aws]`.",
        ) from error


def settings(missed: str, **options: Any) -> Any:
    """A client's, with which its requests stay."""
    return library("aiobotocore.config", missed).AioConfig(http_session_cls=_sessions(), **options)


@functools.cache
def loader() -> Any:
    """Of AWS's descriptions of its services; shared, as each is read and kept once. The SDK has to be there."""
    return import_module("botocore.loaders").create_loader()


def prepare(service: str, missed: str) -> None:
    """Read what a client of *service* is made from. It takes up to a tenth of a second: not on the loop that everybody shares."""
    library("aiobotocore.session", missed)
    for kind in ("service-2", "endpoint-rule-set-1", "paginators-1"):
        loader().load_service_model(service, kind)
    for name in ("endpoints", "partitions", "sdk-default-configuration", "_retry"):
        loader().load_data(name)


class _Staying:
    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, *args: Any, **options: Any) -> Any:
        return await self._session.request(*args, **options, allow_redirects=False)


@functools.cache
def _sessions() -> Any:
    base: Any = import_module("aiobotocore.httpsession").AIOHTTPSession

    class StayingSession(base):  # type: ignore[misc]  # its class is known only where the extra is installed
        async def _get_session(self, proxy_url: str | None) -> _Staying:
            return _Staying(await super()._get_session(proxy_url))

    return StayingSession
