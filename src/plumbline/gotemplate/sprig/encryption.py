"""Sprig's AES: CBC with a key that is the password itself, cut or filled up to 32 bytes."""

import base64
import hashlib
from collections.abc import Mapping
from typing import Final

from plumbline.base.plaintext import unguessable
from plumbline.gotemplate.gobase64 import read_base64
from plumbline.gotemplate.sprig.told import Told, costing, raw, text
from plumbline.gotemplate.values import Function, function

_STEPS: Final = 200
_KEY: Final = 32
_BLOCK: Final = 16


def _key(password: str) -> bytes:
    return raw(password)[:_KEY].ljust(_KEY, b"\0")


@costing(_STEPS)
def _encrypted(password: str, value: str) -> str:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - seldom needed

    if not value:
        return ""
    start = hashlib.sha256(unguessable().reveal()).digest()[:_BLOCK]
    content = raw(value)
    filling = _BLOCK - len(content) % _BLOCK
    encryptor = Cipher(algorithms.AES(_key(password)), modes.CBC(start)).encryptor()
    sealed = encryptor.update(content + bytes([filling]) * filling) + encryptor.finalize()
    return base64.b64encode(start + sealed).decode()


@costing(_STEPS)
def _decrypted(password: str, value: str) -> str:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - seldom needed

    if not value:
        return ""
    sealed = read_base64(raw(value))
    if sealed is None or len(sealed) < 2 * _BLOCK or len(sealed) % _BLOCK:
        raise Told("it is no base64 of whole blocks")
    decryptor = Cipher(algorithms.AES(_key(password)), modes.CBC(sealed[:_BLOCK])).decryptor()
    content = decryptor.update(sealed[_BLOCK:]) + decryptor.finalize()
    filling = content[-1]
    if not 1 <= filling <= _BLOCK:
        raise Told("it is damaged, or the password is wrong")
    return text(content[:-filling])


FUNCTIONS: Final[Mapping[str, Function]] = {
    "decryptAES": function("string string", _decrypted),
    "encryptAES": function("string string", _encrypted),
}
