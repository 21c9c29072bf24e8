"""Tokens of GitHub Apps: an app signs who it is, and GitHub gives it a token for one installation, for an hour.

Each token is asked for once, however many repositories wait for it, and kept until shortly before its end. Neither the
key nor a token is in any error; tokens are named to `base.redaction` before anybody else sees them.
"""

import asyncio
import base64
import contextlib
import hashlib
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.source.githubapi import Call, Installation, IssuedToken, call, garbled
from plumbline.source.repository import Credentials, GitHubApp, Repository
from plumbline.source.urls import checked, redacted, without_credentials

PUBLIC_API: Final = "https://api.github.com"

_USER: Final = "x-access-token"
_SKEW_S: Final = 60
_LIFETIME_S: Final = 600
"""GitHub takes no more, counted from the moment that the token says it was made at."""
_EARLY: Final = timedelta(minutes=5)
_PAGE: Final = 100
_MOST_PAGES: Final = 50

_Key: TypeAlias = tuple[str, int, int | str, bytes]


class _Held(NamedTuple):
    token: Plaintext
    until: datetime


class InstallationTokens:
    """Tokens for repositories whose credentials are a GitHub App."""

    def __init__(self, clock: Clock, *, deadline_s: float = 15.0) -> None:
        self._clock = clock
        self._deadline_s = deadline_s
        self._held: dict[_Key, _Held] = {}
        self._installations: dict[_Key, int] = {}
        self._asking: dict[_Key, asyncio.Future[_Held | PlumblineError | None]] = {}

    async def token(self, repository: Repository) -> Plaintext:
        """A token that is good for five minutes or more, to be used as a password.

        Raises InvalidInput (no app, or a key that is none), Unauthenticated, Forbidden, NotFound, or a Transient.
        """
        app = repository.credentials.github_app
        if app is None:
            raise InvalidInput(f"{redacted(repository.url)} has no GitHub App", why="its Secret names none")
        key = _key(app, app.installation_id or _organisation(repository.url))
        held = self._held.get(key)
        if held is None or self._clock.now() >= held.until - _EARLY:
            held = await self._shared(key, repository, app)
        return held.token

    async def authorised(self, repository: Repository) -> Credentials:
        """The credentials of a repository as a server takes them: with a token, where an app is all there is."""
        given = repository.credentials
        if given.github_app is None or given.password or given.bearer_token or given.ssh_private_key:
            return given
        return msgspec.structs.replace(given, username=_USER, password=await self.token(repository))

    def forget(self, repository: Repository) -> None:
        """Drop what is kept for a repository, as after GitHub refused the token."""
        app = repository.credentials.github_app
        if app is not None:
            key = _key(app, app.installation_id or _organisation(repository.url))
            self._held.pop(key, None)
            self._installations.pop(key, None)

    async def _shared(self, key: _Key, repository: Repository, app: GitHubApp) -> _Held:
        """The outcome of the one who is asking already, or else of asking."""
        while (asking := self._asking.get(key)) is not None:
            outcome = await asyncio.shield(asking)
            if isinstance(outcome, PlumblineError):
                raise outcome
            if outcome is not None:
                return outcome
        asking = self._asking[key] = asyncio.get_running_loop().create_future()
        outcome = None
        try:
            outcome = self._held[key] = await self._asked(key, repository, app)
        except PlumblineError as failed:
            outcome = failed
            raise
        finally:
            # None where we were cancelled: then one of those who wait asks.
            del self._asking[key]
            asking.set_result(outcome)
        return self._held[key]

    async def _asked(self, key: _Key, repository: Repository, app: GitHubApp) -> _Held:
        asked = Call(repository, _api(app), _signed(app, self._clock.now()), self._deadline_s)
        installation = app.installation_id or self._installations.get(key)
        if not installation:
            installation = self._installations[key] = await self._discovered(asked, app)
        try:
            issued = await call(asked, "POST", f"/app/installations/{installation}/access_tokens", IssuedToken)
        except NotFound:
            self._installations.pop(key, None)
            raise
        if not issued.token:
            raise garbled(asked, "it gave a token without a value")
        token = Plaintext(issued.token)
        known.add(token)
        return _Held(token, issued.expires_at.astimezone(UTC))

    @staticmethod
    async def _discovered(asked: Call, app: GitHubApp) -> int:
        organisation = _organisation(asked.repository.url)
        for page in range(1, _MOST_PAGES + 1):
            found = await call(asked, "GET", f"/app/installations?per_page={_PAGE}&page={page}", list[Installation])
            for installation in found:
                if installation.account is not None and installation.account.login.lower() == organisation:
                    return installation.id
            if len(found) < _PAGE:
                break
        raise NotFound(
            f"the GitHub App {app.id} cannot be used for {redacted(asked.repository.url)}",
            why=f"it is not installed for {organisation}",
            hint="Install the app for that organisation, or give the id of the installation in the Secret.",
        )


def _key(app: GitHubApp, installation: int | str) -> _Key:
    return (app.api_url, app.id, installation, hashlib.sha256(app.private_key.reveal()).digest())


def _organisation(url: str) -> str:
    """The first part of the path, in lower case."""
    bare = without_credentials(url).url
    path = bare.partition("://")[2].partition("/")[2] if "://" in bare else bare.partition(":")[2]
    owner, slash, _ = path.strip("/").partition("/")
    if not slash:
        raise InvalidInput(
            f"the installation of the GitHub App for {redacted(url)} cannot be found",
            why="the address names no organisation",
            hint="Give the id of the installation in the Secret.",
        )
    return owner.lower()


def _api(app: GitHubApp) -> str:
    url = checked(app.api_url or PUBLIC_API).rstrip("/")
    if not url.startswith(("https://", "http://")) or without_credentials(url).url != url:
        raise InvalidInput("the address of the GitHub API is not used", why="it is not that of an HTTP server")
    return url


def _signed(app: GitHubApp, now: datetime) -> Plaintext:
    """The token with which the app says who it is; made a minute ago, since clocks differ."""
    issued = int(now.timestamp()) - _SKEW_S
    claims: JsonObject = {"iat": issued, "exp": issued + _LIFETIME_S, "iss": str(app.id)}
    content = b".".join(_base64url(encode(part)) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    return Plaintext(content + b"." + _base64url(_signature(app, content)))


def _signature(app: GitHubApp, content: bytes) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - only apps pay for loading OpenSSL
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - same
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - same
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415 - same

    key = None
    # What is wrong with the key may quote it, and so is not said.
    with contextlib.suppress(ValueError, TypeError, UnsupportedAlgorithm):
        key = load_pem_private_key(app.private_key.reveal(), password=None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise InvalidInput(
            f"the private key of the GitHub App {app.id} cannot be used",
            why="it is not an RSA key in PEM without a password",
            hint="Generate a key in the settings of the app and store the file as githubAppPrivateKey.",
        )
    return key.sign(content, padding.PKCS1v15(), hashes.SHA256())


def _base64url(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")
