"""Requests to a forge's API, with what can go wrong in words of ours."""

import ssl
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import msgspec

from plumbline.base.environment import environment
from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    LimitExceeded,
    NotFound,
    PlumblineError,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.client.proxies import environment_proxy
from plumbline.terraform.changed.comments.forges import spelling
from plumbline.terraform.changed.comments.places import Place

if TYPE_CHECKING:
    import aiohttp

_REPLY_BYTES: Final = 64 << 20
_DEADLINE_S: Final = 30.0
_PAUSE_S: Final = 60.0
_FAULTS: Final = range(500, 600)
_SUCCESSES: Final = range(200, 300)


class Wire:
    """Redirects are not followed: who we are is meant for this server alone."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        import aiohttp  # noqa: PLC0415 - only who writes comments waits for it

        header, prefix = spelling(self._place.forge).authorization
        token = prefix + self._place.token.reveal().decode()
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=_DEADLINE_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={header: token, "Accept": "application/json", "User-Agent": "plumbline"},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def ask(self, method: str, path: str, body: JsonObject | None = None) -> Json:
        """The answer as JSON. Raises what the status stands for."""
        status, content = await self._sent(method, path, encode(body) if body is not None else None)
        if status not in _SUCCESSES:
            raise self._refused(status)
        try:
            return decode(content)
        except msgspec.DecodeError:
            raise GarbledReply(
                self._subject, why="the answer is no JSON", hint="Check the address of the API."
            ) from None

    async def _sent(self, method: str, path: str, content: bytes | None) -> tuple[int, bytes]:
        import aiohttp  # noqa: PLC0415 - same

        if self._session is None:
            raise Unreachable(self._subject, sent=False, why="the connection was not opened")
        url = self._place.api + path
        proxy = environment_proxy(url, environment())
        try:
            async with self._session.request(
                method,
                url,
                data=content,
                headers={"Content-Type": "application/json"} if content is not None else {},
                allow_redirects=False,
                ssl=ssl.create_default_context() if url.startswith("https:") else False,
                proxy=proxy.url if proxy else None,
            ) as answer:
                received = await answer.content.read(_REPLY_BYTES + 1)
                while not answer.content.at_eof() and len(received) <= _REPLY_BYTES:
                    received += await answer.content.read(_REPLY_BYTES + 1 - len(received))
        except TimeoutError:
            raise TimedOut(self._subject, why=f"no answer within {_DEADLINE_S:g} s") from None
        except (aiohttp.ClientError, OSError) as broken:
            raise Unreachable(self._subject, why=type(broken).__name__) from None
        if len(received) > _REPLY_BYTES:
            raise LimitExceeded(self._subject, why=f"the answer has more than {_REPLY_BYTES:,} bytes")
        return answer.status, received

    def _refused(self, status: int) -> PlumblineError:
        what, why = self._subject, f"{self._place.forge} answered {status}"
        match status:
            case HTTPStatus.UNAUTHORIZED:
                return Unauthenticated(what, why=why, hint="Check the token, and whether it has ended.")
            case HTTPStatus.FORBIDDEN:
                return Forbidden(what, why=why, hint="Let the token write comments (pull-requests: write, scope api).")
            case HTTPStatus.NOT_FOUND:
                return NotFound(what, why=why, hint="Check repository and number, and that the token may see them.")
            case HTTPStatus.TOO_MANY_REQUESTS:
                return Throttled(what, after_s=_PAUSE_S, why=why)
            case HTTPStatus.REQUEST_ENTITY_TOO_LARGE | HTTPStatus.UNPROCESSABLE_ENTITY | HTTPStatus.BAD_REQUEST:
                return Refused(what, why=why, hint="Plan with --forge, so that the report fits into one comment.")
            case _ if status in _FAULTS:
                return ServerFault(what, why=why)
            case _:
                return GarbledReply(what, why=why, hint="Check the address of the API.")

    @property
    def _subject(self) -> str:
        return f"no comment on {self._place}"
