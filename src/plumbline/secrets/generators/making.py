"""What a generator makes. Pure, but for chance, which comes from the ids that it is given."""

import base64
import string
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.limits import KIB, MIB
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.generators import (
    FAKE,
    PASSWORD,
    SSH_KEY,
    UUID,
    FakeGeneratorSpec,
    PasswordSpec,
    SshKeySpec,
    UuidSpec,
)
from plumbline.kinds.fields import Fields

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

Made = Mapping[str, Plaintext]

_SYMBOLS: Final = '~!@#$%^&*()_+`-={}|[]\\:"<>?,./'
_LONGEST: Final = 4_096
_MOST_BYTES: Final = MIB
"""What Kubernetes accepts as the contents of one Secret."""
_QUARTER: Final = 4
_RSA_BITS: Final = 2_048
_FEWEST_RSA_BITS: Final = 1_024
_EXPONENT: Final = 65_537
_ENCODINGS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "base32": base64.b32encode,
    "base64": base64.b64encode,
    "base64url": base64.urlsafe_b64encode,
    "hex": lambda raw: raw.hex().encode(),
    "raw": lambda raw: raw,
}


def made(spec: Fields, ids: Ids) -> Made:
    """New values, as *spec* asks for them. Raises InvalidInput where nothing fits it."""
    return _MAKING[type(spec)](spec, ids)


def _passwords(spec: PasswordSpec, ids: Ids) -> Made:
    written, keys = _ENCODINGS[spec.encoding], spec.secret_keys or ("password",)
    if len(keys) * _length(spec) > _MOST_BYTES:
        raise InvalidInput(
            "The passwords cannot be made", why=f"a Secret holds no more than {_MOST_BYTES // KIB:,} KiB"
        )
    return {key: Plaintext(written(_password(spec, ids).encode())) for key in keys}


def _length(spec: PasswordSpec) -> int:
    return spec.length if spec.length > 0 else 24


def _password(spec: PasswordSpec, ids: Ids) -> str:
    length = _length(spec)
    digits = length // _QUARTER if spec.digits is None else spec.digits
    symbols = length // _QUARTER if spec.symbols is None else spec.symbols
    letters = string.ascii_lowercase if spec.no_upper else string.ascii_letters
    parts = (
        ("letters", letters, length - digits - symbols),
        ("digits", string.digits, digits),
        ("symbols", spec.symbol_characters or _SYMBOLS, symbols),
    )
    _check(parts, length, repeats=spec.allow_repeat)
    result: list[str] = []
    for _, among, count in parts:
        for _ in range(count):
            left = among if spec.allow_repeat else [each for each in among if each not in result]
            result.insert(_below(ids, len(result) + 1), left[_below(ids, len(left))])
    return "".join(result)


def _check(parts: tuple[tuple[str, str, int], ...], length: int, *, repeats: bool) -> None:
    what = "The password cannot be made"
    if length > _LONGEST:
        raise InvalidInput(what, why=f"it is longer than {_LONGEST:,} characters")
    if any(count < 0 for _, _, count in parts):
        raise InvalidInput(what, why="number of digits and symbols must be less than total length")
    for name, among, count in parts:
        # A symbol that is a letter or a digit may have been taken by those.
        others = "" if name != "symbols" else "".join(each for other, each, _ in parts if other != name)
        if not repeats and count > len(set(among) - set(others)):
            why = f"number of {name} exceeds available {name} and repeats are not allowed"
            raise InvalidInput(what, why=why, hint="Set `allowRepeat`, or ask for fewer of them.")


def _below(ids: Ids, most: int) -> int:
    return min(int(ids.between(0, most)), most - 1)


def _uuid(_: UuidSpec, ids: Ids) -> Made:
    return {"uuid": Plaintext(ids.uid())}


def _fixed(spec: FakeGeneratorSpec, _: Ids) -> Made:
    return {key: Plaintext(value) for key, value in spec.data.items()}


def _keys(spec: SshKeySpec, _: Ids) -> Made:
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - few need keys
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key: Any = _key(spec)
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    comment = f" {spec.comment}".encode() if spec.comment else b""
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    return {"privateKey": Plaintext(private), "publicKey": Plaintext(public + comment + b"\n")}


def _key(spec: SshKeySpec) -> "PrivateKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415 - as above

    if spec.key_type == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    if spec.key_type == "ecdsa":
        curves: dict[int, ec.EllipticCurve] = {256: ec.SECP256R1(), 384: ec.SECP384R1(), 521: ec.SECP521R1()}
        curve = curves.get(spec.key_size or 256)
        if curve is None:
            raise InvalidInput("The key cannot be made", why="a key of ECDSA has 256, 384 or 521 bits")
        return ec.generate_private_key(curve)
    bits = spec.key_size or _RSA_BITS
    if bits < _FEWEST_RSA_BITS:
        raise InvalidInput("The key cannot be made", why=f"a key of {bits} bits protects nothing", hint="Say 2048.")
    return rsa.generate_private_key(_EXPONENT, bits)


_MAKING: Final[Mapping[type[Fields], Callable[[Any, Ids], Made]]] = {
    FakeGeneratorSpec: _fixed,
    PasswordSpec: _passwords,
    SshKeySpec: _keys,
    UuidSpec: _uuid,
}

RUN: Final = frozenset({PASSWORD.kind, UUID.kind, SSH_KEY.kind, FAKE.kind})
"""Kinds of generators that are run here."""
