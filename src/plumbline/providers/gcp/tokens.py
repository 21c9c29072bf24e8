"""Where access tokens for Google come from."""

from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, InvalidInput, NotFound, ServerFault, Unauthenticated, Unreachable
from plumbline.base.json import JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.credentials import Credentials
from plumbline.kube.client.transport import Request, Response, Transport
from plumbline.providers.gcp.refusals import refusal
from plumbline.providers.rest.connections import words
from plumbline.providers.rest.tokens import Connect, Token, segment

SCOPES: Final = "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email"
OAUTH: Final = "https://oauth2.googleapis.com"
IAM: Final = "https://iamcredentials.googleapis.com"
METADATA: Final = "http://metadata.google.internal"
_HOUR_S: Final = 3600
_REPLY_BYTES: Final = 1 << 16


class Fixed:
    """A token that somebody else keeps fresh, in a Secret."""

    def __init__(self, value: Plaintext) -> None:
        self._value = value

    async def token(self) -> Token:
        return Token(self._value, _HOUR_S)


class ServiceAccountKey:
    """A service account's private key: a claim that is signed here, in exchange for a token."""

    def __init__(self, key: JsonObject, connect: Connect, clock: Clock) -> None:
        self._key = key
        self._connect = connect
        self._clock = clock

    async def token(self) -> Token:
        grant = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": self._claim()}
        return await _exchanged(self._connect(OAUTH, None), grant)

    def _claim(self) -> str:
        # What signs is loaded by those who sign.
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - see above
        from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - see above

        now = int(self._clock.now().timestamp())
        header = {"alg": "RS256", "typ": "JWT", "kid": str(self._key.get("private_key_id", ""))}
        claims = {
            "iss": str(self._key.get("client_email", "")),
            "scope": SCOPES,
            "aud": f"{OAUTH}/token",
            "iat": now,
            "exp": now + _HOUR_S,
        }
        signed = b".".join(segment(encode(part)) for part in (header, claims))
        try:
            private = serialization.load_pem_private_key(str(self._key.get("private_key", "")).encode(), password=None)
        except (TypeError, ValueError):
            raise InvalidInput("The service account key cannot be used", why="private_key is no PEM key") from None
        if not isinstance(private, rsa.RSAPrivateKey):
            raise InvalidInput("The service account key cannot be used", why="private_key is no RSA key")
        signature = private.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        return (signed + b"." + segment(signature)).decode()


class RefreshToken:
    """What `gcloud auth application-default login` leaves behind."""

    def __init__(self, key: JsonObject, connect: Connect) -> None:
        self._key = key
        self._connect = connect

    async def token(self) -> Token:
        own = {name: str(self._key.get(name, "")) for name in ("client_id", "client_secret", "refresh_token")}
        return await _exchanged(self._connect(OAUTH, None), {"grant_type": "refresh_token", **own})


class Metadata:
    """The identity of the machine or pod that this runs on."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def token(self) -> Token:
        request = Request(
            "GET",
            "/computeMetadata/v1/instance/service-accounts/default/token",
            headers=(("Metadata-Flavor", "Google"),),
            deadline_s=10.0,
            reply_limit_bytes=_REPLY_BYTES,
        )
        try:
            response = await self._connect(METADATA, None).send(request)
        except Unreachable as elsewhere:
            hint = "Use InjectedIdentity on Google Cloud only, or set GOOGLE_APPLICATION_CREDENTIALS."
            raise Unauthenticated(
                "There is no injected identity", why="no metadata server answers", hint=hint
            ) from elsewhere
        return _token(response, "access_token")


class Impersonated:
    """Another service account, on whose behalf the first one may ask for tokens."""

    def __init__(self, account: str, credentials: Credentials, connect: Connect) -> None:
        self._account = account
        self._credentials = credentials
        self._connect = connect

    async def token(self) -> Token:
        what = f"No token was given for {self._account}"
        request = Request(
            "POST",
            f"/v1/projects/-/serviceAccounts/{quote(self._account, safe='@')}:generateAccessToken",
            headers=(("Content-Type", "application/json"),),
            body=encode({"scope": SCOPES.split(), "lifetime": f"{_HOUR_S}s"}),
            reply_limit_bytes=_REPLY_BYTES,
        )
        response = await self._connect(IAM, self._credentials).send(request)
        if response.status != HTTPStatus.OK:
            refused = refusal(what, response.status, response.body)
            if isinstance(refused, NotFound):
                raise Unauthenticated(what, why=refused.why, hint="Check impersonateServiceAccount.name.") from None
            raise refused
        return msgspec.structs.replace(_token(response, "accessToken"), lasts_s=_HOUR_S)


async def _exchanged(transport: Transport, grant: dict[str, str]) -> Token:
    request = Request(
        "POST",
        "/token",
        headers=(("Content-Type", "application/x-www-form-urlencoded"),),
        body=urlencode(grant).encode(),
        reply_limit_bytes=_REPLY_BYTES,
    )
    return _token(await transport.send(request), "access_token")


class _Answer(msgspec.Struct, frozen=True):
    access_token: str = ""
    accessToken: str = ""  # noqa: N815 - one of Google's APIs writes it so
    expires_in: float = _HOUR_S
    error: str | dict[str, object] = ""
    error_description: str = ""


_decoder: Final = msgspec.json.Decoder(_Answer)


def _token(response: Response, field: str) -> Token:
    try:
        answer = _decoder.decode(response.body)
    except msgspec.DecodeError:
        answer = _Answer()
    if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ServerFault("Google gave no token", why=f"HTTP {response.status}")
    if response.status != HTTPStatus.OK:
        why = words(answer.error_description or str(answer.error)) or f"HTTP {response.status}"
        hint = "Check that the key is complete, not deleted, and that the clock of this machine is right."
        raise Unauthenticated("Google gave no token", why=why, hint=hint)
    value: str = getattr(answer, "accessToken" if field == "accessToken" else "access_token")
    if not value:
        raise GarbledReply(
            "Google gave no token", why="the answer has none", hint="Check what answers in Google's place."
        )
    return Token(Plaintext(value), answer.expires_in)
