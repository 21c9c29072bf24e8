"""Passwords: argon2id for those that are set here, bcrypt for those that Argo CD has set.

Hashing takes long on purpose, and blocks: call it aside. Whatever a Secret says is bounded before it is worked with, since
a hash names the work that it costs.
"""

import re
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.base.regex import compiled

PATTERN: Final = "^.{8,32}$"
"""What `passwordPattern` in argocd-cm is where nobody has set it."""
MOST_BYTES: Final = 1024
"""Of a password. More is nobody's, and would only cost time."""

_TIMES, _MEMORY_KIB, _LANES = 2, 19 * 1024, 1
"""What OWASP recommends where memory is short: this runs beside everything else."""
_MOST_TIMES, _MOST_MEMORY_KIB, _MOST_LANES = 10, 256 * 1024, 16
_MOST_ROUNDS: Final = 15
_BCRYPT_BYTES: Final = 72
_argon2 = re.compile(rb"\$argon2(?:id|i|d)\$v=19\$m=([0-9]{1,9}),t=([0-9]{1,4}),p=([0-9]{1,4})\$[^$]+\$[^$]+").fullmatch
_bcrypt = re.compile(rb"\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}").fullmatch

DECOY: Final = Plaintext(
    "$argon2id$v=19$m=19456,t=2,p=1$cGx1bWJsaW5lLWRlY295$W2pPkbBHQqTvZyJBTe3HkU0DTdq3MLlkoSu0V4mmsmk"
)
"""No password has this hash. Checking against it takes as long as checking against one that was set here."""


def hashed(password: Plaintext) -> Plaintext:
    from argon2 import PasswordHasher  # noqa: PLC0415 - few processes ever see a password

    hasher = PasswordHasher(time_cost=_TIMES, memory_cost=_MEMORY_KIB, parallelism=_LANES)
    return Plaintext(hasher.hash(password.reveal()))


def verified(password: Plaintext, against: Plaintext) -> bool:
    """Whether *password* is the one that was hashed. False for hashes of another kind, or that cost too much."""
    given, stored = password.reveal(), against.reveal()
    if not given or len(given) > MOST_BYTES:
        return False
    if found := _argon2(stored):
        memory_kib, times, lanes = map(int, found.groups())
        affordable = memory_kib <= _MOST_MEMORY_KIB and times <= _MOST_TIMES and lanes <= _MOST_LANES
        return affordable and _verified_argon2(given, stored)
    if (found := _bcrypt(stored)) and int(found[1]) <= _MOST_ROUNDS:
        return _verified_bcrypt(given, stored)
    return False


def check_new(password: Plaintext, name: str, pattern: str, old: Plaintext | None) -> None:
    """Raises InvalidInput that quotes none of it. *old* is the hash of the one that it is to replace."""
    text = password.reveal()
    try:
        fits = len(text) <= MOST_BYTES and compiled(pattern).matches(text.decode())
    except UnicodeDecodeError:
        fits = False
    if not fits:
        raise InvalidInput(f"new password does not match the following expression: {pattern}", hint="Choose another.")
    if text.decode().casefold() == name.casefold():
        raise InvalidInput("new password is the name of the account", hint="Choose another.")
    if old is not None and verified(password, old):
        raise InvalidInput("new password is the same as the old one", hint="Choose another.")


def _verified_argon2(given: bytes, stored: bytes) -> bool:
    from argon2 import PasswordHasher  # noqa: PLC0415 - few processes ever see a password
    from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415 - same

    try:
        return PasswordHasher().verify(stored, given)
    except (Argon2Error, InvalidHashError):
        return False


def _verified_bcrypt(given: bytes, stored: bytes) -> bool:
    import bcrypt  # noqa: PLC0415 - few processes ever see a password

    try:
        # Go looks at no more than this of a password, and passwords that it took must go on working.
        return bcrypt.checkpw(given[:_BCRYPT_BYTES], stored)
    except ValueError:
        return False
