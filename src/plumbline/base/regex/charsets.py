"""Sets of characters: ranges, Unicode categories, and what of them is the same in another case."""

import unicodedata
from typing import Final, NamedTuple, TypeAlias

Range: TypeAlias = tuple[str, str]

DIGITS: Final[tuple[Range, ...]] = (("0", "9"),)
SPACES: Final[tuple[Range, ...]] = (("\t", "\n"), ("\f", "\r"), (" ", " "))
WORD: Final[tuple[Range, ...]] = (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))

PERL: Final = {"d": DIGITS, "s": SPACES, "w": WORD}
POSIX: Final[dict[str, tuple[Range, ...]]] = {
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "alpha": (("A", "Z"), ("a", "z")),
    "ascii": (("\0", "\x7f"),),
    "blank": (("\t", "\t"), (" ", " ")),
    "cntrl": (("\0", "\x1f"), ("\x7f", "\x7f")),
    "digit": DIGITS,
    "graph": (("!", "~"),),
    "lower": (("a", "z"),),
    "print": ((" ", "~"),),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "space": (("\t", "\r"), (" ", " ")),
    "upper": (("A", "Z"),),
    "word": WORD,
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
}
_MAJOR: Final = "CLMNPSZ"
_MINOR: Final = frozenset(
    [
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "Mc",
        "Me",
        "Mn",
        "Nd",
        "Nl",
        "No",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Zl",
        "Zp",
        "Zs",
    ]
)
# Letters with three or four spellings, which lower() and upper() alone do not connect.
_ORBITS: Final = {char: orbit for orbit in ("Kk\u212a", "Ss\u017f", "\u00c5\u00e5\u212b", "\u03a9\u03c9\u2126",
                                            "\u00b5\u039c\u03bc", "\u1e9e\u00df", "\u0398\u03b8\u03d1\u03f4")
                  for char in orbit}  # fmt: skip


class Part(NamedTuple):
    """A piece of a set: ranges, or a category such as `L` or `Nd`; either may stand for all that is not in it."""

    ranges: tuple[Range, ...] = ()
    category: str = ""
    negated: bool = False


class CharSet(NamedTuple):
    parts: tuple[Part, ...]
    negated: bool = False
    fold: bool = False

    def holds(self, char: str) -> bool:
        spellings = same_letters(char) if self.fold else (char,)
        return any(_in_part(part, spellings) for part in self.parts) is not self.negated


def same_letters(char: str) -> tuple[str, ...]:
    """*char* and its spellings in other cases."""
    known = _ORBITS.get(char)
    if known:
        return tuple(known)
    return tuple({char, *(each for each in (char.lower(), char.upper()) if len(each) == 1)})


def category_of(name: str) -> str | None:
    r"""The category that `\p{name}` means, empty for any character; None where there is none. Scripts are not known."""
    if name in {"Any", "any"}:
        return ""
    return name if (len(name) == 1 and name in _MAJOR) or name in _MINOR else None


def _in_part(part: Part, spellings: tuple[str, ...]) -> bool:
    if part.ranges:
        inside = any(low <= char <= high for char in spellings for low, high in part.ranges)
    else:
        inside = any(unicodedata.category(char).startswith(part.category) for char in spellings)
    return inside is not part.negated
