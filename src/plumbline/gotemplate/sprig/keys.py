"""Private keys in the three forms that PEM blocks hold them."""

from typing import TYPE_CHECKING

from plumbline.gotemplate.sprig.pem import blocks, encoded
from plumbline.gotemplate.sprig.told import Told

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes


def private_key(text: str) -> "PrivateKeyTypes":
    """Of the first block, whatever it calls itself. Raises Told."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - most installations never need OpenSSL
    from cryptography.hazmat.primitives.serialization import load_der_private_key  # noqa: PLC0415 - same

    found = blocks(text)
    if not found:
        raise Told("failed to decode PEM block")
    try:
        return load_der_private_key(found[0].body, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise Told("unable to parse private key type") from None


def private_pem(key: "PrivateKeyTypes") -> str:
    """As PKCS#8."""
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - as above
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    return encoded("PRIVATE KEY", key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))


def public_pem(key: "PublicKeyTypes") -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415 - as above

    return encoded("PUBLIC KEY", key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
