"""Certificates in PEM: found among other lines, checked, and named as Go names them."""

import hashlib
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.source.certificates.subjects import subject

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

MOST_BLOCKS: Final = 256
MOST_LINES: Final = 128
"""Of one certificate. Both as Argo CD has them."""
_BEGIN: Final = "-----BEGIN CERTIFICATE-----"
_END: Final = "-----END CERTIFICATE-----"
_HINT: Final = f"Give a file in PEM, with lines {_BEGIN} and {_END}."


class Read(NamedTuple):
    subject: str
    algorithm: str
    """Of its key, in lower case."""


class Unique(NamedTuple):
    blocks: list[str]
    doubles: list[tuple[str, str]]
    """Fingerprint and subject of those that had come before."""


def blocks(text: str) -> list[str]:
    """Each certificate in *text*, whatever stands between them. Raises LimitExceeded."""
    found: list[str] = []
    lines: list[str] = []
    for line in re.split(r"\r?\n", text):
        if not lines and not line.startswith(_BEGIN):
            continue
        lines.append(line)
        if len(lines) > MOST_LINES:
            raise LimitExceeded("the certificates are not read", why=f"one has more than {MOST_LINES} lines")
        if len(lines) > 1 and line.startswith(_END):
            found.append("\n".join(lines) + "\n")
            lines = []
        if len(found) > MOST_BLOCKS:
            raise LimitExceeded("the certificates are not read", why=f"there are more than {MOST_BLOCKS}")
    return found


def unique_blocks(text: str) -> Unique:
    """The certificates in *text*, each once. Raises InvalidInput where one of them is none."""
    found: dict[str, str] = {}
    doubles: list[tuple[str, str]] = []
    for block in blocks(text):
        certificate = loaded(block)
        fingerprint = _fingerprint(certificate)
        if fingerprint in found:
            doubles.append((fingerprint, subject(certificate)))
        else:
            found[fingerprint] = block
    return Unique(list(found.values()), doubles)


def loaded(block: str) -> "Certificate":
    """Raises InvalidInput."""
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415 - who lists no certificate need not load OpenSSL

    try:
        return load_pem_x509_certificate(block.encode())
    except (ValueError, UnicodeEncodeError):
        raise InvalidInput(
            "a certificate is not taken", why="could not parse X509 data from input", hint=_HINT
        ) from None


def read(block: str) -> Read:
    """Whom a certificate is for, and the kind of its key. One that cannot be read says why instead."""
    try:
        certificate = loaded(block)
        return Read(subject(certificate), _algorithm(certificate))
    except (InvalidInput, ValueError) as odd:
        return Read(getattr(odd, "why", "") or str(odd), "invalid")


def _fingerprint(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - as above

    return hashlib.sha256(certificate.public_bytes(Encoding.DER)).hexdigest()


_ALGORITHMS: Final = {
    "1.2.840.113549.1.1.1": "rsa",
    "1.2.840.10040.4.1": "dsa",
    "1.2.840.10045.2.1": "ecdsa",
    "1.3.101.112": "ed25519",
}


def _algorithm(certificate: "Certificate") -> str:
    """Go's name of it, and like there a number where it has none."""
    return _ALGORITHMS.get(certificate.public_key_algorithm_oid.dotted_string, "0")
