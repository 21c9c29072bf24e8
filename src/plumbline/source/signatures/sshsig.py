"""Signatures made with ssh keys (the SSHSIG format of OpenSSH), verified in process.

Refused are keys and digests that OpenSSH refuses as well: SHA-1, DSA, short RSA keys, certificates.
"""

import base64
import binascii
import hashlib
from typing import Final

from plumbline.source.signatures.trusted import fingerprint
from plumbline.source.signatures.verdict import BAD, Outcome, Verdict

_MAGIC: Final = b"SSHSIG"
_BEGIN: Final = b"-----BEGIN SSH SIGNATURE-----"
_END: Final = b"-----END SSH SIGNATURE-----"
_NAMESPACE: Final = b"git"
_LARGEST_BYTES: Final = 1 << 16
_DIGESTS: Final = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
_SHORTEST_RSA_BITS: Final = 2048
_TOUCHED: Final = 0x01


class _Garbled(Exception):
    """Not what the format allows."""


class _Reader:
    """Strings with a length before them, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._left = content

    def take(self, count: int) -> bytes:
        if count > len(self._left):
            raise _Garbled
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def text(self) -> bytes:
        return self.take(int.from_bytes(self.take(4)))

    def number(self) -> int:
        return int.from_bytes(self.text())

    def end(self) -> None:
        if self._left:
            raise _Garbled


def verify(payload: bytes, armored: bytes, keys: dict[str, bytes]) -> Verdict:
    """What an ssh signature over *payload* is worth, given the trusted keys by fingerprint."""
    try:
        key, digest, reserved, signature = _unpacked(armored)
    except _Garbled:
        return BAD
    name = fingerprint(key)
    if name not in keys or keys[name] != key:
        return Verdict(Outcome.UNKNOWN_KEY, name, (name,))
    hashed = _DIGESTS[digest](payload).digest()
    signed = _MAGIC + b"".join(_string(part) for part in (_NAMESPACE, reserved, digest, hashed))
    try:
        good = _holds(key, signature, signed)
    except _Garbled:
        good = False
    return Verdict(Outcome.GOOD if good else Outcome.BAD, name, (name,))


def _unpacked(armored: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """Key, digest, reserved part and signature."""
    text = armored.strip()
    if len(text) > _LARGEST_BYTES or not (text.startswith(_BEGIN) and text.endswith(_END)):
        raise _Garbled
    try:
        blob = base64.b64decode(b"".join(text[len(_BEGIN) : -len(_END)].split()), validate=True)
    except binascii.Error:
        raise _Garbled from None
    reader = _Reader(blob)
    if reader.take(len(_MAGIC)) != _MAGIC or int.from_bytes(reader.take(4)) != 1:
        raise _Garbled
    key, namespace, reserved, digest, signature = (reader.text() for _ in range(5))
    reader.end()
    # Made for something else, it says nothing about a commit.
    if namespace != _NAMESPACE or digest not in _DIGESTS:
        raise _Garbled
    return key, digest, reserved, signature


def _holds(key: bytes, signature: bytes, signed: bytes) -> bool:
    """Whether the signature over the bytes was made with the key."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm  # noqa: PLC0415 - where it is needed

    inside, outside = _Reader(key), _Reader(signature)
    kind, algorithm = inside.text(), outside.text()
    try:
        if kind == b"ssh-rsa":
            _rsa(inside, algorithm, outside.text(), signed)
        elif kind == algorithm == b"ssh-ed25519":
            _ed25519(inside.text(), outside.text(), signed)
        elif kind == algorithm and kind.startswith(b"ecdsa-sha2-"):
            _ecdsa(kind.removeprefix(b"ecdsa-sha2-"), inside, outside.text(), signed)
        elif kind == algorithm == b"sk-ssh-ed25519@openssh.com":
            public, raw = inside.text(), outside.text()
            _ed25519(public, raw, _shown_to_token(inside.text(), outside, signed))
        elif kind == algorithm == b"sk-ecdsa-sha2-nistp256@openssh.com":
            curve, point, raw = inside.text(), inside.text(), outside.text()
            shown = _shown_to_token(inside.text(), outside, signed)
            _ecdsa(curve, _Reader(_string(curve) + _string(point)), raw, shown)
        else:
            return False
        inside.end()
        outside.end()
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _rsa(key: _Reader, algorithm: bytes, raw: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - where it is needed
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - same

    exponent, modulus = key.number(), key.number()
    public = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    digests: dict[bytes, hashes.HashAlgorithm] = {b"rsa-sha2-256": hashes.SHA256(), b"rsa-sha2-512": hashes.SHA512()}
    if algorithm not in digests or public.key_size < _SHORTEST_RSA_BITS:
        raise _Garbled
    public.verify(raw, signed, padding.PKCS1v15(), digests[algorithm])


def _ed25519(public: bytes, raw: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - where it is needed

    Ed25519PublicKey.from_public_bytes(public).verify(raw, signed)


def _ecdsa(name: bytes, key: _Reader, raw: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 - where it is needed
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - same
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature  # noqa: PLC0415 - same

    curves: dict[bytes, tuple[ec.EllipticCurve, hashes.HashAlgorithm]] = {
        b"nistp256": (ec.SECP256R1(), hashes.SHA256()),
        b"nistp384": (ec.SECP384R1(), hashes.SHA384()),
        b"nistp521": (ec.SECP521R1(), hashes.SHA512()),
    }
    if key.text() != name or name not in curves:
        raise _Garbled
    curve, digest = curves[name]
    public = ec.EllipticCurvePublicKey.from_encoded_point(curve, key.text())
    pair = _Reader(raw)
    r, s = pair.number(), pair.number()
    pair.end()
    public.verify(encode_dss_signature(r, s), signed, ec.ECDSA(digest))


def _shown_to_token(application: bytes, signature: _Reader, signed: bytes) -> bytes:
    """What a security key really signs. That somebody touched it is asked for."""
    flags, counter = signature.take(1), signature.take(4)
    if not flags[0] & _TOUCHED:
        raise _Garbled
    return hashlib.sha256(application).digest() + flags + counter + hashlib.sha256(signed).digest()


def _string(content: bytes) -> bytes:
    return len(content).to_bytes(4) + content
