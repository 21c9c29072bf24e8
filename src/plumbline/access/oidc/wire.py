"""Calls to an identity provider: bounded in time and size, over TLS that is always checked, to exactly that address."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import Final

from plumbline.access.oidcsettings import secure
from plumbline.base.environment import environment
from plumbline.base.errors import BadKubeconfig, GarbledReply, InvalidInput, LimitExceeded, TimedOut, Unreachable
from plumbline.base.json import JsonObject, decode
from plumbline.base.limits import MIB
from plumbline.kube.client.proxies import environment_proxy

_TIMEOUT_S: Final = 15.0
_REPLY_BYTES: Final = 1 * MIB
_OK: Final = 200


class Wire:
    """*root_ca* is PEM; where it is given, no other authority counts."""

    def __init__(self, root_ca: str = "") -> None:
        self._root_ca = root_ca
        self._context: ssl.SSLContext | None = None

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> JsonObject:
        return await self._json("GET", url, None, headers or {})

    async def post(self, url: str, body: str, headers: Mapping[str, str]) -> JsonObject:
        form = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        return await self._json("POST", url, body.encode(), form)

    async def _json(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> JsonObject:
        if not secure(url):
            raise InvalidInput("The identity provider is not asked", why="its address is not https")
        status, raw = await self._sent(method, url, body, headers)
        where = url.partition("?")[0]
        try:
            found = decode(raw)
        except (ValueError, RecursionError):  # what it could not read may hold a token: it is not quoted
            found = None
        if status != _OK:
            reason = found.get("error") if isinstance(found, dict) else ""
            why = f"status {status}" + (f", {reason[:100]}" if isinstance(reason, str) and reason.isprintable() else "")
            raise GarbledReply(
                f"{where} refused", why=why, hint="Check oidc.config in argocd-cm, and the provider's log."
            )
        if not isinstance(found, dict):
            raise GarbledReply(f"{where} cannot be understood", why="it is no JSON object", hint=_CHECK)
        return found

    async def _sent(self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
        import aiohttp  # noqa: PLC0415 - most installations have no single sign-on

        asked = {"Accept": "application/json", "User-Agent": "plumbline", **headers}
        where = url.partition("?")[0]
        proxy = _proxy(url)
        try:
            async with (
                asyncio.timeout(_TIMEOUT_S),
                aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.request(
                    method, url, data=body, headers=asked, allow_redirects=False, ssl=self._tls(), proxy=proxy
                ) as answer,
            ):
                content = bytearray()
                async for piece in answer.content.iter_chunked(1 << 16):
                    content += piece
                    if len(content) > _REPLY_BYTES:
                        raise LimitExceeded(f"{where} is not read", why=f"it has more than {_REPLY_BYTES:,} bytes")
                return answer.status, bytes(content)
        except TimeoutError:
            raise TimedOut(f"{where} did not answer", why=f"it took more than {_TIMEOUT_S:g} s") from None
        except aiohttp.ClientError as failed:
            raise Unreachable(f"{where} cannot be reached", why=type(failed).__name__, hint=_CHECK) from failed

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            try:
                self._context = ssl.create_default_context(cadata=self._root_ca or None)
            except (ssl.SSLError, ValueError):
                # Going on without it would trust whom nobody has asked for.
                raise InvalidInput("The identity provider is not asked", why="rootCA is not PEM") from None
        return self._context


def _proxy(url: str) -> str | None:
    try:
        found = environment_proxy(url, environment())
    except BadKubeconfig as wrong:
        raise InvalidInput("The identity provider is not asked", why=str(wrong)) from wrong
    return found.url if found is not None else None


_CHECK: Final = "Check issuer in oidc.config of argocd-cm; it is what /.well-known/openid-configuration is beneath."
