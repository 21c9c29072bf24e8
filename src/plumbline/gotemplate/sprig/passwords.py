"""Passwords, hashed and derived.

bcrypt's salt is new each time, so that what it prints is another text for the same password. Passwords that are derived
are the same again, by the scheme of the Master Password: scrypt for the person, HMAC for the site, a pattern for the text.
"""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate.sprig.told import costing, raw
from plumbline.gotemplate.values import Function, function

_STEPS: Final = 10_000
_COST: Final = 10
_LONGEST_BYTES: Final = 72
_UINT32: Final = 4

_SEED: Final = b"com.lyndir.masterpassword"
_SCRYPT_BYTES: Final = 64 * 1024 * 1024
_PATTERNS: Final[Mapping[str, tuple[str, ...]]] = {
    "maximum": ("anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"),
    "long": (
        *("CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv", "CvccCvcvCvcvno"),
        *("CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc", "CvcvCvcvnoCvcc", "CvcvCvcvCvccno"),
        *("CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno", "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno"),
        *("CvccnoCvcvCvcc", "CvccCvcvnoCvcc", "CvccCvcvCvccno"),
    ),
    "medium": ("CvcnoCvc", "CvcCvcno"),
    "short": ("Cvcn",),
    "basic": ("aaanaaan", "aannaaan", "aaannaaa"),
    "pin": ("nnnn",),
}
_VOWELS: Final = "AEIOU"
_CONSONANTS: Final = "BCDFGHJKLMNPQRSTVWXYZ"
_LETTERS: Final = f"{_VOWELS}{_VOWELS.lower()}{_CONSONANTS}{_CONSONANTS.lower()}"
_CHARACTERS: Final[Mapping[str, str]] = {
    "C": _CONSONANTS,
    "v": _VOWELS.lower(),
    "c": _CONSONANTS.lower(),
    "a": _LETTERS,
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": f"{_LETTERS}0123456789!@#$%^&*()",
}


def _hashed(password: str) -> str:
    import bcrypt  # noqa: PLC0415 - few templates ever hash a password

    octets = raw(password)
    if len(octets) > _LONGEST_BYTES:
        return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"
    return bcrypt.hashpw(octets, bcrypt.gensalt(_COST, prefix=b"2a")).decode()


def _entry(user: str, password: str) -> str:
    return f"invalid username: {user}" if ":" in user else f"{user}:{_hashed(password)}"


def _derived(counter: int, kind: str, password: str, user: str, site: str) -> str:
    patterns = _PATTERNS.get(kind)
    if patterns is None:
        return f"cannot find password template {kind}"
    salt = _SEED + _sized(raw(user))
    key = hashlib.scrypt(raw(password), salt=salt, n=32_768, r=8, p=2, maxmem=_SCRYPT_BYTES, dklen=64)
    told = _SEED + _sized(raw(site)) + (counter % (1 << 8 * _UINT32)).to_bytes(_UINT32, "big")
    seed = hmac.digest(key, told, "sha256")
    pattern = patterns[seed[0] % len(patterns)]
    chosen = (_CHARACTERS[each] for each in pattern)
    return "".join(letters[seed[at] % len(letters)] for at, letters in enumerate(chosen, start=1))


def _sized(octets: bytes) -> bytes:
    return len(octets).to_bytes(_UINT32, "big") + octets


FUNCTIONS: Final[Mapping[str, Function]] = {
    "bcrypt": function("string", costing(_STEPS)(_hashed)),
    "derivePassword": function("uint32 string string string string", costing(_STEPS)(_derived)),
    "htpasswd": function("string string", costing(_STEPS)(_entry)),
}
