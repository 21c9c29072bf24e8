"""X.509 certificates, read from PEM and written to it. Nothing is verified here."""

from typing import TYPE_CHECKING

from plumbline.gotemplate.sprig.pem import blocks, encoded
from plumbline.gotemplate.sprig.told import Told

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


def certificate_of(body: bytes) -> "Certificate":
    """Raises Told."""
    from cryptography.x509 import InvalidVersion, load_der_x509_certificate  # noqa: PLC0415 - most never need OpenSSL

    try:
        return load_der_x509_certificate(body)
    except (ValueError, InvalidVersion):
        raise Told("failed to parse certificate") from None


def certificates_of(text: str) -> "list[Certificate]":
    """Raises Told, also where there is none."""
    found = [certificate_of(block.body) for block in blocks(text)]
    if not found:
        raise Told("failed to decode PEM block")
    return found


def pem_of(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - as above

    return encoded("CERTIFICATE", certificate.public_bytes(Encoding.DER))
