"""The public half of a sealing key: whoever has it can seal, and nobody with it alone can open."""

import hashlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.limits import KIB
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.envelope import enclosed

FEWEST_BITS: Final = 2048
MOST_BITS: Final = 16384
"""OpenSSL works with no larger ones."""
_LARGEST_BYTES: Final = 256 * KIB
_HINT: Final = "Fetch the certificate of the controller with `plumb seal --fetch-cert`, or name another with --cert."


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    pem: bytes
    fingerprint: str
    not_before: datetime
    not_after: datetime
    public: RSAPublicKey

    def sealed(self, value: Plaintext, label: bytes) -> str:
        """The text that only the private half opens, and only for the same *label*."""
        return enclosed(value, self.public, label)

    def __repr__(self) -> str:
        return f"Certificate({self.fingerprint})"


def certificate_of(pem: bytes, *, at: datetime | None = None) -> Certificate:
    """Read the first certificate of *pem*.

    Raises InvalidInput for what is none, has no RSA key of a safe size, or has expired by *at*, where that is given.
    """
    if len(pem) > _LARGEST_BYTES:
        raise LimitExceeded(f"the certificate is larger than {_LARGEST_BYTES // KIB} KiB")
    found, public = None, None
    try:
        found = x509.load_pem_x509_certificates(pem)[0]
        public = found.public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
        public = None
    if found is None or public is None:
        raise InvalidInput("there is no certificate that can be read", why="PEM was expected", hint=_HINT)
    if not isinstance(public, RSAPublicKey):
        raise InvalidInput("the certificate cannot seal", why="its key is not an RSA key", hint=_HINT)
    check_size(public.key_size)
    if at is not None and at > found.not_valid_after_utc:
        when = f"{found.not_valid_after_utc:%B} {found.not_valid_after_utc.day}, {found.not_valid_after_utc.year}"
        raise InvalidInput("the certificate cannot seal", why=f"it expired on {when}", hint=_HINT)
    return Certificate(
        pem=found.public_bytes(Encoding.PEM),
        fingerprint=fingerprint_of(public),
        not_before=found.not_valid_before_utc,
        not_after=found.not_valid_after_utc,
        public=public,
    )


def check_size(bits: int) -> None:
    """Raises InvalidInput for RSA keys that are too small to trust or too large to work with."""
    if not FEWEST_BITS <= bits <= MOST_BITS:
        raise InvalidInput(f"an RSA key of {bits} bits cannot seal", why=f"it needs {FEWEST_BITS} to {MOST_BITS}")


def fingerprint_of(public: RSAPublicKey) -> str:
    """As `ssh-keygen -l` prints it."""
    wire = b64decode(public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).split()[1])
    return "SHA256:" + b64encode(hashlib.sha256(wire).digest()).decode().rstrip("=")
