"""Where access tokens for Azure come from."""

import base64
import hashlib
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

import msgspec

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, InvalidInput, ServerFault, Throttled, Unauthenticated, Unreachable
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kube.client.transport import Request, Response
from plumbline.providers.azure.refusals import SLOWER_S, seconds
from plumbline.providers.rest.connections import file_of, words
from plumbline.providers.rest.tokens import Connect, Token, segment

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.x509 import Certificate

IMDS: Final = "http://169.254.169.254"
_IMDS_PATH: Final = "/metadata/identity/oauth2/token"
_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_REPLY_BYTES: Final = 1 << 16
_HOUR_S: Final = 3600.0
_ASSERTED_S: Final = 600


class Cloud(msgspec.Struct, frozen=True):
    """Where one of Azure's clouds is."""

    login: str
    manager: str


CLOUDS: Final = {
    "public": Cloud("https://login.microsoftonline.com", "https://management.azure.com"),
    "usgovernment": Cloud("https://login.microsoftonline.us", "https://management.usgovcloudapi.net"),
    "china": Cloud("https://login.chinacloudapi.cn", "https://management.chinacloudapi.cn"),
}


class Tenant(msgspec.Struct, frozen=True):
    """Who asks for a token, and where."""

    cloud: Cloud
    tenant: str
    client: str

    @property
    def address(self) -> str:
        return f"{self.cloud.login}/{self.tenant}/oauth2/v2.0/token"

    async def exchanged(self, connect: Connect, proof: dict[str, str]) -> Token:
        grant = {
            "grant_type": "client_credentials",
            "client_id": self.client,
            "scope": f"{self.cloud.manager}/.default",
            **proof,
        }
        request = Request(
            "POST",
            f"/{quote(self.tenant, safe='')}/oauth2/v2.0/token",
            headers=(("Content-Type", "application/x-www-form-urlencoded"),),
            body=urlencode(grant).encode(),
            reply_limit_bytes=_REPLY_BYTES,
        )
        return _token(await connect(self.cloud.login, None).send(request))


class ClientSecret:
    def __init__(self, tenant: Tenant, secret: Plaintext, connect: Connect) -> None:
        self._tenant = tenant
        self._secret = secret
        self._connect = connect

    async def token(self) -> Token:
        return await self._tenant.exchanged(self._connect, {"client_secret": self._secret.reveal().decode()})


class ClientCertificate:
    """A certificate with its key in PKCS#12, as base64: a claim that is signed here, in exchange for a token."""

    def __init__(self, tenant: Tenant, bundle: Plaintext, password: Plaintext, connect: Connect, clock: Clock) -> None:
        self._tenant = tenant
        self._bundle = bundle
        self._password = password
        self._connect = connect
        self._clock = clock

    async def token(self) -> Token:
        proof = {"client_assertion_type": _ASSERTION, "client_assertion": self._claim()}
        return await self._tenant.exchanged(self._connect, proof)

    def _claim(self) -> str:
        # What signs is loaded by those who sign.
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - see above
        from cryptography.hazmat.primitives.asymmetric import padding  # noqa: PLC0415 - see above

        private, certificate = self._opened()
        now = int(self._clock.now().timestamp())
        client = self._tenant.client
        header = {"alg": "PS256", "typ": "JWT", "x5t#S256": segment(certificate.fingerprint(hashes.SHA256())).decode()}
        claims = {
            "aud": self._tenant.address,
            "iss": client,
            "sub": client,
            "jti": hashlib.sha256(f"{client} {self._clock.monotonic()} {now}".encode()).hexdigest(),
            "nbf": now,
            "exp": now + _ASSERTED_S,
        }
        signed = b".".join(segment(encode(part)) for part in (header, claims))
        pad = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=padding.PSS.DIGEST_LENGTH)
        return (signed + b"." + segment(private.sign(signed, pad, hashes.SHA256()))).decode()

    def _opened(self) -> "tuple[RSAPrivateKey, Certificate]":
        from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415 - as above

        what = "The client certificate cannot be used"
        try:
            raw = base64.b64decode(self._bundle.reveal())
            key, certificate, _ = pkcs12.load_key_and_certificates(raw, self._password.reveal() or None)
        except (TypeError, ValueError):
            # The cause may quote what it was given.
            why = "clientCertificate is no PKCS#12 bundle in base64, or its password is another one"
            raise InvalidInput(what, why=why) from None
        if not isinstance(key, rsa.RSAPrivateKey) or certificate is None:
            raise InvalidInput(what, why="it has no certificate with an RSA key")
        return key, certificate


class Federated:
    """A token of the cluster's, which somebody keeps fresh in a file, in exchange for one of Azure's."""

    def __init__(self, tenant: Tenant, path: Path, connect: Connect) -> None:
        self._tenant = tenant
        self._path = path
        self._connect = connect

    async def token(self) -> Token:
        assertion = await file_of(self._path, "There is no token to exchange")
        known.add(assertion)
        text = assertion.reveal().decode("latin-1").strip()
        return await self._tenant.exchanged(
            self._connect, {"client_assertion_type": _ASSERTION, "client_assertion": text}
        )


class ManagedIdentity:
    """The identity of the machine that this runs on: its own, or one that was assigned to it."""

    def __init__(self, cloud: Cloud, client: str, endpoint: str, connect: Connect) -> None:
        self._cloud = cloud
        self._client = client
        self._base, _, path = endpoint.partition("/metadata/")
        self._path = f"/metadata/{path}" if path else _IMDS_PATH
        self._connect = connect

    async def token(self) -> Token:
        asked = {"api-version": "2018-02-01", "resource": f"{self._cloud.manager}/"}
        if self._client:
            asked["client_id"] = self._client
        request = Request(
            "GET",
            self._path,
            query=urlencode(asked),
            headers=(("Metadata", "true"),),
            deadline_s=10.0,
            reply_limit_bytes=_REPLY_BYTES,
        )
        try:
            response = await self._connect(self._base, None).send(request)
        except Unreachable as elsewhere:
            hint = "Use a managed identity on Azure only, or credentials in a Secret."
            raise Unauthenticated(
                "There is no managed identity", why="no metadata server answers", hint=hint
            ) from elsewhere
        return _token(response)


class _Answer(msgspec.Struct, frozen=True):
    access_token: str = ""
    expires_in: float | str = _HOUR_S
    error: str = ""
    error_description: str = ""


_decoder: Final = msgspec.json.Decoder(_Answer)


def _token(response: Response) -> Token:
    what = "Azure gave no token"
    try:
        answer = _decoder.decode(response.body)
    except msgspec.DecodeError:
        answer = _Answer()
    if response.status == HTTPStatus.TOO_MANY_REQUESTS:
        after = seconds(response.headers.get("retry-after", ""))
        raise Throttled(what, after_s=after or SLOWER_S, why="too many have asked")
    if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ServerFault(what, why=f"HTTP {response.status}")
    if response.status != HTTPStatus.OK:
        why = words(answer.error_description or answer.error) or f"HTTP {response.status}"
        hint = "Check tenant, client and secret, that the secret has not expired, and the clock of this machine."
        raise Unauthenticated(what, why=why, hint=hint)
    if not answer.access_token:
        raise GarbledReply(what, why="the answer has none", hint="Check what answers in Azure's place.")
    return Token(Plaintext(answer.access_token), _lasting(answer.expires_in))


def _lasting(expires_in: float | str) -> float:
    """The metadata server says it as text."""
    if isinstance(expires_in, str):
        return float(expires_in) if expires_in.isdigit() else _HOUR_S
    return expires_in
