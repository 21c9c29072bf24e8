"""How a copy lies on disk: sealed, so that nobody reads or changes it who has the disk but not the key. Pure.

Two boxes follow the first line: what the copy is, then the copy. The first is bound to the place it was made for and the
second to the first, so that a copy that was moved or put together from two does not open.
"""

import secrets
import struct
from typing import TYPE_CHECKING, Final

from plumbline.base.errors import Corrupted
from plumbline.base.limits import KIB
from plumbline.base.plaintext import Plaintext

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
_FIRST: Final = b"plumbline state copy 1\n"
_NONCE_BYTES: Final = 12
_LENGTH: Final = struct.Struct(">I")
_LABEL_BYTES: Final = 16 * KIB
OPENING_BYTES: Final = len(_FIRST) + _LENGTH.size + _LABEL_BYTES
"""As much of a file as is needed to read what it is."""


def sealed(key: Plaintext, place: str, label: bytes, content: bytes) -> bytes:
    engine = _engine(key)
    head = _box(engine, label, _FIRST + place.encode())
    return b"".join((_FIRST, _LENGTH.pack(len(head)), head, _box(engine, content, head)))


def label_of(key: Plaintext, place: str, opening: bytes) -> bytes:
    """What the copy is, from the first OPENING_BYTES of its file. Raises Corrupted where it is not as it was written."""
    return _opened(_engine(key), _head(opening), _FIRST + place.encode())


def content_of(key: Plaintext, place: str, file: bytes) -> bytes:
    engine = _engine(key)
    head = _head(file)
    _opened(engine, head, _FIRST + place.encode())
    return _opened(engine, file[len(_FIRST) + _LENGTH.size + len(head) :], head)


def _head(file: bytes) -> bytes:
    start = len(_FIRST) + _LENGTH.size
    if not file.startswith(_FIRST) or len(file) < start:
        raise Corrupted("The copy does not open", why="it is none")
    (size,) = _LENGTH.unpack(file[len(_FIRST) : start])
    if size > _LABEL_BYTES or len(file) < start + size:
        raise Corrupted("The copy does not open", why="it ends in the middle")
    return file[start : start + size]


def _engine(key: Plaintext) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only copies pay for loading OpenSSL

    return AESGCM(key.reveal())


def _box(engine: "AESGCM", content: bytes, bound: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + engine.encrypt(nonce, content, bound)


def _opened(engine: "AESGCM", box: bytes, bound: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - see above

    try:
        return engine.decrypt(box[:_NONCE_BYTES], box[_NONCE_BYTES:], bound)
    except (InvalidTag, ValueError) as broken:
        raise Corrupted("The copy does not open", why="it was changed, or sealed with another key") from broken
