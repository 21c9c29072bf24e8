"""Tokens: given for secrets, certificates, tokens of a cluster and machines, and asked for by everything else."""

import base64
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from plumbline.base.json import decode

from .refusals import Refusal

TENANT = "11111111-1111-1111-1111-111111111111"
CLIENT = "22222222-2222-2222-2222-222222222222"
SUBSCRIPTION = "33333333-3333-3333-3333-333333333333"
SECRET = "vendor-client-secret"
MANAGER = "https://management.azure.com"
_JWT = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class OAuthRefusal(Exception):
    status = 400

    def __init__(self, error, description):
        super().__init__(description)
        self.error = error

    def body(self):
        return {"error": self.error, "error_description": str(self), "error_codes": [7000215]}


def granted(cloud, verb, path, query, headers, body):
    """The answer to somebody who wants a token, or None for everybody else."""
    if path.endswith("/oauth2/v2.0/token") and verb == "POST":
        if path != f"/{TENANT}/oauth2/v2.0/token":
            raise OAuthRefusal("invalid_request", f"AADSTS90002: Tenant '{path.split('/')[1]}' not found.")
        return _exchange(cloud, {name: values[0] for name, values in parse_qs(body.decode()).items()})
    if path == "/metadata/identity/oauth2/token" and verb == "GET":
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        if headers.get("metadata") != "true" or asked.get("resource") != f"{MANAGER}/":
            raise OAuthRefusal("invalid_request", "Required metadata header not specified")
        if asked.get("client_id", CLIENT) != CLIENT:
            raise OAuthRefusal("invalid_request", "Identity not found")
        return {**_issue(cloud), "expires_in": "3599"}
    return None


def _exchange(cloud, said):
    if said.get("grant_type") != "client_credentials" or said.get("scope") != f"{MANAGER}/.default":
        raise OAuthRefusal("invalid_request", "AADSTS900144: The request body must contain the parameter 'scope'")
    client = said.get("client_id", "")
    if client not in cloud.principals:
        raise OAuthRefusal(
            "unauthorized_client", f"AADSTS700016: Application '{client}' was not found in the directory"
        )
    if "client_secret" in said:
        if cloud.principals[client] != said["client_secret"]:
            raise OAuthRefusal("invalid_client", "AADSTS7000215: Invalid client secret provided.")
    elif said.get("client_assertion_type") == _JWT:
        _verify(cloud, client, said.get("client_assertion", ""))
    else:
        raise OAuthRefusal("invalid_client", "AADSTS7000216: client_assertion or client_secret is required")
    return _issue(cloud)


def _verify(cloud, client, assertion):
    if assertion in cloud.federated:
        return
    signed, _, signature = assertion.rpartition(".")
    if signed.count(".") != 1:
        raise OAuthRefusal("invalid_client", "AADSTS50027: JWT token is invalid or malformed.")
    header, claims = (decode(_bytes(part)) for part in signed.split("."))
    certificate = cloud.certificates.get(header.get("x5t#S256"))
    if certificate is None or header["alg"] != "PS256":
        raise OAuthRefusal(
            "invalid_client", "AADSTS700027: The certificate with identifier used to sign is not registered"
        )
    pad = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
    try:
        certificate.public_key().verify(_bytes(signature), signed.encode(), pad, hashes.SHA256())
    except InvalidSignature:
        raise OAuthRefusal("invalid_client", "AADSTS700027: Client assertion failed signature validation") from None
    address = f"https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token"
    if (claims["aud"], claims["iss"], claims["sub"]) != (address, client, client) or not claims["jti"]:
        raise OAuthRefusal("invalid_client", "AADSTS700021: Client assertion application identifier doesn't match")


def _bytes(segment):
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _issue(cloud):
    token = f"eyJ.vendor-{next(cloud.numbers)}"
    cloud.tokens.add(token)
    return {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}


def authenticate(cloud, headers):
    token = headers.get("authorization", "").removeprefix("Bearer ")
    if token not in cloud.tokens and not (cloud.open_to_all and not token):
        raise Refusal(401, "InvalidAuthenticationToken", "The access token is invalid.")
