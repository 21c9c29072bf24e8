"""JSON Web Keys as PEM: RSA, the curves of NIST, and Ed25519."""

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from plumbline.base.json import JsonObject, decode
from plumbline.gotemplate import Function, function
from plumbline.gotemplate.sprig.keys import private_pem, public_pem
from plumbline.gotemplate.sprig.told import Told, costing, raw

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes

_STEPS: Final = 1_000
_BYTE: Final = 8
_LONGEST: Final = 2_048
"""Of one number: a modulus of 16,384 bits is the longest that is still computed with."""


def _read(text: str) -> JsonObject:
    try:
        key = decode(raw(text))
    except (msgspec.DecodeError, RecursionError):
        raise Told("failed to parse JWK: it is no JSON") from None
    if not isinstance(key, dict):
        raise Told("failed to parse JWK: it is no JSON object")
    return key


def _octets(key: JsonObject, field: str) -> bytes:
    text = key.get(field)
    if not isinstance(text, str) or not text:
        raise Told(f"failed to parse JWK: it has no `{field}`")
    try:
        octets = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise Told(f"failed to parse JWK: `{field}` is no base64 for URLs") from None
    if len(octets) > _LONGEST:
        raise Told(f"failed to parse JWK: `{field}` is too long")
    return octets


def _number(key: JsonObject, field: str) -> int:
    return int.from_bytes(_octets(key, field), "big")


def _public(key: JsonObject) -> "PublicKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415 - seldom needed

    match key.get("kty"), key.get("crv"):
        case "RSA", _:
            return rsa.RSAPublicNumbers(_number(key, "e"), _number(key, "n")).public_key()
        case "EC", "P-256" | "P-384" | "P-521" as curve:
            shapes = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1(), "P-521": ec.SECP521R1()}
            return ec.EllipticCurvePublicNumbers(_number(key, "x"), _number(key, "y"), shapes[curve]).public_key()
        case "OKP", "Ed25519":
            return ed25519.Ed25519PublicKey.from_public_bytes(_octets(key, "x"))
    raise Told("failed to parse JWK: only keys of RSA, P-256, P-384, P-521 and Ed25519 have a PEM form")


def _private(key: JsonObject) -> "PrivateKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415 - seldom needed

    if "d" not in key:
        raise Told("the JWK has no private key")
    public = _public(key)
    if isinstance(public, ed25519.Ed25519PublicKey):
        return ed25519.Ed25519PrivateKey.from_private_bytes(_octets(key, "d"))
    d = _number(key, "d")
    if isinstance(public, ec.EllipticCurvePublicKey):
        return ec.EllipticCurvePrivateNumbers(d, public.public_numbers()).private_key()
    assert isinstance(public, rsa.RSAPublicKey)  # noqa: S101 - there are no others
    numbers = public.public_numbers()
    if "p" in key and "q" in key:
        p, q = _number(key, "p"), _number(key, "q")
    else:
        p, q = rsa.rsa_recover_prime_factors(numbers.n, numbers.e, d)
    crt = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    return rsa.RSAPrivateNumbers(p, q, d, *crt, numbers).private_key()


@costing(_STEPS)
def _public_pem(text: str) -> str:
    key = _read(text)
    if "d" in key:
        raise Told("the JWK is a private key, use jwkPrivateKeyPem")
    try:
        return public_pem(_public(key))
    except (ValueError, ArithmeticError):
        raise Told("failed to parse JWK: its numbers are no key") from None


@costing(_STEPS)
def _private_pem(text: str) -> str:
    try:
        return private_pem(_private(_read(text)))
    except (ValueError, ArithmeticError):
        raise Told("failed to parse JWK: its numbers are no key") from None


FUNCTIONS: Final[Mapping[str, Function]] = {
    "jwkPrivateKeyPem": function("string", _private_pem),
    "jwkPublicKeyPem": function("string", _public_pem),
}
