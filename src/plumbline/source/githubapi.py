"""The two calls to GitHub's API that an app makes as itself, with what can go wrong in words of ours."""

import asyncio
from datetime import datetime
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar

import msgspec

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    NotFound,
    PlumblineError,
    ServerFault,
    Throttled,
    TimedOut,
    Unauthenticated,
    Unreachable,
)
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.source import https
from plumbline.source.replies import beginning, pause_s
from plumbline.source.repository import Repository
from plumbline.source.urls import redacted

_REPLY_BYTES: Final = 4 << 20
_LONGEST_PAUSE_S: Final = 3600.0
_SUCCESSES: Final = range(200, 300)
_FAULTS: Final = range(500, 600)
_STATUSES: Final = frozenset(HTTPStatus)

Answer = TypeVar("Answer")


class Account(msgspec.Struct, frozen=True):
    login: str = ""


class Installation(msgspec.Struct, frozen=True):
    id: int
    account: Account | None = None


class IssuedToken(msgspec.Struct, frozen=True):
    token: str
    expires_at: datetime

    def __repr__(self) -> str:
        return "IssuedToken(***)"


class Call(NamedTuple):
    """Where to call, as whom, and for which repository."""

    repository: Repository
    api: str
    jwt: Plaintext
    deadline_s: float


async def call(asked: Call, method: str, path: str, shape: type[Answer]) -> Answer:
    """Ask once. Redirects are not followed: who we are is meant for this host alone."""
    status, headers, body = await _sent(asked, method, path)
    if status not in _SUCCESSES:
        raise _refused(asked, status, headers)
    try:
        return decode(body, type=shape)
    except msgspec.DecodeError:
        # The cause would quote what it could not read, which may be the token.
        raise garbled(asked, "it is not the JSON that was asked for") from None


def garbled(asked: Call, why: str) -> GarbledReply:
    return GarbledReply(f"{_subject(asked)}: the answer cannot be used", why=why, hint=_CHECK_ADDRESS)


_CHECK_ADDRESS: Final = "Check that githubAppEnterpriseBaseUrl is the address of a GitHub API."


async def _sent(asked: Call, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    import aiohttp  # noqa: PLC0415 - only apps need it

    tls = await asyncio.to_thread(https.context, asked.repository) if asked.api.startswith("https://") else False
    proxy = https.proxy(asked.repository, asked.api)
    passed = {"Proxy-Authorization": proxy.authorization.reveal().decode()} if proxy and proxy.authorization else None
    try:
        async with (
            aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=asked.deadline_s), cookie_jar=aiohttp.DummyCookieJar()
            ) as session,
            session.request(
                method,
                asked.api + path,
                headers={
                    "Authorization": f"Bearer {asked.jwt.reveal().decode()}",
                    "Accept": "application/vnd.github+json",
                    "User-Agent": "plumbline",
                },
                allow_redirects=False,
                ssl=tls,
                proxy=proxy.url if proxy else None,
                proxy_headers=passed,
            ) as answer,
        ):
            body = await beginning(answer, _REPLY_BYTES)
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, body
    except TimeoutError:
        raise TimedOut(_subject(asked), why=f"no answer within {asked.deadline_s:g} s") from None
    except (aiohttp.ClientError, OSError) as broken:
        raise Unreachable(_subject(asked), why=type(broken).__name__) from None


def _refused(asked: Call, status: int, headers: dict[str, str]) -> PlumblineError:
    what, why = _subject(asked), f"GitHub answered {status}"
    match HTTPStatus(status) if status in _STATUSES else None:
        case HTTPStatus.TOO_MANY_REQUESTS:
            return Throttled(what, after_s=pause_s(headers, _LONGEST_PAUSE_S), why=why)
        case HTTPStatus.FORBIDDEN if _limited(headers):
            return Throttled(what, after_s=pause_s(headers, _LONGEST_PAUSE_S), why=why)
        case HTTPStatus.FORBIDDEN:
            return Forbidden(what, why=why, hint="Check whether the installation is suspended, and what it may do.")
        case HTTPStatus.UNAUTHORIZED:
            return Unauthenticated(
                what, why=why, hint="Check that githubAppID and githubAppPrivateKey belong together."
            )
        case HTTPStatus.NOT_FOUND:
            return NotFound(what, why=why, hint="Check githubAppInstallationID and githubAppEnterpriseBaseUrl.")
        case _:
            return ServerFault(what, why=why) if status in _FAULTS else garbled(asked, why)


def _limited(headers: dict[str, str]) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def _subject(asked: Call) -> str:
    app = asked.repository.credentials.github_app
    return f"no token of the GitHub App {app.id if app else ''} for {redacted(asked.repository.url)}"
