"""What a server answers at `/api/v1`, over the same transport as everything else: bounded, and with errors of ours."""

import base64
import binascii
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeAlias
from urllib.parse import quote, urlencode

import msgspec

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment
from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
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
)
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.cli.server.asked import Asked
from plumbline.cli.server.contexts import Context
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.parts import Certificate, ServerTrust, User
from plumbline.kube.client.proxies import environment_proxy
from plumbline.kube.client.sources import credentials_of
from plumbline.kube.client.statuses import retry_after_s
from plumbline.kube.client.transport import Headers, Request, Response, Transport

JSON: Final = (("Accept", "application/json"), ("Content-Type", "application/json"))
GZIP: Final = (("Accept", "application/json"), ("Content-Type", "application/gzip"))
_ERRORS: Final[Mapping[int, type[PlumblineError]]] = {
    400: InvalidInput,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    408: TimedOut,
    409: AlreadyExists,
    412: Conflict,
    504: TimedOut,
}
_WORDS: Final = 1000
DENIED: Final = "rpc error: code = PermissionDenied desc = "
"""Before what a server says of whoever may not, as argocd prints it: scripts look for that."""
_FAULTS: Final = range(500, 600)
_SUCCESS: Final = range(200, 300)
_THROTTLED: Final = 429

Query: TypeAlias = Mapping[str, str | Sequence[str]]
"""What is empty is not sent; what has several values is, once for each."""


class Api:
    def __init__(self, transport: Transport, server: str, headers: Headers = (), url: str = "") -> None:
        self._transport = transport
        self._headers = headers
        self.server = server
        self.url = url
        """Where it was found, for browsers."""

    async def get(self, *path: str, **query: str) -> JsonObject:
        return await self.ask("GET", path, query=query)

    async def ask(
        self, method: str, path: tuple[str, ...], body: Json = None, query: Query | None = None
    ) -> JsonObject:
        """*path* below /api/v1, part by part, each of which may have slashes in it. Raises what the answer says."""
        return self._object(await self.send(method, path, body, query))

    async def upload(self, path: tuple[str, ...], files: bytes, query: Query) -> JsonObject:
        """The same for *files* that were packed."""
        return self._object(await self._send(_request("POST", path, query, (*GZIP, *self._headers), files)))

    def _object(self, response: Response) -> JsonObject:
        found = decode(response.body or b"{}")
        if not isinstance(found, dict):
            raise GarbledReply(f"{self.server} answers something else than an object")
        return found

    async def send(
        self,
        method: str,
        path: tuple[str, ...],
        body: Json = None,
        query: Query | None = None,
        *,
        stream_s: float = 0.0,
    ) -> Response:
        content = b"" if body is None else encode(body)
        request = _request(method, path, query or {}, (*JSON, *self._headers), content)
        return await self._send(msgspec.structs.replace(request, stream_s=stream_s))

    async def _send(self, request: Request) -> Response:
        response = await self._transport.send(request)
        if response.status not in _SUCCESS:
            raise failure(response, f"{request.method} {request.path}", self.server)
        return response


def _request(method: str, path: tuple[str, ...], query: Query, headers: Headers, body: bytes) -> Request:
    target = "/".join(("/api/v1", *(quote(each, safe="") for each in path)))
    said = {key: value for key, value in query.items() if value}
    return Request(method, target, urlencode(said, doseq=True, quote_via=quote), headers, body)


def failure(response: Response, what: str, server: str) -> PlumblineError:
    """The error that an answer stands for. Its words are the server's: short, and for people."""
    try:
        said = decode(response.body)
        words = str(said.get("message") or said.get("error") or "") if isinstance(said, dict) else ""
    except ValueError:
        words = ""
    status, explained = response.status, bool(words)
    words = words[:_WORDS] or f"it answers {what} with {status}"
    if status == _THROTTLED:
        after_s = retry_after_s(response, SystemClock().now()) or 1.0
        return Throttled(f"{server} is asked too often", after_s=after_s, why=words)
    kind = _ERRORS.get(status) or (ServerFault if status in _FAULTS else Refused)
    hint = f"Log in with: plumb login {server}." if kind is Unauthenticated else ""
    if kind is ServerFault and explained:
        # Argo CD's API says so of whatever is wrong in Git as well.
        hint = "Mend what it names, if that is in Git; else look at the server's log."
    if kind is Forbidden and explained:
        words = f"{DENIED}{words}"
    return kind(f"{server} says no", why=words, hint=hint)


@asynccontextmanager
async def opened(context: Context, asked: Asked) -> AsyncIterator[Api]:
    """The API of a server, as whoever is logged in there."""
    from plumbline.kube.client.http import HttpTransport  # noqa: PLC0415 - loaded when it is needed

    made = connection(context)
    transport = HttpTransport(made, credentials_of(made, SystemClock()))
    try:
        yield Api(transport, context.server.server, _headers(asked.headers), context.server.url)
    finally:
        await transport.close()


def connection(context: Context) -> Connection:
    server, token = context.server, context.user.auth_token
    chain, key = _pem(server.client_certificate_data), _pem(server.client_certificate_key_data)
    return Connection(
        server=server.url,
        source=f"the context {context.name}",
        trust=ServerTrust(_pem(server.certificate_authority_data), server.insecure),
        user=User(
            token=Plaintext(token) if token else None,
            certificate=Certificate(chain, Plaintext(key)) if chain and key else None,
        ),
        proxy=environment_proxy(server.url, environment()),
    )


def _pem(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput(
            "a certificate of this login cannot be read", why="it is no base64", hint="Log in again."
        ) from None


def _headers(lines: tuple[str, ...]) -> Headers:
    found: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise InvalidInput("a header is not understood", why="it should be NAME:VALUE")
        found.append((name.strip(), value.strip()))
    return tuple(found)
