"""How one value is sealed, byte for byte as kubeseal does it.

    base64( length of the wrapped key, 2 bytes, big-endian | wrapped key | AES-256-GCM of the value, with its tag )

The key of the value is wrapped with RSA-OAEP (SHA-256 twice), whose label says what the value may become. Nothing in it
says which key can unwrap it.
"""

import binascii
from base64 import b64encode
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256

from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.entropy import SESSION_KEY_BYTES, session_key

_PREFIX_BYTES: Final = 2
# Each session key seals one value, so its nonce need not differ.
_NONCE: Final = bytes(12)
_ANY_KEY: Final = bytes(SESSION_KEY_BYTES)


class Envelope(NamedTuple):
    """What is inside the text, taken apart but not opened."""

    wrapped: bytes
    body: bytes


def enclosed(value: Plaintext, public: RSAPublicKey, label: bytes) -> str:
    key = session_key()
    wrapped = public.encrypt(key, oaep(label))
    body = AESGCM(key).encrypt(_NONCE, value.reveal(), None)
    return b64encode(len(wrapped).to_bytes(_PREFIX_BYTES) + wrapped + body).decode()


def envelope_of(text: str) -> Envelope | None:
    """Take *text* apart; None where it is no envelope, which says nothing about keys."""
    try:
        raw = decoded(text)
    except ValueError:
        return None
    end = _PREFIX_BYTES + int.from_bytes(raw[:_PREFIX_BYTES])
    if len(raw) < max(end, _PREFIX_BYTES):
        return None
    return Envelope(raw[_PREFIX_BYTES:end], raw[end:])


def decoded(text: str) -> bytes:
    """Standard base64 with its padding, line breaks ignored as Go does. Raises ValueError, which quotes nothing."""
    letters = text.replace("\n", "").replace("\r", "")
    # Python does not mind padding where none is due.
    if len(letters) % 4 or letters.endswith("==="):
        raise ValueError("it is not base64")
    return binascii.a2b_base64(letters, strict_mode=True)


def oaep(label: bytes) -> OAEP:
    return OAEP(mgf=MGF1(algorithm=SHA256()), algorithm=SHA256(), label=label)


def opened_with(private: RSAPrivateKey, envelope: Envelope, padding: OAEP) -> bytes | None:
    """The value, or None. Whether the key or the value did not fit is told to nobody, not by the time it takes either."""
    try:
        key, fits = private.decrypt(envelope.wrapped, padding), True
    except ValueError:
        key, fits = _ANY_KEY, False
    try:
        value = AESGCM(key).decrypt(_NONCE, envelope.body, None)
    except (InvalidTag, ValueError):
        return None
    return value if fits else None
