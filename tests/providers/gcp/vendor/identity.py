"""Tokens: given for signed claims, refresh tokens and impersonation, and asked for by everything else."""

import base64
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from plumbline.base.json import decode

from .documents import Refusal

AUDIENCE = "https://oauth2.googleapis.com/token"


def granted(cloud, verb, path, headers, body):
    """The answer to somebody who wants a token, or None for everybody else."""
    if path == "/token" and verb == "POST":
        return _exchange(cloud, {name: values[0] for name, values in parse_qs(body.decode()).items()})
    if path.startswith("/computeMetadata/") and verb == "GET":
        if headers.get("metadata-flavor") != "Google":
            raise Refusal(403, "forbidden", "Missing Metadata-Flavor:Google header.")
        return _issue(cloud)
    if path.endswith(":generateAccessToken") and verb == "POST":
        authenticate(cloud, headers)
        said = decode(body)
        if set(said) - {"scope", "lifetime", "delegates"} or not said.get("scope"):
            raise Refusal(400, "badRequest", "Request contains an invalid argument.")
        if "nobody" in path:
            raise Refusal(404, "notFound", "Unknown service account")
        issued = _issue(cloud)
        return {"accessToken": issued["access_token"], "expireTime": "2026-01-01T01:00:00Z"}
    return None


def _exchange(cloud, said):
    match said.get("grant_type"):
        case "urn:ietf:params:oauth:grant-type:jwt-bearer":
            _verify(cloud, said.get("assertion", ""))
        case "refresh_token":
            if not all(said.get(name) for name in ("client_id", "client_secret", "refresh_token")):
                raise OAuthRefusal("invalid_request", "Missing parameter")
        case _:
            raise OAuthRefusal("unsupported_grant_type", "Invalid grant_type")
    return _issue(cloud)


class OAuthRefusal(Refusal):
    def __init__(self, error, description):
        super().__init__(400, error, description)

    def body(self):
        return {"error": self.reason, "error_description": self.message}


def _verify(cloud, assertion):
    signed, _, signature = assertion.rpartition(".")
    claims = decode(_bytes(signed.partition(".")[2]))
    key = cloud.keys.get(claims.get("iss"))
    if key is None:
        raise OAuthRefusal("invalid_grant", "Invalid grant: account not found")
    try:
        key.verify(_bytes(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise OAuthRefusal("invalid_grant", "Invalid JWT Signature.") from None
    if claims["aud"] != AUDIENCE or not claims["scope"] or not 0 < claims["exp"] - claims["iat"] <= 3600:
        raise OAuthRefusal("invalid_grant", "Invalid JWT: Token must be a short-lived token")


def _bytes(segment):
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _issue(cloud):
    token = f"ya29.vendor-{next(cloud.numbers)}"
    cloud.tokens.add(token)
    return {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}


def authenticate(cloud, headers):
    token = headers.get("authorization", "").removeprefix("Bearer ")
    if token not in cloud.tokens and not (cloud.open_to_all and not token):
        raise Refusal(401, "authError", "Request had invalid authentication credentials.")
