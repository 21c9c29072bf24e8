"""Single sign-on from a command line: a browser goes to the identity provider, and comes back to a port of ours."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

import click

from plumbline.access.oidc.provider import Provider
from plumbline.access.oidcsettings import SCOPES, OidcConfig
from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, TimedOut, Unauthenticated
from plumbline.cli.server.api import Api
from plumbline.cli.server.session import Prove

PORT: Final = 8085
_CALLBACK: Final = "/auth/callback"
_WITHIN_S: Final = 300.0
_HEAD_BYTES: Final = 16 << 10
_PAGE: Final = "<!doctype html><meta charset=utf-8><title>Plumbline</title><p>{}</p>"
_DONE: Final = "You are logged in. This page can be closed."

Open = Callable[[str], object]


class Way(NamedTuple):
    """How the browser gets there and back."""

    port: int = PORT
    callback: str = ""
    """Scheme, host and port that the provider knows, where they are not those of this machine."""
    launch: Open | None = None
    within_s: float = _WITHIN_S


def by_browser(way: Way) -> Prove:
    async def prove(api: Api) -> str:
        return await _proven(api, way)

    return prove


async def _proven(api: Api, way: Way) -> str:
    config = _config(await api.get("settings"), api.server)
    provider = Provider(config, SystemClock())
    said = await provider.discovered()
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = await _listening(way.port, _Callback(state, code))
    async with server:
        port = server.sockets[0].getsockname()[1]
        redirect = f"{way.callback.rstrip('/') or f'http://localhost:{port}'}{_CALLBACK}"
        query = {
            "response_type": "code",
            "client_id": config.client_id,
            "redirect_uri": redirect,
            "scope": " ".join(config.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }
        _send(f"{said.authorization_endpoint}{'&' if urlsplit(said.authorization_endpoint).query else '?'}{urlencode(query)}", way)  # fmt: skip
        try:
            async with asyncio.timeout(way.within_s):
                found = await code
        except TimeoutError:
            raise TimedOut("nobody has logged in", why=f"there was no answer within {way.within_s:g} s") from None
    form = {"grant_type": "authorization_code", "code": found, "redirect_uri": redirect, "code_verifier": verifier}
    return await _exchanged(provider, said.token_endpoint, form, nonce)


async def _exchanged(provider: Provider, endpoint: str, form: dict[str, str], nonce: str) -> str:
    """The token for a code, once it is known to be for this login."""
    answered = await provider.wire.post(endpoint, urlencode({**form, "client_id": provider.config.client_id}), {})
    token = answered.get("id_token")
    if not isinstance(token, str):
        raise Unauthenticated("the identity provider gave no id_token", hint="Is openid among requestedScopes?")
    claims = await provider.opened(token)
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise Unauthenticated("the token is for another login", hint="Begin again.")
    return token


def _config(settings: dict[str, object], server: str) -> OidcConfig:
    said = settings.get("oidcConfig")
    if not isinstance(said, dict) or not said.get("issuer"):
        raise InvalidInput(
            f"{server} has no single sign-on for command lines",
            why="its settings name no oidc.config",
            hint="Log in with --username, or with a token.",
        )
    client = str(said.get("cliClientID") or said.get("clientID") or "")
    scopes = tuple(map(str, said.get("scopes") or ())) or SCOPES
    return OidcConfig(issuer=str(said["issuer"]), client_id=client, scopes=scopes, audiences=(client,))


def _send(url: str, way: Way) -> None:
    if way.launch is not None and way.launch(url):
        click.echo("Go on in the browser.", err=True)
    else:
        click.echo(f"Open this in a browser:\n{url}", err=True)


async def _listening(port: int, callback: "_Callback") -> asyncio.Server:
    try:
        # Loopback alone: whoever else could connect could bring a code of theirs.
        return await asyncio.start_server(callback.serve, "127.0.0.1", port, limit=_HEAD_BYTES)
    except OSError as taken:
        why = taken.strerror or str(taken)
        raise InvalidInput(f"port {port} cannot be used", why=why, hint="Name another with --sso-port.") from taken


class _Callback:
    """One browser comes back, once; anybody else is answered, and changes nothing."""

    def __init__(self, state: str, code: "asyncio.Future[str]") -> None:
        self._state = state
        self._code = code

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n")
            status, words = self._answer(head.decode("latin-1"))
            page = _PAGE.format(words).encode()
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(page)}\r\n"
                "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n".encode()
            )
            writer.write(page)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    def _answer(self, line: str) -> tuple[str, str]:
        parts = line.split(" ")
        target = urlsplit(parts[1] if len(parts) > 1 else "")
        if parts[0] != "GET" or target.path != _CALLBACK:
            return "404 Not Found", "There is nothing here."
        query = {key: values[0] for key, values in parse_qs(target.query).items()}
        if not hmac.compare_digest(query.get("state", "").encode(), self._state.encode()):
            return "400 Bad Request", "This login was not begun here."
        if self._code.done():
            return "400 Bad Request", "This login is over."
        if "code" not in query:
            words = ": ".join(filter(None, (query.get("error", ""), query.get("error_description", ""))))
            self._code.set_exception(Unauthenticated("the identity provider refused", why=words[:300]))
            return "400 Bad Request", "The identity provider refused. The command line says why."
        self._code.set_result(query["code"])
        return "200 OK", _DONE


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
