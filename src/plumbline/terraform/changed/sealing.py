"""Plans between the pull request and the merge: sealed with a key that only the CI has, so that nobody can read or make one.

A plan holds every value of the state and of the variables in the clear. A sealed file is a line with its format, a line
of JSON that says what it is (in the clear, but part of what is sealed), a salt, and the plan. The key in use is made from
the salt and the key of the CI, so no two files share one.
"""

import base64
import binascii
import re
import secrets
from typing import Final

import msgspec

from plumbline.base.errors import Corrupted, InvalidInput
from plumbline.base.json import decode, encode_sorted
from plumbline.base.plaintext import Plaintext

_FORMAT: Final = b"plumbline-plan 1\n"
_PURPOSE: Final = b"plumbline: plans between pull request and merge, format 1"
_KEY_BYTES: Final = 32
_SALT_BYTES: Final = 32
_NONCE: Final = bytes(12)
"""One is enough: each file has a key of its own."""
_HEADER_BYTES: Final = 64 << 10
_HEX: Final = re.compile(rf"[0-9a-fA-F]{{{2 * _KEY_BYTES}}}")


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan is for. None of it is secret."""

    digest: str
    folder: str
    workspace: str
    var_files: tuple[str, ...] = ()
    inputs: str
    """The digest of the files that were planned."""
    commit: str
    tool: str
    version: str
    lineage: str
    serial: int
    created: str
    changes: bool = True
    """Plans that change nothing are kept too: they say that there is nothing to apply."""
    dangers: int = 0


class Key:
    """What plans are sealed with: 32 random bytes, written as base64 or hex."""

    def __init__(self, text: Plaintext) -> None:
        self._bytes = Plaintext(_key_bytes(text))

    def seal(self, header: Header, plan: Plaintext) -> bytes:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415 - costs 50 ms

        clear, salt = _FORMAT + encode_sorted(header) + b"\n", secrets.token_bytes(_SALT_BYTES)
        return clear + salt + ChaCha20Poly1305(self._derived(salt)).encrypt(_NONCE, plan.reveal(), clear)

    def opened(self, sealed: bytes) -> tuple[Header, Plaintext]:
        """Raises Corrupted where it was sealed with another key, or changed since."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - same
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305  # noqa: PLC0415 - same

        header, clear = _header(sealed)
        salt, rest = sealed[len(clear) : len(clear) + _SALT_BYTES], sealed[len(clear) + _SALT_BYTES :]
        try:
            plan = ChaCha20Poly1305(self._derived(salt)).decrypt(_NONCE, rest, clear)
        except InvalidTag:
            raise Corrupted(
                f"the plan {header.digest:.12} cannot be opened",
                why="it was sealed with another key, or somebody changed it since",
                hint="Check PLUMBLINE_PLAN_KEY; if it is right, plan again and have that plan reviewed.",
            ) from None
        return header, Plaintext(plan)

    def _derived(self, salt: bytes) -> bytes:
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - same
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415 - same

        return HKDF(SHA256(), _KEY_BYTES, salt, _PURPOSE).derive(self._bytes.reveal())


def header_of(sealed: bytes) -> Header:
    """What a file says it is; nothing of it is proven before it was opened."""
    return _header(sealed)[0]


def _header(sealed: bytes) -> tuple[Header, bytes]:
    end = sealed.find(b"\n", len(_FORMAT), len(_FORMAT) + _HEADER_BYTES)
    if not sealed.startswith(_FORMAT) or end < 0:
        raise Corrupted("a file is no sealed plan", why="it does not begin as one", hint="Remove it from the folder.")
    try:
        return decode(sealed[len(_FORMAT) : end], type=Header), sealed[: end + 1]
    except (msgspec.DecodeError, UnicodeDecodeError):
        why = "what it says about itself cannot be read"
        raise Corrupted("a file is no sealed plan", why=why, hint="Remove it from the folder.") from None


def _key_bytes(text: Plaintext) -> bytes:
    stripped = text.reveal().strip()
    if _HEX.fullmatch(stripped.decode(errors="replace")):
        return bytes.fromhex(stripped.decode())
    try:
        found = base64.b64decode(stripped.replace(b"-", b"+").replace(b"_", b"/"), validate=True)
    except binascii.Error:
        found = b""
    if len(found) != _KEY_BYTES:
        raise InvalidInput(
            "the key for plans cannot be used",
            why="it is not 32 bytes in base64 or hex",
            hint="Make one with `openssl rand -base64 32`, and keep it in the secret store of your CI.",
        )
    return found
