"""Requests that stay where they were sent to.

aiobotocore lets aiohttp follow redirects, which botocore does not: an answer could lead a request, with a session token or a web
identity in it, to any other server. What S3 means by one, another region, botocore understands by itself.
"""

import functools
from typing import Any

from plumbline.providers.aws.models import library


class _Staying:
    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, *args: Any, **options: Any) -> Any:
        return await self._session.request(*args, **options, allow_redirects=False)


@functools.cache
def staying() -> Any:
    """For `http_session_cls` of a client."""
    base: Any = library("aiobotocore.httpsession").AIOHTTPSession

    class StayingSession(base):  # type: ignore[misc]  # its class is known only where the extra is installed
        async def _get_session(self, proxy_url: str | None) -> _Staying:
            return _Staying(await super()._get_session(proxy_url))

    return StayingSession


def settings(**options: Any) -> Any:
    """A client's, with which its requests stay."""
    return library("aiobotocore.config").AioConfig(http_session_cls=staying(), **options)
