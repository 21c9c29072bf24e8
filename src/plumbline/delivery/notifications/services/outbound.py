"""Requests to other people's services: http and https only, bounded, and silent about what they carry.

Redirects are not followed: what is sent may hold a secret, and is meant for the host that was named.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput, LimitExceeded, TimedOut, Unreachable
from plumbline.base.limits import KIB, MIB
from plumbline.base.plaintext import Plaintext

_DEADLINE_S: Final = 15.0
_LARGEST_BODY: Final = 1 * MIB
_LARGEST_REPLY: Final = 64 * KIB
_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


class Call(NamedTuple):
    method: str
    url: str
    body: bytes = b""
    headers: Sequence[tuple[str, Plaintext]] = ()
    insecure: bool = False


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def checked_url(url: str) -> str:
    """Raises InvalidInput for what is no address of the web. Does not quote it: addresses of hooks are secrets often."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise InvalidInput("the address cannot be used", why="its url is no http or https address")
    return url


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


class Outbound:
    """One call at a time for each that asks; nothing is kept between them."""

    def __init__(self, deadline_s: float = _DEADLINE_S) -> None:
        self._deadline_s = deadline_s

    async def send(self, call: Call) -> Reply:
        """Raises Unreachable, TimedOut, InvalidInput and LimitExceeded; each names the host and nothing else."""
        import aiohttp  # noqa: PLC0415 - whoever notifies nobody need not load it

        host = host_of(checked_url(call.url))
        if call.method.upper() not in _METHODS:
            raise InvalidInput(f"the request to {host} was not sent", why="its method is none of HTTP's")
        if len(call.body) > _LARGEST_BODY:
            raise LimitExceeded(f"the request to {host} is larger than {_LARGEST_BODY // MIB} MiB")
        timeout = aiohttp.ClientTimeout(total=self._deadline_s)
        headers = [(name, value.reveal().decode(errors="surrogateescape")) for name, value in call.headers]
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=True) as session,
                session.request(
                    call.method.upper(),
                    call.url,
                    data=call.body or None,
                    headers=headers,
                    allow_redirects=False,
                    ssl=not call.insecure,
                ) as answer,
            ):
                body = await answer.content.read(_LARGEST_REPLY)
                return Reply(answer.status, {name.lower(): value for name, value in answer.headers.items()}, body)
        except TimeoutError:
            raise TimedOut(f"no answer from {host}", why=f"within {self._deadline_s:g} s") from None
        except (aiohttp.ClientError, OSError) as broken:
            raise Unreachable(f"{host} cannot be reached", why=type(broken).__name__) from None
        except ValueError:
            raise InvalidInput(
                f"the request to {host} was not sent", why="a header or the address is malformed"
            ) from None
