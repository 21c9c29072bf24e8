"""What came of looking at one signature."""

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """In the words that upstream uses, which people search for."""

    GOOD = "signed"
    BAD = "bad signature"
    EXPIRED_SIGNATURE = "expired signature"
    EXPIRED_KEY = "signed with expired key"
    REVOKED_KEY = "signed with revoked key"
    UNKNOWN_KEY = "signed with key not in keyring"
    UNSIGNED = "unsigned"


class Verdict(NamedTuple):
    outcome: Outcome
    key: str = ""
    """The key that signed, in the form that people list: sixteen hexadecimal digits, or SHA256:... for ssh."""
    names: tuple[str, ...] = ()
    """Everything that names that key: fingerprints of it and of the primary key that it belongs to."""
    lasting: bool = True
    """Whether it stays so as long as the keys do; not where the signature itself has an end."""


UNSIGNED = Verdict(Outcome.UNSIGNED)
BAD = Verdict(Outcome.BAD)
