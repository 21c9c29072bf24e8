"""The one place of this room that loads AWS's SDK.

aiobotocore lets aiohttp follow redirects, which botocore does not: an answer could lead a request, with a session token or a web
identity in it, to any other server. Clients made here stay where they were sent.
"""

import functools
from importlib import import_module
from typing import Any, Final

from plumbline.base.errors import ToolMissing

_OPTIONS: Final = {
    "connect_timeout": 5,
    "read_timeout": 20,
    "max_pool_connections": 8,
    # The controller comes again by itself, knows of everybody who waits, and is told of throttling.
    "retries": {"total_max_attempts": 1, "mode": "standard"},
    "ignore_configured_endpoint_urls": True,
    "user_agent_extra": "plumbline",
}


def library(module: str) -> Any:
    """A module of the extra `aws`."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ToolMissing(
            "Stores in AWS cannot be opened",
            why=f"The Python package {error.name} is not installed",
            hint="Install it with `pip install plumbline[aws]`.",
        ) from error


@functools.cache
def loader() -> Any:
    """Of AWS's descriptions of its services; shared, as each is read and kept once."""
    return library("botocore.loaders").create_loader()


def prepare(service: str) -> None:
    """Read what a client of *service* is made from. It takes up to a tenth of a second: not on the loop that everybody shares."""
    library("aiobotocore.session")
    for kind in ("service-2", "endpoint-rule-set-1", "paginators-1"):
        loader().load_service_model(service, kind)
    for name in ("endpoints", "partitions", "sdk-default-configuration", "_retry"):
        loader().load_data(name)


def session() -> Any:
    """One that looks for credentials where AWS's tools look, unless its clients are given some."""
    made = library("aiobotocore.session").AioSession()
    made.register_component("data_loader", loader())
    return made


class _Staying:
    def __init__(self, http: Any) -> None:
        self._http = http

    async def request(self, *args: Any, **options: Any) -> Any:
        return await self._http.request(*args, **options, allow_redirects=False)


@functools.cache
def _staying() -> Any:
    base: Any = library("aiobotocore.httpsession").AIOHTTPSession

    class StayingSession(base):  # type: ignore[misc]  # its class is known only where the extra is installed
        async def _get_session(self, proxy_url: str | None) -> _Staying:
            return _Staying(await super()._get_session(proxy_url))

    return StayingSession


def settings(**more: Any) -> Any:
    """A client's."""
    return library("aiobotocore.config").AioConfig(http_session_cls=_staying(), **_OPTIONS, **more)
