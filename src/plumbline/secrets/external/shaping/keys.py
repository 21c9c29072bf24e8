"""Names of a store as keys of a Secret."""

import unicodedata
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.limits import KIB, MIB
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.externalsecret import Conversion

Values: TypeAlias = Mapping[str, Plaintext]
"""What is in a Secret, or may come to be, by its key."""

MOST_BYTES: Final = MIB
"""What Kubernetes accepts as the contents of one Secret."""
_LONGEST_BYTES: Final = 253
_PUNCTUATION: Final = frozenset("-._")


def converted(values: Values, strategy: Conversion) -> dict[str, Plaintext]:
    """*values* under keys that Secrets allow. Raises InvalidInput where two names become one key."""
    spelled = _underscore if strategy == "Default" else _code_point
    return renamed(
        values,
        lambda key: "".join(char if _allowed(char) else spelled(char) for char in key),
        what=f"error applying conversion strategy {strategy} to keys",
    )


def renamed(values: Values, name: Callable[[str], str], *, what: str) -> dict[str, Plaintext]:
    """*values* under new names; those that get an empty one are left out, as many as they are.

    Raises InvalidInput where two get the same name: which of them stays would be a matter of luck.
    """
    origins: dict[str, str] = {}
    out: dict[str, Plaintext] = {}
    for key in sorted(values):
        new = name(key)
        if new and new in out:
            raise InvalidInput(
                what,
                why=f"secret name collision during conversion: {new} is what both {origins[new]!r} and {key!r} become",
                hint="Tell them apart with `rewrite`, or fetch one of them by `data` under a key of its own.",
            )
        if new:
            origins[new] = key
            out[new] = values[key]
    return out


def check_size(size_bytes: int) -> None:
    if size_bytes > MOST_BYTES:
        raise LimitExceeded(f"a Secret holds no more than {MOST_BYTES // KIB:,} KiB", hint="Ask for less.")


def checked(values: Values) -> dict[str, Plaintext]:
    """*values* without those that have no name. Raises InvalidInput for keys that no Secret can have."""
    for key in sorted(values):
        fault = _fault(key)
        if fault:
            raise InvalidInput(
                "invalid secret keys (TIP: use rewrite or conversionStrategy to change keys)",
                why=fault,
            )
    return {key: value for key, value in values.items() if key}


def _fault(key: str) -> str:
    raw = key.encode(errors="surrogatepass")
    if len(raw) > _LONGEST_BYTES:
        start = raw[:_LONGEST_BYTES].decode(errors="replace")
        return f"key has length {len(raw)} but max is {_LONGEST_BYTES}: (following is truncated): {start}"
    for char in key:
        if not _allowed(char):
            return f"key has invalid character {char}, only alphanumeric, '-', '.' and '_' are allowed: {key}"
    return ""


def _allowed(char: str) -> bool:
    """Letters and numbers of all scripts, although API servers take the Latin ones only."""
    return char in _PUNCTUATION or unicodedata.category(char)[0] in "LN"


def _underscore(_char: str) -> str:
    return "_"


def _code_point(char: str) -> str:
    return f"_U{ord(char):04x}_"
