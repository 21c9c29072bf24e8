"""The carrier of secret values: it can be moved and compared, but not printed, pickled or encoded by accident."""

import hmac
import secrets
import string
from typing import Never

_LENGTH = 40
_KINDS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_LETTERS_AND_DIGITS = "".join(_KINDS)


class Plaintext:
    """A secret value. `reveal` is the only way out, and a search for its callers is the audit."""

    __slots__ = ("_value",)

    def __init__(self, value: bytes | str) -> None:
        self._value = value.encode() if isinstance(value, str) else bytes(value)

    def reveal(self) -> bytes:
        """Open it, where it is sent or sealed and nowhere else."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plaintext) and hmac.compare_digest(self._value, other._value)

    def __hash__(self) -> int:
        raise TypeError("a Plaintext is not hashable: its hash would tell about its value")

    def __len__(self) -> int:
        raise TypeError("a Plaintext does not tell its length")

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return "***"

    def __reduce__(self) -> Never:
        raise TypeError("a Plaintext cannot be pickled or copied")

    def __copy__(self) -> Never:
        raise TypeError("a Plaintext cannot be pickled or copied")

    def __deepcopy__(self, memo: object) -> Never:
        raise TypeError("a Plaintext cannot be pickled or copied")


def unguessable() -> Plaintext:
    """A new secret: 40 letters and digits, which every command line takes. Never from the seedable source of `Ids`.

    There are small letters, large ones and digits in it, which is what rules about passwords want to see.
    """
    rest = (secrets.choice(_LETTERS_AND_DIGITS) for _ in range(_LENGTH - len(_KINDS)))
    return Plaintext("".join((*map(secrets.choice, _KINDS), *rest)))
