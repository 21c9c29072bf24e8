"""The key that signs service-account tokens, and the compact form in which tokens are written.

RSA keys sign as RS256 and keys on P-256 as ES256; no token chooses its algorithm itself.
"""

import base64
import hashlib
import re
from typing import Final, NamedTuple, TypeAlias

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from plumbline.base.errors import Corrupted
from plumbline.base.json import JsonObject, encode, encode_sorted

PublicKey: TypeAlias = RSAPublicKey | EllipticCurvePublicKey

_COORDINATE_BYTES: Final = 32
_url_safe: Final = re.compile("[A-Za-z0-9_-]*").fullmatch


class TokenKey:
    """Verifies what any holder of the private half signed."""

    def __init__(self, public: PublicKey) -> None:
        self._public = public
        self.algorithm = "RS256" if isinstance(public, RSAPublicKey) else "ES256"
        spelled = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.id = url_safe(hashlib.sha256(spelled).digest())

    def verifies(self, signature: bytes, signed: bytes) -> bool:
        try:
            if isinstance(self._public, RSAPublicKey):
                self._public.verify(signature, signed, PKCS1v15(), SHA256())
            else:
                self._public.verify(_der(signature), signed, ECDSA(SHA256()))
        except (InvalidSignature, ValueError):
            return False
        return True

    def jwk(self) -> JsonObject:
        """As a key set lists it."""
        if isinstance(self._public, RSAPublicKey):
            numbers = self._public.public_numbers()
            parts = {"n": _integer(numbers.n), "e": _integer(numbers.e)}
            return {"use": "sig", "kty": "RSA", "kid": self.id, "alg": self.algorithm} | parts
        point = self._public.public_numbers()
        parts = {"x": _coordinate(point.x), "y": _coordinate(point.y)}
        return {"use": "sig", "kty": "EC", "kid": self.id, "crv": "P-256", "alg": self.algorithm} | parts


class SigningKey:
    """The private half. It prints as its id."""

    def __init__(self, private: RSAPrivateKey | EllipticCurvePrivateKey) -> None:
        self._private = private
        self.public = TokenKey(private.public_key())
        self._head = url_safe(encode({"alg": self.public.algorithm, "kid": self.public.id}))

    @classmethod
    def from_pem(cls, pem: bytes) -> "SigningKey":
        try:
            private = load_pem_private_key(pem, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            # The cause may quote the key.
            raise Corrupted("cannot read the key that signs service-account tokens") from None
        if isinstance(private, RSAPrivateKey) or (
            isinstance(private, EllipticCurvePrivateKey) and isinstance(private.curve, SECP256R1)
        ):
            return cls(private)
        raise Corrupted("the key that signs service-account tokens is neither RSA nor on P-256")

    def token(self, claims: JsonObject) -> str:
        """*claims* signed, in compact form."""
        signed = f"{self._head}.{url_safe(encode_sorted(claims))}"
        return f"{signed}.{url_safe(self._signature(signed.encode()))}"

    def _signature(self, signed: bytes) -> bytes:
        if isinstance(self._private, RSAPrivateKey):
            return self._private.sign(signed, PKCS1v15(), SHA256())
        r, s = decode_dss_signature(self._private.sign(signed, ECDSA(SHA256())))
        return r.to_bytes(_COORDINATE_BYTES) + s.to_bytes(_COORDINATE_BYTES)

    def __repr__(self) -> str:
        return f"SigningKey({self.public.id})"


class CompactToken(NamedTuple):
    """The three parts of a token, decoded, not yet believed; `signed` is what the signature is about."""

    header: bytes
    payload: bytes
    signature: bytes
    signed: bytes

    @classmethod
    def parse(cls, text: str) -> "CompactToken | None":
        parts = text.split(".")
        if len(parts) != 3:  # noqa: PLR2004 - header, payload, signature
            return None
        decoded = [_decoded(part) for part in parts]
        header, payload, signature = decoded
        if header is None or payload is None or signature is None:
            return None
        return cls(header, payload, signature, text.rpartition(".")[0].encode())


def url_safe(octets: bytes) -> str:
    """Base64 for URLs, without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _decoded(text: str) -> bytes | None:
    # A length of 4n+1 is no base64 at all; Python's decoder would also skip foreign characters silently.
    if len(text) % 4 == 1 or not _url_safe(text):
        return None
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _der(signature: bytes) -> bytes:
    if len(signature) != 2 * _COORDINATE_BYTES:
        raise ValueError("not the signature of a key on P-256")
    r, s = signature[:_COORDINATE_BYTES], signature[_COORDINATE_BYTES:]
    return encode_dss_signature(int.from_bytes(r), int.from_bytes(s))


def _integer(value: int) -> str:
    return url_safe(value.to_bytes((value.bit_length() + 7) // 8))


def _coordinate(value: int) -> str:
    return url_safe(value.to_bytes(_COORDINATE_BYTES))
