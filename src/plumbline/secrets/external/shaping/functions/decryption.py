"""Values that are encrypted to a key of RSA."""

from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate import Function, function
from plumbline.gotemplate.sprig.keys import private_key
from plumbline.gotemplate.sprig.told import Told, costing, raw, text

_STEPS: Final = 4_000


@costing(_STEPS)
def _decrypted(scheme: str, digest: str, sealed: str, key_text: str) -> str:
    """RSA-OAEP with the same hash for the mask, or nothing at all where the scheme is None."""
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - most installations never need OpenSSL
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - same

    if scheme == "None":
        return sealed
    if scheme != "RSA-OAEP":
        raise Told("decryption scheme is not supported, only RSA-OAEP and None are")
    try:
        key = private_key(key_text)
    except Told as fault:
        raise Told(f"could not parse private key: {fault}") from None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise Told("could not parse RSA private key")
    chosen: hashes.HashAlgorithm = hashes.SHA256()
    if digest == "SHA1":
        chosen = hashes.SHA1()  # noqa: S303 - whoever encrypted it has chosen
    elif digest == "SHA512":
        chosen = hashes.SHA512()
    try:
        return text(key.decrypt(raw(sealed), padding.OAEP(padding.MGF1(chosen), chosen, None)))
    except ValueError:
        raise Told("error decrypting data with RSA") from None


FUNCTIONS: Final[Mapping[str, Function]] = {"rsaDecrypt": function("string string string string", _decrypted)}
