"""HTTP to webhooks: one pool of connections, and a limit for everything the other side decides."""

import io
import ssl
from typing import Final

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from plumbline.apiserver.webhooks.answers import Reply
from plumbline.apiserver.webhooks.connections import connection_error
from plumbline.apiserver.webhooks.resolving import Target
from plumbline.base.errors import LimitExceeded, PlumblineError, WebhookFailed
from plumbline.kube.client.gzipped import unpacked
from plumbline.kube.gotext import quoted

ANSWER_BYTES: Final = 8 << 20
AGENT: Final = "kube-apiserver-admission"
_KEEP_ALIVE_S: Final = 30.0
_LARGE_BODY_BYTES: Final = 1 << 20  # aiohttp wants larger ones as files
_TOO_MANY: Final = 429
_SERVER_ERRORS: Final = 500


class Poster:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, where: Target, tls: ssl.SSLContext, body: bytes) -> Reply:
        """Raises WebhookFailed where no answer came."""
        reused = _Reused()
        while True:
            reused.connection = False
            try:
                return await self._exchanged(where, tls, body, reused)
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as broken:
                if not reused.connection or isinstance(broken, aiohttp.ClientConnectorError):
                    raise _unanswered(where, connection_error(broken, where.dialled, where.name)) from None
            except aiohttp.ClientError as broken:
                raise _unanswered(where, connection_error(broken, where.dialled, where.name)) from None

    async def _exchanged(self, where: Target, tls: ssl.SSLContext, body: bytes, reused: "_Reused") -> Reply:
        session = self._session or self._open()
        async with session.post(
            URL(where.url, encoded=True),
            data=io.BytesIO(body) if len(body) > _LARGE_BODY_BYTES else body,
            headers=CIMultiDict({"Host": where.host, "Content-Type": "application/json"}),
            allow_redirects=False,
            ssl=tls,
            server_hostname=where.name if where.url.startswith("https") else None,
            trace_request_ctx=reused,
        ) as answer:
            return await _read(answer)

    def _open(self) -> aiohttp.ClientSession:
        tracing = aiohttp.TraceConfig()
        tracing.on_connection_reuseconn.append(_note_reuse)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"User-Agent": AGENT, "Accept": "application/json, */*", "Accept-Encoding": "gzip"},
            trace_configs=[tracing],
        )
        return self._session


class _Reused:
    """Whether the request went over a connection that was open already: such a one may have been closed meanwhile."""

    connection = False


async def _note_reuse(_: aiohttp.ClientSession, context: object, __: aiohttp.TraceConnectionReuseconnParams) -> None:
    noted: _Reused = context.trace_request_ctx  # type: ignore[attr-defined] # a namespace that aiohttp makes up
    noted.connection = True


async def _read(answer: aiohttp.ClientResponse) -> Reply:
    pieces: list[bytes] = []
    size = 0
    async for piece in answer.content.iter_any():
        size += len(piece)
        if size > ANSWER_BYTES:
            raise _too_large()
        pieces.append(piece)
    body = b"".join(pieces)
    if answer.headers.get("Content-Encoding") == "gzip":
        body = await _unpacked(body)
    content_type = answer.headers.get("Content-Type", "").strip() or "application/json"
    return Reply(answer.status, content_type, body, _retry_after(answer))


async def _unpacked(body: bytes) -> bytes:
    try:
        return await unpacked(body, ANSWER_BYTES, "the answer of the webhook")
    except LimitExceeded:
        raise _too_large() from None
    except PlumblineError as bad:
        raise WebhookFailed(_unreadable("gzip: invalid header")) from bad


def _too_large() -> WebhookFailed:
    return WebhookFailed(_unreadable(f"the answer is larger than {ANSWER_BYTES} bytes"))


def _unreadable(why: str) -> str:
    return f"unexpected error when reading response body. Please retry. Original error: {why}"


def _retry_after(answer: aiohttp.ClientResponse) -> int | None:
    """Only for answers that ask to come back."""
    value = answer.headers.get("Retry-After", "")
    if (answer.status == _TOO_MANY or answer.status >= _SERVER_ERRORS) and value.isascii() and value.isdigit():
        return int(value[:9])
    return None


def _unanswered(where: Target, why: str) -> WebhookFailed:
    return WebhookFailed(f"Post {quoted(where.shown)}: {why}")
