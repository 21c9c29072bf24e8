"""Passwords as PostgreSQL keeps them: made here, so that no statement and no log of the server ever holds a plain one."""

import base64
import hashlib
import hmac
import re
import secrets
import stringprep
from collections.abc import Callable
from typing import Final
from unicodedata import ucd_3_2_0

from plumbline.base.plaintext import Plaintext

_ITERATIONS: Final = 4096
_SALT_BYTES: Final = 16
_SCRAM: Final = re.compile(r"SCRAM-SHA-256\$(\d{1,9}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)")
_MOST_ITERATIONS: Final = 200_000
"""What somebody else has chosen is verified up to here; beyond it, it counts as unknown."""
_PROHIBITED: Final[tuple[Callable[[str], bool], ...]] = (
    stringprep.in_table_a1,
    stringprep.in_table_c12,
    stringprep.in_table_c21_c22,
    stringprep.in_table_c3,
    stringprep.in_table_c4,
    stringprep.in_table_c5,
    stringprep.in_table_c6,
    stringprep.in_table_c7,
    stringprep.in_table_c8,
    stringprep.in_table_c9,
)


def kept_form(password: Plaintext, *, salt: bytes | None = None, iterations: int = _ITERATIONS) -> Plaintext:
    """What the server is given instead of the password, and what it keeps: a SCRAM-SHA-256 verifier."""
    salt = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
    salted = hashlib.pbkdf2_hmac("sha256", _prepared(password.reveal()), salt, iterations)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    stored_key = hashlib.sha256(client_key).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    return Plaintext(f"SCRAM-SHA-256${iterations}:{_text(salt)}${_text(stored_key)}:{_text(server_key)}")


def opens(kept: Plaintext, role: str, password: Plaintext) -> bool | None:
    """Whether *password* is the one that the server keeps for *role*; None where its form is not known here."""
    form = kept.reveal().decode(errors="replace")
    if form.startswith("md5"):
        # As the server made it, whatever is thought of it.
        digest = hashlib.md5(password.reveal() + role.encode(), usedforsecurity=False).hexdigest()
        return hmac.compare_digest(f"md5{digest}", form)
    found = _SCRAM.fullmatch(form)
    if found is None or int(found[1]) > _MOST_ITERATIONS:
        return None
    return kept_form(password, salt=base64.b64decode(found[2]), iterations=int(found[1])) == kept


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _prepared(password: bytes) -> bytes:
    """As SASLprep has it; what it does not allow is taken byte for byte, as the server and libpq do."""
    try:
        text = password.decode()
    except UnicodeDecodeError:
        return password
    if text.isascii():
        return password
    mapped = "".join(" " if stringprep.in_table_c12(c) else "" if stringprep.in_table_b1(c) else c for c in text)
    normal = ucd_3_2_0.normalize("NFKC", mapped)
    if not normal or any(prohibited(c) for c in normal for prohibited in _PROHIBITED) or not _one_way(normal):
        return password
    return normal.encode()


def _one_way(text: str) -> bool:
    """The rule for scripts that run from right to left: all of it, or nothing."""
    if not any(map(stringprep.in_table_d1, text)):
        return True
    ends = stringprep.in_table_d1(text[0]) and stringprep.in_table_d1(text[-1])
    return ends and not any(map(stringprep.in_table_d2, text))
