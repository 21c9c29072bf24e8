"""Whether a certificate and a key are what they are called and belong together, in the words of Go's TLS."""

import base64
import binascii
import re
from typing import Final

from plumbline.base.json import Json

_BLOCK: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----\s*?\n(.*?)-----END \1-----", re.DOTALL)
_KEY: Final = "PRIVATE KEY"
_CERTIFICATE: Final = "CERTIFICATE"
_LARGEST_BYTES: Final = 1 << 20


def key_pair_fault(certificate: Json, key: Json) -> str:
    """What is wrong with a pair that a Secret holds in base64, or nothing."""
    certificates = _blocks(_octets(certificate))
    keys = _blocks(_octets(key))
    if fault := _certificate_fault([kind for kind, _ in certificates]) or _key_fault([kind for kind, _ in keys]):
        return fault
    first = next(body for kind, body in certificates if kind == _CERTIFICATE)
    return _pair_fault(first, next(body for kind, body in keys if _is_key(kind)))


def _octets(value: Json) -> bytes:
    try:
        return base64.b64decode(value, validate=True)[:_LARGEST_BYTES] if isinstance(value, str) else b""
    except (binascii.Error, ValueError):
        return b""


def _blocks(octets: bytes) -> list[tuple[str, bytes]]:
    """Types and contents; what is no base64 inside is no block at all."""
    found = ((match[1].decode(), _body(match[2])) for match in _BLOCK.finditer(octets))
    return [(kind, body) for kind, body in found if body is not None]


def _body(text: bytes) -> bytes | None:
    """Without headers, which only encrypted keys have."""
    lines = (line.strip() for line in text.splitlines() if b":" not in line)
    try:
        return base64.b64decode(b"".join(lines), validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_key(kind: str) -> bool:
    return kind == _KEY or kind.endswith(f" {_KEY}")


def _certificate_fault(kinds: list[str]) -> str:
    if _CERTIFICATE in kinds:
        return ""
    if not kinds:
        return "tls: failed to find any PEM data in certificate input"
    if len(kinds) == 1 and kinds[0].endswith(_KEY):
        found = "but did find a private key; PEM inputs may have been switched"
        return f"tls: failed to find certificate PEM data in certificate input, {found}"
    skipped = f"after skipping PEM blocks of the following types: [{' '.join(kinds)}]"
    return f'tls: failed to find "CERTIFICATE" PEM block in certificate input {skipped}'


def _key_fault(kinds: list[str]) -> str:
    if any(map(_is_key, kinds)):
        return ""
    if not kinds:
        return "tls: failed to find any PEM data in key input"
    if kinds == [_CERTIFICATE]:
        return "tls: found a certificate rather than a key in the PEM for the private key"
    skipped = f"after skipping PEM blocks of the following types: [{' '.join(kinds)}]"
    return f'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input {skipped}'


def _pair_fault(certificate: bytes, key: bytes) -> str:
    from cryptography import x509  # noqa: PLC0415 - needs 20 MB that most servers never do
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - same
    from cryptography.hazmat.primitives.serialization import load_der_private_key  # noqa: PLC0415 - same

    try:
        held = x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
        return "x509: malformed certificate"
    try:
        public = load_der_private_key(key, None).public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "tls: failed to parse private key"
    if type(held) is not type(public):
        return "tls: private key type does not match public key type"
    return "" if held == public else "tls: private key does not match public key"
